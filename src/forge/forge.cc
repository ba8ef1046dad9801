#include "forge/forge.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <future>
#include <thread>

#include "base/crypto.h"
#include "base/json/text_array.h"
#include "base/text/text.h"
#include "base/text/valid_text.h"
#include "forge/detail/rule_world.h"
#include "tools/mcp/tool_book.h"
#include "tools/sandbox/sealed_program.h"

namespace anima::forge {
namespace {

using detail::PlainText;
using detail::RuleRow;
using detail::RuleWorld;

constexpr std::string_view kRules = "packs/forge/loop.mg";
constexpr std::int64_t kMicroseconds = 1'000'000;
constexpr int kRunsOfAnExample = 2;  // one that answers otherwise the second time fails it
constexpr std::int64_t kExampleMs = 10'000;
constexpr std::size_t kShownOutput = 200;

std::string sha256_text(std::string_view text) { return hash_hex(HashAlgorithm::kSha256, text); }

// A pure function of its arguments: it reads nothing, and nothing of them chooses anything.
govern::ToolDeclaration declaration_of(const MadeTool& tool, std::int64_t execute_ms) {
  govern::ToolDeclaration declared;
  declared.name = tool.name;
  declared.description = tool.description;
  declared.effects = {govern::ToolEffect::kReads};
  declared.timeout_milliseconds = execute_ms;
  const Json text = Json::object({{"type", "string"}});
  declared.arguments = Json::object(
      {{"type", "object"},
       {"properties",
        Json::object(
            {{"input",
              Json::object({{"type", "string"}, {"description", "the text that it works on"}})},
             {"args", Json::object({{"type", "array"},
                                    {"items", text},
                                    {"description", "what else it has to know, word by word"}})}})},
       {"additionalProperties", false}});
  return declared;
}

tools::ProgramAccess program_of(const MadeTool& tool, const std::string& binary) {
  tools::ProgramAccess program;
  program.command = {binary};
  program.sealed = tool.binary_sha256;
  return program;
}

}  // namespace

std::string normalised_source(std::string_view source) {
  std::string text;
  for (std::string_view line : split(source, '\n')) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t'))
      line.remove_suffix(1);
    text.append(line);
    text += '\n';
  }
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

Json ForgeReport::to_json() const {
  Json list = Json::array();
  for (const SafetyReport& each : refused) list.push_back(each.to_json());
  Json json = Json::object({{"success", success},
                            {"tool", tool_name},
                            {"run", run},
                            {"stage", stage},
                            {"proposals", proposals},
                            {"safety", safety.to_json()},
                            {"refused", std::move(list)},
                            {"example_runs", example_runs},
                            {"examples_held", examples_held},
                            {"compile_ms", compile_milliseconds},
                            {"ms", milliseconds}});
  if (error) {
    json.set("error", error->describe());
    if (!error->hint.empty()) json.set("hint", error->hint);
  }
  if (!failures.empty()) {
    json.set("failures", text_array(failures));
  }
  if (!compile_errors.empty()) json.set("compile_errors", compile_errors);
  if (tool) json.set("manifest", tool->to_json());
  return json;
}

// One run of the state machine.
class Forge::Generation {
 public:
  Generation(Forge& forge, const Need& need, Generator& generator, ForgeReport& report)
      : forge_(forge),
        options_(forge.options_),
        world_(*forge.world_),
        need_(need),
        generator_(generator),
        report_(report) {}

  Status run() {
    ANIMA_TRY(detect());
    ANIMA_ASSIGN(const auto lock, hold());
    ANIMA_TRY(begin());
    Status end = iterate();
    ANIMA_TRY(clear());
    return end;
  }

  // What this run told the rules goes with it.
  Status clear() {
    for (RuleWorld::Change& each : told_) each.insert = false;
    std::ranges::reverse(told_);
    const Status gone = world_.tell(told_);
    told_.clear();
    return gone;
  }

 private:
  Status tell(std::string predicate, RuleRow row) {
    told_.push_back({predicate, row, true});
    return world_.tell(std::move(predicate), std::move(row));
  }

