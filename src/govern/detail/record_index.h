// Where in the log the records lie that governance folds: approvals, votes, the line, messages. A
// view: kept in memory, and in <space>/ledger.index so that the next process need not read the
// whole log for them. The file names the entry up to which it tells, with that entry's hash; when
// the log has another there, the file is of another log, and is made anew. A file that is missing,
// damaged or cannot be written costs time and nothing else. On disk: docs/formats.md.
// Thread-safety: from any thread.
#pragma once

#include <array>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "store/space.h"

namespace anima::govern::detail {

class RecordIndex {
 public:
  // `folder` empty: in memory alone.
  RecordIndex(store::Log& log, std::string folder) : log_(log), folder_(std::move(folder)) {}

  static bool covers(store::RecordKind kind);
  // The entries behind `after` that may hold a record of the kind, in order, then the last entry
  // of the log that was looked at. O(entries that the index does not know yet, and those found).
  Result<store::Sequence> visit(store::RecordKind kind, store::Sequence after,
                                const std::function<Status(const store::LogEntry&)>& visit);
  // The entry behind which the newest `count` of them lie; kNone: there are no more.
  Result<store::Sequence> before_newest(store::RecordKind kind, std::size_t count);

 private:
  static constexpr std::array<std::uint32_t, 4> kKinds = {5, 20, 22, 23};
  static std::size_t place_of(store::RecordKind kind);
  void load();
  Status extend(store::RecordKind kind, store::Sequence after,
                const std::function<Status(const store::LogEntry&)>& visit);
  void save();

  store::Log& log_;
  std::string folder_;
  std::mutex mutex_;
  bool loaded_ = false;
  store::Head known_;              // up to which entry, with its hash
  std::uint64_t since_saved_ = 0;  // entries
  std::array<std::vector<store::Sequence>, kKinds.size()> places_;
};

}  // namespace anima::govern::detail
