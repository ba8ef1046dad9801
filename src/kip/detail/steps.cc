#include "kip/detail/steps.h"

namespace anima::kip::detail {

Steps::Parsed Steps::parse(std::size_t number) {
  Parsed parsed = ahead_.valid() ? ahead_.get() : cache_.get(request_.commands[number].text);
  const std::size_t following = number + 1;
  if (following < request_.commands.size() && request_.commands[following].text.size() >= kLong) {
    ahead_ = std::async(std::launch::async, [this, following] {
      return cache_.get(request_.commands[following].text);
    });
  }
  return parsed;
}

// Makes the next command's first step; false at the end.
bool Steps::open_command() {
  if (next_command_ >= request_.commands.size()) return false;
  Step& step = step_.emplace();
  step.number = next_command_++;
  step.command = &request_.commands[step.number];
  Parsed parsed = parse(step.number);
  next_statement_ = 1;
  if (!parsed) {
    step.fault = std::move(parsed).error();
    script_ = nullptr;
    return true;
  }
  script_ = step.script = std::move(*parsed);
  step.alone = script_->statements.size() == 1;
  if (!script_->statements.empty()) step.statement = &script_->statements[0];
  return true;
}

const Step* Steps::peek() {
  if (step_) return &*step_;
  if (script_ == nullptr || next_statement_ >= script_->statements.size()) {
    script_ = nullptr;
    return open_command() ? &*step_ : nullptr;
  }
  Step& step = step_.emplace();
  step.number = next_command_ - 1;
  step.command = &request_.commands[step.number];
  step.script = script_;
  step.alone = false;
  step.statement = &script_->statements[next_statement_++];
  return &step;
}

}  // namespace anima::kip::detail