  Status detect() {
    if (need_.name.empty()) return fail(ErrorCode::kInvalidArgument, "a need has a name", "name");
    GateState state;
    state.made_in_session = static_cast<std::uint64_t>(forge_.stats_.tools_generated);
    if (forge_.stats_.last_generation > 0)
      state.seconds_since_last = now_seconds() - forge_.stats_.last_generation;
    state.vetoes = options_.vetoes;
    ANIMA_TRY(pass_gate(need_, state, options_.gate));
    for (const std::string& each : need_.capabilities)
      ANIMA_TRY(tell("goal_requires", {"/" + report_.run, each}));
    ANIMA_ASSIGN(const auto blocked, world_.ask("block_action(/generate_tool, Reason)"));
    if (!blocked.empty())
      return fail(ErrorCode::kDenied, "no tool may be made here: " + blocked[0][1], need_.name);
    ANIMA_ASSIGN(const bool permitted, world_.holds("permitted(/generate_tool)"));
    if (!permitted) return fail(ErrorCode::kDenied, "no rule permits to make a tool", need_.name);
    ANIMA_ASSIGN(before_, forge_.store_.find(need_.name));
    if (!before_ || options_.replace) return find_workshop();
    return fail(ErrorCode::kAlreadyExists, "there is a made tool of this name", need_.name,
                "--again makes a new version of it");
  }

  // What this machine lacks is no fault of a source, and no other proposal mends it.
  Status find_workshop() const {
    ANIMA_TRY(inspector_of(options_.safety).map([](const std::string&) {}));
    ANIMA_TRY(check_compiler(options_.compile));
    constexpr tools::Containment kDemand = tools::Containment::kFull;
    if (tools::machine_sandbox().containment() == kDemand || options_.compile.best_effort)
      return {};
    return fail(tools::no_sandbox(kDemand));
  }

  Result<std::unique_ptr<FileLock>> hold() {
    auto lock = forge_.store_.lock(need_.name, false);
    if (lock || lock.error().code != ErrorCode::kBusy) return lock;
    return fail(ErrorCode::kBusy, "somebody else makes this tool now", need_.name);
  }

  Status begin() {
    ANIMA_ASSIGN(history_, forge_.store_.history(need_.name));
    for (const std::int64_t time : history_.panics)
      ANIMA_TRY(tell("error_history", {PlainText{need_.name}, "/panic", time}));
    for (std::size_t i = 0; i < history_.hashes.size(); ++i) {
      // A source that was in force twice counts once.
      if (std::ranges::find(history_.hashes.begin(), history_.hashes.begin() + static_cast<long>(i),
                            history_.hashes[i]) != history_.hashes.begin() + static_cast<long>(i))
        continue;
      ANIMA_TRY(tell("history", {fmt::format("/version_{}_{}", need_.name, i),
                                 PlainText{history_.hashes[i]}}));
    }
    ANIMA_TRY(tell("max_iterations", {options_.max_iterations}));
    ANIMA_TRY(tell("max_retries", {options_.max_attempts}));
    return tell("baseline", {before_ ? before_->stability : std::int64_t{0}});
  }

  Status iterate() {
    // What every tool is compiled with is got ready beside the proposal and its check.
    parts_ = std::async(std::launch::async, [options = options_.compile] {
               return prepare_parts(options);
             }).share();
    for (std::int64_t n = 0;; ++n) {
      step_ = fmt::format("/step_{}_{}_{}", need_.name, report_.run, n);
      ANIMA_TRY(tell("iteration", {step_, n}));
      ANIMA_ASSIGN(const auto halt, world_.ask("should_halt(Reason)"));
      if (!halt.empty()) return halted(halt[0][0]);
      ANIMA_ASSIGN(const bool accepted, accept());
      if (!accepted) continue;
      ANIMA_TRY(simulate());
      ANIMA_TRY(commit());
      ANIMA_TRY(tell("state_at_iteration", {step_, n, stability_}));
      feedback_.reset();
      if (!options_.refine) return {};
      ANIMA_ASSIGN(const bool converged, world_.holds("converged(S)"));
      if (converged) return {};
    }
  }

