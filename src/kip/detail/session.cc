#include "kip/detail/session.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "kip/detail/steps.h"
#include "store/holds.h"
#include "store/own_graphs.h"
#include "store/present.h"

namespace anima::kip::detail {

Json fault_envelope(const Fault& fault) { return Json::object({{"error", fault.to_json()}}); }

namespace {

// How much text of writing statements shares a turn: other writers wait for it.
constexpr std::size_t kSeriesBytes = std::size_t{4} << 20;

Json envelope(Reply reply) {
  Json json{JsonObject{}};
  json.as_object().emplace_back("result", std::move(reply.result));
  if (!reply.next_cursor.empty())
    json.as_object().emplace_back("next_cursor", std::move(reply.next_cursor));
  for (JsonMember& member : reply.extra) json.as_object().push_back(std::move(member));
  return json;
}

// The answers, command by command.
class Answers {
 public:
  explicit Answers(const Request& request) : request_(request) {}

  // Notes that the step's command was reached; with `answer`, what the step answers.
  void open(const Step& step) {
    if (commands_.size() > step.number) return;
    commands_.emplace_back();
    alone_.push_back(step.alone);
  }
  void add(const Step& step, Json answer) {
    open(step);
    commands_.back().push_back(std::move(answer));
  }

  Json take() {
    JsonArray list;
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      list.push_back(alone_[i] ? std::move(commands_[i].front())
                               : Json::object({{"result", Json(std::move(commands_[i]))}}));
    }
    if (!request_.batch) return std::move(list.front());
    return Json::object({{"result", Json(std::move(list))}});
  }

 private:
  const Request& request_;
  std::vector<JsonArray> commands_;
  std::vector<bool> alone_;  // one statement, or none that could be read: no list
};

class Session {
 public:
  Session(const SessionContext& context, const Request& request, const Caller& caller)
      : it_(context), request_(request), caller_(caller) {
    if (caller.most_answer_bytes > 0) room_.emplace(caller.most_answer_bytes);
  }

  Json run() {
    if (request_.dry_run) {
      const auto now = it_.space.snapshot();
      if (!now) return fault_envelope(Fault(now.error()));
      branch_ = it_.space.what_if(*now);
      return run_all();
    }
    if (!request_.atomic) return run_all();
    Json answer;
    const auto receipt =
        it_.space.write(caller_.origin, [&](store::Transaction& transaction) -> Status {
          transaction_ = &transaction;
          failed_ = false;
          answer = run_all();
          transaction_ = nullptr;
          if (failed_) return anima::fail(ErrorCode::kCancelled, "rolled back");
          return {};
        });
    if (!receipt && !failed_) return fault_envelope(Fault(receipt.error()));
    if (failed_ && answer.find("result") != nullptr) answer.set("rolled_back", true);
    return answer;
  }

 private:
  Json run_all() {
    Steps steps(it_.cache, request_);
    Answers answers(request_);
    while (!failed_) {
      const Step* step = steps.peek();
      if (step != nullptr && stopped()) {
        run_step(*step, &answers, cancelled());
        break;
      }
      if (step == nullptr) break;
      if (takes_turn(*step)) {
        run_series(&steps, &answers);
      } else {
        run_step(*step, &answers);
        steps.pop();
      }
    }
    return answers.take();
  }

  bool stopped() const {
    const std::atomic<bool>* const flag = it_.options.budget.cancelled;
    return caller_.stop.stop_requested() || (flag != nullptr && flag->load());
  }
  static Fault cancelled() {
    return Fault(Error{ErrorCode::kCancelled, "the request was cancelled", {}, {}});
  }

  void run_step(const Step& step, Answers* answers, std::optional<Fault> instead = {}) {
    answers->open(step);
    if (instead) return answers->add(step, refuse_with(*instead));
    if (step.fault) return answers->add(step, refuse_with(*step.fault));
    if (step.statement == nullptr) return;
    answer(step, is_change(step) ? change(step) : read(step), answers);
  }

  void answer(const Step& step, Outcome<Reply> reply, Answers* answers) {
    if (reply) {
      if (takes_turn(step)) ++written_;
      return answers->add(step, envelope(std::move(*reply)));
    }
    if (step.script) reply.error().locate(step.script->text);
    answers->add(step, refuse_with(reply.error()));
  }

