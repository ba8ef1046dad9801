#include "tools/recorded_tools.h"

#include "base/text.h"

namespace anima::tools {
namespace {

constexpr std::size_t kAuditedCodePoints = 200;

std::string beginning(std::string_view text) {
  return std::string(substring_by_code_points(text, 0, kAuditedCodePoints));
}

}  // namespace

Result<Json> RecordedTools::run_until(const std::stop_token& stop, std::string_view tool,
                                      const Json& arguments, std::int64_t timeout_milliseconds) {
  const std::int64_t begin = clock_.monotonic_nanoseconds();
  Result<Json> result = tools_.run_until(stop, tool, arguments, timeout_milliseconds);
  record(tool, arguments, result, clock_.monotonic_nanoseconds() - begin);
  return result;
}

Result<govern::Rehearsal> RecordedTools::rehearse(const std::stop_token& stop,
                                                  std::string_view tool, const Json& arguments,
                                                  std::int64_t timeout_milliseconds) {
  const std::int64_t begin = clock_.monotonic_nanoseconds();
  auto rehearsal = tools_.rehearser(tool)->rehearse(stop, tool, arguments, timeout_milliseconds);
  const std::int64_t took = clock_.monotonic_nanoseconds() - begin;
  if (!rehearsal) record(tool, arguments, fail(rehearsal.error()), took);
  const std::lock_guard lock(mutex_);
  rehearsed_[std::this_thread::get_id()] = took;
  return rehearsal;
}

Result<Json> RecordedTools::conclude(const std::stop_token& stop, std::string_view tool,
                                     const Json& arguments, const govern::Rehearsal& rehearsal,
                                     std::int64_t timeout_milliseconds) {
  const std::int64_t begin = clock_.monotonic_nanoseconds();
  Result<Json> result =
      tools_.rehearser(tool)->conclude(stop, tool, arguments, rehearsal, timeout_milliseconds);
  std::int64_t took = clock_.monotonic_nanoseconds() - begin;
  {
    const std::lock_guard lock(mutex_);
    // Approved later, by a process that rehearsed nothing: then there is nothing to add.
    const auto before = rehearsed_.find(std::this_thread::get_id());
    if (before != rehearsed_.end()) {
      took += before->second;
      rehearsed_.erase(before);
    }
  }
  record(tool, arguments, result, took);
  return result;
}

void RecordedTools::forget(std::string_view tool, const govern::Rehearsal& rehearsal) {
  tools_.rehearser(tool)->forget(tool, rehearsal);
}

void RecordedTools::record(std::string_view tool, const Json& arguments, const Result<Json>& result,
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

Result<std::string> RecordedTools::write(std::string_view action, std::string_view actor,
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

Status RecordedTools::announce(std::string_view actor, govern::Trust trust, const Json& details,
                               const govern::EntryPart& part) {
  return ledger_.announce(actor, trust, details, part);
}

std::optional<Error> RecordedTools::failure() const {
  const std::lock_guard lock(mutex_);
  const auto call = calls_.find(std::this_thread::get_id());
  return call == calls_.end() ? std::nullopt : call->second.failure;
}

}  // namespace anima::tools
