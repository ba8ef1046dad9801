#include "forge/detail/rule_world.h"

#include "base/packs.h"
#include "datalog/analyze.h"

namespace anima::forge::detail {
namespace {

constexpr std::int64_t kMostMilliseconds = 60'000;  // a busy machine is no fault of the facts
constexpr std::uint64_t kMostRows = 1'000'000;

datalog::Limits limits() {
  datalog::Limits limits;
  limits.deadline_ms = kMostMilliseconds;
  limits.max_derived_rows = kMostRows;
  return limits;
}

datalog::Code code_of(const RuleValue& value, datalog::ValueTable& values) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return values.integer(*number);
  if (const auto* plain = std::get_if<PlainText>(&value)) return values.string(plain->text);
  const std::string& text = std::get<std::string>(value);
  return text.size() > 1 && text[0] == '/' ? values.name(text) : values.string(text);
}

}  // namespace

Result<std::unique_ptr<RuleWorld>> RuleWorld::open(std::string_view pack) {
  const auto text = pack_file(pack);
  if (!text) return fail(ErrorCode::kNotFound, "there is no such pack", std::string(pack));
  auto values = std::make_shared<datalog::ValueTable>();
  ANIMA_ASSIGN(datalog::Program program,
               datalog::compile(std::string(*text), *values, std::string(pack)));
  datalog::EngineOptions options;
  options.limits = limits();
  ANIMA_ASSIGN(auto engine,
               datalog::Engine::create(std::make_shared<const datalog::Program>(std::move(program)),
                                       values, std::move(options)));
  return std::unique_ptr<RuleWorld>(new RuleWorld(std::move(values), std::move(engine)));
}

Result<datalog::Transaction> RuleWorld::transaction_of(const std::vector<Change>& changes) const {
  datalog::Transaction transaction;
  for (const Change& each : changes) {
    const datalog::PredicateId predicate = engine_->program().find(each.predicate);
    if (predicate == datalog::kNone ||
        engine_->program().predicates[predicate].columns != each.row.size()) {
      return fail(ErrorCode::kNotFound, "the rules know no such predicate",
                  each.predicate + "/" + std::to_string(each.row.size()));
    }
    std::vector<datalog::Code> row;
    for (const RuleValue& value : each.row) row.push_back(code_of(value, *values_));
    if (each.insert) {
      transaction.insert(predicate, row);
    } else {
      transaction.remove(predicate, row);
    }
  }
  return transaction;
}

Status RuleWorld::tell(const std::vector<Change>& changes) {
  ANIMA_ASSIGN(const datalog::Transaction transaction, transaction_of(changes));
  return engine_->transact(transaction, limits()).map([](const datalog::TransactionStats&) {});
}

RuleAnswers RuleWorld::readable(const datalog::Rows& rows) const {
  RuleAnswers answers;
  for (std::size_t i = 0; i < rows.count; ++i) {
    std::vector<std::string> row;
    for (const datalog::Code code : rows.row(i)) {
      const datalog::ValueView view = values_->view(code);
      const bool textual =
          view.kind == datalog::ValueKind::kName || view.kind == datalog::ValueKind::kString;
      row.push_back(textual ? std::string(view.text) : values_->text(code));
    }
    answers.push_back(std::move(row));
  }
  return answers;
}

Result<RuleAnswers> RuleWorld::ask(std::string_view query) const {
  ANIMA_ASSIGN(const datalog::Query compiled,
               datalog::compile_query(engine_->program(), query, *values_));
  ANIMA_ASSIGN(const datalog::Rows rows, engine_->query(compiled));
  return readable(rows);
}

Result<bool> RuleWorld::holds(std::string_view query) const {
  ANIMA_ASSIGN(const RuleAnswers answers, ask(query));
  return !answers.empty();
}

Status RuleWorld::Simulation::tell(const std::vector<Change>& changes) {
  ANIMA_ASSIGN(const datalog::Transaction transaction, world_.transaction_of(changes));
  return fork_->transact(transaction, limits()).map([](const datalog::TransactionStats&) {});
}

Result<RuleAnswers> RuleWorld::Simulation::ask(std::string_view query) {
  ANIMA_ASSIGN(const datalog::Query compiled,
               datalog::compile_query(world_.engine_->program(), query, *world_.values_));
  ANIMA_ASSIGN(const datalog::Rows rows, fork_->query(compiled));
  return world_.readable(rows);
}

Result<bool> RuleWorld::Simulation::holds(std::string_view query) {
  ANIMA_ASSIGN(const RuleAnswers answers, ask(query));
  return !answers.empty();
}

}  // namespace anima::forge::detail
