#include "datalog/explain.h"

namespace anima::datalog {

namespace {

std::string_view note(ProofKind kind) {
  switch (kind) {
    case ProofKind::kGiven:
      return "given";
    case ProofKind::kDerived:
      return "by";
    case ProofKind::kGrouped:
      return "grouped by";
    case ProofKind::kAbsent:
      return "absent";
    case ProofKind::kComputed:
      return "computed";
    case ProofKind::kExternal:
      return "external";
    case ProofKind::kCut:
      return "not explained further";
  }
  return "";
}

}  // namespace

std::string Proof::text() const {
  std::string out;
  std::vector<bool> shown(nodes.size(), false);
  struct Place {
    std::uint32_t node;
    std::size_t depth;
  };
  std::vector<Place> stack;
  if (!nodes.empty()) stack.push_back({0, 0});
  while (!stack.empty()) {
    const Place place = stack.back();
    stack.pop_back();
    const ProofNode& node = nodes[place.node];
    out.append(2 * place.depth, ' ');
    out += node.text;
    out += "  # ";
    const bool leaf = node.premises.empty();
    if (shown[place.node] && !leaf) {
      out += "shown above\n";
      continue;
    }
    shown[place.node] = true;
    out += note(node.kind);
    if (node.kind == ProofKind::kDerived || node.kind == ProofKind::kGrouped) {
      out += ' ';
      out += node.rule_text;
      if (!node.where.empty()) out += " (" + node.where + ")";
    }
    if (node.hidden_premises > 0) {
      out += ", " + std::to_string(node.hidden_premises) + " more rows";
    }
    out += '\n';
    for (std::size_t i = node.premises.size(); i > 0; --i) {
      stack.push_back({node.premises[i - 1], place.depth + 1});
    }
  }
  return out;
}

std::string WhyNot::text() const {
  if (holds) return "it holds\n";
  if (is_base) return "no rule derives it and the fact is not given\n";
  std::string out;
  for (const RuleFailure& rule : rules) {
    out += rule.rule_text;
    if (!rule.where.empty()) out += " (" + rule.where + ")";
    out += '\n';
    if (!rule.head_matches) {
      out += "  its head does not match\n";
      continue;
    }
    for (const std::string& literal : rule.holding) out += "  holds: " + literal + '\n';
    if (!rule.failing.empty()) out += "  fails: " + rule.failing + '\n';
  }
  if (rules.empty()) out = "no rule derives it and the fact is not given\n";
  return out;
}

}  // namespace anima::datalog