  // A run that has put a version in force has succeeded, whatever ended it.
  Status halted(const std::string& why) {
    if (report_.tool) return {};
    return fail(ErrorCode::kConflict, "halted: " + why, need_.name,
                why == "stagnation" ? "the generator made the same source again" : "");
  }

  // Whether there is a proposal that is safe and holds its examples.
  Result<bool> accept() {
    ANIMA_ASSIGN(const bool proposed, propose());
    if (!proposed) return false;
    ANIMA_ASSIGN(const bool safe, audit());
    if (!safe) return false;
    ANIMA_TRY(compile());
    return examine();
  }

  Result<bool> propose() {
    report_.stage = "specification";
    ++report_.proposals;
    auto proposal = generator_.propose(need_, feedback_);
    if (!proposal && proposal.error().code == ErrorCode::kInvalidArgument)
      return send_back("unread", {}, proposal.error().describe(), "no proposal could be read");
    if (!proposal) return fail(std::move(proposal).error());
    proposal_ = *std::move(proposal);
    proposal_.source = valid_text(proposal_.source);
    // The same source with other examples is another proposal.
    hash_ = sha256_text(normalised_source(proposal_.source) + to_json(proposal_.examples).dump());
    ANIMA_TRY(tell("history", {step_, PlainText{hash_}}));
    return true;
  }

  // What was wrong goes back to the generator, as long as it has proposals left.
  Result<bool> send_back(const char* reason, const std::string& source, const std::string& told,
                         const char* failed) {
    ++retries_;
    if (retries_ >= options_.max_attempts) {
      ++forge_.stats_.tools_rejected;
      return fail(ErrorCode::kDenied, fmt::format("{} after {} attempts", failed, retries_),
                  need_.name, std::string(told.substr(0, told.find('\n'))));
    }
    ANIMA_TRY(tell("retry_attempt", {step_, retries_, PlainText{reason}}));
    feedback_ = Feedback{source, told};
    if (options_.sleep) {
      options_.sleep(options_.retry_delay_ms);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(options_.retry_delay_ms));
    }
    return false;
  }

  // Whether it is safe; records either way.
  Result<bool> audit() {
    report_.stage = "safety_check";
    const Result<CompilerParts>& parts = parts_.get();
    if (!parts) return fail(parts.error());
    CheckedSource checked =
        check_safety(proposal_.source, options_.safety, options_.compile, *parts);
    report_.safety = std::move(checked.report);
    program_ = std::move(checked.program);
    ANIMA_TRY(
        forge_.write(kToolProposed, Json::object({{"tool", need_.name},
                                                  {"run", report_.run},
                                                  {"proposal", report_.proposals},
                                                  {"by", proposal_.made_by},
                                                  {"source_sha256", sha256_text(proposal_.source)},
                                                  {"source", proposal_.source},
                                                  {"examples", to_json(proposal_.examples)},
                                                  {"report", report_.safety.to_json()}})));
    if (report_.safety.safe) return true;
    report_.refused.push_back(report_.safety);
    if (retries_ + 1 >= options_.max_attempts) ++forge_.stats_.safety_violations;
    return send_back("unsafe", proposal_.source, report_.safety.feedback(), "safety check failed");
  }

