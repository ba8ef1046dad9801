// A redaction: which operations leave the log, and the entries without them (store/forget.h,
// store/compact.h).
//
// Three readings of the log: which statements go; which names, values and ids nobody needs any
// more; the entries that change. A compaction reads it once before, for the statements that were
// withdrawn. Thread-safety: belongs to one thread.
//
// What a compaction takes of a thing that is still named leaves a mark in its place: a statement
// of the same thing, made and withdrawn by the same entries, with a number in the place of the
// value, so that the versions of the thing and their times stay what they were. Nobody sees its
// value: the states that had it are those that cannot be read any more. A statement whose mark
// somebody states as a number of his own stays as it is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "store/forget.h"
#include "store/log/operations.h"
#include "store/log/redacted.h"
#include "store/space.h"

namespace anima::store::detail {

class Redaction {
 public:
  using Replace = std::function<Status(const LogEntry&)>;
  // Called now and then with the number of entries read; false stops with kCancelled.
  using Progress = std::function<bool(std::uint64_t)>;

  // `dry`: what is left is only looked at; else the caller has the writer's turn.
  Redaction(Space& space, const Forgetting& what, bool dry)
      : space_(space), what_(what), dry_(dry) {}
  // A compaction: statements that were withdrawn up to `until`, and what only they needed. The
  // report names none of them.
  Redaction(Space& space, Sequence until, Progress progress, bool dry);

  // Calls `replace` for each entry that changes, in order, with what is left of it, sealed again
  // where it was. Reads the log as it is when it begins.
  Result<ForgetReport> run(const Replace& replace);
  // Of a compaction that ran without the writer's turn, and that has it now: whether all that was
  // logged since leaves the plan as it is. False: somebody took something from the log himself, or
  // needs what was to go. O(what was logged since).
  Result<bool> still_holds();

  // What a compaction did.
  struct Totals {
    std::uint64_t statements = 0;        // that are gone
    std::uint64_t emptied = 0;           // that left a mark
    std::uint64_t before = 0, left = 0;  // bytes of the payloads that changed
    std::uint64_t cut = 0;               // entries up to its last that are cut, by it or before
    // A mark can be longer than what it stands for.
    std::uint64_t saved() const { return before > left ? before - left : 0; }
    Digest digest{};  // of what is left of those
  };
  const Totals& totals() const { return totals_; }
  bool compacts() const { return until_ != Sequence::kNone; }

 private:
  struct Definition {
    enum class Kind : std::uint8_t { kNone, kConcept, kLink };
    Kind kind = Kind::kNone;
    Triple triple;  // of a concept: type and name
  };
  struct Statement {
    Triple triple;
    std::uint32_t graph = 0;
    bool operator==(const Statement&) const = default;
  };
  struct StatementHash {
    std::size_t operator()(const Statement& statement) const;
  };
  // One statement that an operation makes or withdraws; `id` of its proposition, or 0.
  struct Unit {
    bool asserts = true;
    Statement statement;
    std::uint32_t id = 0;
    std::uint64_t provenance = 0;
    std::uint64_t said = 0;  // the entry whose word it stays; 0: the one that holds it
  };
  // Statements of one kind that stand while the log is read.
  struct Standing {
    std::vector<std::size_t> units;
    std::uint32_t id = 0;  // of the proposition
  };
  enum class Fate : std::uint8_t { kStays, kGoes, kLeavesMark };
  // That a thing exists, stated or withdrawn by what goes: it stays where others speak of the
  // thing.
  struct Existence {
    std::size_t unit = 0;
    Triple triple;
  };
  class Rewriter;

