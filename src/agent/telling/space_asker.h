// Questions in plain words over a space as it is at each question: with the rules and the words of
// the compartments that are loaded by then. What `anima ask`, `run`, `chat`, MCP and the library
// answer with. Exact behaviour: ask/ask.h.
//
// What was remembered with all the words of a question stands beside its answer, as what was told
// and no more: where the question is not understood, and where the sentence could not be taken for
// a fact ("Ada no longer owns gitea") and is trusted as far as what the answer rests on. A text of
// another speaker than who asks is told as his words. Nothing is ever written. Thread-safety: one
// question at a time. Ownership: shares the space; the file system outlives it. Errors: open()
// those of ask::Asker; ask() never fails, what goes wrong is in the answer.
#pragma once

#include <memory>
#include <string_view>

#include "ask/ask.h"
#include "base/files/file.h"
#include "memory/compartments/compartments.h"
#include "memory/memory_item.h"
#include "store/space.h"

namespace anima::agent {

class SpaceAsker {
 public:
  static Result<std::unique_ptr<SpaceAsker>> open(std::shared_ptr<store::Space> space,
                                                  FileSystem& files,
                                                  std::shared_ptr<Clock> clock = {});
  ask::Answer ask(std::string_view question, const ask::AskOptions& options = {},
                  ask::Conversation* talk = nullptr);
  // What a sentence means that somebody tells (ask/parse/statements/saying.h), in the language of
  // the options, else in one that it may be in.
  ask::Said saying(std::string_view sentence, const ask::AskOptions& options = {},
                   const ask::LastSaid& last = {});
  // The fact that it states.
  std::optional<ask::Statement> statement(std::string_view sentence,
                                          const ask::AskOptions& options = {});
  Result<std::vector<std::string>> lexicon(const std::string& word,
                                           const ask::AskOptions& options = {});

 private:
  SpaceAsker(std::shared_ptr<store::Space> space, FileSystem& files, std::shared_ptr<Clock> clock,
             std::unique_ptr<ask::Asker> asker)
      : space_(std::move(space)),
        clock_(std::move(clock)),
        compartments_(*space_, files, ""),
        asker_(std::move(asker)) {}
  // What was remembered with all the words of the question, as said above.
  void add_told(std::string_view question, const ask::AskOptions& options, ask::Answer& answer);
  // What it says is in the facts, as far as it may be.
  bool became_a_fact(const memory::MemoryItem& item, const ask::AskOptions& options);
  // Takes up what changed since; a log that cannot be followed is told by the question's queries.
  void take_up();

  std::shared_ptr<store::Space> space_;
  std::shared_ptr<Clock> clock_;
  memory::CompartmentManager compartments_;
  std::unique_ptr<ask::Asker> asker_;
  std::optional<store::Sequence> taken_up_;  // the entry that the rules are those of
};

}  // namespace anima::agent
