#include "load/write/load_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <tuple>

#include "base/text/text.h"
#include "load/map/column_profile.h"
#include "load/write/cell_values.h"
#include "load/write/identities.h"
#include "load/write/kept_mapping.h"
#include "load/write/row_places.h"
#include "memory/provenance.h"
#include "store/bulk.h"
#include "store/holds.h"
#include "store/restate.h"

namespace anima::load {
namespace {

using store::EntityId;
using store::Predicate;
using store::Term;
using store::Triple;

constexpr std::size_t kMaxWrongShown = 5;
constexpr std::uint64_t kRowsBetweenLooks = 4096;

// All that a load knows of one type.
struct TypeState {
  std::string name;
  EntityId id = EntityId::kNone;
  std::unique_ptr<Identities> known;
  const NameMaker* namer = nullptr;  // of the table that brings it
  bool number_key = false;
  std::vector<std::uint32_t> old;      // of the rows' things, those that were there
  std::set<std::uint32_t> predicates;  // that its tables map
  std::set<std::uint64_t> records;     // of its tables' earlier loads
};

struct PlannedColumn {
  const ColumnMapping* mapping = nullptr;
  std::size_t place = 0;  // in the row
  Predicate predicate;
  TypeState* target = nullptr;
};

// A link to something that no row describes so far: made at the end, type by type.
struct PendingLink {
  EntityId subject;
  Predicate predicate;
  std::size_t name;  // in the target's list
};
struct Mentioned {
  std::map<std::string, std::size_t> places;
  std::vector<std::pair<std::string, Term>> names;  // with the key, or no term
  std::vector<PendingLink> links;
};

// What the rows say of a thing that was there.
struct Wanted {
  Triple triple;
  std::uint32_t table = 0;
  bool operator<(const Wanted& other) const { return triple < other.triple; }
};

struct TableState {
  const SourceTable* source = nullptr;
  const TableMapping* mapping = nullptr;
  TypeState* type = nullptr;
  EntityId type_id = EntityId::kNone;
  std::unique_ptr<NameMaker> namer;
  std::unique_ptr<store::BulkWriter> bulk;
  std::uint64_t record = 0;  // provenance
  KeptMapping kept;
  std::vector<PlannedColumn> columns;
  std::vector<EntityId> things;  // by row
  RowPlaces places;
  TableReport report;
};

class LoadWriter {
 public:
  LoadWriter(store::Transaction& transaction, const std::vector<WritableTable>& tables,
             const Mapping& kept, const WriteHooks& hooks)
      : transaction_(transaction),
        before_(transaction.view()),
        own_graph_({store::GraphId::kDefault}),
        stated_(before_.in_graphs(own_graph_)),
        trust_(before_.entry(before_.sequence()).trust),
        first_new_(before_.entity_bound()),
        kept_(kept),
        hooks_(hooks),
        provenance_(transaction) {
    for (const WritableTable& table : tables) {
      TableState& state = tables_.emplace_back();
      state.source = table.source;
      state.mapping = table.mapping;
    }
  }

  Result<Written> run() {
    for (TableState& table : tables_) ANIMA_TRY(prepare(table));
    for (TableState& table : tables_) ANIMA_TRY(plan_columns(table));
    for (TableState& table : tables_) ANIMA_TRY(name_rows(table));
    for (TableState& table : tables_) ANIMA_TRY(read_rows(table));
    ANIMA_TRY(refuse_wrong_cells());
    for (TableState& table : tables_) ANIMA_TRY(make_mentioned(table));
    ANIMA_TRY(write_differences());
    types_.clear();  // what named things is not needed any more
    for (TableState& table : tables_) {
      table.things = {};
      ANIMA_TRY(table.bulk->finish());
    }
    ANIMA_TRY(keep());
    Written written;
    for (TableState& table : tables_) written.tables.push_back(table.report);
    written.notes = std::move(notes_);
    return written;
  }

 private:
  bool is_old(EntityId entity) const { return static_cast<std::uint32_t>(entity) < first_new_; }

  // --- types, keys, columns

