#include "store/space/redaction_spool.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/files/output_file.h"
#include "store/log/draft_name.h"
#include "store/log/entry_codec.h"

namespace anima::store::detail {
namespace {

constexpr std::size_t kBuffer = std::size_t{4} << 20;
constexpr std::size_t kLength = sizeof(std::uint64_t);  // in front of each entry

std::string encode(const LogEntry& entry) {
  ByteWriter out;
  out.u64(static_cast<std::uint64_t>(entry.sequence));
  out.u64(static_cast<std::uint64_t>(entry.time.microseconds));
  out.string(entry.origin.author);
  out.string(entry.origin.source);
  out.u8(static_cast<std::uint8_t>(entry.origin.trust));
  out.u64(static_cast<std::uint64_t>(entry.origin.cause));
  out.u32(entry.format);
  out.string(entry.seal);
  out.raw(view_of(entry.previous));
  out.raw(view_of(entry.hash));
  out.string(entry.payload);
  return out.take();
}

Status read_digest(ByteReader& in, Digest& digest) {
  ANIMA_ASSIGN(const std::string_view bytes, in.raw(digest.size()));
  std::ranges::transform(bytes, digest.begin(), [](char c) {
    return static_cast<Digest::value_type>(static_cast<unsigned char>(c));
  });
  return {};
}

Result<LogEntry> decode(std::string_view bytes) {
  ByteReader in(bytes);
  LogEntry entry;
  ANIMA_ASSIGN(const std::uint64_t sequence, in.u64());
  ANIMA_ASSIGN(const std::uint64_t time, in.u64());
  ANIMA_ASSIGN(entry.origin.author, in.string().map([](auto text) { return std::string(text); }));
  ANIMA_ASSIGN(entry.origin.source, in.string().map([](auto text) { return std::string(text); }));
  ANIMA_ASSIGN(const std::uint8_t trust, in.u8());
  ANIMA_ASSIGN(const std::uint64_t cause, in.u64());
  ANIMA_ASSIGN(entry.format, in.u32());
  ANIMA_ASSIGN(entry.seal, in.string().map([](auto text) { return std::string(text); }));
  ANIMA_TRY(read_digest(in, entry.previous));
  ANIMA_TRY(read_digest(in, entry.hash));
  ANIMA_ASSIGN(entry.payload, in.string().map([](auto text) { return std::string(text); }));
  entry.sequence = Sequence{sequence};
  entry.time.microseconds = static_cast<std::int64_t>(time);
  entry.origin.trust = static_cast<Trust>(trust);
  entry.origin.cause = Sequence{cause};
  return entry;
}

Error cut_off(const std::string& path) {
  return {ErrorCode::kIo, "what was put aside of the log is cut off", path, "compact once more"};
}

}  // namespace

RedactionSpool::RedactionSpool(std::string folder) : folder_(std::move(folder)) {}

RedactionSpool::~RedactionSpool() {
  if (file_ == nullptr) return;
  (void)file_->close();
  (void)system_files().remove(path_);
}

Status RedactionSpool::add(const LogEntry& entry) {
  const std::string bytes = encode(entry);
  ByteWriter length;
  length.u64(bytes.size());
  buffer_ += length.take();
  buffer_ += bytes;
  return folder_.empty() || buffer_.size() < kBuffer ? Status() : flush();
}

Status RedactionSpool::flush() {
  if (file_ == nullptr) {
    remove_dead_drafts(system_files(), folder_, "compact");
    path_ = draft_name(join_path(folder_, "compact"));
    ANIMA_ASSIGN(file_, system_files().open(path_, OpenMode::kExclusive, 0600));
  }
  ANIMA_TRY(file_->append(buffer_));
  buffer_.clear();
  return {};
}

Status RedactionSpool::visit(const std::function<Status(const LogEntry&)>& take) {
  std::uint64_t at = 0;
  std::uint64_t on_disk = 0;
  if (file_ != nullptr) {
    ANIMA_TRY(flush());
    ANIMA_ASSIGN(on_disk, file_->size());
  }
  const std::uint64_t all = file_ == nullptr ? buffer_.size() : on_disk;
  const auto read = [&](std::uint64_t from, std::size_t size, std::string& out) -> Status {
    if (size > all - from) return fail(cut_off(path_));
    out.resize(size);
    if (file_ == nullptr) {
      out.assign(buffer_, static_cast<std::size_t>(from), size);
      return {};
    }
    ANIMA_ASSIGN(const std::size_t got, file_->read_at(from, out.data(), size));
    return got == size ? Status() : Status(fail(cut_off(path_)));
  };
  std::string bytes;
  while (at < all) {
    ANIMA_TRY(read(at, kLength, bytes));
    ByteReader length(bytes);
    ANIMA_ASSIGN(const std::uint64_t size, length.u64());
    ANIMA_TRY(read(at + kLength, static_cast<std::size_t>(size), bytes));
    ANIMA_ASSIGN(const LogEntry entry, decode(bytes));
    ANIMA_TRY(take(entry));
    at += kLength + size;
  }
  return {};
}

}  // namespace anima::store::detail
