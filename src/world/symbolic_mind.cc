#include "world/symbolic_mind.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/mind/scoring.h"
#include "world/learning.h"
#include "world/motives.h"

namespace anima::world {
namespace {

using agent::Candidate;

struct Step {
  std::string action;
  Json params = Json::object();
  std::string precondition;
};

// Numbers that follow from who asks and when: a mind has no dice.
std::uint64_t draw(const Citizen& citizen, std::uint64_t now, std::string_view what) {
  const Digest digest =
      Sha256().update(bytes_of(citizen.id())).update(big_endian(now, 8)).update(what).finish();
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value = value << 8 | digest[i];
  return value;
}

// A program that leaves a number, found by taking it apart. Who ships fast slips at times.
std::string program_for(const Citizen& citizen, std::uint64_t wanted, std::uint64_t now) {
  const std::uint64_t factor = 2 + draw(citizen, now, "factor") % 97;
  const float haste = citizen.state.genome.traits.quality_vs_speed;
  const auto slips = static_cast<std::uint64_t>(haste * 40.0F);
  const std::uint64_t slip = draw(citizen, now, "slip") % 100 < slips ? 1 : 0;
  return fmt::format("push {}\npush {}\nmul\npush {}\nadd\nhalt", wanted / factor, factor,
                     wanted % factor + slip);
}

const GoalNotes* notes_of(const Citizen& citizen, const Goal* goal) {
  if (goal == nullptr) return nullptr;
  const auto found = citizen.state.notes.find(goal->id);
  return found == citizen.state.notes.end() ? nullptr : &found->second;
}

const std::string* result(const Citizen& citizen, const std::string& name) {
  const auto found = citizen.state.results.find(name);
  return found == citizen.state.results.end() ? nullptr : &found->second;
}

class Planner {
 public:
  Planner(const Citizen& citizen, const Goal& goal, const GoalNotes& notes, std::uint64_t now)
      : citizen_(citizen), goal_(goal), notes_(notes), now_(now) {}

  std::vector<Step> steps() {
    if (notes_.kind == "bounty") return bounty();
    if (notes_.kind == "review") return review();
    if (notes_.kind == "role") return role(notes_.tags.front());
    if (notes_.kind == "explore") return explore();
    if (notes_.kind == "mentor") return {publish("what helped me"), post("ask me")};
    return {publish("how to do good work"), balance()};
  }

 private:
  std::string label() const {
    return fmt::format("{} {} {}", goal_.description, alias(citizen_.id()), now_);
  }

  Step balance() const { return {"balance_query", Json::object(), ""}; }
  Step put(std::uint64_t wanted) const {
    return {"object_put",
            Json::object({{"type_tag", 1}, {"data", program_for(citizen_, wanted, now_)}}), ""};
  }
  Step snap() const {
    return {"snap_create", Json::object({{"root", "$object"}, {"message", label()}}), ""};
  }
  Step publish(std::string_view about) const {
    return {"entry_publish",
            Json::object({{"title", fmt::format("{}: {}", about, label())},
                          {"body", fmt::format("{} found in cycle {}: {}", alias(citizen_.id()),
                                               citizen_.state.cycle, about)}}),
            ""};
  }
  Step post(std::string_view what) const {
    return {"msg_post", Json::object({{"content", fmt::format("{}: {}", what, label())}}), ""};
  }
  Step run() const { return {"sandbox_create", Json::object({{"program", "$object"}}), ""}; }
  Step start() const { return {"exec_start", Json::object({{"sandbox_id", "$sandbox"}}), ""}; }

  std::vector<Step> bounty() const {
    const auto known = citizen_.state.bounties.find(*notes_.subject);
    if (known == citizen_.state.bounties.end()) return {balance()};
    const std::string id = to_hex(known->first);
    std::vector<Step> steps;
    if (known->second.claimer != citizen_.id())
      steps.push_back({"bounty_claim", Json::object({{"bounty_id", id}}), ""});
    steps.push_back(put(known->second.expected));
    steps.push_back(snap());
    steps.push_back(
        {"bounty_submit", Json::object({{"bounty_id", id}, {"submission_snap", "$snap"}}), ""});
    steps.push_back({"balance_query", Json::object(), "settled:" + id});
    return steps;
  }

  std::vector<Step> review() const {
    const auto known = citizen_.state.bounties.find(*notes_.subject);
    if (known == citizen_.state.bounties.end()) return {balance()};
    return {
        {"snap_get", Json::object({{"snap_id", to_hex(known->second.submission)}}), ""},
        {"sandbox_create", Json::object({{"program", "$root"}}), ""},
        start(),
        {"bounty_review",
         Json::object({{"bounty_id", to_hex(known->first)}, {"verdict", "$verdict"}}), "executed"}};
  }

  std::vector<Step> repository() const {
    if (result(citizen_, "repo") != nullptr) return {};
    return {{"repo_create", Json::object({{"name", "work of " + alias(citizen_.id())}}), ""}};
  }

