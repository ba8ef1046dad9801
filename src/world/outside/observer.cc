#include "world/outside/observer.h"

#include <fmt/format.h>

#include "base/json/message_pack_fields.h"
#include "world/record_rows.h"

namespace anima::world {
namespace {

struct NamedEvent {
  EventKind kind;
  std::string_view name;
};
constexpr NamedEvent kNames[] = {
    {EventKind::kAgentSpawn, "agent_spawn"},
    {EventKind::kAgentStatusChange, "agent_status_change"},
    {EventKind::kAgentKill, "agent_kill"},
    {EventKind::kTick, "tick"},
    {EventKind::kCycleEnd, "cycle_end"},
    {EventKind::kEpochChange, "epoch_change"},
    {EventKind::kProposalSubmitted, "proposal_submitted"},
    {EventKind::kProposalVoted, "proposal_voted"},
    {EventKind::kProposalDecided, "proposal_decided"},
    {EventKind::kReputationUpdated, "reputation_updated"},
    {EventKind::kRepoCreated, "repo_created"},
    {EventKind::kSnapCreated, "snap_created"},
    {EventKind::kObjectStored, "object_stored"},
    {EventKind::kMerged, "merged"},
    {EventKind::kChainMoved, "chain_moved"},
    {EventKind::kTagCreated, "tag_created"},
    {EventKind::kDependencyAdded, "dependency_added"},
    {EventKind::kDependencyUpdated, "dependency_updated"},
    {EventKind::kDependencyBroken, "dependency_broken"},
    {EventKind::kChannelCreated, "channel_created"},
    {EventKind::kMessagePosted, "message_posted"},
    {EventKind::kSignalSent, "signal_sent"},
    {EventKind::kBountyCreated, "bounty_created"},
    {EventKind::kBountyClaimed, "bounty_claimed"},
    {EventKind::kBountySubmitted, "bounty_submitted"},
    {EventKind::kBountyCompleted, "bounty_completed"},
    {EventKind::kBountyRejected, "bounty_rejected"},
    {EventKind::kBountyExpired, "bounty_expired"},
    {EventKind::kReviewRequested, "review_requested"},
    {EventKind::kReviewSubmitted, "review_submitted"},
    {EventKind::kEntryPublished, "entry_published"},
    {EventKind::kEntryUpdated, "entry_updated"},
    {EventKind::kEntryVerified, "entry_verified"},
    {EventKind::kCitationAdded, "citation_added"},
    {EventKind::kSandboxCreated, "sandbox_created"},
    {EventKind::kSandboxHalted, "sandbox_halted"},
    {EventKind::kSandboxFaulted, "sandbox_faulted"},
    {EventKind::kServiceCreated, "service_created"},
    {EventKind::kServiceCalled, "service_called"},
    {EventKind::kTransferCompleted, "transfer_completed"},
    {EventKind::kEscrowCreated, "escrow_created"},
    {EventKind::kEscrowReleased, "escrow_released"},
    {EventKind::kEscrowRefunded, "escrow_refunded"},
    {EventKind::kStakeCreated, "stake_created"},
    {EventKind::kStakeResolved, "stake_resolved"},
    {EventKind::kBankruptcyWarning, "bankruptcy_warning"},
    {EventKind::kBankruptcyReduced, "bankruptcy_reduced"},
    {EventKind::kBankruptcy, "bankruptcy"},
    {EventKind::kWebRequested, "web_requested"},
};

Json json_of(const MessagePack& value) {
  if (const auto* yes = value.boolean()) return *yes;
  if (const auto* number = value.natural()) return *number;
  if (const auto* number = value.negative()) return *number;
  if (const auto* number = value.float32()) return static_cast<double>(*number);
  if (const auto* number = value.float64()) return *number;
  if (const auto* text = value.text()) return *text;
  if (const auto* bytes = value.binary()) return to_hex(bytes->bytes);
  if (const auto* items = value.array()) {
    Json list = Json::array();
    for (const MessagePack& item : *items) list.push_back(json_of(item));
    return list;
  }
  Json object = value.map() == nullptr ? Json() : Json::object();
  if (const auto* members = value.map(); members != nullptr) {
    for (const auto& member : *members) {
      if (const std::string* name = member.first.text()) object.set(*name, json_of(member.second));
    }
  }
  return object;
}

}  // namespace

std::string event_name(std::uint16_t kind) {
  for (const NamedEvent& each : kNames) {
    if (static_cast<std::uint16_t>(each.kind) == kind) return std::string(each.name);
  }
  return fmt::format("event 0x{:04x}", kind);
}

Json to_json(const Event& event) {
  Json json = Json::object({{"tick", event.timestamp},
                            {"system", to_string(event.system)},
                            {"event", event_name(event.kind)},
                            {"origin", to_hex(event.origin)}});
  const auto payload = decode_message_pack(event.payload.bytes);
  if (payload) json.set("payload", json_of(*payload));
  return json;
}

Result<std::unique_ptr<Observer>> Observer::open(FileSystem& files, const std::string& folder,
                                                 const std::string& database) {
  const auto checkpoint = read_checkpoint(files, folder);
  if (!checkpoint) {
    if (checkpoint.error().code != ErrorCode::kNotFound) return fail(checkpoint.error());
    return fail(ErrorCode::kNotFound, "there is no world in this folder", folder,
                "name the folder of `anima world run --at`");
  }
  auto observer = std::unique_ptr<Observer>(new Observer(files, folder, checkpoint->position));
  if (database.empty()) {
    ANIMA_ASSIGN(observer->store_, read_sqlite_state(join_path(folder, "world.db")));
  } else {
    ANIMA_ASSIGN(observer->store_, read_postgres_state(database));
  }
  return observer;
}

Result<WorldView> Observer::look() {
  WorldView view;
  ANIMA_ASSIGN(const auto meta, store_->load_part("meta"));
  if (!meta) return fail(ErrorCode::kNotFound, "no world was founded here yet");
  ANIMA_ASSIGN(const MessagePack fields, decode_message_pack(*meta));
  if (const MessagePack* seed = fields.find("seed"); seed != nullptr && seed->natural() != nullptr)
    view.seed = *seed->natural();
  ANIMA_ASSIGN(view.records, load_records(*store_));
  return view;
}

Status Observer::follow(const std::function<Status(const Event&)>& each) {
  return reader_.read([&](const Event& event) { return each(event); });
}

}  // namespace anima::world
