#include "sparql/plan/checks.h"

#include <algorithm>
#include <utility>

#include "query/values.h"
#include "sparql/value/term_codes.h"

namespace anima::sparql::plan {

using query::ColumnView;
using query::Expr;
using query::Slot;
using query::Truth;
using query::Values;

namespace {

Truth truth_of(bool holds) { return holds ? Truth::kTrue : Truth::kFalse; }

bool is_literal_code(Values& values, std::uint32_t code) {
  const store::Term term{code};
  if (term.tag() == store::Tag::kInteger) return true;
  if (term.is_entity()) return false;
  const store::ValueKind kind = values.view(code).kind;
  return kind != store::ValueKind::kIri && kind != store::ValueKind::kBlank;
}

class LiteralTest final : public query::Condition {
 public:
  explicit LiteralTest(bool wanted) : wanted_(wanted) {}
  std::string name() const override { return wanted_ ? "is a literal" : "is no literal"; }
  void test(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
            Truth* out) const override {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint32_t code = arguments[0][row];
      out[row] = code == 0 ? Truth::kError : truth_of(is_literal_code(values, code) == wanted_);
    }
  }

 private:
  bool wanted_;
};

class NoneOf final : public query::Condition {
 public:
  explicit NoneOf(std::vector<std::uint32_t> codes) : codes_(std::move(codes)) {
    std::sort(codes_.begin(), codes_.end());
  }
  std::string name() const override { return "is none of " + std::to_string(codes_.size()); }
  void test(Values&, std::span<const ColumnView> arguments, std::size_t rows,
            Truth* out) const override {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint32_t code = arguments[0][row];
      out[row] = code == 0 ? Truth::kError
                           : truth_of(!std::binary_search(codes_.begin(), codes_.end(), code));
    }
  }

 private:
  std::vector<std::uint32_t> codes_;
};

class SameCode final : public query::Condition {
 public:
  std::string name() const override { return "is the same"; }
  void test(Values&, std::span<const ColumnView> arguments, std::size_t rows,
            Truth* out) const override {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint32_t a = arguments[0][row], b = arguments[1][row];
      out[row] = a == 0 || b == 0 ? Truth::kError : truth_of(a == b);
    }
  }
};

class CanonicalCode final : public query::Function {
 public:
  std::string name() const override { return "one code"; }
  void apply(Values& values, std::span<const ColumnView> arguments, std::size_t rows,
             std::uint32_t* out) const override {
    for (std::size_t row = 0; row < rows; ++row)
      out[row] = canonical_code(values, arguments[0][row]);
  }
};

Expr test_of(std::shared_ptr<const query::Condition> condition, Slot slot) {
  std::vector<Expr> arguments;
  arguments.push_back(Expr::of_slot(slot));
  return Expr::test(std::move(condition), std::move(arguments));
}

}  // namespace

Expr is_literal(Slot slot) {
  static const auto kTest = std::make_shared<const LiteralTest>(true);
  return test_of(kTest, slot);
}

Expr is_reference(Slot slot) {
  static const auto kTest = std::make_shared<const LiteralTest>(false);
  return test_of(kTest, slot);
}

Expr is_none_of(Slot slot, std::vector<std::uint32_t> codes) {
  return test_of(std::make_shared<const NoneOf>(std::move(codes)), slot);
}

Expr is_same(Expr a, Expr b) {
  static const auto kTest = std::make_shared<const SameCode>();
  std::vector<Expr> arguments;
  arguments.push_back(std::move(a));
  arguments.push_back(std::move(b));
  return Expr::test(kTest, std::move(arguments));
}

Expr canonical(Slot slot) {
  static const auto kFunction = std::make_shared<const CanonicalCode>();
  std::vector<Expr> arguments;
  arguments.push_back(Expr::of_slot(slot));
  return Expr::call(kFunction, std::move(arguments));
}

}  // namespace anima::sparql::plan
