// What is learnt of a conversation after it: facts that a person stated, as assertions that can be
// asked back, with his trust and the turn as their source.
//
//   facts_by_model   a language model names what the lines state, as JSON of a schema
//   facts_by_rules   without one: the sentences that state something in the words of the space
//                    (ask/parse/statements/statement.h) or in open words (telling/learnt_facts.h),
//                    of lines that are read whole
//   keep_facts       admission control, then memory and graph
//
// A fact is kept in the graph kToldGraph (told_facts.h) and as a text of memory. It is trusted as
// its line is: as the speaker, and no more than the floor of the turn. Not kept, with the reason:
// what was just recalled from memory, a near-duplicate of what is known (memory/admission.h), a
// scrap without a subject or with a pronoun for one, words of which the line says nothing (a model
// may not add to what was said), and what memory quarantines. Only lines of persons are read;
// neither answers nor results of tools.
//
// Thread-safety: one thread. Ownership: what is passed in outlives the call. Errors: those of the
// model (facts_by_model), those of the space (keep_facts). Complexity: a call of the model; a
// search of memory a fact. Source: issue "any model", 2; learning_and_psyche 2.6 and 2.9.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/conversation/model_conversation.h"
#include "agent/house/governed_house.h"
#include "agent/telling/space_asker.h"
#include "llm/model.h"

namespace anima::agent {

// At most so many of one conversation.
inline constexpr std::size_t kMostFacts = 20;

struct FoundFact {
  std::size_t line = 0;  // its place among the lines, from 0
  std::string text;      // a sentence of its own
  // As a model names it; all empty when the sentence itself is in the words of the space.
  std::string subject, relation, object;
  Json to_json() const;
};
Result<std::vector<FoundFact>> facts_by_model(llm::Model& model,
                                              const std::vector<SpokenLine>& lines,
                                              const std::stop_token& stop = {});
std::vector<FoundFact> facts_by_rules(SpaceAsker& asker, const std::vector<SpokenLine>& lines,
                                      Timestamp now);

struct LearntFact {
  FoundFact fact;
  bool kept = false;
  std::string reason;     // why it was not kept
  std::string stated;     // in the words of the space
  std::string memory_id;  // of the text
  govern::Trust trust = govern::Trust::kUntrusted;
  Json to_json() const;
};
// `recalled`: what of memory was told in the conversation.
Result<std::vector<LearntFact>> keep_facts(GovernedHouse& house, const std::string& session,
                                           const std::vector<SpokenLine>& lines,
                                           const std::vector<FoundFact>& found,
                                           const std::vector<std::string>& recalled);

}  // namespace anima::agent
