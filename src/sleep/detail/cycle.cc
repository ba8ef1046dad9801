#include "sleep/detail/cycle.h"

#include <algorithm>
#include <map>

#include "base/text/read_number.h"
#include "sleep/detail/taken_back.h"

namespace anima::sleep::detail {
namespace {

constexpr std::size_t kMostInAnEntry = 512;
constexpr std::size_t kMostItems = 20'000;  // of each kind in a record, for the report

Json request_of(std::span<const Action> actions) {
  JsonArray commands;
  for (const Action& action : actions) {
    for (const Statement& statement : action.statements)
      commands.push_back(
          Json::object({{"command", statement.text}, {"parameters", statement.parameters}}));
  }
  return Json::object({{"commands", std::move(commands)}, {"atomic", true}});
}

// The first error in an answer, for people.
std::string error_in(const Json& answer) {
  const Json* error = answer.find("error");
  if (error == nullptr && answer.find("result") != nullptr) {
    for (const Json& each : answer.find("result")->as_array()) {
      if (each.is_object() && (error = each.find("error")) != nullptr) break;
    }
  }
  if (error == nullptr) return {};
  const Json* code = error->find("code");
  const Json* message = error->find("message");
  return (code != nullptr ? code->as_string() : std::string()) + ": " +
         (message != nullptr ? message->as_string() : std::string());
}

std::int64_t deadline_of(const Request& request, Clock& clock) {
  return request.max_milliseconds <= 0
             ? 0
             : clock.monotonic_nanoseconds() + request.max_milliseconds * 1'000'000;
}

}  // namespace

Cycle::Cycle(kip::Engine& engine, const Request& request, std::uint64_t number, Timestamp time,
             Clock& clock, WorkSet work, std::vector<EntityId> young, FadingCalendar last_fading,
             store::Sequence seen, std::optional<Snapshot> logged)
    : fading(std::move(last_fading)),
      engine_(engine),
      request_(request),
      number_(number),
      time_(time),
      time_text_(format_timestamp(time)),
      clock_(clock),
      deadline_(deadline_of(request, clock)),
      work_(std::move(work)),
      young_(std::move(young)),
      seen_(seen),
      logged_(std::move(logged)),
      proposer_(request.model, request.model_tokens, request.model_stop) {}

Result<Reading> Cycle::read() {
  ANIMA_ASSIGN(Snapshot snapshot, engine_.space().snapshot());
  for (const EntityId entity : touched_) work_.add(snapshot, entity);
  touched_.clear();
  return Reading(std::move(snapshot));
}

Result<WorkSet> Cycle::written() {
  ANIMA_ASSIGN(const Snapshot now, engine_.space().snapshot());
  const Snapshot& log = logged_ ? *logged_ : now;
  ANIMA_ASSIGN(const TakenBack taken, taken_back_since(engine_.space(), log, seen_));
  ANIMA_ASSIGN(WorkSet work, written_since(engine_.space(), log, seen_, log.sequence(),
                                           [&](const store::EntryInfo& entry) {
                                             return taken.undos.contains(entry.sequence);
                                           }));
  if (logged_) work.add_all(work_);  // what was rehearsed is on no log
  return work;
}

Result<WorkSet> Cycle::taken_back() {
  ANIMA_ASSIGN(const Snapshot now, engine_.space().snapshot());
  const Snapshot& log = logged_ ? *logged_ : now;
  ANIMA_ASSIGN(const TakenBack taken, taken_back_since(engine_.space(), log, seen_));
  return written_since(
      engine_.space(), log, seen_, log.sequence(),
      [&](const store::EntryInfo& entry) { return !taken.undos.contains(entry.sequence); });
}

Result<bool> Cycle::was_parted(std::span<const EntityId> things) {
  ANIMA_ASSIGN(const Snapshot now, engine_.space().snapshot());
  return detail::was_parted(engine_.space(), logged_ ? *logged_ : now, things);
}

Result<Json> Cycle::ask(std::string_view command, Json parameters) {
  kip::Caller reader;
  reader.readonly = true;
  Json answer = engine_.execute(command, parameters, reader);
  const std::string error = error_in(answer);
  if (!error.empty()) return fail(ErrorCode::kInternal, "sleep asked in vain: " + error);
  return std::move(*answer.find("result"));
}

bool Cycle::over() {
  if (stopped()) return true;
  return deadline_ != 0 && clock_.monotonic_nanoseconds() >= deadline_;
}

bool Cycle::act(Action action) {
  const std::size_t bound = request_.max_changes;
  const bool full = bound != 0 && changes_ + queued_ + action.changes > bound;
  // What is more than the bound by itself is taken when nothing else was.
  if (cut_ || over() || (full && changes_ + queued_ != 0)) {
    cut_ = true;
    return false;
  }
  queued_ += action.changes;
  queue_.push_back(std::move(action));
  return true;
}

Status Cycle::finish(Action action) {
  std::vector<Action> last;
  last.push_back(std::move(action));
  return write(last);
}

Status Cycle::flush() {
  // Least trusted first; the order of the phase within.
  std::stable_sort(queue_.begin(), queue_.end(),
                   [](const Action& a, const Action& b) { return a.trust < b.trust; });
  std::vector<Action> queue = std::move(queue_);
  queue_.clear();
  queued_ = 0;
  std::size_t first = 0;
  while (first < queue.size()) {
    std::size_t last = first;
    std::size_t changes = 0;
    while (last < queue.size() && queue[last].trust == queue[first].trust &&
           (changes == 0 || changes + queue[last].changes <= kMostInAnEntry))
      changes += queue[last++].changes;
    if (stopped()) {
      cut_ = true;
      return {};
    }
    ANIMA_TRY(write(std::span(queue).subspan(first, last - first)));
    if (request_.progress) request_.progress(phases_.back().phase);
    first = last;
  }
  return {};
}

Status Cycle::write(std::span<Action> actions) {
  std::size_t changes = 0;
  for (const Action& action : actions) changes += action.changes;
  std::string error = execute(actions, changes);
  if (error.empty()) {
    for (Action& action : actions) done(action);
    return {};
  }
  // One of them is refused; the others are not to suffer from it.
  if (actions.size() == 1) {
    leave("refused", actions[0].about,
          error + " (" + actions[0].what + ": " + actions[0].reason + ")");
    return {};
  }
  const std::size_t half = actions.size() / 2;
  ANIMA_TRY(write(actions.first(half)));
  return write(actions.subspan(half));
}

std::string Cycle::execute(std::span<const Action> actions, std::size_t changes) {
  kip::Caller caller;
  caller.origin = {"$system", entry_source(number_, phases_.back().phase, changes),
                   actions.front().trust, store::Sequence::kNone};
  caller.keeps_words = true;
  const Json answer = engine_.execute(request_of(actions), caller);
  std::string error = error_in(answer);
  if (!error.empty()) return error;
  note_answer(answer);
  // An UPDATE answers no ids; the statement names them.
  for (const Action& action : actions) {
    for (const Statement& statement : action.statements) {
      for (const JsonMember& member : statement.parameters.as_object()) note_touched(member.second);
    }
  }
  return error;
}

// An id, or a list of ids; anything else is passed over.
void Cycle::note_touched(const Json& ids) {
  for (const Json& id : ids.as_array()) note_touched(id);
  const std::string& text = ids.as_string();
  if (!text.starts_with("C:") && !text.starts_with("P:")) return;
  const auto number = read_number<std::uint32_t>(std::string_view(text).substr(2));
  if (number && *number != 0) touched_.push_back(EntityId{*number});
}

void Cycle::note_answer(const Json& answer) {
  const Json* results = answer.find("result");
  if (results == nullptr) return;
  for (const Json& each : results->as_array()) {
    const Json* result = each.find("result");
    if (result == nullptr || !result->is_object()) continue;
    for (const JsonMember& member : result->as_object()) note_touched(member.second);
  }
}

void Cycle::done(Action& action) {
  changes_ += action.changes;
  PhaseRecord& phase = phases_.back();
  phase.changes += action.changes;
  if (phase.items.size() < kMostItems)
    phase.items.push_back(
        {true, std::move(action.what), std::move(action.about), std::move(action.reason)});
}

void Cycle::leave(std::string what, std::string about, std::string reason) {
  PhaseRecord& phase = phases_.back();
  ++phase.left;
  if (phase.items.size() < kMostItems)
    phase.items.push_back({false, std::move(what), std::move(about), std::move(reason)});
}

void Cycle::begin_phase(int phase) {
  PhaseRecord record;
  record.phase = phase;
  phases_.push_back(std::move(record));
  phase_began_ = clock_.monotonic_nanoseconds();
  if (request_.progress) request_.progress(phase);
}

Status Cycle::end_phase() {
  ANIMA_TRY(flush());
  phases_.back().milliseconds = (clock_.monotonic_nanoseconds() - phase_began_) / 1'000'000;
  return {};
}

}  // namespace anima::sleep::detail
