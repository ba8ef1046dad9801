#include "memory/formats/triples_json.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/text/text.h"

namespace anima::memory {
namespace {

constexpr int kMaxNesting = 64;

// Whether a number that no double holds is too close to zero, not too far from it. Requires JSON's
// form.
bool is_tiny(std::string_view number) {
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  const std::string_view mantissa = number.substr(0, e);
  std::int64_t exponent = 0;
  if (e < number.size()) {
    std::string_view digits = number.substr(e + 1);
    const bool negative = digits[0] == '-';
    if (negative || digits[0] == '+') digits.remove_prefix(1);
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    if (digits.size() > 9) return negative;
    std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (negative) exponent = -exponent;
  }
  const std::size_t first = std::min(mantissa.find_first_not_of("-0."), mantissa.size());
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  return static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) + exponent < 0;
}

// Reads JSON text (RFC 8259) from left to right. After a fault every function says false.
class JsonStream {
 public:
  explicit JsonStream(std::string_view text) : text_(text) {}

  std::size_t position() const { return at_; }
  std::size_t fault_position() const { return fault_at_; }
  const char* message() const { return message_; }

  bool fault(const char* message) {
    if (message_ == nullptr) {
      message_ = message;
      fault_at_ = at_;
    }
    return false;
  }
  // The next byte that is no white space; 0 at the end.
  char peek() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
      ++at_;
    }
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char wanted) {
    if (message_ != nullptr || peek() != wanted || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  bool at_end() { return peek() == '\0' && at_ >= text_.size(); }

  bool string(std::string& out);
  bool number(double& out);
  bool skip_value(int depth = 0);

 private:
  bool escape(std::string& out);
  bool hex_unit(std::uint32_t& unit);
  bool literal(std::string_view word);
  bool digits();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t fault_at_ = 0;
  const char* message_ = nullptr;
};

bool JsonStream::string(std::string& out) {
  out.clear();
  if (peek() != '"') return fault("expected a string");
  ++at_;
  for (;;) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
           static_cast<unsigned char>(text_[at_]) >= 0x20) {
      ++at_;
    }
    out.append(text_.substr(begin, at_ - begin));
    if (at_ >= text_.size()) return fault("the text ends inside a string");
    if (text_[at_] == '"') {
      ++at_;
      return true;
    }
    if (text_[at_] != '\\') return fault("a control character stands in a string");
    if (!escape(out)) return false;
  }
}

bool JsonStream::hex_unit(std::uint32_t& unit) {
  if (text_.size() - at_ < 6 || text_[at_] != '\\' || text_[at_ + 1] != 'u') return false;
  const char* const begin = text_.data() + at_ + 2;
  const auto [end, error] = std::from_chars(begin, begin + 4, unit, 16);
  if (error != std::errc{} || end != begin + 4) return false;
  at_ += 6;
  return true;
}

bool JsonStream::escape(std::string& out) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char kind = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (kind != 'u') {
    const std::size_t letter = kind == '\0' ? std::string_view::npos : kLetters.find(kind);
    if (letter == std::string_view::npos) return fault("there is no such escape");
    out.push_back(kMeanings[letter]);
    at_ += 2;
    return true;
  }
  std::uint32_t unit = 0;
  std::uint32_t low = 0;
  if (!hex_unit(unit)) return fault("the escape has too few digits");
  if (unit >= 0xD800 && unit < 0xE000) {
    if (unit >= 0xDC00 || !hex_unit(low) || low < 0xDC00 || low >= 0xE000) {
      return fault("half of a surrogate pair");
    }
    unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
  }
  append_utf8(out, unit);
  return true;
}

bool JsonStream::digits() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
  return at_ > begin || fault("expected a digit");
}

