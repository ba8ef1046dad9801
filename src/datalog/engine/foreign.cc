#include "datalog/engine/foreign.h"

#include "datalog/engine/database.h"

namespace anima::datalog {

namespace {

class Unhidden : public BaseRelation::Receiver {
 public:
  Unhidden(Relation& hidden, const View& view, BaseRelation::Receiver& next)
      : hidden_(hidden), view_(view), next_(next) {}

  Status take(const std::uint32_t* keys, const Code* rows, std::size_t count) override {
    const std::uint32_t width = hidden_.columns();
    keys_.clear();
    rows_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const Code* row = rows + i * width;
      if (hidden_.find(row, view_) != kNoRow) continue;
      keys_.push_back(keys[i]);
      rows_.insert(rows_.end(), row, row + width);
    }
    if (keys_.empty()) return {};
    return next_.take(keys_.data(), rows_.data(), keys_.size());
  }

 private:
  Relation& hidden_;
  View view_;
  BaseRelation::Receiver& next_;
  std::vector<std::uint32_t> keys_;
  std::vector<Code> rows_;
};

}  // namespace

Status ForeignView::probe(std::span<const std::uint32_t> columns, std::span<const Code> keys,
                          std::size_t count, BaseRelation::Receiver& receiver) const {
  if (hidden->size() == 0) return base->probe(columns, keys, count, receiver);
  Unhidden filter(*hidden, hidden_view, receiver);
  return base->probe(columns, keys, count, filter);
}

Status ForeignView::contains(std::span<const Code> rows, std::size_t count,
                             std::uint8_t* answer) const {
  ANIMA_TRY(base->contains(rows, count, answer));
  if (hidden->size() == 0) return {};
  const std::uint32_t width = hidden->columns();
  for (std::size_t i = 0; i < count; ++i) {
    if (answer[i] != 0 && hidden->find(rows.data() + i * width, hidden_view) != kNoRow) {
      answer[i] = 0;
    }
  }
  return {};
}

Result<bool> ForeignView::contains(const Code* row) const {
  std::uint8_t answer = 0;
  ANIMA_TRY(contains(std::span<const Code>(row, base->columns()), 1, &answer));
  return answer != 0;
}

// `view` is one of this relation's views: those of an earlier epoch see the base as it was before
// the transaction.
ForeignView Database::foreign(RelationId id, const View& view) {
  const bool before_now = view.epoch < epoch_;
  const ForeignMap& map = before_now ? *foreign_before_ : *foreign_;
  const auto found = map.find(id);
  if (found == map.end()) return {};
  const RelationId hidden = network().relations[id].hidden;
  return {found->second.get(), &relation(hidden), before_now ? before(hidden) : now(hidden)};
}

Result<bool> Database::holds(RelationId id, const Code* row, const View& view) {
  if (relation(id).find(row, view) != kNoRow) return true;
  const ForeignView base = foreign(id, view);
  if (!base) return false;
  return base.contains(row);
}

Status Database::insert_beside(RelationId id, const Code* row) {
  const ForeignView base = foreign(id, now(id));
  std::uint8_t there = 0;
  ANIMA_TRY(base.base->contains(std::span<const Code>(row, base.base->columns()), 1, &there));
  if (there == 0) {
    relation(id).insert_row(row, 0);
    return {};
  }
  const RowId hidden = base.hidden->find(row, base.hidden_view);
  if (hidden != kNoRow) kill(network().relations[id].hidden, hidden);
  return {};
}

Status Database::hide(RelationId id, const Code* row) {
  const RowId own = relation(id).find(row, now(id));
  if (own != kNoRow) kill(id, own);
  const ForeignView base = foreign(id, now(id));
  ANIMA_ASSIGN(const bool there, base.contains(row));
  if (!there) return {};
  touch(network().relations[id].hidden);
  base.hidden->insert_row(row, 0);
  return {};
}

// The next state of some bases. What they insert replaces the database's own copy, what they delete
// need not be hidden.
Status Database::rebase(std::span<const Rebase> changes) {
  auto next = std::make_shared<ForeignMap>(*foreign_);
  for (const Rebase& change : changes) {
    const RelationId id = network().given(change.predicate);
    const RelationInfo& info = network().relations[id];
    if (info.hidden == kNone || change.next == nullptr) {
      return fail(ErrorCode::kInvalidArgument,
                  network().predicate(id).name + " was not created over a base relation");
    }
    (*next)[id] = change.next;
    touch(id);
    const std::uint32_t width = info.columns;
    Relation& own = relation(id);
    Relation& hidden = relation(info.hidden);
    for (std::size_t at = 0; at + width <= change.inserted.size() && width > 0; at += width) {
      const RowId row = own.find(change.inserted.data() + at, own.now());
      if (row != kNoRow) kill(id, row);
    }
    for (std::size_t at = 0; at + width <= change.deleted.size() && width > 0; at += width) {
      const RowId row = hidden.find(change.deleted.data() + at, hidden.now());
      if (row != kNoRow) kill(info.hidden, row);
    }
  }
  foreign_ = std::move(next);
  return {};
}

// The net change of a predicate over a base: of everything that may have changed, what is seen now
// and was not.
Status Database::finalize_foreign(RelationId id, std::span<const Rebase> changes) {
  const RelationInfo& info = network().relations[id];
  touch(id);
  RelationChange& change = changes_[id];
  std::vector<Code> suspects = std::move(change.inserted);
  const auto add = [&](const std::vector<Code>& rows) {
    suspects.insert(suspects.end(), rows.begin(), rows.end());
  };
  add(change.deleted);
  if (changes_[info.hidden].touched) {
    finalize(info.hidden);
    add(changes_[info.hidden].inserted);
    add(changes_[info.hidden].deleted);
  }
  for (const Rebase& rebase : changes) {
    if (network().given(rebase.predicate) != id) continue;
    add(rebase.inserted);
    add(rebase.deleted);
  }
  change.inserted.clear();
  change.deleted.clear();
  change.inserted_rows = change.deleted_rows = 0;
  Relation seen_rows(info.columns);
  for (std::size_t at = 0; at + info.columns <= suspects.size(); at += info.columns) {
    const Code* row = suspects.data() + at;
    if (!seen_rows.insert_row(row, 0)) continue;
    ANIMA_ASSIGN(const bool was, holds(id, row, before(id)));
    ANIMA_ASSIGN(const bool is, holds(id, row, now(id)));
    if (was == is) continue;
    std::vector<Code>& side = is ? change.inserted : change.deleted;
    side.insert(side.end(), row, row + info.columns);
    ++(is ? change.inserted_rows : change.deleted_rows);
  }
  return {};
}

}  // namespace anima::datalog
