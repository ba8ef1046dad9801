// What every made tool is linked with: the functions of tool_api.hpp, and the program around run():
// one JSON object in, one JSON object out.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iterator>
#include <system_error>

#include "tool_api.hpp"

tool::Result run(const tool::Input& input, tool::Cancel cancel);

namespace tool {
namespace {

constexpr std::size_t kMostInput = std::size_t{11} << 20;
constexpr int kMostDepth = 64;
constexpr auto kPatience = std::chrono::seconds(50);
const auto kStart = std::chrono::steady_clock::now();

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

void append_code_point(std::string& out, unsigned code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  std::optional<Value> read() {
    auto value = value_at(0);
    skip_space();
    if (!value || at_ != text_.size()) return std::nullopt;
    return value;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  std::optional<Value> value_at(int depth) {
    skip_space();
    if (at_ >= text_.size() || depth > kMostDepth) return std::nullopt;
    Value value;
    const char first = text_[at_];
    if (first == '{') return object(depth);
    if (first == '[') return list(depth);
    if (first == '"') {
      auto text = string();
      if (!text) return std::nullopt;
      return text_value(std::move(*text));
    }
    if (take_word("null")) return value;
    value.kind = Value::Kind::boolean;
    if (take_word("true")) {
      value.truth = true;
      return value;
    }
    if (take_word("false")) return value;
    return number();
  }

  std::optional<Value> number() {
    std::size_t end = at_;
    while (end < text_.size() &&
           std::string_view("+-.0123456789eE").find(text_[end]) != std::string_view::npos)
      ++end;
    const auto number = parse_number(text_.substr(at_, end - at_));
    if (!number) return std::nullopt;
    at_ = end;
    return number_value(*number);
  }

  std::optional<Value> list(int depth) {
    Value value;
    value.kind = Value::Kind::list;
    ++at_;
    if (take(']')) return value;
    while (true) {
      auto item = value_at(depth + 1);
      if (!item) return std::nullopt;
      value.items.push_back(std::move(*item));
      if (take(']')) return value;
      if (!take(',')) return std::nullopt;
    }
  }

  std::optional<Value> object(int depth) {
    Value value;
    value.kind = Value::Kind::object;
    ++at_;
    if (take('}')) return value;
    while (true) {
      skip_space();
      auto name = string();
      if (!name || !take(':')) return std::nullopt;
      auto member = value_at(depth + 1);
      if (!member) return std::nullopt;
      value.members.emplace_back(std::move(*name), std::move(*member));
      if (take('}')) return value;
      if (!take(',')) return std::nullopt;
    }
  }

  std::optional<unsigned> four_digits() {
    unsigned code = 0;
    const std::string_view digits = text_.substr(at_, 4);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() != 4 || read.ptr != digits.data() + 4) return std::nullopt;
    at_ += 4;
    return code;
  }

  bool escape(std::string& out) {
    const char c = at_ < text_.size() ? text_[at_++] : '\0';
    static constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
    if (const auto place = kFrom.find(c); place != std::string_view::npos) {
      out += kTo[place];
      return true;
    }
    if (c != 'u') return false;
    auto code = four_digits();
    if (!code) return false;
    if (*code >= 0xD800 && *code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      at_ += 2;
      const auto low = four_digits();
      if (!low || *low < 0xDC00 || *low > 0xDFFF) return false;
      code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
    }
    append_code_point(out, *code);
    return true;
  }

  std::optional<std::string> string() {
    if (at_ >= text_.size() || text_[at_] != '"') return std::nullopt;
    ++at_;
    std::string out;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return out;
      if (c != '\\') {
        out += c;
      } else if (!escape(out)) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void append_quoted(std::string& out, std::string_view text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_value(std::string& out, const Value& value) {
  switch (value.kind) {
    case Value::Kind::null:
      out += "null";
      return;
    case Value::Kind::boolean:
      out += value.truth ? "true" : "false";
      return;
    case Value::Kind::number:
      out += std::isfinite(value.number) ? number_text(value.number) : "null";
      return;
    case Value::Kind::text:
      return append_quoted(out, value.text);
    case Value::Kind::list:
      out += '[';
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        if (i > 0) out += ',';
        append_value(out, value.items[i]);
      }
      out += ']';
      return;
    case Value::Kind::object:
      out += '{';
      for (std::size_t i = 0; i < value.members.size(); ++i) {
        if (i > 0) out += ',';
        append_quoted(out, value.members[i].name);
        out += ':';
        append_value(out, value.members[i].value);
      }
      out += '}';
      return;
  }
}

char separator_of(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char c : {',', ';', '\t'}) {
    const auto count = std::count(line.begin(), line.end(), c);
    if (count > most) {
      best = c;
      most = count;
    }
  }
  return best;
}

// One field; returns whether another one of the same row follows.
bool read_field(std::string_view text, std::size_t& at, char separator, std::string& field) {
  if (at < text.size() && text[at] == '"') {
    ++at;
    while (at < text.size()) {
      if (text[at] != '"') {
        field += text[at++];
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        field += '"';
        at += 2;
      } else {
        ++at;
        break;
      }
    }
  }
  while (at < text.size() && text[at] != separator && text[at] != '\n') field += text[at++];
  const bool more = at < text.size() && text[at] == separator;
  if (at < text.size()) ++at;
  if (!more && field.ends_with('\r')) field.pop_back();
  return more;
}

}  // namespace

bool Cancel::requested() const { return std::chrono::steady_clock::now() - kStart > kPatience; }

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != separator) continue;
    parts.emplace_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> parts;
  std::string word;
  for (const char c : text) {
    if (!is_space(c)) {
      word += c;
    } else if (!word.empty()) {
      parts.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) parts.push_back(std::move(word));
  return parts;
}

std::optional<double> parse_number(std::string_view text) {
  const std::string trimmed = trim(text);
  std::string_view digits = trimmed;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || read.ec != std::errc() || read.ptr != digits.data() + digits.size())
    return std::nullopt;
  return number;
}

