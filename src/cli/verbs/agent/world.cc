// anima world: a population of agents that lives by itself, in one process or in several.
#include "world/world.h"

#include <fmt/format.h>

#include "base/files/output_file.h"
#include "base/text/text.h"
#include "base/text/url.h"
#include "base/version.h"
#include "cli/frame/access.h"
#include "cli/frame/context.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/model_access.h"
#include "cli/frame/options.h"
#include "cli/render/world_view.h"
#include "cli/terminal/progress.h"
#include "tools/web_page.h"
#include "world/outside/keyward.h"
#include "world/outside/outside.h"
#include "world/symbolic_mind.h"

namespace anima::cli {
namespace {

// How the processes of a world find each other.
struct BusChoice {
  std::optional<std::string> address;
  std::string world = "world";
  std::uint64_t parts = 1;
  std::uint64_t wait_seconds = 600;
};

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
  BusChoice bus;
};

constexpr std::uint64_t kMostAgents = 1000;
constexpr std::uint64_t kMostCycles = 1'000'000;
constexpr std::uint64_t kLongestWait = 7 * 86'400;

void name_options(Options& options, BusChoice& bus) {
  options.value("--bus URL", bus.address,
                "nats://host:4222, a NATS server with JetStream; or local: one process (local)");
  options.value("--world NAME", bus.world, "of the world on the bus (world)");
  options.value("--wait SECONDS", bus.wait_seconds,
                "how long another process of the world may be silent (600)");
}

// An address that is given wins over the settings.
std::string bus_address(const Context& context, const BusChoice& bus) {
  const std::string address = bus.address.value_or(context.config.text("world.bus"));
  return address.empty() ? std::string(world::kLocalBus) : address;
}

world::NatsBusOptions nats_options(Context& context, const BusChoice& bus, std::string secret) {
  world::NatsBusOptions options;
  options.servers = bus_address(context, bus);
  options.world = bus.world;
  options.secret = std::move(secret);
  options.parts = bus.parts;
  options.patience_ms = static_cast<std::int64_t>(bus.wait_seconds) * 1000;
  options.version = version();
  options.stopped = &interrupted;
  options.warn = [&context](const std::string& text) { context.warn(text); };
  return options;
}

Json to_json(const world::BusCounts& counts) {
  return Json::object({{"sent", counts.sent},
                       {"received", counts.received},
                       {"repeated", counts.repeated},
                       {"refused", counts.refused},
                       {"joined", counts.joined}});
}

void show(Context& context, const WorldRun& run, const world::World& world,
          const world::Keyward* keyward) {
  const std::vector<world::CycleRecord>& records = world.records();
  const auto seed = static_cast<std::uint64_t>(*run.seed);
  if (!context.json) context.print(world_text(records, seed));
  Json json = world_json(records, seed);
  if (bus_address(context, run.bus) != world::kLocalBus)
    json.set("bus", to_json(world.bus_counts()));
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

Result<world::WorldOptions> world_options(Context& context, const WorldRun& run, bool any_seed,
                                          bool kept, std::stop_token stop) {
  world::WorldOptions options;
  options.folder = *run.folder;
  options.agents = run.agents;
  options.seed = static_cast<std::uint64_t>(*run.seed);
  options.any_seed = any_seed;
  options.replay = run.replay;
  options.lasting = kept;
  options.machine = run.sandbox == "process" ? world::MachinePlace::kSandbox
                    : run.sandbox == "none"  ? world::MachinePlace::kHere
                                             : world::MachinePlace::kWherePossible;
  options.fetch = page_fetcher(context, std::move(stop));
  ANIMA_ASSIGN(options.hosts, listed_hosts(context));
  if (kept) options.database = run.database.value_or(context.config.text("world.database"));
  options.warn = [&context](const std::string& text) { context.warn(text); };
  if (bus_address(context, run.bus) != world::kLocalBus)
    options.bus = [&context, bus = run.bus](const std::string& secret) {
      return world::open_nats_bus(nats_options(context, bus, secret));
    };
  return options;
}

// To the end of its cycles, or until it is interrupted.
Status run_cycles(Context& context, agent::Gate& gate, world::World& world, std::uint64_t cycles) {
  agent::DoorCall tick = door_of(context);
  tick.place = "world";
  tick.name = "tick";
  Progress progress(context, "world", "ticks", (cycles - std::min(cycles, world.cycle())) * 256);
  std::uint64_t done = 0;
  while (world.cycle() < cycles && !interrupted()) {
    ANIMA_TRY(gate.pass(tick, agent::Act::kWrites));
    if (Status ticked = world.run_tick(); !ticked) {
      // A call of a model that Ctrl-C ended, or waiting for a part.
      if (interrupted() && ticked.error().code == ErrorCode::kCancelled) return {};
      return ticked;
    }
    progress.update(++done);
  }
  progress.finish();
  return {};
}

int run_world(Context& context, WorldRun run) {
  const auto gate = open_gate(context);
  if (!gate) return context.fail(gate.error());
  if (const Status let_in = (*gate)->pass(door_of(context), agent::Act::kWrites); !let_in)
    return context.fail(let_in.error());
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
  auto options = world_options(context, run, any_seed, own == nullptr, minds.stop.token());
  if (!options) return context.fail(options.error());
  auto world = world::World::open(context.files, *std::move(options), minds.mind(), random);
  if (!world) return context.fail(world.error());
  run.seed = static_cast<std::int64_t>((*world)->seed());
  if ((*world)->cycle() > 0)
    context.note(fmt::format("goes on after cycle {}", (*world)->cycle() - 1));
  const Status ran = run_cycles(context, **gate, **world, run.cycles);
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
  Status written;
  if (!(*world)->records().empty()) {
    show(context, run, **world, minds.keyward.get());
    if (*report != nullptr) written = write_report(context, **report, run, (*world)->records());
  }
  (*world)->dismiss();
  return written ? static_cast<int>(kDone) : context.fail(written.error());
}

std::optional<int> check_bus(Context& context, const BusChoice& bus) {
  if (!world::is_world_name(bus.world))
    return context.usage_error("--world takes up to 32 letters, digits, '-' and '_'");
  if (bus.wait_seconds == 0 || bus.wait_seconds > kLongestWait)
    return context.usage_error("--wait takes 1 to 604800 seconds");
  return std::nullopt;
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
  options.value("--report FILE", run.report, "writes the report, one HTML file").output();
  options.value("--llm NAME", run.model,
                "a model of the settings makes the agents' plans, or auto: by tier and budget");
  options.value("--llm-tier N", run.model_tier,
                "1: plans of new designs alone; 2: all plans; 3: routine too (2)");
  options
      .value("--sandbox HOW", run.sandbox,
             "where programs run: in a sandboxed process, here, or auto: as this machine can")
      .choices({"auto", "process", "none"});
  options.value("--record FILE", run.record, "writes all that came from outside to FILE").output();
  options.value("--replay FILE", run.replay, "plays such a file; nobody outside is asked")
      .input()
      .excludes("--llm");
  name_options(options, run.bus);
  options.value("--parts N", run.bus.parts,
                "into how many parts the agents are divided: the first is here, the others are "
                "processes of `anima world join` (1)");
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
  if (run.bus.parts == 0 || run.bus.parts > world::kMaxParts)
    return context.usage_error("--parts takes 1 to 64");
  if (const auto exit = check_bus(context, run.bus)) return *exit;
  if (run.bus.parts > 1 && bus_address(context, run.bus) == world::kLocalBus)
    return context.usage_error("--parts needs --bus URL, over which the parts are reached");
  if (run.bus.parts > 1 && !run.seed)
    return context.usage_error("--parts needs --seed N, which the other parts are told, too");
  return run_world(context, std::move(run));
}

struct WorldJoin {
  std::uint64_t part = 0;
  std::optional<std::int64_t> seed;
  BusChoice bus;
};

int join_world(Context& context, const WorldJoin& join) {
  world::SymbolicMind mind;
  SystemRandom random;
  world::NatsBusOptions options =
      nats_options(context, join.bus, world::world_secret(static_cast<std::uint64_t>(*join.seed)));
  options.part = join.part;
  const auto lived = world::live_as_part(std::move(options), mind, random);
  if (!lived && interrupted()) {
    context.note("stopped; the same command goes on with this part");
    return kInterrupted;
  }
  if (!lived) return context.fail(lived.error());
  if (context.json) {
    context.print_json(Json::object(
        {{"part", join.part}, {"turns", lived->turns}, {"bus", to_json(lived->counts)}}));
  } else {
    context.print(fmt::format("part {} of world {}: the world has ended, after {} turns here\n",
                              join.part, join.bus.world, lived->turns));
  }
  return kDone;
}

int run_world_join(Context& context, Arguments arguments) {
  WorldJoin join;
  Options options;
  options.value("--part N", join.part, "which part of the agents lives here: 2 or more");
  options.value("--seed N", join.seed, "the world's: keys follow from it");
  name_options(options, join.bus);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (join.part < 2 || join.part > world::kMaxParts)
    return context.usage_error("--part takes 2 to 64; the first part is with anima world run");
  if (!join.seed || *join.seed < 0)
    return context.usage_error("--seed takes the number that anima world run has");
  if (const auto exit = check_bus(context, join.bus)) return *exit;
  if (bus_address(context, join.bus) == world::kLocalBus)
    return context.usage_error("--bus takes the address of the world's NATS server");
  if (const Status let_in = pass_door(context, agent::Act::kWrites); !let_in)
    return context.fail(let_in.error());
  return join_world(context, join);
}

}  // namespace

extern const Verb kWorldRun;
const Verb kWorldRun{"world run",
                     Group::kActing,
                     "lets agents live in a world of their own, cycle by cycle",
                     "[--agents N] [--cycles N] [--seed N] [--at FOLDER] [--database URL] "
                     "[--report FILE] [--llm NAME] [--llm-tier N] [--sandbox HOW] [--record FILE] "
                     "[--replay FILE] [--bus URL --parts N]",
                     "anima world run --agents 8 --cycles 20 --seed 7 --report world.html",
                     run_world_run};

extern const Verb kWorldJoin;
const Verb kWorldJoin{
    "world join",
    Group::kActing,
    "lets a part of a world's agents live in this process, on this machine or another",
    "--bus URL --part N --seed N [--world NAME] [--wait SECONDS]",
    "anima world join --bus nats://hub:4222 --part 2 --seed 7",
    run_world_join};

}  // namespace anima::cli
