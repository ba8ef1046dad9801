// An act: what somebody would take back in one step. A command, a line of a conversation, a
// message, a call of a tool, a load.
//
//   const ActScope act("chat line");
//   ... whatever this thread writes to a space until the end of the scope belongs to the act
//
// The entries of the log that belong to an act say so (log/act_operation.h): the first one with the
// name of what was done, the others with the number of the first one, which is the act's id. What
// is not written down has no id, and no id is given twice. An entry that was written outside of
// every act is an act of its own, as are those of older logs, and a sealed one whose key is gone.
//
// A scope within a scope is a part of the same act, unless it begins one of its own
// (ActKind::kOwn), as each line of a shell does that was started by a command. Thread-safety: a
// scope belongs to the thread that made it, and ends before the one around it; a write on another
// thread belongs to no act, unless that thread opens a scope. The functions are without state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/ids.h"
#include "store/log.h"
#include "store/snapshot.h"
#include "store/space.h"

namespace anima::store {

// What an entry says of its act.
struct EntryAct {
  Sequence first = Sequence::kNone;  // the act's first entry; kNone: this one
  std::string name;                  // what is done; only in the first entry
  std::uint32_t mark = 0;            // of a WholeAct that begins here
  bool stated() const { return first != Sequence::kNone || !name.empty(); }
};

enum class ActKind : std::uint8_t {
  kPart,  // of the act that runs, if one does
  kOwn,
};

class ActScope {
 public:
  // `name` is told to people: "chat line". It holds nothing that somebody would want forgotten.
  // Within a trace (base/trace/trace.h) it says the id of that, too.
  // Empty: what is written within belongs to no act.
  explicit ActScope(std::string_view name, ActKind kind = ActKind::kPart);
  ~ActScope();
  ActScope(const ActScope&) = delete;
  ActScope& operator=(const ActScope&) = delete;

  // For spaces: what the next entry of this thread is to say, and that its act has begun.
  static EntryAct current(const Space& space);
  static void began(const Space& space, Sequence first);
  // What keeps this thread from writing to the space; nothing: it may.
  static Status may_write(const Space& space);
  // It is not known whether something of this thread was written.
  static void doubted(const Space& space);

 private:
  friend class WholeAct;
  friend class ActStep;
  // Takes back what the act of the scope has written behind `before`, by an undo of no act.
  static Status undo_since(const ActScope& scope, Space& space, Sequence before);

  std::string name_;
  ActScope* const around_;
  bool part_ = false;
  // By space; empty where the scope is a part.
  std::map<std::string, Sequence> firsts_;
  std::map<std::string, std::uint32_t> marks_;  // that the next entry is to say
  std::set<std::string> doubted_;
  std::map<std::string, Error> refused_;  // what keeps it from writing
};

// For a replay: what this thread writes from here to its end says the act that was recorded.
class RepeatedAct {
 public:
  explicit RepeatedAct(EntryAct act);
  ~RepeatedAct();
  RepeatedAct(const RepeatedAct&) = delete;
  RepeatedAct& operator=(const RepeatedAct&) = delete;

 private:
  friend class ActScope;
  const EntryAct act_;
};

// Tells others of an act that is under way (act_marks.h). One that is gone without end() was cut
// off: who comes next takes the act back.
class ActUnderWay {
 public:
  virtual ~ActUnderWay() = default;
  // It is done, or taken back: nobody is to take it back. Errors: kIo, kDiskFull; it counts as cut
  // off then.
  virtual Status end() = 0;
};

// From here to its end the running act is whole or not there. Its end without done() takes back
// what the act has written to the space since, by an undo of no act; so an error, too, leaves
// nothing half done. What cannot be taken back then, and what a killed process leaves, is taken
// back by who opens the space for writing next, or begins the next WholeAct there. Records stay,
// and so does what was done outside of the space. Where later entries depend on it, it stays and is
// noted. Within another WholeAct of the same act it is a part of that one, which fails with it.
// Where its mark cannot be made, the act can write nothing. Without effect outside of an act. O(1):
// a small file.
class WholeAct {
 public:
  explicit WholeAct(Space& space);
  ~WholeAct();
  WholeAct(const WholeAct&) = delete;
  WholeAct& operator=(const WholeAct&) = delete;

  // Somebody will go on with the running act where it was cut off, so what it wrote stays. Errors:
  // those of ActUnderWay::end().
  static Status goes_on();
  // Whether the running act is to be whole.
  static bool runs();
  // All of it is done. Errors: that of a part that failed, and those of ActUnderWay::end(); what it
  // has written is taken back then.
  Status done();
  // It failed with `why`: takes back what it has written. The error to tell: `why`, with what
  // became of the part where that stays for now. O(entries since it began).
  Error failed(Error why);
  // The same, where nobody is told of the error of the act itself. Errors: what keeps a part there.
  Status take_back();

 private:
  friend class ActStep;
  void leave();

