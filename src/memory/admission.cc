#include "memory/admission.h"

#include <algorithm>

#include "base/text.h"

namespace anima::memory {
namespace {

std::vector<std::string> features(std::string_view text) {
  std::vector<std::string> words, all;
  for (const Word& word : split_words(text)) words.push_back(fold_case(word.text));
  for (std::size_t i = 0; i < words.size(); ++i) {
    all.push_back(words[i]);
    if (i + 1 < words.size()) all.push_back(words[i] + " " + words[i + 1]);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

double text_likeness(std::string_view a, std::string_view b) {
  const std::vector<std::string> left = features(a), right = features(b);
  if (left.empty() || right.empty()) return a == b ? 1.0 : 0.0;
  std::vector<std::string> shared;
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(),
                        std::back_inserter(shared));
  const auto common = static_cast<double>(shared.size());
  return common / (static_cast<double>(left.size() + right.size()) - common);
}

std::string_view to_string(AdmissionVerdict verdict) {
  switch (verdict) {
    case AdmissionVerdict::kAdmit:
      return "admitted";
    case AdmissionVerdict::kRecalled:
      return "recalled";
    case AdmissionVerdict::kDuplicate:
      return "duplicate";
    case AdmissionVerdict::kSubjectless:
      return "subjectless";
  }
  return "admitted";
}

Admission admit(std::string_view text, const std::vector<store::EntityId>& subjects,
                const std::vector<std::string>& recalled, const std::vector<Remembered>& known) {
  for (const std::string& old : recalled) {
    const double likeness = text_likeness(text, old);
    if (likeness >= kRecalledFrom) return {AdmissionVerdict::kRecalled, 0, likeness};
  }
  Admission best;
  for (const Remembered& old : known) {
    if (old.subjects != subjects) continue;
    const double likeness = text_likeness(text, old.text);
    if (likeness < kDuplicateFrom || likeness <= best.likeness) continue;
    best = {AdmissionVerdict::kDuplicate, old.place, likeness};
  }
  if (best.verdict == AdmissionVerdict::kDuplicate) return best;
  if (subjects.empty()) return {AdmissionVerdict::kSubjectless, 0, 0};
  return {};
}

}  // namespace anima::memory