  // Only what passes here is told to the rules for good.
  Status simulate() {
    report_.stage = "simulation";
    const std::int64_t base =
        std::llround(100.0 * static_cast<double>(report_.examples_held) /
                     static_cast<double>(std::max<std::int64_t>(report_.example_runs, 1)));
    const std::vector<RuleWorld::Change> proposed = {
        {"proposed", {step_}, true},
        {"step_tool", {step_, PlainText{need_.name}}, true},
        {"base_stability", {step_, base}, true}};
    RuleWorld::Simulation world = world_.simulate();
    ANIMA_TRY(world.tell(proposed));
    ANIMA_ASSIGN(const bool stagnates, world.holds("stagnation_detected()"));
    if (stagnates) {
      return fail(ErrorCode::kConflict, "stagnation: this source is there already", need_.name);
    }
    ANIMA_ASSIGN(const auto effective, world.ask("effective_stability(" + step_ + ", Points)"));
    ANIMA_ASSIGN(const bool valid, world.holds("valid_transition(" + step_ + ")"));
    if (effective.size() != 1 || !valid) {
      return fail(ErrorCode::kConflict,
                  fmt::format("transition rejected: its stability is {}, and the registered "
                              "version has {}",
                              effective.empty() ? "unknown" : effective[0][1],
                              before_ ? before_->stability : 0),
                  need_.name);
    }
    stability_ = std::stoll(effective[0][1]);
    return {};
  }

  Status compile() {
    report_.stage = "compilation";
    ANIMA_TRY(reach("compile"));
    const Result<CompilerParts>& parts = parts_.get();
    if (!parts) return fail(parts.error());
    ANIMA_ASSIGN(compiled_, compile_tool(program_, options_.compile, *parts));
    report_.compile_milliseconds = compiled_.milliseconds;
    report_.compile_errors = compiled_.errors;
    if (!compiled_.success) {
      return fail(ErrorCode::kInvalidArgument, "it does not compile", need_.name,
                  std::string(beginning_of(compiled_.errors, 400)));
    }
    ++forge_.stats_.tools_compiled;
    return {};
  }

  // Those of whoever needs it first: the proposal cannot take one of them away.
  std::vector<Example> examples() const {
    std::vector<Example> all = need_.examples;
    for (const Example& each : proposal_.examples) {
      if (std::ranges::find(all, each) == all.end()) all.push_back(each);
    }
    return all;
  }

  Result<bool> examine() {
    report_.stage = "examples";
    examples_ = examples();
    std::string failures;
    const std::int64_t runs = report_.example_runs, held = report_.examples_held;
    if (examples_.empty()) {
      failures =
          "The proposal has no examples: a second fenced block has to list inputs and what must "
          "come out.\n";
    }
    const TemporaryDirectory folder("anima-examples");
    const std::string path = folder.file("tool");
    ANIMA_TRY(replace_file(system_files(), path, compiled_.binary, 0755));
    const tools::ProgramAccess program = program_of(manifest(), path);
    for (std::size_t i = 0; i < examples_.size(); ++i) {
      ANIMA_ASSIGN(const std::string wrong, try_example(program, examples_[i]));
      if (!wrong.empty()) failures += fmt::format("Example {}: {}\n", i + 1, wrong);
    }
    ANIMA_TRY(forge_.write(kToolExamined, Json::object({{"tool", need_.name},
                                                        {"run", report_.run},
                                                        {"proposal", report_.proposals},
                                                        {"examples", to_json(examples_)},
                                                        {"runs", report_.example_runs - runs},
                                                        {"held", report_.examples_held - held},
                                                        {"failures", failures}})));
    if (failures.empty()) return true;
    report_.failures.push_back(failures);
    return send_back("examples", proposal_.source, failures, "its examples failed");
  }

  // What is wrong; empty: each run gave what it should. Errors: what is no fault of the tool.
  Result<std::string> try_example(const tools::ProgramAccess& program, const Example& example) {
    tools::SealedOptions options;
    options.wall_ms = std::min(options_.execute_ms, kExampleMs);
    options.best_effort = options_.compile.best_effort;
    std::string wrong;
    for (int i = 0; i < kRunsOfAnExample; ++i) {
      const auto ran = tools::run_sealed(need_.name, program, example.arguments(), options);
      if (!ran && ran.error().code == ErrorCode::kNoSandbox) return fail(ran.error());
      ++report_.example_runs;
      const bool told_error = !ran && ran.error().code == ErrorCode::kInvalidArgument;
      const std::string got = ran ? ran->find("text")->as_string() : std::string();
      if (example.fails ? told_error : ran && got == example.output) {
        ++report_.examples_held;
      } else if (wrong.empty()) {
        wrong = fmt::format(
            "for {} it gave {} and had to give {}",
            beginning_of(example.arguments().dump(), kShownOutput),
            ran ? quote_json(beginning_of(got, kShownOutput)) : ran.error().describe(),
            example.fails ? "an error" : quote_json(beginning_of(example.output, kShownOutput)));
      }
    }
    return wrong;
  }

