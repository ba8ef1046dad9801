// anima world run: a population of agents that lives by itself.
#include "world/world.h"

#include <fmt/format.h>

#include "base/files/output_file.h"
#include "cli/frame/context.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "cli/frame/progress.h"
#include "world/symbolic_mind.h"

namespace anima::cli {
namespace {

struct WorldRun {
  std::uint64_t agents = 8;
  std::uint64_t cycles = 20;
  std::optional<std::int64_t> seed;
  std::optional<std::string> folder;
  std::optional<std::string> report;
  std::optional<std::string> database;
};

constexpr std::uint64_t kMostAgents = 1000;
constexpr std::uint64_t kMostCycles = 1'000'000;

std::string outcome_text(const world::CycleRecord& last, const WorldRun& run) {
  std::string text =
      fmt::format("{:<9} {:<13} {:<8} {:>7} {:>10} {:>6} {:>6} {:>5} {:>5}\n", "agent", "role",
                  "status", "balance", "reputation", "done", "live", "peers", "trust");
  for (const world::AgentRecord& agent : last.agents)
    text += fmt::format("{:<9} {:<13} {:<8} {:>7} {:>10.3f} {:>6} {:>6} {:>5} {:>5.2f}\n",
                        world::alias(agent.id), world::to_string(agent.role),
                        world::to_string(agent.status), agent.balance, agent.reputation,
                        agent.completed, agent.goals, agent.peers, agent.trust);
  const auto told = [&](const char* name) {
    const auto found = last.told.find(name);
    return found == last.told.end() ? std::uint64_t{0} : found->second;
  };
  text += fmt::format(
      "\nthe last cycle  {} events, {} messages; bounties: {} posted, {} claimed, {} paid, {} "
      "refused\nepoch           {}\naccounts        {} of a supply of {}\nworld hash      {}\nseed "
      "           {}\n",
      last.events, last.messages, told("bounties posted"), told("bounties claimed"),
      told("bounties paid"), told("bounties refused"), world::epoch_name(last.epoch), last.sum,
      last.supply, to_hex(last.world_hash), *run.seed);
  return text;
}

void show(Context& context, const WorldRun& run, const std::vector<world::CycleRecord>& records) {
  if (!context.json) {
    context.print(outcome_text(records.back(), run));
    return;
  }
  Json cycles = Json::array();
  for (const world::CycleRecord& record : records) cycles.push_back(world::to_json(record));
  context.print_json(Json::object({{"seed", *run.seed},
                                   {"world_hash", to_hex(records.back().world_hash)},
                                   {"cycles", std::move(cycles)}}));
}

Status write_report(Context& context, OutputFile& file, const WorldRun& run,
                    const std::vector<world::CycleRecord>& records) {
  ANIMA_TRY(file.append(world::report_page(records, static_cast<std::uint64_t>(*run.seed))));
  ANIMA_TRY(file.commit());
  context.note("wrote " + *run.report);
  return {};
}

int run_world(Context& context, WorldRun run) {
  // Opened first: nobody waits for a run whose report has no place.
  std::unique_ptr<OutputFile> report;
  if (run.report) {
    auto opened = OutputFile::open(context.files, *run.report);
    if (!opened) return context.fail(opened.error());
    report = *std::move(opened);
  }
  SystemRandom random;
  const bool any_seed = !run.seed;
  if (!run.seed) run.seed = static_cast<std::int64_t>(random.next() >> 33);
  std::unique_ptr<TemporaryDirectory> own;
  if (!run.folder) {
    own = std::make_unique<TemporaryDirectory>("anima-world");
    run.folder = own->file("world");
  }
  world::SymbolicMind mind;
  world::WorldOptions options;
  options.folder = *run.folder;
  options.agents = run.agents;
  options.seed = static_cast<std::uint64_t>(*run.seed);
  options.any_seed = any_seed;
  if (own == nullptr)
    options.database = run.database.value_or(context.config.text("world.database"));
  options.warn = [&context](const std::string& text) { context.warn(text); };
  auto world = world::World::open(context.files, std::move(options), mind, random);
  if (!world) return context.fail(world.error());
  run.seed = static_cast<std::int64_t>((*world)->seed());
  const std::uint64_t begun = (*world)->cycle();
  if (begun > 0) context.note(fmt::format("goes on after cycle {}", begun - 1));
  {
    Progress progress(context, "world", "ticks", (run.cycles - std::min(run.cycles, begun)) * 256);
    std::uint64_t done = 0;
    while ((*world)->cycle() < run.cycles && !interrupted()) {
      if (Status ticked = (*world)->run_tick(); !ticked) return context.fail(ticked.error());
      progress.update(++done);
    }
    progress.finish();
  }
  if ((*world)->cycle() < run.cycles) {
    context.note(own == nullptr ? "stopped; the same command goes on with the cycle that was cut"
                                : "stopped; with --at FOLDER a world can go on");
    return kInterrupted;
  }
  const std::vector<world::CycleRecord>& records = (*world)->records();
  if (records.empty()) return kDone;
  show(context, run, records);
  if (report == nullptr) return kDone;
  const Status written = write_report(context, *report, run, records);
  return written ? static_cast<int>(kDone) : context.fail(written.error());
}

int run_world_run(Context& context, Arguments arguments) {
  WorldRun run;
  Options options;
  options.value("--agents N", run.agents, "agents at the beginning, 1 to 1000 (8)");
  options.value("--cycles N", run.cycles, "until so many cycles have ended (20)");
  options.value("--seed N", run.seed, "of ids, keys and chances; one is drawn without it");
  options.value("--at FOLDER", run.folder,
                "keeps the world there; the same command goes on after a stop or a crash");
  options.value("--database URL", run.database,
                "keeps the state in PostgreSQL, as postgresql://user@host/name; needs --at");
  options.value("--report FILE", run.report, "writes the report, one HTML file");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (run.agents == 0 || run.agents > kMostAgents)
    return context.usage_error("--agents takes 1 to 1000");
  if (run.cycles == 0 || run.cycles > kMostCycles)
    return context.usage_error("--cycles takes 1 to 1000000");
  if (run.seed && *run.seed < 0) return context.usage_error("--seed takes 0 or more");
  if (run.database && !run.folder)
    return context.usage_error("--database needs --at FOLDER, which keeps the events and the key");
  return run_world(context, std::move(run));
}

}  // namespace

extern const Verb kWorldRun;
const Verb kWorldRun{
    "world run",
    Group::kActing,
    "lets agents live in a world of their own, cycle by cycle",
    "[--agents N] [--cycles N] [--seed N] [--at FOLDER] [--database URL] [--report FILE]",
    "anima world run --agents 8 --cycles 20 --seed 7 --report world.html",
    run_world_run};

}  // namespace anima::cli