  TypeState& type_state(const std::string& name) {
    auto& state = types_[name];
    if (state == nullptr) {
      state = std::make_unique<TypeState>();
      state->name = name;
      state->id = before_.find_type(name).value_or(EntityId::kNone);
    }
    return *state;
  }

  Status define_type(TypeState& type, const std::string& file) {
    if (type.name.starts_with('$')) {
      return fail(ErrorCode::kDenied, "\"" + type.name + "\" is a type of Anima's own", file,
                  "choose another with --type");
    }
    if (type.id != EntityId::kNone) return {};
    ANIMA_ASSIGN(type.id, transaction_.upsert_type(type.name, options_));
    const store::Value said = store::Value::string("Loaded from " + file);
    ANIMA_ASSIGN(const Term term, transaction_.term(said.view()));
    return transaction_.set_attribute(type.id, "description", std::span(&term, 1), options_);
  }

  Status prepare(TableState& table) {
    table.report.file = table.source->file;
    table.report.table = table.source->name;
    table.report.type = table.mapping->type;
    table.kept = kept_mapping(before_, table.mapping->table);
    table.namer = std::make_unique<NameMaker>(*table.mapping, table.source->columns);
    table.type = &type_state(table.mapping->type);
    table.type->records.insert(table.kept.records.begin(), table.kept.records.end());
    ANIMA_TRY(define_type(*table.type, table.source->file));
    table.type_id = table.type->id;
    const std::string key = key_attribute_of(*table.mapping);
    if (table.type->known == nullptr) {
      table.type->known =
          std::make_unique<Identities>(before_, transaction_.live(), table.type->id, key);
      table.type->namer = table.namer.get();
      if (!key.empty())
        table.type->number_key =
            table.mapping->find(table.mapping->key[0])->form.type == ValueType::kInteger;
    } else if (table.type->known->key_attribute() != key) {
      return fail(ErrorCode::kInvalidArgument,
                  "two tables bring things of the type " + table.type->name +
                      " and tell them apart in two ways",
                  table.source->file, "load them one after the other, or give one another type");
    }
    table.record = provenance_.next_id() + tables_done_++;
    store::AssertOptions options = options_;
    options.provenance = table.record;
    table.bulk = std::make_unique<store::BulkWriter>(transaction_, options);
    return {};
  }

  // A type that a link names: brought by a table, mapped by an earlier load, or known by names.
  Status prepare_target(TypeState& type, const std::string& file) {
    if (type.known != nullptr) return {};
    ANIMA_TRY(define_type(type, file));
    std::string key;
    for (const TableMapping& mapping : kept_.tables) {
      if (mapping.type != type.name) continue;
      key = key_attribute_of(mapping);
      if (!key.empty())
        type.number_key = mapping.find(mapping.key[0])->form.type == ValueType::kInteger;
    }
    type.known = std::make_unique<Identities>(before_, transaction_.live(), type.id, key);
    return {};
  }

  Status plan_columns(TableState& table) {
    for (const ColumnMapping& column : table.mapping->columns) {
      if (column.role == ColumnRole::kSkip) continue;
      const auto& titles = table.source->columns;
      const auto found = std::find(titles.begin(), titles.end(), column.column);
      if (found == titles.end()) {
        notes_.push_back(fmt::format("{}: the column {} of its mapping is not there",
                                     table.source->file, column.column));
        continue;
      }
      PlannedColumn planned;
      planned.mapping = &column;
      planned.place = static_cast<std::size_t>(found - titles.begin());
      if (column.role == ColumnRole::kLink) {
        planned.target = &type_state(column.target);
        ANIMA_TRY(prepare_target(*planned.target, table.source->file));
        ANIMA_ASSIGN(const EntityId predicate, link_predicate(column.predicate));
        planned.predicate = Predicate::link(predicate);
      } else {
        ANIMA_ASSIGN(planned.predicate, attribute_predicate(column.attribute));
      }
      table.type->predicates.insert(planned.predicate.code);
      table.columns.push_back(planned);
    }
    return {};
  }

  Result<EntityId> link_predicate(const std::string& name) {
    if (const auto known = before_.find_predicate(name)) return *known;
    return transaction_.upsert_predicate(name, options_);
  }

