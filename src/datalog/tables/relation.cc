#include "datalog/tables/relation.h"

#include <algorithm>
#include <array>

namespace anima::datalog {

namespace {
constexpr std::size_t kChunk = 256;  // Thresholds::prefetch_rows is no more
constexpr std::size_t kMaxStackColumns = 16;

// Rows gathered from columns, without an allocation for the usual widths.
class RowBuffer {
 public:
  RowBuffer(const Code* const* columns, std::uint32_t width) : columns_(columns), width_(width) {
    if (width > kMaxStackColumns) large_.resize(width);
  }
  const Code* at(std::size_t i) {
    Code* row = width_ > kMaxStackColumns ? large_.data() : small_.data();
    for (std::uint32_t c = 0; c < width_; ++c) row[c] = columns_[c][i];
    return row;
  }

 private:
  const Code* const* columns_;
  std::uint32_t width_;
  std::array<Code, kMaxStackColumns> small_;
  std::vector<Code> large_;
};

std::uint64_t hash_at(const Code* const* columns, std::uint32_t width, std::size_t i) {
  if (width == 1) return mix_hash(columns[0][i]);
  if (width == 2) return mix_hash(std::uint64_t{columns[0][i]} << 32 | columns[1][i]);
  std::uint64_t h = 0;
  for (std::uint32_t c = 0; c < width; ++c) h = mix_hash(h ^ columns[c][i]) + 0x632BE59BD9B4E019ULL;
  return mix_hash(h);
}
}  // namespace

std::shared_ptr<const Index> PublishedRelation::index(
    std::span<const std::uint32_t> columns) const {
  for (const auto& index : indexes) {
    if (std::ranges::equal(index->columns(), columns)) return index;
  }
  return nullptr;
}

Relation::Relation(std::uint32_t columns, const Thresholds& thresholds)
    : own_(std::make_shared<Table>(columns, thresholds)),
      next_dense_check_(thresholds.dense_rows) {}

Relation::Relation(std::shared_ptr<const PublishedRelation> base)
    : base_(std::move(base)),
      base_rows_(base_->view.limit),
      own_(std::make_shared<Table>(base_->table->columns(), base_->table->thresholds())),
      needs_primary_(true),
      alive_(base_->alive) {}

bool Relation::visible(RowId id, const View& view) const {
  if (id >= view.limit) return false;
  if (id >= base_rows_) return own_->died(id - base_rows_) > view.epoch;
  if (base_->table->died(id) <= base_->view.epoch) return false;
  const auto it = tombstones_.find(id);
  return it == tombstones_.end() || it->second > view.epoch;
}

bool Relation::dense_place(const Code* row, std::size_t& place) const {
  if (columns() == 1) {
    if (!dense_->covers1(row[0])) return false;
    place = dense_->place1(row[0]);
  } else {
    if (!dense_->covers2(row[0], row[1])) return false;
    place = dense_->place2(row[0], row[1]);
  }
  return true;
}

void Relation::consider_dense() {
  next_dense_check_ = own_->size() * 2;
  const std::uint32_t width = columns();
  if (width == 0 || width > 2 || own_->size() == 0) return;
  if (base_ != nullptr || own_->shared()) return;
  DenseSet::Window window;
  for (std::uint32_t c = 0; c < width; ++c) {
    Code low = own_->row(0)[c];
    Code high = low;
    for (RowId id = 0; id < own_->size(); ++id) {
      low = std::min(low, own_->row(id)[c]);
      high = std::max(high, own_->row(id)[c]);
    }
    // Some room above: new codes are most often the next ones.
    const std::uint64_t span = std::uint64_t{high} - low + 1;
    window.base[c] = low;
    window.width[c] = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(span + span / 4 + 16, std::uint64_t{0xFFFFFFFFU} - low));
  }
  if (make_dense(window) && !needs_primary_) own_->drop_primary();
}

