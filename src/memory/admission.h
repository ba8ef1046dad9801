// Admission control: what may become memory.
//
// Three rules, in this order. What was just recalled is not learnt again: a text that comes out of
// memory must not go back in as if it were new. A near-duplicate is merged: the text that is there
// counts it and keeps its words, so one log entry takes it back. A text without a subject, that is
// about no symbol, is quarantined: kept apart, never recalled.
// Likeness is Jaccard over words and pairs of neighbouring words, folded; numbers count as words.
// Pure: no clock, no store. Thread-safety: one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/ids.h"

namespace anima::memory {

inline constexpr double kRecalledFrom = 0.8;
inline constexpr double kDuplicateFrom = 0.85;

// A text as it is compared, so that one that meets many others is taken apart once.
// O(words log words).
class ComparedText {
 public:
  explicit ComparedText(std::string_view text);
  // 0 .. 1; 1 for texts of the same words in the same order. O(words).
  double likeness(const ComparedText& other) const;

 private:
  std::string text_;
  std::vector<std::string> features_;  // sorted, each once
};

struct Remembered {
  std::size_t place = 0;  // the caller's own number for it
  ComparedText text;
  std::vector<store::EntityId> subjects;  // sorted
};

enum class AdmissionVerdict : std::uint8_t { kAdmit, kRecalled, kDuplicate, kSubjectless };

struct Admission {
  AdmissionVerdict verdict = AdmissionVerdict::kAdmit;
  std::size_t duplicate_of = 0;  // Remembered::place
  double likeness = 0;           // with what decided
};

// `subjects` sorted. `recalled` are texts that were recalled lately; `known` is what is remembered
// about the same subjects: a duplicate has the same subjects and a like text.
Admission admit(const ComparedText& text, const std::vector<store::EntityId>& subjects,
                const std::vector<ComparedText>& recalled, const std::vector<Remembered>& known);

}  // namespace anima::memory
