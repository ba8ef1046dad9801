// A SQLite VFS for power cuts and full disks. It stands on the default VFS and remembers, for each
// file, what has been synced and what has only been written. At a chosen write the power goes: from
// then on every call fails, and power_on() leaves on disk what a real one might have: the synced
// bytes and any part of the rest, whole or torn. Thread-safety: one lock around everything; one
// disk at a time is registered.
#pragma once

#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/random.h"

namespace anima {

class PowerLossVfs {
 public:
  enum class Loss {
    kAll,   // nothing unsynced reaches the disk
    kSome,  // each unsynced write with even chance: the disk reorders
    kTorn,  // each sector of each unsynced write with even chance
  };
  static constexpr const char* kName = "anima-power-loss";

  // `everywhere`: whoever opens a database without naming a VFS has this one.
  explicit PowerLossVfs(bool everywhere = false) {
    current() = this;
    beneath_ = sqlite3_vfs_find(nullptr);
    vfs_ = *beneath_;
    vfs_.zName = kName;
    vfs_.szOsFile = static_cast<int>(sizeof(Handle)) + beneath_->szOsFile;
    vfs_.xOpen = &open;
    vfs_.xDelete = &remove;
    sqlite3_vfs_register(&vfs_, everywhere ? 1 : 0);
  }
  ~PowerLossVfs() {
    sqlite3_vfs_unregister(&vfs_);
    current() = nullptr;
  }
  PowerLossVfs(const PowerLossVfs&) = delete;
  PowerLossVfs& operator=(const PowerLossVfs&) = delete;

  // The next `writes` writes succeed; then the power is off.
  void cut_after(std::int64_t writes) { left_ = writes; }
  // The next `writes` writes succeed; those after find a full disk until heal().
  void fill_after(std::int64_t writes) {
    left_ = writes;
    full_ = true;
  }
  // The next `operations` writes and syncs succeed; the one after fails, and all that follow do
  // not.
  void fail_once_after(std::int64_t operations) { once_ = operations; }
  void fail_syncs(bool fail) { fail_syncs_ = fail; }
  void heal() {
    left_ = once_ = kNever;
    full_ = false;
    fail_syncs_ = false;
  }
  bool has_failed_once() const { return once_ < 0; }
  std::int64_t writes() const { return writes_; }
  std::int64_t syncs() const { return syncs_; }
  bool is_off() const { return off_; }

  // Puts on the real disk what survived. Every connection must be closed.
  void power_on(Loss loss, Random& random) {
    const std::lock_guard guard(mutex_);
    for (auto& [path, file] : files_) {
      if (file.removed) continue;
      std::string bytes = file.synced;
      for (const Write& write : file.pending) apply(bytes, write, loss, random);
      (void)replace_file(system_files(), path, bytes);
      // The index of the WAL is shared memory: gone with the power.
      (void)system_files().remove(path + "-shm");
    }
    files_.clear();
    off_ = false;
    cut_seen_ = false;
    heal();
  }

 private:
  static constexpr std::int64_t kNever = INT64_MAX;
  static constexpr std::size_t kSector = 512;

  struct Write {
    std::uint64_t offset = 0;
    std::string bytes;
    bool truncates = false;  // to `offset`
  };
  struct Image {
    std::string synced;
    std::vector<Write> pending;
    bool removed = false;
  };
  struct Handle {
    sqlite3_file base;
    sqlite3_io_methods methods;
    char path[512];
    bool watched;
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  };

  static PowerLossVfs*& current() {
    static PowerLossVfs* vfs = nullptr;
    return vfs;
  }
  static Handle& of(sqlite3_file* file) { return *reinterpret_cast<Handle*>(file); }

