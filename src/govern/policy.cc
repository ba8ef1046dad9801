#include "govern/policy.h"

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "base/packs.h"
#include "datalog/analyze.h"
#include "datalog/engine.h"
#include "datalog/parser.h"
#include "govern/detail/policy_scope.h"

namespace anima::govern {
namespace {

using datalog::Code;
using datalog::PredicateId;

constexpr std::size_t kLongestText = 1024;
constexpr std::size_t kMostVerdicts = 8192;  // remembered; then all are forgotten
constexpr std::uint64_t kOnlyCall = 1;       // the number of a call that is judged alone
constexpr std::string_view kPrelude = "packs/policy/prelude.mg";
constexpr std::string_view kFolder = "packs/policy/";

std::string_view tier_constant(Tier tier) {
  switch (tier) {
    case Tier::kReadOnly:
      return "/read_only";
    case Tier::kWriteSafe:
      return "/write_safe";
    case Tier::kWriteDestructive:
      return "/write_destructive";
    case Tier::kAdmin:
      return "/admin";
  }
  return "/admin";
}

std::vector<datalog::BasePredicate> trace_predicates() {
  return {{"call", 4},    {"argument", 3}, {"made_from", 4},
          {"carried", 2}, {"tier", 2},     {"finished", 2}};
}

bool names_argument(const CallRequest& request, std::string_view name) {
  return std::ranges::any_of(request.origins,
                             [&](const ArgumentOrigin& o) { return o.argument == name; });
}

}  // namespace

struct Policy::State {
  std::shared_ptr<datalog::ValueTable> values;
  std::unique_ptr<datalog::Engine> engine;
  PolicyOptions options;
  PredicateId call, argument, made_from, carried, tier, finished, deny, ask;
  std::mutex mutex;
  std::uint64_t next = 1;
  std::deque<datalog::Transaction> window;  // what each call of the trace put in
  detail::PolicyScope scope;
  std::unordered_map<std::string, PolicyVerdict> verdicts;  // of calls judged alone, by their facts
  std::array<Code, 6> trust_codes{};
  Code no_text = 0;  // stands for a text that no rule reads

  Code trust_code(Trust trust) const { return trust_codes[static_cast<std::size_t>(trust)]; }

  datalog::Limits limits() const {
    datalog::Limits limits;
    limits.deadline_ms = options.deadline_milliseconds;
    return limits;
  }

  PredicateId find(std::string_view name) const { return engine->program().find(name); }
  void put(datalog::Transaction& facts, PredicateId predicate, std::initializer_list<Code> row) {
    if (predicate != datalog::kNone) facts.insert(predicate, {row.begin(), row.size()});
  }

  // A row whose third column is a text: only a text that some rule may read is kept.
  void put_text(datalog::Transaction& facts, PredicateId predicate, std::initializer_list<Code> row,
                std::string_view text) {
    if (predicate == datalog::kNone) return;
    std::array<Code, 4> codes{};
    std::ranges::copy(row, codes.begin());
    if (scope.keeps_text(predicate, {codes.data(), row.size()}))
      codes[detail::kTextColumn] = values->string(text);
    facts.insert(predicate, {codes.data(), row.size()});
  }

  Code scalar(const Json& value) {
    if (value.is_string()) return values->string(value.as_string());
    if (value.is_bool()) return values->boolean(value.as_bool());
    if (value.is_integer()) return values->integer(value.as_integer());
    return values->real(value.as_number());
  }

  void put_value(datalog::Transaction& facts, Code id, const std::string& name, const Json& value) {
    if (value.is_array()) {
      for (const Json& each : value.as_array()) put_value(facts, id, name, each);
      return;
    }
    if (argument == datalog::kNone || value.is_null() || value.is_object()) return;
    if (value.is_string() && value.as_string().size() > kLongestText) return;
    std::array<Code, 3> row = {id, values->string(name), no_text};
    if (scope.keeps_text(argument, row)) row[detail::kTextColumn] = scalar(value);
    facts.insert(argument, row);
  }

  datalog::Transaction facts_of(const CallRequest& request, const ToolPolicy& tool,
                                std::uint64_t number) {
    datalog::Transaction facts;
    const Code id = values->integer(static_cast<std::int64_t>(number));
    put_text(facts, call, {id, values->string(request.tool), no_text, trust_code(request.trust)},
             request.agent);
    put(facts, tier, {id, values->name(tier_constant(tool.tier))});
    if (request.arguments.is_object()) {
      for (const auto& [name, value] : request.arguments.as_object()) {
        put_value(facts, id, name, value);
        if (is_carried(tool, name)) put(facts, carried, {id, values->string(name)});
        // Whatever nobody accounts for was made by the caller.
        if (!names_argument(request, name)) {
          put_text(facts, made_from, {id, values->string(name), no_text, trust_code(request.trust)},
                   "caller");
        }
      }
    }
    for (const ArgumentOrigin& origin : request.origins) {
      put_text(facts, made_from,
               {id, values->string(origin.argument), no_text, trust_code(origin.trust)},
               origin.source);
    }
    return facts;
  }

