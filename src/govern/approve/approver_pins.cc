#include "govern/approve/approver_pins.h"

#include <cstdlib>
#include <memory>

#include "base/json/json_member.h"
#include "base/log.h"

namespace anima::govern {
namespace {

constexpr std::size_t kMostPinBytes = std::size_t{1} << 20;

Result<PublicKey> key_of(const Json& json) {
  const auto bytes = from_hex(text_member(json, "key"));
  PublicKey key{};
  if (!bytes || bytes->size() != key.size()) return fail(ErrorCode::kCorrupt, "a key is damaged");
  std::ranges::copy(*bytes, key.begin());
  return key;
}

Result<PinnedApprovers> pinned_in(const Json& json) {
  PinnedApprovers known;
  known.space = text_member(json, "space");
  const Json* persons = json.find("approvers");
  if (known.space.empty() || persons == nullptr || !persons->is_array())
    return fail(ErrorCode::kCorrupt, "this is no list of approvers");
  for (const Json& each : persons->as_array()) {
    ANIMA_ASSIGN(const PublicKey key, key_of(each));
    const Json* removed = each.find("removed");
    known.persons.push_back({text_member(each, "name"), text_member(each, "role"), key,
                             removed != nullptr && removed->is_bool() && removed->as_bool()});
  }
  return known;
}

Json to_json(const PinnedApprovers& known, std::string_view space_folder) {
  Json persons = Json::array();
  for (const auto& [name, role, key, removed] : known.persons) {
    persons.push_back(
        Json::object({{"name", name}, {"role", role}, {"key", to_hex(key)}, {"removed", removed}}));
  }
  return Json::object({{"folder", std::string(space_folder)},
                       {"space", known.space},
                       {"approvers", std::move(persons)}});
}

// What of those that are known the log does not say; empty: it goes on from there.
std::string difference(const PinnedApprovers& known, const PinnedApprovers& now) {
  if (known.space != now.space) return "another space lies there";
  for (std::size_t i = 0; i < known.persons.size(); ++i) {
    const PinnedApprovers::Person& then = known.persons[i];
    if (i >= now.persons.size()) return then.name + " was registered, and is not any more";
    const PinnedApprovers::Person& is = now.persons[i];
    if (is.key != then.key || is.name != then.name || is.role != then.role)
      return is.name + " stands in the place of " + then.name + ", or with another key or role";
    if (then.removed && !is.removed) return then.name + " was taken out, and is back";
  }
  return {};
}

}  // namespace

PinnedApprovers pinned(const Approvers& approvers) {
  PinnedApprovers now{approvers.space(), {}};
  for (const Approver& each : approvers.all())
    now.persons.push_back({each.name, each.role, each.key, each.until.has_value()});
  return now;
}

std::string ApproverPins::path_of(std::string_view space_folder) const {
  const std::string named(space_folder);
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(named.c_str(), nullptr),
                                                         &std::free);
  const std::string name = real == nullptr ? named : std::string(real.get());
  return join_path(folder_, to_hex(sha256(name)).substr(0, 32) + ".json");
}

Result<std::optional<PinnedApprovers>> ApproverPins::known(std::string_view space_folder) const {
  const std::string path = path_of(space_folder);
  if (folder_.empty() || space_folder.empty() || !file_exists(files_, path))
    return std::optional<PinnedApprovers>();
  const auto broken = [&](const Error& error) {
    return fail(ErrorCode::kCorrupt,
                "what is known of the approvers cannot be read: " + error.message, path,
                "`anima approver pin --renew` keeps those that the space has now");
  };
  const auto text = read_file(files_, path, kMostPinBytes);
  if (!text) return broken(text.error());
  const auto json = parse_json(*text);
  if (!json) return broken(json.error());
  auto known = pinned_in(*json);
  if (!known) return broken(known.error());
  return std::optional(*std::move(known));
}

Status ApproverPins::check(std::string_view space_folder, const Approvers& approvers) const {
  if (folder_.empty() || space_folder.empty()) return {};
  ANIMA_ASSIGN(const auto before, known(space_folder));
  const PinnedApprovers now = pinned(approvers);
  if (before ? *before == now : now.persons.empty()) return {};
  const std::string other = before ? difference(*before, now) : std::string();
  if (!other.empty()) {
    return fail(
        ErrorCode::kDenied,
        "the approvers of this space are not those that this account knows: " + other,
        std::string(space_folder),
        "`anima approver pin` shows both; `--renew` believes the space, as after a restore");
  }
  // Where nothing can be kept the list is right all the same.
  if (const Status kept = renew(space_folder, approvers); !kept)
    log_warning("govern",
                "the approvers of this space are not remembered: " + kept.error().describe());
  return {};
}

Status ApproverPins::renew(std::string_view space_folder, const Approvers& approvers) const {
  if (folder_.empty() || space_folder.empty()) return {};
  ANIMA_TRY(files_.make_directories(folder_, 0700));
  return replace_file(files_, path_of(space_folder),
                      to_json(pinned(approvers), space_folder).dump() + "\n", 0600);
}

}  // namespace anima::govern
