#include "memory/recall/recall_evaluation.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "bus/event_bus.h"
#include "govern/ledger/ledger.h"
#include "memory/ingest.h"
#include "memory/memory_manager.h"
#include "memory/recall/recall_context.h"
#include "store/space.h"

namespace anima::memory {
namespace {

using Ids = std::map<std::string, std::string>;  // of the scenario -> of the memory

// A memory of its own for one scenario.
class Told {
 public:
  Told(std::shared_ptr<store::Space> space, const govern::Guardian& guardian, Clock& clock,
       Random& random, const RecallSteps& steps)
      : space_(std::move(space)),
        guardian_(guardian),
        ledger_(*space_, clock, random),
        memory_(*space_, ledger_, guardian, events_, clock, random, {.recall = steps}) {}

  // Turns in a row are written as one.
  Status tell(const RecallScenario& scenario, RecallEvaluation& result) {
    for (std::size_t i = 0; i < scenario.texts.size();) {
      std::size_t end = i;
      while (end < scenario.texts.size() && scenario.texts[end].is_turn() &&
             scenario.texts[end].trust == scenario.texts[i].trust)
        ++end;
      if (end == i) {
        ANIMA_TRY(tell(scenario.texts[i++], result));
        continue;
      }
      ANIMA_TRY(tell_turns(std::span(scenario.texts).subspan(i, end - i), result));
      i = end;
    }
    result.memories += scenario.texts.size();
    for (const ScenarioText& text : scenario.texts) {
      const auto id = ids_.find(text.id);
      if (text.forgotten && id != ids_.end()) ANIMA_TRY(memory_.forget(id->second, "operator"));
    }
    return {};
  }

  Result<std::vector<std::string>> best(const ScenarioQuestion& question, std::size_t k,
                                        const RecallSteps& steps) {
    ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
    return best_texts(memory_, now, question.text, k, options_for(question, steps));
  }
  Result<RecalledContext> prompt(const ScenarioQuestion& question, std::size_t budget,
                                 const RecallSteps& steps) {
    ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
    ContextOptions options = options_for(question, steps);
    options.budget_tokens = budget;
    return recall_context(memory_, now, question.text, options);
  }

  // Empty for what was not kept.
  std::string id_of(const std::string& id) const {
    const auto found = ids_.find(id);
    return found == ids_.end() ? std::string() : found->second;
  }

 private:
  static ContextOptions options_for(const ScenarioQuestion& question, const RecallSteps& steps) {
    ContextOptions options;
    options.facts = false;
    options.asker = question.asker;
    options.now = question.now;
    options.steps = steps;
    return options;
  }

  Status tell(const ScenarioText& text, RecallEvaluation& result) {
    NewMemory told;
    told.content = text.content;
    told.source = text.source;
    told.created_by = "evaluation";
    told.trust = text.trust;
    ANIMA_ASSIGN(StoredMemory stored, memory_.store(told));
    if (stored.quarantined) ++result.quarantined;
    ids_.insert_or_assign(text.id, std::move(stored.id));
    return {};
  }

  Status tell_turns(std::span<const ScenarioText> texts, RecallEvaluation& result) {
    std::vector<Turn> turns;
    for (const ScenarioText& text : texts) {
      turns.push_back(
          {text.session, text.id, text.speaker, text.content, text.attachment, text.time});
      ids_.insert_or_assign(text.id, text.session + "#" + text.id);
    }
    IngestOptions options;
    options.origin.author = "evaluation";
    options.origin.source = texts.front().source;
    options.origin.trust = texts.front().trust;
    ANIMA_ASSIGN(const IngestReport report,
                 ingest_turns(memory_, *space_, guardian_, turns, options));
    result.quarantined += report.quarantined;
    result.not_admitted += report.empty + report.repeated;
    return {};
  }

  std::shared_ptr<store::Space> space_;
  const govern::Guardian& guardian_;
  bus::EventBus events_;
  govern::Ledger ledger_;
  MemoryManager memory_;
  Ids ids_;
};

class Evaluator {
 public:
  Evaluator(const RecallOptions& options, std::size_t all) : options_(options), all_(all) {
    for (const std::size_t k : options.k) measures().push_back({.k = k});
    for (const std::size_t budget : options.budget_tokens)
      measures().push_back({.budget_tokens = budget});
  }

  Status add(const RecallScenario& scenario, Told& told) {
    ANIMA_TRY(told.tell(scenario, result_));
    ANIMA_TRY(step());
    for (const ScenarioQuestion& question : scenario.questions) {
      ANIMA_TRY(step());
      if (question.evidence.empty() && question.absent.empty()) {
        ANIMA_TRY(abstain(question, told));
      } else {
        ANIMA_TRY(ask(question, told));
      }
    }
    ++result_.scenarios;
    result_.unknown_evidence += scenario.unknown_evidence;
    return {};
  }

  RecallEvaluation finish() && { return std::move(result_); }

 private:
  std::vector<RecallMeasure>& measures() { return result_.measures; }

  Status step() {
    ++done_;
    if (!options_.progress || options_.progress(done_, all_)) return {};
    return fail(ErrorCode::kCancelled, "interrupted");
  }

