#include "memory/recall_evaluation.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "bus/event_bus.h"
#include "govern/ledger.h"
#include "memory/memory_manager.h"
#include "memory/recall_context.h"
#include "store/space.h"

namespace anima::memory {
namespace {

using Ids = std::set<std::string>;

class Evaluator {
 public:
  Evaluator(const govern::Guardian& guardian, Clock& clock, Random& random,
            const RecallOptions& options, std::size_t all)
      : guardian_(guardian), clock_(clock), random_(random), options_(options), all_(all) {}

  Status add(const RecallScenario& scenario) {
    ANIMA_ASSIGN(const std::shared_ptr<store::Space> space, store::Space::in_memory());
    bus::EventBus events;
    govern::Ledger ledger(*space, clock_, random_);
    MemoryManager memory(*space, ledger, guardian_, events, clock_, random_);
    ANIMA_ASSIGN(const auto ids, tell(scenario, memory));
    for (const ScenarioQuestion& question : scenario.questions) {
      ANIMA_TRY(step());
      if (question.evidence.empty()) {
        ++result_.unanswerable;
        continue;
      }
      ANIMA_ASSIGN(const Ids found, ask(question.text, memory, *space));
      const auto hits = std::ranges::count_if(
          question.evidence, [&](const std::string& id) { return found.contains(ids.at(id)); });
      count(question.type,
            static_cast<double>(hits) / static_cast<double>(question.evidence.size()));
    }
    ++result_.scenarios;
    result_.unknown_evidence += scenario.unknown_evidence;
    return {};
  }

  RecallEvaluation finish() && {
    if (result_.all.questions != 0)
      result_.mean_tokens = tokens_ / static_cast<double>(result_.all.questions);
    return std::move(result_);
  }

 private:
  Status step() {
    ++done_;
    if (!options_.progress || options_.progress(done_, all_)) return {};
    return fail(ErrorCode::kCancelled, "interrupted");
  }

  // The memory's id of each text; the same text has the same.
  Result<std::map<std::string, std::string>> tell(const RecallScenario& scenario,
                                                  MemoryManager& memory) {
    std::map<std::string, std::string> ids;
    for (const ScenarioText& text : scenario.texts) {
      ANIMA_TRY(step());
      NewMemory told;
      told.content = text.content;
      told.source = text.source;
      told.created_by = "evaluation";
      told.trust = text.trust;
      ANIMA_ASSIGN(StoredMemory stored, memory.store(told));
      ++result_.memories;
      if (stored.quarantined) ++result_.quarantined;
      ids.insert_or_assign(text.id, std::move(stored.id));
    }
    return ids;
  }

  Result<Ids> ask(const std::string& question, MemoryManager& memory, store::Space& space) {
    Ids found;
    if (!options_.budget_tokens) {
      ANIMA_ASSIGN(const MemoryRecall recall, memory.recall(question, kPromptReader, options_.k));
      for (const MemoryHit& hit : recall.hits) found.insert(hit.item.id);
      return found;
    }
    ContextOptions context;
    context.budget_tokens = *options_.budget_tokens;
    context.limit = options_.k;
    context.facts = false;
    ANIMA_ASSIGN(const store::Snapshot now, space.snapshot());
    ANIMA_ASSIGN(const RecalledContext recalled, recall_context(memory, now, question, context));
    for (const ContextItem& item : recalled.items) {
      if (item.shown_bytes == item.content.size()) found.insert(item.id);
    }
    tokens_ += static_cast<double>(recalled.tokens());
    return found;
  }

  void count(const std::string& type, double recall) {
    for (RecallShare* share : {&result_.all, &result_.by_type[type]}) {
      ++share->questions;
      share->sum += recall;
    }
  }

  const govern::Guardian& guardian_;
  Clock& clock_;
  Random& random_;
  const RecallOptions& options_;
  const std::size_t all_;
  std::size_t done_ = 0;
  double tokens_ = 0;
  RecallEvaluation result_;
};

}  // namespace

Json RecallEvaluation::to_json() const {
  Json recall = Json::object({{"all", all.mean()}});
  Json questions = Json::object();
  for (const auto& [type, share] : by_type) {
    recall.set(type, share.mean());
    questions.set(type, static_cast<std::uint64_t>(share.questions));
  }
  return Json::object({{"questions", static_cast<std::uint64_t>(all.questions)},
                       {"evidence_recall", std::move(recall)},
                       {"questions_by_type", std::move(questions)},
                       {"scenarios", static_cast<std::uint64_t>(scenarios)},
                       {"memories", static_cast<std::uint64_t>(memories)},
                       {"quarantined", static_cast<std::uint64_t>(quarantined)},
                       {"unanswerable", static_cast<std::uint64_t>(unanswerable)},
                       {"unknown_evidence", static_cast<std::uint64_t>(unknown_evidence)}});
}

Result<RecallEvaluation> evaluate_recall(const std::vector<RecallScenario>& scenarios,
                                         const govern::Guardian& guardian, Clock& clock,
                                         Random& random, const RecallOptions& options) {
  std::size_t all = 0;
  for (const RecallScenario& scenario : scenarios)
    all += scenario.texts.size() + scenario.questions.size();
  Evaluator evaluator(guardian, clock, random, options, all);
  for (const RecallScenario& scenario : scenarios) ANIMA_TRY(evaluator.add(scenario));
  return std::move(evaluator).finish();
}

}  // namespace anima::memory
