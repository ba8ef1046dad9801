#include "forge/safety.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/packs.h"
#include "forge/compiler.h"
#include "forge/detail/lexical_gate.h"
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
constexpr std::string_view kPrecompiled = "prelude.pch";

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

// A folder with what is read before each source, open to the inspector.
Status open_to_inspector(const TemporaryDirectory& folder) {
  if (chmod(folder.path().c_str(), 0755) != 0)
    return fail(os_error(errno, "cannot open the folder to the inspector", folder.path()));
  ANIMA_TRY(detail::write_part(folder.file("tool_api.hpp"), *pack_file(kToolInterface)));
  return detail::write_part(folder.file("prelude.hpp"), *pack_file(kToolPrelude));
}

// The prelude as the inspector reads it best, made of our own header alone. Errors: those of the
// sandbox and of the file system; kCorrupt.
Result<std::string> precompiled_prelude(const std::string& inspector,
                                        const SafetyOptions& options) {
  const detail::PartCache cache(options.cache_folder);
  const std::string key = detail::part_key(
      {std::string(*pack_file(kToolPrelude)), std::string(kPrecompiled)}, {inspector});
  if (auto kept = cache.find(kPrecompiled, key)) return *std::move(kept);
  const TemporaryDirectory folder("anima-inspect");
  const TemporaryDirectory made("anima-inspect");
  ANIMA_TRY(open_to_inspector(folder));
  if (geteuid() == 0 &&
      chown(made.path().c_str(), tools::sandbox_user(), tools::sandbox_user()) != 0)
    return fail(os_error(errno, "cannot give the folder to the inspector", made.path()));
  tools::SandboxRequest request = inspection(
      {inspector, "--precompile", folder.path(), made.file(kPrecompiled)}, folder.path(), options);
  request.writable = {made.path()};
  request.limits.file_bytes = detail::kMostPart;
  ANIMA_ASSIGN(const tools::SandboxRun run, tools::run_sandboxed(request));
  if (!run.process.ok()) return fail(ErrorCode::kCorrupt, "the prelude cannot be precompiled");
  ANIMA_ASSIGN(const Json told, parse_json(run.process.out));
  const Json* const read = told.find("read");
  std::vector<std::string> names;
  if (read != nullptr && read->is_array()) {
    for (const Json& each : read->as_array()) {
      if (each.is_string()) names.push_back(each.as_string());
    }
  }
  if (names.empty()) return fail(ErrorCode::kCorrupt, "the inspector does not say what it read");
  ANIMA_ASSIGN(std::string bytes,
               read_file(system_files(), made.file(kPrecompiled), detail::kMostPart));
  (void)cache.keep(kPrecompiled, key, bytes, names);  // not kept, it is made again
  return bytes;
}

// What anima-inspect printed. Errors: those of the sandbox; kTimeout, kCorrupt.
Result<Json> inspected(std::string_view source, const SafetyOptions& options) {
  ANIMA_ASSIGN(const std::string inspector, inspector_of(options));
  const TemporaryDirectory folder("anima-inspect");
  ANIMA_TRY(open_to_inspector(folder));
  ANIMA_TRY(detail::write_part(folder.file("tool.cpp"), source));
  std::vector<std::string> arguments = {inspector, folder.file("tool.cpp"), folder.path()};
  if (!options.cache_folder.empty()) {
    // Without it the inspector reads the text.
    if (const auto bytes = precompiled_prelude(inspector, options)) {
      arguments.push_back(folder.file(kPrecompiled));
      ANIMA_TRY(detail::write_part(arguments.back(), *bytes));
    }
  }
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

std::vector<RuleWorld::Change> host_facts(const detail::GateReading& gate,
                                          const SafetyOptions& options) {
  std::vector<RuleWorld::Change> facts = {{"checked", {}, true}};
  for (const detail::Inclusion& each : gate.inclusions)
    facts.push_back({"ast_import", {PlainText{each.header}, std::int64_t{each.line}}, true});
  const auto grant = [&](bool given, const char* name) {
    if (given) facts.push_back({"granted", {std::string(name)}, true});
  };
  grant(options.networking, "/network");
  grant(options.files, "/files");
  grant(options.exec, "/exec");
  for (const std::string& each : options.approved) facts.push_back({"approved", {each}, true});
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

SafetyReport judge_facts(SafetyReport report, const Json& read, const detail::GateReading& gate,
                         const SafetyOptions& options) {
  const Json* facts = read.find("facts");
  const Json* errors = read.find("errors");
  if (facts == nullptr || errors == nullptr)
    return refused(std::move(report), "policy_violation", "no facts", options);
  for (const Json& each : errors->as_array()) {
    if (each.as_array().size() != 2) continue;
    report.violations.push_back({"parse_error", Severity::kBlocking, each.as_array()[1].as_string(),
                                 static_cast<std::uint32_t>(each.as_array()[0].as_integer())});
  }
  if (facts->as_array().size() > options.max_facts)
    return refused(std::move(report), "policy_violation", "too many facts", options);
  std::vector<RuleWorld::Change> changes = host_facts(gate, options);
  for (const Json& each : facts->as_array()) {
    changes.push_back(change_of(each));
    if (changes.back().predicate == "ast_call") ++report.calls_checked;
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

SafetyReport check_safety(std::string_view source, const SafetyOptions& options) {
  SafetyReport report;
  if (source.size() > options.max_bytes) {
    return refused(std::move(report), "policy_violation",
                   "the source is longer than " + std::to_string(options.max_bytes) + " bytes",
                   options);
  }
  const detail::GateReading gate = detail::read_through_gate(source);
  report.imports_checked = gate.inclusions.size();
  if (!gate.violations.empty()) {
    report.violations = gate.violations;
    return finished(std::move(report), options);
  }
  // Before a parser looks for them.
  auto headers = judged(host_facts(gate, options));
  if (!headers)
    return refused(std::move(report), "policy_violation", headers.error().message, options);
  for (Violation& each : *headers) {
    if (each.type == "forbidden_import") report.violations.push_back(std::move(each));
  }
  if (!report.violations.empty()) return finished(std::move(report), options);
  const auto read = inspected(source, options);
  if (!read) return refused(std::move(report), "policy_violation", read.error().message, options);
  return judge_facts(std::move(report), *read, gate, options);
}

std::string find_inspector() { return tools::find_helper("anima-inspect"); }

Result<std::string> inspector_of(const SafetyOptions& options) {
  std::string inspector = options.inspector.empty() ? find_inspector() : options.inspector;
  if (!inspector.empty() && access(inspector.c_str(), X_OK) == 0) return inspector;
  return fail(ErrorCode::kNotFound,
              "the program anima-inspect, which checks what is made, is not there", inspector,
              "`cmake --build --preset release --target anima-inspect` puts it beside anima, and "
              "`./dev install` into libexec/anima; it needs libclang (apt-get install "
              "libclang-14-dev)");
}

}  // namespace anima::forge
