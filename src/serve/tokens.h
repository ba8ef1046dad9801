// The tokens that let programs in at an address of `anima serve`: a file of the space's folder that
// its owner alone reads, with the SHA-256 of each token and what it may do. The token itself is
// shown once, when it is made.
//
// Ownership: values. Thread-safety: TokenBook from several threads at once. Durability: a change is
// on disk when the call returns, and counts for the next request of a running server. Complexity: a
// look-up is linear in the tokens, and reads the file only when it changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/files/file.h"
#include "base/files/file_stamp.h"
#include "base/mutex.h"
#include "base/random.h"
#include "base/result.h"
#include "store/ids.h"

namespace anima::serve {

struct AccessToken {
  std::string name;
  store::Trust trust = store::Trust::kStandard;  // of what is written with it
  bool may_write = true;
  Timestamp made;
  Digest digest{};              // of the token
  bool sees_approvals = false;  // all calls that wait for the owner, not its own alone

  // Tells it from every other token, also from a later one of the same name.
  std::string identity() const { return to_hex(digest).substr(0, 16); }
};

class TokenBook {
 public:
  // `folder`: the space's. Nothing is read yet.
  TokenBook(FileSystem& files, std::string folder);

  // Makes one and gives it, in 70 characters. Errors: kInvalidArgument (the name), kAlreadyExists,
  // those of list().
  Result<std::string> add(AccessToken token, Random& random) ANIMA_EXCLUDES(mutex_);
  // By name. Errors: kCorrupt, kDenied when others may read the file, kIo.
  Result<std::vector<AccessToken>> list();
  // Errors: kNotFound, those of list().
  Status remove(std::string_view name);

  // Whose token it is; nullopt: nobody's. How long that takes tells nothing of a token. Errors:
  // those of list().
  Result<std::optional<AccessToken>> find(std::string_view token) ANIMA_EXCLUDES(mutex_);

 private:
  Result<std::vector<AccessToken>> read() const;
  Status write(const std::vector<AccessToken>& tokens) const;

  FileSystem& files_;
  std::string path_;
  Mutex mutex_;
  std::optional<FileStamp> stamp_ ANIMA_GUARDED_BY(mutex_);
  std::vector<AccessToken> tokens_ ANIMA_GUARDED_BY(mutex_);
};

}  // namespace anima::serve