  Result<Predicate> attribute_predicate(const std::string& key) {
    ANIMA_ASSIGN(const Term term, transaction_.term(store::Value::string(key).view()));
    return Predicate::attribute(term);
  }

  // --- things

  template <typename Visit>
  Status each_row(TableState& table, const Visit& visit) {
    ANIMA_ASSIGN(const auto reader, table.source->open());
    Row row;
    std::uint64_t rows = 0;
    for (;;) {
      ANIMA_ASSIGN(const bool more, reader->next(row));
      if (!more) break;
      ANIMA_TRY(visit(row, rows));
      if (++rows % kRowsBetweenLooks == 0) {
        if (hooks_.cancelled && hooks_.cancelled())
          return fail(ErrorCode::kCancelled, "interrupted; nothing was loaded");
        if (hooks_.progress) hooks_.progress(bytes_done_ + reader->position());
      }
    }
    bytes_done_ += table.source->bytes;
    if (hooks_.progress) hooks_.progress(bytes_done_);
    return {};
  }

  Status name_rows(TableState& table) {
    const std::string& key = table.type->known->key_attribute();
    std::size_t place = 0;
    ValueForm form;
    if (!key.empty()) {
      const auto& titles = table.source->columns;
      place = static_cast<std::size_t>(
          std::find(titles.begin(), titles.end(), table.mapping->key[0]) - titles.begin());
      form = table.mapping->find(table.mapping->key[0])->form;
    }
    if (!key.empty() && place >= table.source->columns.size())
      return fail(ErrorCode::kInvalidArgument,
                  "the key " + table.mapping->key[0] + " is no column of this file",
                  table.source->file);
    return each_row(table, [&](const Row& row, std::uint64_t) -> Status {
      ++table.report.rows;
      const std::string name = table.namer->make(row);
      EntityId thing = EntityId::kNone;
      if (key.empty()) {
        if (name.empty()) return no_name(table, row);
        ANIMA_ASSIGN(thing, named_thing_of(table, name));
      } else {
        ANIMA_ASSIGN(thing, keyed_thing_of(table, row, place, form, name));
      }
      if (thing != EntityId::kNone) table.places.add(thing, row.number);
      table.things.push_back(thing);
      return {};
    });
  }

  static Status no_name(const TableState& table, const Row& row) {
    return fail(ErrorCode::kInvalidArgument, "the key is empty",
                place_of(*table.source, row.number),
                "give every row its " + join(table.mapping->key, " and "));
  }

  Result<EntityId> make_thing(TableState& table, TypeState& type, const std::string& name) {
    ANIMA_ASSIGN(const EntityId thing, table.bulk->upsert_concept(type.id, name));
    type.known->put_name(name, thing);
    ++table.report.facts;
    return thing;
  }

  void note_thing(TableState& table, EntityId thing) {
    if (is_old(thing)) {
      table.type->old.push_back(static_cast<std::uint32_t>(thing));
    } else {
      ++table.report.created;
    }
  }

  Result<EntityId> named_thing_of(TableState& table, const std::string& name) {
    EntityId thing = table.type->known->find_name(name);
    if (thing != EntityId::kNone) {
      if (is_old(thing)) note_thing(table, thing);
      return thing;
    }
    ANIMA_ASSIGN(thing, make_thing(table, *table.type, name));
    note_thing(table, thing);
    return thing;
  }

  Result<EntityId> keyed_thing_of(TableState& table, const Row& row, std::size_t place,
                                  const ValueForm& form, std::string name) {
    store::ValueView value;
    std::string own;
    const CellReading read = read_cell(row.cells[place], form, value, own);
    if (read == CellReading::kWrong) {
      wrong_cell(table, row, table.mapping->key[0], row.cells[place], form);
      return EntityId::kNone;
    }
    if (read == CellReading::kNothing) return fail(no_name(table, row).error());
    ANIMA_ASSIGN(const Term key, table.bulk->term(value));
    EntityId thing = table.type->known->find_key(key);
    if (thing != EntityId::kNone) {
      if (is_old(thing)) {
        note_thing(table, thing);
        note_renamed(table, thing, name);
      }
      return thing;
    }
    std::string key_own;
    const std::string key_text(cell_text(row.cells[place], key_own));
    if (name.empty()) name = table.type->name + " " + key_text;
    thing = table.type->known->find_name(name);
    const bool may_take = thing != EntityId::kNone && is_old(thing) &&
                          table.type->known->has_no_key(thing) && taken_.insert(thing).second;
    if (thing != EntityId::kNone && !may_take) name += " (" + key_text + ")";
    if (!may_take) {
      thing = table.type->known->find_name(name);
      if (thing == EntityId::kNone) {
        ANIMA_ASSIGN(thing, make_thing(table, *table.type, name));
      }
    }
    table.type->known->put_key(key, thing);
    note_thing(table, thing);
    return thing;
  }

