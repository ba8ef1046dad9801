#include "anima/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "agent/house/gate_settings.h"
#include "agent/house/undo_acts.h"
#include "agent/learnings/kept_learnings.h"
#include "agent/telling/told_undo.h"
#include "base/clock.h"
#include "base/files/file.h"
#include "base/json/json_member.h"
#include "base/past_time.h"
#include "library/detail/memory_state.h"
#include "library/detail/reading.h"
#include "library/detail/sparql_state.h"
#include "library/detail/view_state.h"
#include "library/detail/watch.h"
#include "load/load.h"
#include "memory/compartments/compartments.h"
#include "memory/compartments/pack_signature.h"
#include "memory/compartments/rule_relations.h"
#include "sparql/rdf_format.h"
#include "sparql/rdf_load.h"
#include "store/act.h"
#include "store/backup.h"
#include "store/history.h"
#include "store/verify/audit.h"

namespace anima {
namespace {

store::Origin origin_of(const Author& author, std::string_view otherwise) {
  store::Origin origin;
  origin.author = author.name;
  origin.trust = static_cast<store::Trust>(author.trust);
  origin.source = author.source.empty() ? std::string(otherwise) : author.source;
  return origin;
}

kip::Caller caller_of(const Author& author) {
  kip::Caller caller;
  caller.origin = origin_of(author, "library");
  return caller;
}

agent::DoorCall door_of_memory() {
  return {"library", "memory", "program", govern::Trust::kOperator};
}

// What a call writes is one act, and the answer names its first entry.
Json as_act(store::Space& space, const std::function<Json()>& work) {
  const store::ActScope act("kip");
  Json answer = work();
  const store::Sequence first = store::ActScope::current(space).first;
  if (first != store::Sequence::kNone && answer.is_object())
    answer.set("entry", static_cast<std::uint64_t>(first));
  return answer;
}

// Both languages over the space; what rules derive is run once for both.
Status open_engines(detail::OpenSpace& open, std::shared_ptr<store::Space> space) {
  // Made with the space, as `anima init` does, and then there: no call of anybody.
  ANIMA_TRY(kip::Engine::open(space, {}).map([](const std::shared_ptr<kip::Engine>&) {}));
  ANIMA_ASSIGN(agent::GateOptions settings,
               agent::configured_gate(system_files(), system_environment(), space->folder()));
  ANIMA_ASSIGN(open.gate,
               agent::Gate::open(std::move(space), open.clock, open.random, std::move(settings)));
  open.space = open.gate->space_for(door_of_memory(), agent::Judged::kEach);
  auto derived = std::make_shared<memory::RuleRelations>(*open.space, system_files());
  kip::EngineOptions kip_options;
  kip_options.derived = derived;
  kip_options.load_genesis = false;
  ANIMA_ASSIGN(open.engine, kip::Engine::open(open.space, std::move(kip_options)));
  sparql::EngineOptions sparql_options;
  sparql_options.derived = std::move(derived);
  ANIMA_ASSIGN(open.sparql_engine, sparql::Engine::open(open.space, std::move(sparql_options)));
  return {};
}

LoadReport loaded_from(const load::LoadReport& report, const load::Mapping& mapping) {
  LoadReport loaded;
  for (const load::TableReport& table : report.tables) {
    loaded.tables.push_back({.file = table.file,
                             .table = table.table,
                             .type = table.type,
                             .rows = table.rows,
                             .created = table.created,
                             .changed = table.changed,
                             .unchanged = table.unchanged,
                             .facts = table.facts,
                             .withdrawn = table.withdrawn,
                             .outranked = table.outranked,
                             .overruled = table.overruled,
                             .mentioned = table.mentioned});
  }
  for (const load::FactsReport& file : report.facts)
    loaded.facts.push_back({file.file, file.format, file.statements});
  loaded.notes = report.notes;
  loaded.mapping = load::to_json(mapping);
  loaded.changed = report.receipt.changed;
  loaded.entry = static_cast<std::uint64_t>(report.receipt.sequence);
  return loaded;
}

}  // namespace

Memory::Memory(std::shared_ptr<State> state) : state_(std::move(state)) {}
Memory::~Memory() = default;
Memory::Memory(const Memory&) = default;
Memory& Memory::operator=(const Memory&) = default;
Memory::Memory(Memory&&) noexcept = default;
Memory& Memory::operator=(Memory&&) noexcept = default;

Result<Memory> Memory::open(const std::string& folder, const OpenOptions& options) {
  store::SpaceOptions opening;
  opening.create = options.create && !options.read_only;
  opening.read_only = options.read_only;
  opening.undo = agent::told_undo_rules();
  auto state = std::make_shared<State>();
  auto space = store::Space::open(folder, opening);
  if (!space) {
    Error error = std::move(space).error();
    if (error.code == ErrorCode::kNotFound)
      error.hint = "{.create = true} makes one, and so does `anima init`";
    return fail(std::move(error));
  }
  ANIMA_TRY(open_engines(*state, std::move(*space)));
  return Memory(std::move(state));
}

Result<Memory> Memory::in_memory() {
  auto state = std::make_shared<State>();
  store::SpaceOptions opening;
  opening.undo = agent::told_undo_rules();
  ANIMA_ASSIGN(auto space, store::Space::in_memory(opening));
  ANIMA_TRY(open_engines(*state, std::move(space)));
  return Memory(std::move(state));
}

Json Memory::kip(std::string_view command, const Json& parameters, const Author& author,
                 const CallLimits& limits) {
  const detail::Watch watch(limits.stop, limits.time);
  kip::Caller caller = caller_of(author);
  caller.stop = watch.token();
  return as_act(*state_->gate->shared_space(), [&] {
    return state_->engine->execute(command, parameters.is_null() ? Json::object() : parameters,
                                   caller);
  });
}

Result<Json> Memory::result_of(const Json& answer) {
  Result<Json> result = detail::last_result(answer);
  if (!result || !kip::has_error(answer)) return result;
  for (const Json& one : result->as_array()) {
    const Json* fault = one.find("error");
    // What was asked for may look like an answer; a fault has a code of KIP.
    if (fault != nullptr && text_member(*fault, "code").starts_with("KIP_"))
      return detail::last_result(one);
  }
  return result;
}

Json Memory::execute_kip(const Json& request, const Author& author) {
  return as_act(*state_->gate->shared_space(),
                [&] { return state_->engine->execute(request, caller_of(author)); });
}

Json Memory::execute_kip_readonly(const Json& request) const {
  kip::Caller caller = caller_of({});
  caller.readonly = true;
  return state_->engine->execute(request, caller);
}

Result<Rows> Memory::find(std::string_view kip, const Json& parameters,
                          const CallLimits& limits) const {
  Json request = Json::object({{"command", kip}});
  if (!parameters.is_null()) request.set("parameters", parameters);
  return detail::find_rows(*state_, std::move(request), limits);
}

Result<Rows> Memory::what_if(std::string_view change, std::string_view query,
                             const Json& parameters, const CallLimits& limits) const {
  Json request = Json::object({{"commands", Json::array({change, query})}, {"dry_run", true}});
  if (!parameters.is_null()) request.set("parameters", parameters);
  return detail::find_rows(*state_, std::move(request), limits);
}

Result<SparqlAnswer> Memory::sparql(std::string_view query, const SparqlSettings& settings) const {
  ANIMA_ASSIGN(sparql::QueryAnswer answer,
               state_->sparql_engine->query(query, detail::query_options(settings)));
  return SparqlAnswer(std::make_shared<const SparqlAnswer::State>(std::move(answer)));
}

Result<SparqlChange> Memory::sparql_update(std::string_view update, const Author& author,
                                           const SparqlSettings& settings) {
  const sparql::QueryOptions same = detail::query_options(settings);
  sparql::UpdateOptions options;
  options.origin = origin_of(author, "library");
  options.base_iri = same.base_iri;
  options.dataset = same.dataset;
  options.load_root = settings.load_root;
  options.budget = same.budget;
  ANIMA_ASSIGN(const sparql::UpdateReport report, state_->sparql_engine->update(update, options));
  SparqlChange change{report.operations, report.inserted, report.deleted, 0};
  if (!report.entries.empty()) change.entry = static_cast<std::uint64_t>(report.entries.back());
  return change;
}

Result<std::uint64_t> Memory::import_rdf(const RdfText& rdf, const Author& author) {
  const auto format = sparql::rdf_format_named(rdf.format);
  if (!format) {
    return fail(ErrorCode::kInvalidArgument, "this is no format of RDF", std::string(rdf.format),
                "ntriples, nquads, turtle, trig, rdfxml or jsonld");
  }
  sparql::RdfLoadOptions options;
  options.format = *format;
  options.base_iri = rdf.base;
  options.graph = rdf.graph;
  std::uint64_t statements = 0;
  ANIMA_TRY(state_->space->write(
      origin_of(author, "library"), [&](store::Transaction& transaction) -> Status {
        options.blank_scope =
            "i" + std::to_string(static_cast<std::uint64_t>(transaction.live().sequence()));
        ANIMA_ASSIGN(statements, sparql::load_rdf(transaction, rdf.text, options));
        return {};
      }));
  return statements;
}

Result<QuestionAnswer> Memory::ask(std::string_view question, const AskSettings& settings) const {
  return detail::ask_space(*state_, question, settings);
}

Result<View> Memory::view() const {
  ANIMA_ASSIGN(store::Snapshot now, state_->space->snapshot());
  return View(std::make_shared<View::State>(state_, std::move(now)));
}

Result<View> Memory::as_of(std::string_view point) const {
  ANIMA_ASSIGN(const store::Snapshot now, state_->space->snapshot());
  ANIMA_ASSIGN(const std::string moment, past_point(point, SystemClock().now()));
  ANIMA_ASSIGN(store::Snapshot then, store::state_at(now, moment));
  return View(std::make_shared<View::State>(state_, std::move(then)));
}

Result<ChangeFeed> Memory::changes() const {
  ANIMA_ASSIGN(const std::uint64_t newest, newest_entry());
  return changes(newest);
}

Result<ChangeFeed> Memory::changes(std::uint64_t after) const {
  ANIMA_ASSIGN(const std::uint64_t newest, newest_entry());
  if (after > newest)
    return fail(ErrorCode::kInvalidArgument, fmt::format("there is no entry {} yet", after), {},
                fmt::format("the newest is {}", newest));
  return ChangeFeed(std::make_shared<ChangeFeed::State>(ChangeFeed::State{state_}), after);
}

Result<std::string> Memory::load_pack(const std::string& folder, const Author& author) {
  memory::CompartmentManager packs(*state_->space, system_files(), "");
  if (!state_->space->folder().empty()) {
    ANIMA_ASSIGN(auto keys, memory::accepted_keys(system_files(), state_->space->folder()));
    packs.accept_keys(std::move(keys));
  }
  ANIMA_TRY(packs.refresh());
  return packs.bring(folder, origin_of(author, folder));
}

Status Memory::unload_pack(const std::string& id, const Author& author) {
  memory::CompartmentManager packs(*state_->space, system_files(), "");
  ANIMA_TRY(packs.refresh());
  return packs.unload(id, origin_of(author, "library"));
}

Result<LoadReport> Memory::load(const LoadRequest& request, const Author& author) {
  load::LoadSettings settings;
  if (!request.type.empty()) settings.wishes.type = request.type;
  settings.wishes.key = request.key;
  for (const std::string& link : request.links) {
    ANIMA_ASSIGN(load::LinkWish wish, load::parse_link_wish(link));
    settings.wishes.links.push_back(std::move(wish));
  }
  if (!request.mapping.is_null()) {
    ANIMA_ASSIGN(settings.mapping, load::mapping_from_json(request.mapping));
  }
  std::vector<load::LoadInput> inputs;
  std::string source = author.source;
  for (const std::string& file : request.files) {
    const auto info = system_files().info(file);
    if (info && info->kind == FileInfo::Kind::kDirectory)
      return fail(ErrorCode::kInvalidArgument, "this is a folder", file, "name the files in it");
    inputs.push_back({file});
    if (author.source.empty()) source += (source.empty() ? "" : ", ") + file;
  }
  ANIMA_ASSIGN(const store::Snapshot now, state_->space->snapshot());
  ANIMA_ASSIGN(const auto loading,
               load::Loading::open(system_files(), std::move(inputs), std::move(settings), now));
  if (!loading->texts().empty()) {
    return fail(ErrorCode::kUnsupported, "texts are not loaded into a memory",
                loading->texts().front().file, "Agent::remember keeps a text");
  }
  ANIMA_ASSIGN(const load::LoadReport report,
               loading->write(*state_->space, origin_of(author, source), request.dry_run));
  return loaded_from(report, loading->mapping());
}

Result<std::uint64_t> Memory::newest_entry() const {
  ANIMA_ASSIGN(const store::Head head, state_->space->log().head());
  return static_cast<std::uint64_t>(head.sequence);
}

Status Memory::undo(std::uint64_t first, std::uint64_t last, const UndoSettings& settings,
                    const Author& author) {
  ANIMA_ASSIGN(const std::uint64_t newest, newest_entry());
  ANIMA_ASSIGN(const store::Snapshot now, state_->space->snapshot());
  std::set<store::Sequence> whole;
  for (std::uint64_t at = first; at <= std::min(last, newest + 1); ++at) {
    if (!whole.insert(store::Sequence{at}).second || at == 0 || at > newest) continue;
    ANIMA_ASSIGN(const store::Act act, store::act_at(*state_->space, now, store::Sequence{at}));
    whole.insert(act.entries.begin(), act.entries.end());
  }
  const std::vector<store::Sequence> entries(whole.begin(), whole.end());
  return store::undo_entries(*state_->space, origin_of(author, "undo"), entries,
                             {settings.cascade, false, agent::keeps_states(*state_->space)})
      .map([](const store::UndoneActs&) {});
}

Result<std::uint64_t> Memory::undo(std::string_view entries, const UndoSettings& settings,
                                   const Author& author) {
  ANIMA_TRY(agent::check_undo_range(entries));
  ANIMA_ASSIGN(const store::Snapshot before, state_->space->snapshot());
  ANIMA_ASSIGN(const agent::UndoShown shown,
               agent::undo_acts(*state_->space, before, origin_of(author, "undo"),
                                {.entries = std::string(entries), .cascade = settings.cascade}));
  if (shown.acts.empty()) return 0;
  return static_cast<std::uint64_t>(shown.acts.front().first);
}

Status Memory::verify() const {
  ANIMA_TRY(store::verify_log(state_->space->log()));
  return {};
}

Status Memory::backup(const std::string& path) const {
  ANIMA_TRY(state_->gate->pass(door_of_memory(), agent::Act::kReads));
  SystemClock clock;
  store::BackupOptions options;
  ANIMA_ASSIGN(auto learnings, agent::kept_learnings(state_->space->folder(), system_files()));
  options.kept = std::move(learnings.files);
  ANIMA_TRY(store::backup_space(*state_->space, path, clock, system_files(), options));
  return learnings.left_out.empty() ? Status() : fail(learnings.left_out.front());
}

}  // namespace anima
