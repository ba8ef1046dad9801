#include "agent/loop/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "agent/detail/json_difference.h"
#include "agent/json_fields.h"
#include "agent/loop/agent.h"
#include "agent/loop/detail/run_record.h"
#include "base/random.h"
#include "store/act.h"
#include "store/prune.h"

namespace anima::agent {
namespace {

using store::LogEntry;
using store::Sequence;

std::uint64_t number(Sequence sequence) { return static_cast<std::uint64_t>(sequence); }

// The typed records of one entry.
struct Records {
  std::vector<std::pair<store::RecordKind, std::string>> all;
  std::optional<detail::RunRecord> run;

  std::vector<std::string> of(store::RecordKind kind) const {
    std::vector<std::string> list;
    for (const auto& [each, payload] : all) {
      if (each == kind) list.push_back(payload);
    }
    return list;
  }
};

Result<Records> records_of(store::Log& log, const LogEntry& entry) {
  Records records;
  if (!entry.seal.empty()) return records;
  ANIMA_TRY(store::visit_all_records(
      log, entry, [&](store::RecordKind kind, std::string_view payload) -> Status {
        records.all.emplace_back(kind, std::string(payload));
        if (kind != store::RecordKind::kRun) return {};
        ANIMA_ASSIGN(const Json json, parse_json(payload));
        ANIMA_ASSIGN(records.run, detail::run_record_from_json(json));
        return {};
      }));
  return records;
}

// The number of the run that an entry belongs to.
std::uint64_t run_of(const detail::RunRecord& record, Sequence entry) {
  return record.run == 0 ? number(entry) : record.run;
}

std::string_view name_of(store::RecordKind kind) {
  switch (kind) {
    case store::RecordKind::kProvenance:
      return "provenance";
    case store::RecordKind::kDecision:
      return "decision";
    case store::RecordKind::kToolOutput:
      return "tool output";
    case store::RecordKind::kModelAnswer:
      return "model answer";
    case store::RecordKind::kSession:
      return "session";
    case store::RecordKind::kRun:
      return "run";
    default:
      return "record";
  }
}

// The JSON of a record, behind the name that a session record begins with.
std::optional<Json> json_of(const std::string& payload) {
  const std::size_t start = payload.find_first_of("{[");
  if (start == std::string::npos) return std::nullopt;
  const auto json = parse_json(std::string_view(payload).substr(start));
  return json ? std::optional<Json>(*json) : std::nullopt;
}

std::string compare_kind(store::RecordKind kind, const Records& recorded, const Records& repeated) {
  const std::vector<std::string> then = recorded.of(kind), now = repeated.of(kind);
  for (std::size_t i = 0; i < std::max(then.size(), now.size()); ++i) {
    if (i >= then.size()) return fmt::format("a {} record is new", name_of(kind));
    if (i >= now.size()) return fmt::format("a {} record is missing", name_of(kind));
    if (then[i] == now[i]) continue;
    const auto a = json_of(then[i]), b = json_of(now[i]);
    const std::string where =
        a && b ? detail::first_difference(&*a, &*b, {}) : std::string("its bytes differ");
    return fmt::format("{}: {}", name_of(kind), where);
  }
  return {};
}

// An entry and the log that its attachment lies in.
struct Placed {
  store::Log& log;
  const LogEntry& entry;
};

std::string compare(const Placed& there, const Placed& here) {
  const LogEntry &then = there.entry, &now = here.entry;
  if (then.hash == now.hash) return {};
  if (then.format != now.format) return "it was recorded by another version of anima";
  if (then.time != now.time) {
    return fmt::format("time: {}, recorded {}", format_timestamp(now.time),
                       format_timestamp(then.time));
  }
  const auto recorded = records_of(there.log, then), repeated = records_of(here.log, now);
  if (!recorded || !repeated) return "the records cannot be read";
  // What says most comes first.
  for (const store::RecordKind kind : {store::RecordKind::kDecision, store::RecordKind::kToolOutput,
                                       store::RecordKind::kModelAnswer, store::RecordKind::kSession,
                                       store::RecordKind::kProvenance, store::RecordKind::kRun}) {
    const std::string found = compare_kind(kind, *recorded, *repeated);
    if (!found.empty()) return found;
  }
  if (then.payload == now.payload) return "the entry's author, source or trust differ";
  return "the statements written differ";
}

// An outside tool as it was recorded: it gives the recorded answers, one after the other.
class RecordedTool final : public tools::Tool {
 public:
  RecordedTool(tools::ToolInfo info, std::deque<detail::OutsideAnswer>& answers)
      : info_(std::move(info)), answers_(answers) {}
  const tools::ToolInfo& info() const override { return info_; }
  Result<tools::ToolOutput> run(const tools::ToolInput&, tools::Workbench& bench) const override {
    if (answers_.empty() || answers_.front().tool != info_.name) {
      return fail(ErrorCode::kNotFound, "no answer of this tool was recorded here", info_.name);
    }
    detail::OutsideAnswer answer = std::move(answers_.front());
    answers_.pop_front();
    for (tools::Proposal& proposal : answer.proposals) {
      ANIMA_TRY(bench.propose(std::move(proposal)));
    }
    return std::move(answer.output);
  }

