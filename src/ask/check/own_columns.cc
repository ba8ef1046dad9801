#include "ask/check/own_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

namespace anima::ask {
namespace {

using SaidWords = std::set<std::string>;

// A text, or an end of a time as a day; empty: neither.
std::string said_in(const Restriction& one) {
  if (one.kind != Restriction::Kind::kAttribute) return {};
  if (one.value.kind == Constant::Kind::kText) return one.value.text;
  const bool year = one.value.kind == Constant::Kind::kNumber && one.value.written.empty() &&
                    (one.compare == Compare::kMoreEqual || one.compare == Compare::kLess);
  return year ? fmt::format("{:04.0f}-01-01", one.value.number) : std::string();
}

SaidWords said_of(const SetExpr& set) {
  SaidWords words;
  for (const Restriction& one : set.restrictions) {
    if (std::string said = said_in(one); !said.empty()) words.insert(std::move(said));
  }
  return words;
}

// What is said of those that it leads to and that are named by nothing else.
void add_linked(const SetExpr& set, SaidWords& words) {
  for (const Restriction& one : set.restrictions) {
    if (one.target == nullptr) continue;
    if (one.target->by_value || !one.target->names.empty()) words.merge(said_of(*one.target));
    add_linked(*one.target, words);
  }
}

}  // namespace

void leave_linked(std::vector<Reading>& readings) {
  std::vector<Reading> kept;
  for (const Reading& one : readings) {
    SaidWords linked;
    if (one.set != nullptr) add_linked(*one.set, linked);
    const bool is_own = !linked.empty() && std::ranges::any_of(readings, [&](const Reading& other) {
      if (other.form != one.form || other.set == nullptr ||
          other.set->types.both(one.set->types).empty())
        return false;
      SaidWords further;
      add_linked(*other.set, further);
      return std::ranges::any_of(said_of(*other.set), [&](const std::string& word) {
        return linked.contains(word) && !further.contains(word);
      });
    });
    if (!is_own) kept.push_back(one);
  }
  readings = std::move(kept);
}

}  // namespace anima::ask
