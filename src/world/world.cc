#include "world/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/files/output_file.h"
#include "base/json/message_pack_fields.h"
#include "base/passphrase.h"
#include "base/text/text.h"
#include "world/daemons/agora.h"
#include "world/daemons/forge.h"
#include "world/daemons/knowledge.h"
#include "world/daemons/mint.h"
#include "world/daemons/nexus.h"
#include "world/daemons/oracle.h"
#include "world/daemons/portal.h"
#include "world/daemons/vault.h"
#include "world/event_log.h"
#include "world/machine/sandboxed_machine.h"
#include "world/outside/outside.h"
#include "world/parts/agent_host.h"
#include "world/parts/parts.h"
#include "world/parts/remote_state.h"
#include "world/record_rows.h"

namespace anima::world {
namespace {

constexpr std::uint64_t kBountiesPerCycle = 4;
constexpr std::uint64_t kBountyCycles = 4;  // until its deadline
constexpr std::uint64_t kFoundingRewards[] = {30, 15, 15, 40, 35, 20, 50};

struct Meta {
  std::uint64_t seed = 0;
  std::uint64_t agents = 0;
  std::uint64_t upkeep = 0;
  std::uint64_t cycle = 0;  // the next one
  std::uint64_t lamport = 0;
  std::uint64_t born = 0;  // agents since the beginning
  LogPosition log;
  std::map<AgentId, std::uint64_t> positions;
  ANIMA_FIELDS(ANIMA_FIELD(seed) ANIMA_FIELD(agents) ANIMA_FIELD(upkeep) ANIMA_FIELD(cycle)
                   ANIMA_FIELD(lamport) ANIMA_FIELD(born) ANIMA_FIELD(log) ANIMA_FIELD(positions))
};

Result<SealKey> world_key(FileSystem& files, const std::string& folder, Random& random) {
  const std::string path = join_path(folder, "world.key");
  SealKey key{};
  if (!file_exists(files, path)) {
    random.fill(key);
    ANIMA_TRY(replace_file(files, path, to_hex(key) + "\n", 0600));
    return key;
  }
  ANIMA_ASSIGN(std::string text, read_file(files, path, 4096));
  auto bytes = from_hex(std::string_view(text).substr(0, 64));
  wipe(text);
  if (!bytes || bytes->size() != key.size())
    return fail(ErrorCode::kCorrupt, "the file of the world's key cannot be read", path);
  std::copy(bytes->begin(), bytes->end(), reinterpret_cast<char*>(key.data()));
  wipe(*bytes);
  return key;
}

std::string_view told_name(EventKind kind) {
  switch (kind) {
    case EventKind::kBountyCreated:
      return "bounties posted";
    case EventKind::kBountyClaimed:
      return "bounties claimed";
    case EventKind::kBountySubmitted:
      return "bounties submitted";
    case EventKind::kBountyCompleted:
      return "bounties paid";
    case EventKind::kBountyRejected:
      return "bounties refused";
    case EventKind::kEntryPublished:
      return "entries published";
    case EventKind::kEntryVerified:
      return "entries verified";
    case EventKind::kSnapCreated:
      return "snapshots";
    case EventKind::kSandboxHalted:
      return "programs run";
    case EventKind::kTransferCompleted:
      return "payments";
    case EventKind::kMessagePosted:
      return "messages posted";
    case EventKind::kProposalVoted:
      return "votes";
    default:
      return {};
  }
}

}  // namespace

std::string world_secret(std::uint64_t seed) {
  return std::string(
      bytes_of(Sha256().update("ANIMA_WORLD:").update(big_endian(seed, 8)).finish()));
}

struct World::Inside {
  Inside(FileSystem& file_system, WorldOptions wanted, Mind& given_mind, Random& dice)
      : files(file_system), options(std::move(wanted)), mind(given_mind), random(dice) {}

