// Aggregates: COUNT, SUM, AVG, MIN, MAX, SAMPLE and GROUP_CONCAT.
// Source: SPARQL 1.1 Query Language, 18.5.1.
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "sparql/value/compare.h"
#include "sparql/value/functions.h"
#include "sparql/value/scalar.h"
#include "sparql/value/term_codes.h"

namespace anima::sparql {
namespace value {
namespace {

using query::Accumulated;
using query::Accumulation;
using query::Values;
using store::Tag;
using store::Term;

// Makes one kind of Accumulated for each run.
template <typename Kept, typename... Settings>
class Accumulates final : public Accumulation {
 public:
  Accumulates(std::string name, Settings... settings)
      : name_(std::move(name)), settings_(std::move(settings)...) {}
  std::string name() const override { return name_; }
  std::unique_ptr<Accumulated> begin() const override {
    return std::apply([](const Settings&... it) { return std::make_unique<Kept>(it...); },
                      settings_);
  }

 private:
  std::string name_;
  std::tuple<Settings...> settings_;
};

// Also beyond 2^63 - 1.
Decimal decimal_of(std::uint64_t count) {
  const auto decimal = Decimal::parse(std::to_string(count));
  return decimal ? *decimal : Decimal();
}

// Adds in order of the rows, in the widest type so far; sums are exact as long as no float or
// double is among them.
class Sum final : public Accumulated {
 public:
  explicit Sum(bool average) : average_(average) {}

  void resize(std::size_t groups) override { totals_.resize(groups); }

  void add(Values& values, std::uint32_t group, std::uint32_t code, std::uint64_t times) override {
    Total& total = totals_[group];
    total.count += times;
    if (total.failed) return;
    if (Term{code}.tag() == Tag::kInteger && total.sum.is_exact() && times == 1) {
      put(total, total.sum.decimal.plus(Decimal(Term{code}.as_integer())));
      return;
    }
    const Value value = read_briefly(values, code);
    const auto repeated = times == 1 ? std::optional(value)
                                     : compute(Arithmetic::kMultiply, value,
                                               exact(Kind::kInteger, decimal_of(times)));
    const auto sum = repeated ? compute(Arithmetic::kAdd, total.sum, *repeated) : std::nullopt;
    total.failed = !sum;
    if (sum) total.sum = *sum;
  }

  Term result(Values& values, std::size_t group) const override {
    const Total& total = totals_[group];
    if (total.failed) return {};
    if (!average_ || total.count == 0) return Term{write(values, total.sum)};
    const auto mean =
        compute(Arithmetic::kDivide, total.sum, exact(Kind::kInteger, decimal_of(total.count)));
    return mean ? Term{write(values, *mean)} : Term{};
  }

  std::uint64_t bytes() const override { return totals_.capacity() * sizeof(Total); }

 private:
  struct Total {
    Value sum = integer(0);
    std::uint64_t count = 0;
    bool failed = false;
  };
  static void put(Total& total, const std::optional<Decimal>& sum) {
    total.failed = !sum;
    if (sum) total.sum.decimal = *sum;
  }
  bool average_;
  std::vector<Total> totals_;
};

// The first or last by the order of terms; of equal ones the first that came.
class Extreme final : public Accumulated {
 public:
  explicit Extreme(bool largest) : largest_(largest) {}
  void resize(std::size_t groups) override { best_.resize(groups); }
  void add(Values& values, std::uint32_t group, std::uint32_t code, std::uint64_t) override {
    Best& best = best_[group];
    if (best.failed || (code != 0 && code == best.code)) return;
    if (code == 0) {
      best = {0, {}, true};
      return;
    }
    const query::SortKey key = sort_key(values, code);
    if (best.code == 0 || (largest_ ? best.key < key : key < best.key)) best = {code, key, false};
  }
  Term result(Values&, std::size_t group) const override { return Term{best_[group].code}; }
  std::uint64_t bytes() const override { return best_.capacity() * sizeof(Best); }

 private:
  struct Best {
    std::uint32_t code = 0;
    query::SortKey key;
    bool failed = false;
  };
  bool largest_;
  std::vector<Best> best_;
};

class Concatenation final : public Accumulated {
 public:
  explicit Concatenation(std::string separator) : separator_(std::move(separator)) {}
  void resize(std::size_t groups) override { texts_.resize(groups); }
  void add(Values& values, std::uint32_t group, std::uint32_t code, std::uint64_t times) override {
    Text& text = texts_[group];
    if (text.failed) return;
    std::string scratch;
    const RdfTerm term =
        code == 0 ? RdfTerm{RdfKind::kBlank, {}, {}} : term_of(values, code, scratch);
    const std::uint64_t more = term.text.size() + separator_.size();
    text.failed = term.kind == RdfKind::kBlank || times > kMostBytes / (more + 1) ||
                  text.text.size() + more * times > kMostBytes ||
                  !values.take_memory(2 * more * times);
    for (; !text.failed && times > 0; --times) {
      if (text.begun) text.text += separator_;
      text.text += term.text;
      text.begun = true;
    }
  }
  Term result(Values& values, std::size_t group) const override {
    const Text& text = texts_[group];
    return text.failed ? Term{} : values.string(text.text);
  }
  std::uint64_t bytes() const override { return texts_.capacity() * sizeof(Text); }

 private:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;  // of one result
  struct Text {
    std::string text;
    bool begun = false;
    bool failed = false;
  };
  std::string separator_;
  std::vector<Text> texts_;
};

std::shared_ptr<const Accumulation> find_accumulation(const ast::Expression& it) {
  if (it.name == "SUM") return std::make_shared<Accumulates<Sum, bool>>("sum", false);
  if (it.name == "AVG") return std::make_shared<Accumulates<Sum, bool>>("average", true);
  if (it.name == "MIN") return std::make_shared<Accumulates<Extreme, bool>>("minimum", false);
  if (it.name == "MAX") return std::make_shared<Accumulates<Extreme, bool>>("maximum", true);
  if (it.name == "GROUP_CONCAT") {
    return std::make_shared<Accumulates<Concatenation, std::string>>("concatenation", it.separator);
  }
  return nullptr;
}

}  // namespace
}  // namespace value

Result<query::Aggregate> make_aggregate(const ast::Expression& expression, query::Slot argument,
                                        query::Slot result, const ExpressionContext&) {
  query::Aggregate aggregate;
  aggregate.distinct = expression.distinct;
  aggregate.argument = argument;
  aggregate.result = result;
  if (expression.name == "COUNT" && expression.arguments.empty()) {
    aggregate.kind = query::AggregateKind::kCountRows;
    return aggregate;
  }
  if (expression.name == "COUNT") {
    aggregate.kind = query::AggregateKind::kCountBound;
    return aggregate;
  }
  if (expression.name == "SAMPLE") {
    aggregate.kind = query::AggregateKind::kSample;
    return aggregate;
  }
  aggregate.kind = query::AggregateKind::kAccumulate;
  aggregate.accumulation = value::find_accumulation(expression);
  if (aggregate.accumulation == nullptr)
    return fail(ErrorCode::kUnsupported, "there is no aggregate " + expression.name);
  return aggregate;
}

}  // namespace anima::sparql
