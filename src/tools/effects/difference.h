// What a command changed in a folder, as a value: every path that was added, edited, moved or
// deleted, with its mode, size, hash and the target of a link.
//
// The hash of what is there afterwards is always known; of what was before only where both had to
// be read, or where a deleted file could be a moved one. A stamp (inode, size, times) changes
// whenever the file does: by it the folder is known to be as it was. Owners and the times of
// folders are not part of a difference, nor are extended attributes and access lists: a file keeps
// those that it has, and what a command set of them is told as left out. A hard link is a file of
// its own. Thread-safety: plain values, pure functions. Errors of from_json: kCorrupt.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"

namespace anima::tools::effects {

enum class EntryKind : std::uint8_t { kAbsent, kFile, kFolder, kLink, kSpecial };

// One path at one time.
struct Entry {
  EntryKind kind = EntryKind::kAbsent;
  std::uint32_t mode = 0;        // the low twelve bits; of a file, a folder
  std::uint64_t size = 0;        // bytes; of a file
  std::int64_t modified_ns = 0;  // since 1970; of a file
  std::string hash;              // SHA-256 in hex; of a file
  std::string target;            // of a link
  std::string stamp;             // of what was before
};

enum class Effect : std::uint8_t {
  kAdded,
  kEdited,    // other content, or another target of a link
  kReplaced,  // a file, a folder, a link became one of another kind
  kMode,
  kTouched,  // its time alone
  kMoved,    // it is not there any more, but its content is, elsewhere in the difference
  kDeleted,
};
std::string_view to_string(Effect effect);

struct Change {
  std::string path;  // beneath the folder, without "." and ".."; "." is the folder itself
  Entry before, after;
  std::string moved_to;  // of kMoved

  Effect effect() const;
  // Whether the file that is there afterwards has other content than before.
  bool has_new_content() const;
  // A link whose target is not surely inside the folder `root`: absolute and not beneath it, or
  // with more ".." than folders above it, or with ".." behind a name.
  bool leads_out(std::string_view root) const;
};

struct Difference {
  std::vector<Change> changes;  // sorted by path
  // What is not carried over: pipes, sockets, devices; "path (attribute)".
  std::vector<std::string> left_out;
  std::uint64_t bytes = 0;  // of files that are there afterwards with new content

  bool empty() const { return changes.empty(); }
  // Fills in `moved_to` of what was deleted; needs sorted changes.
  void find_moves();
};

// "3 added, 1 edited, 2 deleted"; "nothing changed".
std::string summary(const Difference& difference);
// A path for people: bytes that are no UTF-8 and control characters stand as \xNN.
std::string shown_path(std::string_view path);

// {"added":3,..,"bytes":n,"changes":[{"effect","path","kind","mode","size","sha256","target"?,
// "moved_to"?},..],"left_out":[..]}; at most `most` changes are listed, those that matter most
// first (deletions, links, the rest), and "more" says how many are not.
Json to_json(const Difference& difference, std::string_view root, std::size_t most);

// With everything that from_json() needs to read it back.
Json to_record(const Difference& difference);
Result<Difference> from_record(const Json& record);

}  // namespace anima::tools::effects
