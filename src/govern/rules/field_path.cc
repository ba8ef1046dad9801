#include "govern/rules/field_path.h"

#include <algorithm>

namespace anima::govern {
namespace {

using Kind = FieldStep::Kind;

constexpr std::size_t kMostPathSteps = 32;
constexpr std::string_view kPathMarks = ".[]{}*\\";

std::string escaped_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (kPathMarks.find(c) != std::string_view::npos) out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

bool step_matches(const FieldStep& pattern, const FieldStep& step) {
  if (pattern.kind == Kind::kAnyMember)
    return step.kind == Kind::kMember || step.kind == Kind::kAnyMember;
  return pattern == step;
}

// Reads one path from left to right.
class PathReader {
 public:
  explicit PathReader(std::string_view text) : text_(text) {}

  Status read(std::vector<FieldStep>& steps) {
    while (at_ < text_.size()) {
      ANIMA_TRY(step(steps));
      if (steps.size() > kMostPathSteps)
        return fail(ErrorCode::kLimitExceeded, "a path has at most 32 steps");
      const bool ends = at_ == text_.size();
      if (steps.back().kind == Kind::kKey && !ends) return wrong("nothing comes behind {}");
      if (ends) break;
      if (text_[at_] == '[') continue;
      if (text_[at_] != '.') return wrong("a step ends with '.', '[]' or the path");
      if (++at_ == text_.size()) return wrong("a name is missing behind the last '.'");
    }
    return {};
  }

 private:
  Status step(std::vector<FieldStep>& steps) {
    if (take("[]")) {
      steps.push_back({Kind::kItem});
    } else if (take("{}")) {
      steps.push_back({Kind::kKey});
    } else if (take("*")) {
      steps.push_back({Kind::kAnyMember});
    } else {
      std::string name;
      ANIMA_TRY(read_name(name));
      steps.push_back({Kind::kMember, std::move(name)});
    }
    return {};
  }

  Status read_name(std::string& name) {
    while (at_ < text_.size() && text_[at_] != '.' && text_[at_] != '[') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        ++at_;
      } else if (kPathMarks.find(text_[at_]) != std::string_view::npos) {
        return wrong("'" + std::string(1, text_[at_]) + "' cannot stand in a name");
      }
      name.push_back(text_[at_++]);
    }
    return name.empty() ? wrong("a name is missing") : Status();
  }

  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Status wrong(std::string what) const {
    return fail(ErrorCode::kSyntax,
                "the path '" + std::string(text_) + "' cannot be read: " + std::move(what),
                "column " + std::to_string(at_ + 1),
                "for example messages[].sender, rooms.*.price or rooms.{}; a name with such a mark "
                "has a backslash before it");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::size_t wildcards(const std::vector<FieldStep>& steps) {
  return static_cast<std::size_t>(std::ranges::count(steps, Kind::kAnyMember, &FieldStep::kind));
}

}  // namespace

std::string text_of(std::span<const FieldStep> steps) {
  std::string text;
  for (const FieldStep& step : steps) {
    if (step.kind != Kind::kItem && !text.empty()) text.push_back('.');
    switch (step.kind) {
      case Kind::kMember:
        text += escaped_name(step.name);
        break;
      case Kind::kAnyMember:
        text.push_back('*');
        break;
      case Kind::kItem:
        text += "[]";
        break;
      case Kind::kKey:
        text += "{}";
        break;
    }
  }
  return text;
}

Result<FieldPath> FieldPath::parse(std::string_view text) {
  FieldPath path;
  ANIMA_TRY(PathReader(text).read(path.steps_));
  return path;
}

bool FieldPath::covers(std::span<const FieldStep> place) const {
  if (place.size() < steps_.size()) return false;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (!step_matches(steps_[i], place[i])) return false;
  }
  return true;
}

bool FieldPath::closer_than(const FieldPath& other) const {
  if (steps_.size() != other.steps_.size()) return steps_.size() > other.steps_.size();
  return wildcards(steps_) < wildcards(other.steps_);
}

}  // namespace anima::govern