  ActScope* scope_ = nullptr;   // null: it is a part, or over
  WholeAct* around_ = nullptr;  // of the same act
  WholeAct* outer_ = nullptr;   // of another act, within which this one runs
  bool over_ = false;
  std::optional<Error> part_failed_;
  Space* written_ = nullptr;
  Sequence before_ = Sequence::kNone;  // the newest entry when it began
  std::string space_;
  std::unique_ptr<ActUnderWay> mark_;
};

// Runs `work`, which gives a Result or a Status, as a WholeAct: an error takes it back.
template <typename Work>
auto as_whole_act(Space& space, Work&& work) -> decltype(work()) {
  WholeAct whole(space);
  auto result = std::forward<Work>(work)();
  if (!result) return fail(whole.failed(std::move(result).error()));
  if (Status done = whole.done(); !done) return fail(std::move(done).error());
  return result;
}

// A step of the running act, which goes on when the step fails: what the step has written to the
// space is taken back then, and nothing else of the act. Where that cannot be, the WholeAct around
// it fails with it. Whoever keeps the act meanwhile (WholeAct::goes_on) keeps the step, too.
// Without effect outside of an act. O(1).
class ActStep {
 public:
  explicit ActStep(Space& space);
  ActStep(const ActStep&) = delete;
  ActStep& operator=(const ActStep&) = delete;

  // False: the act is kept, and the step with it. Errors: what keeps a part of it there. O(entries
  // since it began).
  Result<bool> take_back();

 private:
  Space* written_ = nullptr;
  Sequence before_ = Sequence::kNone;  // the newest entry when it began
  WholeAct* around_ = nullptr;
};

// What an entry says of its act; a sealed or archived one says nothing. Errors: kCorrupt.
Result<EntryAct> act_stated(const LogEntry& entry);

// The act that an entry belongs to: the number of its first entry. kNone: there is no such entry.
Sequence act_of(const Snapshot& now, Sequence entry);

struct Act {
  Sequence first = Sequence::kNone;
  std::string name;               // what was done; where nobody said it, the source of the entry
  EntryInfo info;                 // of the first entry; valid as long as the snapshot
  std::vector<Sequence> entries;  // ascending
};
// Errors: kNotFound (no such entry), those of reading the log. O(entries since its first).
Result<Act> act_at(Space& space, const Snapshot& now, Sequence entry);

// The source of entries by which the system notes what was read, and by whom. They change nothing
// that is known: written outside of every act, they depend on nothing, and an undo of others leaves
// them as they are.
inline constexpr std::string_view kReadingsSource = "accesses";
bool notes_readings(const EntryInfo& entry);
// Whether somebody did it: neither what a new space begins with nor what notes readings or keeps a
// record (undone_acts.h).
bool is_of_somebody(const EntryInfo& entry);

// The newest act that wrote a statement, is no undo and was not undone: what "undo the last" means,
// so that doing it again goes a step further back. What nobody did (is_of_somebody) is none.
// Errors: kNotFound (there is none), those of reading the log. O(entries and what they wrote, from
// the newest to it).
Result<Act> newest_act_to_undo(Space& space, const Snapshot& now);

// What an undo does to the knowledge (system graphs are left out): statements that go and those
// that come back, each once; at most so many of each, the count is of all.
inline constexpr std::size_t kMostStatementsTold = 1000;
struct StatementsTold {
  std::vector<Triple> statements;
  std::size_t count = 0;
};
struct UndoneActs {
  UndoReport report;
  StatementsTold going, coming;
  std::size_t taken_from = 0;  // of its entries: something of them was forgotten, and stays gone
};
// Sees the state before an undo, and what it makes of it, before anything is written. An error
// refuses the undo. Called under the writer's turn.
using UndoCheck = std::function<Status(const Snapshot& before, const Snapshot& after)>;
struct UndoActsOptions {
  bool cascade = false;   // what depends on them goes along, by whole acts
  bool dry_run = false;   // nothing is written
  UndoCheck checks = {};  // none: whatever comes of it
};
// Puts back what these entries wrote last, all in one new entry. Errors: as Space::undo;
// kInvalidArgument where the space only passes on what another one does.
Result<UndoneActs> undo_entries(Space& space, const Origin& origin,
                                std::span<const Sequence> entries, const UndoActsOptions& options);

// A space that can do that, and knows the acts that are under way.
class UndoingSpace {
 public:
  virtual ~UndoingSpace() = default;
  // A number for the act's next entry, and what tells others of the act. Null: nobody would come
  // after this process. Errors: kIo, kDiskFull.
  virtual Result<std::pair<std::uint32_t, std::unique_ptr<ActUnderWay>>> mark_act() = 0;
  virtual Result<UndoneActs> undo_entries(const Origin& origin, std::span<const Sequence> entries,
                                          const UndoActsOptions& options) = 0;
};

}  // namespace anima::store
