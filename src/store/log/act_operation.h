// What an entry says of the act that it belongs to (act.h): the first of its operations, of the
// kind kAct. Formats of entries with one are those without, and kWithAct. In a sealed entry it is
// sealed like the rest. Thread-safety: functions without state.
#pragma once

#include "base/result.h"
#include "store/act.h"
#include "store/log/attachment.h"
#include "store/log/operations.h"

namespace anima::store::detail {

// Requires an entry with its payload as it will be stored, but for the seal.
void put_act(const EntryAct& act, std::string& operations, std::uint32_t& format);

// What an entry with an open payload says of its act; nothing where it says nothing. Errors:
// kCorrupt.
Result<EntryAct> read_act(const LogEntry& entry);

// The act that the operation names, which must not be later than the entry itself.
Result<EntryAct> act_of(const Operation& operation, Sequence entry);

}  // namespace anima::store::detail
