#include "datalog/engine.h"

#include <algorithm>
#include <map>

#include "base/mutex.h"
#include "datalog/engine/database.h"
#include "datalog/engine/match.h"
#include "datalog/explain/explainer.h"

namespace anima::datalog {

namespace {

void sort_rows(Rows& rows, const ValueTable& values) {
  const std::size_t width = rows.columns;
  std::vector<std::uint32_t> order(rows.count);
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    for (std::size_t c = 0; c < width; ++c) {
      const int way = values.compare(rows.codes[a * width + c], rows.codes[b * width + c]);
      if (way != 0) return way < 0;
    }
    return false;
  });
  std::vector<Code> sorted;
  sorted.reserve(rows.codes.size());
  for (const std::uint32_t i : order) {
    const auto row = rows.row(i);
    sorted.insert(sorted.end(), row.begin(), row.end());
  }
  rows.codes = std::move(sorted);
}

std::vector<Argument> any_row(std::uint32_t columns) {
  std::vector<Argument> pattern;
  for (std::uint32_t c = 0; c < columns; ++c) pattern.push_back(Argument::variable(c));
  return pattern;
}

// Rows of a base relation that match; the cut at max_rows is the caller's.
Status add_foreign(const ForeignView& foreign, std::span<const Argument> pattern, Rows& out) {
  std::vector<std::uint32_t> columns;
  std::vector<Code> key;
  for (std::uint32_t c = 0; c < pattern.size(); ++c) {
    if (!pattern[c].constant) continue;
    columns.push_back(c);
    key.push_back(pattern[c].value);
  }
  RowReceiver receiver(out.columns, [&](std::uint32_t, const Code* row) -> Status {
    for (std::size_t c = 0; c < pattern.size(); ++c) {
      for (std::size_t d = 0; d < c; ++d) {
        if (pattern[d] == pattern[c] && row[d] != row[c]) return {};
      }
    }
    out.codes.insert(out.codes.end(), row, row + out.columns);
    ++out.count;
    return {};
  });
  return foreign.probe(columns, key, 1, receiver);
}

Result<Rows> collect(Shared& shared, PredicateId predicate, const Parts& parts,
                     std::span<const std::shared_ptr<const Index>> base_indexes,
                     std::span<const std::shared_ptr<const Index>> own_indexes,
                     std::span<const Argument> pattern, const ForeignView& foreign,
                     const QueryOptions& options) {
  Rows out;
  out.columns = static_cast<std::uint32_t>(pattern.size());
  const std::size_t looked_at =
      match_rows(parts, base_indexes, own_indexes, pattern, [&](const Part& part, RowId local) {
        const Code* row = part.table->row(local);
        out.codes.insert(out.codes.end(), row, row + out.columns);
        ++out.count;
        // With sorting the cut comes after it, so that the answer is the same in every run.
        return options.sorted || options.max_rows == 0 || out.count < options.max_rows;
      });
  if (foreign) ANIMA_TRY(add_foreign(foreign, pattern, out));
  // A question that read far more than it found would have liked an index.
  if (looked_at > shared.thresholds.missed_rows && looked_at > 8 * out.count) {
    std::vector<std::uint32_t> bound;
    for (std::uint32_t c = 0; c < pattern.size(); ++c) {
      if (pattern[c].constant) bound.push_back(c);
    }
    if (!bound.empty() && bound.size() < pattern.size()) shared.wanted.miss(predicate, bound);
  }
  if (options.sorted) sort_rows(out, *shared.values);
  if (options.max_rows != 0 && out.count > options.max_rows) {
    out.count = options.max_rows;
    out.codes.resize(out.count * out.columns);
  }
  return out;
}

Result<Rows> query_database(Database& database, PredicateId predicate,
                            std::span<const Argument> pattern, const QueryOptions& options) {
  Relation& rows = database.relation(predicate);
  const std::vector<std::shared_ptr<const Index>> own(rows.own().indexes().begin(),
                                                      rows.own().indexes().end());
  // Indexes are extended by need: those that lag behind cannot answer.
  std::vector<std::shared_ptr<const Index>> current;
  for (const auto& index : own) {
    if (index->end() == rows.own().size()) current.push_back(index);
  }
  return collect(database.shared(), predicate, rows.scan_parts(rows.now()), rows.base_indexes(),
                 current, pattern, database.foreign(predicate, rows.now()), options);
}

// Net changes of the database's last transaction, by predicate in their order.
std::vector<Change> changes_of(const Database& database) {
  const Network& network = database.network();
  std::vector<RelationId> changed = database.touched();
  std::ranges::sort(changed);
  std::vector<Change> out;
  for (const RelationId id : changed) {
    if (id >= network.program->predicates.size() || !database.change(id).changed()) continue;
    const RelationChange& change = database.change(id);
    const std::uint32_t columns = network.relations[id].columns;
    out.push_back({id,
                   {columns, change.inserted_rows, change.inserted},
                   {columns, change.deleted_rows, change.deleted}});
  }
  return out;
}

}  // namespace

