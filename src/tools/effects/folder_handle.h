// Open folders and what stands in them, by descriptors, so that no name is resolved twice.
// Thread-safety: a value belongs to one thread. Errors: those of the file system.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace anima::tools::effects {

class Handle {
 public:
  explicit Handle(int number = -1) : number_(number) {}
  Handle(Handle&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Handle();
  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

// A folder by its absolute path.
Result<Handle> open_folder(const std::string& path);
// A folder in a folder; a link is none. `forced`: its mode may be changed to let us in.
Result<Handle> open_folder_in(int folder, const std::string& name, bool forced = false);
// A regular file to be read.
Result<Handle> open_file_in(int folder, const std::string& name, bool forced = false);
// What has this name now, a link itself: for what follows, and not to be read. Whatever is done to
// the descriptor is done to this, also when the name is given to something else meanwhile.
Result<Handle> hold_entry(int folder, const std::string& name);
// Of a file or a folder that is held, or is open.
Status set_mode(int held, mode_t mode);
Status set_modified(int held, std::int64_t nanoseconds);
timespec time_of(std::int64_t nanoseconds);  // since 1970, or before
// Extended attributes and access lists, by name; not what the system labels files with.
std::map<std::string, std::string> attributes_of(int held);
// Those and no others.
Status set_attributes(int held, const std::map<std::string, std::string>& wanted);
// Names without "." and "..", sorted. The descriptor stays open.
Result<std::vector<std::string>> names_in(int folder);
// The folder of `path` beneath `root`, no link on the way, and the last name in `name`.
Result<Handle> open_parent_of(int root, const std::string& path, std::string& name);

// Removes what a command left, however deep it lies and whatever its modes are, and the folder.
void remove_all(const std::string& path);

Result<std::string> hash_of(int file);
// All bytes of one file into another.
Status copy_bytes(int from, int to);

}  // namespace anima::tools::effects