  FileSystem& files;
  WorldOptions options;
  Mind& mind;
  Random& random;
  std::unique_ptr<FileLock> lock;
  std::unique_ptr<StateStore> store;
  std::unique_ptr<EventLog> log;
  std::unique_ptr<Outside> outside;
  std::unique_ptr<Knowledge> knowledge;
  std::unique_ptr<SandboxedMachine> machine;
  std::unique_ptr<EventBus> bus;
  Realm realm;
  std::string secret;
  SealKey key{};
  std::unique_ptr<Nexus> nexus;
  std::unique_ptr<Mint> mint;
  std::unique_ptr<Vault> vault;
  std::unique_ptr<Agora> agora;
  std::unique_ptr<Oracle> oracle;
  std::unique_ptr<Forge> forge;
  std::unique_ptr<Portal> portal;
  std::unique_ptr<AgentKeeper> keeper;
  std::unique_ptr<MessageBus> parts_bus;
  std::unique_ptr<Parts> parts;
  std::unique_ptr<AgentHost> host;  // of the part that is here
  Meta kept;                        // as it was committed last
  bool save_again = false;          // a part began anew while it was saved
  Identity observer;
  SubscriptionId tap{};
  std::uint64_t cycle = 0;
  std::uint64_t tick = 0;
  std::uint64_t born = 0;
  std::map<AgentId, std::uint64_t> ticks_left;   // what each may have left of its budget
  std::map<AgentId, std::uint64_t> heard_until;  // of those without a turn: the last event
  std::uint64_t lamport_before = 0;
  std::vector<CycleRecord> records;

  // In the order in which the world hash takes them.
  std::array<Daemon*, 7> daemons() const {
    return {nexus.get(), vault.get(), agora.get(), oracle.get(),
            forge.get(), mint.get(),  portal.get()};
  }

  Daemon* daemon(System system) const {
    for (Daemon* each : daemons()) {
      if (each->system() == system) return each;
    }
    return nullptr;
  }

  Status build(std::uint64_t lamport) {
    bus = std::make_unique<EventBus>(lamport);
    bus->set_sink([this](const Event& event) -> Status {
      ANIMA_TRY(log->append(event));
      parts->tell(event);
      return {};
    });
    realm.bus = bus.get();
    nexus = std::make_unique<Nexus>(realm, secret);
    vault = std::make_unique<Vault>(realm, secret);
    agora = std::make_unique<Agora>(realm, secret);
    oracle = std::make_unique<Oracle>(realm, secret);
    oracle->use(*knowledge);
    forge = std::make_unique<Forge>(realm, secret);
    if (machine != nullptr) {
      forge->use([this](std::string_view program, std::int64_t input, std::uint64_t ticks) {
        return machine->run(program, input, ticks);
      });
    }
    mint = std::make_unique<Mint>(realm, secret);
    portal = std::make_unique<Portal>(realm, secret);
    portal->open(options.fetch, options.hosts, outside.get());
    realm.nexus = nexus.get();
    realm.vault = vault.get();
    realm.agora = agora.get();
    realm.oracle = oracle.get();
    realm.forge = forge.get();
    realm.mint = mint.get();
    realm.portal = portal.get();
    for (const Daemon* each : daemons()) nexus->introduce(each->identity().key.public_key);
    observer = named_identity("KINGDOM_OBSERVER:", "OBSERVER_0", secret);
    tap = bus->subscribe(bus->join(observer, BusMode::kObserver), {});
    return build_parts();
  }

  Status build_parts() {
    parts_bus = make_local_bus();
    if (options.bus) {
      ANIMA_ASSIGN(parts_bus, options.bus(secret));
    }
    parts = std::make_unique<Parts>(*parts_bus, realm.tick);
    keeper = std::make_unique<AgentKeeper>(*store, key, secret, random);
    parts_bus->attend([this](std::string_view question) { return answer(question); },
                      [this](std::uint64_t part) { return base_of(part); });
    host = std::make_unique<AgentHost>(AgentHostOptions{secret, parts_bus->questions(), &mind,
                                                        store.get(), key, &random, options.warn});
    parts_bus->host(1, [this](std::string_view bytes) { return host->command(bytes); });
    realm.deliver = [this](const AgentId& to, std::string frame) {
      parts->deliver(to, std::move(frame));
    };
    return {};
  }

