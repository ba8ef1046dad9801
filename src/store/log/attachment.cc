#include "store/log/attachment.h"

#include <algorithm>
#include <array>

#include "base/crypto.h"
#include "base/json/json.h"
#include "store/log/entry_codec.h"
#include "store/log/operations.h"

namespace anima::store::detail {

void attach(LogEntry& entry, std::string_view records, Random& random) {
  std::array<std::uint8_t, kSaltBytes> salt{};
  random.fill(salt);
  entry.attachment.assign(salt.begin(), salt.end());
  entry.attachment += records;
  const Digest digest = sha256(entry.attachment);
  OperationWriter operation;
  operation.write({.kind = OperationKind::kAttachment, .text = view_of(digest)});
  entry.payload += operation.take();
  entry.format = kAttachedFormat + (has_act(entry) ? kWithAct : 0);
}

Result<std::string_view> attached_records(const LogEntry& entry, std::string_view attachment) {
  const Digest digest = sha256(attachment);
  bool same = false;
  ANIMA_TRY(read_operations(entry.payload, [&](const Operation& operation) -> Status {
    if (operation.kind == OperationKind::kAttachment) same = operation.text == view_of(digest);
    return {};
  }));
  if (same && attachment.size() >= kSaltBytes) return attachment.substr(kSaltBytes);
  return fail(ErrorCode::kCorrupt, "its attachment is not the one that it tells of",
              entry_place(entry.sequence));
}

std::string prune_record(std::span<const Sequence> entries) {
  Json ranges = Json::array();
  for (std::size_t i = 0; i < entries.size();) {
    std::size_t end = i + 1;
    while (end < entries.size() && to_number(entries[end]) == to_number(entries[end - 1]) + 1)
      ++end;
    ranges.push_back(Json::array({to_number(entries[i]), to_number(entries[end - 1])}));
    i = end;
  }
  return Json::object({{"pruned", std::move(ranges)}}).dump();
}

void PruneCheck::see_record(std::string_view json) {
  const Result<Json> record = parse_json(json);
  const Json* ranges = record ? record->find("pruned") : nullptr;
  if (ranges == nullptr || !ranges->is_array()) return;
  const auto place = [&](std::int64_t entry) {
    return std::lower_bound(missing_.begin(), missing_.end(), entry,
                            [](const One& one, std::int64_t wanted) {
                              return static_cast<std::int64_t>(one.entry) < wanted;
                            });
  };
  for (const Json& range : ranges->as_array()) {
    if (!range.is_array() || range.as_array().size() != 2) return;
    const Json &first = range.as_array()[0], &last = range.as_array()[1];
    if (!first.is_integer() || !last.is_integer()) return;
    const auto end = place(last.as_integer() + 1);
    for (auto at = place(first.as_integer()); at < end; ++at) at->answered = true;
  }
}

Status PruneCheck::check() const {
  for (const One& one : missing_) {
    if (one.answered) continue;
    return fail(ErrorCode::kCorrupt,
                "its attachment is missing, and no entry says that it was pruned",
                entry_place(one.entry));
  }
  return {};
}

}  // namespace anima::store::detail
