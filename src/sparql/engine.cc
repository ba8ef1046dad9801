#include "sparql/engine.h"

#include <mutex>
#include <unordered_map>
#include <utility>

#include "sparql/plan/query_run.h"
#include "sparql/syntax/parser.h"
#include "sparql/update/update_run.h"

namespace anima::sparql {

namespace {

// Parsed queries by base and text, in two generations: what was not used while a generation filled
// up is dropped. Thread-safe.
class ParsedQueries {
 public:
  explicit ParsedQueries(std::size_t capacity) : capacity_(capacity / 2 + 1) {}

  // Faults are not kept.
  Result<std::shared_ptr<const ast::Query>> get(std::string_view text, std::string_view base) {
    std::string key(base);
    key += '\n';
    key += text;
    {
      const std::lock_guard lock(mutex_);
      const auto young = young_.find(key);
      if (young != young_.end()) return young->second;
      const auto old = old_.find(key);
      if (old != old_.end()) {
        auto query = old->second;
        keep(std::move(key), query);
        return query;
      }
    }
    ANIMA_ASSIGN(ast::Query parsed, syntax::parse_query(text, base));
    auto query = std::make_shared<const ast::Query>(std::move(parsed));
    if (text.size() > kLongText) return query;
    const std::lock_guard lock(mutex_);
    keep(std::move(key), query);
    return query;
  }

 private:
  static constexpr std::size_t kLongText = 65536;  // such a text hardly comes again

  void keep(std::string key, std::shared_ptr<const ast::Query> query) {
    if (young_.size() >= capacity_) {
      old_ = std::move(young_);
      young_.clear();
    }
    young_[std::move(key)] = std::move(query);
  }

  using Map = std::unordered_map<std::string, std::shared_ptr<const ast::Query>>;
  std::mutex mutex_;
  std::size_t capacity_;
  Map young_, old_;
};

class SpaceEngine final : public Engine {
 public:
  SpaceEngine(std::shared_ptr<store::Space> space, EngineOptions options)
      : space_(std::move(space)),
        state_(std::move(options.clock), std::move(options.random), std::move(options.derived)),
        queries_(options.cached_texts),
        prepared_(options.cached_texts) {}

  Result<QueryAnswer> query(std::string_view text, const QueryOptions& options) override {
    ANIMA_ASSIGN(const store::Snapshot snapshot, space_->snapshot());
    return answer(snapshot, true, text, options);
  }

  Result<QueryAnswer> query(const store::Snapshot& snapshot, std::string_view text,
                            const QueryOptions& options) override {
    return answer(snapshot, false, text, options);
  }

  Result<UpdateReport> update(std::string_view text, const UpdateOptions& options) override {
    ANIMA_ASSIGN(const ast::Update parsed, syntax::parse_update(text, options.base_iri));
    UpdateReport report;
    ANIMA_ASSIGN(const store::Receipt receipt,
                 space_->write(options.origin, [&](store::Transaction& transaction) -> Status {
                   update::UpdateRun run(state_, transaction, options);
                   ANIMA_TRY(run.run(parsed));
                   report = run.report();
                   return {};
                 }));
    if (receipt.changed) report.entries.push_back(receipt.sequence);
    return report;
  }

 private:
  Result<QueryAnswer> answer(const store::Snapshot& snapshot, bool newest, std::string_view text,
                             const QueryOptions& options) {
    if (!newest || !plan::PreparedQueries::may_know(text, options))
      return plan_and_answer(snapshot, newest, text, options, nullptr);
    std::string key = plan::PreparedQueries::key_of(text, options);
    if (const auto known = prepared_.find(key, snapshot.sequence()))
      return QueryRun::answer(state_, *known, options);
    if (!plan::PreparedQueries::may_keep(text))
      return plan_and_answer(snapshot, newest, text, options, nullptr);
    std::shared_ptr<const plan::PreparedQuery> prepared;
    auto answered = plan_and_answer(snapshot, newest, text, options, &prepared);
    if (answered && prepared != nullptr)
      prepared_.keep(std::move(key), snapshot.sequence(), std::move(prepared));
    return answered;
  }

  Result<QueryAnswer> plan_and_answer(const store::Snapshot& snapshot, bool newest,
                                      std::string_view text, const QueryOptions& options,
                                      std::shared_ptr<const plan::PreparedQuery>* prepared) {
    ANIMA_ASSIGN(const std::shared_ptr<const ast::Query> query,
                 queries_.get(text, options.base_iri));
    if (options.compartment && !query->dataset.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  "scope_conflict: a query of one compartment has no FROM of its own", {},
                  "leave FROM out, or ask the whole space");
    }
    return QueryRun(state_, snapshot, newest, *query, options).answer(prepared);
  }

  std::shared_ptr<store::Space> space_;
  plan::EngineState state_;
  ParsedQueries queries_;
  plan::PreparedQueries prepared_;
};

}  // namespace

Result<std::shared_ptr<Engine>> Engine::open(std::shared_ptr<store::Space> space,
                                             EngineOptions options) {
  return std::make_shared<SpaceEngine>(std::move(space), std::move(options));
}

Status check(std::string_view text, bool update, std::string_view base_iri) {
  if (update) {
    ANIMA_TRY(syntax::parse_update(text, base_iri));
  } else {
    ANIMA_TRY(syntax::parse_query(text, base_iri));
  }
  return {};
}

}  // namespace anima::sparql
