// Virtual predicates: what they answered is kept, input by input, until it is declared invalid.
#include <algorithm>
#include <memory>
#include <span>

#include "datalog/engine/database.h"

namespace anima::datalog {

std::vector<std::uint32_t> Database::ask_places(const Literal& literal) const {
  if (!literal.inputs.empty()) return literal.inputs;
  // A negated call: the places of the first mode that needs no wildcard.
  const Predicate& predicate = network().program->predicates[literal.predicate];
  std::vector<std::uint32_t> places;
  for (std::uint32_t c = 0; c < literal.arguments.size(); ++c) {
    const bool input = predicate.modes.empty() || predicate.modes[0][c] == Mode::kInput;
    if (input) places.push_back(c);
  }
  return places;
}

Status Database::ask(PredicateId predicate, std::span<const std::uint32_t> places,
                     std::span<const Code> inputs, std::size_t count) {
  const auto found = shared_->virtuals.find(predicate);
  if (found == shared_->virtuals.end()) {
    return fail(
        ErrorCode::kNotFound,
        "nobody answers the external predicate " + network().program->predicates[predicate].name,
        network().program->predicates[predicate].where, "register a call-back for it");
  }
  const AskedKey key{predicate, std::vector<std::uint32_t>(places.begin(), places.end())};
  auto& set = asked_[key];
  if (set == nullptr) {
    set = std::make_unique<Relation>(static_cast<std::uint32_t>(places.size()), thresholds());
    if (base_ != nullptr) {
      const auto known = base_->asked.find(key);
      if (known != base_->asked.end()) set = std::make_unique<Relation>(known->second);
    }
  }
  std::vector<Code> fresh;
  const std::size_t width = places.size();
  std::size_t fresh_count = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Code* input = inputs.data() + i * width;
    if (!set->insert_row(input, 0)) continue;
    fresh.insert(fresh.end(), input, input + width);
    ++fresh_count;
  }
  if (fresh_count == 0) return {};
  std::vector<Code> rows;
  Status status = found->second->answer(places, fresh, fresh_count, values(), rows);
  if (!status) {
    // These inputs were not answered: the next question must ask again.
    for (std::size_t i = 0; i < fresh_count; ++i) {
      const RowId row = set->find(fresh.data() + i * width, set->now());
      if (row != kNoRow) set->kill(row, epoch_);
    }
    return status;
  }
  touch(predicate);
  Relation& memo = relation(predicate);
  for (std::size_t at = 0; at + memo.columns() <= rows.size(); at += memo.columns()) {
    const Code* row = rows.data() + at;
    std::vector<Code> given(width);
    for (std::size_t k = 0; k < width; ++k) given[k] = row[places[k]];
    if (set->find(given.data(), set->now()) != kNoRow) memo.insert_row(row, 0);
  }
  return {};
}

// The memo loses what these inputs had, gets what they have now, and the difference is maintained.
Status Database::invalidate(PredicateId predicate, std::span<const std::uint32_t> places,
                            std::span<const Code> inputs, std::size_t count, const Limits& limits) {
  ANIMA_TRY(prepare());
  begin(limits);
  const auto run = [&]() -> Status {
    touch(predicate);
    Relation& memo = relation(predicate);
    Relation wanted(static_cast<std::uint32_t>(places.size()));
    for (std::size_t i = 0; i < count; ++i) wanted.insert_row(inputs.data() + i * places.size(), 0);
    std::vector<Code> key(places.size());
    const View view = memo.now();
    for (RowId row = 0; row < view.limit; ++row) {
      if (!memo.visible(row, view)) continue;
      for (std::size_t k = 0; k < key.size(); ++k) key[k] = memo.row(row)[places[k]];
      if (wanted.find(key.data(), wanted.now()) != kNoRow) kill(predicate, row);
    }
    for (auto& [asked, set] : asked_) {
      if (asked.relation != predicate || !std::ranges::equal(asked.places, places)) continue;
      for (std::size_t i = 0; i < count; ++i) {
        const RowId row = set->find(inputs.data() + i * places.size(), set->now());
        if (row != kNoRow) set->kill(row, epoch_);
      }
    }
    ANIMA_TRY(ask(predicate, places, inputs, count));
    finalize(predicate);
    ANIMA_TRY(run_components(false));
    return check_constraints();
  };
  return guarded(run());
}

}  // namespace anima::datalog
