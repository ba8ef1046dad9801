#include "agent/plans/detail/plan_fold.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "agent/plans/detail/plan_record.h"
#include "base/crypto.h"
#include "base/json/json_member.h"

namespace anima::agent::detail {
namespace {

// A step event, as it changes a plan that was opened. What does not fit is passed over: the log is
// read by versions that know more events.
void replay(const Json& event, KeptPlan& plan) {
  const std::string name = text_member(event, "event");
  const std::string step = text_member(event, "step");
  plan.waits.erase(step);
  if (name == "started") {
    (void)plan.graph.start(step);
  } else if (name == "waiting") {
    plan.waits.insert_or_assign(step, text_member(event, "approval"));
  } else if (name == "again") {
    (void)plan.graph.put_back(step);
  } else if (name == "done") {
    (void)plan.graph.start(step);  // what only reads is not announced
    (void)plan.graph.complete(step);
    StepOutput output;
    output.trust =
        govern::parse_trust(text_member(event, "trust")).value_or(govern::Trust::kUntrusted);
    plan.outputs.insert_or_assign(step, std::move(output));
  } else if (name == "failed" || name == "denied") {
    (void)plan.graph.mark_failed(step);
  } else if (name == "over") {
    plan.state = PlanState::kOver;
    plan.reason = text_member(event, "outcome");
  }
}

struct Secret {
  store::SealState state = store::SealState::kDestroyed;
  std::optional<Json> json;
};

// What an event has sealed: nothing when there is no such part, or its key is gone or not here.
Result<Secret> secret_of(const Json& event, store::Space& space) {
  Secret secret;
  if (event.find("sealed") == nullptr) return secret;
  const auto bytes = from_base64url(text_member(event, "sealed"));
  if (!bytes) return fail(ErrorCode::kCorrupt, "the record of a plan is damaged");
  ANIMA_ASSIGN(const auto opened, space.unseal({text_member(event, "seal"), *bytes}));
  secret.state = opened.state;
  if (opened.state != store::SealState::kOpen) return secret;
  ANIMA_ASSIGN(secret.json, parse_json(opened.text));
  return secret;
}

}  // namespace

void apply_plan_event(const govern::LedgerEntry& entry, std::vector<FoldedPlan>& plans) {
  const std::string id = text_member(entry.content, "plan");
  const std::string event = text_member(entry.content, "event");
  const auto found = std::find_if(plans.rbegin(), plans.rend(),
                                  [&](const FoldedPlan& each) { return each.id == id; });
  if (event == "begun") {
    if (found == plans.rend())
      plans.push_back({id, entry.content, {}, entry.time, entry.time, false});
    return;
  }
  if (found == plans.rend() || found->over) return;
  found->events.push_back(entry.content);
  found->last = entry.time;
  found->over = event == "over";
}

const FoldedPlan* known_plan(const std::vector<FoldedPlan>& plans, std::string_view id) {
  const auto found = std::find_if(plans.rbegin(), plans.rend(),
                                  [&](const FoldedPlan& each) { return each.id == id; });
  return found == plans.rend() ? nullptr : &*found;
}

const Json* last_event(const FoldedPlan& plan, std::string_view step) {
  const auto found = std::find_if(plan.events.rbegin(), plan.events.rend(), [&](const Json& event) {
    return text_member(event, "step") == step;
  });
  return found == plan.events.rend() ? nullptr : &*found;
}

Result<KeptPlan> opened_plan(const FoldedPlan& folded, store::Space& space) {
  KeptPlan plan;
  plan.id = folded.id;
  plan.begun = folded.first;
  plan.changed = folded.last;
  ANIMA_ASSIGN(const Secret begun, secret_of(folded.begun, space));
  if (!begun.json) {
    plan.state = PlanState::kOver;
    plan.reason = begun.state == store::SealState::kSealed ? "sealed: its key is not here"
                                                           : "erased: its key is gone";
    return plan;
  }
  ANIMA_TRY(take_plan_secret(*begun.json, plan));
  for (const Json& event : folded.events) {
    replay(event, plan);
    if (text_member(event, "event") != "done") continue;
    ANIMA_ASSIGN(Secret value, secret_of(event, space));
    if (!value.json) continue;
    StepOutput& output = plan.outputs.at(text_member(event, "step"));
    output.value = *std::move(value.json);
    output.kept = true;
  }
  return plan;
}

}  // namespace anima::agent::detail
