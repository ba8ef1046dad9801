#include "world/messages.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"

namespace anima::world {
namespace {

constexpr MessageKind kKinds[] = {
    {Message::kPing, "PING", Direction::kBoth, ""},
    {Message::kPong, "PONG", Direction::kBoth, ""},
    {Message::kError, "ERROR", Direction::kToAgent, ""},
    {Message::kAck, "ACK", Direction::kToAgent, ""},
    {Message::kSubscribe, "SUBSCRIBE", Direction::kOther, ""},
    {Message::kUnsubscribe, "UNSUBSCRIBE", Direction::kOther, ""},
    {Message::kEvent, "EVENT", Direction::kToAgent, ""},
    {Message::kAgentSpawnRequest, "AGENT_SPAWN_REQ", Direction::kOther, ""},
    {Message::kAgentSpawnAck, "AGENT_SPAWN_ACK", Direction::kToAgent, ""},
    {Message::kAgentStatus, "AGENT_STATUS", Direction::kFromAgent, "agent_id:self status:text?",
     false},
    {Message::kTickAlloc, "TICK_ALLOC", Direction::kToAgent, ""},
    {Message::kWorldState, "WORLD_STATE", Direction::kToAgent, ""},
    {Message::kProposalSubmit, "PROPOSAL_SUBMIT", Direction::kFromAgent,
     "proposer:self kind:text title:text description:text? parameter:text? value:text?"},
    {Message::kProposalVote, "PROPOSAL_VOTE", Direction::kFromAgent,
     "proposal_id:hash vote:bool weight:real?"},
    {Message::kProposalResult, "PROPOSAL_RESULT", Direction::kToAgent, ""},
    {Message::kRepoCreate, "REPO_CREATE", Direction::kFromAgent,
     "name:text owner:self access_policy:text?"},
    {Message::kSnapCreate, "SNAP_CREATE", Direction::kFromAgent,
     "parent:hash? root:hash author:self message:text proof:hash? signature:bytes? repo:hash?"},
    {Message::kSnapGet, "SNAP_GET", Direction::kFromAgent, "snap_id:hash", false},
    {Message::kObjectGet, "OBJECT_GET", Direction::kFromAgent, "object_id:hash", false},
    {Message::kObjectPut, "OBJECT_PUT", Direction::kFromAgent, "type_tag:natural data:blob"},
    {Message::kDeltaCompute, "DELTA_COMPUTE", Direction::kOther, ""},
    {Message::kMerge, "MERGE", Direction::kFromAgent, "base:hash left:hash right:hash", false},
    {Message::kChainCreate, "CHAIN_CREATE", Direction::kFromAgent,
     "repo:hash name:text from_snap:hash"},
    {Message::kChainAdvance, "CHAIN_ADVANCE", Direction::kFromAgent,
     "repo:hash chain_name:text new_head:hash"},
    {Message::kTagCreate, "TAG_CREATE", Direction::kFromAgent,
     "repo:hash name:text target:hash signature:bytes?"},
    {Message::kRegistryQuery, "REGISTRY_QUERY", Direction::kFromAgent,
     "category:text? text_match:text? sort:text? limit:natural?", false},
    {Message::kDependencyAdd, "DEPENDENCY_ADD", Direction::kFromAgent,
     "repo:hash on:hash version:text?"},
    {Message::kDependencyNotify, "DEPENDENCY_NOTIFY", Direction::kOther, ""},
    {Message::kChannelCreate, "CHANNEL_CREATE", Direction::kFromAgent,
     "name:text creator:self description:text?"},
    {Message::kMessagePost, "MSG_POST", Direction::kFromAgent,
     "channel_id:hash? kind:text? content:text references:hashes? confidence:real?"},
    {Message::kMessageQuery, "MSG_QUERY", Direction::kFromAgent,
     "channel_id:hash? author:hash? limit:natural?", false},
    {Message::kSignalSend, "SIGNAL_SEND", Direction::kFromAgent,
     "target:hash kind:text weight:real? reference:hash?"},
    {Message::kBountyCreate, "BOUNTY_CREATE", Direction::kFromAgent,
     "creator:self title:text description:text? reward:natural difficulty:natural? "
     "deadline:natural "
     "tags:texts? expected:natural"},
    {Message::kBountyClaim, "BOUNTY_CLAIM", Direction::kFromAgent, "bounty_id:hash claimer:self"},
    {Message::kBountySubmit, "BOUNTY_SUBMIT", Direction::kFromAgent,
     "bounty_id:hash submission_snap:hash"},
    {Message::kBountyReview, "BOUNTY_REVIEW", Direction::kFromAgent,
     "bounty_id:hash verdict:text comments:text?"},
    {Message::kReviewRequest, "REVIEW_REQUEST", Direction::kFromAgent,
     "author:self repo:hash? snap:hash reviewers:hashes urgency:natural?"},
    {Message::kReviewSubmit, "REVIEW_SUBMIT", Direction::kFromAgent,
     "review_id:hash reviewer:self verdict:text comments:text?"},
    {Message::kEntryPublish, "ENTRY_PUBLISH", Direction::kFromAgent,
     "title:text body:text author:self category:text? review:text?"},
    {Message::kEntryUpdate, "ENTRY_UPDATE", Direction::kFromAgent,
     "entry_id:hash new_body:text change_note:text? author:self"},
    {Message::kEntryQuery, "ENTRY_QUERY", Direction::kFromAgent,
     "text_match:text? category:text? limit:natural?", false},
    {Message::kEntryVerify, "ENTRY_VERIFY", Direction::kFromAgent,
     "entry_id:hash verdict:text evidence:text? references:hashes?"},
    {Message::kEntryGet, "ENTRY_GET", Direction::kFromAgent, "entry_id:hash version:natural?",
     false},
    {Message::kCitationAdd, "CITATION_ADD", Direction::kFromAgent, "from:hash to:hash kind:text?"},
    {Message::kCitationQuery, "CITATION_QUERY", Direction::kOther, ""},
    {Message::kSandboxCreate, "SANDBOX_CREATE", Direction::kFromAgent,
     "owner:self program:hash tick_limit:natural?"},
    {Message::kSandboxStatus, "SANDBOX_STATUS", Direction::kOther, ""},
    {Message::kSandboxKill, "SANDBOX_KILL", Direction::kOther, ""},
    {Message::kExecStart, "EXEC_START", Direction::kFromAgent, "sandbox_id:hash"},
    {Message::kExecResult, "EXEC_RESULT", Direction::kToAgent, ""},
    {Message::kProofRequest, "PROOF_REQUEST", Direction::kFromAgent, "sandbox_id:hash"},
    {Message::kProofResult, "PROOF_RESULT", Direction::kToAgent, ""},
    {Message::kServiceCreate, "SERVICE_CREATE", Direction::kFromAgent,
     "owner:self name:text program:hash fee:natural?"},
    {Message::kServiceCall, "SERVICE_CALL", Direction::kFromAgent,
     "service_id:hash endpoint:text? data:natural?"},
    {Message::kServiceResult, "SERVICE_RESULT", Direction::kToAgent, ""},
    {Message::kLinkResolve, "LINK_RESOLVE", Direction::kFromAgent, "program:hash imports:hashes?",
     false},
    {Message::kTransfer, "TRANSFER", Direction::kFromAgent,
     "from:self to:hash amount:natural memo:text?"},
    {Message::kBalanceQuery, "BALANCE_QUERY", Direction::kFromAgent, "agent_id:self", false},
    {Message::kEscrowCreate, "ESCROW_CREATE", Direction::kFromAgent,
     "payer:self payee:hash amount:natural deadline:natural"},
    {Message::kEscrowRelease, "ESCROW_RELEASE", Direction::kOther, ""},
    {Message::kEscrowRefund, "ESCROW_REFUND", Direction::kOther, ""},
    {Message::kStakeCreate, "STAKE_CREATE", Direction::kFromAgent,
     "owner:self proposal_id:hash amount:natural side:bool"},
    {Message::kStakeResolve, "STAKE_RESOLVE", Direction::kOther, ""},
    {Message::kEconomyReport, "ECONOMY_REPORT", Direction::kOther, ""},
    {Message::kWebRequest, "WEB_REQUEST", Direction::kFromAgent, "method:text url:text", false},
    {Message::kWebResponse, "WEB_RESPONSE", Direction::kToAgent, ""},
    {Message::kPortalReport, "PORTAL_REPORT", Direction::kOther, ""},
};

Unexpected<Error> wrong_field(std::string_view name, std::string_view what) {
  return fail(ErrorCode::kInvalidArgument, "the parameter must be " + std::string(what),
              std::string(name));
}

Result<MessagePack> hash_value(std::string_view name, const Json& value) {
  const auto bytes = from_hex(value.as_string());
  if (!value.is_string() || !bytes || bytes->size() != 32)
    return wrong_field(name, "64 hexadecimal digits");
  return MessagePack(Binary{*bytes});
}

Result<MessagePack> list_value(std::string_view name, const Json& value, bool hashes) {
  if (!value.is_array()) return wrong_field(name, "a list");
  MessagePack::Array items;
  for (const Json& item : value.as_array()) {
    if (hashes) {
      ANIMA_ASSIGN(MessagePack hash, hash_value(name, item));
      items.push_back(std::move(hash));
    } else {
      if (!item.is_string()) return wrong_field(name, "a list of texts");
      items.emplace_back(item.as_string());
    }
  }
  return MessagePack(std::move(items));
}

Result<MessagePack> field_value(std::string_view name, std::string_view type, const Json& value) {
  if (type == "hash") return hash_value(name, value);
  if (type == "hashes") return list_value(name, value, true);
  if (type == "texts") return list_value(name, value, false);
  if (type == "bool") {
    if (!value.is_bool()) return wrong_field(name, "true or false");
    return MessagePack(value.as_bool());
  }
  if (type == "natural") {
    if (!value.is_integer() || value.as_integer() < 0) return wrong_field(name, "0 or more");
    return MessagePack(value.as_integer());
  }
  if (type == "real") {
    if (!value.is_number()) return wrong_field(name, "a number");
    return MessagePack(static_cast<float>(value.as_number()));
  }
  if (!value.is_string()) return wrong_field(name, "a text");
  if (type == "blob") return MessagePack(Binary{value.as_string()});
  if (type == "bytes") {
    auto bytes = from_hex(value.as_string());
    if (!bytes) return wrong_field(name, "hexadecimal digits");
    return MessagePack(Binary{std::move(*bytes)});
  }
  return MessagePack(value.as_string());
}

}  // namespace

std::span<const MessageKind> message_kinds() { return kKinds; }

const MessageKind* message_kind(std::uint16_t code) {
  const auto found = std::lower_bound(std::begin(kKinds), std::end(kKinds), code,
                                      [](const MessageKind& kind, std::uint16_t wanted) {
                                        return static_cast<std::uint16_t>(kind.code) < wanted;
                                      });
  if (found == std::end(kKinds) || static_cast<std::uint16_t>(found->code) != code) return nullptr;
  return found;
}

const MessageKind* message_of_action(std::string_view action) {
  for (const MessageKind& kind : kKinds) {
    if (kind.direction == Direction::kFromAgent && to_lower(kind.name) == action) return &kind;
  }
  return nullptr;
}

std::string action_name(const MessageKind& kind) { return to_lower(kind.name); }

std::optional<System> daemon_of(Message code) {
  const MessageKind* kind = message_kind(static_cast<std::uint16_t>(code));
  const auto high = static_cast<std::size_t>(code) >> 8;
  if (kind == nullptr || high == 0 || high > kSystems) return std::nullopt;
  return static_cast<System>(high - 1);
}

Result<MessagePack> message_body(const MessageKind& kind, const Json& parameters,
                                 const AgentId& sender) {
  MessagePack body{MessagePack::Map()};
  std::string_view rest = kind.fields;
  while (!rest.empty()) {
    const std::string_view field = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), field.size() + 1));
    const std::string_view name = field.substr(0, field.find(':'));
    std::string_view type = field.substr(name.size() + 1);
    const bool may_miss = type.ends_with('?');
    if (may_miss) type.remove_suffix(1);
    if (type == "self") {
      body.set(name, MessagePack(Binary{std::string(bytes_of(sender))}));
      continue;
    }
    const Json* value = parameters.find(name);
    if (value == nullptr || value->is_null()) {
      if (!may_miss) return wrong_field(name, "there");
      continue;
    }
    ANIMA_ASSIGN(MessagePack packed, field_value(name, type, *value));
    body.set(name, std::move(packed));
  }
  return body;
}

std::span<const std::string_view> enum_names(Category) {
  static constexpr std::string_view kNames[] = {"InvalidRequest", "Unauthorized",  "NotFound",
                                                "Conflict",       "QuotaExceeded", "Internal"};
  return kNames;
}

}  // namespace anima::world
