// Symbols: entities named the way people name them, without regard to case, by label or by number.
//
// A symbol's number is the id of its entity, written `C:12` or `sym:12`; `12` is a label. It names
// a concept of any type; where several share it, an untyped one (Entity) is meant first, then any
// other, then a type or predicate; of equals the one of the lowest id. The first spelling of a
// label is kept. Of several that share one the most trusted are meant first.
// Errors: kNotFound (LabelNotFound, with near labels where there are any), kInvalidArgument (empty,
// or longer than kMaxLabelBytes). Source: learning_and_psyche 2.1; DATA.md 4.
// Thread-safety: functions over a Snapshot from any thread; a SymbolWriter belongs to one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "store/snapshot.h"
#include "store/transaction.h"

namespace anima::store {

inline constexpr std::size_t kMaxSymbolBytes = 1024;

std::optional<EntityId> find_symbol(const Snapshot& snapshot, std::string_view text);
// The concepts, of the type where one is named, among whose aliases the name is, to the letter,
// whoever gave it that.
std::vector<EntityId> concepts_by_alias(const Snapshot& snapshot, std::string_view name,
                                        std::optional<EntityId> type = {});
// The one concept, of the type where one is named, among whose aliases the name is, to the letter;
// nothing where none or several are called so.
std::optional<EntityId> find_by_alias(const Snapshot& snapshot, std::string_view name,
                                      std::optional<EntityId> type = {});
std::optional<EntityId> find_relation(const Snapshot& snapshot, std::string_view text);
// Also what the books alone have, when nothing else is called so: a goal, an episode; then the one
// that is called so besides, as after a merge.
Result<EntityId> resolve_symbol(const Snapshot& snapshot, std::string_view text);
// What a person means whom a name of several must not mislead: "C:12", "P:12" or "sym:12" by id
// ("12" is a name); else the name, else the label in any case, then "Type:name", then an alias.
// Errors: kNotFound; kInvalidArgument when several of these have the name, with their ids.
Result<EntityId> find_entity(const Snapshot& snapshot, std::string_view text);
// The same for what cannot be taken back: each that has the name counts, however it is trusted.
Result<EntityId> find_only_entity(const Snapshot& snapshot, std::string_view text);
// The concept's name; "sym:12" for what has none.
std::string symbol_label(const Snapshot& snapshot, EntityId entity);
// The name of a link's predicate or of an attribute's key.
std::string predicate_label(const Snapshot& snapshot, Predicate predicate);
// A term as a person reads it: the label of an entity, the bare text of a string.
std::string term_label(const Snapshot& snapshot, Term term);
Status check_label(std::string_view label);

// Finds or creates by label inside one transaction; remembers what it has seen, so that a bulk load
// looks each label up once. What it finds is also asserted in the graph of `options`.
class SymbolWriter {
 public:
  SymbolWriter(Transaction& transaction, const AssertOptions& options)
      : transaction_(transaction), options_(options) {}
  Result<EntityId> entity(std::string_view label);
  Result<EntityId> relation(std::string_view label);
  // The link between three labels, not yet asserted; subject, predicate and object are found or
  // created in this order.
  Result<Triple> link(std::string_view subject, std::string_view predicate,
                      std::string_view object);

 private:
  using Known = std::unordered_map<std::string, EntityId>;
  Result<EntityId> find_or_create(std::string_view label, bool relation, Known& known);

  Transaction& transaction_;
  AssertOptions options_;
  Known entities_, relations_;
};

}  // namespace anima::store
