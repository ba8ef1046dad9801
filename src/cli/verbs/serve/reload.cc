#include "cli/verbs/serve/reload.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "agent/house/gate.h"
#include "base/log.h"
#include "base/text/text.h"
#include "govern/rules/policy.h"

namespace anima::cli {
namespace {

// Settings that are followed while the server runs; the others are read when it starts.
constexpr std::string_view kFollowed[] = {"log.level"};

std::map<std::string, Json> values_of(const Config& config) {
  std::map<std::string, Json> values;
  for (const Config::Entry& each : config.entries()) values.emplace(each.name, each.value);
  return values;
}

// The names of the settings whose value is another, sorted.
std::vector<std::string> differing(const Config& before, const Config& after) {
  const auto then = values_of(before), now = values_of(after);
  std::vector<std::string> names;
  for (const auto& [name, value] : now) {
    const auto found = then.find(name);
    if (found == then.end() || !(found->second == value)) names.push_back(name);
  }
  for (const auto& [name, value] : then) {
    if (!now.contains(name)) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

Reload::Reload(Context& context, serve::TokenBook* tokens)
    : context_(context), tokens_(tokens), current_(context.config) {}

void Reload::run() {
  std::string told = settings_taken();
  if (tokens_ != nullptr) told += "; " + tokens_now();
  told += "; " + rules_now();
  context_.note("reloaded: " + told);
  context_.err.flush();
}

std::string Reload::settings_taken() {
  auto fresh = context_.read_config();
  if (!fresh) return "the settings stay as they were: " + fresh.error().describe();
  for (const Error& problem : fresh->problems()) context_.warn(problem.describe());
  std::string taken, later;
  for (const std::string& name : differing(current_, *fresh)) {
    const bool followed = std::ranges::find(kFollowed, name) != std::end(kFollowed);
    std::string& list = followed ? taken : later;
    list += (list.empty() ? "" : ", ") + name;
    if (followed) list += " = " + fresh->text(name);
  }
  if (const auto level = parse_log_level(fresh->text("log.level"))) set_log_level(*level);
  // What waits for a start is told again each time, until it comes.
  std::string told = taken.empty() ? "no setting is another" : taken;
  if (!later.empty()) told = (taken.empty() ? "" : taken + "; ") + ("a restart takes " + later);
  for (const std::string_view name : kFollowed) {
    if (const auto set = current_.set(name, fresh->text(name), fresh->find(name)->origin); !set)
      context_.warn(set.error().describe());
  }
  return told;
}

std::string Reload::tokens_now() const {
  const auto tokens = tokens_->list();
  if (!tokens) return "nobody comes in: " + tokens.error().describe();
  return fmt::format("{} token{}", tokens->size(), tokens->size() == 1 ? "" : "s");
}

// They are read with each call that they judge; here a fault is told before one comes.
std::string Reload::rules_now() const {
  const auto rules = govern::Policy::following(context_.gate->rule_folders());
  return rules ? "the rules are good" : "the rules cannot be read: " + rules.error().describe();
}

}  // namespace anima::cli
