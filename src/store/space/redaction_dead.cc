// Redaction: what a compaction takes. A statement is dead when it was withdrawn up to the last
// entry that is compacted: then no state from that entry on has it.
#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "store/log/archived.h"
#include "store/log/entry_codec.h"
#include "store/log/redacted.h"
#include "store/log/sealed.h"
#include "store/space/redaction.h"

namespace anima::store::detail {
namespace {

const Forgetting kNothingElse;

bool is_relation(const Triple& triple) {
  return triple.predicate.predicate_class() == PredicateClass::kLink;
}

}  // namespace

Redaction::Redaction(Space& space, Sequence until, Progress progress, bool dry)
    : space_(space),
      what_(kNothingElse),
      until_(until),
      progress_(std::move(progress)),
      dry_(dry) {}

// --- which statements are dead ------------------------------------------------------------------

// Only those are watched afterwards: what was never withdrawn takes no memory.
Status Redaction::find_withdrawn() {
  ANIMA_TRY(each_entry([this](const LogEntry& entry) { return find_withdrawn_in(entry); }));
  return check_keys();
}

Status Redaction::find_withdrawn_in(const LogEntry& entry) {
  ANIMA_TRY(go_on());
  if (is_archived(entry)) return archived_error(entry.sequence);
  ANIMA_TRY(visit_erasures(entry, [this](const std::string& seal) { destroyed_.insert(seal); }));
  if (!entry.seal.empty() && entry.payload.empty()) ANIMA_TRY(note_unopened(entry));
  if (entry.sequence > until_) return {};
  return read_operations(entry.payload, [this](const Operation& operation) -> Status {
    if (operation.kind == OperationKind::kDropGraph) dropped_graphs_.insert(operation.graph);
    if (operation.kind == OperationKind::kRetract)
      withdrawn_.insert({operation.triple, operation.graph});
    return {};
  });
}

// An entry whose contents went has nothing either, and its key is here.
Status Redaction::note_unopened(const LogEntry& entry) {
  ANIMA_ASSIGN(const LogEntry there, space_.log().entry(entry.sequence));
  ByteReader in(there.payload);
  for (int i = 0; i < 3; ++i) ANIMA_TRY(in.varint().map([](std::uint64_t) {}));
  ANIMA_ASSIGN(const std::string_view bytes, in.raw(in.remaining()));
  const auto opened = space_.unseal({there.seal, std::string(bytes)});
  if (!opened || opened->state == SealState::kSealed) away_.insert(entry.seal);
  return {};
}

// What is sealed under a key that may come back could need anything.
Status Redaction::check_keys() const {
  for (const std::string& seal : away_) {
    if (destroyed_.contains(seal)) continue;
    return fail(ErrorCode::kConflict,
                "something is sealed under " + seal +
                    ", a key that is not here: nobody knows what that needs",
                space_.folder(), "bring the key back into keys/, or destroy it with `anima erase`");
  }
  return {};
}

void Redaction::choose_dead(const Unit& unit) {
  const Statement& statement = unit.statement;
  if (unit.id != 0) define(unit.id, Definition::Kind::kLink, statement.triple);
  const std::size_t number = dropped_.size();
  dropped_.push_back(false);
  const Term object = statement.triple.object;
  if (unit.asserts && object.tag() == Tag::kInteger && object.as_integer() < 0)
    negative_numbers_.insert(statement);
  if (reading_ > until_) return;
  if (!withdrawn_.contains(statement) && !dropped_graphs_.contains(statement.graph)) return;
  if (unit.asserts) {
    Standing& standing = standing_[statement];
    standing.units.push_back(number);
    if (unit.id != 0) standing.id = unit.id;
    return;
  }
  const auto found = standing_.find(statement);
  if (found == standing_.end()) return;
  found->second.units.push_back(number);
  die(found->second);
  standing_.erase(found);
}

void Redaction::die(const Standing& standing) {
  for (const std::size_t unit : standing.units) {
    dropped_[unit] = true;
    if (standing.id != 0) propositions_[unit] = standing.id;
  }
}

void Redaction::drop_standing(std::uint32_t graph) {
  if (!compacts() || reading_ > until_) return;
  std::erase_if(standing_, [&](const auto& each) {
    if (each.first.graph != graph) return false;
    die(each.second);
    return true;
  });
}

// --- what becomes of them -----------------------------------------------------------------------

// A mark that somebody says would withdraw what he says.
bool Redaction::says_mark_of(const Statement& statement) const {
  const Triple mark = mark_of(statement.triple);
  return !(mark == statement.triple) && negative_numbers_.contains({mark, statement.graph});
}

// The key of a mark is needed.
void Redaction::mark_key(const Triple& triple) {
  if (triple.predicate.predicate_class() == PredicateClass::kStructural) return;
  const Predicate key = mark_of(triple).predicate;
  if (key.predicate_class() != PredicateClass::kLink) mark_term(key.key().place(), true);
}

// A link leaves an attribute that is called like it.
Triple Redaction::mark_of(const Triple& triple) const {
  Triple mark = triple;
  if (triple.object.tag() == Tag::kInteger && !is_relation(triple)) return mark;
  if (is_relation(triple)) {
    const std::uint32_t predicate = static_cast<std::uint32_t>(triple.predicate.as_link());
    if (predicate >= definitions_.size()) return mark;
    const Term name = definitions_[predicate].triple.object;
    if (name.tag() != Tag::kLiteral) return mark;
    mark.predicate = Predicate::attribute(name);
  }
  constexpr std::int64_t kMost = (std::int64_t{1} << 29) - 1;
  mark.object =
      Term::integer(-1 - static_cast<std::int64_t>(triple.object.code & kPayloadMask) % kMost);
  return mark;
}

Redaction::Fate Redaction::fate_of(std::size_t unit, const Triple& triple, std::uint32_t id) const {
  if (unit >= dropped_.size() || !dropped_[unit]) return Fate::kStays;
  if (!compacts() || erased(static_cast<std::uint32_t>(triple.subject))) return Fate::kGoes;
  if (triple.predicate.predicate_class() == PredicateClass::kStructural) return Fate::kStays;
  if (is_relation(triple)) {
    // Somebody names the link itself.
    const auto found = propositions_.find(unit);
    const std::uint32_t proposition = found == propositions_.end() ? id : found->second;
    if (proposition == 0 || !erased(proposition)) return Fate::kStays;
  }
  return mark_of(triple) == triple ? Fate::kStays : Fate::kLeavesMark;
}

// --- beside writers -----------------------------------------------------------------------------

void Redaction::note_mark(const Statement& mark) { marks_.push_back(StatementHash()(mark)); }

bool Redaction::needs_erased(const Triple& triple) const {
  if (erased(static_cast<std::uint32_t>(triple.subject))) return true;
  if (triple.object.is_entity() && erased(triple.object.code)) return true;
  if (triple.object.tag() == Tag::kLiteral && erased_term(triple.object.place())) return true;
  switch (triple.predicate.predicate_class()) {
    case PredicateClass::kLink:
      return erased(static_cast<std::uint32_t>(triple.predicate.as_link()));
    case PredicateClass::kStructural:
      return false;
    case PredicateClass::kAttribute:
    case PredicateClass::kMetadata:
      return erased_term(triple.predicate.key().place());
  }
  return false;
}

Result<bool> Redaction::leaves_plan(const LogEntry& entry) const {
  const std::string& source = entry.origin.source;
  if (is_archived(entry) || is_redacted(entry) || source == kForgetSource ||
      source == kCompactSource || (!entry.seal.empty() && entry.payload.empty()))
    return false;
  bool holds = true;
  ANIMA_TRY(visit_erasures(entry, [&](const std::string&) { holds = false; }));
  if (!holds) return false;
  ANIMA_TRY(read_operations(entry.payload, [&](const Operation& operation) -> Status {
    if (operation.kind == OperationKind::kConcept) {
      const Term name = operation.triple.object;
      holds = holds && !erased(static_cast<std::uint32_t>(operation.type)) &&
              !(name.tag() == Tag::kLiteral && erased_term(name.place()));
    }
    if (operation.kind == OperationKind::kQuote) holds = holds && !needs_erased(operation.triple);
    return each_unit(operation, [&](const Unit& unit) -> Status {
      holds =
          holds && !needs_erased(unit.statement.triple) && !(unit.id != 0 && erased(unit.id)) &&
          !(unit.asserts && std::ranges::binary_search(marks_, StatementHash()(unit.statement)));
      return {};
    });
  }));
  return holds;
}

Result<bool> Redaction::still_holds() {
  bool holds = true;
  ANIMA_TRY(space_.changes(seen_, [&](const LogEntry& entry) -> Status {
    if (!holds) return {};
    ANIMA_ASSIGN(holds, leaves_plan(entry));
    return {};
  }));
  return holds;
}

Status Redaction::count_cut(const LogEntry& entry) {
  if (!is_redacted(entry)) return {};
  ANIMA_ASSIGN(const LogEntry there, stored(entry));
  left_digests_.add(view_of(left_digest(there)));
  return {};
}

}  // namespace anima::store::detail
