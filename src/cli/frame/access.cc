#include "cli/frame/access.h"

#include <algorithm>
#include <filesystem>

#include "agent/house/gate_settings.h"
#include "agent/telling/told_undo.h"
#include "base/json/text_array.h"
#include "base/text/read_number.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/left_lines.h"
#include "cli/frame/vectors_access.h"
#include "cli/frame/verb.h"
#include "govern/rules/rule_files.h"
#include "memory/compartments/pack_signature.h"
#include "memory/formats/triples_json.h"
#include "store/history.h"
#include "store/space_place.h"
#include "store/symbols.h"
#include "tools/external.h"

namespace anima::cli {

// --- space ---------------------------------------------------------------------------------------
namespace {

using store::Sequence;
using store::Snapshot;

std::string work_folder(const store::Space& space) {
  std::string folder = join_path(space.folder(), "work");
  if (folder.starts_with('/')) return folder;
  return join_path(std::filesystem::current_path().string(), folder);
}

// What a gate runs on goes after it.
struct OpenedGate {
  SystemClock clock;
  SystemRandom random;
  std::shared_ptr<agent::Gate> gate;
};

Result<std::shared_ptr<agent::Gate>> gate_over(const Context& context,
                                               std::shared_ptr<store::Space> space) {
  agent::GateOptions options;
  options.approvals = approval_options(context);
  options.approver_pins = approver_pin_folder(context);
  options.rule_folders = govern::general_rule_folders(context.environment);
  if (space->folder().empty())
    options.rule_folders.insert(options.rule_folders.begin(), join_path(context.space, "policy"));
  options.work_folder = work_folder(*space);
  auto opened = std::make_shared<OpenedGate>();
  ANIMA_ASSIGN(opened->gate, agent::Gate::open(std::move(space), opened->clock, opened->random,
                                               std::move(options)));
  return std::shared_ptr<agent::Gate>(opened, opened->gate.get());
}

// Many verbs that read would keep a record of it. Where the space cannot be written they read it
// all the same; what does write is refused when it comes to that.
bool is_only_read(Context& context, Access access) {
  if (access == Access::kRead || access == Access::kCreate || access == Access::kCheckpoint ||
      !store::names_log(context.files, context.space))
    return false;
  const Status writable = store::may_be_written(context.files, context.space);
  if (!writable) context.cannot_write = writable.error().describe();
  return !writable;
}

}  // namespace

Result<std::shared_ptr<store::Space>> open_space(Context& context, Access access) {
  if (!context.as_of.empty() && access != Access::kRead) {
    return anima::fail(ErrorCode::kDenied, "the past cannot be changed", {}, "leave out `as-of`");
  }
  if (context.salvage && access != Access::kRead) {
    return anima::fail(ErrorCode::kDenied, "what is salvaged can only be read", {},
                       "`anima --salvage backup FILE`, then restore it into another folder");
  }
  store::SpaceOptions options;
  options.salvage = context.salvage;
  options.files = &context.files;
  options.create = access == Access::kCreate;
  options.read_only = access == Access::kRead || is_only_read(context, access);
  options.stop = &interrupt_flag();
  options.undo = agent::told_undo_rules();
  if (access == Access::kCheckpoint) options.checkpoint_after_rows = 0;
  if (context.config.find("store.max_log_bytes") != nullptr) {
    const std::int64_t quota = context.config.integer("store.max_log_bytes");
    if (quota > 0) options.max_log_bytes = static_cast<std::uint64_t>(quota);
  }
  // Nothing is made for who may not write.
  if (options.create && !space_is_there(context))
    ANIMA_TRY(pass_door(context, agent::Act::kWrites));
  ANIMA_ASSIGN(auto space, store::Space::open(context.space, options));
  // A verb that opens the space several times says it once.
  for (const std::string& note : space->notes())
    if (context.told.insert(note).second) context.warn(note);
  ANIMA_ASSIGN(context.gate, gate_over(context, std::move(space)));
  const bool reads = access == Access::kRead || access == Access::kServeReads;
  if (reads || access == Access::kAsItGoes) {
    return context.gate->space_for(door_of(context), agent::Judged::kAtOnce,
                                   reads ? agent::Act::kReads : agent::Act::kWrites);
  }
  return context.gate->enter(door_of(context));
}

agent::DoorCall door_of(const Context& context) {
  const std::string verb(context.verb == nullptr ? "anima" : context.verb->name);
  return {"terminal", verb, local_origin(context, {}).author, govern::Trust::kOperator,
          Json::object({{"words", text_array(context.words)}})};
}

Result<std::shared_ptr<agent::Gate>> open_gate(Context& context) {
  if (space_is_there(context)) {
    const auto space = open_space(context, Access::kAsItGoes);
    if (space) return context.gate;
    // One of another version is judged by its rules, though nobody can read its log.
    if (space.error().code != ErrorCode::kVersionMismatch) return anima::fail(space.error());
  }
  ANIMA_ASSIGN(auto nothing, store::Space::in_memory());
  return gate_over(context, std::move(nothing));
}

Status pass_door(Context& context, agent::Act act) {
  ANIMA_ASSIGN(const auto gate, open_gate(context));
  return gate->pass(door_of(context), act);
}

bool space_is_there(Context& context) {
  if (!store::names_log(context.files, context.space)) return false;
  if (!store::is_shared_log(context.files, context.space)) return true;
  const auto log = store::open_log(context.space);
  if (!log) return log.error().code != ErrorCode::kNotFound;
  const auto head = (*log)->head();
  return !head || head->sequence != Sequence::kNone;
}

std::string open_to_others(FileSystem& files, const std::string& space) {
  const auto info = files.info(space);
  if (!info || (info->permissions & 077) == 0) return {};
  return "other accounts of this machine can enter " + space + ": chmod 700, unless you share it";
}

Result<Snapshot> space_snapshot(const Context& context, store::Space& space) {
  ANIMA_ASSIGN(Snapshot now, space.snapshot());
  if (context.books) now = now.with_books();
  if (context.as_of.empty()) return now;
  return store::state_at(now, context.as_of);
}

store::Origin local_origin(const Context& context, std::string_view source) {
  store::Origin origin;
  const auto user = context.environment.find("USER");
  if (user != context.environment.end() && !user->second.empty()) origin.author = user->second;
  origin.source = source;
  origin.trust = store::Trust::kOperator;
  return origin;
}

Result<Sequence> parse_sequence(std::string_view text) {
  const auto number = read_number<std::uint64_t>(text).value_or(0);
  if (number == 0)
    return anima::fail(ErrorCode::kInvalidArgument, "this is no number of a log entry",
                       std::string(text));
  return Sequence{number};
}

// --- guardian ------------------------------------------------------------------------------------

Result<SharedModel> make_model(Context& context, const std::string& name) {
  if (name == "off") return SharedModel();
  auto model = govern::TextModel::shipped();
  if (name != "on") {
    ANIMA_ASSIGN(const std::string bytes, context.read_input(name));
    model = govern::TextModel::load(bytes, name);
  }
  if (!model) return fail(model.error());
  return std::make_shared<const govern::TextModel>(*std::move(model));
}

Result<govern::Guardian> make_guardian(Context& context,
                                       const std::optional<std::string>& pattern_file,
                                       const std::string& model_name) {
  ANIMA_ASSIGN(SharedModel model, make_model(context, model_name));
  if (!pattern_file) {
    ANIMA_ASSIGN(auto patterns, govern::PatternSet::shipped());
    return govern::Guardian(std::move(patterns), std::move(model));
  }
  ANIMA_ASSIGN(const std::string text, context.read_input(*pattern_file));
  ANIMA_ASSIGN(auto patterns, govern::PatternSet::load(text, *pattern_file));
  return govern::Guardian(std::move(patterns), std::move(model));
}

Result<SharedModel> model_in_use(Context& context) {
  return make_model(context, context.config.text("guard.model"));
}

Result<govern::PatternSet> patterns_in_use(Context& context) {
  const std::string path = context.config.text("guard.patterns");
  if (path.empty()) return govern::PatternSet::shipped();
  ANIMA_ASSIGN(const std::string text, context.read_input(path));
  return govern::PatternSet::load(text, path);
}

// --- ledger, approvals, council ------------------------------------------------------------------

govern::ApprovalOptions approval_options(const Context& context) {
  govern::ApprovalOptions options = govern::kPersonAnswers;
  options.need_key = context.config.text("approvals.need") == "key";
  return options;
}

std::string approver_pin_folder(const Context& context) {
  return agent::approver_pin_folder(context.environment);
}

Result<std::unique_ptr<Governance>> open_governance(Context& context, Access access,
                                                    agent::Act writes) {
  const bool reads = access == Access::kRead;
  ANIMA_ASSIGN(auto space, open_space(context, reads ? access : Access::kAsItGoes));
  if (!reads) {
    ANIMA_ASSIGN(space, context.gate->enter(door_of(context), writes));
  }
  return std::make_unique<Governance>(context.gate, std::move(space),
                                      local_origin(context, "").author);
}

learn::Thresholds learning_thresholds(const Context& context) {
  learn::Thresholds thresholds;
  thresholds.rejection = context.config.integer("learning.threshold.rejection");
  thresholds.acceptance = context.config.integer("learning.threshold.acceptance");
  thresholds.correction = context.config.integer("learning.threshold.correction");
  return thresholds;
}

std::vector<std::string> rule_folders(const Context& context) {
  std::vector<std::string> folders = {join_path(context.space, "policy")};
  for (std::string& folder : govern::general_rule_folders(context.environment))
    folders.push_back(std::move(folder));
  return folders;
}

// --- memory --------------------------------------------------------------------------------------

Result<std::unique_ptr<Remembering>> open_memory(Context& context, Access access) {
  const bool reads = access == Access::kRead || access == Access::kCheckpoint;
  ANIMA_ASSIGN(auto space, open_space(context, reads ? access : Access::kAsItGoes));
  ANIMA_ASSIGN(auto patterns, patterns_in_use(context));
  ANIMA_ASSIGN(auto model, model_in_use(context));
  ANIMA_ASSIGN(auto vectors, open_vectors(context, *space));
  auto kept = std::make_unique<agent::KeptMemory>(*context.gate, *space, std::move(patterns),
                                                  std::move(model), std::move(vectors));
  memory::MemoryManager& manager = kept->manager;
  auto governance = std::make_unique<Governance>(context.gate, std::move(space),
                                                 local_origin(context, "").author);
  return std::make_unique<Remembering>(
      Remembering{std::move(governance), std::move(kept), manager});
}

// --- house ---------------------------------------------------------------------------------------
namespace {

tools::ExternalOptions external_options(const Context& context, const store::Space& space) {
  tools::ExternalOptions options;
  options.work_folder = work_folder(space);
  for (const Json& folder : context.config.value("tools.readable").as_array()) {
    if (folder.is_string()) options.readable.push_back(folder.as_string());
  }
  options.best_effort = context.config.text("tools.sandbox") == "best_effort";
  options.private_addresses = context.config.flag("tools.private_addresses");
  options.environment = context.environment;
  return options;
}

}  // namespace

Result<agent::HouseOptions> house_options(Context& context, const store::Space& space) {
  constexpr std::int64_t kMost = 1'000'000;
  const std::int64_t limit = context.config.integer("gateway.messages_per_minute");
  agent::HouseOptions options;
  options.door = door_of(context);
  options.judged = agent::Judged::kAtOnce;
  options.tools = external_options(context, space);
  options.gateway.messages_per_minute = static_cast<int>(std::clamp<std::int64_t>(limit, 0, kMost));
  ANIMA_ASSIGN(options.patterns, patterns_in_use(context));
  ANIMA_ASSIGN(options.model, model_in_use(context));
  options.learning = learning_thresholds(context);
  ANIMA_ASSIGN(options.vectors, open_vectors(context, space));
  return options;
}

Result<House> open_house(Context& context) {
  ANIMA_ASSIGN(agent::HouseOptions options, house_options(context, context.gate->space()));
  ANIMA_ASSIGN(House house, open_house(context, std::move(options)));
  learn_what_was_left(context, *house, context.gate->shared_space());
  return house;
}

Result<House> open_house(Context& context, agent::HouseOptions options) {
  House opened;
  ANIMA_ASSIGN(opened.house, agent::GovernedHouse::open(context.gate, std::move(options)));
  return opened;
}

// --- compartments and their agent ----------------------------------------------------------------
namespace {

Status load_triples(Context& context, Workshop& workshop, const std::string& path) {
  ANIMA_ASSIGN(const std::string text, read_file(context.files, path));
  store::Origin origin = local_origin(context, path);
  origin.trust = store::Trust::kStandard;
  const auto change = [&](store::Transaction& transaction) -> Status {
    store::SymbolWriter symbols(transaction, {});
    return memory::read_triples_json(
               text, path,
               [&](const memory::TripleElement& element) -> Status {
                 ANIMA_ASSIGN(const store::Triple triple,
                              symbols.link(element.subject, element.predicate, element.object));
                 store::AssertOptions options;
                 options.confidence = element.confidence;
                 return transaction.assert_link(triple, options).map([](store::EntityId) {});
               })
        .map([](std::uint64_t) {});
  };
  return workshop.space->write(origin, change).map([](const store::Receipt&) {});
}

}  // namespace

Result<Workshop> open_workshop(Context& context, Access access, std::string_view source,
                               const std::optional<std::string>& directory) {
  Workshop workshop;
  ANIMA_ASSIGN(workshop.space, open_space(context, access));
  const std::string base = directory.value_or(join_path(workshop.space->folder(), "compartments"));
  workshop.compartments =
      std::make_unique<memory::CompartmentManager>(*workshop.space, context.files, base);
  ANIMA_ASSIGN(auto accepted, memory::accepted_keys(context.files, workshop.space->folder()));
  workshop.compartments->accept_keys(std::move(accepted));
  workshop.compartments->follow_psyche(context.config.flag("psyche.follow"));
  if (is_only_read(context, Access::kWrite)) {
    ANIMA_TRY(workshop.compartments->discover().map([](std::size_t) {}));
    ANIMA_TRY(workshop.compartments->refresh());
  } else {
    ANIMA_TRY(workshop.compartments->start(local_origin(context, source)));
  }
  for (const Error& error : workshop.compartments->discovery_errors()) {
    context.warn(error.describe());
  }
  return workshop;
}

Status add_knowledge(Context& context, Workshop& workshop, const std::string& path) {
  if (!file_exists(context.files, join_path(path, "compartment.toml"))) {
    const Result<FileInfo> info = context.files.info(path);
    if (!info) return fail(info.error());
    if (info->kind == FileInfo::Kind::kFile && extension(path) == ".json") {
      return load_triples(context, workshop, path);
    }
    return fail(ErrorCode::kInvalidArgument, "this is no compartment and no triples.json", path,
                "other formats: anima import FILE");
  }
  return workshop.compartments->bring(path, local_origin(context, path))
      .map([](const std::string&) {});
}

}  // namespace anima::cli
