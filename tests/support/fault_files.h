// A FileSystem that fails on purpose: the n-th changing operation and all that follow fail with a
// chosen error, as on a disk that is full or was pulled out. A failing write first puts half of its
// bytes (a torn write). kill_after() ends the process there, as kill -9 does. Thread-safety: as the
// FileSystem beneath; the counters are atomic.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "support/forwarding_files.h"

namespace anima {

class FaultFiles final : public ForwardingFiles {
 public:
  explicit FaultFiles(FileSystem& beneath = system_files()) : ForwardingFiles(beneath) {}

  // The next `operations` writes, syncs, renames, removals and openings for writing succeed, those
  // after fail.
  void fail_after(std::int64_t operations, ErrorCode code) {
    code_ = code;
    left_ = operations;
    failed_ = false;
  }
  // The one after them fails, and all that follow succeed.
  void fail_once_after(std::int64_t operations, ErrorCode code) {
    fail_after(operations, code);
    once_ = true;
  }
  void kill_after(std::int64_t operations) {
    kills_ = true;
    left_ = operations;
  }
  void heal() {
    left_ = kNever;
    once_ = false;
  }
  bool has_failed() const { return failed_; }
  std::int64_t operations() const { return operations_; }

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode,
                                     std::uint32_t permissions) override {
    if (mode != OpenMode::kRead) ANIMA_TRY(step(path));
    ANIMA_ASSIGN(auto file, beneath_.open(path, mode, permissions));
    return std::make_unique<FaultFile>(*this, std::move(file), path);
  }
  Status make_directories(const std::string& path, std::uint32_t permissions) override {
    ANIMA_TRY(step(path));
    return beneath_.make_directories(path, permissions);
  }
  Status rename(const std::string& from, const std::string& to) override {
    ANIMA_TRY(step(from));
    return beneath_.rename(from, to);
  }
  Status remove(const std::string& path) override {
    ANIMA_TRY(step(path));
    return beneath_.remove(path);
  }
  Status sync_directory(const std::string& path) override {
    ANIMA_TRY(step(path));
    return beneath_.sync_directory(path);
  }

 private:
  static constexpr std::int64_t kNever = std::int64_t{1} << 62;

  class FaultFile final : public File {
   public:
    FaultFile(FaultFiles& owner, std::unique_ptr<File> file, std::string path)
        : owner_(owner), file_(std::move(file)), path_(std::move(path)) {}
    Result<std::size_t> read_at(std::uint64_t offset, char* out, std::size_t size) override {
      return file_->read_at(offset, out, size);
    }
    Status write_at(std::uint64_t offset, std::string_view bytes) override {
      if (Status status = owner_.step(path_, true); !status) {
        (void)file_->write_at(offset, bytes.substr(0, bytes.size() / 2));
        owner_.end_when_killed();
        return status;
      }
      return file_->write_at(offset, bytes);
    }
    Status append(std::string_view bytes) override {
      ANIMA_ASSIGN(const std::uint64_t end, file_->size());
      return write_at(end, bytes);
    }
    Status truncate(std::uint64_t size) override {
      ANIMA_TRY(owner_.step(path_));
      return file_->truncate(size);
    }
    Status sync() override {
      ANIMA_TRY(owner_.step(path_));
      return file_->sync();
    }
    Result<std::uint64_t> size() override { return file_->size(); }
    Status close() override { return file_->close(); }

   private:
    FaultFiles& owner_;
    std::unique_ptr<File> file_;
    std::string path_;
  };

  void end_when_killed() const {
    if (kills_) (void)::kill(::getpid(), SIGKILL);
  }
  // `tears`: something is still to be done of it.
  Status step(const std::string& path, bool tears = false) {
    ++operations_;
    if (left_.fetch_sub(1) > 0) return {};
    if (!tears) end_when_killed();
    failed_ = true;
    if (once_) left_ = kNever;
    return fail(code_, "a fault was injected", path);
  }

  std::atomic<ErrorCode> code_{ErrorCode::kIo};
  std::atomic<std::int64_t> left_{kNever};
  std::atomic<std::int64_t> operations_{0};
  std::atomic<bool> kills_{false}, once_{false}, failed_{false};
};

}  // namespace anima