  // What a part asks while it does what it was commanded.
  Result<std::string> answer(std::string_view bytes) {
    ANIMA_ASSIGN(const PartQuestion question, unpack_bytes<PartQuestion>(bytes));
    const bool about_agent = question.need == PartNeed::kPut || question.need == PartNeed::kGet;
    if (about_agent && !parts->is_of_asker(question.agent))
      return fail(ErrorCode::kDenied, "this agent lives in another part", alias(question.agent));
    PartAnswer answer;
    switch (question.need) {
      case PartNeed::kPost: {
        Daemon* const target = daemon(question.system);
        auto frame = target == nullptr ? std::nullopt : target->receive(question.bytes.bytes);
        if (frame) answer.bytes = Binary{*std::move(frame)};
        break;
      }
      case PartNeed::kPut:
        ANIMA_TRY(keeper->put(question.agent, question.bytes.bytes));
        break;
      case PartNeed::kGet: {
        ANIMA_ASSIGN(std::string kept_agent, keeper->get(question.agent));
        answer.bytes = Binary{std::move(kept_agent)};
        break;
      }
      case PartNeed::kThink: {
        ANIMA_ASSIGN(std::string thought, think_for(question.bytes.bytes));
        answer.bytes = Binary{std::move(thought)};
        break;
      }
    }
    answer.news = parts->news_of_asker();
    return pack(answer).encode();
  }

  Result<std::string> think_for(std::string_view bytes) {
    ANIMA_ASSIGN(PartThought thought, unpack_bytes<PartThought>(bytes));
    if (thought.tier < 1 || thought.tier > 3)
      return fail(ErrorCode::kSyntax, "there is no such tier of thinking");
    Citizen citizen;
    citizen.identity.id = thought.agent.id;
    citizen.memory = std::move(thought.agent.memory);
    citizen.goals = std::move(thought.agent.goals);
    citizen.state = std::move(thought.agent.state);
    const Goal* const goal = thought.goal ? citizen.goals.find(*thought.goal) : nullptr;
    return mind.think({citizen, goal, thought.plan_wanted, static_cast<ThinkTier>(thought.tier),
                       realm.tick, [&] { return prompt_sections(citizen, goal, realm.tick); }});
  }

  // What a part has to know when it begins: its agents as they were kept, and what happened since
  // each of them listened last.
  Result<std::vector<std::string>> base_of(std::uint64_t part) {
    if (store->in_batch()) {
      store->roll_back();
      ANIMA_TRY(store->begin());
      save_again = true;
    }
    PartCommand begin;
    begin.order = PartOrder::kBegin;
    begin.tick = realm.tick;
    begin.lamport = kept.lamport;
    begin.thinks = mind.anywhere() || parts_bus->is_here(part);
    std::uint64_t oldest = kept.lamport;
    for (const auto& [id, position] : kept.positions) {
      if (parts->part_of(id) != part) continue;
      begin.resident[id] = position;
      oldest = std::min(oldest, position);
    }
    ANIMA_TRY(read_events(files, options.folder, kept.log, [&](Event event) {
      if (event.id.lamport > oldest) begin.news.events.push_back(std::move(event));
      return Status();
    }));
    return std::vector<std::string>{pack(begin).encode()};
  }

  std::uint64_t draw(std::string_view what, std::uint64_t number) const {
    const Digest digest =
        Sha256().update(secret).update(what).update(big_endian(number, 8)).finish();
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i) value = value << 8 | digest[i];
    return value;
  }

  Status spawn(const Genome& genome) {
    const Identity identity = agent_identity(++born, secret);
    nexus->introduce(identity.key.public_key);
    return parts->spawn(identity.id, {born, genome, kGrant});
  }

  void post_bounty(std::uint64_t reward, std::uint64_t number) {
    const std::uint64_t wanted = draw("bounty", number) % 10'000;
    const char* tag = number % 3 == 0 ? "arithmetic" : number % 3 == 1 ? "library" : "compiler";
    // An empty treasury posts none.
    static_cast<void>(agora->post_system_bounty(
        fmt::format("a program that leaves {}", wanted), reward, 1 + reward / 20, wanted,
        {tag, "arithmetic"}, realm.tick + kBountyCycles * kTicksPerCycle));
  }

