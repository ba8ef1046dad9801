// A redaction: which operations leave the log, and the entries without them (store/forget.h).
//
// Three readings of the log: which statements go; which names, values and ids nobody needs any
// more; the entries that change. Thread-safety: belongs to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "store/forget.h"
#include "store/log/operations.h"
#include "store/space.h"

namespace anima::store::detail {

class Redaction {
 public:
  using Replace = std::function<Status(const LogEntry&)>;

  // `dry`: what is left is only looked at; else the caller has the writer's turn.
  Redaction(Space& space, const Forgetting& what, bool dry)
      : space_(space), what_(what), dry_(dry) {}

  // Calls `replace` for each entry that changes, in order, with what is left of it, sealed again
  // where it was.
  Result<ForgetReport> run(const Replace& replace);

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
  };
  // That a thing exists, stated or withdrawn by what goes: it stays where others speak of the
  // thing.
  struct Existence {
    std::size_t unit = 0;
    Triple triple;
  };
  class Rewriter;

  Status each_unit(const Operation& operation, const std::function<Status(const Unit&)>& visit);
  Status choose();
  Status choose_in(const LogEntry& entry);
  Status choose_unit(const Unit& unit, bool whole);
  void define(std::uint32_t id, Definition::Kind kind, const Triple& triple);
  bool is_vocabulary(EntityId entity) const;
  bool touches_gone(const Triple& triple) const;
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
  Result<RecordFate> judge(RecordKind kind, std::string_view payload, const LogEntry& entry);
  Result<bool> attachment_goes(const LogEntry& entry);
  Status seal_again(LogEntry& rest);

  Space& space_;
  const Forgetting& what_;
  const bool dry_;
  ForgetReport report_;
  std::vector<Definition> definitions_;  // by entity
  std::vector<bool> gone_;               // entities to forget, and the links to them
  std::vector<bool> dropped_;            // by unit, in the order of the log
  std::vector<Existence> existences_;
  std::vector<bool> used_, touched_, erased_;
  std::vector<bool> used_terms_, touched_terms_;
  std::unordered_set<Statement, StatementHash> gone_links_;  // named as such; in whichever graph
  // Stated by somebody who stays; by somebody who goes.
  std::unordered_set<Statement, StatementHash> kept_, left_;
};

}  // namespace anima::store::detail
