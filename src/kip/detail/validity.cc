#include "kip/detail/validity.h"

#include <optional>

#include "query/values.h"
#include "store/holds.h"

namespace anima::kip::detail {
namespace {

using store::Predicate;
using store::Term;

class HoldsAt final : public query::Condition {
 public:
  HoldsAt(const store::Snapshot& snapshot, const ValidTime& time)
      : from_(key(snapshot, "valid_from")), to_(key(snapshot, "valid_to")), time_(time) {}
  std::string name() const override { return "holds at " + format_timestamp(time_.from); }

  void test(query::Values& values, std::span<const query::ColumnView> arguments, std::size_t rows,
            query::Truth* out) const override {
    for (std::size_t row = 0; row < rows; ++row) {
      const Term link{arguments[0][row]};
      const bool holds = !link.is_entity() || holds_now(values.snapshot(), link.as_entity());
      out[row] = holds ? query::Truth::kTrue : query::Truth::kFalse;
    }
  }

 private:
  static std::optional<Predicate> key(const store::Snapshot& snapshot, std::string_view name) {
    const auto term = snapshot.find_string(name);
    if (!term) return std::nullopt;
    return Predicate::metadata(*term);
  }

  static std::optional<Timestamp> bound(const store::Snapshot& snapshot, store::EntityId link,
                                        const std::optional<Predicate>& key) {
    if (!key) return std::nullopt;
    store::Scratch scratch;
    if (snapshot.objects(link, *key, scratch).empty()) return std::nullopt;
    const auto said = store::said_of_link(snapshot, link, snapshot.value(key->key()).text);
    const auto time = parse_timestamp(said ? snapshot.value(*said).text : std::string_view());
    return time ? std::optional(*time) : std::nullopt;
  }

  bool holds_now(const store::Snapshot& snapshot, store::EntityId link) const {
    const auto from = bound(snapshot, link, from_);
    if (from && time_.until <= *from) return false;
    const auto to = bound(snapshot, link, to_);
    return !to || time_.from < *to;
  }

  std::optional<Predicate> from_, to_;
  ValidTime time_;
};

class HoldsOf final : public query::Condition {
 public:
  HoldsOf(Predicate functional, const ValidTime& time) : functional_(functional), time_(time) {}
  std::string name() const override { return "holds of several"; }

  void test(query::Values& values, std::span<const query::ColumnView> arguments, std::size_t rows,
            query::Truth* out) const override {
    const store::Snapshot& snapshot = values.snapshot();
    for (std::size_t row = 0; row < rows; ++row) {
      const store::Triple triple = snapshot.triple_of(Term{arguments[0][row]}.as_entity());
      const bool holds = store::holder(snapshot, triple.subject, functional_, time_.from,
                                       time_.until) == triple.object;
      out[row] = holds ? query::Truth::kTrue : query::Truth::kFalse;
    }
  }

 private:
  Predicate functional_;
  ValidTime time_;
};

}  // namespace

query::Expr holds_of(Predicate functional, query::Slot link, const ValidTime& time) {
  return query::Expr::test(std::make_shared<HoldsOf>(functional, time),
                           {query::Expr::of_slot(link)});
}

query::Expr holds_at(const store::Snapshot& snapshot, query::Slot link, const ValidTime& time) {
  return query::Expr::test(std::make_shared<HoldsAt>(snapshot, time), {query::Expr::of_slot(link)});
}

}  // namespace anima::kip::detail