  Status found_world() {
    mint->found(options.agents);
    oracle->found();
    for (std::uint64_t i = 0; i < options.agents; ++i) ANIMA_TRY(spawn(seed_genome(i)));
    for (std::size_t i = 0; i < std::size(kFoundingRewards); ++i)
      post_bounty(kFoundingRewards[i], i);
    return {};
  }

  Status restore(const Meta& meta) {
    cycle = meta.cycle;
    born = meta.born;
    realm.cycle = cycle;
    for (Daemon* each : daemons()) {
      const std::string name(to_string(each->system()));
      ANIMA_ASSIGN(const auto state, store->load_part("daemon." + name));
      ANIMA_ASSIGN(const auto wire, store->load_part("wire." + name));
      if (!state || !wire)
        return fail(ErrorCode::kCorrupt, "the state of a daemon is missing: " + name);
      ANIMA_TRY(restore_additions(*each));
      ANIMA_ASSIGN(const MessagePack unpacked, decode_message_pack(*state));
      ANIMA_TRY(each->restore(unpacked));
      ANIMA_ASSIGN(const MessagePack wires, decode_message_pack(*wire));
      ANIMA_TRY(each->restore_wire(wires));
    }
    ANIMA_TRY(restore_agents());
    ANIMA_TRY(restore_told(meta));
    ANIMA_TRY(restore_records());
    if (!records.empty() && world_hash() != records.back().world_hash)
      return fail(ErrorCode::kCorrupt, "the state of the world is not the one that was written",
                  options.folder, "bring its files back from a copy");
    return {};
  }

  // What was told when the world was founded belongs to its first cycle.
  Status restore_told(const Meta& meta) {
    bus->set_position(tap, cycle == 0 ? 0 : meta.lamport);
    if (cycle > 0) return {};
    return read_events(files, options.folder, meta.log, [&](Event event) {
      bus->restore(std::move(event));
      return Status();
    });
  }

  static std::string additions_name(const Daemon& daemon, std::uint64_t number) {
    return fmt::format("added.{}.{}", to_string(daemon.system()), number);
  }

  Status restore_additions(Daemon& daemon) const {
    for (std::uint64_t number = 0; number <= cycle; ++number) {
      ANIMA_ASSIGN(const auto added, store->load_part(additions_name(daemon, number)));
      if (!added) continue;
      ANIMA_ASSIGN(const MessagePack unpacked, decode_message_pack(*added));
      ANIMA_TRY(daemon.add_back(unpacked));
    }
    return {};
  }

  Status restore_records() {
    ANIMA_ASSIGN(records, load_records(*store));
    if (records.size() < cycle)
      return fail(ErrorCode::kCorrupt, "the record of a cycle is missing");
    return {};
  }

  Status restore_agents() {
    std::map<AgentId, std::uint64_t> numbers;
    for (std::uint64_t number = 1; number <= born; ++number)
      numbers[agent_identity(number, secret).id] = number;
    ANIMA_ASSIGN(const std::vector<AgentId> ids, store->agents());
    for (const AgentId& id : ids) {
      if (!numbers.contains(id) || !kept.positions.contains(id))
        return fail(ErrorCode::kCorrupt, "the place of an agent is missing", alias(id));
      parts->settle(id, numbers.at(id));
    }
    if (ids.size() != kept.positions.size())
      return fail(ErrorCode::kCorrupt, "an agent of the world is missing", options.folder);
    return parts->begin_here();
  }

  Digest world_hash() const {
    Sha256 hash;
    for (const Daemon* each : daemons()) hash.update(bytes_of(each->state_hash()));
    return hash.finish();
  }