bool JsonStream::number(double& out) {
  peek();
  const std::size_t begin = at_;
  if (at_ < text_.size() && text_[at_] == '-') ++at_;
  if (at_ < text_.size() && text_[at_] == '0') {
    ++at_;
  } else if (!digits()) {
    return false;
  }
  if (at_ < text_.size() && text_[at_] == '.') {
    ++at_;
    if (!digits()) return false;
  }
  if (at_ < text_.size() && (text_[at_] | 0x20) == 'e') {
    ++at_;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    if (!digits()) return false;
  }
  const auto [end, error] = std::from_chars(text_.data() + begin, text_.data() + at_, out);
  if (error == std::errc::result_out_of_range) {
    out = is_tiny(text_.substr(begin, at_ - begin))
              ? 0
              : 1e308;  // too big fails any check of its range
  }
  return end == text_.data() + at_ || fault("expected a number");
}

bool JsonStream::literal(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) return fault("expected a value");
  at_ += word.size();
  return true;
}

bool JsonStream::skip_value(int depth) {
  if (depth > kMaxNesting) return fault("the value is nested more than 64 deep");
  std::string text;
  double number_read = 0;
  const char first = peek();
  if (first == '"') return string(text);
  if (first == '-' || (first >= '0' && first <= '9')) return number(number_read);
  if (first == 't') return literal("true");
  if (first == 'f') return literal("false");
  if (first == 'n') return literal("null");
  if (first != '[' && first != '{') return fault("expected a value");
  const bool object = first == '{';
  const char close = object ? '}' : ']';
  ++at_;
  if (take(close)) return true;
  for (;;) {
    if (object && (!string(text) || (!take(':') && !fault("expected \":\"")))) return false;
    if (!skip_value(depth + 1)) return false;
    if (take(close)) return true;
    if (!take(',')) return fault("expected \",\" or the end of the value");
  }
}

// "file.json: element 3 (7:12)"
std::string place(const std::string& name, std::string_view text, std::size_t at,
                  const std::uint64_t* index) {
  const std::string_view before = text.substr(0, at);
  const std::size_t newline = before.rfind('\n');
  std::size_t line = 1;
  for (const char byte : before) line += byte == '\n' ? 1 : 0;
  const std::string_view on_line =
      newline == std::string_view::npos ? before : before.substr(newline + 1);
  const std::string spot =
      std::to_string(line) + ":" + std::to_string(count_code_points(on_line) + 1);
  if (index == nullptr) return name.empty() ? spot : name + ":" + spot;
  const std::string element = "element " + std::to_string(*index) + " (" + spot + ")";
  return name.empty() ? element : name + ": " + element;
}

// One element at a time, with the room for its texts.
class ElementReader {
 public:
  ElementReader(std::string_view text, const std::string& name)
      : text_(text), name_(name), stream_(text) {}

  Result<std::uint64_t> read(const std::function<Status(const TripleElement&)>& visit) {
    if (const std::size_t invalid = invalid_utf8_at(text_); invalid != kValidUtf8) {
      return fail(ErrorCode::kSyntax, "the bytes are no UTF-8",
                  place(name_, text_, invalid, nullptr));
    }
    if (!stream_.take('[')) {
      return fail(ErrorCode::kSyntax, "expected a JSON array of triples",
                  place(name_, text_, stream_.position(), nullptr));
    }
    std::uint64_t index = 0;
    if (!stream_.take(']')) {
      for (;; ++index) {
        ANIMA_ASSIGN(const TripleElement element, read_element(index));
        ANIMA_TRY(visit(element));
        if (stream_.take(']')) break;
        if (!stream_.take(',')) return syntax("expected \",\" or \"]\" after the element", index);
      }
      ++index;
    }
    if (!stream_.at_end()) {
      return fail(ErrorCode::kSyntax, "something follows the array",
                  place(name_, text_, stream_.position(), nullptr));
    }
    return index;
  }

 private:
  enum Field : unsigned {
    kSubject = 0,
    kPredicate = 1,
    kObject = 2,
    kValidFrom = 3,
    kValidTo = 4,
    kConfidence = 5,
    kUnknown = 6
  };
  static constexpr std::string_view kNames[] = {"subject",    "predicate", "object",
                                                "valid_from", "valid_to",  "confidence"};

