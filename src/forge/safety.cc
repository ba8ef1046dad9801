#include "forge/safety.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "forge/compiler.h"
#include "forge/detail/part_cache.h"
#include "forge/detail/rule_world.h"
#include "tools/external.h"
#include "tools/sandbox/sandbox.h"

namespace anima::forge {
namespace {

using detail::PlainText;
using detail::RuleRow;
using detail::RuleWorld;

constexpr std::string_view kPolicy = "packs/forge/safety.mg";
constexpr std::size_t kMostHeader = 80;

SafetyReport finished(SafetyReport report, const SafetyOptions& options) {
  std::ranges::sort(report.violations, {}, [](const Violation& each) {
    return std::tuple(each.line, each.type, each.subject);
  });
  bool blocked = false;
  int critical = 0;
  for (const Violation& each : report.violations) {
    if (each.severity == Severity::kCritical) {
      ++critical;
    } else {
      blocked = true;
    }
  }
  const bool approved =
      std::ranges::find(options.approved, "/reflection") != options.approved.end();
  report.safe = !blocked && (critical == 0 || approved);
  report.score = blocked ? 0.0 : std::max(0.0, 1.0 - 0.3 * critical);
  return report;
}

SafetyReport refused(SafetyReport report, std::string type, std::string subject,
                     const SafetyOptions& options, std::uint32_t line = 0) {
  report.violations.push_back({std::move(type), Severity::kBlocking, std::move(subject), line});
  return finished(std::move(report), options);
}

// How anima-inspect runs in the sandbox, with one folder to read.
tools::SandboxRequest inspection(std::vector<std::string> arguments, const std::string& folder,
                                 const SafetyOptions& options) {
  tools::SandboxRequest request;
  request.readable = {arguments[0], folder};
  request.arguments = std::move(arguments);
  request.best_effort = options.best_effort;
  request.limits.wall_ms = options.parse_ms;
  request.limits.memory_bytes = std::uint64_t{2} << 30;
  request.limits.tree_bytes = std::uint64_t{1} << 30;
  request.limits.processes = 1;
  request.limits.file_bytes = 0;
  request.limits.output_bytes = std::size_t{16} << 20;
#ifdef ANIMA_SANITIZED
  request.limits.memory_bytes = ~std::uint64_t{0};
  request.limits.file_bytes = std::uint64_t{16} << 20;  // ThreadSanitizer's own, before main
  request.environment = {{"ASAN_OPTIONS", "detect_leaks=0"}};
#endif
  return request;
}

// What anima-inspect printed. Errors: those of the sandbox; kTimeout, kCorrupt.
Result<Json> inspected(std::string_view program, const SafetyOptions& options,
                       const CompilerParts& parts) {
  ANIMA_ASSIGN(const std::string inspector, inspector_of(options));
  const TemporaryDirectory folder("anima-inspect");
  if (chmod(folder.path().c_str(), 0755) != 0)
    return fail(os_error(errno, "cannot open the folder to the inspector", folder.path()));
  ANIMA_TRY(detail::write_part(folder.file("tool.cpp"), program));
  ANIMA_TRY(detail::write_part(folder.file("prelude.pch"), parts.prelude));
  std::vector<std::string> arguments = compiler_arguments();
  arguments.insert(arguments.begin(), inspector);
  for (std::string& each : program_arguments(folder.file("tool.cpp"), folder.file("prelude.pch")))
    arguments.push_back(std::move(each));
  ANIMA_ASSIGN(const tools::SandboxRun run,
               tools::run_sandboxed(inspection(std::move(arguments), folder.path(), options)));
  if (run.process.timed_out) return fail(ErrorCode::kTimeout, "the source takes too long to read");
  if (!run.process.ok()) return fail(ErrorCode::kCorrupt, "the source cannot be read to its end");
  return parse_json(run.process.out);
}

// A fact of the inspector as a row: numbers are numbers, everything else is a plain text.
RuleWorld::Change change_of(const Json& fact) {
  RuleWorld::Change change;
  const JsonArray& parts = fact.as_array();
  if (!parts.empty()) change.predicate = parts[0].as_string();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].is_integer()) {
      change.row.emplace_back(parts[i].as_integer());
    } else {
      change.row.emplace_back(PlainText{parts[i].as_string()});
    }
  }
  return change;
}

std::vector<RuleWorld::Change> inclusion_facts(const Preprocessed& read) {
  std::vector<RuleWorld::Change> facts = {{"checked", {}, true}};
  for (const Inclusion& each : read.inclusions)
    facts.push_back({"ast_import", {PlainText{each.header}, std::int64_t{each.line}}, true});
  return facts;
}