  // The oldest call leaves a full window.
  void make_room(datalog::Transaction& change) {
    if (window.empty() || window.size() < options.window) return;
    for (const auto& step : window.front().steps())
      change.remove_rows(step.predicate, step.rows, step.codes);
    window.pop_front();
  }

  datalog::Query about(PredicateId predicate, Code id) const {
    datalog::Query query;
    query.predicate = predicate;
    query.arguments = {datalog::Argument::code(id), datalog::Argument::variable(0)};
    query.variables = {"Reason"};
    return query;
  }

  static PolicyVerdict broken(const Error& error) {
    return {Permission::kDenied, "the policy could not be evaluated: " + error.describe(), {}};
  }

  template <typename Ask, typename Explain>
  PolicyVerdict verdict(Code id, const Ask& rows_of, const Explain& explain) {
    for (const auto& [predicate, permission] :
         {std::pair{deny, Permission::kDenied}, std::pair{ask, Permission::kNeedsApproval}}) {
      if (predicate == datalog::kNone) continue;
      const datalog::Rows rows = rows_of(about(predicate, id));
      if (rows.count == 0) continue;
      PolicyVerdict result;
      result.permission = permission;
      const datalog::ValueView reason = values->view(rows.row(0)[1]);
      result.reason = reason.kind == datalog::ValueKind::kString ? std::string(reason.text)
                                                                 : values->text(rows.row(0)[1]);
      result.rule = explain(predicate, rows.row(0));
      return result;
    }
    return {};
  }

  // When no rule looks at other calls, equal facts have equal verdicts: what was found is
  // remembered, and the trace stays empty.
  PolicyVerdict judge_alone(const CallRequest& request, const ToolPolicy& tool_policy) {
    const datalog::Transaction facts = facts_of(request, tool_policy, kOnlyCall);
    std::string key;
    for (const auto& step : facts.steps()) {
      const std::array<std::uint64_t, 2> head = {step.predicate, step.rows};
      key.append(reinterpret_cast<const char*>(head.data()), sizeof head);
      key.append(reinterpret_cast<const char*>(step.codes.data()),
                 step.codes.size() * sizeof(Code));
    }
    if (const auto known = verdicts.find(key); known != verdicts.end()) return known->second;
    const auto fork = engine->fork();
    const auto done = fork->transact(facts, limits());
    if (!done) return broken(done.error());
    PolicyVerdict found = verdict(
        values->integer(kOnlyCall), [&](const datalog::Query& query) { return fork->query(query); },
        [&](PredicateId predicate, std::span<const Code> row) -> std::string {
          const auto proof = fork->explain(predicate, row);
          return proof && !proof->nodes.empty() ? proof->nodes[0].where : std::string();
        });
    if (verdicts.size() >= kMostVerdicts) verdicts.clear();
    verdicts.emplace(std::move(key), found);
    return found;
  }
};

Policy::Policy(std::unique_ptr<State> state) : state_(std::move(state)) {}
Policy::~Policy() = default;

std::vector<PolicySource> Policy::shipped_sources() {
  std::vector<PolicySource> sources;
  for (const std::string_view path : pack_files(kFolder)) {
    if (path != kPrelude) sources.push_back({std::string(path), std::string(*pack_file(path))});
  }
  return sources;
}

Result<std::unique_ptr<Policy>> Policy::shipped(PolicyOptions options) {
  return create(shipped_sources(), options);
}

Result<std::vector<PolicySource>> Policy::sources_in(FileSystem& files, const std::string& folder) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20;
  std::vector<PolicySource> sources;
  const auto entries = files.list(folder);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return sources;
  if (!entries) return fail(entries.error());
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.name.ends_with(".mg")) continue;
    std::string path = join_path(folder, entry.name);
    ANIMA_ASSIGN(std::string text, read_file(files, path, kMostBytes));
    sources.push_back({std::move(path), std::move(text)});
  }
  std::ranges::sort(sources, {}, &PolicySource::name);
  return sources;
}

Result<std::unique_ptr<Policy>> Policy::of_space(const std::string& folder,
                                                 const std::vector<PolicySource>& more) {
  std::vector<PolicySource> sources = shipped_sources();
  if (!folder.empty()) {
    ANIMA_ASSIGN(const std::vector<PolicySource> own,
                 sources_in(system_files(), join_path(folder, "policy")));
    sources.insert(sources.end(), own.begin(), own.end());
  }
  sources.insert(sources.end(), more.begin(), more.end());
  return create(sources);
}