// Bits over a window that has every row, or none when a hash would be smaller.
bool Relation::make_dense(const DenseSet::Window& window) {
  dense_.reset();
  const Thresholds& limits = own_->thresholds();
  const double bytes_a_row = own_->size() >= limits.dense_large_rows
                                 ? limits.dense_bytes_a_large_row
                                 : limits.dense_bytes_a_row;
  const double area = double{1} * window.width[0] * window.width[1];
  if (area / 8 > bytes_a_row * own_->size() + limits.dense_free_bytes) return false;
  dense_ = std::make_unique<DenseSet>(window);
  moved_rows_ += own_->size();
  std::size_t place = 0;
  for (RowId id = 0; id < own_->size(); ++id) {
    if (own_->died(id) == kForever && dense_place(own_->row(id), place)) dense_->set(place);
  }
  return true;
}

// Makes the window cover these rows too. It grows by a quarter at least, on the side where codes
// fell out of it, so that rows that come in any order set the old ones anew a few times only.
bool Relation::widen(const Code* const* columns, std::size_t rows) {
  DenseSet::Window window = dense_->window();
  bool covered = true;
  for (std::uint32_t c = 0; c < this->columns(); ++c) {
    const auto [low, high] = std::minmax_element(columns[c], columns[c] + rows);
    std::uint64_t from = window.base[c];
    std::uint64_t to = from + window.width[c];
    if (*low >= from && *high < to) continue;
    covered = false;
    const bool below = *low < from;
    const bool above = *high >= to;
    from = std::min<std::uint64_t>(from, *low);
    to = std::max<std::uint64_t>(to, std::uint64_t{*high} + 1);
    const std::uint64_t room = (to - from) / 4 + 16;
    if (below) from -= std::min(from, room);
    if (above) to = std::min<std::uint64_t>(to + room, 0xFFFFFFFFU);
    window.base[c] = static_cast<Code>(from);
    window.width[c] = static_cast<std::uint32_t>(to - from);
  }
  return covered || make_dense(window);
}

RowId Relation::find_in_base(const Code* row, std::uint64_t hash, const View& view) const {
  const RowId id = base_->table->find(row, hash, base_->view);
  if (id == kNoRow) return kNoRow;
  const auto it = tombstones_.find(id);
  return it == tombstones_.end() || it->second > view.epoch ? id : kNoRow;
}

bool Relation::in_base(const Code* row, std::uint64_t hash) const {
  return base_ != nullptr && find_in_base(row, hash, {base_rows_, kForever - 1}) != kNoRow;
}

void Relation::insert(const Code* const* columns, std::size_t rows, std::uint32_t height,
                      const std::uint32_t* heights) {
  const std::size_t chunk = own_->thresholds().prefetch_rows;
  for (std::size_t from = 0; from < rows; from += chunk) {
    const std::size_t count = std::min(chunk, rows - from);
    if (dense_ == nullptr && own_->size() >= next_dense_check_) consider_dense();
    std::array<const Code*, kMaxStackColumns> small;
    std::vector<const Code*> large;
    const Code** shifted = small.data();
    if (this->columns() > kMaxStackColumns) {
      large.resize(this->columns());
      shifted = large.data();
    }
    for (std::uint32_t c = 0; c < this->columns(); ++c) shifted[c] = columns[c] + from;
    const std::uint32_t* h = heights == nullptr ? nullptr : heights + from;
    if (dense_ != nullptr) {
      insert_dense(shifted, count, height, h);
    } else {
      insert_hashed(shifted, count, height, h);
    }
  }
}

