// Core memory: four short texts that stand in front of everything that a language model is told.
//
//   rules    a person's standing rules, told word for word whatever else is dropped; no model edits
//            them, and what is told is checked against their hash
//   persona  who the agent is      human  whom it talks with      task  what it is at
//
// They lie in the agents' own graph, where the languages that clients speak cannot write. An edit
// is one entry of the log with its author, source and trust: it can be looked up and undone like
// any other. A text that was edited by somebody who is trusted less is trusted less as a whole,
// until it is set anew. Each has a limit of tokens.
//
// Thread-safety: functions over a space, from any thread; edits of two processes follow each other.
// Errors: those of the space; kLimitExceeded (too long), kNotFound (what is to be replaced does not
// stand there), kConflict (it stands there twice), kDenied (the rules, for a model), kCorrupt (the
// text has not the hash that was kept with it). Complexity: O(1). Source: issue "any model", 2.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "govern/trust.h"
#include "store/space.h"

namespace anima::agent {

inline constexpr std::string_view kRulesBlock = "rules";
// In the order in which they are told.
inline constexpr std::array<std::string_view, 4> kCoreBlocks = {kRulesBlock, "persona", "human",
                                                                "task"};
inline constexpr std::int64_t kCoreBlockTokens = 512;

struct CoreBlock {
  std::string name;
  std::string text;    // empty: nothing was written
  std::string sha256;  // of the text, in hexadecimal digits
  govern::Trust trust = govern::Trust::kSystem;
  std::string author, source;  // of the last edit
  Timestamp time;
  store::Sequence entry = store::Sequence::kNone;
  std::int64_t tokens() const;
  Json to_json() const;
};

// One block. Errors: also kInvalidArgument for a name that is none.
Result<CoreBlock> core_block(const store::Snapshot& snapshot, std::string_view name);
// Those that hold something.
Result<std::vector<CoreBlock>> core_memory(const store::Snapshot& snapshot);

// The whole text, in place of what stood there; an empty one clears the block.
Result<CoreBlock> set_core_block(store::Space& space, const store::Origin& origin,
                                 std::string_view name, std::string_view text);
// A line more.
Result<CoreBlock> add_to_core_block(store::Space& space, const store::Origin& origin,
                                    std::string_view name, std::string_view line);
// `text` in place of `old`, which stands there exactly once.
Result<CoreBlock> replace_in_core_block(store::Space& space, const store::Origin& origin,
                                        std::string_view name, std::string_view old,
                                        std::string_view text);

// The edit that a model's call asks for: {block, text, old?}; without `old` a line is added. The
// result says how full the block is, and no more.
inline constexpr std::string_view kCoreEdit = "memory:core_edit";
Result<Json> edit_core_memory(store::Space& space, const store::Origin& origin,
                              const Json& arguments);

}  // namespace anima::agent
