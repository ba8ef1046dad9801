// anima why-denied, what-would-allow: a refusal, explained from its entry in the log.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text/shown_text.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/plan_view.h"
#include "govern/ledger/ledger.h"

namespace anima::cli {
namespace {

std::string text_or_json(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  if (value == nullptr) return {};
  return value->is_string() ? value->as_string() : value->dump();
}

void print_patterns(Context& context, const Json& evidence) {
  const Json* patterns = evidence.find("patterns");
  if (patterns == nullptr || !patterns->is_array()) return;
  for (const Json& pattern : patterns->as_array()) {
    if (!pattern.is_object()) continue;
    const Json* deep = pattern.find("deep");
    context.print(fmt::format("  pattern    {} ({}) {}{}\n", text_or_json(pattern, "id"),
                              text_or_json(pattern, "family"),
                              quote_json(text_or_json(pattern, "text")),
                              deep != nullptr && *deep == Json(true) ? ", disguised" : ""));
  }
}

void print_labels(Context& context, const Json& evidence) {
  if (const Json* labels = evidence.find("labels")) {
    for (const Json& label : labels->as_array()) {
      context.print(fmt::format("  argument   {} was made from {} ({}){}\n",
                                text_or_json(label, "argument"), text_or_json(label, "source"),
                                text_or_json(label, "trust"),
                                label.find("carried") != nullptr ? ", only carried" : ""));
    }
  }
  const Json* changes = evidence.find("changes");
  const Json* listed = changes == nullptr ? nullptr : changes->find("changes");
  if (listed == nullptr) return;
  context.print("  changes    " + terminal_text(text_or_json(*changes, "summary")) + "\n");
  for (const Json& change : listed->as_array()) {
    context.print(fmt::format("    {:<9}{}\n", text_or_json(change, "effect"),
                              terminal_text(text_or_json(change, "path"))));
  }
}

void print_missing(Context& context, const Json& details) {
  const Json* missing = details.find("missing");
  if (missing == nullptr || !missing->is_array()) return;
  for (const Json& grant : missing->as_array()) context.print("  - " + grant.as_string() + "\n");
}

// The step of a plan that was refused, or whose approval was; nothing when it was none.
struct RefusedStep {
  agent::KeptPlan plan;
  std::string step;
};
Result<std::optional<RefusedStep>> refused_step(Context& context,
                                                const govern::PlacedAudit& placed) {
  ANIMA_ASSIGN(const auto governance, open_governance(context, Access::kRead));
  ANIMA_ASSIGN(const auto told, governance->plans.steps_told_in(placed.sequence));
  ANIMA_ASSIGN(const auto plans, governance->plans.list(agent::PlanBook::Which::kAll));
  for (const agent::PlannedStep& each : told) {
    const auto plan = std::ranges::find(plans, each.plan, &agent::KeptPlan::id);
    if (plan != plans.end()) return std::optional<RefusedStep>({*plan, each.step});
  }
  const std::string approval =
      text_or_json(placed.entry.details.value_or(Json::object()), "approvalId");
  if (approval.empty()) return std::optional<RefusedStep>();
  for (const WaitingStep& each : waiting_for(plans, approval))
    return std::optional<RefusedStep>({*each.plan, each.step});
  return std::optional<RefusedStep>();
}

int show_why(Context& context, const govern::PlacedAudit& placed) {
  const govern::AuditEntry& entry = placed.entry;
  const Json details = entry.details.value_or(Json::object());
  const auto step = refused_step(context, placed);
  if (!step) return context.fail(step.error());
  if (context.json) {
    Json json = Json::object({{"sequence", static_cast<std::uint64_t>(placed.sequence)},
                              {"id", entry.id},
                              {"timestamp", entry.timestamp},
                              {"action", entry.action},
                              {"actor", entry.actor},
                              {"trust", entry.trust_level},
                              {"details", details}});
    if (*step) json.set("plan", step_json((*step)->plan, (*step)->step));
    context.print_json(json);
    return kDone;
  }
  context.print(fmt::format("{}  {}  log entry {}\n", entry.id, entry.timestamp,
                            static_cast<std::uint64_t>(placed.sequence)));
  context.print(
      fmt::format("  what       {} by {} ({})\n", entry.action, entry.actor, entry.trust_level));
  for (const std::string_view key : {"tool", "layer", "rule", "reason", "effectiveTrust",
                                     "eventType", "severity", "risk", "patterns", "violations"}) {
    const std::string value = text_or_json(details, key);
    const std::string_view shown = key == "effectiveTrust" ? "call trust" : key;
    if (!value.empty()) context.print(fmt::format("  {:<10} {}\n", shown, value));
  }
  if (const Json* evidence = details.find("evidence")) {
    print_patterns(context, *evidence);
    print_labels(context, *evidence);
  }
  if (*step) context.print("  plan       " + step_text((*step)->plan, (*step)->step) + "\n");
  const Json* missing = details.find("missing");
  if (missing != nullptr && missing->is_array() && !missing->as_array().empty()) {
    context.print("  it would be allowed with\n");
    print_missing(context, details);
  }
  return kDone;
}

int show_what(Context& context, const govern::PlacedAudit& placed) {
  const Json details = placed.entry.details.value_or(Json::object());
  const Json* missing = details.find("missing");
  const bool some = missing != nullptr && missing->is_array() && !missing->as_array().empty();
  if (context.json) {
    context.print_json(
        Json::object({{"id", placed.entry.id}, {"missing", some ? *missing : Json::array()}}));
  } else if (some) {
    context.print("what it lacks, and none of it can be left out:\n");
    print_missing(context, details);
  } else {
    context.print("nothing: " + text_or_json(details, "reason") + "\n");
  }
  return kDone;
}

// Shows the refusal that the arguments name.
int explain(Context& context, Arguments arguments,
            int (*show)(Context&, const govern::PlacedAudit&)) {
  std::string id;
  Options options;
  options.positional("ID", id, "the id that the refusal named, or the beginning of it").required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  const auto placed = govern::find_refusal(**space, id);
  if (!placed) return context.fail(placed.error());
  return show(context, *placed);
}

int run_why_denied(Context& context, Arguments arguments) {
  return explain(context, arguments, show_why);
}

int run_what(Context& context, Arguments arguments) {
  return explain(context, arguments, show_what);
}

}  // namespace

extern const Verb kWhyDenied;
extern const Verb kWhatWouldAllow;
const Verb kWhyDenied{"why-denied",
                      Group::kActing,
                      "the rule, pattern or layer behind a refusal, and its evidence",
                      "ID [--json]",
                      "anima why-denied 3f2a",
                      run_why_denied};
const Verb kWhatWouldAllow{"what-would-allow",
                           Group::kActing,
                           "the grants that a refused call lacks, none of which can be left out",
                           "ID [--json]",
                           "anima what-would-allow 3f2a",
                           run_what};

}  // namespace anima::cli