  Status commit() {
    MadeTool tool = manifest();
    report_.stage = "registration";
    ANIMA_ASSIGN(tool, forge_.store_.commit(std::move(tool), report_.run, proposal_.source,
                                            compiled_.binary, options_.at_step));
    if (const Status entered = enter(tool); !entered) {
      ANIMA_TRY(forge_.store_.roll_back(tool));
      return entered;
    }
    report_.tool = tool;
    return keep(tool);
  }

  Status reach(std::string_view step) {
    return options_.at_step ? options_.at_step(step) : Status();
  }

  MadeTool manifest() const {
    MadeTool tool;
    tool.name = need_.name;
    tool.description = proposal_.description;
    tool.capabilities = need_.capabilities;
    tool.source_sha256 = sha256_text(proposal_.source);
    tool.binary_sha256 = sha256_text(compiled_.binary);
    tool.stability = stability_;
    tool.safety_score = report_.safety.score;
    tool.registered_at = now_seconds();
    tool.generator = proposal_.made_by;
    tool.need = need_.to_json();
    tool.examples = examples_;
    return tool;
  }

  Status enter(const MadeTool& tool) {
    ANIMA_TRY(reach("register"));
    ANIMA_TRY(forge_.enter_in_book(tool));
    const Status told = forge_.tell_tool(tool);
    if (!told) ANIMA_TRY(forge_.forget_tool(tool.name));
    return told;
  }

  Status keep(const MadeTool& tool) {
    history_.hashes.push_back(hash_);
    history_.panics.clear();
    ANIMA_TRY(forge_.store_.keep_history(need_.name, history_));
    forge_.stats_.tools_generated += before_ ? 0 : 1;
    forge_.stats_.last_generation = now_seconds();
    ANIMA_TRY(world_.tell({{"baseline", {before_ ? before_->stability : std::int64_t{0}}, false},
                           {"baseline", {tool.stability}, true}}));
    told_.push_back({"baseline", {tool.stability}, true});
    before_ = tool;
    return forge_.write(kToolCommitted, Json::object({{"tool", need_.name},
                                                      {"run", report_.run},
                                                      {"proposals", report_.proposals},
                                                      {"manifest", tool.to_json()}}));
  }

  std::int64_t now_seconds() const { return forge_.clock_.now().microseconds / kMicroseconds; }

  Forge& forge_;
  const ForgeOptions& options_;
  RuleWorld& world_;
  const Need& need_;
  Generator& generator_;
  ForgeReport& report_;
  std::vector<RuleWorld::Change> told_;
  std::optional<MadeTool> before_;
  ToolHistory history_;
  std::optional<Feedback> feedback_;
  ToolSource proposal_;
  std::string program_;  // of the proposal, as it was checked
  CompileResult compiled_;
  std::vector<Example> examples_;
  std::shared_future<Result<CompilerParts>> parts_;
  std::string step_, hash_;
  std::int64_t retries_ = 0;
  std::int64_t stability_ = 0;
};

Forge::Forge(store::Space& space, govern::Ledger& ledger, Clock& clock, Random& random,
             ForgeOptions options)
    : space_(space),
      ledger_(ledger),
      clock_(clock),
      random_(random),
      options_(std::move(options)),
      store_(system_files(), options_.folder) {
  if (options_.compile.cache_folder.empty())
    options_.compile.cache_folder = join_path(options_.folder, ".compiled");
}
Forge::~Forge() = default;

