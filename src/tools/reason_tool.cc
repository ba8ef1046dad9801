// reason: rewrites an expression to its smallest form.
//
// An expression is a name, a quoted name, or an operation: bind, bundle, similar, and, or (of two),
// not (of one), written as calls, `bind(a, bind(a, b))`, or in a row, `bind a (bind a b)`.
// Rules: the operands of bind, bundle, similar, and, or may be exchanged; bind a (bind a b) = b;
// not not a = a; and a a = or a a = bundle a a = a. The smallest form has the fewest parts, its
// operands in the order of their text.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/json/json.h"
#include "tools/detail/tool_base.h"

namespace anima::tools::detail {
namespace {

constexpr std::size_t kMaxExpressionDepth = 64;
constexpr std::size_t kMaxExpressionBytes = 4096;

struct Expression {
  std::string name;  // an operation, or a leaf's text
  std::vector<Expression> operands;
  bool operator==(const Expression& other) const = default;

  std::size_t size() const {
    std::size_t total = 1;
    for (const Expression& operand : operands) total += operand.size();
    return total;
  }
  std::string text() const {
    if (operands.empty()) return name;
    std::string out = name + "(";
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (i != 0) out += ", ";
      out += operands[i].text();
    }
    return out + ")";
  }
};

std::size_t arity(std::string_view name) {
  if (name == "not") return 1;
  for (const std::string_view two : {"bind", "bundle", "similar", "and", "or"}) {
    if (name == two) return 2;
  }
  return 0;
}

class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) {}

  Result<Expression> whole() {
    ANIMA_ASSIGN(Expression expression, term(0));
    skip();
    if (at_ < text_.size()) return wrong("something follows the expression");
    return expression;
  }

 private:
  Unexpected<Error> wrong(std::string_view what) const {
    return fail(ErrorCode::kSyntax, fmt::format("at {}: {}", at_ + 1, what));
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) {
      ++at_;
    }
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Result<std::string> word() {
    skip();
    if (at_ >= text_.size()) return wrong("the expression ends too early");
    if (text_[at_] == '"') {
      std::size_t end = at_ + 1;
      while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
      if (end >= text_.size()) return wrong("a quote never ends");
      std::string quoted(text_.substr(at_, end + 1 - at_));
      at_ = end + 1;
      return quoted;
    }
    const std::size_t end = std::min(text_.find_first_of(" \t\n(),\"", at_), text_.size());
    if (end == at_) return wrong("a name is expected");
    std::string name(text_.substr(at_, end - at_));
    at_ = end;
    return name;
  }

  Result<Expression> term(std::size_t depth) {
    if (depth > kMaxExpressionDepth) return wrong("too deep");
    if (take('(')) {
      ANIMA_ASSIGN(Expression inner, term(depth + 1));
      if (!take(')')) return wrong("a parenthesis is missing");
      return inner;
    }
    ANIMA_ASSIGN(std::string name, word());
    Expression expression{std::move(name), {}};
    const std::size_t wanted = arity(expression.name);
    if (wanted == 0) return expression;
    const std::size_t before = at_;
    if (take('(')) {
      // `bind(a, b)` is a call; `bind (not a) b` is not: then the parenthesis is the first
      // operand's.
      ANIMA_ASSIGN(Expression first, term(depth + 1));
      skip();
      const bool call = at_ < text_.size() && (text_[at_] == ',' || wanted == 1);
      if (call) {
        expression.operands.push_back(std::move(first));
        while (take(',')) {
          ANIMA_ASSIGN(Expression next, term(depth + 1));
          expression.operands.push_back(std::move(next));
        }
        if (!take(')')) return wrong("a parenthesis is missing");
        if (expression.operands.size() != wanted) {
          return wrong(fmt::format("{} takes {}", expression.name, wanted));
        }
        return expression;
      }
      at_ = before;
    }
    for (std::size_t i = 0; i < wanted; ++i) {
      ANIMA_ASSIGN(Expression operand, term(depth + 1));
      expression.operands.push_back(std::move(operand));
    }
    return expression;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

Expression simplest(Expression expression) {
  std::vector<Expression>& operands = expression.operands;
  for (Expression& operand : operands) operand = simplest(std::move(operand));
  if (expression.name == "not" && operands.size() == 1 && operands[0].name == "not") {
    return Expression(operands[0].operands.at(0));
  }
  if (operands.size() != 2) return expression;
  if (operands[1].text() < operands[0].text()) std::swap(operands[0], operands[1]);
  const bool absorbs =
      expression.name == "and" || expression.name == "or" || expression.name == "bundle";
  if (absorbs && operands[0] == operands[1]) return Expression(operands[0]);
  if (expression.name != "bind") return expression;
  for (const std::size_t outer : {0U, 1U}) {
    const Expression& inner = operands[1 - outer];
    if (inner.name != "bind" || inner.operands.size() != 2) continue;
    for (const std::size_t same : {0U, 1U}) {
      if (inner.operands[same] == operands[outer]) return Expression(inner.operands[1 - same]);
    }
  }
  return expression;
}

class Reason final : public BuiltinTool {
 public:
  using BuiltinTool::BuiltinTool;

  Result<ToolOutput> run(const ToolInput& input, Workbench&) const override {
    const std::string text = parameter(input, "expression");
    if (text.size() > kMaxExpressionBytes)
      return failed("the expression is longer than 4096 bytes");
    Result<Expression> read = ExpressionParser(text).whole();
    if (!read) return failed(read.error().describe());
    const std::size_t before = read->size();
    const Expression smallest = simplest(std::move(*read));
    ToolOutput output;
    output.result = fmt::format("Input:    {}\nSimplest: {}", text, smallest.text());
    if (smallest.size() < before) {
      output.findings.push_back(
          {FindingKind::kReasoning, text, {}, smallest.text(), {}, 1.0, 0, 0});
    }
    return output;
  }
};

}  // namespace

std::unique_ptr<Tool> make_reason() {
  return std::make_unique<Reason>(
      ToolInfo{"reason",
               "Rewrites an expression to its smallest form.",
               {{"expression", true, "bind, bundle, similar, and, or, not over names"}},
               Danger::kSafe,
               {"Reason"},
               {"reason", "simplify", "expression", "logic", "logical", "conclude", "think",
                "explain", "because", "why"}});
}

}  // namespace anima::tools::detail
