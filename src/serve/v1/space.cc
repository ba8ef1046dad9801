// The routes of what the space holds, what changed, and what waits for the owner.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/house/space_reads.h"
#include "base/past_time.h"
#include "base/text/read_number.h"
#include "serve/http/server.h"
#include "serve/v1/answers.h"
#include "serve/v1/api.h"
#include "serve/v1/events.h"
#include "store/compact.h"
#include "store/verify/audit.h"

namespace anima::serve::v1 {
namespace {

using http::Response;

constexpr std::size_t kMostListed = 1000;
constexpr std::size_t kMostUndone = 100;  // facts that are told of an undo

Result<std::size_t> limit_of(const Call& call, std::size_t usual) {
  const std::string* text = call.query("limit");
  if (text == nullptr) return usual;
  const long long limit = text->size() > 6 ? 0 : std::stoll(*text);  // a number: check_query
  if (limit >= 1 && limit <= static_cast<long long>(kMostListed))
    return static_cast<std::size_t>(limit);
  return fail(ErrorCode::kInvalidArgument,
              "\"limit\" is a number from 1 to " + std::to_string(kMostListed));
}

}  // namespace

Result<store::Snapshot> Api::snapshot_of(const Call& call) const {
  ANIMA_ASSIGN(const store::Snapshot now, parts_.space->snapshot());
  const std::string* text = call.query("as_of");
  if (text == nullptr) return now;
  ANIMA_ASSIGN(const std::string point, past_point(*text, parts_.gate->clock().now()));
  return store::state_at(now, point);
}

Response Api::me(const Call& call) {
  const http::Caller& caller = call.request.caller;
  return json_answer(Json::object({{"name", caller.name},
                                   {"trust", store::trust_label(caller.trust)},
                                   {"may_write", caller.may_write && !options_.readonly},
                                   {"readonly_server", options_.readonly},
                                   {"sees_approvals", caller.sees_approvals ? "all" : "own"}}));
}

Response Api::things(const Call& call) {
  const auto limit = limit_of(call, 50);
  if (!limit) return problem_of(limit.error());
  agent::ThingsAsked asked;
  asked.most = *limit;
  if (const std::string* query = call.query("query")) asked.query = *query;
  if (const std::string* type = call.query("type")) asked.type = *type;
  if (const std::string* cursor = call.query("cursor")) {
    const auto number = read_number<std::uint32_t>(*cursor);
    if (!number)
      return http::problem(400, "\"cursor\" is none of this list",
                           "the answer before has it as next_cursor");
    asked.before = store::EntityId{*number};
  }
  const auto now = parts_.space->snapshot();
  if (!now) return problem_of(now.error());
  const auto found = agent::things_found(now->knowledge(), asked);
  return found ? json_answer(*found) : problem_of(found.error());
}

Response Api::facts(const Call& call) {
  const auto limit = limit_of(call, 200);
  if (!limit) return problem_of(limit.error());
  const auto now = snapshot_of(call);
  if (!now) return problem_of(now.error());
  const auto facts = agent::facts_about(*now, *call.query("about"), *limit);
  return facts ? json_answer(*facts) : problem_of(facts.error());
}

Response Api::history(const Call& call) {
  const auto limit = limit_of(call, 100);
  if (!limit) return problem_of(limit.error());
  const auto now = snapshot_of(call);
  if (!now) return problem_of(now.error());
  const auto history = agent::entity_history(*now, *call.query("about"), *limit);
  return history ? json_answer(agent::history_json(*now, *history)) : problem_of(history.error());
}

Response Api::entry(const Call& call) {
  const auto number = read_number<std::uint64_t>(call.id);
  if (!number || *number == 0) return http::problem(400, "an entry is named by its number");
  const auto now = parts_.space->snapshot();
  if (!now) return problem_of(now.error());
  const store::Sequence entry{*number};
  if (entry > now->sequence()) return http::problem(404, "there is no such entry yet");
  if (entry <= store::oldest_state(*now))
    return http::problem(410, "what the entry changed was compacted");
  const auto told = entry_json(*parts_.space, *now, entry);
  return told ? json_answer(*told) : problem_of(told.error());
}

Response Api::undo(const Call& call) {
  const http::Caller& caller = call.request.caller;
  agent::UndoAsked asked;
  asked.entries = call.body.find("entries")->as_string();
  if (const Json* cascade = call.body.find("cascade")) asked.cascade = cascade->as_bool();
  if (const Json* dry_run = call.body.find("dry_run")) asked.dry_run = dry_run->as_bool();
  asked.only_of = caller.name;
  asked.since = caller.since;
  const auto now = parts_.space->snapshot();
  if (!now) return problem_of(now.error());
  store::Origin origin;
  origin.author = caller.name;
  origin.source = "http undo";
  origin.trust = caller.trust;
  const auto undone = agent::undo_acts(*parts_.space, *now, origin, asked);
  return undone ? json_answer(agent::undo_json(*undone, kMostUndone)) : problem_of(undone.error());
}

Response Api::changes(const Call& call) {
  const auto limit = limit_of(call, 100);
  if (!limit) return problem_of(limit.error());
  const auto point = past_point(*call.query("since"), parts_.gate->clock().now());
  if (!point) return problem_of(point.error());
  const auto now = parts_.space->snapshot();
  if (!now) return problem_of(now.error());
  const auto then = store::state_at(*now, *point);
  if (!then) return problem_of(then.error());
  const auto change = store::changes_in_words(*parts_.space, *now, then->sequence(), {});
  if (!change) return problem_of(change.error());
  return json_answer(agent::changes_json(*change, then->sequence(), now->sequence(), *limit));
}

Response Api::events(const Call& call) {
  const auto now = parts_.space->snapshot();
  if (!now) return problem_of(now.error());
  store::Sequence after = now->sequence();
  const std::string* last = call.request.header("last-event-id");
  if (last == nullptr) last = call.query("after");
  if (last != nullptr) {
    const auto number = read_number<std::uint64_t>(*last);
    if (!number) return http::problem(400, "an event is named by the number of its entry");
    if (store::Sequence{*number} > now->sequence())
      return http::problem(
          400, "there is no such entry yet",
          "the log ends at " + std::to_string(static_cast<std::uint64_t>(now->sequence())));
    after = store::Sequence{*number};
  }
  if (after < store::oldest_state(*now))
    return http::problem(410, "what those entries changed was compacted",
                         "read what there is now, and go on with the next event");
  FeedOptions options;
  options.slow = options_.slow;
  const agent::DoorCall door{"http", std::string(call.route.door), call.request.caller.name,
                             call.request.caller.trust, Json::object()};
  options.may = [this, request = call.request, door]() -> Status {
    if (options_.admitted && !options_.admitted(request))
      return fail(ErrorCode::kDenied, "the token is not good any more");
    return parts_.gate->pass(door, agent::Act::kReads);
  };
  const auto feed = std::make_shared<EventFeed>(parts_.space, after, std::move(options));
  auto outlet = std::make_shared<http::Outlet>(http::sse_farewell);
  outlet->put("retry: 1000\n\n");
  keeper_.add(outlet, [feed](http::Outlet& to) { feed->step(to); });
  Response response{200, "text/event-stream", {}, {}};
  response.outlet = std::move(outlet);
  return response;
}

Response Api::statistics(const Call&) {
  // What other processes wrote since the last look is counted as well.
  if (const auto now = parts_.space->snapshot(); !now) return problem_of(now.error());
  return json_answer(agent::stats_json(parts_.space->stats()));
}

// A token's program is told of its own calls alone, unless the owner made the token to see all.
bool Api::sees(const http::Caller& caller, const govern::Approval& approval) const {
  return caller.sees_approvals ||
         (approval.request.agent == caller.name && approval.asked >= caller.since);
}

Response Api::list_approvals(const Call& call) {
  const std::string* all = call.query("all");
  const auto approvals = parts_.gate->approvals().list();
  if (!approvals) return problem_of(approvals.error());
  Json list = Json::array();
  for (const govern::Approval& approval : *approvals) {
    const bool waits = approval.status == govern::ApprovalStatus::kPending;
    if ((waits || (all != nullptr && *all == "true")) && sees(call.request.caller, approval))
      list.push_back(approval.to_json());
  }
  return json_answer(Json::object({{"approvals", std::move(list)}}));
}

Response Api::show_approval(const Call& call) {
  const auto approval = parts_.gate->approvals().find(call.id);
  if (!approval) return problem_of(approval.error());
  if (!sees(call.request.caller, *approval))
    return problem_of(Error{ErrorCode::kNotFound,
                            "there is no approval '" + call.id + "' of yours",
                            {},
                            "the call that waits names it"});
  return json_answer(approval->to_json());
}

// Who may answer is for the approvals to say.
Response Api::grant_approval(const Call& call) {
  const Status granted = parts_.gate->approvals().grant(call.id, call.request.caller.name);
  return granted ? show_approval(call) : problem_of(granted.error());
}

Response Api::deny_approval(const Call& call) {
  const Json* reason = call.body.find("reason");
  const Status denied = parts_.gate->approvals().reject(
      call.id, call.request.caller.name, reason == nullptr ? "" : reason->as_string());
  return denied ? show_approval(call) : problem_of(denied.error());
}

}  // namespace anima::serve::v1
