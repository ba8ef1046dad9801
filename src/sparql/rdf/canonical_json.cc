#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "sparql/rdf/jsonld_reader.h"

namespace anima::sparql::rdf {
namespace {

// ECMAScript Number::toString, over the shortest digits that read back.
void append_ecmascript_number(std::string& out, double number) {
  if (number == 0 || !std::isfinite(number)) {
    out += "0";
    return;
  }
  char buffer[40];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, std::abs(number),
                                          std::chars_format::scientific);
  std::string digits;
  const char* at = buffer;
  for (; at != end && *at != 'e'; ++at) {
    if (*at != '.') digits.push_back(*at);
  }
  int exponent = 0;
  std::from_chars(at + (at[1] == '+' ? 2 : 1), end, exponent);
  const int point = exponent + 1;  // digits before the point
  const int count = static_cast<int>(digits.size());
  if (number < 0) out.push_back('-');
  if (count <= point && point <= 21) {
    out += digits + std::string(static_cast<std::size_t>(point - count), '0');
  } else if (0 < point && point <= 21) {
    out += digits.substr(0, static_cast<std::size_t>(point)) + "." +
           digits.substr(static_cast<std::size_t>(point));
  } else if (-6 < point && point <= 0) {
    out += "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  } else {
    out += digits.substr(0, 1);
    if (count > 1) out += "." + digits.substr(1);
    out += exponent < 0 ? "e-" : "e+";
    out += std::to_string(std::abs(exponent));
  }
}

std::u16string utf16(std::string_view text) {
  std::u16string out;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode_utf8(text, at);
    at += c.size;
    if (c.value < 0x10000) {
      out.push_back(static_cast<char16_t>(c.value));
    } else {
      out.push_back(static_cast<char16_t>(0xD800 + ((c.value - 0x10000) >> 10)));
      out.push_back(static_cast<char16_t>(0xDC00 + ((c.value - 0x10000) & 0x3FF)));
    }
  }
  return out;
}

void append_canonical_object(std::string& out, const Json& json) {
  std::vector<std::pair<std::u16string, const JsonMember*>> members;
  for (const JsonMember& member : json.as_object()) {
    members.emplace_back(utf16(member.first), &member);
  }
  std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  out.push_back('{');
  bool first = true;
  for (const auto& [key, member] : members) {
    if (!first) out.push_back(',');
    first = false;
    append_quoted_json(out, member->first);
    out.push_back(':');
    append_canonical_json(out, member->second);
  }
  out.push_back('}');
}

}  // namespace

void append_canonical_json(std::string& out, const Json& json) {
  if (json.is_double()) {
    append_ecmascript_number(out, json.as_number());
  } else if (json.is_array()) {
    out.push_back('[');
    bool first = true;
    for (const Json& item : json.as_array()) {
      if (!first) out.push_back(',');
      first = false;
      append_canonical_json(out, item);
    }
    out.push_back(']');
  } else if (json.is_object()) {
    append_canonical_object(out, json);
  } else {
    out += json.dump();
  }
}

}  // namespace anima::sparql::rdf