  // A concept keeps its name; what its row calls it now is another name of it.
  void note_renamed(TableState& table, EntityId thing, const std::string& name) {
    const std::string_view now = before_.name(thing);
    if (name.empty() || now == name || now.starts_with(name + " (")) return;
    if (renamed_.size() < 1000) renamed_.emplace_back(&table, thing, name);
  }

  // --- what rows say

  void wrong_cell(TableState& table, const Row& row, const std::string& column, const Cell& cell,
                  const ValueForm& form) {
    ++wrong_count_;
    if (wrong_.size() >= kMaxWrongShown) return;
    wrong_.push_back(place_of(*table.source, row.number, column) + ": " + wrong_words(cell, form));
    if (wrong_column_.empty()) wrong_column_ = column;
  }

  Status refuse_wrong_cells() {
    if (wrong_count_ == 0) return {};
    std::string message = join(wrong_, "; ");
    if (wrong_count_ > wrong_.size())
      message += fmt::format("; and {} more", wrong_count_ - wrong_.size());
    return fail(
        ErrorCode::kInvalidArgument, message + "; nothing was loaded", {},
        fmt::format("mend the cell{}, or load the column as text: --as {}=text",
                    wrong_count_ == 1 ? "" : "s",
                    wrong_column_.find(' ') == std::string::npos ? wrong_column_
                                                                 : "\"" + wrong_column_ + "\""));
  }

  Status read_rows(TableState& table) {
    std::size_t index = 0;
    const auto number = static_cast<std::uint32_t>(&table - tables_.data());
    return each_row(table, [&](const Row& row, std::uint64_t) -> Status {
      if (index >= table.things.size())
        return fail(ErrorCode::kConflict, "the file changed while it was read", table.source->file);
      const EntityId thing = table.things[index++];
      if (thing == EntityId::kNone) return {};
      for (const PlannedColumn& column : table.columns) {
        const Cell& cell = row.cells[column.place];
        if (cell.kind == CellKind::kEmpty) continue;
        if (cell.kind != CellKind::kList) {
          ANIMA_TRY(say_cell(table, number, row, thing, column, cell));
          continue;
        }
        for (std::uint32_t i = 0; i < cell.count; ++i)
          ANIMA_TRY(say_cell(table, number, row, thing, column, row.items[cell.first + i]));
      }
      return {};
    });
  }

  Status say_cell(TableState& table, std::uint32_t number, const Row& row, EntityId thing,
                  const PlannedColumn& column, const Cell& cell) {
    const std::string& separator = column.mapping->separator;
    if (separator.empty() || (cell.kind != CellKind::kWritten && cell.kind != CellKind::kText))
      return say_one(table, number, row, thing, column, cell);
    std::string_view rest = cell.text;
    for (;;) {
      const std::size_t at = rest.find(separator);
      Cell part = cell;
      part.text = trim(rest.substr(0, at));
      if (!part.text.empty()) ANIMA_TRY(say_one(table, number, row, thing, column, part));
      if (at == std::string_view::npos) return {};
      rest.remove_prefix(at + separator.size());
    }
  }

  Status say_one(TableState& table, std::uint32_t number, const Row& row, EntityId thing,
                 const PlannedColumn& column, const Cell& cell) {
    store::ValueView value;
    const CellReading read = read_cell(cell, column.mapping->form, value, own_);
    if (column.target != nullptr)
      return say_link(table, number, row, thing, column, cell, read, value);
    if (read == CellReading::kNothing) return {};
    if (read == CellReading::kWrong) {
      wrong_cell(table, row, column.mapping->column, cell, column.mapping->form);
      return {};
    }
    ANIMA_ASSIGN(const Term term, table.bulk->term(value));
    state(table, number, {thing, column.predicate, term});
    return {};
  }