// --- Snapshot

Snapshot::Snapshot(std::shared_ptr<Shared> shared, std::shared_ptr<const Published> published)
    : shared_(std::move(shared)), published_(std::move(published)) {}
Snapshot::~Snapshot() = default;

Result<Rows> Snapshot::query(const Query& query, const QueryOptions& options) const {
  const PublishedRelation& relation = *published_->relations[query.predicate];
  Parts parts;
  parts.count = 1;
  Part& part = parts.part[0];
  part.table = relation.table.get();
  part.limit = relation.view.limit;
  part.epoch = relation.view.epoch;
  part.all_visible = false;
  ForeignView foreign;
  std::unique_ptr<Relation> hidden;
  if (const auto found = published_->foreign->find(query.predicate);
      found != published_->foreign->end()) {
    const RelationId id = shared_->network->relations[query.predicate].hidden;
    hidden = std::make_unique<Relation>(published_->relations[id]);
    foreign = {found->second.get(), hidden.get(), hidden->now()};
  }
  return collect(*shared_, query.predicate, parts, {}, relation.indexes, query.arguments, foreign,
                 options);
}

Result<Rows> Snapshot::all(PredicateId predicate, const QueryOptions& options) const {
  Query every;
  every.predicate = predicate;
  every.arguments = any_row(shared_->network->relations[predicate].columns);
  return query(every, options);
}

std::uint64_t Snapshot::count(PredicateId predicate) const {
  std::uint64_t total = published_->relations[predicate]->alive;
  const auto found = published_->foreign->find(predicate);
  if (found == published_->foreign->end()) return total;
  total += found->second->rows();
  return total - published_->relations[shared_->network->relations[predicate].hidden]->alive;
}

// --- Fork

Fork::Fork(std::shared_ptr<Shared> shared, std::shared_ptr<const Published> published)
    : database_(std::make_unique<Database>(std::move(shared), std::move(published))) {}
Fork::~Fork() = default;

Result<TransactionStats> Fork::transact(const Transaction& transaction, const Limits& limits) {
  ANIMA_TRY(database_->update(transaction, limits));
  said_.steps().insert(said_.steps().end(), transaction.steps().begin(), transaction.steps().end());
  return database_->stats();
}

std::vector<Change> Fork::changes() const {
  std::vector<Change> out = changes_of(*database_);
  const Program& program = *database_->network().program;
  std::erase_if(
      out, [&](const Change& change) { return program.predicates[change.predicate].internal; });
  return out;
}

Result<Rows> Fork::query(const Query& query, const QueryOptions& options) {
  return query_database(*database_, query.predicate, query.arguments, options);
}

Result<Proof> Fork::explain(PredicateId predicate, std::span<const Code> row,
                            const ExplainOptions& options) {
  return Explainer(*database_, options).explain(predicate, row);
}

// --- Engine

struct Engine::State {
  std::shared_ptr<Shared> shared;
  std::unique_ptr<Database> database;
  mutable Mutex writer ANIMA_ACQUIRED_BEFORE(published);  // the database
  mutable Mutex published;
  std::shared_ptr<const Published> current ANIMA_GUARDED_BY(published);
  bool prepared ANIMA_GUARDED_BY(published) = false;
  TransactionStats stats ANIMA_GUARDED_BY(published);
  struct Subscription {
    PredicateId predicate;
    OnChange on_change;
  };
  std::map<SubscriptionId, Subscription> subscriptions ANIMA_GUARDED_BY(published);
  SubscriptionId next_subscription ANIMA_GUARDED_BY(published) = 1;

  void publish() {
    auto fresh = database->publish();
    const MutexLock lock(published);
    current = std::move(fresh);
    stats = database->stats();
  }
  std::shared_ptr<const Published> read() const {
    const MutexLock lock(published);
    return current;
  }
  void notify();
};

// Runs under the writer's lock, after publication.
void Engine::State::notify() {
  std::map<SubscriptionId, Subscription> listeners;
  {
    const MutexLock lock(published);
    listeners = subscriptions;
  }
  if (listeners.empty()) return;
  const Program& program = *shared->network->program;
  for (const Change& out : changes_of(*database)) {
    for (const auto& [key, listener] : listeners) {
      const bool wants =
          listener.predicate == out.predicate ||
          (listener.predicate == kNone && !program.predicates[out.predicate].internal);
      if (wants) listener.on_change(out);
    }
  }
}

