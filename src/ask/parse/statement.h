// What a sentence states in the words of a space: "the port of orders-db is 5433", "wiki is owned
// by Dov", "Mara is on vacation in August".
//
// A sentence is a statement when the yes/no question that it answers is understood wholly, and asks
// for one link between two things; when it says which value an attribute of a thing has; or when it
// says of a thing what it is in words that the space does not know: that is kept as said, under the
// key kSaidToBe, and "who is on vacation in August?" finds it. Questions, negations, conditions,
// what was ("the port was 2222"), sentences about several things, and words for a time that is
// another one tomorrow ("next week") are none. Thread-safety: one thread. Complexity: that of some
// questions. Errors: none; what is no statement is nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ask/lexicon/lexicon.h"
#include "base/clock.h"
#include "store/value.h"

namespace anima::ask {

inline constexpr std::string_view kSaidToBe = "said_to_be";

struct Statement {
  store::EntityId subject = store::EntityId::kNone;
  store::Predicate predicate = {};                  // of a link
  store::EntityId object = store::EntityId::kNone;  // of a link; kNone: to the value of this name
  std::string object_name = {};
  std::string key;          // of an attribute
  store::Value value = {};  // of an attribute
  std::string text;         // in the space's words: "orders-db port 5433"
  bool is_link() const { return key.empty(); }
};

std::optional<Statement> read_statement(const Lexicon& lexicon, std::string_view sentence,
                                        Timestamp now);

}  // namespace anima::ask