  void state(TableState& table, std::uint32_t number, const Triple& triple) {
    if (is_old(triple.subject)) {
      wanted_.push_back({triple, number});
    } else {
      table.bulk->add(triple);
      ++table.report.facts;
    }
  }

  Status say_link(TableState& table, std::uint32_t number, const Row& row, EntityId thing,
                  const PlannedColumn& column, const Cell& cell, CellReading read,
                  const store::ValueView& value) {
    TypeState& target = *column.target;
    std::string own;
    const std::string_view text = cell_text(cell, own);
    if (text.empty() || read == CellReading::kNothing) return {};
    Term key;
    EntityId found = EntityId::kNone;
    if (!target.known->by_name() && read == CellReading::kValue) {
      ANIMA_ASSIGN(key, table.bulk->term(value));
      found = target.known->find_key(key);
    }
    std::string name(text);
    if (found == EntityId::kNone) found = target.known->find_name(name);
    if (found == EntityId::kNone && target.namer != nullptr) {
      const std::string made = target.namer->of_key(text);
      if (!made.empty()) name = made;
      found = target.known->find_name(name);
    }
    if (found != EntityId::kNone) {
      state(table, number, {thing, column.predicate, Term::entity(found)});
      return {};
    }
    if (read == CellReading::kWrong) {
      wrong_cell(table, row, column.mapping->column, cell, column.mapping->form);
      return {};
    }
    if (target.number_key && name == text) name = target.name + " " + name;
    Mentioned& mentioned = mentioned_[{number, target.name}];
    const auto [place, fresh] = mentioned.places.try_emplace(name, mentioned.names.size());
    if (fresh) mentioned.names.emplace_back(name, key);
    mentioned.links.push_back({thing, column.predicate, place->second});
    return {};
  }

  Status make_mentioned(TableState& table) {
    const auto number = static_cast<std::uint32_t>(&table - tables_.data());
    for (auto& [where, mentioned] : mentioned_) {
      if (where.first != number) continue;
      TypeState& target = type_state(where.second);
      std::vector<EntityId> made;
      for (const auto& [name, key] : mentioned.names) {
        EntityId thing = target.known->find_name(name);
        if (thing == EntityId::kNone) {
          ANIMA_ASSIGN(thing, make_thing(table, target, name));
          ++table.report.mentioned;
          if (key.code != 0) {
            ANIMA_ASSIGN(const Predicate predicate,
                         attribute_predicate(target.known->key_attribute()));
            table.bulk->add({thing, predicate, key});
            target.known->put_key(key, thing);
          }
        }
        made.push_back(thing);
      }
      for (const PendingLink& link : mentioned.links)
        state(table, number, {link.subject, link.predicate, Term::entity(made[link.name])});
    }
    return {};
  }

  // --- differences

  Status write_differences() {
    std::sort(wanted_.begin(), wanted_.end());
    wanted_.erase(
        std::unique(wanted_.begin(), wanted_.end(),
                    [](const Wanted& a, const Wanted& b) { return a.triple == b.triple; }),
        wanted_.end());
    for (auto& [name, type] : types_) {
      std::sort(type->old.begin(), type->old.end());
      type->old.erase(std::unique(type->old.begin(), type->old.end()), type->old.end());
    }
    for (TableState& table : tables_) {
      TypeState& type = *table.type;
      for (const std::uint32_t id : type.old) {
        ANIMA_ASSIGN(const bool changed, write_thing(table, static_cast<EntityId>(id)));
        ++(changed ? table.report.changed : table.report.unchanged);
      }
      type.old.clear();  // another table of the type has nothing left to do
    }
    for (const auto& [table, thing, name] : renamed_) ANIMA_TRY(write_alias(*table, thing, name));
    return {};
  }