  Json refuse_with(Fault fault) {
    failed_ = true;
    if (written_ > 0) {
      fault.hint += (fault.hint.empty() ? "" : "; ") + std::to_string(written_) +
                    (written_ == 1 ? " command before it wrote, and that stays"
                                   : " commands before it wrote, and that stays");
    }
    return fault_envelope(fault);
  }

  static bool is_change(const Step& step) {
    return step.statement != nullptr && family_of(*step.statement) == Family::kChange;
  }

  bool may_write() const {
    return !request_.readonly && !caller_.readonly && !request_.as_of && !request_.min_trust;
  }

  // Whether it becomes an entry of its own in the space.
  bool takes_turn(const Step& step) const {
    return is_change(step) && may_write() && !branch_ && transaction_ == nullptr;
  }

  // --- writing

  struct Written {
    Step step;
    Outcome<Reply> reply = refuse(Code::kInternal, "the write did not run");
  };

  // The step that is next, and those behind it as long as they write.
  void run_series(Steps* steps, Answers* answers) {
    const Step first = *steps->peek();
    std::deque<Written> series;
    std::size_t bytes = 0;
    store::Change change;
    const std::function<const store::Change*()> next = [&]() -> const store::Change* {
      // What was parsed for the one before is not needed any more.
      if (!series.empty()) series.back().step.script = nullptr;
      const Step* const step =
          bytes < kSeriesBytes && (series.empty() || !stopped()) ? steps->peek() : nullptr;
      if (step == nullptr || !takes_turn(*step)) return nullptr;
      Written& written = series.emplace_back();
      written.step = *step;
      steps->pop();
      bytes += step_bytes(written.step);
      change = [this, &written](store::Transaction& transaction) -> Status {
        written.reply = change_in(transaction, written.step);
        if (!written.reply) return anima::fail(ErrorCode::kCancelled, "rolled back");
        return {};
      };
      return &change;
    };
    const store::SeriesResult result = it_.space.write_series(caller_.origin, next);
    if (series.empty()) {  // it did not even begin
      steps->pop();
      return answer(first, anima::fail(Fault(result.status.error())), answers);
    }
    for (std::size_t i = 0; i < series.size() && !failed_; ++i) {
      Written& written = series[i];
      if (i >= result.receipts.size() && written.reply)
        written.reply = anima::fail(Fault(result.status.error()));
      answer(written.step, std::move(written.reply), answers);
    }
  }

  static std::size_t step_bytes(const Step& step) {
    return step.statement->end - step.statement->place.offset;
  }

  Outcome<Reply> change(const Step& step) {
    if (!may_write()) {
      if (request_.as_of && !request_.readonly && !caller_.readonly) {
        return refuse(Code::kInvalidSyntax, "the past cannot be written", "leave out `as_of`",
                      step.statement->place.offset);
      }
      if (request_.min_trust) {
        return refuse(Code::kInvalidSyntax, "`min_trust` is for reading", "leave out `min_trust`",
                      step.statement->place.offset);
      }
      return refuse(Code::kInvalidSyntax,
                    "this is read-only: UPSERT, DELETE, UPDATE and MERGE are not allowed here",
                    "use execute_kip to write", step.statement->place.offset);
    }
    return change_in(branch_ ? branch_->transaction() : *transaction_, step);
  }

  Outcome<Reply> change_in(store::Transaction& transaction, const Step& step) {
    Context writing = context(transaction.view(), *step.command);
    writing.transaction = &transaction;
    writing.rules = it_.space.rules();
    if (store::is_own_graph(request_.graph)) {
      return refuse(Code::kImmutableTarget,
                    "the graph " + quote_json(request_.graph) + " holds Anima's own books",
                    "name another graph", step.statement->place.offset);
    }
    if (!request_.graph.empty()) writing.graph = transaction.graph(request_.graph);
    return dispatch(*step.statement, writing);
  }

  // --- reading

