#include "query/executor.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "query/detail/compile.h"
#include "query/detail/shelf.h"

namespace anima::query {

using store::Pattern;
using store::Predicate;
using store::Triple;

struct Statistics::State {
  std::mutex mutex;
  std::unordered_map<std::uint32_t, Shape> shapes;
  std::shared_ptr<detail::Shelves> shelves = std::make_shared<detail::Shelves>();
};

Statistics::Statistics() : state_(std::make_unique<State>()) {}
Statistics::~Statistics() = default;
const std::shared_ptr<detail::Shelves>& Statistics::shelves() const { return state_->shelves; }

namespace {

Statistics::Shape measure(const store::Snapshot& snapshot, Predicate predicate, std::uint64_t rows,
                          Meter& meter) {
  Statistics::Shape shape;
  shape.rows = rows;
  shape.subjects = shape.objects = 0;
  std::vector<bool> seen(snapshot.entity_bound());
  Pattern pattern;
  pattern.predicate = predicate;
  store::Cursor cursor = snapshot.scan(pattern, store::Order::kPredicateObjectSubject);
  std::vector<Triple> triples(1024);
  std::uint32_t last = 0;
  while (const std::size_t count = cursor.next(triples)) {
    for (std::size_t i = 0; i < count; ++i) {
      shape.objects += triples[i].object.code != last;
      last = triples[i].object.code;
      const auto subject = static_cast<std::size_t>(triples[i].subject);
      if (subject < seen.size() && !seen[subject]) {
        seen[subject] = true;
        ++shape.subjects;
      }
    }
    // The rows are the statistics', not the request's: whether they are known is not its doing.
    if (!meter.spend(0)) break;
  }
  shape.subjects = std::max<std::uint64_t>(shape.subjects, 1);
  shape.objects = std::max<std::uint64_t>(shape.objects, 1);
  return shape;
}

bool close(std::uint64_t a, std::uint64_t b) { return a <= b + b / 5 && b <= a + a / 5; }

}  // namespace

Statistics::Shape Statistics::shape(const store::Snapshot& snapshot, Predicate predicate,
                                    Meter& meter) {
  Pattern pattern;
  pattern.predicate = predicate;
  const std::uint64_t rows = snapshot.count(pattern);
  {
    const std::lock_guard lock(state_->mutex);
    const auto known = state_->shapes.find(predicate.code);
    if (known != state_->shapes.end() && close(known->second.rows, rows)) return known->second;
  }
  const Shape shape = measure(snapshot, predicate, rows, meter);
  if (meter.failed()) return shape;
  const std::lock_guard lock(state_->mutex);
  state_->shapes[predicate.code] = shape;
  return shape;
}

namespace {

std::shared_ptr<Values> values_of(const Plan& plan, const RunOptions& options) {
  if (options.values != nullptr) return options.values;
  return plan.values ? plan.values : std::make_shared<Values>(plan.scopes.at(0));
}

}  // namespace

Result<Answer> run(const Plan& plan, const RunOptions& options) {
  Answer answer;
  answer.values = values_of(plan, options);
  const detail::Metered metered(options, *answer.values);
  detail::Run run(plan, options, *answer.values, metered.meter());
  std::optional<Statistics> own;
  Statistics& statistics = options.statistics != nullptr ? *options.statistics : own.emplace();
  if (options.current && options.statistics != nullptr)
    answer.values->read_from(statistics.shelves());
  detail::Sink sink(run, plan.results, true);
  ANIMA_ASSIGN(const detail::Pipeline pipeline, detail::compile(run, statistics, sink));
  detail::Batch seed(run.slot_count);
  seed.rows = 1;
  pipeline.entry->push(seed);
  if (!run.failed()) pipeline.entry->finish();
  if (run.failed()) return fail(*run.error());
  if (options.analyze) answer.explanation = detail::describe(pipeline, true);
  answer.table.rows = sink.rows();
  answer.table.columns = std::move(sink.columns());
  return answer;
}

Result<std::string> explain(const Plan& plan, const RunOptions& options) {
  const std::shared_ptr<Values> values = values_of(plan, options);
  const detail::Metered metered(options, *values);
  detail::Run run(plan, options, *values, metered.meter());
  std::optional<Statistics> own;
  Statistics& statistics = options.statistics != nullptr ? *options.statistics : own.emplace();
  detail::Sink sink(run, plan.results, true);
  ANIMA_ASSIGN(const detail::Pipeline pipeline, detail::compile(run, statistics, sink));
  return detail::describe(pipeline, false);
}

}  // namespace anima::query
