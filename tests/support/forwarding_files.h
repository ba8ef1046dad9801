// A FileSystem that passes each operation on to the one beneath: what a test's own files begin
// with, which change a few of them. Thread-safety: as the FileSystem beneath. Ownership: that
// outlives it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"

namespace anima {

class ForwardingFiles : public FileSystem {
 public:
  explicit ForwardingFiles(FileSystem& beneath = system_files()) : beneath_(beneath) {}

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode,
                                     std::uint32_t permissions) override {
    return beneath_.open(path, mode, permissions);
  }
  Result<std::unique_ptr<MappedFile>> map(const std::string& path) override {
    return beneath_.map(path);
  }
  Result<std::unique_ptr<FileLock>> lock(const std::string& path, LockMode mode,
                                         bool wait) override {
    return beneath_.lock(path, mode, wait);
  }
  Result<std::unique_ptr<FileLock>> lock_byte(const std::string& path,
                                              std::uint64_t byte) override {
    return beneath_.lock_byte(path, byte);
  }
  Result<FileInfo> info(const std::string& path) override { return beneath_.info(path); }
  Result<std::vector<DirectoryEntry>> list(const std::string& path) override {
    return beneath_.list(path);
  }
  Status make_directories(const std::string& path, std::uint32_t permissions) override {
    return beneath_.make_directories(path, permissions);
  }
  Status rename(const std::string& from, const std::string& to) override {
    return beneath_.rename(from, to);
  }
  Status remove(const std::string& path) override { return beneath_.remove(path); }
  Status sync_directory(const std::string& path) override { return beneath_.sync_directory(path); }

 protected:
  FileSystem& beneath_;
};

}  // namespace anima
