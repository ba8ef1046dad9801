#include "govern/detail/record_index.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/crypto.h"
#include "base/file.h"

namespace anima::govern::detail {
namespace {

constexpr std::string_view kMagic = "ANIMALX2";
constexpr std::string_view kFile = "ledger.index";
constexpr std::uint64_t kWorthSaving = 256;  // entries that the next process would read again
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

std::uint64_t number(store::Sequence sequence) { return static_cast<std::uint64_t>(sequence); }

struct Contents {
  store::Head known;
  std::vector<std::vector<store::Sequence>> places;
};

Result<Contents> decode(std::string_view bytes, std::size_t kinds) {
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + sizeof(std::uint64_t))
    return fail(ErrorCode::kCorrupt, "this is no index of governance records");
  const std::size_t end = bytes.size() - sizeof(std::uint64_t);
  ByteReader sum(bytes.substr(end));
  ANIMA_ASSIGN(const std::uint64_t expected, sum.u64());
  if (expected != checksum64(bytes.substr(0, end)))
    return fail(ErrorCode::kCorrupt, "the index is damaged");
  ByteReader reader(bytes.substr(kMagic.size(), end - kMagic.size()));
  Contents contents;
  ANIMA_ASSIGN(const std::uint64_t sequence, reader.u64());
  contents.known.sequence = store::Sequence{sequence};
  ANIMA_ASSIGN(const std::string_view hash, reader.raw(contents.known.hash.size()));
  std::ranges::copy(hash, reinterpret_cast<char*>(contents.known.hash.data()));
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    ANIMA_ASSIGN(const std::uint64_t count, reader.varint());
    std::vector<store::Sequence>& places = contents.places.emplace_back();
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      ANIMA_ASSIGN(const std::uint64_t step, reader.varint());
      last += step;
      places.push_back(store::Sequence{last});
    }
  }
  return contents;
}

}  // namespace

bool RecordIndex::covers(store::RecordKind kind) {
  return std::ranges::find(kKinds, static_cast<std::uint32_t>(kind)) != kKinds.end();
}

std::size_t RecordIndex::place_of(store::RecordKind kind) {
  return static_cast<std::size_t>(std::ranges::find(kKinds, static_cast<std::uint32_t>(kind)) -
                                  kKinds.begin());
}

void RecordIndex::load() {
  if (loaded_) return;
  loaded_ = true;
  if (folder_.empty()) return;
  const auto bytes = read_file(system_files(), join_path(folder_, kFile), kMostBytes);
  if (!bytes) return;
  auto contents = decode(*bytes, kKinds.size());
  if (!contents) return;
  const auto there = log_.entry(contents->known.sequence);
  if (!there || there->hash != contents->known.hash) return;
  known_ = contents->known;
  for (std::size_t i = 0; i < places_.size(); ++i) places_[i] = std::move(contents->places[i]);
}

Result<store::Sequence> RecordIndex::visit(
    store::RecordKind kind, store::Sequence after,
    const std::function<Status(const store::LogEntry&)>& visit) {
  const std::lock_guard lock(mutex_);
  load();
  const std::vector<store::Sequence>& known = places_[place_of(kind)];
  for (auto at = std::ranges::upper_bound(known, after); at != known.end(); ++at) {
    ANIMA_ASSIGN(const store::LogEntry entry, log_.entry(*at));
    ANIMA_TRY(visit(entry));
  }
  ANIMA_TRY(extend(kind, after, visit));
  if (since_saved_ >= kWorthSaving) save();
  return std::max(known_.sequence, after);
}

Result<store::Sequence> RecordIndex::before_newest(store::RecordKind kind, std::size_t count) {
  const std::lock_guard lock(mutex_);
  load();
  ANIMA_TRY(extend(kind, known_.sequence, [](const store::LogEntry&) { return Status(); }));
  if (since_saved_ >= kWorthSaving) save();
  const std::vector<store::Sequence>& places = places_[place_of(kind)];
  return places.size() > count ? places[places.size() - count - 1] : store::Sequence::kNone;
}

// Reads on from where the index ends, and remembers what lies there.
Status RecordIndex::extend(store::RecordKind kind, store::Sequence after,
                           const std::function<Status(const store::LogEntry&)>& visit) {
  return log_.read(
      store::Sequence{number(known_.sequence) + 1}, [&](const store::LogEntry& entry) -> Status {
        bool wanted = false;
        std::array<bool, kKinds.size()> holds = {};
        // Sealed payloads cannot hold governance records.
        if (entry.seal.empty() && !entry.payload.empty()) {
          ANIMA_TRY(
              store::visit_records(entry, [&](store::RecordKind found, std::string_view) -> Status {
                const auto at = std::ranges::find(kKinds, static_cast<std::uint32_t>(found));
                if (at != kKinds.end()) holds[static_cast<std::size_t>(at - kKinds.begin())] = true;
                wanted = wanted || found == kind;
                return {};
              }));
        }
        if (wanted && entry.sequence > after) ANIMA_TRY(visit(entry));
        for (std::size_t i = 0; i < holds.size(); ++i) {
          if (holds[i]) places_[i].push_back(entry.sequence);
        }
        known_ = {entry.sequence, entry.time, entry.hash};
        ++since_saved_;
        return {};
      });
}

void RecordIndex::save() {
  since_saved_ = 0;
  if (folder_.empty()) return;
  ByteWriter out;
  out.raw(kMagic);
  out.u64(number(known_.sequence));
  out.raw({reinterpret_cast<const char*>(known_.hash.data()), known_.hash.size()});
  for (const std::vector<store::Sequence>& places : places_) {
    out.varint(places.size());
    std::uint64_t last = 0;
    for (const store::Sequence sequence : places) {
      out.varint(number(sequence) - last);
      last = number(sequence);
    }
  }
  out.u64(checksum64(out.bytes()));
  // Who may only read the folder does without.
  (void)replace_file(system_files(), join_path(folder_, kFile), out.bytes());
}

}  // namespace anima::govern::detail
