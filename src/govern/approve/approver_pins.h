// ApproverPins: what an account knows of the approvers of its spaces (approvers.h), kept outside of
// them, so that a list that somebody else put in its place is noticed: a log that was cut back to
// before a registration or a removal, or written anew from there.
//
// A file for each folder of a space. Whoever was ever registered is remembered in that order, and
// whether they were taken out again; a list that goes on from there is the same one, because each
// further change was signed by somebody on it. The first list that is seen is believed.
// Thread-safety: a file is replaced whole; the last of several writers counts, and each wrote what
// the log said. Source: docs/decisions/019-approver-keys.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/result.h"
#include "govern/approve/approvers.h"

namespace anima::govern {

struct PinnedApprovers {
  struct Person {
    std::string name, role;
    PublicKey key{};
    bool removed = false;
    bool operator==(const Person&) const = default;
  };
  std::string space;            // its id
  std::vector<Person> persons;  // in the order registered
  bool operator==(const PinnedApprovers&) const = default;
};
PinnedApprovers pinned(const Approvers& approvers);

class ApproverPins {
 public:
  // `folder`: of the account; it is made when there is something to keep. Empty: nothing is known.
  ApproverPins(FileSystem& files, std::string folder) : files_(files), folder_(std::move(folder)) {}

  // Nothing: no approver of that space was seen yet. Errors: kCorrupt.
  Result<std::optional<PinnedApprovers>> known(std::string_view space_folder) const;
  // Remembers what is new. Errors: kDenied (they are others than those that are known), kCorrupt.
  Status check(std::string_view space_folder, const Approvers& approvers) const;
  // These are right, whoever was known before.
  Status renew(std::string_view space_folder, const Approvers& approvers) const;

 private:
  std::string path_of(std::string_view space_folder) const;

  FileSystem& files_;
  std::string folder_;
};

}  // namespace anima::govern