  static void apply(std::string& bytes, const Write& write, Loss loss, Random& random) {
    if (loss == Loss::kAll) return;
    if (loss == Loss::kSome && random.below(2) == 0) return;
    if (write.truncates) {
      bytes.resize(std::min<std::size_t>(bytes.size(), write.offset));
      return;
    }
    for (std::size_t at = 0; at < write.bytes.size(); at += kSector) {
      if (loss == Loss::kTorn && random.below(2) == 0) continue;
      const std::size_t size = std::min(kSector, write.bytes.size() - at);
      if (bytes.size() < write.offset + at + size) bytes.resize(write.offset + at + size, '\0');
      std::memcpy(bytes.data() + write.offset + at, write.bytes.data() + at, size);
    }
  }

  // Whether the next write may happen; SQLITE_OK or the failure.
  int next_write() {
    if (off_ || fails_once()) return SQLITE_IOERR_WRITE;
    if (left_ == 0) {
      if (full_) return SQLITE_FULL;
      off_ = true;
      return SQLITE_IOERR_WRITE;
    }
    if (left_ != kNever) --left_;
    ++writes_;
    return SQLITE_OK;
  }

  bool fails_once() { return once_ != kNever && once_ >= 0 && once_-- == 0; }

  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    PowerLossVfs& self = *current();
    const std::lock_guard guard(self.mutex_);
    Handle& handle = of(file);
    handle.base.pMethods = nullptr;
    if (self.off_) return SQLITE_CANTOPEN;
    const int code = self.beneath_->xOpen(self.beneath_, name, handle.real(), flags, out_flags);
    if (code != SQLITE_OK) return code;
    handle.watched = (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) != 0;
    handle.path[0] = '\0';
    if (name != nullptr) std::strncpy(handle.path, name, sizeof handle.path - 1);
    handle.path[sizeof handle.path - 1] = '\0';
    handle.methods = *handle.real()->pMethods;
    handle.methods.iVersion = std::min(handle.methods.iVersion, 2);
    install(handle.methods);
    handle.base.pMethods = &handle.methods;
    if (handle.watched) {
      const auto [image, fresh] = self.files_.try_emplace(handle.path);
      if (fresh || image->second.removed) {
        image->second = Image{read_file(system_files(), handle.path).value_or(""), {}, false};
      }
    }
    return SQLITE_OK;
  }

  static void install(sqlite3_io_methods& methods);

  static int remove(sqlite3_vfs*, const char* name, int sync_directory) {
    PowerLossVfs& self = *current();
    const std::lock_guard guard(self.mutex_);
    if (self.off_) return SQLITE_IOERR_DELETE;
    const auto found = self.files_.find(name);
    if (found != self.files_.end()) found->second.removed = true;
    return self.beneath_->xDelete(self.beneath_, name, sync_directory);
  }

