#include "store/space/redaction.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "store/base/bulk_rows.h"
#include "store/base/value_code.h"
#include "store/log/archived.h"
#include "store/log/attachment.h"
#include "store/log/entry_codec.h"
#include "store/log/redacted.h"

namespace anima::store::detail {
namespace {

void set_bit(std::vector<bool>& bits, std::size_t at) {
  if (at >= bits.size()) bits.resize(std::max(at + 1, bits.size() * 2), false);
  bits[at] = true;
}

bool is_link(const Triple& triple) {
  return triple.predicate.predicate_class() == PredicateClass::kLink;
}

std::uint32_t number_of(EntityId entity) { return static_cast<std::uint32_t>(entity); }

bool is_sealed_away(const LogEntry& entry) { return !entry.seal.empty() && entry.payload.empty(); }

}  // namespace

std::size_t Redaction::StatementHash::operator()(const Statement& statement) const {
  std::uint64_t mixed = number_of(statement.triple.subject);
  for (const std::uint32_t part :
       {statement.triple.predicate.code, statement.triple.object.code, statement.graph}) {
    mixed = (mixed ^ part) * 0x9e3779b97f4a7c15ull;
    mixed ^= mixed >> 29;
  }
  return static_cast<std::size_t>(mixed);
}

Status Redaction::each_unit(const Operation& operation,
                            const std::function<Status(const Unit&)>& visit) {
  switch (operation.kind) {
    case OperationKind::kAssert:
      return visit({true,
                    {operation.triple, operation.graph},
                    is_link(operation.triple) ? operation.id : 0,
                    operation.provenance,
                    operation.said});
    case OperationKind::kRetract:
      return visit({false, {operation.triple, operation.graph}});
    case OperationKind::kBulk: {
      ANIMA_ASSIGN(const std::vector<BulkRow> rows, decode_rows(operation.text));
      std::uint32_t id = operation.id;
      for (const BulkRow& row : rows) {
        const Triple triple{row.s.typed(), row.p.typed(), row.o.typed()};
        ANIMA_TRY(visit(
            {true, {triple, operation.graph}, row.is_link() ? id++ : 0, operation.provenance}));
      }
      return {};
    }
    default:
      return {};
  }
}

bool Redaction::is_whole(const LogEntry& entry) const {
  return what_.entries && entry.sequence != Sequence{1} && what_.entries(entry);
}

// --- which statements go ------------------------------------------------------------------------

void Redaction::define(std::uint32_t id, Definition::Kind kind, const Triple& triple) {
  if (id >= definitions_.size()) {
    definitions_.resize(std::max<std::size_t>(id + std::size_t{1}, definitions_.size() * 2));
  }
  if (definitions_[id].kind == Definition::Kind::kNone) definitions_[id] = {kind, triple};
}

bool Redaction::is_vocabulary(EntityId entity) const {
  const std::uint32_t id = number_of(entity);
  if (id >= definitions_.size() || definitions_[id].kind != Definition::Kind::kConcept) {
    return id != 0 && id <= number_of(kEntityType);
  }
  const EntityId type = definitions_[id].triple.subject;
  return type == kConceptType || type == kPropositionType;
}

bool Redaction::touches_gone(const Triple& triple) const {
  return gone(number_of(triple.subject)) || (triple.object.is_entity() && gone(triple.object.code));
}

bool Redaction::says_gone_value(const Statement& statement) const {
  const Triple& triple = statement.triple;
  if (triple.object.tag() == Tag::kInteger) {
    return gone_numbers_.contains(triple.object.code) && !books_.contains(statement.graph) &&
           !is_vocabulary(triple.subject);
  }
  if (triple.object.tag() != Tag::kLiteral) return false;
  const std::uint32_t place = triple.object.place();
  if (place < gone_texts_.size() && gone_texts_[place]) return true;
  if (books_.contains(statement.graph) && words_of_books_.contains(place)) return false;
  return place < gone_values_.size() && gone_values_[place] && !is_vocabulary(triple.subject);
}

bool Redaction::has_gone_key(const Triple& triple) const {
  const PredicateClass kind = triple.predicate.predicate_class();
  if (kind != PredicateClass::kAttribute && kind != PredicateClass::kMetadata) return false;
  const std::uint32_t place = triple.predicate.key().place();
  return place < gone_keys_.size() && gone_keys_[place];
}

Status Redaction::check_not_used(EntityId entity) const {
  if (!gone(number_of(entity))) return {};
  return fail(ErrorCode::kConflict, "it is a type or a predicate that others use",
              "C:" + std::to_string(number_of(entity)), "forget what uses it first");
}

Status Redaction::find_claims(const LogEntry& entry) {
  claimed_.clear();
  claimed_otherwise_.clear();
  if (!what_.claim || entry.sequence == Sequence{1} || entry.origin.trust == Trust::kSystem)
    return {};
  const Predicate key = Predicate::metadata(what_.claim->key);
  return read_operations(entry.payload, [&](const Operation& operation) {
    return each_unit(operation, [&](const Unit& unit) -> Status {
      const Triple& triple = unit.statement.triple;
      if (!unit.asserts || triple.predicate != key) return {};
      const bool claims = triple.object == what_.claim->value;
      (claims ? claimed_ : claimed_otherwise_).insert(number_of(triple.subject));
      return {};
    });
  });
}

// A link that says where it is from is its own; any other is from where its subject is.
bool Redaction::is_claimed(const Unit& unit) const {
  if (claimed_.empty() || is_vocabulary(unit.statement.triple.subject)) return false;
  if (claimed_.contains(unit.id)) return true;
  return !claimed_otherwise_.contains(unit.id) &&
         claimed_.contains(number_of(unit.statement.triple.subject));
}

bool Redaction::is_of_gone_provenance(const Unit& unit) const {
  return unit.provenance != 0 && gone_provenances_.contains(unit.provenance);
}

// What a fading, a merge or an undo wrote again is the word of who said it, whose entry is before
// this one.
bool Redaction::is_of_gone_teller(const Unit& unit, bool whole) const {
  if (unit.said == 0) return whole;
  return unit.said < whole_.size() && whole_[unit.said];
}

Status Redaction::choose_unit(const Unit& unit, bool whole) {
  const Triple& triple = unit.statement.triple;
  if (compacts()) {
    choose_dead(unit);
    return {};
  }
  if (triple.predicate == kTypePredicate && !gone(number_of(triple.subject)) &&
      triple.object.is_entity()) {
    ANIMA_TRY(check_not_used(triple.object.as_entity()));
  }
  bool goes = touches_gone(triple) || says_gone_value(unit.statement) || has_gone_key(triple);
  if (unit.id != 0) {
    define(unit.id, Definition::Kind::kLink, triple);
    if (goes) set_bit(gone_, unit.id);
    if (!goes && gone(unit.id)) gone_links_.insert({triple, 0});
  }
  goes = goes || (is_link(triple) && gone_links_.contains({triple, 0}));
  if (is_link(triple) && !goes) ANIMA_TRY(check_not_used(triple.predicate.as_link()));
  if (unit.asserts) {
    const bool of_whole = is_of_gone_teller(unit, whole) || is_of_gone_provenance(unit);
    goes = goes || (of_whole && !is_vocabulary(triple.subject)) || is_claimed(unit);
  } else if (!goes && left_.contains(unit.statement)) {
    // Nobody who stays had stated it.
    goes = !kept_.contains(unit.statement);
  }
  if (goes && triple.predicate == kTypePredicate && !touches_gone(triple))
    existences_.push_back({dropped_.size(), triple});
  dropped_.push_back(goes);
  const bool by_teller = what_.entries || what_.claim || !gone_provenances_.empty();
  if (by_teller && unit.asserts) (goes ? left_ : kept_).insert(unit.statement);
  return {};
}

Status Redaction::choose_in(const LogEntry& entry) {
  if (is_archived(entry)) return archived_error(entry.sequence);
  ANIMA_TRY(go_on());
  if (is_sealed_away(entry)) return {};
  reading_ = entry.sequence;
  const bool whole = is_whole(entry);
  if (whole) set_bit(whole_, static_cast<std::size_t>(entry.sequence));
  ANIMA_TRY(find_claims(entry));
  return read_operations(entry.payload, [&](const Operation& operation) -> Status {
    if (operation.kind == OperationKind::kConcept) {
      if (!gone(operation.id)) ANIMA_TRY(check_not_used(operation.type));
      Triple triple;
      triple.subject = operation.type;
      triple.object = operation.triple.object;
      define(operation.id, Definition::Kind::kConcept, triple);
      return {};
    }
    if (operation.kind == OperationKind::kQuote) {
      define(operation.id, Definition::Kind::kLink, operation.triple);
      if (touches_gone(operation.triple)) set_bit(gone_, operation.id);
      return {};
    }
    if (operation.kind == OperationKind::kDropGraph) drop_standing(operation.graph);
    return each_unit(operation, [&](const Unit& unit) { return choose_unit(unit, whole); });
  });
}

Status Redaction::choose() {
  if (compacts()) ANIMA_TRY(find_withdrawn());
  for (const EntityId entity : what_.entities) {
    if (entity == EntityId::kNone || number_of(entity) <= number_of(kEntityType)) {
      return fail(ErrorCode::kDenied, "no space is without it",
                  "C:" + std::to_string(number_of(entity)));
    }
    set_bit(gone_, number_of(entity));
  }
  for (const Term value : what_.values) {
    if (value.tag() == Tag::kLiteral) set_bit(gone_values_, value.place());
    if (value.tag() == Tag::kInteger) gone_numbers_.insert(value.code);
  }
  for (const Term text : what_.texts) set_bit(gone_texts_, text.place());
  for (const Term key : what_.keys) set_bit(gone_keys_, key.place());
  gone_provenances_.insert(what_.provenances.begin(), what_.provenances.end());
  for (const auto& [literal, text] : what_.rewritten) rewritten_.emplace(literal.place(), text);
  for (const GraphId graph : what_.graphs) renamed_.insert(static_cast<std::uint32_t>(graph));
  for (const GraphId graph : what_.books) books_.insert(static_cast<std::uint32_t>(graph));
  for (const Term word : what_.words_of_books) words_of_books_.insert(word.place());
  return each_entry([this](const LogEntry& entry) { return choose_in(entry); });
}

Status Redaction::each_entry(const std::function<Status(const LogEntry&)>& visit) {
  bool past = false;
  const Status read = space_.changes(Sequence::kNone, [&](const LogEntry& entry) -> Status {
    past = entry.sequence > seen_;
    if (past) return fail(ErrorCode::kCancelled, "that is all");
    return visit(entry);
  });
  return past ? Status() : read;
}

// --- what nobody needs any more -----------------------------------------------------------------

void Redaction::mark_entity(std::uint32_t id, bool used) { set_bit(used ? used_ : touched_, id); }
void Redaction::mark_term(std::uint32_t place, bool used) {
  set_bit(used ? used_terms_ : touched_terms_, place);
}

void Redaction::mark_parts(const Triple& triple, bool link, bool used) {
  if (triple.subject != EntityId::kNone) mark_entity(number_of(triple.subject), used);
  if (triple.object.is_entity()) mark_entity(triple.object.code, used);
  if (triple.object.tag() == Tag::kLiteral) mark_term(triple.object.place(), used);
  if (link) {
    mark_entity(number_of(triple.predicate.as_link()), used);
  } else if (triple.predicate.code != 0 &&
             triple.predicate.predicate_class() >= PredicateClass::kAttribute) {
    mark_term(triple.predicate.key().place(), used);
  }
}

Status Redaction::mark() {
  std::size_t unit_number = 0;
  ANIMA_TRY(each_entry([&](const LogEntry& entry) -> Status {
    ANIMA_TRY(go_on());
    if (is_sealed_away(entry)) return {};
    return read_operations(entry.payload, [&](const Operation& operation) -> Status {
      const bool defines =
          operation.kind == OperationKind::kConcept || operation.kind == OperationKind::kQuote;
      if (defines && gone(operation.id)) mark_entity(operation.id, false);
      return each_unit(operation, [&](const Unit& unit) -> Status {
        const std::size_t number = unit_number++;
        // Somebody changed the log meanwhile; still_holds() will say so.
        if (number >= dropped_.size()) return {};
        if (compacts() && dropped_[number] && says_mark_of(unit.statement))
          dropped_[number] = false;
        const bool stays = !dropped_[number];
        mark_parts(unit.statement.triple, is_link(unit.statement.triple), stays);
        if (!stays && compacts()) mark_key(unit.statement.triple);
        if (unit.id != 0) mark_entity(unit.id, stays);
        return {};
      });
    });
  }));
  keep_existences();
  settle_definitions();
  return {};
}

void Redaction::keep_existences() {
  for (const Existence& existence : existences_) {
    const std::uint32_t id = number_of(existence.triple.subject);
    if (id >= used_.size() || !used_[id]) continue;
    dropped_[existence.unit] = false;
    mark_parts(existence.triple, false, true);
  }
}

// A definition names only what has a lower number, but for the first type, which is its own.
void Redaction::settle_definitions() {
  erased_.assign(definitions_.size(), false);
  for (std::size_t id = definitions_.size(); id-- > 0;) {
    const Definition& definition = definitions_[id];
    if (definition.kind == Definition::Kind::kNone) continue;
    const bool used = id < used_.size() && used_[id];
    const bool touched = id < touched_.size() && touched_[id];
    erased_[id] = touched && !used;
    mark_parts(definition.triple, definition.kind == Definition::Kind::kLink, !erased_[id]);
  }
}

// --- the entries that change --------------------------------------------------------------------

// The operations of one entry without what goes.
class Redaction::Rewriter {
 public:
  Rewriter(Redaction& plan, std::size_t& unit, std::uint32_t& next_entity)
      : plan_(plan), unit_(unit), next_entity_(next_entity) {}

