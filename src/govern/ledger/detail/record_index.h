// Where in the log the records lie that governance folds or explains: approvals, votes, the line,
// messages, calls, decisions by their ids. A view: kept in memory, and in <space>/ledger.index so
// that the next process need not read the whole log for them.
//
// The file is a cache that is believed for nothing. It holds the stream of one log
// (record_stream.h) up to some entry, and names the entry of the log that vouches for it: an
// anchor, a record with the length and the SHA-256 of that stream, written beside an audit entry. A
// file that no anchor of this log vouches for (changed, cut, of another log) is left out with a
// message and made anew; an older copy is whole, only shorter. What the index points to is read
// from the log, whose own chain proves it. A file that cannot be written costs time and nothing
// else. On disk: docs/formats.md. Thread-safety: from any thread.
#pragma once

#include <array>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "govern/ledger/detail/record_stream.h"
#include "store/space.h"

namespace anima::govern::detail {

class RecordIndex {
 public:
  // `folder` empty: in memory alone.
  RecordIndex(store::Log& log, std::string folder, FileSystem& files = system_files())
      : log_(log), folder_(std::move(folder)), files_(files) {}

  static bool covers(store::RecordKind kind);
  // The entries behind `after` that may hold a record of the kind, in order, then the last entry
  // of the log that was looked at. Those that `skip` names are not read. The log is not asked again
  // by who gives its `head` as known for sure. O(entries that the index does not know yet, and
  // those found).
  Result<store::Sequence> visit(store::RecordKind kind, store::Sequence after,
                                const std::function<Status(const store::LogEntry&)>& visit,
                                const std::function<bool(store::Sequence)>& skip = nullptr,
                                store::Sequence head = store::Sequence::kNone);
  // The entry behind which the newest `count` of them lie; kNone: there are no more.
  Result<store::Sequence> before_newest(store::RecordKind kind, std::size_t count);
  // The entries with an audit record whose id may begin with `prefix`, oldest first, until `visit`
  // says false. O(new entries, those found), and a nanosecond or two for each audit record.
  Status find_audits(std::string_view prefix,
                     const std::function<Result<bool>(const store::LogEntry&)>& visit);

  // A record of the kind kIndexRecord for the next audit entry: an anchor, when enough is known
  // behind the last one. Once the log holds it, look() saves the file.
  std::optional<Json> anchor();
  Status look();

 private:
  // An anchor as it lies in the log: the entries up to `through` make these bytes.
  struct Anchor {
    store::Sequence at = store::Sequence::kNone;
    store::Sequence through = store::Sequence::kNone;
    std::uint64_t bytes = 0;
    std::string digest;  // hexadecimal
  };

  void load();
  Status take(std::string_view file);
  static Result<Anchor> anchor_in(const store::LogEntry& entry);
  Status catch_up();
  Status add(const store::LogEntry& entry);
  void keep(const store::LogEntry& entry);
  Status visit_entry(store::Sequence sequence,
                     const std::function<Status(const store::LogEntry&)>& visit);
  const std::vector<store::Sequence>& places_of(store::RecordKind kind) const;
  bool is_vouched_for(const Anchor& anchor) const;
  void save(bool first);

  store::Log& log_;
  std::string folder_;
  FileSystem& files_;
  std::mutex mutex_;
  bool loaded_ = false;
  RecordStream stream_;
  store::Sequence known_ = store::Sequence::kNone;  // the entry up to which it tells
  std::uint64_t since_anchor_ = 0;                  // entries
  store::Sequence saved_ = store::Sequence::kNone;  // the anchor that the file names
  std::optional<Anchor> latest_;                    // seen since the file was read
  std::string own_digest_;                          // of an anchor that was made here
  std::array<std::vector<store::Sequence>, kStreamKinds> places_;  // all but audits
  // The newest of these entries, by their sequences: read for the index, they are soon asked for.
  std::array<store::LogEntry, 16> kept_;
};

}  // namespace anima::govern::detail
