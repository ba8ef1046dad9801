// Synthesis: from the findings of a goal's tools to a document of sections, each fact once.
//
// Facts come from structured findings, in the order they were found. The agent's own bookkeeping
// (goal:, agent:, episode: ..) never appears. Source: learning_and_psyche 2.14.
// Thread-safety: plain functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "tools/finding.h"

namespace anima::agent {

// In the order of a document.
enum class SectionKind : std::uint8_t {
  kAnswer,
  kEntity,  // one for each subject, by name
  kCode,
  kRelated,
  kReasoning,
  kGaps,
  kOther,
};

struct Section {
  SectionKind kind = SectionKind::kOther;
  std::string heading;  // the entity's name; empty where the style names the section
  std::vector<tools::Finding> items;
};

struct Document {
  std::string goal;
  std::uint64_t cycles = 0;
  std::vector<Section> sections;
  std::size_t facts = 0;
  std::size_t topics = 0;  // sections but gaps and other

  std::string overview() const;
};

Document synthesize(std::string_view goal, std::uint64_t cycles,
                    std::span<const tools::Finding> findings);

}  // namespace anima::agent
