// parse_json: Boost.JSON's SAX parser builds Json values straight on a stack of finished values; an
// array or object takes its items from the top of the stack when it closes, so nothing is copied
// and no other tree is made.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <functional>

#include "base/json/json.h"

namespace anima {
namespace {

using ParserError = boost::json::error_code;

// Finds a repeated key of one object: a plain scan while there are few, a hash table beyond.
class KeySet {
 public:
  // True when `key` is new among keys[first..].
  bool add(const std::vector<std::string>& keys, std::size_t first, std::string_view key) {
    const std::size_t count = keys.size() - first;
    if (count < kScanned) {
      return std::none_of(keys.begin() + static_cast<std::ptrdiff_t>(first), keys.end(),
                          [&](const std::string& other) { return other == key; });
    }
    if ((count + 1) * 2 > slots_.size()) rebuild(keys, first);
    std::size_t slot = slot_of(key);
    for (; slots_[slot] != 0; slot = next(slot)) {
      if (keys[first + slots_[slot] - 1] == key) return false;
    }
    slots_[slot] = count + 1;
    return true;
  }

 private:
  static constexpr std::size_t kScanned = 16;

  std::size_t slot_of(std::string_view key) const {
    return std::hash<std::string_view>{}(key) & (slots_.size() - 1);
  }
  std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  void rebuild(const std::vector<std::string>& keys, std::size_t first) {
    slots_.assign(std::bit_ceil((keys.size() - first + 1) * 4), 0);
    for (std::size_t i = first; i < keys.size(); ++i) {
      std::size_t slot = slot_of(keys[i]);
      while (slots_[slot] != 0) slot = next(slot);
      slots_[slot] = i - first + 1;
    }
  }

  std::vector<std::size_t> slots_;  // index among the object's keys, plus one; zero is free
};

// Boost.JSON calls these names; it decides their shape.
class Builder {
 public:
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);

  bool on_document_begin(ParserError&) { return true; }
  bool on_document_end(ParserError&) { return true; }
  bool on_object_begin(ParserError&) {
    objects_.push_back({keys_.size(), {}});
    return true;
  }
  bool on_object_end(std::size_t count, ParserError&) {
    JsonObject object;
    object.reserve(count);
    const std::size_t first_key = keys_.size() - count;
    const std::size_t first_value = values_.size() - count;
    for (std::size_t i = 0; i < count; ++i) {
      object.emplace_back(std::move(keys_[first_key + i]), std::move(values_[first_value + i]));
    }
    keys_.resize(first_key);
    values_.resize(first_value);
    objects_.pop_back();
    values_.emplace_back(std::move(object));
    return true;
  }
  bool on_array_begin(ParserError&) { return true; }
  bool on_array_end(std::size_t count, ParserError&) {
    const auto first = values_.end() - static_cast<std::ptrdiff_t>(count);
    JsonArray array(std::make_move_iterator(first), std::make_move_iterator(values_.end()));
    values_.erase(first, values_.end());
    values_.emplace_back(std::move(array));
    return true;
  }
  bool on_key_part(boost::json::string_view part, std::size_t, ParserError&) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool on_key(boost::json::string_view part, std::size_t, ParserError& error) {
    std::string key = take_text(part);
    Object& object = objects_.back();
    if (!object.seen.add(keys_, object.first_key, key)) {
      return reject(error, fmt::format("the key {} occurs twice in one object", quote_json(key)));
    }
    keys_.push_back(std::move(key));
    return true;
  }
  bool on_string_part(boost::json::string_view part, std::size_t, ParserError&) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool on_string(boost::json::string_view part, std::size_t, ParserError&) {
    values_.emplace_back(take_text(part));
    return true;
  }
  bool on_number_part(boost::json::string_view, ParserError&) { return true; }
  bool on_int64(std::int64_t value, boost::json::string_view, ParserError&) {
    values_.emplace_back(value);
    return true;
  }
  bool on_uint64(std::uint64_t value, boost::json::string_view text, ParserError&) {
    if (std::in_range<std::int64_t>(value)) {
      values_.emplace_back(static_cast<std::int64_t>(value));
      return true;
    }
    values_.push_back(Json::integer({text.data(), text.size()}));
    return true;
  }
  // Boost.JSON's own value may be off by a few units in the last place, so the digits are read
  // again.
  bool on_double(double rough, boost::json::string_view text, ParserError& error) {
    if (text.find_first_of(".eE") == boost::json::string_view::npos) {
      if (text.size() > Json::kLongestInteger + text.starts_with('-'))
        return reject(error,
                      fmt::format("an integer has more than {} digits", Json::kLongestInteger));
      values_.push_back(Json::integer({text.data(), text.size()}));
      return true;
    }
    double value = 0;
    const auto status = std::from_chars(text.data(), text.data() + text.size(), value).ec;
    if (status == std::errc::result_out_of_range) {
      if (std::abs(rough) > 1) return reject(error, "a number is too large for a double");
      value = std::copysign(0.0, rough);
    }
    values_.emplace_back(value);
    return true;
  }
  bool on_bool(bool value, ParserError&) {
    values_.emplace_back(value);
    return true;
  }
  bool on_null(ParserError&) {
    values_.emplace_back(nullptr);
    return true;
  }
  bool on_comment_part(boost::json::string_view, ParserError&) { return true; }
  bool on_comment(boost::json::string_view, ParserError&) { return true; }

