#include "memory/memory_item.h"

#include <algorithm>
#include <array>

#include "base/crypto.h"
#include "base/json/text_array.h"
#include "base/text/normal_forms.h"
#include "base/text/text.h"

namespace anima::memory {
namespace {

constexpr std::array<std::string_view, 3> kKinds = {"session", "learning", "knowledge"};
constexpr std::array<std::string_view, 6> kTypes = {"FACT",    "PREFERENCE", "PATTERN",
                                                    "CONTEXT", "DECISION",   "QUARANTINE"};
constexpr std::array<std::string_view, 3> kPartitions = {"PUBLIC", "INTERNAL", "SENSITIVE"};
constexpr std::array<std::string_view, 8> kInternalReaders = {
    "core", "router", "planner", "executor", "memory_keeper", "guardian", "arbiter", "overseer"};
constexpr double kDecayPerDay = 0.01;

template <typename E, std::size_t N>
std::optional<E> parse_in(const std::array<std::string_view, N>& names, std::string_view text) {
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) return std::nullopt;
  return static_cast<E>(found - names.begin());
}

}  // namespace

std::string_view to_string(ItemKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }
std::string_view to_string(ItemType type) { return kTypes[static_cast<std::size_t>(type)]; }
std::string_view to_string(Partition partition) {
  return kPartitions[static_cast<std::size_t>(partition)];
}
std::optional<ItemKind> parse_item_kind(std::string_view text) {
  return parse_in<ItemKind>(kKinds, text);
}
std::optional<ItemType> parse_item_type(std::string_view text) {
  return parse_in<ItemType>(kTypes, text);
}
std::optional<Partition> parse_partition(std::string_view text) {
  return parse_in<Partition>(kPartitions, text);
}

std::string knowledge_id(std::string_view content, std::string_view speaker) {
  std::string said(content);
  if (!speaker.empty()) said = std::string(speaker) + '\0' + said;
  return "doc_" + to_hex(sha256(said)).substr(0, 16);
}

Result<std::string> speaker_name(std::string_view name) {
  const auto no_name = [](std::string what) {
    return fail(ErrorCode::kInvalidArgument, "a speaker is the name of a person: " + what);
  };
  if (invalid_utf8_at(name) != kValidUtf8) return no_name("this is no UTF-8");
  std::string speaker(trim(to_nfc(name)));
  if (speaker.empty() && !name.empty()) return no_name("this is blank");
  if (speaker.size() > kLongestSpeaker)
    return no_name("this has more than " + std::to_string(kLongestSpeaker) + " bytes");
  if (speaker.find('$') != std::string::npos)
    return no_name("this has a \"$\", as Anima's own names have");
  for (std::size_t at = 0; at < speaker.size(); at += decode_utf8(speaker, at).size) {
    if (hides_something(decode_utf8(speaker, at).value))
      return no_name("this has a control character, or one that is not seen");
  }
  return speaker;
}

Result<std::string> speaker_given(std::optional<std::string_view> name) {
  if (!name) return std::string();
  if (name->empty())
    return fail(ErrorCode::kInvalidArgument, "a speaker is the name of a person: this is empty", {},
                "leave it out where nobody in particular speaks");
  return speaker_name(*name);
}

bool is_memory_guardian(std::string_view agent) {
  return agent == "arbiter" || agent == "overseer" || agent == "guardian";
}

double MemoryItem::confidence_at(Timestamp now) const {
  const double days = static_cast<double>(now.microseconds - created_at.microseconds) /
                      static_cast<double>(kMicrosecondsPerDay);
  const double rate = verified_at ? kDecayPerDay / 2 : kDecayPerDay;
  return std::clamp(confidence - std::max(0.0, days) * rate, 0.0, 1.0);
}

bool MemoryItem::readable_by(std::string_view agent) const {
  if (agent == "operator") return true;
  if (!readers.empty() && std::ranges::find(readers, agent) == readers.end()) return false;
  return lets_in(partition, agent);
}

bool lets_in(Partition partition, std::string_view agent) {
  if (agent == "operator") return true;
  switch (partition) {
    case Partition::kPublic:
      return true;
    case Partition::kInternal:
      return std::ranges::find(kInternalReaders, agent) != kInternalReaders.end();
    case Partition::kSensitive:
      return is_memory_guardian(agent);
  }
  return false;
}

Json MemoryItem::to_json(Timestamp now) const {
  Json json =
      Json::object({{"id", id},
                    {"kind", std::string(to_string(kind))},
                    {"type", std::string(to_string(type))},
                    {"partition", std::string(to_string(partition))},
                    {"content", content},
                    {"trust", std::string(govern::trust_name(trust))},
                    {"confidence", confidence_at(now)},
                    {"provenance", Json::object({{"createdBy", created_by},
                                                 {"createdAt", format_timestamp(created_at)},
                                                 {"source", source},
                                                 {"confidence", confidence},
                                                 {"lastAccessed", format_timestamp(last_accessed)},
                                                 {"accessCount", access_count}})}});
  // No memory is kept without a text.
  if (content.empty()) json.set("unreadable", true);
  if (!speaker.empty()) json.set("speaker", speaker);
  if (!session.empty()) json.set("session", session);
  if (!readers.empty()) json.set("readers", text_array(readers));
  if (!chain.empty()) json.set("chain", text_array(chain));
  if (!request_id.empty()) json.set("requestId", request_id);
  if (said_at) json.set("saidAt", format_timestamp(*said_at));
  if (verified_at) {
    json.set("verifiedAt", format_timestamp(*verified_at));
    json.set("verifiedBy", verified_by);
  }
  if (card) json.set("card", card->to_json());
  return json;
}

}  // namespace anima::memory
