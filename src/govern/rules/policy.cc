#include "govern/rules/policy.h"

#include <utility>

#include "base/files/file.h"
#include "base/packs.h"
#include "govern/rules/detail/policy_state.h"

namespace anima::govern {
namespace {

PolicyVerdict unreadable(const Error& error) {
  return {Permission::kDenied,
          "the rules cannot be read, and until they are mended nothing acts: " + error.describe(),
          error.where};
}

}  // namespace

Policy::Policy(std::unique_ptr<State> state, PolicyOptions options)
    : options_(std::move(options)), state_(std::move(state)) {}
Policy::~Policy() = default;

std::vector<PolicySource> Policy::shipped_sources() {
  std::vector<PolicySource> sources;
  for (const std::string_view path : pack_files(kPolicyPacks)) {
    if (path != kPrelude && path != kUndeniable)
      sources.push_back({std::string(path), std::string(*pack_file(path))});
  }
  return sources;
}

Result<std::unique_ptr<Policy>> Policy::undeniable_rules() {
  return create({{std::string(kUndeniable), std::string(pack_file(kUndeniable).value_or(""))}});
}

std::optional<std::string> Policy::undeniable(const CallRequest& request, const ToolPolicy& tool) {
  const std::lock_guard lock(mutex_);
  return state_->undeniable(request, tool);
}

Result<std::unique_ptr<Policy>> Policy::create(const std::vector<PolicySource>& sources,
                                               PolicyOptions options) {
  ANIMA_ASSIGN(auto state, State::compile(sources, options));
  return std::unique_ptr<Policy>(new Policy(std::move(state), std::move(options)));
}

Result<std::unique_ptr<Policy>> Policy::following(const std::vector<std::string>& folders,
                                                  std::vector<PolicySource> more,
                                                  PolicyOptions options) {
  std::unique_ptr<Policy> policy(new Policy(nullptr, std::move(options)));
  policy->more_ = std::move(more);
  policy->files_ = std::make_unique<RuleFiles>(system_files(), policy->clock_, folders);
  ANIMA_TRY(policy->files_->changed());
  ANIMA_ASSIGN(policy->state_, policy->compile_all());
  return policy;
}

Result<std::unique_ptr<Policy::State>> Policy::compile_all() const {
  std::vector<PolicySource> sources = shipped_sources();
  sources.insert(sources.end(), files_->rules().begin(), files_->rules().end());
  sources.insert(sources.end(), more_.begin(), more_.end());
  return State::compile(sources, options_);
}

Status Policy::refresh(const EarlierCalls& earlier) {
  if (files_ == nullptr) return {};
  const std::lock_guard reading(reading_);
  const auto changed = files_->changed();
  if (changed && !*changed) return {};
  auto fresh = changed ? compile_all() : fail(changed.error());
  if (fresh && earlier) {
    const Sink add = [&](const std::vector<TracedCall>& calls) { (*fresh)->add(calls); };
    if (const Status known = earlier(add, (*fresh)->sight()); !known) {
      files_->forget();
      return known;
    }
  }
  const std::lock_guard lock(mutex_);
  if (!fresh) {
    unreadable_ = fresh.error();
    return {};
  }
  (*fresh)->take_over(*state_);
  state_ = *std::move(fresh);
  unreadable_.reset();
  ++rules_;
  return {};
}

std::vector<std::string> Policy::idle_rules() const {
  const std::lock_guard lock(mutex_);
  return state_->idle_rules();
}

Policy::Sight Policy::sight() const {
  const std::lock_guard lock(mutex_);
  return state_->sight();
}

void Policy::follow_log() {
  const std::lock_guard lock(mutex_);
  state_->follow_log();
}

PolicyVerdict Policy::decide(const CallRequest& request, const ToolPolicy& tool,
                             std::uint64_t& call) {
  const std::lock_guard lock(mutex_);
  // The trace has every call, also those that nothing judges.
  PolicyVerdict verdict = state_->decide(request, tool, call);
  return unreadable_ ? unreadable(*unreadable_) : verdict;
}

std::optional<PolicyVerdict> Policy::decide_again(const CallRequest& request,
                                                  const ToolPolicy& tool, std::uint64_t& call,
                                                  std::uint64_t rules) {
  const std::lock_guard lock(mutex_);
  if (unreadable_) return unreadable(*unreadable_);
  return state_->decide_again(request, tool, call, rules != rules_);
}

void Policy::place(std::uint64_t call, std::uint64_t number, bool refused) {
  const std::lock_guard lock(mutex_);
  state_->place(call, number, refused);
}

void Policy::finished(std::uint64_t call, std::string_view outcome) {
  const std::lock_guard lock(mutex_);
  state_->finished(call, outcome);
}

void Policy::add(const std::vector<TracedCall>& calls) {
  const std::lock_guard lock(mutex_);
  state_->add(calls);
}

PolicyVerdict Policy::decide_changes(const CallRequest& request, const ToolPolicy& tool,
                                     std::uint64_t call) {
  const std::lock_guard lock(mutex_);
  if (unreadable_) return unreadable(*unreadable_);
  return call == 0 ? state_->would_decide(request, tool)
                   : state_->decide_changes(request, tool, call);
}

PolicyVerdict Policy::would_decide(const CallRequest& request, const ToolPolicy& tool) {
  const std::lock_guard lock(mutex_);
  return unreadable_ ? unreadable(*unreadable_) : state_->would_decide(request, tool);
}

}  // namespace anima::govern
