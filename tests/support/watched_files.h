// A FileSystem that tells a test of each change before it is made: the test may note it, do
// something else meanwhile, end the process, or refuse it. Thread-safety: that of the function.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "support/forwarding_files.h"

namespace anima {

class WatchedFiles final : public ForwardingFiles {
 public:
  // `what` is open (for writing), write, truncate, sync, make, rename, remove or sync_directory.
  using Watch = std::function<Status(std::string_view what, const std::string& path)>;
  explicit WatchedFiles(Watch watch, FileSystem& beneath = system_files())
      : ForwardingFiles(beneath), watch_(std::move(watch)) {}

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode,
                                     std::uint32_t permissions) override {
    if (mode != OpenMode::kRead) ANIMA_TRY(watch_("open", path));
    ANIMA_ASSIGN(auto file, beneath_.open(path, mode, permissions));
    return std::make_unique<WatchedFile>(watch_, std::move(file), path);
  }
  Status make_directories(const std::string& path, std::uint32_t permissions) override {
    ANIMA_TRY(watch_("make", path));
    return beneath_.make_directories(path, permissions);
  }
  Status rename(const std::string& from, const std::string& to) override {
    ANIMA_TRY(watch_("rename", to));
    return beneath_.rename(from, to);
  }
  Status remove(const std::string& path) override {
    ANIMA_TRY(watch_("remove", path));
    return beneath_.remove(path);
  }
  Status sync_directory(const std::string& path) override {
    ANIMA_TRY(watch_("sync_directory", path));
    return beneath_.sync_directory(path);
  }

 private:
  class WatchedFile final : public File {
   public:
    WatchedFile(const Watch& watch, std::unique_ptr<File> file, std::string path)
        : watch_(watch), file_(std::move(file)), path_(std::move(path)) {}
    Result<std::size_t> read_at(std::uint64_t offset, char* out, std::size_t size) override {
      return file_->read_at(offset, out, size);
    }
    Status write_at(std::uint64_t offset, std::string_view bytes) override {
      ANIMA_TRY(watch_("write", path_));
      return file_->write_at(offset, bytes);
    }
    Status append(std::string_view bytes) override {
      ANIMA_TRY(watch_("write", path_));
      return file_->append(bytes);
    }
    Status truncate(std::uint64_t size) override {
      ANIMA_TRY(watch_("truncate", path_));
      return file_->truncate(size);
    }
    Status sync() override {
      ANIMA_TRY(watch_("sync", path_));
      return file_->sync();
    }
    Result<std::uint64_t> size() override { return file_->size(); }
    Status close() override { return file_->close(); }

   private:
    const Watch& watch_;
    std::unique_ptr<File> file_;
    std::string path_;
  };

  const Watch watch_;
};

}  // namespace anima