  Status begin_cycle() {
    realm.cycle = cycle;
    lamport_before = bus->current_lamport();
    if (cycle > 0) {
      for (std::uint64_t i = 0; i < kBountiesPerCycle; ++i)
        post_bounty(10 + draw("reward", cycle * kBountiesPerCycle + i) % 11,
                    7 + cycle * kBountiesPerCycle + i);
      if (cycle > 1 && nexus->active_count() < kLeastActive) {
        // The treasury may be too poor for another one.
        const Status born_one = spawn(seed_genome(6));
        if (!born_one && born_one.error().code != ErrorCode::kDenied) return born_one;
        if (!born_one && options.warn) options.warn(born_one.error().describe());
      }
    }
    nexus->begin_cycle(records.empty() ? Digest{} : records.back().world_hash);
    mind.begin_cycle(ranks());
    for (const auto& each : nexus->agents()) ticks_left[each.first] = kMaxTickBudget;
    return {};
  }

  // The active agents, those of most reputation first.
  std::vector<AgentId> ranks() const {
    std::vector<std::pair<float, AgentId>> active;
    for (const auto& each : nexus->agents()) {
      if (each.second.status == AgentStatus::kActive)
        active.emplace_back(-each.second.reputation, each.first);
    }
    std::ranges::sort(active);
    std::vector<AgentId> ids;
    for (const auto& each : active) ids.push_back(each.second);
    return ids;
  }

  Status run_tick() {
    realm.tick = cycle * kTicksPerCycle + tick;
    if (tick == 0) ANIMA_TRY(begin_cycle());
    forge->work();
    agora->judge_system_bounties();
    agora->expire();
    mint->refund_overdue();
    for (auto& [id, left] : ticks_left) {
      if (!nexus->is_active(id)) {
        ANIMA_TRY(listen(id));
      } else if (left > 0) {
        ANIMA_ASSIGN(left, parts->turn(id));
      }
    }
    for (const Daemon* each : daemons()) ANIMA_TRY(each->failed());
    ANIMA_TRY(mind.failed());
    ANIMA_TRY(portal->stopped());
    ANIMA_TRY(forge->stopped());
    if (++tick == kTicksPerCycle) return end_cycle();
    return {};
  }

  // One without a turn hears what happened; nothing is sent where nothing did.
  Status listen(const AgentId& id) {
    std::uint64_t& heard = heard_until[id];
    if (heard == bus->current_lamport()) return {};
    heard = bus->current_lamport();
    return parts->observe({id});
  }

  Status end_cycle() {
    for (const auto& each : nexus->agents()) {
      if (each.second.status == AgentStatus::kActive) mint->charge(each.first, options.upkeep);
    }
    ANIMA_TRY(parts->end_cycle());
    nexus->end_cycle();
    agora->end_cycle();
    forge->end_cycle();
    portal->end_cycle();
    for (const Daemon* each : daemons()) ANIMA_TRY(each->failed());
    ANIMA_ASSIGN(CycleRecord made, make_record());
    records.push_back(std::move(made));
    const CycleRecord& record = records.back();
    if (record.sum != record.supply)
      return fail(ErrorCode::kInternal, fmt::format("the accounts sum to {} and the supply is {}",
                                                    record.sum, record.supply));
    ++cycle;
    tick = 0;
    return save();
  }

  Result<CycleRecord> make_record() {
    ANIMA_ASSIGN(PartReport report, parts->report());
    CycleRecord record;
    record.cycle = cycle;
    record.world_hash = world_hash();
    record.epoch = nexus->epoch();
    record.sum = mint->total();
    record.supply = static_cast<std::int64_t>(mint->supply());
    record.treasury = mint->account(nexus->id()).balance;
    record.events = bus->current_lamport() - lamport_before;
    record.messages = report.messages;
    record.thinks = report.thinks;
    record.nops = report.nops;
    record.failures = report.failures;
    for (const Event* event : bus->read(tap)) {
      const std::string_view name = told_name(event->known_kind());
      if (!name.empty()) ++record.told[std::string(name)];
    }
    record.agents = std::move(report.agents);
    for (AgentRecord& agent : record.agents) {
      const Registered& known = nexus->agents().at(agent.id);
      agent.role = known.role;
      agent.status = known.status;
      agent.balance = mint->account(agent.id).balance;
      agent.reputation = static_cast<double>(known.reputation);
    }
    return record;
  }