  static Status each_unit(const Operation& operation,
                          const std::function<Status(const Unit&)>& visit);
  // Those that were there when it began.
  Status each_entry(const std::function<Status(const LogEntry&)>& visit);
  Result<bool> leaves_plan(const LogEntry& entry) const;
  bool needs_erased(const Triple& triple) const;
  void note_mark(const Statement& mark);
  Status choose();
  Status choose_in(const LogEntry& entry);
  Status find_withdrawn();
  Status find_withdrawn_in(const LogEntry& entry);
  Status note_unopened(const LogEntry& entry);
  Status check_keys() const;
  void choose_dead(const Unit& unit);
  void drop_standing(std::uint32_t graph);
  void die(const Standing& standing);
  bool says_mark_of(const Statement& statement) const;
  void mark_key(const Triple& triple);
  Triple mark_of(const Triple& triple) const;
  Fate fate_of(std::size_t unit, const Triple& triple, std::uint32_t id) const;
  Status go_on();
  Status count_cut(const LogEntry& entry);
  Result<LogEntry> stored(const LogEntry& entry) const;
  Status find_claims(const LogEntry& entry);
  bool is_claimed(const Unit& unit) const;
  bool is_of_gone_provenance(const Unit& unit) const;
  bool is_of_gone_teller(const Unit& unit, bool whole) const;
  Status choose_unit(const Unit& unit, bool whole);
  void define(std::uint32_t id, Definition::Kind kind, const Triple& triple);
  bool is_vocabulary(EntityId entity) const;
  bool touches_gone(const Triple& triple) const;
  bool says_gone_value(const Statement& statement) const;
  bool has_gone_key(const Triple& triple) const;
  Status check_not_used(EntityId entity) const;

  Status mark();
  void mark_parts(const Triple& triple, bool is_link, bool used);
  void mark_entity(std::uint32_t id, bool used);
  void mark_term(std::uint32_t place, bool used);
  void keep_existences();
  void settle_definitions();

  bool gone(std::uint32_t entity) const { return entity < gone_.size() && gone_[entity]; }
  bool erased(std::uint32_t entity) const { return entity < erased_.size() && erased_[entity]; }
  bool erased_term(std::uint32_t place) const {
    return place < touched_terms_.size() && touched_terms_[place] &&
           !(place < used_terms_.size() && used_terms_[place]);
  }
  bool is_whole(const LogEntry& entry) const;

  Status rewrite(const Replace& replace);
  // Without what the author and the source of an entry must not be called any more.
  Origin origin_without(const Origin& origin) const;
  Status replace_by(std::string payload, const LogEntry& entry, bool attachment,
                    const Replace& replace);
  Result<RecordFate> judge(RecordKind kind, std::string_view payload, const LogEntry& entry);
  Result<bool> attachment_goes(const LogEntry& entry);
  Status seal_again(LogEntry& rest);

  Space& space_;
  const Forgetting& what_;
  const Sequence until_ = Sequence::kNone;  // of a compaction
  const Progress progress_;
  const bool dry_;
  std::uint64_t read_ = 0;
  Sequence reading_ = Sequence::kNone;
  Sequence seen_ = Sequence::kNone;  // the last entry when it began
  ForgetReport report_;
  std::vector<Definition> definitions_;  // by entity
  std::vector<bool> gone_;               // entities to forget, and the links to them
  std::vector<bool> gone_values_, gone_texts_, gone_keys_;  // literals, by place
  std::unordered_set<std::uint32_t> gone_numbers_;          // terms that hold them themselves
  std::unordered_set<std::uint64_t> gone_provenances_;      // records, by number
  std::unordered_set<std::uint32_t> books_;                 // graphs where these stay
  std::unordered_set<std::uint32_t> words_of_books_;        // literals that stay there, by place
  std::unordered_set<std::uint32_t> renamed_;               // graphs
  std::vector<bool> dropped_;                               // by unit, in the order of the log
  std::vector<bool> whole_;                                 // entries that go as a whole
  std::vector<Existence> existences_;
  std::vector<bool> used_, touched_, erased_;
  std::vector<bool> used_terms_, touched_terms_;
  std::unordered_set<Statement, StatementHash> gone_links_;  // named as such; in whichever graph
  // Entities of which the entry that is read states the claim, and another value of its key.
  std::unordered_set<std::uint32_t> claimed_, claimed_otherwise_;
  std::unordered_map<std::uint32_t, std::string_view> rewritten_;  // literals, by place
  // Stated by somebody who stays; by somebody who goes.
  std::unordered_set<Statement, StatementHash> kept_, left_;
  // Of a compaction.
  Totals totals_;
  LeftDigests left_digests_;
  std::unordered_set<Statement, StatementHash> withdrawn_;         // at some time up to until_
  std::unordered_set<Statement, StatementHash> negative_numbers_;  // stated: what marks look like
  std::vector<std::uint64_t> marks_;  // hashes of the marks that were left, rising
  std::unordered_set<std::uint32_t> dropped_graphs_;
  std::unordered_map<Statement, Standing, StatementHash> standing_;
  std::unordered_map<std::size_t, std::uint32_t> propositions_;  // of links that a unit withdraws
  std::unordered_set<std::string> away_, destroyed_;             // seals
};

}  // namespace anima::store::detail
