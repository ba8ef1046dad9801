// What a sentence states in the words of a space: "the port of orders-db is 5433", "wiki is owned
// by Dov", "Mara is on vacation in August".
//
// A sentence states a fact when the yes/no question that it answers is understood wholly, and asks
// for one link between two things; when it says which value an attribute of a thing has; or when it
// says of a thing what it is in words that the space does not know: that is kept as said, under the
// key kSaidToBe, and "who is on vacation in August?" finds it. It states it only when it is read
// whole (left_over.h): negations, conditions, what somebody else says, what was ("the port was
// 2222", "Ada worked at Acme"), sentences about several things, and words for a time that is
// another one tomorrow ("next week") are no facts.
//
// A value is taken as written: a number with its unit, a date, an identifier, digits where digits
// are, what stands in quotation marks, a name with a capital letter, or words that the attribute
// has somewhere already. Any other words, and what is of another kind than what stands there
// ("Ada's phone is broken"), are a value only where they are said to be one (saying.h).
// Thread-safety: one thread. Complexity: that of some questions. Errors: none; what is no statement
// is nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ask/lexicon/lexicon.h"
#include "base/clock.h"
#include "store/value.h"

namespace anima::ask {

inline constexpr std::string_view kSaidToBe = "said_to_be";
inline constexpr std::string_view kAlsoCalled = "aliases";  // "my name is Ada"

struct Statement {
  store::EntityId subject = store::EntityId::kNone;
  store::Predicate predicate = {};                  // of a link
  store::EntityId object = store::EntityId::kNone;  // of a link; kNone: to the value of this name
  std::string object_name = {};
  std::string key;          // of an attribute
  store::Value value = {};  // of an attribute
  std::string text;         // in the space's words: "orders-db port 5433"
  std::string said;         // the value as it was said
  bool other_kind = false;  // the value may be meant otherwise, so it is asked back
  std::string left_over;    // what of the sentence the fact does not account for
  bool is_link() const { return key.empty(); }
};

}  // namespace anima::ask
