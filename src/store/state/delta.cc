#include "store/state/delta.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/crypto.h"
#include "store/base/base.h"

namespace anima::store::detail {

const char* Arena::keep(std::string_view bytes) {
  if (bytes.size() > left_) {
    std::size_t size = blocks_.empty() ? 4096 : std::size_t{256} << 10;
    if (bytes_ >= 2 * LargeMemory::kHugeBytes) size = LargeMemory::kHugeBytes;
    size = std::max(size, bytes.size());
    next_ = static_cast<char*>(blocks_.emplace_back(size).data());
    left_ = size;
    bytes_ += size;
  }
  char* place = next_;
  if (!bytes.empty()) std::memcpy(place, bytes.data(), bytes.size());
  next_ += bytes.size();
  left_ -= bytes.size();
  kept_ += bytes.size();
  return place;
}

std::size_t Delta::ContextHash::operator()(const Context& c) const {
  std::uint64_t h = c.born * 0x9e3779b97f4a7c15ull ^ c.provenance;
  h = h * 0xbf58476d1ce4e5b9ull ^ std::bit_cast<std::uint64_t>(c.confidence);
  return h * 0x94d049bb133111ebull ^ c.graph;
}

Delta::Delta(const LayerFirsts& firsts, std::shared_ptr<const Base> below)
    : firsts_(firsts), below_(std::move(below)) {
  kill_page_count_ = (firsts_.row >> kPageBits) + 1;
  for (auto& pages : kill_pages_) pages.reset(new std::atomic<Page*>[kill_page_count_]());
}

std::uint32_t Delta::add_row(const Triple& triple, std::uint32_t proposition, std::uint32_t set,
                             std::uint64_t born) {
  DeltaRow& row = rows_.append();
  const std::uint32_t index = rows_.size() - 1;
  row.s = triple.subject;
  row.p = triple.predicate;
  row.o = triple.object;
  row.proposition = proposition;
  row.set = set;
  row.born.store(born, std::memory_order_relaxed);
  row.died.store(kAlive, std::memory_order_relaxed);
  std::uint32_t hashes[6];
  for (int k = 0; k < 6; ++k) {
    row.next[k] = kNoRow;
    hashes[k] = chain_hash(static_cast<Chain>(k), row.s, row.p, row.o);
    chains_[k].prefetch(hashes[k]);
  }
  if (below_ != nullptr && born != kQuotedBorn) {
    outgoing_.prefetch(row.s);
    incoming_.prefetch(row.o);
  }
  for (int k = 0; k < 6; ++k) {
    const auto chain = static_cast<Chain>(k);
    chains_[k].push(
        hashes[k], index,
        [&](std::uint32_t other) { return same(chain, other, row.s, row.p, row.o); },
        [&](std::uint32_t other) { row.next[k] = other; });
  }
  if (born != kQuotedBorn) list_edge(triple, born, true);
  if (row.next[static_cast<int>(Chain::kP)] == kNoRow) {
    predicates_.append() = row.p;
    predicate_count_.store(predicates_.size(), std::memory_order_release);
  }
  any_rows_.store(true, std::memory_order_release);
  return index;
}

// Sets grow as vectors do: twice as large, elsewhere, when they are full.
bool Delta::extend_row(std::uint32_t index, std::uint32_t context, std::uint64_t sequence) {
  DeltaRow& row = rows_[index];
  if (row.born.load(std::memory_order_relaxed) != sequence) return false;
  const std::uint32_t alone[2] = {1, row.set};
  std::uint32_t* list = nullptr;
  std::uint32_t room = 0;
  if ((row.set & kManySets) != 0) {
    const std::uint32_t place = row.set & ~kManySets;
    if (place < firsts_.set) return false;
    list = &sets_[place - firsts_.set];
    const auto known = set_rooms_.find(place);
    room = known == set_rooms_.end() ? list[0] : known->second;
  }
  const std::uint32_t* const before = list == nullptr ? alone : list;
  const std::uint32_t count = before[0];
  if (count >= room) {
    const std::uint32_t wanted = 2 * (count + 1);
    const std::uint32_t first = sets_.append_run(wanted + 1);
    list = &sets_[first];
    std::memcpy(list + 1, before + 1, count * sizeof(std::uint32_t));
    set_rooms_[firsts_.set + first] = wanted;
    row.set = kManySets | (firsts_.set + first);
  }
  list[count + 1] = context;
  list[0] = count + 1;
  return true;
}

void Delta::list_in_graph(std::uint32_t row, std::uint32_t graph) {
  const std::uint32_t index = graph_rows_.size();
  GraphRow& listed = graph_rows_.append();
  listed = GraphRow{graph, row, kNoRow, 1};
  graph_index_.push(
      mix(graph), index, [&](std::uint32_t i) { return graph_rows_[i].graph == graph; },
      [&](std::uint32_t before) {
        listed.next = before;
        if (before != kNoRow) listed.count += graph_rows_[before].count;
      });
}

// A list is made when its node changes, in both directions.
void Delta::list_edge(const Triple& triple, std::uint64_t sequence, bool there) {
  if (below_ == nullptr) return;
  const Base& base = *below_;
  const SubjectCode s = triple.subject;
  const PredicateCode p = triple.predicate;
  const ObjectCode o = triple.object;
  const auto rows = [](const Column& predicates, const Column& others, Range range) {
    return Adjacency::Below{predicates.data() + range.begin, others.data() + range.begin,
                            range.size()};
  };
  const Adjacency::Below out = rows(base.spo_p, base.spo_o, base.of_subject(s));
  const Adjacency::Below in = rows(base.ops_p, base.ops_s, base.of_object(o));
  if (there) {
    outgoing_.add(s, p, o, sequence, out);
    incoming_.add(o, p, s, sequence, in);
  } else {
    outgoing_.remove(s, p, o, sequence, out);
    incoming_.remove(o, p, s, sequence, in);
  }
}

void Delta::kill_row(std::uint32_t row, std::uint64_t sequence) {
  DeltaRow& dead = rows_[row];
  dead.died.store(sequence, std::memory_order_relaxed);
  list_edge({dead.s.typed(), dead.p.typed(), dead.o.typed()}, sequence, false);
  deaths_.push_back({false, row});
}

std::uint32_t Delta::find_kill(RowOrder order, std::uint32_t place) const {
  const int k = static_cast<int>(order);
  return kill_index_[k].find(mix(place),
                             [&](std::uint32_t i) { return kills_[i].place[k] == place; });
}

void Delta::set_kill_bit(RowOrder order, std::uint32_t place) {
  auto& slot = kill_pages_[static_cast<int>(order)][place >> kPageBits];
  Page* page = slot.load(std::memory_order_relaxed);
  if (page == nullptr) {
    owned_pages_.push_back(std::unique_ptr<Page[]>(new Page[(1u << kPageBits) / 64]()));
    page = owned_pages_.back().get();
    slot.store(page, std::memory_order_release);
  }
  const std::uint32_t bit = place & ((1u << kPageBits) - 1);
  page[bit / 64].fetch_or(std::uint64_t{1} << (bit % 64), std::memory_order_release);
}

void Delta::kill_below(const std::uint32_t (&place)[3], std::uint64_t sequence) {
  std::uint32_t index = find_kill(RowOrder::kSpo, place[0]);
  if (index == kNoRow) {
    index = kills_.size();
    Kill& kill = kills_.append();
    for (int k = 0; k < 3; ++k) kill.place[k] = place[k];
    kill.died.store(sequence, std::memory_order_relaxed);
    for (int k = 0; k < 3; ++k) {
      if (place[k] == kNoRow) continue;
      kill_index_[k].push(
          mix(place[k]), index, [&](std::uint32_t i) { return kills_[i].place[k] == place[k]; },
          [](std::uint32_t) {});
      set_kill_bit(static_cast<RowOrder>(k), place[k]);
    }
  } else {
    kills_[index].died.store(sequence, std::memory_order_relaxed);
  }
  if (below_ != nullptr) {
    const Base& base = *below_;
    const std::uint32_t row = place[0];
    list_edge({static_cast<EntityId>(base.spo_s[row]), {base.spo_p[row]}, {base.spo_o[row]}},
              sequence, false);
  }
  any_kills_.store(true, std::memory_order_release);
  deaths_.push_back({true, index});
}

std::uint64_t Delta::kill_word(RowOrder order, std::uint32_t place) const {
  const Page* page =
      kill_pages_[static_cast<int>(order)][place >> kPageBits].load(std::memory_order_acquire);
  if (page == nullptr) return 0;
  return page[(place & ((1u << kPageBits) - 1)) / 64].load(std::memory_order_acquire);
}

bool Delta::killed(RowOrder order, std::uint32_t place, std::uint64_t sequence) const {
  if ((kill_word(order, place) >> (place % 64) & 1) == 0) return false;
  const std::uint32_t index = find_kill(order, place);
  return index != kNoRow && kills_[index].died.load(std::memory_order_relaxed) <= sequence;
}

void Delta::add_term_at(std::uint32_t place, std::string_view stored) {
  while (term_bound() < place) terms_.append() = StoredTerm{};
  StoredTerm& term = terms_.append();
  term.data = arena_.keep(stored);
  term.size = static_cast<std::uint32_t>(stored.size());
  term.hash = hash_term(stored);
  term_index_.push(
      term.hash, place, [](std::uint32_t) { return false; }, [](std::uint32_t) {});
}

void Delta::pad_terms(std::uint32_t bound) {
  while (term_bound() < bound) terms_.append() = StoredTerm{};
}

std::uint32_t Delta::find_term(std::string_view stored, std::uint32_t hash,
                               std::uint32_t bound) const {
  const std::uint32_t place = term_index_.find(hash, [&](std::uint32_t other) {
    return other < bound && terms_[other - firsts_.term].view() == stored;
  });
  return place == kNoRow ? 0 : place;
}

void Delta::add_entity(std::uint32_t id, const EntityRecord& record) {
  while (entity_bound() < id) entities_.append() = EntityRecord{};
  entities_.append() = record;
}

void Delta::add_label(std::string_view folded, std::uint32_t entity) {
  const std::uint32_t hash = hash_term(folded);
  const std::uint32_t index = labels_.size();
  const auto same_hash = [&](std::uint32_t i) { return labels_[i].hash == hash; };
  Label& label = labels_.append();
  label = Label{hash, entity, kNoRow};
  label_index_.push(hash, index, same_hash, [&](std::uint32_t other) { label.next = other; });
}

std::uint32_t Delta::add_graph(std::string_view name) {
  StoredTerm& graph = graphs_.append();
  graph.data = arena_.keep(name);
  graph.size = static_cast<std::uint32_t>(name.size());
  return graph_bound() - 1;
}

std::uint32_t Delta::add_context(const Context& context) {
  const auto [at, fresh] = context_ids_.try_emplace(context, context_bound());
  if (fresh) contexts_.append() = context;
  return at->second;
}

std::uint32_t Delta::add_set(std::span<const std::uint32_t> contexts) {
  if (contexts.size() == 1) return contexts.front();
  const auto count = static_cast<std::uint32_t>(contexts.size());
  const std::uint32_t first = sets_.append_run(count + 1);
  std::uint32_t* place = &sets_[first];
  place[0] = count;
  std::memcpy(place + 1, contexts.data(), count * sizeof(std::uint32_t));
  return kManySets | (firsts_.set + first);
}

void Delta::add_entry(const EntryRecord& entry) {
  const auto kept = [&](std::string_view name) {
    const auto found = names_.find(std::string(name));
    if (found != names_.end()) return found->second;
    const std::string_view view(arena_.keep(name), name.size());
    names_.emplace(std::string(name), view);
    name_bytes_ += name.size();
    return view;
  };
  EntryRecord& record = entries_.append();
  record = entry;
  record.author = kept(entry.author);
  record.source = kept(entry.source);
}

void Delta::mark_undo() {
  if (entries_.size() != 0) entries_[entries_.size() - 1].undo = true;
}

void Delta::mark_act(std::uint32_t first) {
  if (entries_.size() != 0) entries_[entries_.size() - 1].act = first;
}

bool Delta::lower_trust(std::uint64_t sequence, Trust most) {
  if (entries_.size() == 0 || sequence != last_sequence()) return false;
  Trust& trust = entries_[entries_.size() - 1].trust;
  trust = std::min(trust, most);
  return true;
}

bool Delta::change_count(std::uint64_t key, std::int64_t change, std::uint64_t sequence) {
  const RecentCount& recent = recent_count(key);
  if (recent.count == nullptr || recent.key != key || recent.sequence != sequence) return false;
  auto& total = recent.count->total;  // one thread writes
  total.store(total.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
  return true;
}

void Delta::add_count(std::uint64_t key, std::int64_t change, std::int64_t below,
                      std::uint64_t sequence) {
  const std::uint32_t hash = mix(key);
  const auto same_key = [&](std::uint32_t i) { return counts_[i].key == key; };
  const std::uint32_t newest = count_index_.find(hash, same_key);
  if (newest != kNoRow && counts_[newest].sequence == sequence) {
    recent_count(key) = {key, sequence, &counts_[newest]};
    change_count(key, change, sequence);
    return;
  }
  const std::int64_t before =
      newest == kNoRow ? below : counts_[newest].total.load(std::memory_order_relaxed);
  const std::uint32_t index = counts_.size();
  Count& count = counts_.append();
  count.key = key;
  count.sequence = sequence;
  count.total.store(before + change, std::memory_order_relaxed);
  count.next = newest;
  count_index_.push(hash, index, same_key, [](std::uint32_t) {});
  recent_count(key) = {key, sequence, &count};
}

std::int64_t Delta::count(std::uint64_t key, std::uint64_t sequence, std::int64_t below) const {
  std::uint32_t at =
      count_index_.find(mix(key), [&](std::uint32_t i) { return counts_[i].key == key; });
  while (at != kNoRow && counts_[at].sequence > sequence) at = counts_[at].next;
  return at == kNoRow ? below : counts_[at].total.load(std::memory_order_relaxed);
}

Delta::Mark Delta::mark() const {
  return {rows_.size(),        kills_.size(),       terms_.size(),      entities_.size(),
          graphs_.size(),      contexts_.size(),    sets_.size(),       entries_.size(),
          counts_.size(),      labels_.size(),      graph_rows_.size(), deaths_.size(),
          outgoing_.changes(), incoming_.changes(), arena_.kept_bytes()};
}

void Delta::forget_journal() {
  set_rooms_.clear();
  deaths_.clear();
  outgoing_.forget_changes();
  incoming_.forget_changes();
}

namespace {

// What a row takes beside itself: places in lists and indexes, the totals that it changed.
constexpr std::size_t kRowCosts = 256;

}  // namespace

void Delta::rollback(const Mark& mark) {
  const std::size_t counted = std::max(mark.kept, garbage_kept_);
  garbage_kept_ = arena_.kept_bytes();
  garbage_ += garbage_kept_ - std::min(counted, garbage_kept_);
  outgoing_.rollback(mark.outgoing);
  incoming_.rollback(mark.incoming);
  while (deaths_.size() > mark.deaths) {
    const Death death = deaths_.back();
    deaths_.pop_back();
    auto& died = death.below ? kills_[death.index].died : rows_[death.index].died;
    died.store(kAlive, std::memory_order_relaxed);
  }
  for (std::uint32_t i = rows_.size(); i-- > mark.rows;) {
    DeltaRow& row = rows_[i];
    if (row.born.load(std::memory_order_relaxed) == kNever) continue;
    for (int k = 0; k < 6; ++k) {
      chains_[k].pop(chain_hash(static_cast<Chain>(k), row.s, row.p, row.o), i, row.next[k]);
    }
    row.born.store(kNever, std::memory_order_relaxed);
    garbage_ += sizeof(DeltaRow) + kRowCosts;
  }
  for (std::uint32_t i = graph_rows_.size(); i-- > mark.graph_rows;) {
    graph_index_.pop(mix(graph_rows_[i].graph), i, graph_rows_[i].next);
  }
  for (std::uint32_t i = terms_.size(); i-- > mark.terms;) {
    if (terms_[i].data != nullptr) term_index_.pop(terms_[i].hash, firsts_.term + i, kNoRow);
  }
  terms_.truncate(mark.terms);
  for (std::uint32_t i = labels_.size(); i-- > mark.labels;) {
    label_index_.pop(labels_[i].hash, i, labels_[i].next);
  }
  for (std::uint32_t i = counts_.size(); i-- > mark.counts;) {
    count_index_.pop(mix(counts_[i].key), i, counts_[i].next);
  }
  for (RecentCount& recent : recent_counts_) recent = {};
  for (std::uint32_t i = contexts_.size(); i-- > mark.contexts;) context_ids_.erase(contexts_[i]);
  contexts_.truncate(mark.contexts);
  entities_.truncate(mark.entities);
  graphs_.truncate(mark.graphs);
  sets_.truncate(mark.sets);
  set_rooms_.clear();
  entries_.truncate(mark.entries);
}

std::size_t Delta::heap_bytes() const {
  std::size_t bytes = sizeof(*this) + rows_.heap_bytes() + kills_.heap_bytes() +
                      terms_.heap_bytes() + entities_.heap_bytes() + labels_.heap_bytes() +
                      graphs_.heap_bytes() + contexts_.heap_bytes() + sets_.heap_bytes() +
                      entries_.heap_bytes() + graph_rows_.heap_bytes() + graph_index_.heap_bytes() +
                      counts_.heap_bytes() + arena_.heap_bytes();
  for (const auto& chain : chains_) bytes += chain.heap_bytes();
  for (const auto& index : kill_index_) bytes += index.heap_bytes();
  bytes += outgoing_.heap_bytes() + incoming_.heap_bytes();
  bytes += term_index_.heap_bytes() + label_index_.heap_bytes() + count_index_.heap_bytes();
  bytes += owned_pages_.size() * ((1u << kPageBits) / 8) + context_ids_.size() * 56;
  return bytes;
}

}  // namespace anima::store::detail
