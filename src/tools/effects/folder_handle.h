// Open folders and what stands in them, by descriptors, so that no name is resolved twice.
// Thread-safety: a value belongs to one thread. Errors: those of the file system.
#pragma once

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
