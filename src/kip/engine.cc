#include "kip/engine.h"

#include <algorithm>
#include <utility>

#include "base/packs.h"
#include "kip/detail/cache.h"
#include "kip/detail/context.h"
#include "kip/detail/request.h"
#include "kip/detail/schema.h"
#include "kip/parser.h"

namespace anima::kip {

using detail::Command;
using detail::Context;
using detail::Reply;
using detail::Request;

struct Engine::State {
  State(std::shared_ptr<store::Space> s, EngineOptions o)
      : space(std::move(s)), options(std::move(o)), cache(options.cached_statements) {}
  std::shared_ptr<store::Space> space;
  EngineOptions options;
  detail::StatementCache cache;
  query::Statistics statistics;
};

namespace {

Json envelope(const Fault& fault) { return Json::object({{"error", fault.to_json()}}); }

Json envelope(Reply reply) {
  Json json{JsonObject{}};
  json.as_object().emplace_back("result", std::move(reply.result));
  if (!reply.next_cursor.empty())
    json.as_object().emplace_back("next_cursor", std::move(reply.next_cursor));
  for (JsonMember& member : reply.extra) json.as_object().push_back(std::move(member));
  return json;
}

Outcome<Reply> dispatch(const Statement& statement, Context& context) {
  return std::visit(
      [&context](const auto& body) -> Outcome<Reply> {
        using Body = std::decay_t<decltype(body)>;
        if constexpr (std::is_same_v<Body, Find>) return detail::run_find(body, context);
        if constexpr (std::is_same_v<Body, Upsert>) return detail::run_upsert(body, context);
        if constexpr (std::is_same_v<Body, Delete>) return detail::run_delete(body, context);
        if constexpr (std::is_same_v<Body, Update>) return detail::run_update(body, context);
        if constexpr (std::is_same_v<Body, Merge>) return detail::run_merge(body, context);
        if constexpr (std::is_same_v<Body, Describe>) return detail::run_describe(body, context);
        if constexpr (std::is_same_v<Body, Search>) return detail::run_search(body, context);
        if constexpr (std::is_same_v<Body, Export>) return detail::run_export(body, context);
      },
      statement.body);
}

// One request against one space.
class Session {
 public:
  Session(store::Space& space, detail::StatementCache& cache, query::Statistics& statistics,
          const EngineOptions& options, const Request& request, const Caller& caller)
      : space_(space),
        cache_(cache),
        statistics_(statistics),
        options_(options),
        request_(request),
        caller_(caller) {}

  Json run() {
    if (request_.dry_run) {
      branch_ = space_.what_if(space_.snapshot());
      return run_all();
    }
    if (!request_.atomic) return run_all();
    Json answer;
    const auto receipt =
        space_.write(caller_.origin, [&](store::Transaction& transaction) -> Status {
          transaction_ = &transaction;
          failed_ = false;
          answer = run_all();
          transaction_ = nullptr;
          if (failed_) return anima::fail(ErrorCode::kCancelled, "rolled back");
          return {};
        });
    if (!receipt && !failed_) return envelope(Fault(receipt.error()));
    if (failed_ && answer.find("result") != nullptr) answer.set("rolled_back", true);
    return answer;
  }

 private:
  Json run_all() {
    if (!request_.batch) return run_command(request_.commands[0]);
    JsonArray list;
    for (const Command& command : request_.commands) {
      list.push_back(run_command(command));
      if (failed_) break;
    }
    return Json::object({{"result", Json(std::move(list))}});
  }

  Json run_command(const Command& command) {
    auto script = cache_.get(command.text);
    if (!script) return refuse_with(script.error());
    const auto& statements = (*script)->statements;
    if (statements.size() == 1) return run_statement(**script, statements[0], command);
    JsonArray list;
    for (const Statement& statement : statements) {
      list.push_back(run_statement(**script, statement, command));
      if (failed_) break;
    }
    return Json::object({{"result", Json(std::move(list))}});
  }

  Json refuse_with(const Fault& fault) {
    failed_ = true;
    return envelope(fault);
  }

  Json run_statement(const Script& script, const Statement& statement, const Command& command) {
    auto reply = family_of(statement) == Family::kChange ? change(statement, command)
                                                         : read(statement, command);
    if (reply) return envelope(std::move(*reply));
    reply.error().locate(script.text);
    return refuse_with(reply.error());
  }

  Context context(store::Snapshot snapshot, const Command& command) const {
    Context context{
        std::move(snapshot), nullptr, detail::Binder(command.bound()), {}, options_.clock.get()};
    context.strict = request_.strict.value_or(options_.strict);
    context.rows_shape = request_.rows_shape;
    context.run.budget = options_.budget;
    context.run.statistics = &statistics_;
    return context;
  }