std::string number_text(double number) {
  char buffer[64];
  if (number == std::floor(number) && std::fabs(number) < 1e15) {
    const auto end =
        std::to_chars(std::begin(buffer), std::end(buffer), static_cast<long long>(number));
    return std::string(buffer, end.ptr);
  }
  const auto end = std::to_chars(std::begin(buffer), std::end(buffer), number);
  return std::string(buffer, end.ptr);
}

bool Value::has(std::string_view name) const {
  return std::any_of(members.begin(), members.end(),
                     [&](const auto& each) { return each.name == name; });
}

Value Value::member(std::string_view name) const {
  for (const auto& each : members) {
    if (each.name == name) return each.value;
  }
  return {};
}

Value text_value(std::string text) {
  Value value;
  value.kind = Value::Kind::text;
  value.text = std::move(text);
  return value;
}

Value number_value(double number) {
  Value value;
  value.kind = Value::Kind::number;
  value.number = number;
  return value;
}

std::optional<Value> parse_json(std::string_view text) { return JsonReader(text).read(); }

std::string emit_json(const Value& value) {
  std::string out;
  append_value(out, value);
  return out;
}

std::vector<Row> parse_csv(std::string_view text) {
  std::vector<Row> rows;
  const char separator = separator_of(text);
  std::size_t at = 0;
  while (at < text.size()) {
    Row row;
    bool more = true;
    while (more) {
      std::string field;
      more = read_field(text, at, separator, field);
      row.push_back(std::move(field));
    }
    if (row.size() > 1 || !row.front().empty()) rows.push_back(std::move(row));
  }
  return rows;
}

std::string emit_csv(const std::vector<Row>& rows) {
  std::string out;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += ',';
      if (row[i].find_first_of(",\"\n\r;") == std::string::npos) {
        out += row[i];
        continue;
      }
      out += '"';
      for (const char c : row[i]) {
        if (c == '"') out += '"';
        out += c;
      }
      out += '"';
    }
    out += '\n';
  }
  return out;
}

std::optional<std::size_t> find_column(const Row& header, std::string_view word) {
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (lower(trim(header[i])) == lower(trim(word))) return i;
  }
  return std::nullopt;
}

namespace {
constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kHexDigits = "0123456789abcdef";
}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k <= bytes.size() ? kBase64[(group >> (18 - 6 * k)) & 63] : '=';
  }
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  std::string out;
  unsigned group = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=' || is_space(c)) continue;
    const auto place = kBase64.find(c);
    if (place == std::string_view::npos) return std::nullopt;
    group = (group << 6 | static_cast<unsigned>(place)) & 0xFFFFFF;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>((group >> bits) & 0xFF);
  }
  return out;
}

std::string hex_encode(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    out += kHexDigits[static_cast<unsigned char>(c) >> 4];
    out += kHexDigits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

std::optional<std::string> hex_decode(std::string_view text) {
  const std::string digits = lower(text);
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const auto high = kHexDigits.find(digits[i]), low = kHexDigits.find(digits[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    out += static_cast<char>(high << 4 | low);
  }
  return out;
}

std::optional<Url> split_url(std::string_view text) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos || scheme == 0) return std::nullopt;
  Url url;
  url.scheme = lower(text.substr(0, scheme));
  text.remove_prefix(scheme + 3);
  if (const auto mark = text.find('#'); mark != std::string_view::npos) {
    url.fragment = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  if (const auto mark = text.find('?'); mark != std::string_view::npos) {
    url.query = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  const std::size_t slash = std::min(text.find('/'), text.size());
  url.path = text.substr(slash);
  url.host = text.substr(0, slash);
  if (const auto colon = url.host.rfind(':'); colon != std::string::npos) {
    url.port = url.host.substr(colon + 1);
    url.host.resize(colon);
  }
  return url;
}

namespace {

std::string read_all() {
  std::string text;
  char buffer[65'536];
  while (text.size() < kMostInput) {
    const std::size_t got = std::fread(buffer, 1, sizeof buffer, stdin);
    if (got == 0) break;
    text.append(buffer, got);
  }
  return text;
}

Input read_input(const std::string& text) {
  Input input;
  const auto json = parse_json(text);
  if (!json || json->kind != Value::Kind::object) {
    input.input = trim(text);
    return input;
  }
  input.input = json->member("input").text;
  for (const Value& each : json->member("args").items) input.args.push_back(each.text);
  return input;
}

int answer(const Result& result) {
  Value value;
  value.kind = Value::Kind::object;
  value.members.emplace_back("output", text_value(result.output));
  if (!result.error.empty()) value.members.emplace_back("error", text_value(result.error));
  const std::string text = emit_json(value) + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  return result.error.empty() ? 0 : 1;
}

}  // namespace
}  // namespace tool

int main() {
  try {
    return tool::answer(run(tool::read_input(tool::read_all()), tool::Cancel()));
  } catch (const std::exception& problem) {
    return tool::answer({{}, problem.what()});
  } catch (...) {
    return tool::answer({{}, "it failed without a reason"});
  }
}