Engine::Engine(std::unique_ptr<State> state) : state_(std::move(state)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::create(std::shared_ptr<const Program> program,
                                               std::shared_ptr<ValueTable> values,
                                               EngineOptions options) {
  auto state = std::make_unique<State>();
  state->shared = std::make_shared<Shared>();
  std::vector<PredicateId> over;
  for (const auto& [predicate, base] : options.bases) over.push_back(predicate);
  std::ranges::sort(over);
  ANIMA_TRY(check_widths(*program));
  state->shared->network = build_network(std::move(program), over);
  auto foreign = std::make_shared<ForeignMap>();
  for (const auto& [predicate, base] : options.bases) {
    const RelationId id = state->shared->network->given(predicate);
    if (base == nullptr || base->columns() != state->shared->network->relations[id].columns) {
      return fail(ErrorCode::kInvalidArgument, "the base relation of " +
                                                   state->shared->network->predicate(id).name +
                                                   " has another number of columns");
    }
    (*foreign)[id] = base;
  }
  state->shared->values = std::move(values);
  state->shared->clock = options.clock != nullptr ? options.clock : std::make_shared<SystemClock>();
  state->shared->virtuals = std::move(options.virtuals);
  state->shared->thresholds = options.thresholds;
  state->shared->thresholds.bound();
  state->database = std::make_unique<Database>(state->shared, std::move(foreign));
  ANIMA_TRY(state->database->evaluate(std::move(options.facts), options.limits));
  if (options.prepare) {
    ANIMA_TRY(state->database->prepare());
    const MutexLock lock(state->published);
    state->prepared = true;
  }
  state->publish();
  return std::unique_ptr<Engine>(new Engine(std::move(state)));
}

const Program& Engine::program() const { return *state_->shared->network->program; }
ValueTable& Engine::values() const { return *state_->shared->values; }

Result<TransactionStats> Engine::transact(const Transaction& transaction, const Limits& limits) {
  const MutexLock lock(state_->writer);
  ANIMA_TRY(state_->database->update(transaction, limits));
  state_->publish();
  {
    const MutexLock inner(state_->published);
    state_->prepared = true;
  }
  state_->notify();
  return state_->database->stats();
}

Result<TransactionStats> Engine::rebase(std::span<const Rebase> changes, const Transaction& facts,
                                        const Limits& limits) {
  const MutexLock lock(state_->writer);
  ANIMA_TRY(state_->database->update(facts, limits, changes));
  state_->publish();
  {
    const MutexLock inner(state_->published);
    state_->prepared = true;
  }
  state_->notify();
  return state_->database->stats();
}

TransactionStats Engine::stats() const {
  const MutexLock lock(state_->published);
  return state_->stats;
}

std::shared_ptr<const Snapshot> Engine::snapshot() const {
  improve();
  return std::shared_ptr<const Snapshot>(new Snapshot(state_->shared, state_->read()));
}

Status Engine::prepare() {
  const MutexLock lock(state_->writer);
  ANIMA_TRY(state_->database->prepare());
  auto fresh = state_->database->publish();
  const MutexLock inner(state_->published);
  if (!state_->prepared) state_->current = std::move(fresh);
  state_->prepared = true;
  return {};
}

// Builds what questions missed, unless a writer is at work: then the next one will.
void Engine::improve() const {
  if (!state_->shared->wanted.any()) return;
  if (!state_->writer.try_lock()) return;
  const MutexLock lock(state_->writer, std::adopt_lock);
  for (const auto& [relation, columns] : state_->shared->wanted.take()) {
    state_->database->build_index(relation, columns);
  }
  auto fresh = state_->database->publish();
  const MutexLock inner(state_->published);
  state_->current = std::move(fresh);
}

std::unique_ptr<Fork> Engine::fork() {
  improve();
  std::shared_ptr<const Published> base;
  {
    const MutexLock lock(state_->published);
    if (state_->prepared) base = state_->current;
  }
  if (base == nullptr) {
    (void)prepare();
    base = state_->read();
  }
  return std::unique_ptr<Fork>(new Fork(state_->shared, std::move(base)));
}

Result<TransactionStats> Engine::commit(const Fork& fork, const Limits& limits) {
  return transact(fork.said(), limits);
}

SubscriptionId Engine::subscribe(PredicateId predicate, OnChange on_change) {
  const MutexLock lock(state_->published);
  state_->subscriptions[state_->next_subscription] = {predicate, std::move(on_change)};
  return state_->next_subscription++;
}

void Engine::unsubscribe(SubscriptionId id) {
  const MutexLock lock(state_->published);
  state_->subscriptions.erase(id);
}

Result<TransactionStats> Engine::invalidate(PredicateId predicate,
                                            std::span<const std::uint32_t> columns,
                                            std::span<const Code> inputs, std::size_t count,
                                            const Limits& limits) {
  const MutexLock lock(state_->writer);
  ANIMA_TRY(state_->database->invalidate(predicate, columns, inputs, count, limits));
  state_->publish();
  state_->notify();
  return state_->database->stats();
}

Result<Proof> Engine::explain(PredicateId predicate, std::span<const Code> row,
                              const ExplainOptions& options) {
  const MutexLock lock(state_->writer);
  return Explainer(*state_->database, options).explain(predicate, row);
}

Result<WhyNot> Engine::why_not(const Query& goal, const ExplainOptions& options) {
  const MutexLock lock(state_->writer);
  return Explainer(*state_->database, options).why_not(goal);
}

}  // namespace anima::datalog