  Outcome<Reply> read(const Statement& statement, const Command& command) {
    store::Snapshot snapshot = branch_                   ? branch_->view()
                               : transaction_ != nullptr ? transaction_->view()
                                                         : space_.snapshot();
    if (request_.as_of) {
      ANIMA_ASSIGN(snapshot, travel(snapshot));
    }
    Context reading = context(std::move(snapshot), command);
    reading.run.current = !branch_ && transaction_ == nullptr && !request_.as_of;
    return dispatch(statement, reading);
  }

  Outcome<store::Snapshot> travel(const store::Snapshot& now) const {
    if (request_.as_of->is_integer()) {
      ANIMA_ASSIGN(store::Snapshot then,
                   now.as_of(static_cast<store::Sequence>(request_.as_of->as_integer())));
      return then;
    }
    ANIMA_ASSIGN(const Timestamp time, parse_timestamp(request_.as_of->as_string()));
    ANIMA_ASSIGN(store::Snapshot then, now.as_of(time));
    return then;
  }

  Outcome<Reply> change(const Statement& statement, const Command& command) {
    if (request_.readonly || caller_.readonly) {
      return refuse(Code::kInvalidSyntax,
                    "this is read-only: UPSERT, DELETE, UPDATE and MERGE are not allowed here",
                    "use execute_kip to write", statement.place.offset);
    }
    if (request_.as_of)
      return refuse(Code::kInvalidSyntax, "the past cannot be written", "leave out `as_of`",
                    statement.place.offset);
    if (branch_) return change_in(branch_->transaction(), statement, command);
    if (transaction_ != nullptr) return change_in(*transaction_, statement, command);
    Outcome<Reply> reply = refuse(Code::kInternal, "the write did not run");
    const auto receipt =
        space_.write(caller_.origin, [&](store::Transaction& transaction) -> Status {
          reply = change_in(transaction, statement, command);
          if (!reply) return anima::fail(ErrorCode::kCancelled, "rolled back");
          return {};
        });
    if (reply && !receipt) return fail(Fault(receipt.error()));
    return reply;
  }

  Outcome<Reply> change_in(store::Transaction& transaction, const Statement& statement,
                           const Command& command) {
    Context writing = context(transaction.view(), command);
    writing.transaction = &transaction;
    if (!request_.graph.empty()) writing.graph = transaction.graph(request_.graph);
    return dispatch(statement, writing);
  }

  store::Space& space_;
  detail::StatementCache& cache_;
  query::Statistics& statistics_;
  const EngineOptions& options_;
  const Request& request_;
  const Caller& caller_;
  std::unique_ptr<store::WhatIf> branch_;
  store::Transaction* transaction_ = nullptr;
  bool failed_ = false;
};

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
  if (!lacks(space.snapshot())) return {};
  const store::Origin origin{"$system", "SystemBootstrap", store::Trust::kSystem,
                             store::Sequence::kNone};
  const auto receipt = space.write(origin, [&](store::Transaction& transaction) -> Status {
    if (!lacks(transaction.view())) return {};
    for (const Script& script : *scripts) {
      for (const Statement& statement : script.statements) {
        Context context{
            transaction.view(), &transaction, detail::Binder(nullptr), {}, options.clock.get()};
        context.privileged = true;
        const auto reply = dispatch(statement, context);
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
  if (!request) return envelope(request.error());
  return Session(*state_->space, state_->cache, state_->statistics, state_->options, *request,
                 caller)
      .run();
}

Json Engine::execute(std::string_view command, const Json& parameters, const Caller& caller) {
  Request request;
  Command single;
  single.text = command;
  single.shared = parameters.kind() == Json::Kind::kObject ? &parameters : nullptr;
  request.commands.push_back(std::move(single));
  return Session(*state_->space, state_->cache, state_->statistics, state_->options, request,
                 caller)
      .run();
}

Outcome<std::string> Engine::explain(std::string_view command, const Json& parameters,
                                     bool analyze) {
  ANIMA_ASSIGN(const auto script, state_->cache.get(command));
  std::string text;
  for (const Statement& statement : script->statements) {
    const Find* find = std::get_if<Find>(&statement.body);
    if (find == nullptr) return refuse(Code::kInvalidSyntax, "only FIND has a plan to explain");
    Context context{state_->space->snapshot(),
                    nullptr,
                    detail::Binder(&parameters),
                    {},
                    state_->options.clock.get()};
    context.run.budget = state_->options.budget;
    context.run.statistics = &state_->statistics;
    context.run.current = true;
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

}  // namespace anima::kip
