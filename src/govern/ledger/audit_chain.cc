#include "govern/ledger/audit_chain.h"

#include <array>
#include <cstdio>

#include "base/crypto.h"

namespace anima::govern {
namespace {

const std::string kGenesisHash(64, '0');

// The members that are hashed, in the order of the format.
JsonObject hashed_members(const AuditEntry& entry) {
  JsonObject members{{"id", entry.id},
                     {"timestamp", entry.timestamp},
                     {"action", entry.action},
                     {"actor", entry.actor},
                     {"trustLevel", entry.trust_level}};
  if (entry.details) members.emplace_back("details", *entry.details);
  members.emplace_back("previousHash", entry.previous_hash);
  return members;
}

Status read_text(const Json& json, std::string_view key, std::string& out, std::string_view where) {
  const Json* value = json.find(key);
  if (value == nullptr || !value->is_string()) {
    return fail(ErrorCode::kCorrupt, "an audit entry lacks the text '" + std::string(key) + "'",
                std::string(where));
  }
  out = value->as_string();
  return {};
}

}  // namespace

std::string audit_timestamp(Timestamp time) {
  const std::string seconds = format_timestamp(
      {time.microseconds - ((time.microseconds % 1'000'000) + 1'000'000) % 1'000'000});
  const std::int64_t millisecond = ((time.microseconds % 1'000'000) + 1'000'000) % 1'000'000 / 1000;
  std::array<char, 8> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03dZ", static_cast<int>(millisecond));
  return seconds.substr(0, seconds.size() - 1) + fraction.data();
}

std::string make_uuid(Random& random) {
  std::array<std::uint8_t, 16> bytes{};
  random.fill(bytes);
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | 0x40);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);
  std::string text = to_hex(bytes);
  for (const std::size_t place : {8u, 13u, 18u, 23u}) text.insert(place, "-");
  return text;
}

Json AuditEntry::to_json() const {
  JsonObject members = hashed_members(*this);
  members.emplace_back("hash", hash);
  return Json(std::move(members));
}

Result<AuditEntry> AuditEntry::from_json(const Json& json, std::string_view where) {
  if (!json.is_object())
    return fail(ErrorCode::kCorrupt, "an audit entry is no object", std::string(where));
  AuditEntry entry;
  ANIMA_TRY(read_text(json, "id", entry.id, where));
  ANIMA_TRY(read_text(json, "timestamp", entry.timestamp, where));
  ANIMA_TRY(read_text(json, "action", entry.action, where));
  ANIMA_TRY(read_text(json, "actor", entry.actor, where));
  ANIMA_TRY(read_text(json, "trustLevel", entry.trust_level, where));
  ANIMA_TRY(read_text(json, "previousHash", entry.previous_hash, where));
  ANIMA_TRY(read_text(json, "hash", entry.hash, where));
  if (const Json* details = json.find("details")) entry.details = *details;
  return entry;
}

AuditEntry make_audit_entry(std::string_view action, std::string_view actor, Trust trust,
                            std::optional<Json> details, Clock& clock, Random& random) {
  AuditEntry entry;
  entry.id = make_uuid(random);
  entry.timestamp = audit_timestamp(clock.now());
  entry.action = action;
  entry.actor = actor;
  entry.trust_level = trust_name(trust);
  entry.details = std::move(details);
  return entry;
}

std::string audit_hash(const AuditEntry& entry) {
  return to_hex(sha256(Json(hashed_members(entry)).dump()));
}

void chain_after(AuditEntry& entry, const AuditEntry* before) {
  entry.previous_hash = before == nullptr ? kGenesisHash : before->hash;
  entry.hash = audit_hash(entry);
}

AuditVerdict verify_audit(const std::vector<AuditEntry>& entries) {
  const std::string* previous = &kGenesisHash;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].previous_hash != *previous) {
      return {false, i,
              "the previous hash of entry " + std::to_string(i) +
                  " is not the hash of the entry before"};
    }
    if (entries[i].hash != audit_hash(entries[i])) {
      return {false, i, "the hash of entry " + std::to_string(i) + " does not fit its content"};
    }
    previous = &entries[i].hash;
  }
  return {true, 0, std::to_string(entries.size()) + " events"};
}

const AuditEntry& AuditChain::append(std::string_view action, std::string_view actor, Trust trust,
                                     std::optional<Json> details) {
  AuditEntry entry = make_audit_entry(action, actor, trust, std::move(details), clock_, random_);
  chain_after(entry, entries_.empty() ? nullptr : &entries_.back());
  return entries_.emplace_back(std::move(entry));
}

std::string AuditChain::write_lines() const {
  std::string text;
  for (const AuditEntry& entry : entries_) text += entry.to_json().dump() + "\n";
  return text;
}

Result<std::vector<AuditEntry>> AuditChain::read_lines(std::string_view text,
                                                       std::string_view where) {
  std::vector<AuditEntry> entries;
  std::size_t line = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view content = text.substr(at, end - at);
    const std::string place = std::string(where) + ":" + std::to_string(++line);
    at = end + 1;
    if (content.empty()) continue;
    auto json = parse_json(content);
    if (!json) return fail(ErrorCode::kCorrupt, json.error().message, place);
    ANIMA_ASSIGN(AuditEntry entry, AuditEntry::from_json(*json, place));
    // The hash covers what was read; anything beside it would seem to be vouched for too.
    if (!(entry.to_json() == *json))
      return fail(ErrorCode::kCorrupt, "the entry says more than its hash covers", place);
    entries.push_back(std::move(entry));
  }
  return entries;
}

Status AuditChain::restore(std::vector<AuditEntry> entries) {
  const AuditVerdict verdict = verify_audit(entries);
  if (!verdict.valid) return fail(ErrorCode::kCorrupt, verdict.details);
  entries_ = std::move(entries);
  return {};
}

}  // namespace anima::govern