  Status add(const Operation& operation, const LogEntry& entry, bool without_attachment);
  bool changed() const { return changed_; }
  std::string take() {
    flush();
    return out_.take();
  }

 private:
  void write(const Operation& operation) {
    flush();
    out_.write(operation);
  }
  void flush() {
    if (entities_ == 0 && terms_ == 0) return;
    Operation taken;
    taken.kind = OperationKind::kTaken;
    taken.id = std::exchange(entities_, 0);
    taken.graph = std::exchange(terms_, 0);
    out_.write(taken);
  }
  void take_entity(std::uint32_t id) {
    entities_ = std::max(entities_, id + 1);
    changed_ = true;
  }
  bool defines(std::uint32_t id) {
    if (id < next_entity_) return false;
    next_entity_ = id + 1;
    return true;
  }
  // What is left of a link's definition when its statement goes.
  void drop_link(const Triple& triple, std::uint32_t id) {
    if (!defines(id)) return;
    if (plan_.erased(id)) return take_entity(id);
    Operation quote;
    quote.kind = OperationKind::kQuote;
    quote.id = id;
    quote.triple = triple;
    write(quote);
  }
  Status add_assert(const Operation& operation, const LogEntry& entry);
  Status add_bulk(const Operation& operation, const LogEntry& entry);
  void write_mark(const Operation& operation);
  void tell_gone(Fate fate, const ForgottenStatement& statement);
  Status add_record(const Operation& operation, const LogEntry& entry);
  Status add_graph(const Operation& operation);
  Status rewrite_term(const Operation& operation, std::string_view text);

