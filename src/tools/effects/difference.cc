#include "tools/effects/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/crypto.h"
#include "base/text/text.h"

namespace anima::tools::effects {
namespace {

constexpr std::array<std::string_view, 5> kKinds = {"absent", "file", "folder", "link", "special"};
constexpr std::array<std::string_view, 7> kEffects = {"added",   "edited", "replaced", "mode",
                                                      "touched", "moved",  "deleted"};

std::string_view kind_name(EntryKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

// What somebody who reads only the beginning should see first.
int weight(const Change& change, std::string_view root) {
  const Effect effect = change.effect();
  if (effect == Effect::kDeleted || effect == Effect::kReplaced) return 0;
  if (change.leads_out(root)) return 1;
  return effect == Effect::kTouched ? 3 : 2;
}

Json entry_record(const Entry& entry) {
  Json json = Json::object({{"kind", kind_name(entry.kind)}});
  if (entry.kind == EntryKind::kAbsent) return json;
  json.set("mode", entry.mode);
  if (entry.kind == EntryKind::kFile) {
    json.set("size", entry.size);
    json.set("modified", entry.modified_ns);
    json.set("sha256", entry.hash);
  }
  if (entry.kind == EntryKind::kLink) json.set("target", to_hex(entry.target));
  if (!entry.stamp.empty()) json.set("stamp", entry.stamp);
  return json;
}

int nibble(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

Result<std::string> bytes_of(const Json* hex) {
  std::string bytes;
  const std::string text = hex == nullptr ? std::string("?") : hex->as_string();
  if (text.size() % 2 != 0) return fail(ErrorCode::kCorrupt, "a path of the record is not whole");
  for (std::size_t at = 0; at < text.size(); at += 2) {
    const int high = nibble(text[at]), low = nibble(text[at + 1]);
    if (high < 0 || low < 0) return fail(ErrorCode::kCorrupt, "a path of the record is not hex");
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

const Json& member(const Json& json, std::string_view name) {
  static const Json none;
  const Json* found = json.find(name);
  return found == nullptr ? none : *found;
}

Result<Entry> entry_from(const Json& json) {
  Entry entry;
  const auto kind = std::ranges::find(kKinds, member(json, "kind").as_string());
  if (kind == kKinds.end()) return fail(ErrorCode::kCorrupt, "an entry of the record has no kind");
  entry.kind = static_cast<EntryKind>(kind - kKinds.begin());
  entry.mode = static_cast<std::uint32_t>(member(json, "mode").as_integer()) & 07777U;
  entry.size = static_cast<std::uint64_t>(member(json, "size").as_integer());
  entry.modified_ns = member(json, "modified").as_integer();
  entry.hash = member(json, "sha256").as_string();
  entry.stamp = member(json, "stamp").as_string();
  if (entry.kind == EntryKind::kLink) {
    ANIMA_ASSIGN(entry.target, bytes_of(json.find("target")));
  }
  return entry;
}

// It leads to no place but one beneath `root`, as the record is read by a program: the kernel goes
// to the target of a link on the way before it goes up.
bool stays_inside(std::string_view target, std::string_view root, std::size_t folders_above) {
  if (target.starts_with('/')) {
    if (root.empty() || !target.starts_with(root)) return false;
    target.remove_prefix(root.size());
    if (!target.empty() && target[0] != '/') return false;
    folders_above = 0;
  }
  bool named = false;
  for (const std::string_view step : split(target, '/')) {
    if (step.empty() || step == ".") continue;
    if (step != "..") {
      named = true;
    } else if (named || folders_above-- == 0) {
      return false;
    }
  }
  return true;
}

Json change_json(const Change& change, std::string_view root) {
  const Entry& entry = change.after.kind == EntryKind::kAbsent ? change.before : change.after;
  Json json = Json::object({{"effect", to_string(change.effect())},
                            {"path", shown_path(change.path)},
                            {"kind", kind_name(entry.kind)}});
  if (entry.kind == EntryKind::kFile || entry.kind == EntryKind::kFolder)
    json.set("mode", fmt::format("{:03o}", entry.mode));
  if (entry.kind == EntryKind::kFile) {
    json.set("size", entry.size);
    if (!entry.hash.empty()) json.set("sha256", entry.hash);
  }
  if (entry.kind == EntryKind::kLink) json.set("target", shown_path(entry.target));
  if (change.leads_out(root)) json.set("leads_out", true);
  if (!change.moved_to.empty()) json.set("moved_to", shown_path(change.moved_to));
  return json;
}

}  // namespace

std::string_view to_string(Effect effect) { return kEffects[static_cast<std::size_t>(effect)]; }

Effect Change::effect() const {
  if (before.kind == EntryKind::kAbsent) return Effect::kAdded;
  if (after.kind == EntryKind::kAbsent) return moved_to.empty() ? Effect::kDeleted : Effect::kMoved;
  if (before.kind != after.kind) return Effect::kReplaced;
  if (has_new_content() || before.target != after.target) return Effect::kEdited;
  return before.mode != after.mode ? Effect::kMode : Effect::kTouched;
}

bool Change::has_new_content() const {
  return after.kind == EntryKind::kFile &&
         (before.kind != EntryKind::kFile || before.hash != after.hash);
}

bool Change::leads_out(std::string_view root) const {
  if (after.kind != EntryKind::kLink) return false;
  return !stays_inside(after.target, root, static_cast<std::size_t>(std::ranges::count(path, '/')));
}

void Difference::find_moves() {
  std::map<std::string, const Change*, std::less<>> kept;  // by content
  const auto content = [](const Entry& entry) {
    if (entry.kind == EntryKind::kLink) return "link " + entry.target;
    return entry.kind == EntryKind::kFile ? entry.hash : std::string();
  };
  for (const Change& change : changes) {
    const bool is_new = change.has_new_content() || (change.after.kind == EntryKind::kLink &&
                                                     change.effect() == Effect::kAdded);
    if (is_new) kept.emplace(content(change.after), &change);
  }
  for (Change& change : changes) {
    if (change.after.kind != EntryKind::kAbsent || content(change.before).empty()) continue;
    const auto found = kept.find(content(change.before));
    if (found != kept.end()) change.moved_to = found->second->path;
  }
  // A folder has moved when all that it held has; those inside come behind it.
  for (std::size_t i = changes.size(); i-- > 0;) {
    Change& folder = changes[i];
    if (folder.before.kind != EntryKind::kFolder || folder.after.kind != EntryKind::kAbsent)
      continue;
    const std::string inside = folder.path + "/";
    std::string to;
    bool all = true;
    for (std::size_t j = i + 1; j < changes.size(); ++j) {
      if (!changes[j].path.starts_with(inside)) {
        if (changes[j].path > inside + "\xff") break;
        continue;
      }
      all = all && changes[j].effect() == Effect::kMoved;
      if (to.empty()) to = changes[j].moved_to;
    }
    if (all && !to.empty()) folder.moved_to = to;
  }
}

std::string summary(const Difference& difference) {
  std::array<std::size_t, kEffects.size()> counts{};
  for (const Change& change : difference.changes)
    ++counts[static_cast<std::size_t>(change.effect())];
  constexpr std::array<std::string_view, 7> kWords = {
      "added", "edited", "replaced", "with another mode", "touched", "moved", "deleted"};
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) parts.push_back(fmt::format("{} {}", counts[i], kWords[i]));
  }
  return parts.empty() ? "nothing changed" : join(parts, ", ");
}

std::string shown_path(std::string_view path) {
  const bool valid = is_valid_utf8(path);
  std::string shown;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !valid)) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += c;
    }
  }
  return shown;
}

