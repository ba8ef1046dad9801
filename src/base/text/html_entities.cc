#include "base/text/html_entities.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace anima {
namespace {

constexpr std::size_t kLongestEntity = 12;
constexpr char32_t kFirstLetter = 0xc0;

struct Entity {
  std::string_view name;
  char32_t value;
};
constexpr auto kEntities = std::to_array<Entity>({
    {"amp", '&'},       {"lt", '<'},       {"gt", '>'},        {"quot", '"'},     {"apos", '\''},
    {"nbsp", ' '},      {"shy", 0xad},     {"hyphen", 0x2010}, {"ndash", 0x2013}, {"mdash", 0x2014},
    {"hellip", 0x2026}, {"lsquo", 0x2018}, {"rsquo", 0x2019},  {"ldquo", 0x201c}, {"rdquo", 0x201d},
    {"bdquo", 0x201e},  {"laquo", 0xab},   {"raquo", 0xbb},    {"copy", 0xa9},    {"reg", 0xae},
    {"euro", 0x20ac},   {"pound", 0xa3},   {"deg", 0xb0},      {"middot", 0xb7},  {"bull", 0x2022},
    {"OElig", 0x152},   {"oelig", 0x153},  {"Scaron", 0x160},  {"scaron", 0x161}, {"Yuml", 0x178},
    {"Zcaron", 0x17d},  {"zcaron", 0x17e}, {"Ccaron", 0x10c},  {"ccaron", 0x10d}, {"Cacute", 0x106},
    {"cacute", 0x107},  {"Lstrok", 0x141}, {"lstrok", 0x142},  {"Nacute", 0x143}, {"nacute", 0x144},
    {"Sacute", 0x15a},  {"sacute", 0x15b}, {"Zacute", 0x179},  {"zacute", 0x17a}, {"Zdot", 0x17b},
    {"zdot", 0x17c},    {"Aogon", 0x104},  {"aogon", 0x105},   {"Eogon", 0x118},  {"eogon", 0x119},
    {"Ecaron", 0x11a},  {"ecaron", 0x11b}, {"Rcaron", 0x158},  {"rcaron", 0x159}, {"Ncaron", 0x147},
    {"ncaron", 0x148},  {"Tcaron", 0x164}, {"tcaron", 0x165},  {"Dcaron", 0x10e}, {"dcaron", 0x10f},
    {"Uring", 0x16e},   {"uring", 0x16f},  {"Odblac", 0x150},  {"odblac", 0x151}, {"Udblac", 0x170},
    {"udblac", 0x171},  {"Gbreve", 0x11e}, {"gbreve", 0x11f},  {"Scedil", 0x15e}, {"scedil", 0x15f},
    {"Idot", 0x130},    {"imath", 0x131},  {"Abreve", 0x102},  {"abreve", 0x103}, {"Dstrok", 0x110},
    {"dstrok", 0x111},
});

// Of U+00C0 to U+00FF, in order.
constexpr std::array<std::string_view, 64> kLetters = {
    "Agrave", "Aacute", "Acirc",  "Atilde", "Auml",   "Aring",  "AElig", "Ccedil",
    "Egrave", "Eacute", "Ecirc",  "Euml",   "Igrave", "Iacute", "Icirc", "Iuml",
    "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde", "Ouml",  "times",
    "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN", "szlig",
    "agrave", "aacute", "acirc",  "atilde", "auml",   "aring",  "aelig", "ccedil",
    "egrave", "eacute", "ecirc",  "euml",   "igrave", "iacute", "icirc", "iuml",
    "eth",    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",  "divide",
    "oslash", "ugrave", "uacute", "ucirc",  "uuml",   "yacute", "thorn", "yuml"};

std::optional<char32_t> named(std::string_view name) {
  const auto known = std::ranges::find(kEntities, name, &Entity::name);
  if (known != kEntities.end()) return known->value;
  const auto letter = std::ranges::find(kLetters, name);
  if (letter == kLetters.end()) return std::nullopt;
  return kFirstLetter + static_cast<char32_t>(letter - kLetters.begin());
}

std::optional<char32_t> numbered(std::string_view digits) {
  const bool hexadecimal = digits.starts_with('x') || digits.starts_with('X');
  if (hexadecimal) digits.remove_prefix(1);
  std::uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  if (!whole || value == 0 || value > 0x10ffff) return std::nullopt;
  return static_cast<char32_t>(value);
}

}  // namespace

std::optional<HtmlEntity> html_entity_at(std::string_view text) {
  if (!text.starts_with('&')) return std::nullopt;
  const std::string_view rest = text.substr(1, kLongestEntity);
  const std::size_t end = rest.find(';');
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  const std::string_view name = rest.substr(0, end);
  const auto value = name[0] == '#' ? numbered(name.substr(1)) : named(name);
  if (!value) return std::nullopt;
  return HtmlEntity{end + 2, *value};
}

}  // namespace anima