  Redaction& plan_;
  std::size_t& unit_;
  std::uint32_t& next_entity_;
  OperationWriter out_;
  std::uint32_t entities_ = 0, terms_ = 0;  // bounds of what was taken and is not written yet
  bool changed_ = false;
};

Status Redaction::Rewriter::add_bulk(const Operation& operation, const LogEntry& entry) {
  ANIMA_ASSIGN(std::vector<BulkRow> rows, decode_rows(operation.text));
  const std::size_t first_unit = unit_;
  unit_ += rows.size();
  std::uint32_t id = operation.id;
  const auto part = [&](std::uint32_t first, const std::vector<BulkRow>& staying) {
    if (staying.empty()) return;
    const std::string text = encode_rows(staying);
    Operation one = operation;
    one.id = first;
    one.text = text;
    write(one);
  };
  std::vector<BulkRow> staying;
  std::vector<Triple> marks;
  std::uint32_t first = id;
  bool any = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const BulkRow& row = rows[i];
    const Triple triple{row.s.typed(), row.p.typed(), row.o.typed()};
    const Fate fate = plan_.fate_of(first_unit + i, triple, row.is_link() ? id : 0);
    const bool goes = fate != Fate::kStays;
    any = any || goes;
    if (fate == Fate::kLeavesMark) marks.push_back(plan_.mark_of(triple));
    if (goes) tell_gone(fate, {entry.sequence, triple, static_cast<GraphId>(operation.graph)});
    if (!goes) {
      staying.push_back(row);
    } else if (row.is_link()) {
      part(first, staying);
      staying.clear();
      next_entity_ = std::max(next_entity_, id);
      drop_link(triple, id);
      first = id + 1;
    }
    if (row.is_link()) ++id;
  }
  next_entity_ = std::max(next_entity_, id);
  changed_ = changed_ || any;
  if (any) {
    part(first, staying);
  } else {
    write(operation);
  }
  for (const Triple& mark : marks) {
    plan_.note_mark({mark, operation.graph});
    Operation one = operation;
    one.kind = OperationKind::kAssert;
    one.id = 0;
    one.triple = mark;
    one.text = {};
    write(one);
  }
  return {};
}

