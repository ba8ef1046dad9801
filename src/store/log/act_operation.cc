#include "store/log/act_operation.h"

#include "store/log/entry_codec.h"

namespace anima::store::detail {

void put_act(const EntryAct& act, std::string& operations, std::uint32_t& format) {
  if (!act.stated()) return;
  OperationWriter writer;
  writer.write({.kind = OperationKind::kAct,
                .id = act.mark,
                .provenance = to_number(act.first),
                .text = act.first == Sequence::kNone ? std::string_view(act.name) : ""});
  operations.insert(0, writer.take());
  format += kWithAct;
}

Result<EntryAct> act_of(const Operation& operation, Sequence entry) {
  EntryAct act{Sequence{operation.provenance}, std::string(operation.text), operation.id};
  if (act.first < entry && act.stated()) return act;
  return fail(ErrorCode::kCorrupt, "it does not say which act it belongs to", entry_place(entry));
}

Result<EntryAct> read_act(const LogEntry& entry) {
  EntryAct act;
  if (!has_act(entry) || entry.payload.empty()) return act;
  bool read = false;
  const Status done = read_operations(entry.payload, [&](const Operation& operation) -> Status {
    if (operation.kind == OperationKind::kTaken) return {};  // put before it (redacted.h)
    read = true;
    if (operation.kind == OperationKind::kAct) {
      ANIMA_ASSIGN(act, act_of(operation, entry.sequence));
    }
    return fail(ErrorCode::kCancelled, "the first is enough");
  });
  if (!done && (!read || done.error().code != ErrorCode::kCancelled)) return fail(done.error());
  return act;
}

}  // namespace anima::store::detail
