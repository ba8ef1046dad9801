#include "datalog/tables/relation.h"

#include <algorithm>
#include <array>

namespace anima::datalog {

namespace {
constexpr std::size_t kChunk = 256;
constexpr std::size_t kMaxStackColumns = 16;
constexpr std::uint32_t kFewDead = 4096;  // dead rows that nobody minds walking over

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

const Index* PublishedRelation::index(std::span<const std::uint32_t> columns) const {
  for (const auto& index : indexes) {
    if (std::ranges::equal(index->columns(), columns)) return index.get();
  }
  return nullptr;
}

Relation::Relation(std::uint32_t columns) : own_(std::make_shared<Table>(columns)) {}

Relation::Relation(std::shared_ptr<const PublishedRelation> base)
    : base_(std::move(base)),
      base_rows_(base_->view.limit),
      own_(std::make_shared<Table>(base_->table->columns())),
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
  if (width == 0 || width > 2 || base_ != nullptr || own_->shared()) return;
  if (!widen(own_->row(0)[0], width == 2 ? own_->row(0)[1] : 0)) return;
  if (!needs_primary_) own_->drop_primary();
}

// A window over every row and (a, b), or no dense set when it would be larger than a hash.
bool Relation::widen(Code a, Code b) {
  const std::uint32_t width = columns();
  Code low[2] = {a, b};
  Code high[2] = {a, b};
  for (RowId id = 0; id < own_->size(); ++id) {
    const Code* row = own_->row(id);
    for (std::uint32_t c = 0; c < width; ++c) {
      low[c] = std::min(low[c], row[c]);
      high[c] = std::max(high[c], row[c]);
    }
  }
  DenseSet::Window window;
  double area = 1;
  for (std::uint32_t c = 0; c < width; ++c) {
    const std::uint64_t span = std::uint64_t{high[c]} - low[c] + 1;
    window.base[c] = low[c];
    window.width[c] = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(span + span / 4 + 16, std::uint64_t{0xFFFFFFFFU} - low[c]));
    area *= window.width[c];
  }
  dense_.reset();
  const double bytes_a_row = own_->size() >= 32768 ? 40.0 : 16.0;
  if (area / 8 > bytes_a_row * own_->size() + 65536) return false;
  dense_ = std::make_unique<DenseSet>(window);
  std::size_t place = 0;
  for (RowId id = 0; id < own_->size(); ++id) {
    if (own_->died(id) == kForever && dense_place(own_->row(id), place)) dense_->set(place);
  }
  return true;
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
  for (std::size_t from = 0; from < rows; from += kChunk) {
    const std::size_t count = std::min(kChunk, rows - from);
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
  for (std::size_t i = 0; i < rows; ++i) {
    const Code a = columns[0][i];
    const Code b = two ? columns[1][i] : 0;
    if (!(two ? dense_->covers2(a, b) : dense_->covers1(a)) && !widen(a, b)) {
      own_->ensure_primary();
      insert_hashed(columns, rows, height, heights);
      return;
    }
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
  for (std::size_t from = 0; from < rows; from += kChunk) {
    const std::size_t count = std::min(kChunk, rows - from);
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
      part.index = &own_->index(columns, seen);
      continue;
    }
    part.index = base_->index(columns);
    for (const auto& index : private_indexes_) {
      if (part.index == nullptr && std::ranges::equal(index->columns(), columns)) {
        part.index = index.get();
      }
    }
    if (part.index == nullptr) {
      private_indexes_.push_back(
          std::make_shared<const Index>(*base_->table, columns, base_rows_, base_->view.epoch));
      part.index = private_indexes_.back().get();
    }
  }
  return out;
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
  if (base_ != nullptr || own_->dead() < kFewDead || own_->dead() < own_->size() / 2) return false;
  auto fresh = std::make_shared<Table>(columns());
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
