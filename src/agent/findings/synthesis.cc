#include "agent/findings/synthesis.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "tools/graph.h"

namespace anima::agent {
namespace {

using tools::Finding;
using tools::FindingKind;

SectionKind section_of(const Finding& finding) {
  switch (finding.kind) {
    case FindingKind::kTriple:
      return SectionKind::kEntity;
    case FindingKind::kSimilar:
      return SectionKind::kRelated;
    case FindingKind::kGap:
      return SectionKind::kGaps;
    case FindingKind::kInference:
    case FindingKind::kReasoning:
      return SectionKind::kReasoning;
    case FindingKind::kCode:
      return SectionKind::kCode;
    case FindingKind::kText:
      return SectionKind::kOther;
    case FindingKind::kAnswer:
      return SectionKind::kAnswer;
  }
  return SectionKind::kOther;
}

std::string counted_noun(std::size_t count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

// Two findings are one when they say the same, whatever their confidence.
using Key = std::tuple<FindingKind, std::string, std::string, std::string, std::string,
                       std::uint64_t, std::uint64_t>;
Key key_of(const Finding& finding) {
  return {finding.kind, finding.subject, finding.predicate, finding.object,
          finding.text, finding.count,   finding.iterations};
}

}  // namespace

std::string Document::overview() const {
  if (facts == 0) return fmt::format("Explored \"{}\" but found no concrete facts yet.", goal);
  return fmt::format("Explored \"{}\" over {}, found {} about {}.", goal,
                     counted_noun(cycles, "cycle"), counted_noun(facts, "fact"),
                     counted_noun(topics, "topic"));
}

Document synthesize(std::string_view goal, std::uint64_t cycles,
                    std::span<const Finding> findings) {
  Document document;
  document.goal = std::string(goal);
  document.cycles = cycles;
  std::set<Key> seen;
  for (const Finding& finding : findings) {
    if (tools::is_bookkeeping(finding.subject) || tools::is_bookkeeping(finding.object)) continue;
    if (tools::is_bookkeeping(finding.predicate) || !seen.insert(key_of(finding)).second) continue;
    const SectionKind kind = section_of(finding);
    const std::string heading = kind == SectionKind::kEntity ? finding.subject : std::string();
    const auto same = [&](const Section& section) {
      return section.kind == kind && section.heading == heading;
    };
    auto found = std::find_if(document.sections.begin(), document.sections.end(), same);
    if (found == document.sections.end()) {
      document.sections.push_back({kind, heading, {}});
      found = document.sections.end() - 1;
    }
    found->items.push_back(finding);
    ++document.facts;
  }
  std::stable_sort(document.sections.begin(), document.sections.end(),
                   [](const Section& a, const Section& b) {
                     return std::tie(a.kind, a.heading) < std::tie(b.kind, b.heading);
                   });
  document.topics = static_cast<std::size_t>(
      std::count_if(document.sections.begin(), document.sections.end(), [](const Section& section) {
        return section.kind != SectionKind::kGaps && section.kind != SectionKind::kOther;
      }));
  return document;
}

}  // namespace anima::agent
