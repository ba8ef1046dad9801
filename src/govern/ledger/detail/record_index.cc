#include "govern/ledger/detail/record_index.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/crypto.h"
#include "base/log.h"
#include "govern/ledger/ledger.h"

namespace anima::govern::detail {
namespace {

constexpr std::string_view kMagic = "ANIMALX4";
constexpr std::string_view kFile = "ledger.index";
constexpr std::int64_t kVersion = 3;  // of what the stream holds
constexpr std::size_t kMostIndexBytes = std::size_t{1} << 30;
// Entries that the next process would read again. Saving costs as much as the index is long, so a
// long one waits for more.
constexpr std::uint64_t kWorthSaving = 256;
constexpr std::uint64_t kBytesAnEntry = 1024;
constexpr std::size_t kMostKept = 64 << 10;  // bytes of an entry

std::uint64_t number(store::Sequence sequence) { return static_cast<std::uint64_t>(sequence); }

constexpr std::array<store::RecordKind, kStreamKinds> kKinds = {store::RecordKind::kAudit,
                                                                store::RecordKind::kApproval,
                                                                store::RecordKind::kCouncil,
                                                                kLineRecord,
                                                                kMessageRecord,
                                                                kIndexRecord,
                                                                kTraceRecord,
                                                                kPlanRecord};

std::optional<StreamKind> stream_kind(store::RecordKind kind) {
  const auto at = std::ranges::find(kKinds, kind);
  if (at == kKinds.end()) return std::nullopt;
  return static_cast<StreamKind>(at - kKinds.begin());
}

// The id of an audit record; empty when it has none (the store's own say what was erased or
// archived). As records are written the id comes first, and needs no parsing of the rest.
std::string audit_id(std::string_view payload) {
  constexpr std::string_view kBefore = "{\"id\":\"";
  if (payload.starts_with(kBefore)) {
    const std::string_view rest = payload.substr(kBefore.size());
    const std::string_view id = rest.substr(0, rest.find('"'));
    if (id.size() < rest.size() && id.find('\\') == std::string_view::npos) return std::string(id);
  }
  const auto content = parse_json(payload);
  const Json* id = content ? content->find("id") : nullptr;
  return id != nullptr && id->is_string() ? id->as_string() : std::string();
}

Result<std::string> record_text(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  if (value != nullptr && value->is_string()) return value->as_string();
  return fail(ErrorCode::kCorrupt, "the anchor lacks '" + std::string(key) + "'");
}

Result<std::uint64_t> number_of(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  if (value != nullptr && value->is_integer() && value->as_integer() >= 0)
    return static_cast<std::uint64_t>(value->as_integer());
  return fail(ErrorCode::kCorrupt, "the anchor lacks '" + std::string(key) + "'");
}

}  // namespace

bool RecordIndex::covers(store::RecordKind kind) {
  const auto found = stream_kind(kind);
  return found && *found != StreamKind::kAudit;
}

const std::vector<store::Sequence>& RecordIndex::places_of(store::RecordKind kind) const {
  return places_[static_cast<std::size_t>(*stream_kind(kind))];
}

void RecordIndex::load() {
  if (loaded_) return;
  loaded_ = true;
  if (folder_.empty()) return;
  const std::string path = join_path(folder_, kFile);
  // A pipe in its place would be waited for, a device never ends.
  const auto info = files_.info(path);
  if (!info || info->kind != FileInfo::Kind::kFile) return;
  const auto file = read_file(files_, path, kMostIndexBytes);
  if (!file) return;
  if (const Status taken = take(*file); !taken) {
    stream_ = {};
    places_ = {};
    known_ = store::Sequence::kNone;
    log_warning("govern", path + " is not believed and made anew: " + taken.error().message);
  }
}

// Of the bytes only those that an anchor of this log vouches for.
Status RecordIndex::take(std::string_view file) {
  if (!file.starts_with(kMagic)) return fail(ErrorCode::kCorrupt, "it is no index of this version");
  ByteReader reader(file.substr(kMagic.size()));
  ANIMA_ASSIGN(const std::uint64_t place, reader.u64());
  const auto entry = log_.entry(store::Sequence{place});
  if (!entry) return fail(ErrorCode::kCorrupt, "the log has no such entry as it names");
  ANIMA_ASSIGN(const Anchor anchor, anchor_in(*entry));
  const std::string_view bytes = file.substr(kMagic.size() + sizeof place);
  if (anchor.bytes != bytes.size() || anchor.digest != to_hex(sha256(bytes)))
    return fail(ErrorCode::kCorrupt, "the log vouches for another one");
  ANIMA_ASSIGN(stream_,
               RecordStream::read(std::string(bytes), [&](const RecordStream::Element& element) {
                 places_[static_cast<std::size_t>(element.kind)].push_back(element.sequence);
               }));
  known_ = anchor.through;
  saved_ = anchor.at;
  return {};
}

Result<RecordIndex::Anchor> RecordIndex::anchor_in(const store::LogEntry& entry) {
  std::optional<Anchor> found;
  ANIMA_TRY(
      store::visit_records(entry, [&](store::RecordKind kind, std::string_view payload) -> Status {
        if (kind != kIndexRecord) return {};
        ANIMA_ASSIGN(const Json json, parse_json(payload));
        const Json* version = json.find("index");
        if (version == nullptr || *version != Json(kVersion)) return {};
        ANIMA_ASSIGN(const std::uint64_t through, number_of(json, "through"));
        ANIMA_ASSIGN(const std::uint64_t bytes, number_of(json, "bytes"));
        ANIMA_ASSIGN(std::string digest, record_text(json, "digest"));
        found = Anchor{entry.sequence, store::Sequence{through}, bytes, std::move(digest)};
        return {};
      }));
  if (found && found->through < entry.sequence) return *std::move(found);
  return fail(ErrorCode::kCorrupt, "the entry that it names vouches for no index");
}

Result<store::Sequence> RecordIndex::visit(
    store::RecordKind kind, store::Sequence after,
    const std::function<Status(const store::LogEntry&)>& visit,
    const std::function<bool(store::Sequence)>& skip, store::Sequence head) {
  const std::lock_guard lock(mutex_);
  const bool is_current = loaded_ && head != store::Sequence::kNone && head == known_;
  if (!is_current) ANIMA_TRY(catch_up());
  const auto& places = places_of(kind);
  for (auto at = std::ranges::upper_bound(places, after); at != places.end(); ++at) {
    if (!skip || !skip(*at)) ANIMA_TRY(visit_entry(*at, visit));
  }
  return std::max(known_, after);
}

Status RecordIndex::visit_entry(store::Sequence sequence,
                                const std::function<Status(const store::LogEntry&)>& visit) {
  const store::LogEntry& kept = kept_[number(sequence) % kept_.size()];
  if (kept.sequence == sequence) return visit(kept);
  ANIMA_ASSIGN(const store::LogEntry entry, log_.entry(sequence));
  return visit(entry);
}

Result<store::Sequence> RecordIndex::before_newest(store::RecordKind kind, std::size_t count) {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  const auto& places = places_of(kind);
  return places.size() > count ? places[places.size() - count - 1] : store::Sequence::kNone;
}

Status RecordIndex::find_audits(std::string_view prefix,
                                const std::function<Result<bool>(const store::LogEntry&)>& visit) {
  const std::lock_guard lock(mutex_);
  ANIMA_TRY(catch_up());
  return stream_.find_audits(prefix, [&](store::Sequence sequence) -> Result<bool> {
    ANIMA_ASSIGN(const store::LogEntry entry, log_.entry(sequence));
    return visit(entry);
  });
}

std::optional<Json> RecordIndex::anchor() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t worth =
      std::max<std::uint64_t>(kWorthSaving, stream_.bytes().size() / kBytesAnEntry);
  if (!loaded_ || folder_.empty() || since_anchor_ < worth) return std::nullopt;
  since_anchor_ = 0;
  own_digest_ = to_hex(sha256(stream_.bytes()));
  return Json::object({{"index", kVersion},
                       {"through", number(known_)},
                       {"bytes", static_cast<std::uint64_t>(stream_.bytes().size())},
                       {"digest", own_digest_}});
}