void Relation::insert_dense(const Code* const* columns, std::size_t rows, std::uint32_t height,
                            const std::uint32_t* heights) {
  const bool two = this->columns() == 2;
  std::array<std::size_t, kChunk> places;
  bool covered = true;
  for (std::size_t i = 0; i < rows; ++i) {
    covered &= two ? dense_->covers2(columns[0][i], columns[1][i]) : dense_->covers1(columns[0][i]);
  }
  if (!covered && !widen(columns, rows)) {
    own_->ensure_primary();
    insert_hashed(columns, rows, height, heights);
    return;
  }
  for (std::size_t i = 0; i < rows; ++i) {
    places[i] = two ? dense_->place2(columns[0][i], columns[1][i]) : dense_->place1(columns[0][i]);
    dense_->prefetch(places[i]);
  }
  const bool hashed = own_->has_primary();
  for (std::size_t i = 0; i < rows; ++i) {
    if (dense_->test(places[i])) continue;
    dense_->set(places[i]);
    const Code row[2] = {columns[0][i], two ? columns[1][i] : 0};
    const RowId id = own_->append(row, heights == nullptr ? height : heights[i]);
    if (hashed) own_->add_to_primary(id, hash_row(row, this->columns()));
    ++alive_;
  }
}

void Relation::insert_hashed(const Code* const* columns, std::size_t rows, std::uint32_t height,
                             const std::uint32_t* heights) {
  const std::uint32_t width = this->columns();
  own_->ensure_primary();
  std::array<std::uint64_t, kChunk> hashes;
  for (std::size_t i = 0; i < rows; ++i) {
    hashes[i] = hash_at(columns, width, i);
    own_->prefetch_primary(hashes[i]);
    if (base_ != nullptr) base_->table->prefetch_primary(hashes[i]);
  }
  for (std::size_t i = 0; i < rows; ++i) own_->prefetch_candidate(hashes[i]);
  RowBuffer buffer(columns, width);
  for (std::size_t i = 0; i < rows; ++i) {
    const Code* row = buffer.at(i);
    if (own_->find(row, hashes[i], {own_->size(), kForever - 1}) != kNoRow) continue;
    if (in_base(row, hashes[i])) continue;
    const RowId id = own_->append(row, heights == nullptr ? height : heights[i]);
    own_->add_to_primary(id, hashes[i]);
    ++alive_;
  }
}

bool Relation::insert_row(const Code* row, std::uint32_t height) {
  std::vector<const Code*> columns(this->columns());
  for (std::uint32_t c = 0; c < this->columns(); ++c) columns[c] = row + c;
  const RowId before = size();
  insert(columns.data(), 1, height);
  return size() > before;
}

RowId Relation::find(const Code* row, const View& view) {
  const std::uint64_t hash = hash_row(row, columns());
  ensure_primary();
  if (view.limit > base_rows_) {
    const RowId id = own_->find(row, hash, {view.limit - base_rows_, view.epoch});
    if (id != kNoRow) return id + base_rows_;
  }
  return base_ == nullptr ? kNoRow : find_in_base(row, hash, view);
}

void Relation::find(const Code* const* columns, std::size_t rows, const View& view, RowId* found) {
  ensure_primary();
  const std::uint32_t width = this->columns();
  RowBuffer buffer(columns, width);
  std::array<std::uint64_t, kChunk> hashes;
  const std::size_t chunk = own_->thresholds().prefetch_rows;
  for (std::size_t from = 0; from < rows; from += chunk) {
    const std::size_t count = std::min(chunk, rows - from);
    for (std::size_t i = 0; i < count; ++i) {
      hashes[i] = hash_at(columns, width, from + i);
      own_->prefetch_primary(hashes[i]);
      if (base_ != nullptr) base_->table->prefetch_primary(hashes[i]);
    }
    for (std::size_t i = 0; i < count; ++i) own_->prefetch_candidate(hashes[i]);
    for (std::size_t i = 0; i < count; ++i) {
      const Code* row = buffer.at(from + i);
      RowId id = kNoRow;
      if (view.limit > base_rows_) {
        id = own_->find(row, hashes[i], {view.limit - base_rows_, view.epoch});
        if (id != kNoRow) id += base_rows_;
      }
      if (id == kNoRow && base_ != nullptr) id = find_in_base(row, hashes[i], view);
      found[from + i] = id;
    }
  }
}

