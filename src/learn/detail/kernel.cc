#include "learn/detail/kernel.h"

#include "base/packs.h"
#include "datalog/analyze.h"

namespace anima::learn::detail {
namespace {

using datalog::Argument;
using datalog::Code;
using datalog::ValueKind;

constexpr std::string_view kRuleFiles[] = {"packs/learn/promotion.mg", "packs/learn/guidance.mg",
                                           "packs/learn/campaign.mg"};
constexpr std::int64_t kDeadlineMilliseconds = 2000;

std::string declaration_of(const Learnable& learnable) {
  std::string text = "Decl " + learnable.predicate + "(";
  for (std::size_t i = 0; i < learnable.arguments.size(); ++i)
    text += (i == 0 ? "A" : ", A") + std::to_string(i + 1);
  return text + ") descr [extensional()].\n";
}

datalog::Limits limits() {
  datalog::Limits limits;
  limits.deadline_ms = kDeadlineMilliseconds;
  return limits;
}

}  // namespace

Result<std::unique_ptr<Kernel>> Kernel::open(const LearnableTable& table, std::string_view rules) {
  std::unique_ptr<Kernel> kernel(new Kernel());
  std::vector<datalog::Unit> units;
  const auto add = [&](std::string text, const std::string& name) -> Status {
    ANIMA_ASSIGN(datalog::Unit unit,
                 datalog::parse_program(std::move(text), name, kernel->values_.get()));
    units.push_back(std::move(unit));
    return {};
  };
  std::string declared;
  for (const Learnable* each : table.all()) declared += declaration_of(*each);
  ANIMA_TRY(add(std::move(declared), "learnable"));
  for (const std::string_view file : kRuleFiles) {
    const auto text = pack_file(file);
    ANIMA_CHECK(text.has_value());
    ANIMA_TRY(add(std::string(*text), std::string(file)));
  }
  if (!rules.empty()) ANIMA_TRY(add(std::string(rules), "rules of the caller"));
  ANIMA_ASSIGN(datalog::Program program,
               datalog::analyze_program(std::move(units), *kernel->values_));
  ANIMA_ASSIGN(kernel->engine_,
               datalog::Engine::create(std::make_shared<const datalog::Program>(std::move(program)),
                                       kernel->values_));
  return kernel;
}

Status Kernel::put(std::string_view predicate, const Row& row, std::size_t keys) {
  const datalog::PredicateId id = engine_->program().find(predicate);
  ANIMA_CHECK(id != datalog::kNone && keys <= row.size());
  const auto key = std::pair(id, Row(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(keys)));
  datalog::Transaction change;
  const auto before = kept_.find(key);
  if (before != kept_.end()) {
    if (before->second == row) return {};
    change.remove(id, before->second);
  }
  change.insert(id, row);
  ANIMA_TRY(engine_->transact(change, limits()).map([](const datalog::TransactionStats&) {}));
  kept_.insert_or_assign(key, row);
  return {};
}

Status Kernel::drop(std::string_view predicate, const Row& row) {
  const datalog::PredicateId id = engine_->program().find(predicate);
  ANIMA_CHECK(id != datalog::kNone);
  datalog::Transaction change;
  change.remove(id, row);
  ANIMA_TRY(engine_->transact(change, limits()).map([](const datalog::TransactionStats&) {}));
  std::erase_if(kept_,
                [&](const auto& each) { return each.first.first == id && each.second == row; });
  return {};
}

Status Kernel::assert_fact(std::string_view fact) {
  ANIMA_ASSIGN(const datalog::GroundFact ground,
               datalog::compile_fact(engine_->program(), fact, *values_));
  datalog::Transaction change;
  change.insert(ground.predicate, ground.codes);
  return engine_->transact(change, limits()).map([](const datalog::TransactionStats&) {});
}

Status Kernel::retract_fact(std::string_view fact) {
  ANIMA_ASSIGN(const datalog::GroundFact ground,
               datalog::compile_fact(engine_->program(), fact, *values_));
  datalog::Transaction change;
  change.remove(ground.predicate, ground.codes);
  return engine_->transact(change, limits()).map([](const datalog::TransactionStats&) {});
}

Result<std::vector<Row>> Kernel::rows(std::string_view predicate, const Row& first) const {
  datalog::Query query;
  query.predicate = engine_->program().find(predicate);
  ANIMA_CHECK(query.predicate != datalog::kNone);
  const std::uint32_t columns = engine_->program().predicates[query.predicate].columns;
  ANIMA_CHECK(first.size() <= columns);
  for (const Code code : first) query.arguments.push_back(Argument::code(code));
  while (query.arguments.size() < columns) {
    query.arguments.push_back(
        Argument::variable(static_cast<datalog::Variable>(query.variables.size())));
    query.variables.emplace_back("_");
  }
  ANIMA_ASSIGN(const datalog::Rows found, engine_->query(query));
  std::vector<Row> rows;
  for (std::size_t i = 0; i < found.count; ++i) {
    const auto row = found.row(i);
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

Result<std::vector<std::string>> Kernel::query(std::string_view atom) {
  ANIMA_ASSIGN(const datalog::Query query,
               datalog::compile_query(engine_->program(), atom, *values_));
  ANIMA_ASSIGN(const datalog::Rows found, engine_->query(query));
  std::vector<std::string> facts;
  for (std::size_t i = 0; i < found.count; ++i) {
    facts.push_back(datalog::print_fact(engine_->program().predicates[query.predicate],
                                        found.row(i), *values_));
  }
  return facts;
}

Row Kernel::codes_of(const Learnable& declared, const Json& arguments) {
  Row row;
  for (std::size_t i = 0; i < declared.arguments.size(); ++i) {
    const Json& value = arguments.as_array()[i];
    switch (declared.arguments[i]) {
      case ArgumentType::kString:
      case ArgumentType::kLanguageTopic:
        row.push_back(values_->string(value.as_string()));
        break;
      case ArgumentType::kName:
        row.push_back(values_->name(value.as_string()));
        break;
      case ArgumentType::kInteger:
        row.push_back(values_->integer(value.as_integer()));
        break;
      case ArgumentType::kFloat:
        row.push_back(values_->real(value.as_number()));
        break;
    }
  }
  return row;
}

Json Kernel::json_of(Code list) const {
  Json items = Json::array();
  for (const Code code : values_->list_items(list)) {
    const datalog::ValueView view = values_->view(code);
    if (view.kind == ValueKind::kInt) {
      items.push_back(view.number);
    } else if (view.kind == ValueKind::kFloat) {
      items.push_back(view.real);
    } else {
      items.push_back(view.text);
    }
  }
  return items;
}

}  // namespace anima::learn::detail
