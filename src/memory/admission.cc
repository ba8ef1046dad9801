#include "memory/admission.h"

#include <algorithm>

#include "base/text/text.h"
#include "language/text/words.h"

namespace anima::memory {
namespace {

std::vector<std::string> features(std::string_view text) {
  const auto words = language::folded_words(text, language::FoldStrength::kCase);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    all.push_back(words[i]);
    if (i + 1 < words.size()) all.push_back(words[i] + " " + words[i + 1]);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

ComparedText::ComparedText(std::string_view text) : text_(text), features_(features(text)) {}

double ComparedText::likeness(const ComparedText& other) const {
  if (features_.empty() || other.features_.empty()) return text_ == other.text_ ? 1.0 : 0.0;
  std::size_t shared = 0;
  auto left = features_.begin(), right = other.features_.begin();
  while (left != features_.end() && right != other.features_.end()) {
    const int order = left->compare(*right);
    if (order == 0) ++shared;
    if (order <= 0) ++left;
    if (order >= 0) ++right;
  }
  const auto common = static_cast<double>(shared);
  return common / (static_cast<double>(features_.size() + other.features_.size()) - common);
}

Admission admit(const ComparedText& text, const std::vector<store::EntityId>& subjects,
                const std::vector<ComparedText>& recalled, const std::vector<Remembered>& known) {
  for (const ComparedText& old : recalled) {
    const double likeness = text.likeness(old);
    if (likeness >= kRecalledFrom) return {AdmissionVerdict::kRecalled, 0, likeness};
  }
  Admission best;
  for (const Remembered& old : known) {
    if (old.subjects != subjects) continue;
    const double likeness = text.likeness(old.text);
    if (likeness < kDuplicateFrom || likeness <= best.likeness) continue;
    best = {AdmissionVerdict::kDuplicate, old.place, likeness};
  }
  if (best.verdict == AdmissionVerdict::kDuplicate) return best;
  if (subjects.empty()) return {AdmissionVerdict::kSubjectless, 0, 0};
  return {};
}

}  // namespace anima::memory