Json to_json(const Difference& difference, std::string_view root, std::size_t most) {
  std::array<std::size_t, kEffects.size()> counts{};
  std::vector<std::pair<int, const Change*>> order;
  for (const Change& change : difference.changes) {
    ++counts[static_cast<std::size_t>(change.effect())];
    order.emplace_back(weight(change, root), &change);
  }
  std::ranges::stable_sort(order, {}, [](const auto& each) { return each.first; });
  Json json = Json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) json.set(kEffects[i], counts[i]);
  }
  json.set("bytes", difference.bytes);
  Json changes = Json::array();
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i)
    changes.push_back(change_json(*order[i].second, root));
  json.set("changes", std::move(changes));
  if (order.size() > most) json.set("more", order.size() - most);
  if (!difference.left_out.empty()) {
    Json left_out = Json::array();
    for (std::size_t i = 0; i < std::min(most, difference.left_out.size()); ++i)
      left_out.push_back(shown_path(difference.left_out[i]));
    json.set("left_out", std::move(left_out));
  }
  return json;
}

Json to_record(const Difference& difference) {
  Json changes = Json::array();
  for (const Change& change : difference.changes) {
    Json json = Json::object({{"path", to_hex(change.path)},
                              {"before", entry_record(change.before)},
                              {"after", entry_record(change.after)}});
    if (!change.moved_to.empty()) json.set("moved_to", to_hex(change.moved_to));
    changes.push_back(std::move(json));
  }
  return changes;
}

Result<Difference> from_record(const Json& record) {
  Difference difference;
  for (const Json& each : record.as_array()) {
    Change change;
    ANIMA_ASSIGN(change.path, bytes_of(each.find("path")));
    ANIMA_ASSIGN(change.before, entry_from(member(each, "before")));
    ANIMA_ASSIGN(change.after, entry_from(member(each, "after")));
    if (each.find("moved_to") != nullptr) {
      ANIMA_ASSIGN(change.moved_to, bytes_of(each.find("moved_to")));
    }
    if (change.has_new_content()) difference.bytes += change.after.size;
    difference.changes.push_back(std::move(change));
  }
  return difference;
}

}  // namespace anima::tools::effects