Status RecordIndex::look() {
  const std::lock_guard lock(mutex_);
  return catch_up();
}

// Reads on from where the index ends.
Status RecordIndex::catch_up() {
  const bool first = !loaded_;
  // That there is something new is believed without asking the log, for it is read then.
  if (!first && log_.known_head().value_or(known_) <= known_) {
    ANIMA_ASSIGN(const store::Head head, log_.head());
    if (head.sequence == known_) return {};
  }
  load();
  const Status read =
      log_.read(store::Sequence{number(known_) + 1}, [&](const store::LogEntry& entry) -> Status {
        ANIMA_TRY(add(entry));
        known_ = entry.sequence;
        ++since_anchor_;
        return {};
      });
  save(first);
  return read;
}

Status RecordIndex::add(const store::LogEntry& entry) {
  // Sealed payloads cannot hold governance records.
  if (!entry.seal.empty() || entry.payload.empty()) return {};
  std::array<bool, kStreamKinds> holds = {};
  std::vector<std::uint16_t> audits;
  ANIMA_TRY(
      store::visit_records(entry, [&](store::RecordKind found, std::string_view payload) -> Status {
        const auto kind = stream_kind(found);
        if (!kind) return {};
        if (*kind != StreamKind::kAudit) {
          holds[static_cast<std::size_t>(*kind)] = true;
          return {};
        }
        if (const std::string id = audit_id(payload); !id.empty()) audits.push_back(id_head(id));
        return {};
      }));
  if (std::ranges::find(holds, true) != holds.end()) keep(entry);
  for (std::size_t kind = 0; kind < kStreamKinds; ++kind) {
    if (!holds[kind]) continue;
    stream_.add({static_cast<StreamKind>(kind), 0, entry.sequence});
    places_[kind].push_back(entry.sequence);
  }
  for (const std::uint16_t head : audits) stream_.add({StreamKind::kAudit, head, entry.sequence});
  if (!holds[static_cast<std::size_t>(StreamKind::kAnchor)]) return {};
  if (auto anchor = anchor_in(entry)) {
    since_anchor_ = number(entry.sequence) - number(anchor->through);
    latest_ = *std::move(anchor);
  }
  return {};
}

void RecordIndex::keep(const store::LogEntry& entry) {
  if (entry.payload.size() <= kMostKept) kept_[number(entry.sequence) % kept_.size()] = entry;
}

bool RecordIndex::is_vouched_for(const Anchor& anchor) const {
  return anchor.bytes <= stream_.bytes().size() &&
         anchor.digest == to_hex(sha256(std::string_view(stream_.bytes()).substr(0, anchor.bytes)));
}

// The process whose anchor it is saves; a process that begins makes up for what others left.
void RecordIndex::save(bool first) {
  if (!latest_) return;
  const Anchor anchor = *std::exchange(latest_, std::nullopt);
  const bool ours = first || anchor.digest == own_digest_;
  if (folder_.empty() || !ours || anchor.at == saved_ || !is_vouched_for(anchor)) return;
  ByteWriter out;
  out.raw(kMagic);
  out.u64(number(anchor.at));
  out.raw(std::string_view(stream_.bytes()).substr(0, anchor.bytes));
  // Who may only read the folder does without.
  saved_ = anchor.at;
  (void)replace_file(files_, join_path(folder_, kFile), out.bytes());
}

}  // namespace anima::govern::detail