  Context context(store::Snapshot snapshot, const Command& command) const {
    Context context{
        std::move(snapshot), nullptr, Binder(command.bound()), {}, it_.options.clock.get()};
    context.strict = request_.strict.value_or(it_.options.strict);
    context.rows_shape = request_.rows_shape;
    context.define_on_use = caller_.define_on_use;
    context.keeps_words = caller_.keeps_words;
    context.short_hits = caller_.short_hits && !request_.full;
    context.valid_at = request_.valid_at;
    const Timestamp now = store::present(context.snapshot, *it_.options.clock);
    if (!request_.any_time) context.what_holds = now;
    context.fading = {now, request_.decay_factor};
    context.run.budget = it_.options.budget;
    context.run.budget.stop = caller_.stop;
    context.meter = std::make_shared<query::Meter>(context.run.budget, it_.options.clock.get());
    context.run.meter = context.meter.get();
    context.run.statistics = &it_.statistics;
    return context;
  }

  Outcome<Reply> read(const Step& step) {
    ANIMA_ASSIGN(store::Snapshot snapshot, state_to_read());
    snapshot = request_.books ? snapshot.with_books() : snapshot.knowledge();
    if (request_.as_of) {
      ANIMA_ASSIGN(snapshot, travel(snapshot));
    }
    std::optional<Timestamp> then;
    if (request_.as_of) then = time_of(snapshot);
    if (request_.min_trust) snapshot = store::trusted_view(snapshot, *request_.min_trust);
    Context reading = context(std::move(snapshot), *step.command);
    if (then && reading.what_holds) reading.what_holds = then;
    const bool published = !branch_ && transaction_ == nullptr;
    reading.run.current = published && !request_.as_of && !request_.min_trust;
    // Rules derive from everything.
    if (published && !request_.min_trust) reading.derived = it_.options.derived.get();
    if (!room_) return dispatch(*step.statement, reading);
    if (std::holds_alternative<Find>(step.statement->body)) {
      reading.room = &*room_;
      return dispatch(*step.statement, reading);
    }
    ANIMA_ASSIGN(Reply reply, dispatch(*step.statement, reading));
    if (!room_->take(reply.result.dump().size())) return anima::fail(room_->exceeded());
    return reply;
  }

  // When an earlier state was the newest one.
  Timestamp time_of(const store::Snapshot& then) const {
    const Timestamp last = then.entry(then.sequence()).time;
    return request_.as_of->is_string() ? parse_timestamp(request_.as_of->as_string()).value_or(last)
                                       : last;
  }

  Result<store::Snapshot> state_to_read() {
    if (branch_) return branch_->view();
    if (transaction_ != nullptr) return transaction_->view();
    return it_.space.snapshot();
  }

  Outcome<store::Snapshot> travel(const store::Snapshot& now) const {
    if (request_.as_of->is_integer()) {
      ANIMA_ASSIGN(store::Snapshot then,
                   now.as_of(static_cast<store::Sequence>(request_.as_of->as_integer())));
      return then;
    }
    ANIMA_ASSIGN(const Timestamp time, parse_timestamp(request_.as_of->as_string()));
    ANIMA_ASSIGN(store::Snapshot then, now.as_of(time));
    return then;
  }

  const SessionContext& it_;
  const Request& request_;
  const Caller& caller_;
  std::optional<AnswerRoom> room_;
  std::unique_ptr<store::WhatIf> branch_;
  store::Transaction* transaction_ = nullptr;
  bool failed_ = false;
  std::size_t written_ = 0;  // statements whose entries stay, whatever comes of the next ones
};

}  // namespace

Outcome<Reply> dispatch(const Statement& statement, Context& context) {
  return std::visit(
      [&context](const auto& body) -> Outcome<Reply> {
        using Body = std::decay_t<decltype(body)>;
        if constexpr (std::is_same_v<Body, Find>) return run_find(body, context);
        if constexpr (std::is_same_v<Body, Upsert>) return run_upsert(body, context);
        if constexpr (std::is_same_v<Body, Delete>) return run_delete(body, context);
        if constexpr (std::is_same_v<Body, Update>) return run_update(body, context);
        if constexpr (std::is_same_v<Body, Merge>) return run_merge(body, context);
        if constexpr (std::is_same_v<Body, Describe>) return run_describe(body, context);
        if constexpr (std::is_same_v<Body, Search>) return run_search(body, context);
        if constexpr (std::is_same_v<Body, Export>) return run_export(body, context);
      },
      statement.body);
}

Json run_session(const SessionContext& context, const Request& request, const Caller& caller) {
  return Session(context, request, caller).run();
}

}  // namespace anima::kip::detail