 private:
  tools::ToolInfo info_;
  std::deque<detail::OutsideAnswer>& answers_;
};

// What the space drew for the entry that is being repeated.
class RecordedRandom final : public Random {
 public:
  void draw_next(std::string bytes) { bytes_ = std::move(bytes); }
  std::uint64_t next() override { return 0; }
  void fill(std::span<std::uint8_t> out) override {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = i < bytes_.size() ? static_cast<std::uint8_t>(bytes_[i]) : std::uint8_t{0};
  }

 private:
  std::string bytes_;
};

class Replay {
 public:
  Replay(store::Space& space, FileSystem& files, std::uint64_t run)
      : space_(space), files_(files), run_(run) {}

  Status open(const LogEntry& first) {
    clock_->set(first.time);
    store::SpaceOptions options;
    options.clock = clock_;
    options.random = random_;
    ANIMA_ASSIGN(replica_, store::Space::in_memory(options));
    ANIMA_ASSIGN(const LogEntry genesis, replica_->log().entry(Sequence{1}));
    if (genesis.hash == first.hash) return {};
    return fail(ErrorCode::kUnsupported, "the log begins with an entry that this program does not",
                space_.folder());
  }

  // An entry of the log: of the run, or of somebody else.
  Result<bool> take(const LogEntry& entry, const std::function<bool(const ReplayStep&)>& seen) {
    if (!entry.seal.empty() && report.notes.empty()) {
      report.notes.push_back("sealed entries are left out: what was read of them differs");
    }
    ANIMA_ASSIGN(Records records, records_of(space_.log(), entry));
    if (!records.run || run_of(*records.run, entry.sequence) != run_) {
      waiting_.push_back(entry);
      return true;
    }
    ReplayStep step;
    step.step = records.run->step;
    step.entry = entry.sequence;
    step.call = records.run->call;
    ANIMA_TRY(repeat(entry, std::move(records), step));
    if (step.difference.empty()) {
      ++report.repeated;
    } else {
      report.difference = step;
    }
    if (seen && !seen(step)) return false;
    return step.difference.empty();
  }

  ReplayReport report;

 private:
  // Brings the entries of others in, up to the sequence.
  Status feed(std::uint64_t upto) {
    while (!waiting_.empty() && number(waiting_.front().sequence) <= upto) {
      LogEntry& entry = waiting_.front();
      // An agent that goes on from an earlier run reads what that one attached.
      ANIMA_ASSIGN(entry.attachment, space_.log().attachment(entry.sequence));
      ANIMA_ASSIGN(const auto turn, replica_->log().take_turn());
      const Timestamp time = entry.time;
      ANIMA_TRY(turn->append(std::move(entry), time).map([](const store::Head&) {}));
      ANIMA_TRY(turn->commit());
      waiting_.pop_front();
    }
    return {};
  }

