// The routes of what the agents did and how the memory was kept: runs with their cycles, cycles of
// sleep, and approvals that are answered by a signature.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "agent/loop/run_reads.h"
#include "base/crypto.h"
#include "base/text/read_number.h"
#include "serve/http/server.h"
#include "serve/v1/answers.h"
#include "serve/v1/api.h"
#include "sleep/sleep.h"

namespace anima::serve::v1 {
namespace {

using govern::Approvals;
using govern::ApprovalStatus;
using http::Response;

constexpr std::size_t kMostItems = 20;  // of a phase of sleep

std::size_t most_of(const Call& call, std::size_t usual) {
  const std::string* text = call.query("limit");
  return text == nullptr ? usual : read_number<std::size_t>(*text).value_or(usual);
}

std::string text_in(const Json& body, std::string_view name) {
  const Json* value = body.find(name);
  return value == nullptr ? std::string() : value->as_string();
}

Result<Approvals::SignedElsewhere> answer_in(const Json& body) {
  const std::string answer = text_in(body, "answer");
  if (answer != "grant" && answer != "deny")
    return fail(ErrorCode::kInvalidArgument, "\"answer\" is \"grant\" or \"deny\"");
  return Approvals::SignedElsewhere{
      text_in(body, "approver"),
      answer == "grant" ? ApprovalStatus::kApproved : ApprovalStatus::kRejected,
      answer == "grant" ? std::string() : text_in(body, "reason")};
}

}  // namespace

Response Api::sleep_cycles(const Call& call) {
  const auto sleeper = sleep::Sleeper::open(parts_.gate->shared_space());
  if (!sleeper) return problem_of(sleeper.error());
  auto cycles = (*sleeper)->cycles();
  if (!cycles) return problem_of(cycles.error());
  std::ranges::reverse(*cycles);
  if (cycles->size() > most_of(call, 50)) cycles->resize(most_of(call, 50));
  // The items tell of memories, too: they are the owner's, as runs are.
  const std::size_t most = call.request.caller.sees_approvals ? kMostItems : 0;
  Json list = Json::array();
  for (const sleep::CycleRecord& cycle : *cycles) {
    Json told = cycle.to_json(most);
    std::erase_if(told.as_object(), [](const JsonMember& each) {
      return each.first == "fading" || each.first == "young";  // for the next cycle alone
    });
    list.push_back(std::move(told));
  }
  return json_answer(Json::object({{"cycles", std::move(list)}}));
}

// What an agent saw and did may hold what others told it: it is the owner's.
Response Api::runs(const Call& call) {
  const bool sees = call.request.caller.sees_approvals;
  auto runs = sees ? agent::runs_json(parts_.gate->space(), most_of(call, 50))
                   : Result<Json>(Json::object({{"runs", Json::array()}}));
  if (!runs) return problem_of(runs.error());
  runs->set("sees", sees ? "all" : "none");
  return json_answer(*runs);
}

Response Api::show_run(const Call& call) {
  if (!call.request.caller.sees_approvals)
    return http::problem(
        404, "no run is told to this token",
        "the owner makes one that sees them: anima serve token add NAME --approvals");
  const auto number = read_number<std::uint64_t>(call.id);
  if (!number) return http::problem(400, "a run is named by its number");
  const std::string* after = call.query("after");
  const auto from = after == nullptr ? 0 : read_number<std::uint64_t>(*after).value_or(0);
  const auto told = agent::run_json(parts_.gate->space(), store::Sequence{*number},
                                    store::Sequence{from}, most_of(call, 100));
  return told ? json_answer(*told) : problem_of(told.error());
}

Response Api::statement_of_approval(const Call& call) {
  if (auto shown = show_approval(call); shown.status != 200) return shown;
  const auto answer = answer_in(call.body);
  if (!answer) return problem_of(answer.error());
  const auto to_sign = parts_.gate->approvals().to_sign(call.id, *answer);
  if (!to_sign) return problem_of(to_sign.error());
  const govern::Statement& statement = to_sign->statement;
  const std::string digest = govern::digest_of(statement.content);
  return json_answer(
      Json::object({{"what", statement.what},
                    {"content", statement.content},
                    {"digest", digest},
                    {"at", std::to_string(to_sign->at.microseconds)},
                    {"text", govern::signed_text(statement.what, answer->approver, digest)}}));
}

// The signature is the right to answer: whose token brings it is no matter.
Response Api::answer_approval(const Call& call) {
  if (auto shown = show_approval(call); shown.status != 200) return shown;
  const auto answer = answer_in(call.body);
  if (!answer) return problem_of(answer.error());
  const auto at = read_number<std::int64_t>(text_in(call.body, "at"));
  const auto bytes = from_hex(text_in(call.body, "signature"));
  Signature signature{};
  if (!at || !bytes || bytes->size() != signature.size())
    return http::problem(400,
                         "\"at\" is that of the statement, \"signature\" 128 hexadecimal digits");
  std::copy(bytes->begin(), bytes->end(), signature.begin());
  const Status done =
      parts_.gate->approvals().answer_signed(call.id, *answer, Timestamp{*at}, signature);
  return done ? show_approval(call) : problem_of(done.error());
}

}  // namespace anima::serve::v1