  Status abstain(const ScenarioQuestion& question, Told& told) {
    ++result_.unanswerable;
    ANIMA_ASSIGN(const auto found, told.best(question, 1, options_.steps));
    if (found.empty()) ++result_.nothing_found;
    return {};
  }

  Status ask(const ScenarioQuestion& question, Told& told) {
    if (!question.evidence.empty()) {
      ++result_.questions;
      ++result_.questions_by_type[question.type];
    }
    std::vector<std::string> best;
    if (!options_.k.empty()) {
      ANIMA_ASSIGN(best, told.best(question, std::ranges::max(options_.k), options_.steps));
    }
    for (RecallMeasure& measure : measures()) {
      if (measure.budget_tokens == 0) {
        const std::size_t k = std::min(measure.k, best.size());
        count(question, told, std::span(best).first(k), false, measure);
        continue;
      }
      ANIMA_ASSIGN(const RecalledContext prompt,
                   told.prompt(question, measure.budget_tokens, options_.steps));
      std::vector<std::string> found;
      for (const ContextItem& item : prompt.items) {
        if (item.shown_bytes == item.content.size()) found.push_back(item.id);
      }
      measure.tokens += static_cast<double>(prompt.tokens());
      ++measure.prompts;
      count(question, told, found, true, measure);
    }
    return {};
  }

  static void count(const ScenarioQuestion& question, const Told& told,
                    std::span<const std::string> found, bool in_order, RecallMeasure& measure) {
    const auto place = [&](const std::string& id) {
      return std::ranges::find(found, told.id_of(id)) - found.begin();
    };
    const auto is_found = [&](const std::string& id) { return place(id) != std::ssize(found); };
    if (!question.absent.empty()) {
      const auto out = std::ranges::count_if(question.absent,
                                             [&](const std::string& id) { return !is_found(id); });
      ++measure.kept_out.questions;
      measure.kept_out.sum +=
          static_cast<double>(out) / static_cast<double>(question.absent.size());
    }
    if (question.evidence.empty()) return;
    double recall = static_cast<double>(std::ranges::count_if(question.evidence, is_found)) /
                    static_cast<double>(question.evidence.size());
    if (in_order && question.ordered && !std::ranges::is_sorted(question.evidence, {}, place))
      recall = 0;
    for (RecallShare* share : {&measure.all, &measure.by_type[question.type]}) {
      ++share->questions;
      share->sum += recall;
    }
  }

  const RecallOptions& options_;
  const std::size_t all_;
  std::size_t done_ = 0;
  RecallEvaluation result_;
};

}  // namespace

std::string RecallMeasure::name() const {
  return budget_tokens == 0 ? "first " + std::to_string(k)
                            : std::to_string(budget_tokens) + " tokens";
}

Json RecallEvaluation::to_json() const {
  const auto number = [](std::size_t count) { return Json(static_cast<std::uint64_t>(count)); };
  Json list = Json::array();
  for (const RecallMeasure& measure : measures) {
    Json recall = Json::object({{"all", measure.all.mean()}});
    for (const auto& [type, share] : measure.by_type) recall.set(type, share.mean());
    Json json = measure.budget_tokens == 0
                    ? Json::object({{"k", number(measure.k)}})
                    : Json::object({{"budget", number(measure.budget_tokens)}});
    json.set("evidence_recall", std::move(recall));
    if (measure.kept_out.questions > 0) json.set("kept_out", measure.kept_out.mean());
    if (measure.prompts > 0)
      json.set("mean_tokens", measure.tokens / static_cast<double>(measure.prompts));
    list.push_back(std::move(json));
  }
  Json types = Json::object();
  for (const auto& [type, count] : questions_by_type) types.set(type, number(count));
  return Json::object({{"questions", number(questions)},
                       {"questions_by_type", std::move(types)},
                       {"measures", std::move(list)},
                       {"scenarios", number(scenarios)},
                       {"memories", number(memories)},
                       {"quarantined", number(quarantined)},
                       {"not_admitted", number(not_admitted)},
                       {"abstention", Json::object({{"questions", number(unanswerable)},
                                                    {"nothing_found", number(nothing_found)}})},
                       {"unknown_evidence", number(unknown_evidence)}});
}

Result<RecallEvaluation> evaluate_recall(const std::vector<RecallScenario>& scenarios,
                                         const govern::Guardian& guardian, Clock& clock,
                                         Random& random, const RecallOptions& options) {
  std::size_t all = 0;
  for (const RecallScenario& scenario : scenarios) all += 1 + scenario.questions.size();
  Evaluator evaluator(options, all);
  for (const RecallScenario& scenario : scenarios) {
    store::SpaceOptions made;
    made.clock = std::shared_ptr<Clock>(std::shared_ptr<void>(), &clock);
    ANIMA_ASSIGN(std::shared_ptr<store::Space> space, store::Space::in_memory(made));
    Told told(std::move(space), guardian, clock, random, options.steps);
    ANIMA_TRY(evaluator.add(scenario, told));
  }
  return std::move(evaluator).finish();
}

}  // namespace anima::memory
