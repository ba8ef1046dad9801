#include "load/sniff/encoding.h"

#include <algorithm>
#include <array>

#include "base/text/byte_order_mark.h"
#include "base/text/text.h"

namespace anima::load {
namespace {

// Windows-1252, 0x80 .. 0x9f; 0 where there is nothing.
constexpr std::array<char16_t, 32> kUpperControls = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

std::string from_windows_1252(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out.push_back(c);
    } else if (byte < 0xa0) {
      const char16_t mapped = kUpperControls[byte - 0x80u];
      append_utf8(out, mapped == 0 ? char32_t{0xfffd} : char32_t{mapped});
    } else {
      append_utf8(out, byte);
    }
  }
  return out;
}

std::string from_utf16(std::string_view bytes, bool big_end_first) {
  const auto unit = [&](std::size_t i) {
    const auto a = static_cast<unsigned char>(bytes[i]),
               b = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<char32_t>(big_end_first ? a << 8 | b : b << 8 | a);
  };
  std::string out;
  out.reserve(bytes.size() / 2);
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const char32_t first = unit(i);
    if (first >= 0xd800 && first < 0xdc00 && i + 3 < bytes.size()) {
      const char32_t second = unit(i + 2);
      if (second >= 0xdc00 && second < 0xe000) {
        append_utf8(out, 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
        i += 2;
        continue;
      }
    }
    append_utf8(out, first);
  }
  return out;
}

}  // namespace

Status decode_text(std::string_view bytes, const std::string& file, DecodedText& decoded) {
  const bool little = bytes.starts_with("\xff\xfe"), big = bytes.starts_with("\xfe\xff");
  if (little || big) {
    decoded.own = from_utf16(bytes.substr(2), big);
    decoded.text = decoded.own;
    return {};
  }
  decoded.text = without_byte_order_mark(bytes);
  if (std::find(decoded.text.begin(), decoded.text.end(), '\0') != decoded.text.end()) {
    return fail(ErrorCode::kInvalidArgument, "this is no text: it holds zero bytes", file,
                "save it as UTF-8");
  }
  const std::size_t bad = invalid_utf8_at(decoded.text);
  if (bad == kValidUtf8) return {};
  const auto line = 1 + std::count(decoded.text.begin(),
                                   decoded.text.begin() + static_cast<std::ptrdiff_t>(bad), '\n');
  decoded.note = file + ": read as Latin-1 (Windows-1252), because line " + std::to_string(line) +
                 " is no UTF-8; if letters look wrong, save the file as UTF-8";
  decoded.own = from_windows_1252(decoded.text);
  decoded.text = decoded.own;
  return {};
}

}  // namespace anima::load
