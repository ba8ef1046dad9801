// What a tool found, as data: reports are made from these, never by reading a tool's text back.
// Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <string>

namespace anima::tools {

// On disk (session state), never renumber.
enum class FindingKind : std::uint8_t {
  kTriple = 0,     // subject predicate object, score = confidence
  kSimilar = 1,    // subject, object; score = similarity
  kGap = 2,        // subject; text = what is missing; score = severity
  kInference = 3,  // count new facts in `iterations` passes
  kReasoning = 4,  // subject = expression, object = its simplest form
  kCode = 5,       // subject = name, predicate = kind, text = detail
  kText = 6,       // text
  kAnswer = 7,     // text = the answer to a question, subject = its query; count = rows
};

struct Finding {
  FindingKind kind = FindingKind::kText;
  std::string subject;
  std::string predicate;
  std::string object;
  std::string text;
  double score = 1.0;
  std::uint64_t count = 0;
  std::uint64_t iterations = 0;
  bool operator==(const Finding&) const = default;
};

}  // namespace anima::tools