void Redaction::Rewriter::tell_gone(Fate fate, const ForgottenStatement& statement) {
  if (!plan_.compacts()) {
    plan_.report_.statements.push_back(statement);
  } else {
    ++(fate == Fate::kGoes ? plan_.totals_.statements : plan_.totals_.emptied);
  }
}

Status Redaction::Rewriter::add_record(const Operation& operation, const LogEntry& entry) {
  ANIMA_ASSIGN(const RecordFate fate,
               plan_.judge(static_cast<RecordKind>(operation.id), operation.text, entry));
  if (fate.kind == RecordFate::Kind::kStays) {
    write(operation);
    return {};
  }
  changed_ = true;
  ++plan_.report_.records;
  if (fate.kind == RecordFate::Kind::kGoes) return {};
  Operation changed = operation;
  changed.text = fate.text;
  write(changed);
  return {};
}

Status Redaction::Rewriter::add_graph(const Operation& operation) {
  if (!plan_.renamed_.contains(operation.id)) {
    write(operation);
    return {};
  }
  const std::string name = "urn:forgotten:graph:" + std::to_string(operation.id);
  Operation changed = operation;
  changed.text = name;
  changed_ = changed_ || name != operation.text;
  if (name != operation.text) ++plan_.report_.graphs;
  write(changed);
  return {};
}