void Relation::alive(const Code* const* columns, std::size_t rows, std::uint8_t* answer) {
  if (dense_ != nullptr && this->columns() == 2) {
    for (std::size_t i = 0; i < rows; ++i) {
      const Code a = columns[0][i];
      const Code b = columns[1][i];
      answer[i] = dense_->covers2(a, b) && dense_->test(dense_->place2(a, b)) ? 1 : 0;
    }
    return;
  }
  if (dense_ != nullptr) {
    for (std::size_t i = 0; i < rows; ++i) {
      const Code a = columns[0][i];
      answer[i] = dense_->covers1(a) && dense_->test(dense_->place1(a)) ? 1 : 0;
    }
    return;
  }
  std::array<RowId, kChunk> found;
  std::vector<const Code*> shifted(this->columns());
  for (std::size_t from = 0; from < rows; from += kChunk) {
    const std::size_t count = std::min(kChunk, rows - from);
    for (std::uint32_t c = 0; c < this->columns(); ++c) shifted[c] = columns[c] + from;
    find(shifted.data(), count, now(), found.data());
    for (std::size_t i = 0; i < count; ++i) answer[from + i] = found[i] != kNoRow ? 1 : 0;
  }
}

void Relation::kill(RowId id, Epoch epoch) {
  if (id < base_rows_) {
    tombstones_[id] = epoch;
  } else {
    own_->kill(id - base_rows_, epoch);
  }
  --alive_;
  std::size_t place = 0;
  if (dense_ != nullptr && dense_place(row(id), place)) dense_->clear(place);
}

void Relation::revive(RowId id) {
  if (id < base_rows_) {
    tombstones_.erase(id);
  } else {
    own_->kill(id - base_rows_, kForever);
  }
  ++alive_;
  std::size_t place = 0;
  if (dense_ != nullptr && dense_place(row(id), place)) dense_->set(place);
}

void Relation::abort_from(RowId from) {
  for (RowId id = std::max(from, base_rows_); id < size(); ++id) {
    const bool lived = own_->died(id - base_rows_) == kForever;
    if (lived) {
      kill(id, kAborted);
    } else {
      own_->kill(id - base_rows_, kAborted);
    }
  }
}

void Relation::ensure_primary() {
  needs_primary_ = true;
  own_->ensure_primary();
}

Parts Relation::scan_parts(const View& view) const {
  Parts out;
  if (base_ != nullptr) {
    Part& part = out.part[out.count++];
    part.table = base_->table.get();
    part.from = view.from;
    part.limit = std::min(view.limit, base_rows_);
    part.epoch = base_->view.epoch;
    part.tombstones = tombstones_.empty() ? nullptr : &tombstones_;
    part.fork_epoch = view.epoch;
    part.all_visible = base_->table->dead() == 0 && tombstones_.empty();
  }
  if (view.limit > base_rows_) {
    Part& part = out.part[out.count++];
    part.table = own_.get();
    part.offset = base_rows_;
    part.from = view.from > base_rows_ ? view.from - base_rows_ : 0;
    part.limit = view.limit - base_rows_;
    part.epoch = view.epoch;
    part.all_visible = own_->dead() == 0;
  }
  return out;
}

Parts Relation::parts(std::span<const std::uint32_t> columns, const View& view, Epoch seen) {
  Parts out = scan_parts(view);
  if (columns.empty()) return out;
  for (std::uint32_t p = 0; p < out.count; ++p) {
    Part& part = out.part[p];
    if (part.table == own_.get()) {
      part.index = own_->index(columns, seen);
      continue;
    }
    part.index = base_->index(columns);
    for (const auto& index : private_indexes_) {
      if (part.index == nullptr && std::ranges::equal(index->columns(), columns)) {
        part.index = index;
      }
    }
    if (part.index == nullptr) {
      private_indexes_.push_back(
          std::make_shared<const Index>(*base_->table, columns, base_rows_, base_->view.epoch));
      part.index = private_indexes_.back();
    }
  }
  return out;
}