  Result<bool> write_thing(TableState& table, EntityId thing) {
    bool changed = false;
    if (!stated_.exists(thing)) {  // quoted, or of a compartment alone
      table.bulk->add({thing, store::kTypePredicate, Term::entity(table.type->id)});
      changed = true;
      ++table.report.facts;
    }
    for (const std::uint32_t code : table.type->predicates) {
      const Predicate predicate{code};
      const Wanted from{{thing, predicate, Term{}}, 0};
      auto at = std::lower_bound(wanted_.begin(), wanted_.end(), from);
      wants_.clear();
      std::uint32_t owner = 0;
      for (;
           at != wanted_.end() && at->triple.subject == thing && at->triple.predicate == predicate;
           ++at) {
        wants_.push_back(at->triple.object.code);
        owner = at->table;
      }
      const auto now = stated_.objects(thing, predicate, scratch_);
      now_.assign(now.begin(), now.end());
      std::sort(now_.begin(), now_.end());
      if (now_ == wants_) continue;
      ANIMA_ASSIGN(const bool wrote, replace(tables_[owner], thing, predicate));
      changed = changed || wrote;
    }
    return changed;
  }

  // Was it stated by an earlier load of a table of this type?
  bool is_ours(const TableState& table, const Triple& triple) const {
    for (const store::Assertion& one : stated_.assertions(triple)) {
      if (one.graph == store::GraphId::kDefault && table.type->records.contains(one.provenance))
        return true;
    }
    return false;
  }

  Result<bool> replace(TableState& table, EntityId thing, Predicate predicate) {
    const bool is_link = predicate.predicate_class() == store::PredicateClass::kLink;
    bool changed = false;
    std::vector<Term> stay;
    bool withdraw = false;
    for (const std::uint32_t code : wants_) {
      if (!std::binary_search(now_.begin(), now_.end(), code)) continue;
      ANIMA_ASSIGN(const bool anew, state_anew(table, {thing, predicate, Term{code}}));
      changed = changed || anew;
    }
    for (const std::uint32_t code : now_) {
      const Triple old{thing, predicate, Term{code}};
      if (std::binary_search(wants_.begin(), wants_.end(), code)) {
        stay.push_back(old.object);
        continue;
      }
      // Nor does what somebody else trusts less replace it; both stand, and contradict.
      if (store::is_stated_by_higher(stated_, old, store::GraphId::kDefault, trust_)) {
        ++table.report.outranked;
        continue;
      }
      const bool ours = is_ours(table, old);
      // What a row does not mention stays, unless a load brought it; a link of somebody else stays.
      if (!ours && (is_link || wants_.empty())) {
        stay.push_back(old.object);
        continue;
      }
      if (!ours) ++table.report.overruled;
      ++table.report.withdrawn;
      changed = withdraw = true;
      if (is_link) ANIMA_TRY(transaction_.retract_link(old, store::GraphId::kDefault));
    }
    if (withdraw && !is_link) ANIMA_TRY(keep_values(thing, predicate, stay));
    for (const std::uint32_t code : wants_) {
      if (std::binary_search(now_.begin(), now_.end(), code)) continue;
      table.bulk->add({thing, predicate, Term{code}});
      ++table.report.facts;
      changed = true;
    }
    return changed;
  }

  // A link that is stated already, and that another one holds in the place of: the file says it
  // again, later, unless who states the other one is trusted more. Before the other one goes: what
  // nothing holds in the place of is not said anew.
  Result<bool> state_anew(TableState& table, const Triple& link) {
    if (link.predicate.predicate_class() != store::PredicateClass::kLink) return false;
    const auto [known, fresh] = functional_.try_emplace(link.predicate, false);
    if (fresh) known->second = store::is_functional(before_, link.predicate);
    if (!known->second) return false;
    const auto held = store::holders_at(before_, link.subject, link.predicate,
                                        before_.entry(before_.sequence()).time);
    const bool holds = std::ranges::find(held, link.object) != held.end();
    const bool outranked = std::ranges::any_of(held, [&](Term other) {
      return store::standing_of(before_, {link.subject, link.predicate, other}).trust > trust_;
    });
    if (holds || held.empty() || outranked) return false;
    store::AssertOptions options = options_;
    options.provenance = table.record;
    ANIMA_TRY(store::state_link(transaction_, link, options).map([](EntityId) {}));
    ++table.report.facts;
    return true;
  }

