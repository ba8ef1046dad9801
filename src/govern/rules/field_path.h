// FieldPath: names places in a JSON value, for one place or for many of the same kind.
//
//   messages[].sender     the member "sender" of every item of "messages"
//   rooms.*.price         "price" of every member of "rooms", whatever that is called
//   rooms.{}              the names of the members of "rooms" themselves
//   []                    every item of a list that is the whole value
//   (empty)               the whole value
//
// A name that holds a dot, a bracket or a brace has a backslash before it ("a\.b"). A path covers
// what lies beneath its place. Thread-safety: plain values. Complexity: linear in the steps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"

namespace anima::govern {

struct FieldStep {
  enum class Kind : std::uint8_t { kMember, kAnyMember, kItem, kKey };
  Kind kind = Kind::kMember;
  std::string name = {};  // of kMember
  bool operator==(const FieldStep&) const = default;
};

// The way to one place: members by their names, items and names of members as such.
using Place = std::vector<FieldStep>;
// Written as a path is.
std::string text_of(std::span<const FieldStep> steps);

class FieldPath {
 public:
  FieldPath() = default;  // the whole value
  // Errors: kSyntax, whose `where` is the column; kLimitExceeded (32 steps).
  static Result<FieldPath> parse(std::string_view text);

  const std::vector<FieldStep>& steps() const { return steps_; }
  std::string text() const { return text_of(steps_); }
  // Whether the place lies at, or beneath, one of this path.
  bool covers(std::span<const FieldStep> place) const;
  // Of two paths that cover a place the one that says more of it: more steps, then fewer wildcards.
  bool closer_than(const FieldPath& other) const;
  bool operator==(const FieldPath&) const = default;

 private:
  std::vector<FieldStep> steps_;
};

}  // namespace anima::govern
