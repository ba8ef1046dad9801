#include "agent/house/space_asker.h"

#include <algorithm>
#include <utility>

#include "memory/remembered.h"

namespace anima::agent {
namespace {

constexpr std::size_t kMostTold = 3;
// As whom the memory is read: what every agent may see.
constexpr std::string_view kReader = "executor";

}  // namespace

Result<std::unique_ptr<SpaceAsker>> SpaceAsker::open(std::shared_ptr<store::Space> space,
                                                     FileSystem& files,
                                                     std::shared_ptr<Clock> clock) {
  ANIMA_ASSIGN(auto asker, ask::Asker::open(space, std::move(clock)));
  return std::unique_ptr<SpaceAsker>(new SpaceAsker(std::move(space), files, std::move(asker)));
}

ask::Answer SpaceAsker::ask(std::string_view question, const ask::AskOptions& options,
                            ask::Conversation* talk) {
  take_up();
  ask::Answer answer = asker_->ask(question, options, talk);
  add_told(question, options, answer);
  return answer;
}

void SpaceAsker::add_told(std::string_view question, const ask::AskOptions& options,
                          ask::Answer& answer) {
  const bool understood =
      answer.status == ask::AnswerStatus::kAnswered || answer.status == ask::AnswerStatus::kEmpty;
  const bool unanswered = answer.status == ask::AnswerStatus::kNotUnderstood;
  if ((!understood && !unanswered) || answer.reason == "not_a_question" || options.as_of) return;
  const auto snapshot = space_->snapshot();
  if (!snapshot) return;
  std::vector<memory::MemoryItem> items = memory::remembered_texts(*snapshot, kReader);
  std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) {
    return std::pair(b.trust, b.created_at.microseconds) <
           std::pair(a.trust, a.created_at.microseconds);
  });
  for (const memory::MemoryItem& item : items) {
    if (answer.told.size() >= kMostTold) break;
    // A sentence that became a fact has its say in the answer; one that did not may deny it.
    if (understood && answer.trust && item.trust < *answer.trust) break;
    const auto speaks = asker_->speaks_of(item.content, question, options);
    if (!speaks || !*speaks) continue;
    if (understood && asker_->statement(item.content, options)) continue;
    answer.told.push_back({item.content, item.id, item.trust});
    answer.text += " " + asker_->told_sentence(answer.told.back(), options);
  }
}

std::optional<ask::Statement> SpaceAsker::statement(std::string_view sentence,
                                                    const ask::AskOptions& options) {
  take_up();
  return asker_->statement(sentence, options);
}

Result<std::vector<std::string>> SpaceAsker::lexicon(const std::string& word,
                                                     const ask::AskOptions& options) {
  take_up();
  return asker_->lexicon(word, options);
}

void SpaceAsker::take_up() {
  const auto snapshot = space_->snapshot();
  if (!snapshot || taken_up_ == snapshot->sequence()) return;
  if (!compartments_.refresh()) return;
  asker_->set_rules(compartments_.rules(), compartments_.synonyms());
  taken_up_ = snapshot->sequence();
}

}  // namespace anima::agent
