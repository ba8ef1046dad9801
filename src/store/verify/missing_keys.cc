#include "store/verify/missing_keys.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/bytes.h"
#include "base/json/json.h"
#include "base/json/json_member.h"
#include "store/keys/folder_keys.h"
#include "store/log/archived.h"

namespace anima::store {
namespace {

// A record may quote another one, so that one text alone proves nothing.
constexpr std::size_t kMostTexts = 8;

// What the log holds under a key.
struct Sealed {
  std::vector<std::string> texts;  // some of them, to try the key on
  std::vector<Sequence> entries;
};
using SealedBy = std::map<std::string, Sealed>;

void note(SealedBy& sealed, const std::string& seal, Sequence entry, std::string text) {
  Sealed& by = sealed[seal];
  if (!text.empty() && by.texts.size() < kMostTexts) by.texts.push_back(std::move(text));
  if (by.entries.empty() || by.entries.back() != entry) by.entries.push_back(entry);
}

// A record names its key in a member "seal", and has what is sealed beside it.
void note_members(const Json& value, Sequence entry, SealedBy& sealed) {
  for (const Json& item : value.as_array()) note_members(item, entry, sealed);
  for (const JsonMember& member : value.as_object()) {
    const bool names = member.first == "seal" && member.second.is_string() &&
                       member.second.as_string().find('#') != std::string::npos;
    if (names) {
      note(sealed, member.second.as_string(), entry,
           from_base64url(text_member(value, "sealed")).value_or(std::string()));
    }
    note_members(member.second, entry, sealed);
  }
}

// Behind the bounds of its ids.
Result<std::string> sealed_bytes(Log& log, Sequence sequence) {
  ANIMA_ASSIGN(const LogEntry entry, log.entry(sequence));
  if (detail::is_archived(entry)) return std::string();
  ByteReader reader(entry.payload);
  for (int i = 0; i < 3; ++i) ANIMA_TRY(reader.varint().map([](std::uint64_t) {}));
  return reader.raw(reader.remaining()).map([](std::string_view bytes) {
    return std::string(bytes);
  });
}

Status note_entry(Log& log, const LogEntry& entry, SealedBy& sealed) {
  if (!entry.seal.empty()) {
    std::string text;
    if (const auto there = sealed.find(entry.seal);
        there == sealed.end() || there->second.texts.size() < kMostTexts) {
      ANIMA_ASSIGN(text, sealed_bytes(log, entry.sequence));
    }
    note(sealed, entry.seal, entry.sequence, std::move(text));
  }
  return visit_all_records(log, entry, [&](RecordKind, std::string_view record) -> Status {
    if (record.find("\"seal\"") == std::string_view::npos) return {};
    if (const auto json = parse_json(record)) note_members(*json, entry.sequence, sealed);
    return {};
  });
}

// What becomes of the texts with the keys that are here. Of no text: whether the key is destroyed.
Result<SealState> state_of(Space& space, const std::string& seal,
                           const std::vector<std::string>& texts) {
  ANIMA_ASSIGN(UnsealedText opened, space.unseal({seal, {}}));
  for (const std::string& text : texts) {
    if (opened.state != SealState::kSealed) break;
    ANIMA_ASSIGN(opened, space.unseal({seal, text}));
  }
  return opened.state;
}

}  // namespace

Result<std::vector<MissingKey>> missing_seal_keys(Space& space, FileSystem& files) {
  SealedBy sealed;
  ANIMA_TRY(space.changes(Sequence::kNone, [&](const LogEntry& entry) {
    return note_entry(space.log(), entry, sealed);
  }));
  std::vector<MissingKey> missing;
  for (auto& [seal, by] : sealed) {
    ANIMA_ASSIGN(const SealState state, state_of(space, seal, by.texts));
    if (state != SealState::kSealed) continue;
    const std::string file =
        join_path(join_path(space.folder(), "keys"), detail::key_file_name(seal));
    const auto key = detail::read_key_file(files, file);
    const bool here = key && key->seal == seal;
    // Nothing is there to try it on.
    if (here && by.texts.empty()) continue;
    const bool gone = !key && key.error().code == ErrorCode::kNotFound;
    missing.push_back({seal, file,
                       here   ? MissingKey::Why::kChanged
                       : gone ? MissingKey::Why::kNotHere
                              : MissingKey::Why::kDamaged,
                       std::move(by.entries)});
  }
  return missing;
}

Result<std::vector<std::string>> files_without_key(const std::string& folder, FileSystem& files) {
  std::vector<std::string> found;
  const std::string place = join_path(folder, "keys");
  const auto entries = files.list(place);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return found;
  if (!entries) return fail(entries.error());
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.name.ends_with(".seal")) continue;
    const auto key = detail::read_key_file(files, join_path(place, entry.name));
    if (!key || detail::key_file_name(key->seal) != entry.name)
      found.push_back(join_path(place, entry.name));
  }
  return found;
}

}  // namespace anima::store
