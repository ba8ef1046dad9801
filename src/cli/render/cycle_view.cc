#include "cli/render/cycle_view.h"

#include <fmt/format.h>

#include "base/text/text.h"
#include "memory/fact_proof.h"

namespace anima::cli {
namespace {

constexpr std::size_t kWidth = 96;
constexpr std::size_t kResultLines = 6;

std::string first_lines(std::string_view text, std::size_t lines, std::string_view indent) {
  std::string out;
  std::size_t shown = 0, total = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++total;
    if (shown == lines) continue;
    const std::string_view cut = substring_by_code_points(line, 0, kWidth);
    out += fmt::format("{}{}{}\n", indent, cut, cut.size() < line.size() ? " .." : "");
    ++shown;
  }
  if (total > shown) out += fmt::format("{}.. {} more lines\n", indent, total - shown);
  return out;
}

std::string show_candidates(const Context& context, const agent::Decision& decision) {
  std::string out = context.paint(
      Paint::kDim,
      "    score  tool                base  recency  novelty  episodic  pressure  archetype\n");
  for (std::size_t i = 0; i < decision.candidates.size(); ++i) {
    const agent::Candidate& candidate = decision.candidates[i];
    const agent::ScoreTerms& terms = candidate.terms;
    const std::string line = fmt::format(
        "  {} {:>5.2f}  {:<18} {:>5.2f}    -{:.2f}    +{:.2f}     +{:.2f}     +{:.2f}     {:+.3f}",
        i == 0 ? ">" : " ", terms.total(), candidate.tool, terms.base, terms.recency, terms.novelty,
        terms.episodic, terms.pressure, terms.archetype);
    out += (i == 0 ? context.paint(Paint::kBold, line) : line) + "\n";
  }
  return out;
}

// What the branch showed, before the action was written.
std::string show_effects(const agent::Effects& effects) {
  std::string out =
      fmt::format("  what if: {} statement{}, {} derived fact{} gained, {} lost\n",
                  effects.statements, effects.statements == 1 ? "" : "s", effects.gained_total,
                  effects.gained_total == 1 ? "" : "s", effects.lost_total);
  for (const std::string& fact : effects.gained) out += "    gains " + fact + "\n";
  for (const std::string& fact : effects.lost) out += "    loses " + fact + "\n";
  for (const std::string& reason : effects.contradictions) out += "    " + reason + "\n";
  if (!effects.vetoed_by.empty()) {
    out += fmt::format("    \"{}\" fires the veto {}\n", effects.vetoed_fact, effects.vetoed_by);
  }
  if (!effects.note.empty()) out += "    " + effects.note + "\n";
  return out;
}

std::string_view progress_word(agent::ProgressKind kind) {
  switch (kind) {
    case agent::ProgressKind::kNoChange:
      return "no change";
    case agent::ProgressKind::kAdvanced:
      return "advanced";
    case agent::ProgressKind::kCompleted:
      return "completed";
    case agent::ProgressKind::kFailed:
      return "failed";
  }
  return "no change";
}

}  // namespace

