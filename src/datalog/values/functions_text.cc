// Functions over strings and names.
#include <algorithm>
#include <array>
#include <charconv>

#include "base/text/text.h"
#include "datalog/values/evaluate.h"

namespace anima::datalog::detail {
namespace {

// Shortest digits that read back, never with an exponent.
std::string plain_float(double number) {
  std::array<char, 512> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed)
          .ptr;
  return std::string(buffer.data(), end);
}

bool checked_string(const Call& call, std::string_view text, Code& result) {
  if (text.size() > call.evaluation().max_bytes) return call.error("the string is too long");
  result = call.values().string(text);
  return true;
}

bool concat(const Call& call, Code& result) {
  std::string text;
  for (std::size_t i = 0; i < call.size(); ++i) {
    const ValueView value = call.view(i);
    switch (value.kind) {
      case ValueKind::kString:
      case ValueKind::kName:
        text += value.text;
        break;
      case ValueKind::kInt:
        text += std::to_string(value.number);
        break;
      case ValueKind::kFloat:
        text += plain_float(value.real);
        break;
      default:
        return call.wrong(i, "a string, name or number");
    }
    if (text.size() > call.evaluation().max_bytes) return call.error("the string is too long");
  }
  return checked_string(call, text, result);
}

// The first `count` occurrences, all when negative. An empty pattern stands before each character
// and at the end.
bool replace(const Call& call, Code& result) {
  std::string_view text;
  std::string_view from;
  std::string_view to;
  std::int64_t count = 0;
  if (!call.string(0, text) || !call.string(1, from) || !call.string(2, to) ||
      !call.integer(3, count)) {
    return false;
  }
  std::string out;
  std::size_t at = 0;
  for (; count != 0; --count) {
    std::size_t found = text.find(from, at);
    if (found == std::string_view::npos) break;
    if (from.empty() && !out.empty()) {
      if (at >= text.size()) break;
      do out += text[at++];
      while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
      found = at;
    }
    out.append(text, at, found - at);
    out += to;
    at = found + from.size();
    if (out.size() > call.evaluation().max_bytes) return call.error("the string is too long");
    if (from.empty() && to.empty()) break;
  }
  out.append(text.substr(std::min(at, text.size())));
  return checked_string(call, out, result);
}

bool split(const Call& call, Code& result) {
  std::string_view text;
  std::string_view separator;
  if (!call.string(0, text) || !call.string(1, separator)) return false;
  std::vector<Code> parts;
  while (!text.empty() || !separator.empty()) {
    std::size_t end = separator.empty() ? 1 : text.find(separator);
    if (separator.empty()) {  // characters
      while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    }
    parts.push_back(call.values().string(text.substr(0, end)));
    if (end == std::string_view::npos || end + separator.size() > text.size()) break;
    text.remove_prefix(end + separator.size());
  }
  result = call.values().list(parts);
  return true;
}

bool map_characters(const Call& call, bool lower, Code& result) {
  std::string_view text;
  return call.string(0, text) &&
         checked_string(call, lower ? to_lower(text) : to_upper(text), result);
}

bool string_length(const Call& call, Code& result) {
  std::string_view text;
  if (!call.string(0, text)) return false;
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  });
  result = call.values().integer(characters);
  return true;
}

bool name_parts(const Call& call, Code& result) {
  std::string_view name;
  if (!call.name(0, name)) return false;
  std::vector<Code> parts;
  while (!name.empty()) {
    const std::size_t next = std::min(name.find('/', 1), name.size());
    parts.push_back(call.values().name(name.substr(0, next)));
    name.remove_prefix(next);
  }
  result = call.values().list(parts);
  return true;
}

bool name_end(const Call& call, bool first, Code& result) {
  std::string_view name;
  if (!call.name(0, name)) return false;
  result =
      call.values().name(first ? name.substr(0, name.find('/', 1)) : name.substr(name.rfind('/')));
  return true;
}

bool to_text(Function function, const Call& call, Code& result) {
  std::int64_t integer = 0;
  double number = 0;
  std::string_view text;
  std::string out;
  if (function == Function::kNumberToString) {
    if (!call.integer(0, integer)) return false;
    out = std::to_string(integer);
  } else if (function == Function::kFloatToString) {
    if (!call.float64(0, number)) return false;
    out = plain_float(number);
  } else {
    if (!call.name(0, text)) return false;
    out = text;
  }
  result = call.values().string(out);
  return true;
}

}  // namespace

bool evaluate_text(Function function, const Call& call, Code& result) {
  switch (function) {
    case Function::kConcat:
      return concat(call, result);
    case Function::kReplace:
      return replace(call, result);
    case Function::kSplit:
      return split(call, result);
    case Function::kLower:
    case Function::kUpper:
      return map_characters(call, function == Function::kLower, result);
    case Function::kStringLength:
      return string_length(call, result);
    case Function::kNameRoot:
    case Function::kNameTip:
      return name_end(call, function == Function::kNameRoot, result);
    case Function::kNameList:
      return name_parts(call, result);
    default:
      return to_text(function, call, result);
  }
}

}  // namespace anima::datalog::detail
