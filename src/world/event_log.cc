#include "world/event_log.h"

#include <fmt/format.h>

#include "base/crc32.h"
#include "base/json/json.h"
#include "base/json/message_pack_fields.h"

namespace anima::world {
namespace {

constexpr std::size_t kFrameBytes = 8;  // length and checksum
constexpr std::uint64_t kMaxEventBytes = std::uint64_t{4} << 20;

std::string segment_path(const std::string& folder, std::uint64_t number) {
  return join_path(folder, fmt::format("events_{:08}.wal", number));
}

std::string checkpoint_path(const std::string& folder) {
  return join_path(folder, "checkpoint.json");
}

std::uint32_t read_u32(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
  return value;
}

// Events of one segment; how many of its bytes hold whole ones.
Result<std::size_t> read_segment(std::string_view bytes, const std::string& path, bool last,
                                 const std::function<Status(Event)>& each) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto damaged = [&](std::string_view what) {
      return fail(ErrorCode::kCorrupt, fmt::format("an event {}", what),
                  fmt::format("{}, byte {}", path, at));
    };
    const std::string_view rest = bytes.substr(at);
    const std::uint64_t length = rest.size() < 4 ? 0 : read_u32(rest);
    if (rest.size() < 4 || rest.size() - 4 < length + 4) {
      if (last) return at;
      return damaged("ends too early");
    }
    const std::string_view packed = rest.substr(4, length);
    const std::uint32_t checksum = read_u32(rest.substr(4 + length));
    if (checksum != crc32(packed)) {
      if (last && rest.size() == length + kFrameBytes) return at;
      return damaged("does not have its checksum");
    }
    auto event = unpack_bytes<Event>(packed);
    if (!event) return damaged("cannot be read");
    ANIMA_TRY(each(std::move(*event)));
    at += length + kFrameBytes;
  }
  return at;
}

}  // namespace

Status write_checkpoint(FileSystem& files, const std::string& folder,
                        const LogCheckpoint& checkpoint) {
  const Json json = Json::object({{"cycle", checkpoint.cycle},
                                  {"lamport", checkpoint.lamport},
                                  {"segment_seq", checkpoint.position.segment},
                                  {"segment_offset", checkpoint.position.offset},
                                  {"world_hash", to_hex(checkpoint.world_hash)}});
  return replace_file(files, checkpoint_path(folder), json.dump(2) + "\n", 0600);
}

Result<LogCheckpoint> read_checkpoint(FileSystem& files, const std::string& folder) {
  const std::string path = checkpoint_path(folder);
  ANIMA_ASSIGN(const std::string text, read_file(files, path, 1 << 16));
  ANIMA_ASSIGN(const Json json, parse_json(text));
  LogCheckpoint checkpoint;
  const auto number = [&](std::string_view key) {
    const Json* value = json.find(key);
    return value == nullptr ? std::uint64_t{0} : static_cast<std::uint64_t>(value->as_integer());
  };
  checkpoint.cycle = number("cycle");
  checkpoint.lamport = number("lamport");
  checkpoint.position = {number("segment_seq"), number("segment_offset")};
  const Json* hash = json.find("world_hash");
  const auto bytes = from_hex(hash == nullptr ? std::string_view("?") : hash->as_string());
  if (!bytes || bytes->size() != checkpoint.world_hash.size())
    return fail(ErrorCode::kCorrupt, "the checkpoint has no world hash", path);
  for (std::size_t i = 0; i < bytes->size(); ++i)
    checkpoint.world_hash[i] = static_cast<std::uint8_t>((*bytes)[i]);
  return checkpoint;
}

Result<std::unique_ptr<EventLog>> EventLog::open(FileSystem& files, std::string folder,
                                                 LogPosition position,
                                                 std::uint64_t segment_bytes) {
  auto log = std::unique_ptr<EventLog>(new EventLog(files, std::move(folder), segment_bytes));
  for (std::uint64_t next = position.segment + 1;
       file_exists(files, segment_path(log->folder_, next)); ++next) {
    ANIMA_TRY(files.remove(segment_path(log->folder_, next)));
  }
  const std::string path = segment_path(log->folder_, position.segment);
  ANIMA_ASSIGN(log->file_, files.open(path, OpenMode::kCreate, 0600));
  ANIMA_ASSIGN(const std::uint64_t size, log->file_->size());
  if (size < position.offset)
    return fail(ErrorCode::kCorrupt, "events that the checkpoint counts are missing", path,
                "bring the folder's files back from a copy");
  ANIMA_TRY(log->file_->truncate(position.offset));
  log->position_ = position;
  return log;
}

Status EventLog::append(const Event& event) {
  const std::string packed = pack(event).encode();
  if (packed.size() > kMaxEventBytes)
    return fail(ErrorCode::kLimitExceeded, "an event takes more than 4 MiB");
  if (position_.offset > 0 && position_.offset + packed.size() + kFrameBytes > segment_bytes_) {
    ANIMA_TRY(file_->sync());
    ++position_.segment;
    position_.offset = 0;
    ANIMA_ASSIGN(file_,
                 files_.open(segment_path(folder_, position_.segment), OpenMode::kTruncate, 0600));
    ANIMA_TRY(files_.sync_directory(folder_));
  }
  const std::string record = big_endian(packed.size(), 4) + packed + big_endian(crc32(packed), 4);
  ANIMA_TRY(file_->write_at(position_.offset, record));
  position_.offset += record.size();
  return {};
}

Status EventLog::sync() { return file_->sync(); }

Status read_events(FileSystem& files, const std::string& folder, std::optional<LogPosition> end,
                   const std::function<Status(Event)>& each) {
  for (std::uint64_t number = 1;; ++number) {
    const std::string path = segment_path(folder, number);
    if ((end && number > end->segment) || !file_exists(files, path)) return {};
    ANIMA_ASSIGN(const std::string bytes, read_file(files, path));
    std::string_view wanted = bytes;
    const bool cut = end && number == end->segment;
    if (cut) wanted = wanted.substr(0, end->offset);
    const bool last = !cut && !file_exists(files, segment_path(folder, number + 1));
    ANIMA_ASSIGN(const std::size_t whole, read_segment(wanted, path, last, each));
    static_cast<void>(whole);
  }
}

Status EventReader::read(const std::function<Status(Event)>& each) {
  for (;;) {
    const std::string path = segment_path(folder_, position_.segment);
    if (!file_exists(files_, path)) return {};
    // Looked at first: a segment that has a successor grows no more.
    const bool last = !file_exists(files_, segment_path(folder_, position_.segment + 1));
    ANIMA_ASSIGN(const auto file, files_.open(path, OpenMode::kRead));
    ANIMA_ASSIGN(const std::uint64_t size, file->size());
    if (size > position_.offset) {
      std::string bytes(size - position_.offset, '\0');
      ANIMA_ASSIGN(const std::size_t got,
                   file->read_at(position_.offset, bytes.data(), bytes.size()));
      bytes.resize(got);
      ANIMA_ASSIGN(const std::size_t whole, read_segment(bytes, path, last, each));
      position_.offset += whole;
    }
    if (last) return {};
    ++position_.segment;
    position_.offset = 0;
  }
}

}  // namespace anima::world
