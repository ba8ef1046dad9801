#include "agent/mind/core_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "agent/detail/attributes.h"
#include "agent/json_fields.h"
#include "base/crypto.h"
#include "base/text/text.h"
#include "base/text/valid_text.h"
#include "llm/message.h"
#include "memory/names.h"
#include "store/own_graphs.h"

namespace anima::agent {
namespace {

constexpr std::string_view kBlockType = "CoreMemory";
constexpr std::string_view kTextKey = "agent:core_text";
constexpr std::string_view kHashKey = "agent:core_sha256";

Status check_block_name(std::string_view name) {
  if (std::ranges::find(kCoreBlocks, name) != kCoreBlocks.end()) return {};
  return fail(ErrorCode::kInvalidArgument, "core memory has no such block", std::string(name),
              "the blocks are rules, persona, human and task");
}

// The value of a key, and who stated it.
struct KeptText {
  std::string text;
  store::Sequence entry = store::Sequence::kNone;
};
KeptText text_under(const store::Snapshot& own, store::EntityId entity, std::string_view name) {
  const auto key = own.find_string(name);
  if (!key) return {};
  store::Cursor cursor = own.scan({.subject = entity,
                                   .predicate = store::Predicate::attribute(*key),
                                   .object = std::nullopt,
                                   .predicate_class = store::PredicateClass::kAttribute});
  store::Triple row;
  if (cursor.next(std::span(&row, 1)) == 0) return {};
  KeptText kept{std::string(own.value(row.object).text), store::Sequence::kNone};
  for (const store::Assertion& each : own.assertions(row)) kept.entry = each.born;
  return kept;
}

CoreBlock block_in(const store::Snapshot& snapshot, std::string_view name) {
  CoreBlock block;
  block.name = name;
  const store::Snapshot own = store::in_graph(snapshot, memory::kAgentGraph);
  const auto type = own.find_type(kBlockType);
  const auto entity = type ? own.find_concept(*type, name) : std::nullopt;
  if (!entity) return block;
  KeptText text = text_under(own, *entity, kTextKey);
  if (text.entry == store::Sequence::kNone) return block;
  block.text = std::move(text.text);
  block.sha256 = text_under(own, *entity, kHashKey).text;
  block.entry = text.entry;
  const store::EntryInfo info = own.entry(text.entry);
  block.trust = info.trust;
  block.author = info.author;
  block.source = info.source;
  block.time = info.time;
  return block;
}

Status check_hash(const CoreBlock& block) {
  if (block.text.empty() || to_hex(sha256(block.text)) == block.sha256) return {};
  return fail(ErrorCode::kCorrupt,
              "the block " + block.name + " of core memory is not what was written there",
              fmt::format("entry {}", static_cast<std::uint64_t>(block.entry)),
              "set it anew: anima agent memory set " + block.name + " TEXT");
}

Status check_length(const CoreBlock& block) {
  if (block.tokens() <= kCoreBlockTokens) return {};
  return fail(ErrorCode::kLimitExceeded,
              fmt::format("the block {} would have {} tokens, and has room for {}", block.name,
                          block.tokens(), kCoreBlockTokens),
              {}, "say it more briefly, or replace what is no longer needed");
}

Status write_block(store::Transaction& transaction, const CoreBlock& block) {
  store::AssertOptions options;
  options.graph = transaction.graph(memory::kAgentGraph);
  ANIMA_ASSIGN(const store::EntityId type, transaction.upsert_type(kBlockType, options));
  ANIMA_ASSIGN(const store::EntityId entity, transaction.upsert_concept(type, block.name, options));
  if (block.text.empty()) {
    ANIMA_TRY(transaction.set_attribute(entity, kTextKey, {}, options));
    return transaction.set_attribute(entity, kHashKey, {}, options);
  }
  ANIMA_TRY(
      detail::set_value(transaction, entity, kTextKey, store::Value::string(block.text), options));
  return detail::set_value(transaction, entity, kHashKey,
                           store::Value::string(to_hex(sha256(block.text))), options);
}

// Writes what `edit` makes of the text that stands there. `keeps`: parts of it stay, and with them
// how little it is trusted.
Result<CoreBlock> change(store::Space& space, const store::Origin& origin, std::string_view name,
                         bool keeps, const std::function<Status(std::string&)>& edit) {
  ANIMA_TRY(check_block_name(name));
  ANIMA_TRY(space
                .write(origin,
                       [&](store::Transaction& transaction) -> Status {
                         CoreBlock block = block_in(transaction.view(), name);
                         if (keeps) ANIMA_TRY(check_hash(block));
                         if (keeps && !block.text.empty())
                           ANIMA_TRY(transaction.lower_trust(block.trust));
                         ANIMA_TRY(edit(block.text));
                         ANIMA_TRY(check_length(block));
                         return write_block(transaction, block);
                       })
                .map([](const store::Receipt&) {}));
  ANIMA_ASSIGN(const store::Snapshot now, space.snapshot());
  return core_block(now, name);
}

std::string one_text(std::string_view text) { return std::string(trim(valid_text(text))); }

}  // namespace

std::int64_t CoreBlock::tokens() const { return llm::estimate_tokens(text); }

Json CoreBlock::to_json() const {
  return Json::object({{"block", name},
                       {"text", text},
                       {"sha256", sha256},
                       {"trust", govern::trust_name(trust)},
                       {"author", author},
                       {"source", source},
                       {"time", text.empty() ? Json() : Json(format_timestamp(time))},
                       {"entry", static_cast<std::uint64_t>(entry)},
                       {"tokens", tokens()},
                       {"limit", kCoreBlockTokens}});
}

Result<CoreBlock> core_block(const store::Snapshot& snapshot, std::string_view name) {
  ANIMA_TRY(check_block_name(name));
  CoreBlock block = block_in(snapshot, name);
  ANIMA_TRY(check_hash(block));
  return block;
}

Result<std::vector<CoreBlock>> core_memory(const store::Snapshot& snapshot) {
  std::vector<CoreBlock> blocks;
  for (const std::string_view name : kCoreBlocks) {
    ANIMA_ASSIGN(CoreBlock block, core_block(snapshot, name));
    if (!block.text.empty()) blocks.push_back(std::move(block));
  }
  return blocks;
}

Result<CoreBlock> set_core_block(store::Space& space, const store::Origin& origin,
                                 std::string_view name, std::string_view text) {
  return change(space, origin, name, false, [&](std::string& whole) -> Status {
    whole = one_text(text);
    return {};
  });
}

Result<CoreBlock> add_to_core_block(store::Space& space, const store::Origin& origin,
                                    std::string_view name, std::string_view line) {
  return change(space, origin, name, true, [&](std::string& whole) -> Status {
    if (!whole.empty()) whole += '\n';
    whole += one_text(line);
    return {};
  });
}

Result<CoreBlock> replace_in_core_block(store::Space& space, const store::Origin& origin,
                                        std::string_view name, std::string_view old,
                                        std::string_view text) {
  return change(space, origin, name, true, [&](std::string& whole) -> Status {
    const std::size_t at = old.empty() ? std::string::npos : whole.find(old);
    if (at == std::string::npos) {
      return fail(ErrorCode::kNotFound,
                  "the text to be replaced does not stand in the block " + std::string(name),
                  std::string(old));
    }
    if (whole.find(old, at + 1) != std::string::npos) {
      return fail(ErrorCode::kConflict,
                  "the text to be replaced stands more than once in the block " + std::string(name),
                  std::string(old), "name more of it");
    }
    whole.replace(at, old.size(), valid_text(text));
    whole = one_text(whole);
    return {};
  });
}

Result<Json> edit_core_memory(store::Space& space, const store::Origin& origin,
                              const Json& arguments) {
  const std::string name = text_of(arguments, "block");
  const std::string old = text_of(arguments, "old");
  const Json* text = arguments.find("text");
  if (text == nullptr || !text->is_string())
    return fail(ErrorCode::kInvalidArgument, "the text 'text' is missing");
  if (name == kRulesBlock)
    return fail(ErrorCode::kDenied, "the rules are a person's: no tool edits them");
  if (old.empty() && trim(text->as_string()).empty())
    return fail(ErrorCode::kInvalidArgument, "there is nothing to be added");
  ANIMA_ASSIGN(const CoreBlock block,
               old.empty() ? add_to_core_block(space, origin, name, text->as_string())
                           : replace_in_core_block(space, origin, name, old, text->as_string()));
  return Json::object({{"block", block.name},
                       {"entry", static_cast<std::uint64_t>(block.entry)},
                       {"tokens", block.tokens()},
                       {"limit", kCoreBlockTokens}});
}

}  // namespace anima::agent
