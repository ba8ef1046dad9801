// Names that are one token: an address of mail or of the web, an identifier of a register, a
// version. Such a name is found as the whole alone: "ada@x.org" is not in "jo.ada@x.org", nor
// "https://x.org/a" in "https://x.org/a/b". Thread-safety: pure. Complexity: O(token).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/identifier.h"

namespace anima::memory::detail {

class WholeToken {
 public:
  // As a person reads it.
  explicit WholeToken(std::string_view name);
  bool is_one() const { return kind_ != Kind::kNone; }
  // Of an identifier: how else it is written.
  std::vector<std::string> spellings() const;
  // Requires that it is one. Whether what stands there is this token and nothing longer.
  bool stands_at(std::string_view text, std::size_t begin, std::size_t end) const;

 private:
  enum class Kind : std::uint8_t { kNone, kMail, kWeb, kIdentifier, kVersion };
  bool is_longer(std::string_view before, std::string_view behind) const;

  Kind kind_ = Kind::kNone;
  IdentifierScheme scheme_ = IdentifierScheme::kText;
  std::string value_;
};

}  // namespace anima::memory::detail