  Status make_agent(const LogEntry& entry, const Json& setup) {
    AgentConfig config;
    config.name = text_of(setup, "agent");
    config.memory_capacity = count_of(setup, "memory_capacity", config.memory_capacity);
    ReflectionConfig& reflection = config.reflection;
    reflection.every_n_cycles = static_cast<std::uint32_t>(count_of(setup, "reflect_every"));
    reflection.min_success_rate = number_of(setup, "min_success_rate");
    reflection.stagnation_threshold = count_of(setup, "stagnation_threshold");
    config.psyche = flag_of(setup, "psyche");
    config.fresh = flag_of(setup, "fresh");
    for (const Json& each : items_of(setup, "avoid"))
      config.avoid.push_back(avoided_from_json(each));
    config.origin = entry.origin;
    // The entry may be trusted less than the agent: what a tool read lowers it.
    config.origin.trust = static_cast<store::Trust>(
        count_of(setup, "trust", static_cast<std::uint64_t>(entry.origin.trust)));
    config.clock = agent_clock_;
    config.before_write = [this] { return feed(now_at_ - 1); };
    ANIMA_TRY(feed(count_of(setup, "opened")));
    compartments_ = std::make_unique<memory::CompartmentManager>(*replica_, files_, std::string());
    ANIMA_TRY(compartments_->refresh());
    ANIMA_ASSIGN(agent_, Agent::create(*replica_, *compartments_, files_, std::move(config)));
    for (const Json& info : items_of(setup, "outside_tools")) {
      agent_->tools().add(
          std::make_unique<RecordedTool>(detail::tool_info_from_json(info), answers_));
    }
    return {};
  }

  Status repeat(const LogEntry& entry, Records records, ReplayStep& step) {
    const detail::RunRecord& record = *records.run;
    now_at_ = number(entry.sequence);
    if (agent_ == nullptr) ANIMA_TRY(make_agent(entry, record.setup));
    ANIMA_TRY(feed(record.from));
    answers_.clear();
    for (const auto& [kind, payload] : records.all) {
      const bool outside =
          kind == store::RecordKind::kToolOutput || kind == store::RecordKind::kModelAnswer;
      if (!outside) continue;
      ANIMA_ASSIGN(const Json json, parse_json(payload));
      ANIMA_ASSIGN(detail::OutsideAnswer answer, detail::outside_answer_from_json(json));
      answers_.push_back(std::move(answer));
    }
    ANIMA_ASSIGN(const std::string attachment, space_.log().attachment(entry.sequence));
    random_->draw_next(store::attachment_salt(attachment));
    clock_->set(entry.time);
    agent_clock_->set(record.now);
    ANIMA_ASSIGN(store::EntryAct act, store::act_stated(entry));
    const store::RepeatedAct repeated(std::move(act));
    if (Status called = call(record); !called) {
      step.difference = fmt::format("{} fails now: {}", record.call, called.error().describe());
      return {};
    }
    ANIMA_ASSIGN(const store::Head head, replica_->log().head());
    if (head.sequence != entry.sequence) {
      step.difference = fmt::format("it writes entry {}, recorded {}", number(head.sequence),
                                    number(entry.sequence));
      return {};
    }
    ANIMA_ASSIGN(const LogEntry written, replica_->log().entry(entry.sequence));
    step.difference = compare({space_.log(), entry}, {replica_->log(), written});
    return {};
  }

  Status call(const detail::RunRecord& record) {
    const Json& given = record.arguments;
    const std::string goal = text_of(given, "goal");
    if (record.call == "run_cycle") return agent_->run_cycle().map([](const CycleReport&) {});
    if (record.call == "reflect") return agent_->reflect().map([](const Reflection&) {});
    if (record.call == "consolidate") {
      return agent_->consolidate().map([](const WorkingMemory::Outcome&) {});
    }
    if (record.call == "add_goal") {
      return agent_
          ->add_goal(text_of(given, "description"),
                     static_cast<std::uint8_t>(count_of(given, "priority")),
                     text_of(given, "criteria"))
          .map([](const std::string&) {});
    }
    if (record.call == "set_goal_status") {
      const auto status = goal_status(text_of(given, "status"));
      if (!status) return fail(ErrorCode::kCorrupt, "a recorded status is none");
      return agent_->set_goal_status(goal, *status, text_of(given, "reason"));
    }
    if (record.call == "set_psyche") {
      const Json* stored = given.find("psyche");
      ANIMA_ASSIGN(Psyche psyche, psyche_from_json(stored == nullptr ? Json() : *stored));
      return agent_->set_psyche(std::move(psyche));
    }
    if (record.call == "forbid") {
      return agent_->forbid(goal, text_of(given, "tool"),
                            detail::input_from_json(given.find("input")));
    }
    if (record.call == "perform") {
      return agent_->perform(text_of(given, "tool"), detail::input_from_json(given.find("input")))
          .map([](const Performed&) {});
    }
    return fail(ErrorCode::kUnsupported, "this program does not know the call", record.call);
  }