  std::vector<Step> role(std::string_view tag) const {
    std::vector<Step> steps = repository();
    const std::uint64_t wanted = draw(citizen_, now_, "wanted") % 10'000;
    const auto add = [&steps](std::vector<Step> more) {
      steps.insert(steps.end(), more.begin(), more.end());
    };
    const Step tagged{
        "tag_create",
        Json::object({{"repo", "$repo"}, {"name", fmt::format("v{}", now_)}, {"target", "$snap"}}),
        ""};
    if (tag == "compiler" || tag == "language") {
      add({put(wanted), snap(), run(), start(), tagged});
    } else if (tag == "knowledge") {
      add({{"entry_query", Json::object(), ""}, publish("coverage")});
    } else if (tag == "library") {
      add({{"registry_query", Json::object(), ""}, put(wanted), snap(), tagged});
      const std::string* other = result(citizen_, "other_repo");
      if (other != nullptr && result(citizen_, "depends") == nullptr)
        add({{"dependency_add", Json::object({{"repo", "$repo"}, {"on", "$other_repo"}}), ""}});
    } else if (tag == "design" || tag == "quality") {
      add({post("design"), offer(wanted)});
      if (tag == "design" && result(citizen_, "proposal") == nullptr)
        add({{"proposal_submit", Json::object({{"kind", "Custom"}, {"title", "adopt " + label()}}),
              ""}});
    } else {
      add({put(wanted),
           snap(),
           {"service_create", Json::object({{"name", label()}, {"program", "$object"}, {"fee", 1}}),
            ""},
           {"service_call", Json::object({{"service_id", "$service"}, {"data", 3}}), ""}});
    }
    return steps;
  }

  // A bounty of its own, as much as it can spare.
  Step offer(std::uint64_t wanted) const {
    const std::int64_t spare = (citizen_.state.balance - 30) / 4;
    if (spare < 6) return balance();
    return {"bounty_create",
            Json::object({{"title", fmt::format("a program that leaves {}", wanted)},
                          {"reward", std::min<std::int64_t>(spare, 20)},
                          {"difficulty", 1},
                          {"deadline", now_ + 3 * kTicksPerCycle},
                          {"tags", Json::array({"arithmetic"})},
                          {"expected", wanted}}),
            ""};
  }

  std::vector<Step> explore() const {
    return {{"web_request", Json::object({{"method", "GET"}, {"url", "https://example.org/"}}), ""},
            publish("something unfamiliar")};
  }

  const Citizen& citizen_;
  const Goal& goal_;
  const GoalNotes& notes_;
  const std::uint64_t now_;
};

// What a step still misses: its precondition, or the value of a $name.
class Filler {
 public:
  Filler(const Citizen& citizen, const GoalNotes* notes) : citizen_(citizen), notes_(notes) {}

  std::optional<Json> fill(const PlanStep& step) {
    if (step.precondition && !holds(*step.precondition)) return std::nullopt;
    const auto params = parse_json(step.params);
    if (!params) return std::nullopt;
    JsonObject filled;
    for (const JsonMember& member : params->as_object()) {
      Json value = member.second;
      if (value.is_string() && value.as_string().starts_with('$')) {
        const auto found = named(value.as_string().substr(1));
        if (!found) return std::nullopt;
        value = Json(*found);
      }
      filled.emplace_back(member.first, std::move(value));
    }
    return Json(std::move(filled));
  }

 private:
  const std::string* executed() const {
    const std::string* sandbox = result(citizen_, "sandbox");
    return sandbox == nullptr ? nullptr : result(citizen_, "exec:" + *sandbox);
  }

  bool holds(const std::string& condition) const {
    if (condition == "executed") return executed() != nullptr;
    const auto id = from_hex(condition.substr(std::min(condition.size(), condition.find(':') + 1)));
    if (!id || id->size() != 32) return false;
    Digest bounty{};
    std::copy(id->begin(), id->end(), reinterpret_cast<char*>(bounty.data()));
    const auto known = citizen_.state.bounties.find(bounty);
    return known == citizen_.state.bounties.end() || known->second.state == "completed";
  }

  std::optional<std::string> named(const std::string& name) const {
    if (name == "verdict") {
      if (executed() == nullptr || notes_ == nullptr || !notes_->subject) return std::nullopt;
      const auto known = citizen_.state.bounties.find(*notes_->subject);
      if (known == citizen_.state.bounties.end()) return std::nullopt;
      return *executed() == std::to_string(known->second.expected) ? "approve" : "reject";
    }
    const std::string* value = result(citizen_, name);
    return value == nullptr ? std::nullopt : std::optional(*value);
  }

  const Citizen& citizen_;
  const GoalNotes* notes_;
};

// Everything that could be done now, with the terms of its score.
class Options {
 public:
  explicit Options(const ThinkRequest& request) : citizen_(request.citizen), now_(request.now) {}

  struct Act {
    Candidate candidate;
    Json params;
  };

  std::vector<Act> all() {
    plan_step();
    social();
    query();
    if (acts_.empty()) add("nop", 0, Json::object(), "There is nothing to do.");
    return std::move(acts_);
  }