Status Redaction::Rewriter::add_assert(const Operation& operation, const LogEntry& entry) {
  const Fate fate = plan_.fate_of(unit_++, operation.triple, operation.id);
  const bool link = is_link(operation.triple);
  if (fate == Fate::kStays) {
    if (link) (void)defines(operation.id);
    write(operation);
    return {};
  }
  changed_ = true;
  tell_gone(fate, {entry.sequence, operation.triple, static_cast<GraphId>(operation.graph)});
  if (link) drop_link(operation.triple, operation.id);
  if (fate == Fate::kLeavesMark) write_mark(operation);
  return {};
}

void Redaction::Rewriter::write_mark(const Operation& operation) {
  Operation mark = operation;
  mark.triple = plan_.mark_of(operation.triple);
  mark.id = 0;
  plan_.note_mark({mark.triple, mark.graph});
  write(mark);
}

Status Redaction::Rewriter::add(const Operation& operation, const LogEntry& entry,
                                bool without_attachment) {
  switch (operation.kind) {
    case OperationKind::kTerm:
      if (const auto text = plan_.rewritten_.find(operation.id);
          text != plan_.rewritten_.end() && !plan_.erased_term(operation.id))
        return rewrite_term(operation, text->second);
      if (!plan_.erased_term(operation.id)) break;
      terms_ = std::max(terms_, operation.id + 1);
      changed_ = true;
      ++plan_.report_.values;
      return {};
    case OperationKind::kConcept:
    case OperationKind::kQuote:
      (void)defines(operation.id);
      if (!plan_.erased(operation.id)) break;
      if (operation.kind == OperationKind::kConcept) ++plan_.report_.things;
      take_entity(operation.id);
      return {};
    case OperationKind::kAssert:
      return add_assert(operation, entry);
    case OperationKind::kRetract: {
      const Fate fate = plan_.fate_of(unit_++, operation.triple, 0);
      if (fate == Fate::kStays) break;
      changed_ = true;
      if (fate == Fate::kLeavesMark) write_mark(operation);
      return {};
    }
    case OperationKind::kBulk:
      return add_bulk(operation, entry);
    case OperationKind::kRecord:
      return add_record(operation, entry);
    case OperationKind::kTaken:
      next_entity_ = std::max(next_entity_, operation.id);
      break;
    case OperationKind::kAttachment:
      if (!without_attachment) break;
      changed_ = true;
      return {};
    case OperationKind::kGraph:
      return add_graph(operation);
    case OperationKind::kDropGraph:
    case OperationKind::kAct:
      break;
  }
  write(operation);
  return {};
}

