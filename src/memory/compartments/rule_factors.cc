#include "memory/compartments/rule_factors.h"

#include <fmt/format.h>

#include <optional>

#include "base/text/read_number.h"
#include "base/text/text.h"

namespace anima::memory {
namespace {

constexpr std::string_view kMark = "confidence:";

// What follows `# confidence:` when the line is such a comment.
std::optional<std::string_view> marked(std::string_view line) {
  if (!line.starts_with('#')) return std::nullopt;
  const std::string_view comment = trim(line.substr(1));
  if (!comment.starts_with(kMark)) return std::nullopt;
  return trim(comment.substr(kMark.size()));
}

std::optional<double> factor_in(std::string_view text) {
  const auto value = read_number<double>(text);
  return value && *value >= 0.0 && *value <= 1.0 ? value : std::nullopt;
}

}  // namespace

Status RuleFactors::read(std::string_view text, const std::string& name) {
  double pending = 1.0;
  std::size_t number = 0;
  for (const std::string_view raw : split(text, '\n')) {
    ++number;
    const std::string_view line = trim(raw);
    if (const auto given = marked(line)) {
      const std::optional<double> factor = factor_in(*given);
      if (!factor) {
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("a confidence is a number from 0 to 1, not \"{}\"", *given),
                    fmt::format("{}:{}", name, number));
      }
      pending = *factor;
    } else if (!line.empty() && !line.starts_with('#')) {
      if (pending < 1.0) factors_[fmt::format("{}:{}", name, number)] = pending;
      pending = 1.0;
    }
  }
  return {};
}

double RuleFactors::of(std::string_view where) const {
  const auto found = factors_.find(where.substr(0, where.rfind(':')));
  return found == factors_.end() ? 1.0 : found->second;
}

}  // namespace anima::memory
