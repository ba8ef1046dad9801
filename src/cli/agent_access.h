// How the acting verbs come to their compartments and their agent, and how they show a cycle.
// Thread-safety: belongs to one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/agent.h"
#include "cli/context.h"
#include "cli/space_access.h"

namespace anima::cli {

// A space with its compartments: those under <space>/compartments and those that were loaded.
struct Workshop {
  std::shared_ptr<store::Space> space;
  std::unique_ptr<memory::CompartmentManager> compartments;
};
// Discovers, and loads and activates the Core ones. Broken neighbours are warnings.
Result<Workshop> open_workshop(Context& context, std::string_view source,
                               const std::optional<std::string>& directory = {});
// Loads and activates what a folder or file holds: a compartment's folder, or triples.json.
Status add_knowledge(Context& context, Workshop& workshop, const std::string& path);

// One cycle for people: what was seen, every candidate with every term, what was done.
std::string show_cycle(const Context& context, const agent::CycleReport& report);
// The answer to a question: its text, the rows, the proof of one of them, what to ask next.
std::string show_answer(const Context& context, const memory::QuestionAnswer& answer);
// " [0.86]" for what is not sure, else nothing.
std::string confidence_text(double confidence);
// `whole` also shows conditions and what was shown before.
std::string show_proof(const Context& context, const std::vector<memory::ProofLine>& proof,
                       std::string_view indent, bool whole);
Json answer_json(const memory::QuestionAnswer& answer);
Json proof_json(const std::vector<memory::ProofLine>& proof);
// Words in lines of at most `width` columns, each after `indent`.
std::string wrap_words(const std::vector<std::string>& words, std::string_view separator,
                       std::string_view indent, std::size_t width);

}  // namespace anima::cli