// The same literal with another text.
Status Redaction::Rewriter::rewrite_term(const Operation& operation, std::string_view text) {
  ANIMA_ASSIGN(const Value json, parse_json(text).map(Value::from_json));
  std::string stored;
  encode_value(json.view(), stored);
  Operation rewritten = operation;
  rewritten.text = stored;
  changed_ = changed_ || stored != operation.text;
  if (stored != operation.text) ++plan_.report_.values;
  write(rewritten);
  return {};
}

Result<RecordFate> Redaction::judge(RecordKind kind, std::string_view payload,
                                    const LogEntry& entry) {
  if (!what_.record) return RecordFate{};
  ANIMA_ASSIGN(RecordFate fate, what_.record(
                                    kind, payload,
                                    [this](EntityId entity) {
                                      return gone(number_of(entity)) ||
                                             claimed_.contains(number_of(entity));
                                    },
                                    is_whole(entry)));
  if (!fate.note.empty()) {
    report_.stays.push_back(entry_place(entry.sequence) + ": " + std::exchange(fate.note, {}));
  }
  return fate;
}

// Attached records are pruned together or not at all.
Result<bool> Redaction::attachment_goes(const LogEntry& entry) {
  if (!detail::has_attachment(entry)) return false;
  ANIMA_ASSIGN(const std::string attachment, space_.log().attachment(entry.sequence));
  if (attachment.empty()) return false;
  bool goes = is_whole(entry);
  ANIMA_ASSIGN(const std::string_view records, attached_records(entry, attachment));
  ANIMA_TRY(
      visit_encoded_records(records, [&](RecordKind kind, std::string_view payload) -> Status {
        ANIMA_ASSIGN(const RecordFate fate, judge(kind, payload, entry));
        goes = goes || fate.kind != RecordFate::Kind::kStays;
        return {};
      }));
  return goes;
}

// Under the newest key of the name; the bounds of the ids stay in the clear.
Status Redaction::seal_again(LogEntry& rest) {
  ANIMA_ASSIGN(const LogEntry stored, space_.log().entry(rest.sequence));
  ByteReader bounds(stored.payload);
  for (int i = 0; i < 3; ++i) ANIMA_TRY(bounds.varint().map([](std::uint64_t) {}));
  ANIMA_ASSIGN(const SealedText sealed,
               space_.seal(rest.seal.substr(0, rest.seal.rfind('#')), rest.payload));
  rest.seal = sealed.seal;
  rest.payload = stored.payload.substr(0, stored.payload.size() - bounds.remaining());
  rest.payload += sealed.bytes;
  return {};
}

