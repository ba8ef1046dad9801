// How verbs come to their space: opened as the command line says, at the time that `anima as-of`
// says, written to in the name of the person at the terminal. Thread-safety: functions without
// state.
#pragma once

#include <memory>
#include <string_view>

#include "cli/context.h"
#include "store/space.h"

namespace anima::cli {

// kCreate: writes, and makes the space when there is none; only for verbs whose help says so.
// kCheckpoint: writes, and makes no base on its own.
enum class Access : std::uint8_t { kRead, kWrite, kCreate, kCheckpoint };

// The chosen space; what is wrong with it and can be lived with is said on standard error. kRead
// never changes anything in its folder. Errors: kNotFound with a hint,
// those of Space::open; kDenied when something is to be written under `anima as-of`.
Result<std::shared_ptr<store::Space>> open_space(Context& context, Access access);
// What to do when other accounts of the machine can enter the space's folder; empty when they
// cannot.
std::string open_to_others(FileSystem& files, const std::string& space);
// Its newest snapshot, or the one that `anima as-of` asks for.
Result<store::Snapshot> space_snapshot(const Context& context, store::Space& space);

// Who writes at the local terminal: the user's name, trust operator (DATA.md 14).
store::Origin local_origin(const Context& context, std::string_view source);

// "C:12", "sym:12" or "12" by number; else the exact name, else the label in any case.
// Errors: kNotFound; kInvalidArgument when several entities have the name, with their ids.
Result<store::EntityId> find_entity(const store::Snapshot& snapshot, std::string_view text);

// A number of the log: "12". Errors: kInvalidArgument.
Result<store::Sequence> parse_sequence(std::string_view text);

}  // namespace anima::cli
