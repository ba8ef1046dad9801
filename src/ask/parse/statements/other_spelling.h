// What a sentence tells of somebody whose name it spells otherwise than the space: "Martín" where
// Martin is known. It may be another person, so nothing is stated of Martin, and nothing of his
// ends, before that is asked. Case, blanks and the kind of an apostrophe or hyphen are no other
// spelling (language/names/equality.h). Thread-safety: one thread. Complexity: that of a look-up of
// the sentence's names. Errors: none.
#pragma once

#include <string_view>

#include "ask/lexicon/lexicon.h"
#include "ask/parse/statements/saying.h"

namespace anima::ask {

// What was read, or the question whether the things of its fact, or of the one that it ends, are
// meant.
Said asked_where_spelt_otherwise(const Lexicon& lexicon, std::string_view sentence, Said said);

}  // namespace anima::ask
