#include "kip/detail/validity.h"

#include <algorithm>
#include <map>
#include <optional>

#include "query/values.h"
#include "store/holds.h"

namespace anima::kip::detail {
namespace {

using store::Predicate;
using store::Term;

bool is_valid_in(const store::Snapshot& snapshot, store::EntityId link, const ValidTime& time) {
  return std::ranges::any_of(store::periods_of(snapshot, link), [&](const store::Period& one) {
    return store::is_valid(one, time.from, time.until);
  });
}

bool is_holder(const store::Snapshot& snapshot, const store::Triple& link, const ValidTime& time) {
  const auto held = store::holders(snapshot, link.subject, link.predicate, time.from, time.until);
  return std::binary_search(held.begin(), held.end(), link.object);
}

// Whether each predicate is functional, looked up once.
class FunctionalPredicates {
 public:
  explicit FunctionalPredicates(const store::Snapshot& snapshot) : snapshot_(snapshot) {}
  bool contains(Predicate predicate) {
    const auto [known, fresh] = known_.try_emplace(predicate, false);
    if (fresh) known->second = store::is_functional(snapshot_, predicate);
    return known->second;
  }

 private:
  const store::Snapshot& snapshot_;
  std::map<Predicate, bool> known_;
};

class HoldsAt final : public query::Condition {
 public:
  explicit HoldsAt(const ValidTime& time) : time_(time) {}
  std::string name() const override { return "holds at " + format_timestamp(time_.from); }

  void test(query::Values& values, std::span<const query::ColumnView> arguments, std::size_t rows,
            query::Truth* out) const override {
    for (std::size_t row = 0; row < rows; ++row) {
      const Term link{arguments[0][row]};
      const bool holds =
          !link.is_entity() || is_valid_in(values.snapshot(), link.as_entity(), time_);
      out[row] = holds ? query::Truth::kTrue : query::Truth::kFalse;
    }
  }

 private:
  ValidTime time_;
};

class HoldsOf final : public query::Condition {
 public:
  explicit HoldsOf(const ValidTime& time) : time_(time) {}
  std::string name() const override { return "holds of several"; }

  void test(query::Values& values, std::span<const query::ColumnView> arguments, std::size_t rows,
            query::Truth* out) const override {
    const store::Snapshot& snapshot = values.snapshot();
    FunctionalPredicates functional(snapshot);
    for (std::size_t row = 0; row < rows; ++row) {
      const store::Triple link = snapshot.triple_of(Term{arguments[0][row]}.as_entity());
      const bool holds = !functional.contains(link.predicate) || is_holder(snapshot, link, time_);
      out[row] = holds ? query::Truth::kTrue : query::Truth::kFalse;
    }
  }

 private:
  ValidTime time_;
};

class EdgeHolds final : public query::EdgeTest {
 public:
  EdgeHolds(bool functional, const ValidTime& time, bool dated)
      : functional_(functional), dated_(dated), time_(time) {}

  bool holds(const store::Snapshot& snapshot, const store::Triple& edge) const override {
    if (functional_ && !is_holder(snapshot, edge, time_)) return false;
    const auto link = dated_ ? snapshot.find_proposition(edge) : std::nullopt;
    return !link || is_valid_in(snapshot, *link, time_);
  }

 private:
  bool functional_, dated_;
  ValidTime time_;
};

}  // namespace

query::Expr holds_of(query::Slot link, const ValidTime& time) {
  return query::Expr::test(std::make_shared<HoldsOf>(time), {query::Expr::of_slot(link)});
}

query::Expr holds_at(query::Slot link, const ValidTime& time) {
  return query::Expr::test(std::make_shared<HoldsAt>(time), {query::Expr::of_slot(link)});
}

std::shared_ptr<const query::EdgeTest> edge_holds(bool functional, const ValidTime& time,
                                                  bool dated) {
  return std::make_shared<EdgeHolds>(functional, time, dated);
}

}  // namespace anima::kip::detail
