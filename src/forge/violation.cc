#include "forge/violation.h"

#include <fmt/format.h>

namespace anima::forge {
namespace {

std::string what_is_wrong(const Violation& violation) {
  const std::string& type = violation.type;
  if (type == "forbidden_import") return "includes a header that is not allowed: ";
  if (type == "dangerous_call") return "reaches the machine or does not end: ";
  if (type == "unsafe_pointer") return "handles memory by itself: ";
  if (type == "reflection") return "looks at types at run time: ";
  if (type == "cgo") return "is not plain C++ of this file: ";
  if (type == "exec") return "starts a program: ";
  if (type == "panic") return "ends the program instead of returning Result{.error}: ";
  if (type == "goroutine_leak") return "starts a thread that nobody can stop: ";
  if (type == "parse_error")
    return "cannot be read, or lacks tool::Result run(const tool::Input&, tool::Cancel): ";
  return "cannot be judged: ";
}

}  // namespace

std::string_view to_string(Severity severity) {
  return severity == Severity::kCritical ? "critical" : "blocking";
}

std::string Violation::describe() const {
  const std::string place = line > 0 ? fmt::format("at line {}", line) : "in the file";
  return fmt::format("[{}] {}{} ({}) [{}]", type, what_is_wrong(*this), subject, place,
                     to_string(severity));
}

Json Violation::to_json() const {
  return Json::object({{"type", type},
                       {"severity", to_string(severity)},
                       {"subject", subject},
                       {"line", std::int64_t{line}},
                       {"text", describe()}});
}

Json SafetyReport::to_json() const {
  Json list = Json::array();
  for (const Violation& each : violations) list.push_back(each.to_json());
  return Json::object({{"safe", safe},
                       {"score", score},
                       {"imports_checked", imports_checked},
                       {"calls_checked", calls_checked},
                       {"violations", std::move(list)}});
}

std::string SafetyReport::feedback() const {
  std::string text;
  for (std::size_t i = 0; i < violations.size(); ++i)
    text += fmt::format("{}. {}\n", i + 1, violations[i].describe());
  return text;
}

}  // namespace anima::forge
