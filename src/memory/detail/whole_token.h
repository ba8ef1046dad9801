// Names that are one token: an address of mail or of the web, a host, a path, an identifier of a
// register or of somebody's own (INV-2024-0042), a version; and numbers at the edge of any name.
// Such a name is found as the whole alone: "ada@x.org" is not in "jo.ada@x.org", nor
// "https://x.org/a" in "https://x.org/a/b". Where signs may join it to something longer or part it
// from another thing
// ("INV-2024-0042/2", "Room 128-130"), it is in doubt. Thread-safety: pure. Complexity: O(token).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/identifier.h"

namespace anima::memory::detail {

// Whether a text names something, from no to yes.
enum class Naming : std::uint8_t { kNot, kInDoubt, kNames };

// What a number may be part of where `sign` alone stands between it and `word` (empty: nothing is
// beside it). `in_groups`: it has signs of its own inside, so that it is no single number.
Naming number_beside(std::string_view sign, std::string_view word, bool in_groups);
// Whether two words that a blank or an apostrophe parts may be one number: "128 000".
bool may_be_thousands(std::string_view left, std::string_view right);

class WholeToken {
 public:
  // As a person reads it.
  explicit WholeToken(std::string_view name);
  bool is_one() const { return kind_ != Kind::kNone; }
  // Of an identifier: how else it is written.
  std::vector<std::string> spellings() const;
  // Whether what was found there is this name and nothing longer.
  Naming judge_at(std::string_view text, std::size_t begin, std::size_t end) const;

 private:
  enum class Kind : std::uint8_t { kNone, kMail, kWeb, kIdentifier, kVersion, kHost, kPath, kCode };
  bool is_same(std::string_view written) const;
  Naming judge_host(std::string_view text, std::size_t begin, std::size_t end) const;
  Naming judge_path(std::string_view text, std::size_t begin, std::size_t end) const;
  Naming beside(std::string_view before, std::string_view behind) const;

  Kind kind_ = Kind::kNone;
  IdentifierScheme scheme_ = IdentifierScheme::kText;
  std::string value_;
};

}  // namespace anima::memory::detail
