#include "kip/engine.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "base/packs.h"
#include "kip/detail/session.h"
#include "kip/parser.h"
#include "store/act.h"
#include "store/history.h"

namespace anima::kip {

using detail::Command;
using detail::Context;
using detail::Request;

struct Engine::State {
  State(std::shared_ptr<store::Space> s, EngineOptions o)
      : space(std::move(s)), options(std::move(o)), cache(options.cached_statements) {}
  std::shared_ptr<store::Space> space;
  EngineOptions options;
  detail::StatementCache cache;
  query::Statistics statistics;

  detail::SessionContext session() { return {*space, cache, statistics, options}; }
};

namespace {

// --- genesis ------------------------------------------------------------------------------------

// True when every concept that the script writes is there.
bool is_loaded(const store::Snapshot& snapshot, const Script& script) {
  for (const Statement& statement : script.statements) {
    const Upsert* upsert = std::get_if<Upsert>(&statement.body);
    if (upsert == nullptr) continue;
    for (const UpsertBlock& block : upsert->blocks) {
      for (const UpsertItem& item : block.items) {
        if (item.is_proposition || !item.concept_match.type || !item.concept_match.name) continue;
        const auto type = snapshot.find_type(item.concept_match.type->text);
        const auto found =
            type ? snapshot.find_concept(*type, item.concept_match.name->text) : std::nullopt;
        if (!found || (snapshot.type_of(*found) == store::kConceptType &&
                       !snapshot.attribute(*found, "description")))
          return false;
      }
    }
  }
  return true;
}

Outcome<std::vector<Script>> genesis_scripts() {
  std::vector<Script> scripts;
  for (const std::string_view path : pack_files("packs/genesis/")) {
    if (!path.ends_with(".kip")) continue;
    ANIMA_ASSIGN(Script script, parse(*pack_file(path)));
    scripts.push_back(std::move(script));
  }
  return scripts;
}

// What the space lacks, in one transaction. Another process may have brought it in meanwhile: the
// writer's turn asks once more.
Status load_genesis(store::Space& space, const EngineOptions& options) {
  auto scripts = genesis_scripts();
  if (!scripts) return anima::fail(ErrorCode::kInternal, "genesis: " + scripts.error().message);
  const auto lacks = [&scripts](const store::Snapshot& snapshot) {
    return std::any_of(scripts->begin(), scripts->end(),
                       [&](const Script& script) { return !is_loaded(snapshot, script); });
  };
  ANIMA_ASSIGN(const store::Snapshot now, space.snapshot());
  if (!lacks(now)) return {};
  const store::Origin origin{"$system", std::string(store::kBootstrapSource), store::Trust::kSystem,
                             store::Sequence::kNone};
  const store::ActScope act("bootstrap", store::ActKind::kOwn);
  const auto receipt = space.write(origin, [&](store::Transaction& transaction) -> Status {
    if (!lacks(transaction.view())) return {};
    for (const Script& script : *scripts) {
      for (const Statement& statement : script.statements) {
        Context context{
            transaction.view(), &transaction, detail::Binder(nullptr), {}, options.clock.get()};
        context.privileged = true;
        const auto reply = detail::dispatch(statement, context);
        if (!reply) return anima::fail(ErrorCode::kInternal, "genesis: " + reply.error().message);
      }
    }
    return {};
  });
  if (!receipt) return anima::fail(receipt.error());
  return {};
}

}  // namespace

Engine::Engine(std::unique_ptr<State> state) : state_(std::move(state)) {}
Engine::~Engine() = default;

Result<std::shared_ptr<Engine>> Engine::open(std::shared_ptr<store::Space> space,
                                             EngineOptions options) {
  if (!options.clock) options.clock = std::make_shared<SystemClock>();
  if (options.load_genesis) ANIMA_TRY(load_genesis(*space, options));
  return std::shared_ptr<Engine>(
      new Engine(std::make_unique<State>(std::move(space), std::move(options))));
}

Json Engine::execute(const Json& json, const Caller& caller) {
  const auto request = detail::read_request(json, state_->options.max_batch);
  if (!request) return detail::fault_envelope(request.error());
  return detail::run_session(state_->session(), *request, caller);
}

Json Engine::execute(std::string_view command, const Json& parameters, const Caller& caller) {
  Request request;
  Command single;
  single.text = command;
  single.shared = parameters.kind() == Json::Kind::kObject ? &parameters : nullptr;
  request.commands.push_back(std::move(single));
  return detail::run_session(state_->session(), request, caller);
}

Outcome<std::string> Engine::explain(std::string_view command, const Json& parameters,
                                     bool analyze) {
  ANIMA_ASSIGN(const auto script, state_->cache.get(command));
  std::string text;
  for (const Statement& statement : script->statements) {
    const Find* find = std::get_if<Find>(&statement.body);
    if (find == nullptr) return refuse(Code::kInvalidSyntax, "only FIND has a plan to explain");
    ANIMA_ASSIGN(store::Snapshot now, state_->space->snapshot());
    Context context{
        std::move(now), nullptr, detail::Binder(&parameters), {}, state_->options.clock.get()};
    context.run.budget = state_->options.budget;
    context.run.statistics = &state_->statistics;
    context.run.current = true;
    context.derived = state_->options.derived.get();
    auto plan = detail::explain_find(*find, context, analyze);
    if (!plan) {
      plan.error().locate(script->text);
      return fail(std::move(plan).error());
    }
    text += *plan;
  }
  return text;
}

store::Space& Engine::space() { return *state_->space; }

bool has_error(const Json& response) {
  if (!response.is_object()) return false;
  if (response.find("error") != nullptr) return true;
  const Json* result = response.find("result");
  if (result == nullptr || !result->is_array()) return false;
  const JsonArray& answers = result->as_array();
  // Answers of several commands, and no rows that look like one.
  const bool several = std::ranges::all_of(answers, [](const Json& each) {
    return each.is_object() && (each.find("result") != nullptr || each.find("error") != nullptr);
  });
  return several && std::ranges::any_of(answers, has_error);
}

std::string_view command_family(const Json& outer) {
  const auto request = detail::read_request(outer, ~std::size_t{0});
  if (!request || request->commands.empty()) return "UNKNOWN";
  const auto script = parse(request->commands[0].text);
  if (!script || script->statements.empty()) return "UNKNOWN";
  switch (family_of(script->statements[0])) {
    case Family::kQuery:
      return "KQL";
    case Family::kChange:
      return "KML";
    case Family::kMeta:
      return "META";
  }
  return "UNKNOWN";
}

bool may_change(const Json& outer) {
  constexpr std::size_t kMostRead = std::size_t{64} << 10;
  const auto request = detail::read_request(outer, ~std::size_t{0});
  if (!request) return true;
  std::size_t length = 0;
  for (const Command& command : request->commands) length += command.text.size();
  if (length > kMostRead) return true;
  return std::ranges::any_of(request->commands, [](const Command& command) {
    const auto script = parse(command.text);
    return !script || std::ranges::any_of(script->statements, [](const Statement& each) {
      return family_of(each) == Family::kChange;
    });
  });
}

}  // namespace anima::kip
