// Whether an address of mail says that it is of one person: of the one whom a name means.
//
// What stands before the @ must be made of the words of the name and of nothing else: of two words
// at least, each written out or by its initial, one written out; in the order of the name, or with
// the last word first or the first one last. "ada.lovelace", "a.lovelace", "alovelace",
// "lovelacea" and "wang.xiaoming" are of who has that name; "info", "buero", "family.lovelace",
// "lovelace" and "al" are of nobody in particular. An initial that is joined to a word needs the
// name's last one: "a" in "alovelace". One word alone is enough where the domain has another one
// ("ada@lovelace.net"). Words are compared without accents, and in the ways in which people write
// another script in Latin letters (language/names/romanised.h). Digits at the end and what follows
// a "+" say nothing. No list of duties is needed: what does not name the person is not personal.
// Thread-safety: pure. Complexity: O(letters^2 x words); an address of more than 64 letters or a
// name of more than six words is nobody's.
#pragma once

#include <string_view>

#include "sleep/evidence/similarity.h"

namespace anima::sleep::detail {

bool is_mailbox_of(std::string_view address, const NameForm& name);

// Of the one person whom both names mean. Where one has the initial of a first or last word that
// the other writes out, the address must write it out, too: "jsmith" is Jane's or John's. Requires
// that the names fit (name_fit.h).
bool is_mailbox_of_both(std::string_view address, const NameForm& a, const NameForm& b);

}  // namespace anima::sleep::detail
