#include "sparql/value/string_tests.h"

#include <cstring>
#include <memory>
#include <utility>

#include "base/text/text.h"
#include "language/text/full_case.h"
#include "sparql/value/companion.h"
#include "sparql/value/term_codes.h"
#include "sparql/value/value.h"

namespace anima::sparql::value {
namespace {

using query::ColumnView;
using query::Expr;
using query::Truth;
using query::Values;

enum class StringTest : std::uint8_t { kStarts, kEnds, kContains, kRegex };
enum class Step : std::uint8_t { kText, kLower, kUpper };

// A string and where it is kept when it had to be made.
struct Subject {
  Value value;
  std::string made;
};

class StringCondition final : public query::Condition {
 public:
  StringCondition(StringTest test, std::vector<Step> steps)
      : test_(test), steps_(std::move(steps)) {}

  std::string name() const override {
    static constexpr const char* kNames[] = {"starts with", "ends with", "contains", "matches"};
    return kNames[static_cast<std::size_t>(test_)];
  }

  void test(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
            Truth* out) const override {
    Subject subject;
    std::uint32_t part_code = 0;
    Value part;
    for (std::size_t row = 0; row < rows; ++row) {
      if (row > 0 && same_as_before(arguments, row)) {
        out[row] = out[row - 1];
        continue;
      }
      if (arguments[1][row] != part_code) part = read_briefly(values, arguments[1][row]);
      part_code = arguments[1][row];
      out[row] = read_subject(values, arguments[0][row], &subject)
                     ? holds(values, subject.value, part, arguments, row)
                     : Truth::kError;
    }
  }

 private:
  static bool same_as_before(std::span<const ColumnView> arguments, std::size_t row) {
    for (const ColumnView& it : arguments) {
      if (it[row] != it[row - 1]) return false;
    }
    return true;
  }

  // The innermost step comes first. False: the argument is no string.
  bool read_subject(const Values& values, std::uint32_t code, Subject* subject) const {
    if (code == 0) return false;
    std::size_t first = 0;
    if (!steps_.empty() && steps_[0] == Step::kText) {
      const RdfTerm term = term_of(values, code, subject->made);
      if (term.kind == RdfKind::kBlank) return false;
      subject->value.kind = Kind::kString;
      subject->value.text = term.text;
      subject->value.extra = {};
      first = 1;
    } else {
      subject->value = read_briefly(values, code);
      if (!subject->value.is_string()) return false;
    }
    for (std::size_t i = first; i < steps_.size(); ++i) take_step(steps_[i], subject);
    return true;
  }

  static void take_step(Step step, Subject* subject) {
    if (step == Step::kText) {
      subject->value.kind = Kind::kString;
      subject->value.extra = {};
      return;
    }
    subject->made = step == Step::kLower ? language::full_lower(subject->value.text)
                                         : language::full_upper(subject->value.text);
    subject->value.text = subject->made;
  }

  Truth holds(Values& values, const Value& text, const Value& part,
              std::span<const ColumnView> arguments, std::size_t row) const {
    if (test_ == StringTest::kRegex) return matches(values, text, part, arguments, row);
    const bool compatible = part.kind == Kind::kString || (part.kind == Kind::kLanguageString &&
                                                           text.kind == Kind::kLanguageString &&
                                                           same_language(text.extra, part.extra));
    if (!compatible) return Truth::kError;
    const std::string_view a = text.text, b = part.text;
    bool found = false;
    switch (test_) {
      case StringTest::kStarts:
        found = a.starts_with(b);
        break;
      case StringTest::kEnds:
        found = a.ends_with(b);
        break;
      default:
        found = b.empty() || ::memmem(a.data(), a.size(), b.data(), b.size()) != nullptr;
        break;
    }
    return found ? Truth::kTrue : Truth::kFalse;
  }

  static Truth matches(Values& values, const Value& text, const Value& pattern,
                       std::span<const ColumnView> arguments, std::size_t row) {
    if (pattern.kind != Kind::kString) return Truth::kError;
    Value flags;
    flags.kind = Kind::kString;
    if (arguments.size() > 2) flags = read_briefly(values, arguments[2][row]);
    if (flags.kind != Kind::kString) return Truth::kError;
    const Regex* const regex = companion_of(values).regex(pattern.text, flags.text);
    if (regex == nullptr) return Truth::kError;
    return regex->matches(text.text) ? Truth::kTrue : Truth::kFalse;
  }

  StringTest test_;
  std::vector<Step> steps_;
};

std::optional<StringTest> test_named(std::string_view name) {
  if (name == "STRSTARTS") return StringTest::kStarts;
  if (name == "STRENDS") return StringTest::kEnds;
  if (name == "CONTAINS") return StringTest::kContains;
  if (name == "REGEX") return StringTest::kRegex;
  return std::nullopt;
}

std::optional<Step> step_of(const Expr& expression) {
  if (expression.kind != Expr::Kind::kFunction) return std::nullopt;
  const std::string name = expression.function->name();
  if (name == "STR") return Step::kText;
  if (name == "LCASE") return Step::kLower;
  if (name == "UCASE") return Step::kUpper;
  return std::nullopt;
}

}  // namespace

std::optional<Expr> string_test(std::string_view name, std::vector<Expr> arguments) {
  const auto test = test_named(name);
  if (!test) return std::nullopt;
  std::vector<Step> steps;
  while (const auto step = step_of(arguments[0])) {
    steps.insert(steps.begin(), *step);
    Expr inner = std::move(arguments[0].parts[0]);
    arguments[0] = std::move(inner);
  }
  return Expr::test(std::make_shared<StringCondition>(*test, std::move(steps)),
                    std::move(arguments));
}

}  // namespace anima::sparql::value
