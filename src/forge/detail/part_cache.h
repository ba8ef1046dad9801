// PartCache: what takes long to make and serves every made tool, kept from one to the next: the
// object that all of them are linked with, precompiled headers.
//
// A part is one file, a line of JSON and then its bytes. The line says what the part is the answer
// to (its key), the digest of the bytes, and the stamp of each file that was read for it. find()
// gives the bytes only when all of that holds and nobody else could have written them: a regular
// file of this user, in a folder of this user, writable by no one else. Against this user himself
// it protects nothing. Whoever gets nothing makes the part again, so nothing depends on it but
// time.
//
// Thread-safety: from any thread and process; a part is replaced as a whole. Complexity: O(bytes),
// 30 ms for 40 MB. Errors: those of the file system.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace anima::forge::detail {

inline constexpr std::uint64_t kMostPart = std::uint64_t{256} << 20;

class PartCache {
 public:
  // An empty folder: nothing is kept.
  explicit PartCache(std::string folder) : folder_(std::move(folder)) {}
  bool keeps() const { return !folder_.empty(); }

  std::optional<std::string> find(std::string_view name, std::string_view key) const;
  // `read` are the files that the bytes were made from, as absolute paths. Parts of the same name
  // with another key go.
  Status keep(std::string_view name, std::string_view key, std::string_view bytes,
              const std::vector<std::string>& read) const;

  // Where a part lies.
  std::string path_of(std::string_view name, std::string_view key) const;

 private:
  std::string folder_;
};

// A key out of texts and of the stamps of programs: another text, order or program, another key.
std::string part_key(const std::vector<std::string>& texts,
                     std::initializer_list<std::string> programs);

// A file for a compiler in a folder of its own; unlike replace_file() it need not outlast a crash.
Status write_part(const std::string& path, std::string_view bytes);

}  // namespace anima::forge::detail