  store::Space& space_;
  FileSystem& files_;
  const std::uint64_t run_;
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  std::shared_ptr<ManualClock> agent_clock_ = std::make_shared<ManualClock>();
  std::shared_ptr<RecordedRandom> random_ = std::make_shared<RecordedRandom>();
  std::shared_ptr<store::Space> replica_;
  std::unique_ptr<memory::CompartmentManager> compartments_;
  std::unique_ptr<Agent> agent_;
  std::deque<LogEntry> waiting_;  // of others, not brought in yet
  std::deque<detail::OutsideAnswer> answers_;
  std::uint64_t now_at_ = 0;  // the entry that is being repeated
};

// By their numbers, also those of which something was pruned.
struct FoundRun {
  RunInfo info;
  bool whole = true;  // each of its steps is there
};
Result<std::map<std::uint64_t, FoundRun>> find_runs(store::Space& space) {
  std::map<std::uint64_t, FoundRun> runs;
  ANIMA_TRY(space.changes(Sequence::kNone, [&](const LogEntry& entry) -> Status {
    ANIMA_ASSIGN(const Records records, records_of(space.log(), entry));
    if (!records.run) return {};
    auto& [info, whole] = runs[run_of(*records.run, entry.sequence)];
    if (info.steps == 0) {
      info.run = entry.sequence;
      info.time = entry.time;
      info.source = entry.origin.source;
      info.agent = text_of(records.run->setup, "agent");
    }
    info.last = entry.sequence;
    ++info.steps;
    whole = whole && records.run->step == info.steps;
    if (records.run->call == "run_cycle") ++info.cycles;
    return {};
  }));
  return runs;
}

Status check_not_pruned(store::Space& space, Sequence run) {
  ANIMA_ASSIGN(const auto left, find_runs(space));
  if (!left.contains(number(run))) {
    const Result<LogEntry> entry = space.log().entry(run);
    if (!entry || !store::has_attachment(*entry)) return {};
    ANIMA_ASSIGN(const std::string attachment, space.log().attachment(run));
    if (!attachment.empty()) return {};
  }
  return fail(ErrorCode::kNotFound, fmt::format("the record of run {} was pruned", number(run)), {},
              "`anima run --keep NAME` keeps a run");
}

}  // namespace

Result<std::vector<RunInfo>> list_runs(store::Space& space) {
  ANIMA_ASSIGN(const auto runs, find_runs(space));
  std::vector<RunInfo> list;
  for (const auto& [number, run] : runs)
    if (run.whole) list.push_back(run.info);
  return list;
}

Result<ReplayReport> replay_run(store::Space& space, FileSystem& files, Sequence run,
                                const std::function<bool(const ReplayStep&)>& seen) {
  ANIMA_ASSIGN(const std::vector<RunInfo> runs, list_runs(space));
  const auto known =
      std::find_if(runs.begin(), runs.end(), [&](const RunInfo& info) { return info.run == run; });
  if (known == runs.end()) {
    ANIMA_TRY(check_not_pruned(space, run));
    return fail(ErrorCode::kNotFound, fmt::format("there is no run {}", number(run)), {},
                "`anima replay` without a number lists them");
  }
  Replay replay(space, files, number(run));
  replay.report.run = *known;
  bool going = true;
  ANIMA_TRY(space.log().read(Sequence{1}, [&](const LogEntry& entry) -> Status {
    if (entry.sequence == Sequence{1}) return replay.open(entry);
    if (!going || entry.sequence > known->last) return {};
    ANIMA_ASSIGN(going, replay.take(entry, seen));
    return {};
  }));
  return std::move(replay.report);
}

}  // namespace anima::agent
