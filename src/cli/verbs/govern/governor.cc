// anima council judge, anima council gates: what the arbiter says of an action, and whether the
// overseer lets a release go.
#include "govern/council/governor.h"

#include <fmt/format.h>

#include <optional>

#include "base/files/file.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "store/verify/audit.h"

namespace anima::cli {
namespace {

constexpr std::int64_t kDay = 86'400'000'000;  // microseconds

int run_judge(Context& context, Arguments arguments) {
  std::string action;
  std::string topic;
  Options options;
  options
      .positional("JSON", action,
                  "the action: {\"host\",\"operation\",\"target\",\"destructive\",\"approved\","
                  "\"external\",\"treat_as_command\",\"sensitive\",\"against_creator\",\"trust\"}, "
                  "each as far as it is known; - reads standard input")
      .required();
  options.value("--topic TEXT", topic, "what it is, for the log");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (action == "-") {
    auto text = context.read_input("-", 1 << 20);
    if (!text) return context.fail(text.error());
    action = std::move(*text);
  }
  const auto parsed = parse_json(action);
  if (!parsed) return context.fail(parsed.error());
  const auto asked = govern::read_action(*parsed, govern::Trust::kOperator, false);
  if (!asked) return context.fail(asked.error());
  const auto governance = open_governance(context, Access::kWrite);
  if (!governance) return context.fail(governance.error());
  Governance& house = **governance;
  const auto ruling = govern::Governor(house.ledger, house.random, &house.events)
                          .rule(topic.empty() ? parsed->dump() : topic, *asked, house.person.name,
                                house.person.trust);
  if (!ruling) return context.fail(ruling.error());
  if (context.json) {
    context.print_json(ruling->to_json());
  } else if (ruling->allowed()) {
    context.print("compliant: it breaks none of the six rules\n");
  } else {
    for (const govern::Violation& violation : ruling->violations) {
      context.print(fmt::format("breaks rule {} ({}): {}\n", violation.rule, violation.name,
                                violation.reason));
    }
    context.note("anima why-denied " + ruling->audit_id.substr(0, 8));
  }
  return ruling->allowed() ? kDone : kRefused;
}

// What the log itself shows: both chains, and the last day's critical events.
Status look_at_log(store::Log& log, Timestamp now, govern::ReleaseEvidence& evidence) {
  const auto verified =
      store::verify_log(log, std::nullopt, [](std::uint64_t) { return !interrupted(); });
  if (!verified && verified.error().code == ErrorCode::kCancelled) return fail(verified.error());
  evidence.audit_valid = verified.has_value();
  if (!verified) return {};
  ANIMA_ASSIGN(evidence.critical_events,
               govern::critical_events(log, Timestamp{now.microseconds - kDay}));
  return {};
}

void print_gates(Context& context, const govern::Release& release) {
  Table table({"gate", "passed", "reason"});
  for (const govern::GateVerdict& gate : release.gates)
    table.add({std::string(gate.gate), gate.passed ? "yes" : "no", gate.reason});
  context.print(table.render(context));
  context.print(release.allowed() ? "The release may go.\n" : "The release is refused.\n");
}

int run_gates(Context& context, Arguments arguments) {
  std::string tests;
  std::string build;
  std::vector<std::string> documents;
  Options options;
  options.value("--tests RESULT", tests, "how the tests ended").choices({"passed", "failed"});
  options.value("--build RESULT", build, "how the build ended").choices({"clean", "broken"});
  options.values("--document FILE", documents, "a document that must be there (several times)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto governance = open_governance(context, Access::kWrite);
  if (!governance) return context.fail(governance.error());
  Governance& house = **governance;
  govern::ReleaseEvidence evidence;
  if (!tests.empty()) evidence.tests_passed = tests == "passed";
  if (!build.empty()) evidence.build_clean = build == "clean";
  if (!documents.empty()) {
    evidence.documents.emplace();
    for (const std::string& path : documents) {
      if (file_exists(context.files, path)) evidence.documents->push_back(path);
    }
    evidence.required_documents = std::move(documents);
  }
  if (const Status looked = look_at_log(house.space->log(), house.clock.now(), evidence); !looked)
    return context.fail(looked.error());
  const auto release = govern::Governor(house.ledger, house.random, &house.events)
                           .judge_release(evidence, house.person.name, house.person.trust);
  if (!release) return context.fail(release.error());
  if (context.json) {
    context.print_json(release->to_json());
  } else {
    print_gates(context, *release);
  }
  return release->allowed() ? kDone : kRefused;
}

}  // namespace

extern const Verb kCouncilJudge;
const Verb kCouncilJudge{
    "council judge",
    Group::kActing,
    "what the arbiter says of an action: the six rules; exit code 3 when it breaks one",
    "JSON|- [--topic TEXT] [--json]",
    "anima council judge '{\"host\":\"0.0.0.0\",\"trust\":\"operator\"}'",
    run_judge};

extern const Verb kCouncilGates;
const Verb kCouncilGates{
    "council gates",
    Group::kActing,
    "whether the overseer's five gates let a release go; exit code 3 when not",
    "[--tests passed|failed] [--build clean|broken] [--document FILE]... [--json]",
    "anima council gates --tests passed --build clean --document README.md",
    run_gates};

}  // namespace anima::cli