Result<std::unique_ptr<Policy>> Policy::create(const std::vector<PolicySource>& sources,
                                               PolicyOptions options) {
  auto state = std::make_unique<State>();
  state->options = options;
  state->values = std::make_shared<datalog::ValueTable>();
  std::vector<datalog::Unit> units;
  ANIMA_ASSIGN(datalog::Unit prelude,
               datalog::parse_program(std::string(pack_file(kPrelude).value_or("")),
                                      std::string(kPrelude), state->values.get()));
  units.push_back(std::move(prelude));
  for (const PolicySource& source : sources) {
    ANIMA_ASSIGN(datalog::Unit unit,
                 datalog::parse_program(source.text, source.name, state->values.get()));
    units.push_back(std::move(unit));
  }
  ANIMA_ASSIGN(datalog::Program program, datalog::analyze_program(std::move(units), *state->values,
                                                                  {.base = trace_predicates()}));
  for (const std::string_view name : {"deny", "ask"}) {
    const PredicateId found = program.find(name);
    if (found != datalog::kNone && program.predicates[found].columns != 2) {
      return fail(ErrorCode::kInvalidArgument,
                  "'" + std::string(name) + "' takes a call and a reason",
                  program.predicates[found].where);
    }
  }
  datalog::EngineOptions engine_options;
  engine_options.prepare = true;
  ANIMA_ASSIGN(state->engine,
               datalog::Engine::create(std::make_shared<const datalog::Program>(std::move(program)),
                                       state->values, std::move(engine_options)));
  state->call = state->find("call");
  state->argument = state->find("argument");
  state->made_from = state->find("made_from");
  state->carried = state->find("carried");
  state->tier = state->find("tier");
  state->finished = state->find("finished");
  state->deny = state->find("deny");
  state->ask = state->find("ask");
  state->scope = detail::scope_of(state->engine->program(),
                                  {state->call, state->argument, state->made_from, state->carried,
                                   state->tier, state->finished},
                                  {state->deny, state->ask});
  for (std::size_t i = 0; i < state->trust_codes.size(); ++i) {
    state->trust_codes[i] =
        state->values->name("/" + std::string(trust_name(static_cast<Trust>(i))));
  }
  state->no_text = state->values->string("");
  return std::unique_ptr<Policy>(new Policy(std::move(state)));
}

PolicyVerdict Policy::decide(const CallRequest& request, const ToolPolicy& tool,
                             std::uint64_t& call) {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  call = state.next++;
  if (state.scope.one_call) return state.judge_alone(request, tool);
  datalog::Transaction facts = state.facts_of(request, tool, call);
  datalog::Transaction change = facts;
  state.make_room(change);
  state.window.push_back(std::move(facts));
  const auto done = state.engine->transact(change, state.limits());
  if (!done) return State::broken(done.error());
  const Code id = state.values->integer(static_cast<std::int64_t>(call));
  const auto snapshot = state.engine->snapshot();
  return state.verdict(
      id, [&](const datalog::Query& query) { return snapshot->query(query, {.max_rows = 0}); },
      [&](PredicateId predicate, std::span<const Code> row) -> std::string {
        const auto proof = state.engine->explain(predicate, row);
        return proof && !proof->nodes.empty() ? proof->nodes[0].where : std::string();
      });
}

void Policy::finished(std::uint64_t call, std::string_view outcome) {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  const std::uint64_t behind = state.next - call;  // 1: the newest of the window
  if (state.scope.one_call || behind > state.window.size()) return;
  datalog::Transaction change;
  // Room for the next call is made here, where nobody waits for a decision.
  state.make_room(change);
  if (state.finished != datalog::kNone && behind <= state.window.size()) {
    datalog::Transaction facts;
    state.put(facts, state.finished,
              {state.values->integer(static_cast<std::int64_t>(call)),
               state.values->name("/" + std::string(outcome))});
    // Remembered with its call, so that they leave the window together.
    datalog::Transaction& of_call =
        state.window[state.window.size() - static_cast<std::size_t>(behind)];
    for (const auto& step : facts.steps()) {
      of_call.insert_rows(step.predicate, step.rows, step.codes);
      change.insert_rows(step.predicate, step.rows, step.codes);
    }
  }
  if (!change.steps().empty()) (void)state.engine->transact(change, state.limits());
}

PolicyVerdict Policy::would_decide(const CallRequest& request, const ToolPolicy& tool) {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  if (state.scope.one_call) return state.judge_alone(request, tool);
  const auto fork = state.engine->fork();
  const datalog::Transaction facts = state.facts_of(request, tool, state.next);
  const auto done = fork->transact(facts, state.limits());
  if (!done) return State::broken(done.error());
  const Code id = state.values->integer(static_cast<std::int64_t>(state.next));
  return state.verdict(
      id, [&](const datalog::Query& query) { return fork->query(query); },
      [](PredicateId, std::span<const Code>) { return std::string(); });
}

}  // namespace anima::govern
