#include "base/text/html_entities.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

#include "base/packs.h"
#include "base/text/text.h"

namespace anima {
namespace {

constexpr std::string_view kFile = "packs/text/html_entities.txt";
constexpr std::size_t kLongestEntity = 34;

struct Named {
  std::string_view name, code_points;  // "fjlig", "66 6A"
};

// In the order of their names, as the file is.
const std::vector<Named>& all_named() {
  static const std::vector<Named> named = [] {
    std::vector<Named> lines;
    const std::string_view file = pack_file(kFile).value_or("");
    for (const std::string_view line : split(file, '\n')) {
      const std::size_t blank = line.find(' ');
      if (blank != line.npos) lines.push_back({line.substr(0, blank), line.substr(blank + 1)});
    }
    return lines;
  }();
  return named;
}

bool append_number(std::string_view digits, int base, std::string& text) {
  std::uint32_t value = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, value, base);
  const bool surrogate = value >= 0xd800 && value < 0xe000;
  if (error != std::errc() || end != last || value == 0 || value > 0x10ffff || surrogate)
    return false;
  append_utf8(text, static_cast<char32_t>(value));
  return true;
}

bool append_named(std::string_view name, std::string& text) {
  const auto found = std::ranges::lower_bound(all_named(), name, {}, &Named::name);
  if (found == all_named().end() || found->name != name) return false;
  for (const std::string_view code : split(found->code_points, ' ')) append_number(code, 16, text);
  return true;
}

bool append_numbered(std::string_view digits, std::string& text) {
  const bool hexadecimal = digits.starts_with('x') || digits.starts_with('X');
  return append_number(digits.substr(hexadecimal ? 1 : 0), hexadecimal ? 16 : 10, text);
}

}  // namespace

std::optional<HtmlEntity> html_entity_at(std::string_view text) {
  if (!text.starts_with('&')) return std::nullopt;
  const std::string_view rest = text.substr(1, kLongestEntity);
  const std::size_t end = rest.find(';');
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  const std::string_view name = rest.substr(0, end);
  HtmlEntity entity{end + 2, {}};
  const bool known = name[0] == '#' ? append_numbered(name.substr(1), entity.text)
                                    : append_named(name, entity.text);
  return known ? std::optional(std::move(entity)) : std::nullopt;
}

}  // namespace anima
