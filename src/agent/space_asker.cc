#include "agent/space_asker.h"

namespace anima::agent {

Result<std::unique_ptr<SpaceAsker>> SpaceAsker::open(std::shared_ptr<store::Space> space,
                                                     FileSystem& files,
                                                     std::shared_ptr<Clock> clock) {
  ANIMA_ASSIGN(auto asker, ask::Asker::open(space, std::move(clock)));
  return std::unique_ptr<SpaceAsker>(new SpaceAsker(std::move(space), files, std::move(asker)));
}

ask::Answer SpaceAsker::ask(std::string_view question, const ask::AskOptions& options,
                            ask::Conversation* talk) {
  take_up();
  return asker_->ask(question, options, talk);
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