  // Sets the key to what stays of its values, each with the provenance that it had.
  Status keep_values(EntityId thing, Predicate predicate, const std::vector<Term>& stay) {
    const std::string key(before_.value(predicate.key()).text);
    ANIMA_TRY(transaction_.set_attribute(thing, key, {}, options_));
    for (const Term value : stay) {
      store::AssertOptions options = options_;
      for (const store::Assertion& one : stated_.assertions({thing, predicate, value})) {
        if (one.graph != store::GraphId::kDefault) continue;
        options.confidence = one.confidence;
        options.provenance = one.provenance;
      }
      ANIMA_TRY(transaction_.add_attribute(thing, key, value, options));
    }
    return {};
  }

  Status write_alias(TableState& table, EntityId thing, const std::string& name) {
    ANIMA_ASSIGN(const Term term, transaction_.term(store::Value::string(name).view()));
    const auto now = before_.attribute(thing, "alias");
    if (now && *now == term) return {};
    if (renamed_notes_++ < kMaxWrongShown)
      notes_.push_back(
          fmt::format("{}: \"{}\" is called \"{}\" now; it keeps its name and is found by both",
                      table.source->file, before_.name(thing), name));
    store::AssertOptions options = options_;
    options.provenance = table.record;
    ++table.report.facts;
    return transaction_.set_attribute(thing, "alias", std::span(&term, 1), options);
  }

  // --- what is kept of the load

  Status keep() {
    bool any = false;
    for (const TableState& table : tables_)
      any = any || table.report.facts > 0 || table.report.withdrawn > 0;
    for (TableState& table : tables_) {
      memory::ProvenanceRecord record;
      record.kind = memory::ProvenanceKind::kLoaded;
      record.text = table.source->file;
      record.text2 = table.places.text();
      record.derived = table.type_id;
      const bool wrote = table.report.facts > 0 || table.report.withdrawn > 0;
      std::set<std::uint64_t> records = table.kept.records;
      if (wrote) records.insert(table.record);
      if (wrote || !table.kept.mapping || *table.kept.mapping != *table.mapping) {
        ANIMA_TRY(keep_mapping(transaction_, *table.mapping, table.source->file, records));
      }
      if (any) ANIMA_TRY(keep_rows_of(table));
      if (any) provenance_.add(std::move(record));
    }
    return any ? provenance_.write() : Status();
  }

  Status keep_rows_of(TableState& table) {
    store::WholeRows rows;
    rows.things = table.places.runs();
    for (const PlannedColumn& column : table.columns) rows.predicates.push_back(column.predicate);
    rows.records = table.kept.records;
    rows.record = table.record;
    return keep_rows(transaction_, table.mapping->table, rows);
  }

  store::Transaction& transaction_;
  store::Snapshot before_;
  std::vector<store::GraphId> own_graph_;
  store::Snapshot stated_;  // in the memory's own graph
  std::map<Predicate, bool> functional_;
  store::Trust trust_;  // of the load
  std::uint32_t first_new_;
  const Mapping& kept_;
  const WriteHooks& hooks_;
  memory::ProvenanceBatch provenance_;
  std::uint64_t tables_done_ = 0;
  store::AssertOptions options_;
  std::vector<TableState> tables_;
  std::map<std::string, std::unique_ptr<TypeState>> types_;
  std::map<std::pair<std::uint32_t, std::string>, Mentioned> mentioned_;
  std::vector<Wanted> wanted_;
  std::set<EntityId> taken_;
  std::vector<std::tuple<TableState*, EntityId, std::string>> renamed_;
  std::size_t renamed_notes_ = 0;
  std::vector<std::string> wrong_, notes_;
  std::uint64_t wrong_count_ = 0, bytes_done_ = 0;
  std::string wrong_column_, own_;
  store::Scratch scratch_;
  std::vector<std::uint32_t> now_, wants_;
};

}  // namespace

Result<Written> write_tables(store::Transaction& transaction,
                             const std::vector<WritableTable>& tables, const Mapping& kept,
                             const WriteHooks& hooks) {
  LoadWriter writer(transaction, tables, kept, hooks);
  return writer.run();
}

}  // namespace anima::load
