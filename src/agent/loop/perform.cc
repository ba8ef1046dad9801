// One tool outside of a cycle: what a person asks for, with the checks and the records of a cycle.
#include <optional>

#include "agent/loop/detail/agent_impl.h"
#include "agent/loop/detail/effects.h"

namespace anima::agent {

Result<Performed> Agent::Impl::perform(const std::string& tool, const tools::ToolInput& input) {
  ANIMA_TRY(begin("perform", Json::object({{"tool", tool}, {"input", detail::input_json(input)}})));
  const store::Snapshot& snapshot = call_->snapshot;
  const SessionState before = state_;
  Performed done;
  Draft draft;
  if (Status acted = act_alone(snapshot, tool, input, done, draft); !acted) {
    state_ = before;
    return fail(acted.error());
  }
  const bool nothing = done.written.empty() && done.vetoed_by.empty() && call_->answers.empty();
  if (nothing) return done;
  Json decision = done.to_json();
  decision.set("type", "performed");
  decision.set("tool", tool);
  decision.set("input", detail::input_json(input));
  ANIMA_ASSIGN(done.sequence, finish(before, draft, decision));
  return done;
}

Status Agent::Impl::act_alone(const store::Snapshot& snapshot, const std::string& tool,
                              const tools::ToolInput& input, Performed& done, Draft& draft) {
  const auto veto = [&](const ShadowPattern& pattern) {
    done.success = false;
    done.vetoed_by = pattern.name;
    done.result = veto_text(pattern);
    state_.psyche.record_shadow_encounter();
    draft.vetoed({}, pattern, state_.cycle);
  };
  if (const ShadowPattern* pattern = state_.psyche.check_veto(describe_action(tool, input))) {
    veto(*pattern);
    return {};
  }
  if (tools_.find(tool) == nullptr) {
    return fail(ErrorCode::kNotFound, "there is no such tool", tool, "see: anima agent tools");
  }
  detail::Bench bench(snapshot, config_.origin.trust, rules_, call_->record.now, std::nullopt);
  ANIMA_ASSIGN(const tools::ToolOutput output, run_tool(tool, input, bench));
  done.success = output.success;
  done.result = output.result;
  if (!output.success || bench.proposals.empty()) return {};
  ANIMA_ASSIGN(done.effects, foresee(snapshot, bench.proposals));
  for (const std::string& reason : done.effects->contradictions) {
    draft.contradicted({}, reason, state_.cycle);
  }
  if (const ShadowPattern* pattern = state_.psyche.veto_named(done.effects->vetoed_by)) {
    veto(*pattern);
    return {};
  }
  for (const tools::Proposal& proposal : bench.proposals) {
    draft.proposals.push_back({proposal, tool, state_.cycle});
  }
  done.written = std::move(bench.proposals);
  return {};
}

Json Performed::to_json() const {
  Json facts = Json::array();
  for (const tools::Proposal& fact : written) {
    facts.push_back(Json::object({{"subject", fact.subject},
                                  {"predicate", fact.predicate},
                                  {"object", fact.object},
                                  {"confidence", fact.confidence},
                                  {"rule", fact.rule}}));
  }
  Json json = Json::object({{"success", success},
                            {"result", std::string(cut_text(result, kMaxResultBytes))},
                            {"vetoed_by", vetoed_by.empty() ? Json() : Json(vetoed_by)},
                            {"facts", std::move(facts)}});
  if (effects) json.set("effects", effects->to_json());
  return json;
}

}  // namespace anima::agent
