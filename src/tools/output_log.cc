#include "tools/output_log.h"

#include "base/text/text.h"

namespace anima::tools {
namespace {

constexpr std::size_t kAuditedCodePoints = 200;

std::string beginning(std::string_view text) {
  return std::string(substring_by_code_points(text, 0, kAuditedCodePoints));
}

}  // namespace

void OutputLog::add(std::string_view tool, const Json& arguments, const Result<Json>& result,
                    std::int64_t nanoseconds) {
  Json details =
      Json::object({{"tool", std::string(tool)},
                    {"arguments", beginning(arguments.dump())},
                    {"success", result.has_value()},
                    {"output", beginning(result ? result->dump() : result.error().describe())},
                    {"milliseconds", nanoseconds / 1'000'000}});
  // Which protections were missing when a setting let it run all the same.
  if (const Json* sandbox = result ? result->find("sandbox") : nullptr; sandbox != nullptr)
    details.set("sandbox", *sandbox);
  // What it changed, and the id by which that can be undone.
  if (const Json* changes = result ? result->find("changes") : nullptr; changes != nullptr)
    details.set("changes", *changes);
  Call call;
  call.output =
      ledger_.audit_record("tool_output", "tools", govern::Trust::kUntrusted, std::move(details));
  if (!result) call.failure = result.error();
  const std::lock_guard lock(mutex_);
  calls_.insert_or_assign(std::this_thread::get_id(), std::move(call));
}

Result<std::string> OutputLog::write(std::string_view action, std::string_view actor,
                                     govern::Trust trust, Json details,
                                     const govern::EntryPart& part) {
  std::vector<govern::LedgerRecord> records;
  if (action == "tool_executed") {
    const std::lock_guard lock(mutex_);
    const auto call = calls_.find(std::this_thread::get_id());
    if (call != calls_.end() && call->second.output) {
      records.push_back(*std::move(call->second.output));
      call->second.output.reset();
    }
  }
  return ledger_.write_with(records, action, actor, trust, std::move(details), part);
}

Status OutputLog::announce(std::string_view actor, govern::Trust trust, const Json& details,
                           const govern::EntryPart& part) {
  return ledger_.announce(actor, trust, details, part);
}

std::optional<Error> OutputLog::failure() const {
  const std::lock_guard lock(mutex_);
  const auto call = calls_.find(std::this_thread::get_id());
  return call == calls_.end() ? std::nullopt : call->second.failure;
}

}  // namespace anima::tools
