// anima world run: a population of agents that lives by itself.
#include "world/world.h"

#include <fmt/format.h>

#include "base/files/output_file.h"
#include "base/text/text.h"
#include "base/text/url.h"
#include "cli/frame/context.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/model_access.h"
#include "cli/frame/options.h"
#include "cli/frame/progress.h"
#include "cli/render/world_view.h"
#include "tools/web_page.h"
#include "world/outside/keyward.h"
#include "world/outside/outside.h"
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
  std::optional<std::string> model;
  std::uint64_t model_tier = 2;
  std::string sandbox = "auto";
  std::optional<std::string> record;
  std::optional<std::string> replay;
};

constexpr std::uint64_t kMostAgents = 1000;
constexpr std::uint64_t kMostCycles = 1'000'000;

void show(Context& context, const WorldRun& run, const std::vector<world::CycleRecord>& records,
          const world::Keyward* keyward) {
  const auto seed = static_cast<std::uint64_t>(*run.seed);
  if (!context.json) context.print(world_text(records, seed));
  Json json = world_json(records, seed);
  if (keyward != nullptr) {
    const world::KeywardCounts& counts = keyward->counts();
    json.set("models", Json::object({{"asked", counts.asked},
                                     {"answered", counts.answered},
                                     {"input_tokens", counts.input_tokens},
                                     {"output_tokens", counts.output_tokens}}));
    if (!context.json)
      context.print(fmt::format("models          {} of {} thinks, {} tokens in, {} out\n",
                                counts.answered, counts.asked, counts.input_tokens,
                                counts.output_tokens));
  }
  if (context.json) context.print_json(json);
}

Status write_report(Context& context, OutputFile& file, const WorldRun& run,
                    const std::vector<world::CycleRecord>& records) {
  ANIMA_TRY(file.append(world::report_page(records, static_cast<std::uint64_t>(*run.seed))));
  ANIMA_TRY(file.commit());
  context.note("wrote " + *run.report);
  return {};
}

// The models that think in a world, and the policy for the rest.
struct Minds {
  world::SymbolicMind policy;
  StopOnInterrupt stop;
  std::unique_ptr<ModelAccess> access;
  std::unique_ptr<world::Keyward> keyward;

  world::Mind& mind() {
    if (keyward != nullptr) return *keyward;
    return policy;
  }
};

Status open_minds(Context& context, const WorldRun& run, Minds& minds) {
  if (!run.model && !run.replay) return {};
  world::KeywardOptions options;
  if (!run.replay) {
    ANIMA_ASSIGN(minds.access, open_models(context));
    llm::Models& models = *minds.access->models;
    // A name that is not there is told before the run.
    if (*run.model != "auto") ANIMA_TRY(models.find(*run.model).map([](llm::Model*) {}));
    options.model = [&models, name = *run.model](const llm::ThinkContext& thought) {
      return name == "auto" ? models.route(thought) : models.find(name);
    };
    options.budget = [&models] { return models.budget().state(); };
  }
  options.last = static_cast<world::ThinkTier>(run.model_tier);
  options.stop = minds.stop.token();
  options.warn = [&context](const std::string& text) { context.warn(text); };
  minds.keyward = std::make_unique<world::Keyward>(minds.policy, std::move(options));
  return {};
}

// All that came from outside, as the world's folder keeps it.
Status write_recording(Context& context, OutputFile& file, const WorldRun& run) {
  const std::string kept = join_path(*run.folder, world::kOutsideFile);
  if (file_exists(context.files, kept)) {
    ANIMA_ASSIGN(const std::string bytes, read_file(context.files, kept));
    ANIMA_TRY(file.append(bytes));
  }
  ANIMA_TRY(file.commit());
  context.note("wrote " + *run.record);
  return {};
}

// Pages through the fetcher of the tools; only what reads is sent.
world::PageFetcher page_fetcher(const Context& context, std::stop_token stop) {
  tools::PageRequest request;
  request.redirects = 0;
  request.private_addresses = context.config.flag("tools.private_addresses");
  request.best_effort = context.config.text("tools.sandbox") == "best_effort";
  request.stop = std::move(stop);
  return [request](const std::string& method, const std::string& url) -> Result<world::WebPage> {
    if (method != "GET" && method != "HEAD")
      return fail(ErrorCode::kUnsupported, "this world sends GET and HEAD alone");
    tools::PageRequest one = request;
    one.url = url;
    ANIMA_ASSIGN(const Json page, tools::fetch_page(one));
    const auto text = [&](const char* name) {
      const Json* found = page.find(name);
      return found == nullptr ? std::string() : found->as_string();
    };
    const Json *status = page.find("status"), *truncated = page.find("truncated");
    return world::WebPage{status == nullptr ? 0 : status->as_integer(), text("content_type"),
                          text("body"), text("redirect"),
                          truncated != nullptr && truncated->as_bool()};
  };
}

// The hosts of world.web.
Result<std::vector<std::string>> listed_hosts(const Context& context) {
  std::vector<std::string> hosts;
  for (const Json& each : context.config.value("world.web").as_array()) {
    std::string host = to_lower(each.as_string());
    const auto read = read_url("http://" + host.substr(host.starts_with("*.") ? 2 : 0));
    if (!read || !host.ends_with(read->host))
      return fail(ErrorCode::kInvalidArgument, "this is no host: " + visible_text(host),
                  "world.web", "write example.org, or *.example.org for all below it");
    hosts.push_back(std::move(host));
  }
  return hosts;
}

