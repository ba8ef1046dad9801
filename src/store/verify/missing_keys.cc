#include "store/verify/missing_keys.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/json/json.h"

namespace anima::store {
namespace {

// A record names its key in a member "seal".
void add_seals(const Json& value, std::vector<std::string>& seals) {
  for (const Json& item : value.as_array()) add_seals(item, seals);
  for (const JsonMember& member : value.as_object()) {
    const bool names = member.first == "seal" && member.second.is_string() &&
                       member.second.as_string().find('#') != std::string::npos;
    if (names) seals.push_back(member.second.as_string());
    add_seals(member.second, seals);
  }
}

Result<std::vector<std::string>> seals_of(Log& log, const LogEntry& entry) {
  std::vector<std::string> seals;
  if (!entry.seal.empty()) seals.push_back(entry.seal);
  ANIMA_TRY(visit_all_records(log, entry, [&](RecordKind, std::string_view record) -> Status {
    if (record.find("\"seal\"") == std::string_view::npos) return {};
    if (const auto json = parse_json(record)) add_seals(*json, seals);
    return {};
  }));
  return seals;
}

}  // namespace

Result<std::vector<MissingKey>> missing_seal_keys(Space& space) {
  std::map<std::string, std::vector<Sequence>> named;
  ANIMA_TRY(space.changes(Sequence::kNone, [&](const LogEntry& entry) -> Status {
    ANIMA_ASSIGN(const std::vector<std::string> seals, seals_of(space.log(), entry));
    for (const std::string& seal : seals) {
      std::vector<Sequence>& entries = named[seal];
      if (entries.empty() || entries.back() != entry.sequence) entries.push_back(entry.sequence);
    }
    return {};
  }));
  std::vector<MissingKey> missing;
  for (auto& [seal, entries] : named) {
    const auto opened = space.unseal({seal, {}});  // of a key that is here it is no sealed text
    if (opened && opened->state == SealState::kSealed)
      missing.push_back({seal, std::move(entries)});
  }
  return missing;
}

}  // namespace anima::store