Result<std::unique_ptr<Forge>> Forge::open(store::Space& space, govern::Ledger& ledger,
                                           Clock& clock, Random& random, ForgeOptions options) {
  std::unique_ptr<Forge> forge(new Forge(space, ledger, clock, random, std::move(options)));
  ANIMA_ASSIGN(forge->world_, RuleWorld::open(kRules));
  const ForgeOptions& settings = forge->options_;
  ANIMA_TRY(forge->world_->tell("current_mode", {settings.mode}));
  if (settings.override_production)
    ANIMA_TRY(forge->world_->tell("admin_override", {"/tool_generation"}));
  if (settings.network_restricted) ANIMA_TRY(forge->world_->tell("network_restricted_shard", {}));
  ANIMA_TRY(forge->recover());
  return forge;
}

// The files say what there is; the book follows them.
Status Forge::recover() {
  ANIMA_ASSIGN(const ToolStore::Recovery recovery,
               store_.recover(govern::make_uuid(random_).substr(0, 8)));
  ANIMA_ASSIGN(const std::vector<MadeTool> tools, store_.list());
  ANIMA_ASSIGN(const store::Snapshot snapshot, space_.snapshot());
  ANIMA_ASSIGN(const tools::ToolBook book, tools::read_tool_book(snapshot));
  const auto told = [&](std::string_view tool, std::string_view what) {
    return write(kToolRecovered,
                 Json::object({{"tool", std::string(tool)}, {"what", std::string(what)}}));
  };
  for (const std::string& each : recovery.quarantined)
    ANIMA_TRY(told(each, "its files did not fit its manifest and were put in quarantine"));
  for (const std::string& each : recovery.restored)
    ANIMA_TRY(told(each, "the version before was restored"));
  std::vector<std::string> in_book;
  for (const tools::ToolManifest& manifest : book.manifests) {
    if (manifest.tools.size() != 1 || manifest.tools[0].program.sealed.empty()) continue;
    const auto tool = std::ranges::find(tools, manifest.name, &MadeTool::name);
    const tools::ProgramAccess& program = manifest.tools[0].program;
    // The space may have been moved.
    if (tool != tools.end() && tool->binary_sha256 == program.sealed &&
        program.command == std::vector<std::string>{store_.binary_path(tool->name)}) {
      in_book.push_back(manifest.name);
    } else if (tool == tools.end()) {
      ANIMA_TRY(tools::remove_tool_manifest(space_, options_.origin, manifest.name));
      ANIMA_TRY(told(manifest.name, "its files are not there: it was taken out of the book"));
    }
  }
  for (const MadeTool& tool : tools) {
    ANIMA_TRY(tell_tool(tool));
    if (std::ranges::find(in_book, tool.name) != in_book.end()) continue;
    ANIMA_TRY(enter_in_book(tool));
    ANIMA_TRY(told(tool.name, "it was entered in the book"));
  }
  return {};
}

Status Forge::enter_in_book(const MadeTool& tool) {
  tools::ToolManifest manifest;
  manifest.name = tool.name;
  tools::CommandTool command;
  command.declaration = declaration_of(tool, options_.execute_ms);
  ANIMA_TRY(command.declaration.check());
  command.program = program_of(tool, store_.binary_path(tool.name));
  manifest.tools.push_back(std::move(command));
  return tools::put_tool_manifest(space_, options_.origin, manifest);
}

// The facts of one tool: whatever was said of it before goes.
Status Forge::tell_tool(const MadeTool& tool) {
  ANIMA_TRY(forget_tool(tool.name));
  const PlainText name{tool.name};
  std::vector<RuleWorld::Change> facts = {
      {"tool_registered", {name, tool.registered_at}, true},
      {"tool_hash", {name, PlainText{tool.binary_sha256}}, true},
      {"tool_description", {name, PlainText{tool.description}}, true},
      {"tool_binary_path", {name, PlainText{store_.binary_path(tool.name)}}, true},
      {"tool_hot_loaded", {name, tool.registered_at}, true},
      {"tool_version", {name, tool.version}, true},
      {"tool_capability", {name, "/" + tool.name}, true}};
  for (const std::string& each : tool.capabilities)
    facts.push_back({"tool_capability", {name, each}, true});
  return world_->tell(facts);
}