// The violations that the policy derives. Errors: those of the engine.
Result<std::vector<Violation>> judged(const std::vector<RuleWorld::Change>& facts) {
  ANIMA_ASSIGN(const auto world, RuleWorld::open(kPolicy));
  ANIMA_TRY(world->tell(facts));
  ANIMA_ASSIGN(const auto rows, world->ask("violation(Type, Severity, Subject, Line)"));
  std::vector<Violation> violations;
  for (const auto& row : rows) {
    const Severity severity = row[1] == "/critical" ? Severity::kCritical : Severity::kBlocking;
    violations.push_back(
        {row[0].substr(1), severity, row[2], static_cast<std::uint32_t>(std::stoul(row[3]))});
  }
  return violations;
}

// Before anything else of the source is told: what was read from another file stands in no report.
Result<std::vector<Violation>> judged_inclusions(const Preprocessed& read) {
  std::vector<Violation> violations;
  for (const Inclusion& each : read.inclusions) {
    const bool own = each.quoted == (each.header == file_name(std::string(kToolInterface)));
    if (own && each.plain) continue;
    violations.push_back({"forbidden_import", Severity::kBlocking,
                          std::string(beginning_of(each.header, kMostHeader)), each.line});
  }
  if (!violations.empty()) return violations;
  ANIMA_ASSIGN(auto derived, judged(inclusion_facts(read)));
  for (Violation& each : derived) {
    if (each.type == "forbidden_import") violations.push_back(std::move(each));
  }
  if (violations.empty()) violations = read.violations;
  if (violations.empty()) violations = read.errors;
  return violations;
}

SafetyReport judge_facts(SafetyReport report, const Json& told, const Preprocessed& read,
                         const SafetyOptions& options) {
  const Json* facts = told.find("facts");
  const Json* errors = told.find("errors");
  if (facts == nullptr || errors == nullptr)
    return refused(std::move(report), "policy_violation", "no facts", options);
  if (facts->as_array().size() > options.max_facts)
    return refused(std::move(report), "policy_violation", "too many facts", options);
  bool directives = false;
  std::vector<RuleWorld::Change> changes = inclusion_facts(read);
  for (const Json& each : facts->as_array()) {
    changes.push_back(change_of(each));
    if (changes.back().predicate == "ast_call") ++report.calls_checked;
    directives = directives || changes.back().predicate == "ast_directive";
  }
  for (const Json& each : errors->as_array()) {
    // With a directive left, an error could hold a line of what it included.
    if (directives || each.as_array().size() != 2) continue;
    report.violations.push_back({"parse_error", Severity::kBlocking, each.as_array()[1].as_string(),
                                 static_cast<std::uint32_t>(each.as_array()[0].as_integer())});
  }
  auto violations = judged(changes);
  if (!violations)
    return refused(std::move(report), "policy_violation", violations.error().message, options);
  for (Violation& each : *violations) {
    // A file that does not parse may well have its door.
    if (each.type == "parse_error" && !report.violations.empty()) continue;
    report.violations.push_back(std::move(each));
  }
  return finished(std::move(report), options);
}

}  // namespace

CheckedSource check_safety(std::string_view source, const SafetyOptions& options,
                           const CompileOptions& compile, const CompilerParts& parts) {
  SafetyReport report;
  if (source.size() > options.max_bytes) {
    return {refused(std::move(report), "policy_violation",
                    "the source is longer than " + std::to_string(options.max_bytes) + " bytes",
                    options),
            {}};
  }
  const auto stop = [&](const Error& error) -> CheckedSource {
    return {refused(std::move(report), "policy_violation", error.message, options), {}};
  };
  if (!parts.errors.empty()) return stop({ErrorCode::kCorrupt, parts.errors, {}, {}});
  auto read = preprocess(source, compile);
  if (!read) return stop(read.error());
  report.imports_checked = read->inclusions.size();
  auto early = judged_inclusions(*read);
  if (!early) return stop(early.error());
  report.violations = *std::move(early);
  if (!report.violations.empty()) return {finished(std::move(report), options), {}};
  const auto told = inspected(read->program, options, parts);
  if (!told) return stop(told.error());
  return {judge_facts(std::move(report), *told, *read, options), std::move(read->program)};
}

std::string find_inspector() { return tools::find_helper("anima-inspect"); }

Result<std::string> inspector_of(const SafetyOptions& options) {
  std::string inspector = options.inspector.empty() ? find_inspector() : options.inspector;
  if (!inspector.empty() && access(inspector.c_str(), X_OK) == 0) return inspector;
  return fail(ErrorCode::kNotFound,
              "the program anima-inspect, which checks what is made, is not there", inspector,
              "`cmake --build --preset release --target anima-inspect` puts it beside anima, and "
              "`./dev install` into libexec/anima; it needs libclang (apt-get install "
              "libclang-14-dev). Of the Debian packages anima-forge has it");
}

}  // namespace anima::forge
