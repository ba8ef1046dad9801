// Cycles of the agent, answers and proofs, for people and as JSON. Thread-safety: functions without
// state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/loop/agent.h"
#include "cli/frame/context.h"

namespace anima::cli {

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
// Words in lines of at most `width` columns, each after `indent`.
std::string wrap_words(const std::vector<std::string>& words, std::string_view separator,
                       std::string_view indent, std::size_t width);

}  // namespace anima::cli