Status Forge::forget_tool(std::string_view tool) {
  std::vector<RuleWorld::Change> gone;
  for (const char* predicate :
       {"tool_registered", "tool_hash", "tool_description", "tool_binary_path", "tool_hot_loaded",
        "tool_version", "tool_capability"}) {
    ANIMA_ASSIGN(const auto rows,
                 world_->ask(fmt::format("{}({}, V)", predicate, quote_json(tool))));
    const std::string_view kind(predicate);
    const bool number =
        kind == "tool_registered" || kind == "tool_hot_loaded" || kind == "tool_version";
    for (const auto& row : rows) {
      detail::RuleValue value = PlainText{row[1]};
      if (number) value = std::int64_t{std::stoll(row[1])};
      if (kind == "tool_capability") value = row[1];
      gone.push_back({predicate, {PlainText{std::string(tool)}, value}, false});
    }
  }
  return world_->tell(gone);
}

Status Forge::write(std::string_view action, Json details) {
  return ledger_.write(action, options_.origin.author, govern::Trust::kOperator, std::move(details))
      .map([](const std::string&) {});
}

ForgeReport Forge::generate(const Need& need, Generator& generator) {
  ForgeReport report;
  report.tool_name = need.name;
  report.run = govern::make_uuid(random_).substr(0, 8);
  const auto begin = std::chrono::steady_clock::now();
  Generation generation(*this, need, generator, report);
  Status end;
  const auto panic = [&](const std::string& what) {
    report.stage = "panic";
    ++stats_.panics;
    end = fail(ErrorCode::kInternal, "the generation broke off: " + what, need.name);
    auto history = store_.history(need.name);
    if (!history) return;
    history->panics.push_back(clock_.now().microseconds / kMicroseconds);
    (void)store_.keep_history(need.name, *history);
  };
  try {
    end = generation.run();
  } catch (const std::exception& problem) {
    panic(problem.what());
  } catch (...) {
    panic("without a reason");
  }
  if (const Status cleared = generation.clear(); !cleared && end) end = cleared;
  report.milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::steady_clock::now() - begin)
                            .count();
  report.success = end.has_value() && report.tool.has_value();
  if (report.success) {
    report.stage = "complete";
    return report;
  }
  if (!end) report.error = end.error();
  const Status told =
      write(kToolRefused, Json::object({{"tool", need.name},
                                        {"run", report.run},
                                        {"need", need.to_json()},
                                        {"stage", report.stage},
                                        {"proposals", report.proposals},
                                        {"compile_errors", report.compile_errors},
                                        {"reason", report.error ? report.error->describe() : ""}}));
  if (!told && !report.error) report.error = told.error();
  return report;
}

Status Forge::remove(std::string_view tool) {
  ANIMA_ASSIGN(const auto found, store_.find(tool));
  if (!found) {
    return fail(ErrorCode::kNotFound, "there is no made tool of this name", std::string(tool),
                "see `anima tool list`");
  }
  ANIMA_ASSIGN(const auto lock, store_.lock(tool, true));
  // The book first: nobody calls what is not offered.
  ANIMA_TRY(tools::remove_tool_manifest(space_, options_.origin, tool));
  ANIMA_TRY(store_.remove(tool));
  // It may be made again, from the same source.
  ANIMA_ASSIGN(ToolHistory history, store_.history(tool));
  history.hashes.clear();
  ANIMA_TRY(store_.keep_history(tool, history));
  ANIMA_TRY(forget_tool(tool));
  return write(kToolWithdrawn, Json::object({{"tool", std::string(tool)},
                                             {"version", found->version},
                                             {"binary_sha256", found->binary_sha256}}));
}

Result<std::vector<std::vector<std::string>>> Forge::ask(std::string_view query) const {
  return world_->ask(query);
}

}  // namespace anima::forge