  Status save() {
    ANIMA_TRY(log->sync());
    ANIMA_TRY(outside->sync());
    ANIMA_TRY(oracle->keep());
    Meta meta;
    do {
      save_again = false;
      ANIMA_TRY(store->begin());
      Status saved = save_parts(meta);
      if (!saved || save_again) store->roll_back();
      ANIMA_TRY(saved);
    } while (save_again);
    ANIMA_TRY(store->commit());
    for (Daemon* each : daemons()) each->settle();
    kept = std::move(meta);
    parts_bus->settled();
    bus->drop_read();
    return write_checkpoint(files, options.folder,
                            {cycle, bus->current_lamport(), log->position(),
                             records.empty() ? world_hash() : records.back().world_hash});
  }

  Status save_parts(Meta& meta) {
    ANIMA_ASSIGN(PartSaved saved, parts->save());
    meta = {options.seed,           options.agents, options.upkeep,  cycle,
            bus->current_lamport(), born,           log->position(), std::move(saved.positions)};
    for (const Daemon* each : daemons()) {
      const std::string name(to_string(each->system()));
      ANIMA_TRY(store->save_part("daemon." + name, each->kept().encode()));
      ANIMA_TRY(store->save_part("wire." + name, each->wire_state().encode()));
      if (const MessagePack added = each->additions(); !added.is_nil())
        ANIMA_TRY(store->save_part(additions_name(*each, cycle), added.encode()));
    }
    // Those of before have not changed.
    if (!records.empty())
      ANIMA_TRY(store->save_part(record_name(records.back().cycle), pack(records.back()).encode()));
    ANIMA_TRY(store->save_part("outside", pack(outside->position()).encode()));
    return store->save_part("meta", pack(meta).encode());
  }

  bool in_folder(std::string_view name) const {
    return file_exists(files, join_path(options.folder, name));
  }

  // What is in the folder must belong to the state: events of another world would be cut off.
  Status check_folder(bool kept) const {
    if (kept && !in_folder("world.key"))
      return fail(ErrorCode::kNotFound, "the key of this world is not in its folder",
                  options.folder, "name the folder it was made with, or bring its world.key");
    if (!kept && in_folder("checkpoint.json"))
      return fail(ErrorCode::kConflict,
                  "the folder holds events of a world whose state is elsewhere", options.folder,
                  "name its database, or another folder");
    return {};
  }

  Status open_store() {
    const bool here = in_folder("world.db");
    if (options.database.empty()) {
      if (!here) {
        ANIMA_TRY(check_folder(false));
        ANIMA_TRY(replace_file(files, join_path(options.folder, "world.db"), "", 0600));
      }
      ANIMA_ASSIGN(store, open_sqlite_state(join_path(options.folder, "world.db")));
      return {};
    }
    if (here)
      return fail(ErrorCode::kConflict, "the folder holds a world with a file for its state",
                  options.folder, "name another folder for the world of the database");
    ANIMA_ASSIGN(store, open_postgres_state(options.database));
    return {};
  }

  Status start_machine() {
    if (options.machine == MachinePlace::kHere) return {};
    auto started = SandboxedMachine::start(find_machine());
    if (started) {
      machine = *std::move(started);
      return {};
    }
    if (options.machine == MachinePlace::kSandbox) return fail(started.error());
    if (options.warn) options.warn("programs run in this process: " + started.error().describe());
    return {};
  }

  std::string knowledge_folder() const {
    return options.lasting ? join_path(options.folder, kKnowledgeFolder) : std::string();
  }

  Status open_outside(std::uint64_t next_cycle) {
    OutsideOptions wanted{options.folder, 0, next_cycle * kTicksPerCycle, options.replay};
    // A world of an earlier program has none.
    ANIMA_ASSIGN(const auto position, store->load_part("outside"));
    if (position) {
      ANIMA_ASSIGN(wanted.position, unpack_bytes<std::uint64_t>(*position));
    }
    ANIMA_ASSIGN(outside, Outside::open(files, std::move(wanted)));
    mind.attach(*outside);
    return {};
  }

