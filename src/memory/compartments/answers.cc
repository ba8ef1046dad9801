// From a matched question to its answer.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/text/text.h"
#include "memory/compartments/reasoner.h"

namespace anima::memory {
namespace {

constexpr std::size_t kProofsTried = 32;

using Slots = std::map<std::string, std::string, std::less<>>;

// `{subject}` as the graph spells it: "LibSSL3" asks about libssl3. Near names when it is unknown.
Result<std::vector<std::string>> resolve_subject(const Reasoner& reasoner,
                                                 const QuestionPattern& pattern, Slots& slots,
                                                 bool& known) {
  known = true;
  if (pattern.subject.empty() || pattern.known.empty()) return std::vector<std::string>{};
  ANIMA_ASSIGN(known, reasoner.holds(fill_slots(pattern.known, slots, true)));
  if (known || pattern.names.empty()) return std::vector<std::string>{};
  ANIMA_ASSIGN(const std::vector<RuleRow> rows, reasoner.ask(pattern.names));
  std::vector<std::string> names;
  const std::string wanted = fold_case(slots[pattern.subject]);
  for (const RuleRow& row : rows) {
    if (row.values.empty()) continue;
    if (fold_case(row.values.front()) == wanted) {
      slots[pattern.subject] = row.values.front();
      known = true;
      return std::vector<std::string>{};
    }
    names.push_back(row.values.front());
  }
  return nearest_names(slots[pattern.subject], names);
}

// How often the goal's own predicate occurs in a proof: more than once means "through others".
std::size_t goal_steps(const std::vector<ProofLine>& proof) {
  const std::string head = proof.front().fact.substr(0, proof.front().fact.find('(') + 1);
  return static_cast<std::size_t>(std::count_if(
      proof.begin(), proof.end(),
      [&](const ProofLine& line) { return !line.repeated && line.fact.starts_with(head); }));
}

// One row is proved: the shortest proof that goes through others, else the shortest.
void choose_proof(const Reasoner& reasoner, const QuestionPattern& pattern, Slots& slots,
                  QuestionAnswer& answer) {
  bool through_others = false;
  for (std::size_t i = 0; i < answer.rows.size() && i < kProofsTried; ++i) {
    Slots with = slots;
    with["row"] = answer.rows[i];
    const std::string fact = fill_slots(pattern.proof, with, true);
    auto proof = reasoner.why(fact);
    if (!proof || proof->empty()) continue;
    const bool indirect = goal_steps(*proof) > 1;
    const bool shorter = answer.proof.empty() || proof->size() < answer.proof.size();
    if (through_others && !indirect) continue;
    if (indirect == through_others && !shorter) continue;
    through_others = indirect;
    answer.proof = std::move(*proof);
    answer.proved = fact;
    slots["row"] = answer.rows[i];
  }
}

// Of each shown row, which several facts may have in common, the best.
Result<std::vector<double>> confidences_of(const Reasoner& reasoner,
                                           const std::vector<RuleRow>& facts,
                                           const std::vector<std::string>& shown) {
  std::vector<double> best(shown.size(), 0.0);
  for (const RuleRow& fact : facts) {
    const std::string& row = fact.values.empty() ? fact.fact : fact.values.front();
    const auto place = std::lower_bound(shown.begin(), shown.end(), row) - shown.begin();
    ANIMA_ASSIGN(const double confidence, reasoner.confidence(fact.fact));
    double& known = best[static_cast<std::size_t>(place)];
    known = std::max(known, confidence);
  }
  return best;
}

}  // namespace

Result<QuestionAnswer> answer_question(const Reasoner& reasoner, const QuestionMatch& match) {
  const QuestionPattern& pattern = *match.pattern;
  QuestionAnswer answer;
  answer.pattern = pattern.name;
  Slots slots = match.slots;
  ANIMA_ASSIGN(const std::vector<std::string> near,
               resolve_subject(reasoner, pattern, slots, answer.known));
  answer.query = fill_slots(pattern.query, slots, true);
  if (!answer.known) {
    answer.text =
        fill_slots(pattern.absent.empty() ? "nothing is known about {" + pattern.subject + "}"
                                          : pattern.absent,
                   slots, false);
    if (!near.empty()) answer.text += " (" + did_you_mean(near) + ")";
    for (const std::string& name : near) {
      Slots other = slots;
      other[pattern.subject] = name;
      answer.next.push_back(fill_slots(example_of(pattern.ask.front()), other, false));
    }
    return answer;
  }
  ANIMA_ASSIGN(const std::vector<RuleRow> rows, reasoner.ask(answer.query));
  for (const RuleRow& row : rows) {
    answer.rows.push_back(row.values.empty() ? row.fact : row.values.front());
  }
  std::sort(answer.rows.begin(), answer.rows.end());
  answer.rows.erase(std::unique(answer.rows.begin(), answer.rows.end()), answer.rows.end());
  if (reasoner.has_factors() && rows.size() <= kMaxConfidences) {
    ANIMA_ASSIGN(answer.confidences, confidences_of(reasoner, rows, answer.rows));
  }
  const std::size_t count = answer.rows.size();
  slots["count"] = std::to_string(count);
  slots["s"] = count == 1 ? "" : "s";
  slots["verb_s"] = count == 1 ? "s" : "";
  answer.text =
      fill_slots(count == 0 && !pattern.none.empty() ? pattern.none : pattern.answer, slots, false);
  if (count == 0) return answer;

  if (!pattern.proof.empty()) choose_proof(reasoner, pattern, slots, answer);
  if (slots.count("row") == 0) slots["row"] = answer.rows.back();
  for (const std::string& next : pattern.next)
    answer.next.push_back(fill_slots(next, slots, false));
  return answer;
}

}  // namespace anima::memory