std::string show_cycle(const Context& context, const agent::CycleReport& report) {
  std::string out = context.paint(Paint::kBold, fmt::format("Cycle {}", report.cycle));
  out += fmt::format("  {}\n", report.strategy);
  out +=
      fmt::format("  observe: {} active goal{}, {} entries in memory, {} episodes recalled\n",
                  report.observation.active_goals, report.observation.active_goals == 1 ? "" : "s",
                  report.observation.memory_size, report.observation.episodes.size());
  out += fmt::format("  orient:  {} facts, {} inferences, memory pressure {:.0f}%\n",
                     report.knowledge, report.inferences, report.pressure * 100);
  out += "  decide:\n" + show_candidates(context, report.decision);
  out += "  " + agent::reasoning(report.chosen()) + "\n";
  if (report.chosen().planned) out += "  the plan's next step\n";
  for (const agent::AvoidedAction& each : report.set_aside)
    out += "  set aside: " + agent::describe(each) + "\n";
  if (report.decision.impasse) out += "  impasse: " + report.decision.impasse_reason + "\n";
  std::string input;
  for (const auto& [key, value] : report.chosen().input) {
    input += fmt::format("{}{}={}", input.empty() ? "" : " ", key, quote_json(value));
  }
  out += fmt::format("  act:     {} {}\n", report.chosen().tool, input);
  if (report.effects) out += show_effects(*report.effects);
  if (report.bias > 0) out += fmt::format("  bias:    {:.2f}\n", report.bias);
  const Paint color = report.success ? Paint::kGreen : Paint::kRed;
  out += context.paint(color, report.success ? "  ok\n" : "  failed\n");
  out += first_lines(report.result, kResultLines, "    ");
  for (const tools::Proposal& fact : report.written) {
    out += fmt::format("    + \"{}\" -> {} -> \"{}\"\n", fact.subject, fact.predicate, fact.object);
  }
  out += fmt::format("  goal:    {}{}{}\n", progress_word(report.progress.kind),
                     report.progress.reason.empty() ? "" : ": ", report.progress.reason);
  if (!report.new_plan.empty()) out += "  plan:    " + report.new_plan + "\n";
  for (const std::string& goal : report.new_goals) out += "  new:     " + goal + "\n";
  if (report.consolidation) {
    out += fmt::format("  memory:  {} episodes kept, {} entries let go\n",
                       report.consolidation->persisted, report.consolidation->evicted);
  }
  if (report.reflection) {
    out += "  " + report.reflection->summary() + "\n";
    out += "  psyche:  " + report.evolution + "\n";
  }
  return out;
}

std::string confidence_text(double confidence) {
  return confidence < 1.0 ? fmt::format(" [{:.2f}]", confidence) : std::string();
}

std::string wrap_words(const std::vector<std::string>& words, std::string_view separator,
                       std::string_view indent, std::size_t width) {
  std::string out, line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i] + std::string(i + 1 < words.size() ? separator : "");
    if (!line.empty() && display_width(line) + display_width(word) > width) {
      out += std::string(indent) + std::string(trim(line)) + "\n";
      line.clear();
    }
    line += word;
  }
  if (!line.empty()) out += std::string(indent) + std::string(trim(line)) + "\n";
  return out;
}

std::string show_proof(const Context& context, const std::vector<memory::ProofLine>& proof,
                       std::string_view indent, bool whole) {
  std::string out;
  for (const memory::ProofLine& line : proof) {
    if (!whole && (line.check || line.repeated)) continue;
    const std::string pad(2 * line.depth, ' ');
    std::string tail;
    if (line.repeated) {
      tail = "  (shown above)";
    } else if (line.given) {
      tail = "  (a fact)";
    } else if (line.check || line.where.empty()) {
      tail = fmt::format("  ({})", line.because);
    } else {
      tail = fmt::format("  (rule at {})", line.where);
    }
    const std::string sure = line.check ? std::string() : confidence_text(line.confidence);
    out +=
        fmt::format("{}{}{}{}{}\n", indent, pad, line.fact, sure, context.paint(Paint::kDim, tail));
  }
  return out;
}

std::string show_answer(const Context& context, const memory::QuestionAnswer& answer) {
  std::string out = context.paint(Paint::kBold, answer.text + ".") + "\n";
  std::vector<std::string> rows = answer.rows;
  for (std::size_t i = 0; i < answer.confidences.size(); ++i) {
    rows[i] += confidence_text(answer.confidences[i]);
  }
  if (!rows.empty()) out += wrap_words(rows, ", ", "  ", kWidth);
  if (!answer.proof.empty()) {
    out += fmt::format("\nThe facts that prove {}:\n", answer.proved);
    out += show_proof(context, answer.proof, "  ", false);
  }
  return out;
}

Json answer_json(const memory::QuestionAnswer& answer) {
  Json rows = Json::array(), next = Json::array();
  Json confidences = Json::array();
  for (const std::string& row : answer.rows) rows.push_back(row);
  for (const double confidence : answer.confidences) confidences.push_back(confidence);
  for (const std::string& question : answer.next) next.push_back(question);
  return Json::object({{"question", answer.pattern},
                       {"query", answer.query},
                       {"known", answer.known},
                       {"text", answer.text},
                       {"count", static_cast<std::uint64_t>(answer.rows.size())},
                       {"rows", std::move(rows)},
                       {"confidences", std::move(confidences)},
                       {"proved", answer.proved},
                       {"proof", proof_json(answer.proof)},
                       {"next", std::move(next)}});
}

}  // namespace anima::cli