std::uint64_t Relation::matches(std::span<const std::uint32_t> columns, const Code* key,
                                const View& view, Epoch seen) {
  const Parts all = parts(columns, view, seen);
  std::uint64_t count = 0;
  for (std::uint32_t p = 0; p < all.count; ++p) {
    const Part& part = all.part[p];
    if (part.index == nullptr) {
      for (RowId local = part.from; local < part.limit; ++local)
        count += part.visible(local) ? 1 : 0;
      continue;
    }
    const std::uint32_t group = part.index->find(*part.table, key);
    if (group == Index::kNoGroup) continue;
    const Index::Group& run = part.index->group(group);
    for (std::uint32_t at = run.begin; at < run.end; ++at) {
      count += part.visible(part.index->postings()[at]) ? 1 : 0;
    }
    for (RowId local = part.index->tail(group); local != kNoRow; local = part.index->next(local)) {
      count += part.visible(local) ? 1 : 0;
    }
  }
  return count;
}

RowId Relation::newest(std::span<const std::uint32_t> columns, const Code* key, const View& view,
                       Epoch seen) {
  const Parts all = parts(columns, view, seen);
  // Later parts and later rows first: of a key that changes often, only the last row lives.
  for (std::uint32_t p = all.count; p > 0; --p) {
    const Part& part = all.part[p - 1];
    if (part.index == nullptr) {
      for (RowId local = part.limit; local > part.from; --local) {
        if (part.visible(local - 1)) return local - 1 + part.offset;
      }
      continue;
    }
    const std::uint32_t group = part.index->find(*part.table, key);
    if (group == Index::kNoGroup) continue;
    for (RowId local = part.index->tail(group); local != kNoRow; local = part.index->next(local)) {
      if (part.visible(local)) return local + part.offset;
    }
    const Index::Group& run = part.index->group(group);
    for (std::uint32_t at = run.end; at > run.begin; --at) {
      const RowId local = part.index->postings()[at - 1];
      if (part.visible(local)) return local + part.offset;
    }
  }
  return kNoRow;
}

std::shared_ptr<const PublishedRelation> Relation::publish(Epoch epoch) {
  own_->share();
  auto out = std::make_shared<PublishedRelation>();
  out->table = own_;
  out->view = {own_->size(), epoch};
  out->alive = alive_;
  if (own_->has_primary()) own_->ensure_primary();
  out->hashed = own_->has_primary();
  for (const auto& index : own_->indexes()) {
    own_->index(index->columns(), epoch);
  }
  out->indexes.assign(own_->indexes().begin(), own_->indexes().end());
  return out;
}

bool Relation::compact() {
  if (base_ != nullptr || own_->dead() < own_->thresholds().dead_rows ||
      own_->dead() < own_->size() / 2)
    return false;
  auto fresh = std::make_shared<Table>(columns(), own_->thresholds());
  for (RowId id = 0; id < own_->size(); ++id) {
    if (own_->died(id) == kForever) fresh->append(own_->row(id), own_->height(id));
  }
  std::vector<std::vector<std::uint32_t>> indexed;
  for (const auto& index : own_->indexes()) indexed.push_back(index->columns());
  own_ = std::move(fresh);
  if (needs_primary_ || dense_ == nullptr) own_->ensure_primary();
  for (const auto& columns : indexed) own_->index(columns, 0);
  return true;
}

std::size_t Relation::bytes() const {
  std::size_t total = own_->bytes() + tombstones_.size() * 32;
  if (dense_ != nullptr) total += dense_->bytes();
  for (const auto& index : private_indexes_) total += index->bytes();
  return total;
}

}  // namespace anima::datalog