Result<std::unique_ptr<OutputFile>> open_output(Context& context,
                                                const std::optional<std::string>& path) {
  if (!path) return nullptr;
  return OutputFile::open(context.files, *path);
}

// To the end of its cycles, or until it is interrupted.
Status run_cycles(Context& context, world::World& world, std::uint64_t cycles) {
  Progress progress(context, "world", "ticks", (cycles - std::min(cycles, world.cycle())) * 256);
  std::uint64_t done = 0;
  while (world.cycle() < cycles && !interrupted()) {
    if (Status ticked = world.run_tick(); !ticked) {
      // A call of a model that Ctrl-C ended.
      if (interrupted() && ticked.error().code == ErrorCode::kCancelled) return {};
      return ticked;
    }
    progress.update(++done);
  }
  progress.finish();
  return {};
}

int run_world(Context& context, WorldRun run) {
  // Opened first: nobody waits for a run whose report has no place.
  auto report = open_output(context, run.report);
  if (!report) return context.fail(report.error());
  auto recording = open_output(context, run.record);
  if (!recording) return context.fail(recording.error());
  SystemRandom random;
  const bool any_seed = !run.seed;
  if (!run.seed) run.seed = static_cast<std::int64_t>(random.next() >> 33);
  std::unique_ptr<TemporaryDirectory> own;
  if (!run.folder) {
    own = std::make_unique<TemporaryDirectory>("anima-world");
    run.folder = own->file("world");
  }
  Minds minds;
  if (Status opened = open_minds(context, run, minds); !opened)
    return fail_of_model(context, opened.error());
  world::WorldOptions options;
  options.folder = *run.folder;
  options.agents = run.agents;
  options.seed = static_cast<std::uint64_t>(*run.seed);
  options.any_seed = any_seed;
  options.replay = run.replay;
  options.lasting = own == nullptr;
  options.machine = run.sandbox == "process" ? world::MachinePlace::kSandbox
                    : run.sandbox == "none"  ? world::MachinePlace::kHere
                                             : world::MachinePlace::kWherePossible;
  options.fetch = page_fetcher(context, minds.stop.token());
  auto hosts = listed_hosts(context);
  if (!hosts) return context.fail(hosts.error());
  options.hosts = *std::move(hosts);
  if (own == nullptr)
    options.database = run.database.value_or(context.config.text("world.database"));
  options.warn = [&context](const std::string& text) { context.warn(text); };
  auto world = world::World::open(context.files, std::move(options), minds.mind(), random);
  if (!world) return context.fail(world.error());
  run.seed = static_cast<std::int64_t>((*world)->seed());
  if ((*world)->cycle() > 0)
    context.note(fmt::format("goes on after cycle {}", (*world)->cycle() - 1));
  const Status ran = run_cycles(context, **world, run.cycles);
  // Also of a run that was cut: what was paid for is not lost.
  if (*recording != nullptr) {
    if (Status written = write_recording(context, **recording, run); !written)
      return context.fail(written.error());
  }
  if (!ran) return context.fail(ran.error());
  if ((*world)->cycle() < run.cycles) {
    context.note(own == nullptr ? "stopped; the same command goes on with the cycle that was cut"
                                : "stopped; with --at FOLDER a world can go on");
    return kInterrupted;
  }
  const std::vector<world::CycleRecord>& records = (*world)->records();
  if (records.empty()) return kDone;
  show(context, run, records, minds.keyward.get());
  if (*report == nullptr) return kDone;
  const Status written = write_report(context, **report, run, records);
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
  options.value("--llm NAME", run.model,
                "a model of the settings makes the agents' plans, or auto: by tier and budget");
  options.value("--llm-tier N", run.model_tier,
                "1: plans of new designs alone; 2: all plans; 3: routine too (2)");
  options
      .value("--sandbox HOW", run.sandbox,
             "where programs run: in a sandboxed process, here, or auto: as this machine can")
      .choices({"auto", "process", "none"});
  options.value("--record FILE", run.record, "writes all that came from outside to FILE");
  options.value("--replay FILE", run.replay, "plays such a file; nobody outside is asked")
      .excludes("--llm");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (run.agents == 0 || run.agents > kMostAgents)
    return context.usage_error("--agents takes 1 to 1000");
  if (run.cycles == 0 || run.cycles > kMostCycles)
    return context.usage_error("--cycles takes 1 to 1000000");
  if (run.seed && *run.seed < 0) return context.usage_error("--seed takes 0 or more");
  if (run.database && !run.folder)
    return context.usage_error("--database needs --at FOLDER, which keeps the events and the key");
  if (run.model_tier == 0 || run.model_tier > 3)
    return context.usage_error("--llm-tier takes 1 to 3");
  return run_world(context, std::move(run));
}

}  // namespace

extern const Verb kWorldRun;
const Verb kWorldRun{
    "world run",
    Group::kActing,
    "lets agents live in a world of their own, cycle by cycle",
    "[--agents N] [--cycles N] [--seed N] [--at FOLDER] [--database URL] [--report FILE] "
    "[--llm NAME] [--llm-tier N] [--sandbox HOW] [--record FILE] [--replay FILE]",
    "anima world run --agents 8 --cycles 20 --seed 7 --report world.html",
    run_world_run};

}  // namespace anima::cli