  Json take() { return std::move(values_.back()); }
  const std::string& complaint() const { return complaint_; }

 private:
  struct Object {
    std::size_t first_key;
    KeySet seen;
  };

  std::string take_text(boost::json::string_view part) {
    if (text_.empty()) return std::string(part.data(), part.size());
    text_.append(part.data(), part.size());
    return std::exchange(text_, {});
  }
  bool reject(ParserError& error, std::string why) {
    complaint_ = std::move(why);
    error = boost::json::error::syntax;
    return false;
  }

  std::vector<Json> values_;
  std::vector<std::string> keys_;
  std::vector<Object> objects_;
  std::string text_;
  std::string complaint_;
};

std::string place_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("{}:{}", line, offset - line_start + 1);
}

std::string complaint_about(const ParserError& error, const Builder& builder) {
  if (!builder.complaint().empty()) return builder.complaint();
  switch (static_cast<boost::json::error>(error.value())) {
    case boost::json::error::incomplete:
      return "the JSON text ends too early";
    case boost::json::error::exponent_overflow:
      return "a number's exponent is too large";
    case boost::json::error::illegal_leading_surrogate:
    case boost::json::error::illegal_trailing_surrogate:
    case boost::json::error::expected_utf16_escape:
      return "a \\u escape is half a surrogate pair";
    case boost::json::error::expected_hex_digit:
      return "a \\u escape needs four hexadecimal digits";
    default:
      return "the JSON text does not parse here";
  }
}

}  // namespace

Result<Json> parse_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return fail(
        ErrorCode::kLimitExceeded,
        fmt::format("the JSON text has {} bytes, the limit is {}", text.size(), limits.max_bytes));
  }
  boost::json::parse_options options;
  options.max_depth = limits.max_depth;
  boost::json::basic_parser<Builder> parser(options);
  ParserError error;
  std::size_t used = parser.write_some(false, text.data(), text.size(), error);
  if (error == boost::json::error::too_deep) {
    return fail(ErrorCode::kLimitExceeded,
                fmt::format("the JSON text nests deeper than {} levels", limits.max_depth),
                place_of(text, used));
  }
  if (error) {
    return fail(ErrorCode::kSyntax, complaint_about(error, parser.handler()), place_of(text, used));
  }
  used = std::min(text.find_first_not_of(" \t\r\n", used), text.size());
  if (used < text.size()) {
    return fail(ErrorCode::kSyntax, "something follows the JSON value", place_of(text, used));
  }
  return parser.handler().take();
}

}  // namespace anima
