// Functions of strings: 17.4.3 of the recommendation. Characters are code points. What is true or
// false of strings is in string_tests.cc.
#include <algorithm>
#include <cmath>

#include "base/text/text.h"
#include "language/text/full_case.h"
#include "sparql/value/companion.h"
#include "sparql/value/scalar.h"

namespace anima::sparql::value {
namespace {

Value argument(const Call& call, std::size_t index) {
  return read_briefly(call.values, call.cells[index]);
}

constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // of a text that is put together

std::string_view language_of(const Value& value) {
  return value.kind == Kind::kLanguageString ? value.extra : std::string_view{};
}

// The second is a string that the first may be searched for (17.4.3.1.2).
bool compatible(const Value& a, const Value& b) {
  if (!a.is_string() || !b.is_string()) return false;
  return b.kind == Kind::kString ||
         (a.kind == Kind::kLanguageString && same_language(a.extra, b.extra));
}

std::uint32_t length(const Call& call) {
  const Value text = argument(call, 0);
  if (!text.is_string()) return 0;
  return call.values.integer(static_cast<std::int64_t>(count_code_points(text.text))).code;
}

// Rounded as XPath's fn:substring does; nullopt: no number.
std::optional<double> position(const Call& call, std::size_t index) {
  const Value value = argument(call, index);
  if (!value.is_numeric()) return std::nullopt;
  return std::floor(value.as_double() + 0.5);
}

std::uint32_t substring(const Call& call) {
  const Value text = argument(call, 0);
  const auto start = position(call, 1);
  const auto size = call.cells.size() > 2 ? position(call, 2) : std::optional(HUGE_VAL);
  if (!text.is_string() || !start || !size) return 0;
  const auto count = static_cast<double>(count_code_points(text.text));
  // The characters p with start <= p < start + size, counted from 1. NaN is less than nothing.
  const double begin = std::max(*start, 1.0), end = std::min(*start + *size, count + 1);
  std::string_view part;
  if (begin < end) {
    part = substring_by_code_points(text.text, static_cast<std::size_t>(begin - 1),
                                    static_cast<std::size_t>(end - begin));
  }
  return write_text(call.values, part, language_of(text));
}

std::uint32_t upper_case(const Call& call) {
  const Value text = argument(call, 0);
  return text.is_string()
             ? write_text(call.values, language::full_upper(text.text), language_of(text))
             : 0;
}
std::uint32_t lower_case(const Call& call) {
  const Value text = argument(call, 0);
  return text.is_string()
             ? write_text(call.values, language::full_lower(text.text), language_of(text))
             : 0;
}

// What stands before or behind the first occurrence; without one the empty string without a
// language.
std::uint32_t before_or_after(const Call& call, bool before) {
  const Value text = argument(call, 0), part = argument(call, 1);
  if (!compatible(text, part)) return 0;
  const std::size_t at = text.text.find(part.text);
  if (at == std::string_view::npos) return write_string(call.values, {});
  return write_text(call.values,
                    before ? text.text.substr(0, at) : text.text.substr(at + part.text.size()),
                    language_of(text));
}
std::uint32_t text_before(const Call& call) { return before_or_after(call, true); }
std::uint32_t text_after(const Call& call) { return before_or_after(call, false); }

std::uint32_t encode_for_uri(const Call& call) {
  const Value text = argument(call, 0);
  if (!text.is_string()) return 0;
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text.text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
  }
  return write_string(call.values, out);
}

// The language is kept where all have the same. A chain of these doubles its text with each link.
std::uint32_t concatenate(const Call& call) {
  std::string out;
  std::string_view common;
  for (std::size_t i = 0; i < call.cells.size(); ++i) {
    const Value text = argument(call, i);
    if (!text.is_string()) return 0;
    const std::string_view tag = language_of(text);
    if (i == 0) common = tag;
    if (!same_language(common, tag)) common = {};
    if (out.size() + text.text.size() > kMostBytes) return 0;
    out += text.text;
  }
  return write_text(call.values, out, common);
}

const Regex* regex_of(const Call& call, std::size_t pattern, std::size_t flags) {
  const Value text = argument(call, pattern);
  if (text.kind != Kind::kString) return nullptr;
  std::string_view given;
  if (call.cells.size() > flags) {
    const Value value = argument(call, flags);
    if (value.kind != Kind::kString) return nullptr;
    given = value.text;
  }
  return companion_of(call.values).regex(text.text, given);
}

std::uint32_t replace(const Call& call) {
  const Value text = argument(call, 0), replacement = argument(call, 2);
  const Regex* const regex = regex_of(call, 1, 3);
  if (!text.is_string() || replacement.kind != Kind::kString || regex == nullptr) return 0;
  const auto replaced = regex->replace(text.text, replacement.text);
  return replaced ? write_text(call.values, *replaced, language_of(text)) : 0;
}

}  // namespace

std::span<const ScalarEntry> string_functions() {
  static constexpr ScalarEntry kEntries[] = {
      {"STRLEN", length},
      {"SUBSTR", substring},
      {"UCASE", upper_case},
      {"LCASE", lower_case},
      {"STRBEFORE", text_before},
      {"STRAFTER", text_after},
      {"ENCODE_FOR_URI", encode_for_uri},
      {"CONCAT", concatenate},
      {"REPLACE", replace},
  };
  return kEntries;
}

}  // namespace anima::sparql::value
