// The segments in which the events of a world are kept: events_00000001.wal and so on.
//
// A record is u32 length | event as MessagePack | u32 CRC-32 of the event, numbers with the high
// byte first. A record that ends too early or whose checksum is wrong ends the log when nothing
// follows it: a crash cut it. Anywhere else it is damage. A new segment begins at kSegmentBytes.
// What a checkpoint covers is synced before the checkpoint is written. Frozen: never change.
// Source: governance_and_runtime 2.4. Thread-safety: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/files/file.h"
#include "world/event_bus.h"

namespace anima::world {

inline constexpr std::uint64_t kSegmentBytes = std::uint64_t{64} << 20;

struct LogPosition {
  std::uint64_t segment = 1;
  std::uint64_t offset = 0;
  auto operator<=>(const LogPosition&) const = default;
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("segment_seq", self.segment);
    visit("segment_offset", self.offset);
  }
};

// checkpoint.json: how far the log was when a cycle ended, for people and other programs.
struct LogCheckpoint {
  std::uint64_t cycle = 0;
  std::uint64_t lamport = 0;
  LogPosition position;
  Digest world_hash{};
};
Status write_checkpoint(FileSystem& files, const std::string& folder,
                        const LogCheckpoint& checkpoint);
Result<LogCheckpoint> read_checkpoint(FileSystem& files, const std::string& folder);

class EventLog {
 public:
  // Goes on at `position`: what lies behind it is cut off, for it is made again. Errors: kCorrupt
  // (the log is shorter than that), those of files.
  static Result<std::unique_ptr<EventLog>> open(FileSystem& files, std::string folder,
                                                LogPosition position = {},
                                                std::uint64_t segment_bytes = kSegmentBytes);
  Status append(const Event& event);
  Status sync();
  LogPosition position() const { return position_; }

 private:
  EventLog(FileSystem& files, std::string folder, std::uint64_t segment_bytes)
      : files_(files), folder_(std::move(folder)), segment_bytes_(segment_bytes) {}

  FileSystem& files_;
  const std::string folder_;
  const std::uint64_t segment_bytes_;
  LogPosition position_;
  std::unique_ptr<File> file_;
};

// Every whole event of the segments in order, up to `end` when it is given. Errors: kCorrupt with
// segment and offset; those of `each`, which ends the reading.
Status read_events(FileSystem& files, const std::string& folder, std::optional<LogPosition> end,
                   const std::function<Status(Event)>& each);

// Reads what is appended, while another process appends it. Thread-safety: one thread at a time.
class EventReader {
 public:
  EventReader(FileSystem& files, std::string folder, LogPosition from)
      : files_(files), folder_(std::move(folder)), position_(from) {}
  // Every whole event that is new. A log that was cut back is waited for: a world that goes on
  // makes the same events again. Errors: kCorrupt, those of files and of `each`, which end it.
  Status read(const std::function<Status(Event)>& each);
  LogPosition position() const { return position_; }

 private:
  FileSystem& files_;
  const std::string folder_;
  LogPosition position_;
};

}  // namespace anima::world