 private:
  void add(const std::string& action, double base, Json params, std::string why) {
    Act act;
    act.candidate.tool = action;
    act.candidate.why = std::move(why);
    act.candidate.terms.base = base;
    act.candidate.terms.recency = agent::recency_penalty(action, citizen_.state.recent);
    const bool done = std::any_of(citizen_.state.recent.begin(), citizen_.state.recent.end(),
                                  [&](const std::string& each) { return each == action; });
    act.candidate.terms.novelty =
        done ? 0.0 : 0.15 * static_cast<double>(citizen_.state.genome.traits.risk_tolerance);
    act.params = std::move(params);
    acts_.push_back(std::move(act));
  }

  void plan_step() {
    const std::optional<Plan>& plan = citizen_.memory.active_plan;
    if (!plan || plan->next_step >= plan->steps.size()) return;
    const PlanStep& step = plan->steps[plan->next_step];
    const GoalNotes* notes = notes_of(citizen_, citizen_.goals.find(plan->goal));
    auto params = Filler(citizen_, notes).fill(step);
    if (params) add(step.action, 0.8, std::move(*params), "The plan's next step.");
  }

  void social() {
    const auto collaboration = static_cast<double>(citizen_.state.genome.traits.collaboration);
    if (!citizen_.state.proposals.empty()) {
      const auto& proposal = *citizen_.state.proposals.begin();
      const bool yes = draw(citizen_, proposal.first[0], "vote") % 4 != 0;
      add("proposal_vote", 0.6,
          Json::object({{"proposal_id", to_hex(proposal.first)}, {"vote", yes}}),
          "A proposal is open.");
    }
    if (!citizen_.state.entries.empty()) {
      const auto& entry = *citizen_.state.entries.begin();
      add("entry_verify", 0.4 + 0.2 * collaboration,
          Json::object({{"entry_id", to_hex(entry.first)}, {"verdict", "accurate"}}),
          "Somebody has written something that nobody looked at here.");
    }
    const PeerModel* best = nullptr;
    for (const auto& peer : citizen_.memory.peer_model) {
      const double theirs = trust(peer.second, now_);
      if (theirs > 0.4 && (best == nullptr || theirs > trust(*best, now_))) best = &peer.second;
    }
    if (best != nullptr)
      add("signal_send", 0.3 * collaboration,
          Json::object({{"target", to_hex(best->agent_id)}, {"kind", "helpful"}, {"weight", 1.0}}),
          "A partner has been helpful.");
  }

  void query() {
    const bool asked = citizen_.state.asked_balance == citizen_.state.cycle + 1;
    add("balance_query", asked ? 0.1 : 0.3, Json::object(), "See what is left.");
    add("entry_query", 0.2, Json::object(), "See what is known.");
    add("msg_query", 0.2, Json::object({{"limit", 5}}), "See what is said.");
    add("nop", 0.05, Json::object(), "Wait.");
  }

  const Citizen& citizen_;
  const std::uint64_t now_;
  std::vector<Act> acts_;
};

std::string answer(std::string_view action, Json params, std::string reasoning) {
  return Json::object({{"action", action},
                       {"params", std::move(params)},
                       {"reasoning", std::move(reasoning)},
                       {"memory_update", nullptr}})
      .dump();
}

std::string plan_answer(const ThinkRequest& request, const GoalNotes& notes) {
  Json steps = Json::array();
  for (Step& step : Planner(request.citizen, *request.goal, notes, request.now).steps()) {
    Json one = Json::object({{"action", step.action}, {"params", std::move(step.params)}});
    if (!step.precondition.empty()) one.set("precondition", step.precondition);
    steps.push_back(std::move(one));
  }
  return answer("create_plan",
                Json::object({{"steps", std::move(steps)}, {"estimated_cost", 0}, {"risk", 0.1}}),
                "A plan for: " + request.goal->description);
}

}  // namespace

Result<std::string> SymbolicMind::think(const ThinkRequest& request) {
  const GoalNotes* notes = notes_of(request.citizen, request.goal);
  if (request.plan_wanted && notes != nullptr) return plan_answer(request, *notes);
  std::vector<Options::Act> acts = Options(request).all();
  std::vector<Candidate> candidates;
  for (const Options::Act& act : acts) candidates.push_back(act.candidate);
  std::vector<std::string> plan;
  if (const std::optional<Plan>& active = request.citizen.memory.active_plan;
      active && active->next_step < active->steps.size() &&
      acts.front().candidate.why == "The plan's next step.")
    plan = {active->steps[active->next_step].action};
  const agent::Decision decision = agent::rank(std::move(candidates), plan);
  const Candidate& chosen = decision.candidates.front();
  // Of two acts of one name the first is the plan's.
  const auto act = std::find_if(acts.begin(), acts.end(), [&](const Options::Act& each) {
    return each.candidate.tool == chosen.tool;
  });
  return answer(chosen.tool, act->params, agent::reasoning(chosen));
}

}  // namespace anima::world