Status Redaction::rewrite(const Replace& replace) {
  std::size_t unit = 0;
  std::uint32_t next_entity = 1;
  bool past = false;
  const Status read = space_.changes(Sequence::kNone, [&](const LogEntry& entry) -> Status {
    past = entry.sequence > (compacts() ? until_ : seen_);
    if (past) return fail(ErrorCode::kCancelled, "that is all");
    ANIMA_TRY(go_on());
    if (is_sealed_away(entry)) {
      ANIMA_ASSIGN(const LogEntry sealed, space_.log().entry(entry.sequence));
      ByteReader bounds(sealed.payload);
      ANIMA_ASSIGN(const std::uint64_t entities, bounds.varint());
      next_entity = std::max(next_entity, static_cast<std::uint32_t>(entities));
      return count_cut(sealed);
    }
    ANIMA_TRY(find_claims(entry));
    Rewriter rewriter(*this, unit, next_entity);
    ANIMA_ASSIGN(const bool attachment, attachment_goes(entry));
    ANIMA_TRY(read_operations(entry.payload, [&](const Operation& operation) {
      return rewriter.add(operation, entry, attachment);
    }));
    const Origin origin = origin_without(entry.origin);
    const bool renamed =
        origin.author != entry.origin.author || origin.source != entry.origin.source;
    if (!rewriter.changed() && !renamed) return compacts() ? count_cut(entry) : Status();
    return replace_by(rewriter.take(), entry, attachment, replace);
  });
  return past ? Status() : read;
}

Origin Redaction::origin_without(const Origin& origin) const {
  // The author and the source of what the program writes for itself are words that it reads.
  if (!what_.header || origin.trust == Trust::kSystem) return origin;
  Origin without = origin;
  without.author = what_.header(origin.author);
  without.source = what_.header(origin.source);
  return without;
}

Status Redaction::replace_by(std::string payload, const LogEntry& entry, bool attachment,
                             const Replace& replace) {
  if (attachment) ++report_.attachments;
  ANIMA_ASSIGN(const LogEntry before, stored(entry));
  LogEntry rest = entry;
  rest.payload = std::move(payload);
  rest.origin = origin_without(entry.origin);
  if (!rest.seal.empty() && !dry_) ANIMA_TRY(seal_again(rest));
  const bool attached = detail::has_attachment(entry) && !attachment;
  rest.format = (attached ? kTakenAttachedFormat : kTakenFormat) + (has_act(entry) ? kWithAct : 0);
  ForgottenEntry changed{entry.sequence, entry.hash, left_digest(rest), {}};
  if (is_redacted(before)) changed.before = left_digest(before);
  totals_.before += before.payload.size();
  totals_.left += rest.payload.size();
  if (compacts()) left_digests_.add(view_of(changed.left));
  ANIMA_TRY(replace(rest));
  report_.entries.push_back(changed);
  return {};
}

Result<ForgetReport> Redaction::run(const Replace& replace) {
  ANIMA_ASSIGN(const Head head, space_.log().head());
  seen_ = head.sequence;
  ANIMA_TRY(choose());
  ANIMA_TRY(mark());
  ANIMA_TRY(rewrite(replace));
  totals_.cut = left_digests_.count();
  totals_.digest = left_digests_.finish();
  std::ranges::sort(marks_);
  return std::move(report_);
}

Status Redaction::go_on() {
  constexpr std::uint64_t kStep = 1024;
  if (++read_ % kStep != 0 || !progress_ || progress_(read_)) return {};
  return fail(ErrorCode::kCancelled, "stopped before anything was changed");
}

// As the log holds it.
Result<LogEntry> Redaction::stored(const LogEntry& entry) const {
  if (entry.seal.empty()) return entry;
  return space_.log().entry(entry.sequence);
}

}  // namespace anima::store::detail
