#include "world/outside/keyward.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/enum_order.h"
#include "base/text/text.h"
#include "base/text/valid_text.h"

namespace anima::world {
namespace {

static_assert(ascend({llm::BudgetLevel::kNormal, llm::BudgetLevel::kConservation,
                      llm::BudgetLevel::kDegradation, llm::BudgetLevel::kEndTimes,
                      llm::BudgetLevel::kHalt}));

constexpr std::uint64_t kThinksInConservation = 8, kThinksInNeed = 5;
constexpr std::size_t kLeastServed = 4;
constexpr std::size_t kSystemSections = 3;  // rules, identity, memory

llm::ThinkContext context_of(const ThinkRequest& request) {
  llm::ThinkContext context;
  context.involves_new_design = request.tier == ThinkTier::kTier1;
  context.is_routine = request.tier == ThinkTier::kTier3;
  if (request.goal == nullptr) return context;
  context.critical = request.goal->source == GoalSource::kSurvival;
  const auto notes = request.citizen.state.notes.find(request.goal->id);
  context.preserves_knowledge =
      notes != request.citizen.state.notes.end() &&
      std::ranges::find(notes->second.tags, "knowledge") != notes->second.tags.end();
  return context;
}

std::uint64_t thinks_at(llm::BudgetLevel level) {
  if (level == llm::BudgetLevel::kNormal) return kThinksPerCycle;
  return level == llm::BudgetLevel::kConservation ? kThinksInConservation : kThinksInNeed;
}

std::size_t served_at(llm::BudgetLevel level, std::size_t agents) {
  if (level == llm::BudgetLevel::kEndTimes) return kLeastServed;
  if (level == llm::BudgetLevel::kDegradation) return std::max((agents + 1) / 2, kLeastServed);
  return agents;
}

Json no_answer(std::string_view why) { return Json::object({{"failure", why}}); }

Digest digest_of(const ThinkRequest& request, const llm::Request& prompt) {
  Sha256 hash;
  hash.update(bytes_of(request.citizen.id())).update(big_endian(request.now, 8));
  for (const llm::Message& message : prompt.messages) hash.update(llm::text_of(message));
  return hash.finish();
}

}  // namespace

llm::Request think_prompt(const ThinkRequest& request, std::size_t context) {
  PromptBudget budget;
  budget.context = context;
  std::string system, user;
  const auto sections = prompt_sections(request.citizen, request.goal, request.now, budget);
  for (std::size_t i = 0; i < sections.size(); ++i)
    (i < kSystemSections ? system : user) +=
        fmt::format("{}\n{}\n", sections[i].header, sections[i].text);
  user += request.plan_wanted ? "The goal has no plan yet: answer with create_plan.\n"
                              : "Answer with your next action.\n";
  llm::Request prompt;
  prompt.messages = {llm::system_message(std::move(system)), llm::user_message(std::move(user))};
  return prompt;
}

void Keyward::begin_cycle(const std::vector<AgentId>& ranks) {
  ++cycles_;
  ranks_ = ranks;
  thinks_.clear();
  said_.clear();
  std::erase_if(resting_, [&](const auto& each) { return each.second <= cycles_; });
}

Result<std::string> Keyward::think(const ThinkRequest& request) {
  if (request.tier > options_.last || outside_ == nullptr || !failed_)
    return policy_.think(request);
  std::uint64_t& thinks = thinks_[request.citizen.id()];
  if (thinks == kThinksPerCycle) return policy_.think(request);
  ++thinks;
  ++counts_.asked;
  // The question is what an agent would be told in full: a model's own context may be less.
  const llm::Request prompt = think_prompt(request, PromptBudget().context);
  const auto answer = outside_->answer({"think", request.now, digest_of(request, prompt)},
                                       [&] { return ask(request, prompt); });
  if (!answer) {
    failed_ = fail(answer.error());
    return fail(answer.error());
  }
  const Json* text = answer->find("text");
  const auto tokens = [&](const char* name) {
    const Json* found = answer->find(name);
    return found == nullptr ? 0 : static_cast<std::uint64_t>(found->as_integer());
  };
  counts_.input_tokens += tokens("input_tokens");
  counts_.output_tokens += tokens("output_tokens");
  if (text == nullptr) {
    const Json* failure = answer->find("failure");
    if (failure != nullptr) say_once(failure->as_string());
    return policy_.think(request);
  }
  ++counts_.answered;
  return text->as_string();
}

std::string Keyward::withheld(const ThinkRequest& request, llm::BudgetLevel level) const {
  const auto thinks = thinks_.find(request.citizen.id());
  if (thinks != thinks_.end() && thinks->second > thinks_at(level))
    return "the budget of the models lets an agent think less often now";
  const std::size_t served = served_at(level, ranks_.size());
  const auto rank = std::ranges::find(ranks_, request.citizen.id());
  if (static_cast<std::size_t>(rank - ranks_.begin()) >= served &&
      level > llm::BudgetLevel::kConservation)
    return "the budget of the models serves fewer agents now";
  return {};
}

Result<Json> Keyward::ask(const ThinkRequest& request, const llm::Request& prompt) {
  const llm::ThinkContext context = context_of(request);
  llm::BudgetLevel level = llm::BudgetLevel::kNormal;
  if (options_.budget) {
    const auto budget = options_.budget();
    if (!budget) return no_answer(budget.error().describe());
    level = budget->level;
  }
  if (const auto tier = llm::tier_under(level, context); !tier)
    return no_answer(tier.error().describe());
  if (const std::string why = withheld(request, level); !why.empty()) return no_answer(why);
  const auto model = options_.model(context);
  if (!model) return no_answer(model.error().describe());
  const llm::ModelConfig& config = (*model)->config();
  if (resting_.contains(config.name)) return no_answer("a model that failed is given rest");
  const std::int64_t room = config.context_tokens - config.max_tokens;
  const bool narrow = room < static_cast<std::int64_t>(PromptBudget().context);
  const auto reply = (*model)->complete(
      narrow ? think_prompt(request, static_cast<std::size_t>(std::max<std::int64_t>(0, room)))
             : prompt,
      {{}, options_.stop});
  if (!reply) {
    if (reply.error().code == ErrorCode::kCancelled) return fail(reply.error());
    note_failure(config.name, reply.error());
    return no_answer(reply.error().describe());
  }
  Json answer = Json::object({{"model", config.name},
                              {"input_tokens", reply->usage.input_tokens},
                              {"output_tokens", reply->usage.output_tokens}});
  std::string text = valid_text(llm::text_of(reply->message));
  if (trim(text).empty()) {
    answer.set("failure", "the model " + config.name + " said nothing");
  } else {
    answer.set("text", std::move(text));
  }
  return answer;
}

void Keyward::note_failure(const std::string& model, const Error& error) {
  const bool key = error.code == ErrorCode::kDenied || error.code == ErrorCode::kNotFound;
  // A budget that is used up is no failure of the model.
  if (error.code == ErrorCode::kLimitExceeded) return;
  resting_[model] = cycles_ + (key ? kHealthCheckCycles : 1);
}

void Keyward::say_once(const std::string& text) {
  if (options_.warn && said_.insert(text).second)
    options_.warn("no model thinks, the policy decides: " + text);
}

}  // namespace anima::world