  Unexpected<Error> syntax(const char* message, std::uint64_t index) {
    stream_.fault(message);
    return fail(ErrorCode::kSyntax, stream_.message(),
                place(name_, text_, stream_.fault_position(), &index));
  }
  Unexpected<Error> wrong(std::string message, std::uint64_t index) const {
    return fail(ErrorCode::kInvalidArgument, std::move(message),
                place(name_, text_, start_, &index),
                "an element is {\"subject\", \"predicate\", \"object\", \"confidence\"?, "
                "\"valid_from\"?, \"valid_to\"?}");
  }

  Result<TripleElement> read_element(std::uint64_t index) {
    const char first = stream_.peek();
    start_ = stream_.position();
    if (first != '{') {
      if (!stream_.skip_value()) return syntax("expected a value", index);
      return wrong("the element is no object", index);
    }
    stream_.take('{');
    seen_ = 0;
    unknown_.clear();
    confidence_ = 1.0;
    if (!stream_.take('}')) {
      for (;;) {
        ANIMA_TRY(read_member(index));
        if (stream_.take('}')) break;
        if (!stream_.take(',')) return syntax("expected \",\" or \"}\"", index);
      }
    }
    TripleElement element;
    element.index = index;
    if ((seen_ & (1u << kValidFrom)) != 0) element.valid_from = texts_[kValidFrom];
    if ((seen_ & (1u << kValidTo)) != 0) element.valid_to = texts_[kValidTo];
    element.confidence = confidence_;
    for (const unsigned field : {kValidFrom, kValidTo}) {
      const bool given = (seen_ & (1u << field)) != 0 && !texts_[field].empty();
      if (given && !parse_timestamp(texts_[field])) {
        return wrong("\"" + std::string(kNames[field]) +
                         "\" is no time, as 2026-03-01 is: " + quote_json(texts_[field]),
                     index);
      }
    }
    std::string_view* const labels[] = {&element.subject, &element.predicate, &element.object};
    for (unsigned field = kSubject; field <= kObject; ++field) {
      const std::string quoted = "\"" + std::string(kNames[field]) + "\"";
      if ((seen_ & (1u << field)) == 0) return wrong(quoted + " is missing", index);
      *labels[field] = trim(texts_[field]);
      if (labels[field]->empty()) return wrong(quoted + " is blank", index);
      if (labels[field]->size() > kMaxLabelBytes) {
        return wrong(quoted + " is longer than " + std::to_string(kMaxLabelBytes) + " bytes",
                     index);
      }
    }
    return element;
  }

  Status read_member(std::uint64_t index) {
    if (!stream_.string(key_)) return syntax("expected a key", index);
    if (!stream_.take(':')) return syntax("expected \":\"", index);
    unsigned field = kSubject;
    while (field < kUnknown && kNames[field] != key_) ++field;
    const bool again =
        field == kUnknown ? !unknown_.insert(key_).second : (seen_ & (1u << field)) != 0;
    if (again) return wrong("the key \"" + key_ + "\" stands twice", index);
    seen_ |= 1u << field;
    const char first = stream_.peek();
    if (field < kConfidence) {
      if (first == '"') {
        if (!stream_.string(texts_[field])) return syntax("expected a string", index);
        return {};
      }
    } else if (field == kConfidence && (first == '-' || (first >= '0' && first <= '9'))) {
      if (!stream_.number(confidence_)) return syntax("expected a number", index);
      if (confidence_ >= 0 && confidence_ <= 1) return {};
      return wrong("\"confidence\" is not between 0 and 1", index);
    }
    if (!stream_.skip_value()) return syntax("expected a value", index);
    if (field == kUnknown) return {};
    return wrong("\"" + key_ + "\" is no " + (field == kConfidence ? "number" : "string"), index);
  }

  std::string_view text_;
  const std::string& name_;
  JsonStream stream_;
  std::size_t start_ = 0;  // of the element
  unsigned seen_ = 0;
  double confidence_ = 1.0;
  std::string key_;
  std::string texts_[kConfidence];
  std::set<std::string> unknown_;
};

}  // namespace

Result<std::uint64_t> read_triples_json(std::string_view text, const std::string& name,
                                        const std::function<Status(const TripleElement&)>& visit) {
  return ElementReader(text, name).read(visit);
}

}  // namespace anima::memory
