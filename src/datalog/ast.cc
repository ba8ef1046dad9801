#include "datalog/ast.h"

#include <algorithm>
#include <bit>

namespace anima::datalog {

Position Source::locate(Offset at) const {
  const std::size_t end = std::min<std::size_t>(at, text.size());
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  const std::size_t start = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
  Position position;
  position.line = static_cast<std::uint32_t>(line + 1);
  position.column =
      static_cast<std::uint32_t>(end - (start == std::string::npos ? 0 : start + 1) + 1);
  return position;
}

std::string Source::snippet(Offset from, Offset to) const {
  constexpr std::size_t kMost = 240;
  std::string result;
  bool blank = false;
  const std::size_t end = std::min<std::size_t>(to, text.size());
  for (std::size_t at = from; at < end; ++at) {
    const char c = text[at];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
      blank = !result.empty();
      continue;
    }
    if (blank) result += ' ';
    blank = false;
    result += c;
    if (result.size() >= kMost) {
      while (!result.empty() && (static_cast<unsigned char>(result.back()) & 0xC0) == 0x80) {
        result.pop_back();
      }
      return result + " ..";
    }
  }
  return result;
}

bool ast::Term::operator==(const Term& other) const {
  return kind == other.kind && text == other.text && number == other.number &&
         std::bit_cast<std::uint64_t>(real) == std::bit_cast<std::uint64_t>(other.real) &&
         arguments == other.arguments;
}

bool ast::Literal::operator==(const Literal& other) const {
  return kind == other.kind && temporal == other.temporal && atom == other.atom &&
         when == other.when && comparison == other.comparison && left == other.left &&
         right == other.right;
}

bool Unit::same_program(const Unit& other) const {
  return package == other.package && uses == other.uses && declarations == other.declarations &&
         clauses == other.clauses && order == other.order;
}

}  // namespace anima::datalog