  // A world does not move in with something else.
  Status check_alone() const {
    ANIMA_ASSIGN(const auto entries, files.list(options.folder));
    const bool world = in_folder("world.key") || in_folder("checkpoint.json");
    const auto of_world = [&](const DirectoryEntry& entry) {
      if (entry.name == kKnowledgeFolder) return world;
      // Who was killed leaves drafts.
      const std::string_view name =
          std::string_view(entry.name).substr(0, entry.name.find(kDraftMark));
      return name.starts_with("world.") || name == "checkpoint.json" || name == kOutsideFile ||
             name.starts_with("events_");
    };
    const auto other = std::ranges::find_if_not(entries, of_world);
    if (other == entries.end()) return {};
    return fail(ErrorCode::kInvalidArgument,
                "the folder holds something else: " + visible_text(other->name), options.folder,
                "name a folder of its own for the world");
  }

  // A process that was killed has its lock until it is gone.
  Status take_lock() {
    constexpr std::chrono::milliseconds kStep{50}, kPatience{2'000};
    for (auto waited = kStep;; waited += kStep) {
      auto taken = files.lock(join_path(options.folder, "world.lock"), LockMode::kExclusive, false);
      if (taken) {
        lock = std::move(*taken);
        return {};
      }
      if (taken.error().code != ErrorCode::kBusy) return fail(taken.error());
      if (waited > kPatience)
        return fail(ErrorCode::kBusy, "another process runs this world", options.folder,
                    "wait for its end, or name another folder");
      std::this_thread::sleep_for(kStep);
    }
  }

  Status start() {
    ANIMA_TRY(files.make_directories(options.folder, 0700));
    ANIMA_TRY(check_alone());
    ANIMA_TRY(take_lock());
    remove_dead_drafts(files, options.folder);
    ANIMA_TRY(open_store());
    ANIMA_ASSIGN(const auto there, store->load_part("meta"));
    ANIMA_TRY(check_folder(there.has_value()));
    ANIMA_ASSIGN(key, world_key(files, options.folder, random));
    Meta& meta = kept;
    if (there) {
      ANIMA_ASSIGN(meta, unpack_bytes<Meta>(*there));
      if (options.any_seed) options.seed = meta.seed;
      if (meta.seed != options.seed || meta.agents != options.agents ||
          meta.upkeep != options.upkeep)
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("another world is there: {} agents of seed {}, upkeep {}",
                                meta.agents, meta.seed, meta.upkeep),
                    options.folder, "name another folder, or give its numbers");
    }
    secret = world_secret(options.seed);
    ANIMA_TRY(open_outside(meta.cycle));
    ANIMA_TRY(start_machine());
    ANIMA_ASSIGN(knowledge, Knowledge::open(knowledge_folder(), secret));
    ANIMA_ASSIGN(log, EventLog::open(files, options.folder, meta.log));
    ANIMA_TRY(build(meta.lamport));
    if (there) return restore(meta);
    // Of a founding that was cut.
    ANIMA_TRY(knowledge->go_back(0));
    ANIMA_TRY(found_world());
    return save();
  }
};

World::World(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
World::~World() = default;

Result<std::unique_ptr<World>> World::open(FileSystem& files, WorldOptions options, Mind& mind,
                                           Random& random) {
  auto inside = std::make_unique<Inside>(files, std::move(options), mind, random);
  ANIMA_TRY(inside->start());
  return std::unique_ptr<World>(new World(std::move(inside)));
}

std::uint64_t World::seed() const { return inside_->options.seed; }
std::uint64_t World::cycle() const { return inside_->cycle; }
std::uint64_t World::tick() const { return inside_->tick; }
Status World::run_tick() { return inside_->run_tick(); }
Status World::run_cycle() {
  const std::uint64_t now = inside_->cycle;
  while (inside_->cycle == now) ANIMA_TRY(inside_->run_tick());
  return {};
}
Digest World::world_hash() const { return inside_->world_hash(); }
const std::vector<CycleRecord>& World::records() const { return inside_->records; }
void World::dismiss() { inside_->parts_bus->dismiss(); }
BusCounts World::bus_counts() const { return inside_->parts_bus->counts(); }

}  // namespace anima::world
