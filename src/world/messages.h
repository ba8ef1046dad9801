// The messages of a world: their codes, who answers them, and the fields of those that an agent
// sends. Source: source 002 5 and 6.1; governance_and_runtime 2.3. Thread-safety: constants.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/json/json.h"
#include "base/json/message_pack.h"
#include "world/types.h"

namespace anima::world {

// On the wire, never renumber.
enum class Message : std::uint16_t {
  kPing = 0x0001,
  kPong = 0x0002,
  kError = 0x0003,
  kAck = 0x0004,
  kSubscribe = 0x0010,
  kUnsubscribe = 0x0011,
  kEvent = 0x0012,
  kAgentSpawnRequest = 0x0100,
  kAgentSpawnAck = 0x0101,
  kAgentStatus = 0x0102,
  kTickAlloc = 0x0103,
  kWorldState = 0x0104,
  kProposalSubmit = 0x0110,
  kProposalVote = 0x0111,
  kProposalResult = 0x0112,
  kRepoCreate = 0x0200,
  kSnapCreate = 0x0201,
  kSnapGet = 0x0202,
  kObjectGet = 0x0203,
  kObjectPut = 0x0204,
  kDeltaCompute = 0x0205,
  kMerge = 0x0206,
  kChainCreate = 0x0207,
  kChainAdvance = 0x0208,
  kTagCreate = 0x0209,
  kRegistryQuery = 0x020A,
  kDependencyAdd = 0x020B,
  kDependencyNotify = 0x020C,
  kChannelCreate = 0x0300,
  kMessagePost = 0x0301,
  kMessageQuery = 0x0302,
  kSignalSend = 0x0303,
  kBountyCreate = 0x0310,
  kBountyClaim = 0x0311,
  kBountySubmit = 0x0312,
  kBountyReview = 0x0313,
  kReviewRequest = 0x0320,
  kReviewSubmit = 0x0321,
  kEntryPublish = 0x0400,
  kEntryUpdate = 0x0401,
  kEntryQuery = 0x0402,
  kEntryVerify = 0x0403,
  kEntryGet = 0x0404,
  kCitationAdd = 0x0410,
  kCitationQuery = 0x0411,
  kSandboxCreate = 0x0500,
  kSandboxStatus = 0x0501,
  kSandboxKill = 0x0502,
  kExecStart = 0x0503,
  kExecResult = 0x0504,
  kProofRequest = 0x0505,
  kProofResult = 0x0506,
  kServiceCreate = 0x0510,
  kServiceCall = 0x0511,
  kServiceResult = 0x0512,
  kLinkResolve = 0x0520,
  kTransfer = 0x0600,
  kBalanceQuery = 0x0601,
  kEscrowCreate = 0x0602,
  kEscrowRelease = 0x0603,
  kEscrowRefund = 0x0604,
  kStakeCreate = 0x0610,
  kStakeResolve = 0x0611,
  kEconomyReport = 0x0620,
  kWebRequest = 0x0700,
  kWebResponse = 0x0701,
  kPortalReport = 0x0710,
};

enum class Direction : std::uint8_t { kToAgent, kFromAgent, kBoth, kOther };

struct MessageKind {
  Message code;
  std::string_view name;  // "BOUNTY_CLAIM"
  Direction direction;
  // What an agent may put into it: "bounty_id:hash claimer:self title:text reward:natural". A '?'
  // behind the type: may be left out. `self` is filled in with the sender's id.
  std::string_view fields;
  // Whether the answer is an ACK; else it has the same code and brings data.
  bool command = true;
};

std::span<const MessageKind> message_kinds();  // by code
const MessageKind* message_kind(std::uint16_t code);
// By the name of an action, in lower case: "bounty_claim".
const MessageKind* message_of_action(std::string_view action);
std::string action_name(const MessageKind& kind);
// The daemon that answers messages to it; nothing for those that agents receive or all answer.
std::optional<System> daemon_of(Message code);

// The parameters of an action as the body of its message. Errors: kInvalidArgument, with the
// field's name.
Result<MessagePack> message_body(const MessageKind& kind, const Json& parameters,
                                 const AgentId& sender);

// Why a request was refused; the body of ERROR.
enum class Category : std::uint8_t {
  kInvalidRequest,
  kUnauthorized,
  kNotFound,
  kConflict,
  kQuotaExceeded,
  kInternal,
};
std::span<const std::string_view> enum_names(Category);

// What happened in a world, as daemons tell it.
enum class EventKind : std::uint16_t {
  kAgentSpawn = 0x0001,
  kAgentStatusChange = 0x0002,
  kAgentKill = 0x0003,
  kTick = 0x0010,
  kCycleEnd = 0x0011,
  kEpochChange = 0x0012,
  kProposalSubmitted = 0x0020,
  kProposalVoted = 0x0021,
  kProposalDecided = 0x0022,
  kReputationUpdated = 0x0030,
  kRepoCreated = 0x1001,
  kSnapCreated = 0x1002,
  kObjectStored = 0x1003,
  kMerged = 0x1004,
  kChainMoved = 0x1005,
  kTagCreated = 0x1006,
  kDependencyAdded = 0x1009,
  kDependencyUpdated = 0x100A,
  kDependencyBroken = 0x100E,
  kChannelCreated = 0x2001,
  kMessagePosted = 0x2010,
  kSignalSent = 0x2011,
  kBountyCreated = 0x2020,
  kBountyClaimed = 0x2021,
  kBountySubmitted = 0x2022,
  kBountyCompleted = 0x2023,
  kBountyRejected = 0x2024,
  kBountyExpired = 0x2026,
  kReviewRequested = 0x2030,
  kReviewSubmitted = 0x2031,
  kEntryPublished = 0x3001,
  kEntryUpdated = 0x3002,
  kEntryVerified = 0x3003,
  kCitationAdded = 0x3010,
  kSandboxCreated = 0x4001,
  kSandboxHalted = 0x4002,
  kSandboxFaulted = 0x4003,
  kServiceCreated = 0x4010,
  kServiceCalled = 0x4011,
  kTransferCompleted = 0x5001,
  kEscrowCreated = 0x5010,
  kEscrowReleased = 0x5011,
  kEscrowRefunded = 0x5012,
  kStakeCreated = 0x5020,
  kStakeResolved = 0x5021,
  kBankruptcyWarning = 0x5040,
  kBankruptcyReduced = 0x5041,
  kBankruptcy = 0x5042,
  kWebRequested = 0x6001,
};

}  // namespace anima::world