  static int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
    PowerLossVfs& self = *current();
    Handle& handle = of(file);
    const std::lock_guard guard(self.mutex_);
    if (const int code = self.next_write(); code != SQLITE_OK) {
      if (self.off_ && handle.watched) self.remember(handle, data, size, offset);
      return code;
    }
    if (handle.watched) self.remember(handle, data, size, offset);
    return handle.real()->pMethods->xWrite(handle.real(), data, size, offset);
  }
  // The write during which the power went may have reached the disk in part, too.
  void remember(Handle& handle, const void* data, int size, sqlite3_int64 offset) {
    if (off_ && cut_seen_) return;
    cut_seen_ = off_;
    files_[handle.path].pending.push_back(
        {static_cast<std::uint64_t>(offset),
         std::string(static_cast<const char*>(data), static_cast<std::size_t>(size)), false});
  }

  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    PowerLossVfs& self = *current();
    Handle& handle = of(file);
    const std::lock_guard guard(self.mutex_);
    if (const int code = self.next_write(); code != SQLITE_OK) return SQLITE_IOERR_TRUNCATE;
    if (handle.watched) {
      self.files_[handle.path].pending.push_back({static_cast<std::uint64_t>(size), {}, true});
    }
    return handle.real()->pMethods->xTruncate(handle.real(), size);
  }

  // Nothing is really synced: the real disk keeps running, and the test is fast.
  static int sync(sqlite3_file* file, int) {
    PowerLossVfs& self = *current();
    Handle& handle = of(file);
    const std::lock_guard guard(self.mutex_);
    if (self.off_ || self.fail_syncs_ || self.fails_once()) return SQLITE_IOERR_FSYNC;
    ++self.syncs_;
    if (!handle.watched) return SQLITE_OK;
    Image& image = self.files_[handle.path];
    for (const Write& write : image.pending) {
      if (write.truncates) {
        image.synced.resize(std::min<std::size_t>(image.synced.size(), write.offset));
      } else {
        if (image.synced.size() < write.offset + write.bytes.size()) {
          image.synced.resize(write.offset + write.bytes.size(), '\0');
        }
        std::memcpy(image.synced.data() + write.offset, write.bytes.data(), write.bytes.size());
      }
    }
    image.pending.clear();
    return SQLITE_OK;
  }

  static int close(sqlite3_file* file) {
    Handle& handle = of(file);
    return handle.real()->pMethods->xClose(handle.real());
  }
  static int read(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
    Handle& handle = of(file);
    if (current()->off_) return SQLITE_IOERR_READ;
    return handle.real()->pMethods->xRead(handle.real(), out, size, offset);
  }

  sqlite3_vfs* beneath_ = nullptr;
  sqlite3_vfs vfs_ = {};
  std::mutex mutex_;
  std::map<std::string, Image> files_;
  std::int64_t left_ = kNever;
  std::int64_t once_ = kNever;
  std::int64_t writes_ = 0;
  std::int64_t syncs_ = 0;
  bool full_ = false;
  bool off_ = false;
  bool cut_seen_ = false;
  bool fail_syncs_ = false;
};

// Those that do not touch the content go straight to the real file.
inline void PowerLossVfs::install(sqlite3_io_methods& methods) {
  methods.xClose = &close;
  methods.xRead = &read;
  methods.xWrite = &write;
  methods.xTruncate = &truncate;
  methods.xSync = &sync;
  methods.xFileSize = [](sqlite3_file* file, sqlite3_int64* size) {
    return of(file).real()->pMethods->xFileSize(of(file).real(), size);
  };
  methods.xLock = [](sqlite3_file* file, int level) {
    return of(file).real()->pMethods->xLock(of(file).real(), level);
  };
  methods.xUnlock = [](sqlite3_file* file, int level) {
    return of(file).real()->pMethods->xUnlock(of(file).real(), level);
  };
  methods.xCheckReservedLock = [](sqlite3_file* file, int* held) {
    return of(file).real()->pMethods->xCheckReservedLock(of(file).real(), held);
  };
  methods.xFileControl = [](sqlite3_file* file, int operation, void* argument) {
    return of(file).real()->pMethods->xFileControl(of(file).real(), operation, argument);
  };
  methods.xSectorSize = [](sqlite3_file* file) {
    return of(file).real()->pMethods->xSectorSize(of(file).real());
  };
  methods.xDeviceCharacteristics = [](sqlite3_file* file) {
    return of(file).real()->pMethods->xDeviceCharacteristics(of(file).real());
  };
  methods.xShmMap = [](sqlite3_file* file, int page, int size, int extend, void volatile** out) {
    return of(file).real()->pMethods->xShmMap(of(file).real(), page, size, extend, out);
  };
  methods.xShmLock = [](sqlite3_file* file, int offset, int count, int flags) {
    return of(file).real()->pMethods->xShmLock(of(file).real(), offset, count, flags);
  };
  methods.xShmBarrier = [](sqlite3_file* file) {
    of(file).real()->pMethods->xShmBarrier(of(file).real());
  };
  methods.xShmUnmap = [](sqlite3_file* file, int remove_file) {
    return of(file).real()->pMethods->xShmUnmap(of(file).real(), remove_file);
  };
}

}  // namespace anima
