// Why, what if, from whom, since when: what is read from the log and from the rules.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ask/compile/runner.h"
#include "base/text/text.h"
#include "store/history.h"

namespace anima::ask {

std::string Runner::rule_name(store::EntityId entity) const {
  const store::Snapshot& snapshot = lexicon_.snapshot();
  const std::string name(snapshot.name(entity));
  const auto same = snapshot.concepts_named(name);
  return quote_json(
      same.size() > 1 ? std::string(snapshot.name(snapshot.type_of(entity))) + ":" + name : name);
}

Result<std::vector<memory::RuleRow>> Runner::derived(const std::string& atom) const {
  if (reasoner_ == nullptr) return fail(ErrorCode::kUnsupported, "no rules are loaded");
  return reasoner_->ask(atom);
}

// The proof of a relation between two named things: its own, or that of what rules make of it.
Result<Table> Runner::why(const Reading& reading) {
  ANIMA_ASSIGN(Table table, exists(reading));
  const SetExpr& set = *reading.set;
  if (set.names.size() != 1 || set.restrictions.size() != 1) return table;
  const Restriction& said = set.restrictions[0];
  if (said.kind != Restriction::Kind::kRelation || said.target->names.size() != 1) return table;
  const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(said.edge.predicate)];
  std::vector<std::string> names{info.name};
  for (const PredicateInfo& other : schema_.predicates) {
    if (other.closure_of == said.edge.predicate) names.push_back(other.name);
  }
  store::EntityId from = set.names[0], to = said.target->names[0];
  if (said.edge.inverse) std::swap(from, to);
  if (reasoner_ == nullptr) return table;
  for (const std::string& name : names) {
    const std::string fact =
        fmt::format("{}({}, {})", datalog::predicate_name(name), rule_name(from), rule_name(to));
    const auto lines = reasoner_->why(fact);
    if (!lines) continue;
    // What is stated and does not hold now is proved, and is not so.
    const bool ended = !lines->empty() && lines->front().given && !table.rows[0][0].as_bool();
    Json proof = Json::array();
    for (const memory::ProofLine& line : *lines) {
      Json one = Json::object({{"depth", line.depth},
                               {"fact", line.fact},
                               {"because", line.because},
                               {"confidence", line.confidence}});
      if (!line.where.empty()) one.set("where", line.where);
      for (const datalog::Premise& premise : line.statements) {
        for (const datalog::Assertion& assertion : premise.assertions) {
          one.set("entry", static_cast<std::int64_t>(assertion.entry));
          one.set("author", assertion.author);
          one.set("source", assertion.source);
        }
      }
      proof.push_back(std::move(one));
    }
    table.proof = std::move(proof);
    table.query = fact;
    table.language = "datalog";
    table.rows = {{!ended}};
    return table;
  }
  return table;
}

Result<Table> Runner::what_if(const Reading& reading) {
  Table table;
  table.columns = {"name"};
  table.language = "datalog";
  const store::Snapshot& snapshot = lexicon_.snapshot();
  std::set<std::string> lost;
  const auto add_query = [&](const std::string& atom) {
    table.query += (table.query.empty() ? "" : "\n") + atom;
  };
  const std::set<store::EntityId> gone(reading.without->names.begin(),
                                       reading.without->names.end());
  const bool related = reading.set != nullptr;
  for (std::size_t i = 0; i < schema_.predicates.size(); ++i) {
    const PredicateInfo& info = schema_.predicates[i];
    if (!info.derived) continue;
    if (related) {
      const bool asked = reading.set->restrictions.size() == 1 &&
                         reading.set->restrictions[0].kind == Restriction::Kind::kRelation &&
                         reading.set->restrictions[0].edge.predicate == static_cast<int>(i) &&
                         !reading.set->restrictions[0].edge.inverse &&
                         reading.set->restrictions[0].target->names.size() == 1;
      if (!asked) continue;
    }
    const store::EntityId about =
        related ? reading.set->restrictions[0].target->names[0] : *gone.begin();
    const std::string atom = fmt::format("{}(X, {})", info.name, rule_name(about));
    ANIMA_ASSIGN(const auto rows, derived(atom));
    add_query(atom);
    std::set<std::string> before;
    for (const memory::RuleRow& row : rows) before.insert(row.values.at(0));
    if (related) {
      // What still follows in a world without it.
      if (info.closure_of < 0)
        return fail(ErrorCode::kUnsupported, "what follows without it cannot be told");
      for (const std::string& name : without(info.closure_of, about, gone)) before.erase(name);
    }
    lost.insert(before.begin(), before.end());
  }
  if (table.query.empty()) return fail(ErrorCode::kUnsupported, "no rule says what follows");
  for (const store::EntityId entity : gone) lost.erase(std::string(snapshot.name(entity)));
  for (const std::string& name : lost) {
    const std::string plain = name.find(':') == std::string::npos ? name : name;
    table.rows.push_back({plain});
    for (const store::EntityId entity : snapshot.concepts_named(plain)) {
      if (!schema_.types_of_entity(entity).empty()) {
        table.things.push_back(entity);
        break;
      }
    }
  }
  if (table.things.size() != table.rows.size()) table.things.clear();
  finish(table);
  return table;
}

// What leads to a thing by a predicate in any number of steps, none of them through what is gone.
std::set<std::string> Runner::without(int predicate, store::EntityId to,
                                      const std::set<store::EntityId>& gone) const {
  const store::Snapshot& snapshot = lexicon_.snapshot();
  std::set<std::string> names;
  const auto link =
      snapshot.find_predicate(schema_.predicates[static_cast<std::size_t>(predicate)].name);
  if (!link) return names;
  std::set<store::EntityId> seen;
  std::vector<store::EntityId> open{to};
  store::Scratch scratch;
  while (!open.empty()) {
    const store::EntityId next = open.back();
    open.pop_back();
    const auto subjects =
        snapshot.subjects(store::Predicate::link(*link), store::Term::entity(next), scratch);
    for (const std::uint32_t code : std::vector<std::uint32_t>(subjects.begin(), subjects.end())) {
      const store::EntityId subject{code};
      if (gone.contains(subject) || !seen.insert(subject).second) continue;
      names.insert(std::string(snapshot.name(subject)));
      open.push_back(subject);
    }
  }
  return names;
}

namespace {

std::string metadata_of(Reading::Form form) {
  switch (form) {
    case Reading::Form::kSure:
      return "confidence";
    case Reading::Form::kBegan:
      return "valid_from";
    case Reading::Form::kEnded:
      return "valid_to";
    default:
      return "source";
  }
}

// Of a time its day.
Json shown_metadata(const Json& value, Reading::Form form) {
  const bool time = form == Reading::Form::kBegan || form == Reading::Form::kEnded;
  const auto at = time && value.is_string() ? parse_timestamp(value.as_string())
                                            : Result<Timestamp>(fail(ErrorCode::kNotFound, ""));
  return at ? Json(format_timestamp(*at).substr(0, 10)) : value;
}

}  // namespace

// Source, confidence and times: of the statement, else of the concept.
Result<Table> Runner::source(const Reading& reading) {
  const std::string key = metadata_of(reading.form);
  Table table;
  table.columns = {key};
  if (reading.other != nullptr) {
    KipText text(lexicon_);
    ANIMA_ASSIGN(Table all, members(reading.set));
    if (all.rows.empty()) return all;
    if (reading.set->names.size() != 1 || reading.other->names.size() != 1)
      return fail(ErrorCode::kUnsupported, "the source of several statements");
    SetExpr subject, object;
    subject.names = reading.set->names;
    object.names = reading.other->names;
    ANIMA_ASSIGN(std::string where, text.members(subject, "?x"));
    ANIMA_ASSIGN(const std::string other, text.members(object, "?y"));
    ANIMA_ASSIGN(const std::string link, text.step(reading.fact, "?x", "?y"));
    // A pattern that names its link matches what has ended, too.
    where += " " + other + " " + link + " ?l " + link;
    const std::string find = "?l.metadata." + key;
    ANIMA_ASSIGN(const Json found, ask(find, where));
    table.query = find_text(find, where, "");
    for (const Json& one : found.as_array()) {
      if (!one.is_null()) table.rows.push_back({shown_metadata(one, reading.form)});
    }
    finish(table);
    return table;
  }
  KipText text(lexicon_);
  ANIMA_ASSIGN(std::string where, text.members(*reading.set, "?x"));
  std::string clauses;
  const std::string path = text.value_of(reading.attribute, "?x", clauses);
  where += clauses.empty() ? fmt::format(" FILTER(IS_NOT_NULL({}))", path) : " " + clauses;
  ANIMA_ASSIGN(const auto list, rows("?x", "?x.metadata." + key, where));
  table.query = find_text("?x.metadata." + key, where, "");
  for (const Row& row : list) {
    if (!row.values[0].is_null()) table.rows.push_back({row.values[0]});
    table.things.push_back(row.thing);
  }
  if (table.things.size() != table.rows.size()) table.things.clear();
  finish(table);
  return table;
}

namespace {

Json value_json(const store::Snapshot& snapshot, std::optional<store::Term> term) {
  if (!term) return {};
  const store::ValueView value = snapshot.value(*term);
  switch (value.kind) {
    case store::ValueKind::kBoolean:
      return value.integer != 0;
    case store::ValueKind::kInteger:
      return value.integer;
    case store::ValueKind::kDouble:
      return value.number;
    case store::ValueKind::kNull:
      return {};
    default:
      return std::string(value.text);
  }
}

}  // namespace

// What came and what went since a day, whatever it is about.
Result<Table> Runner::changes(const Reading& reading) {
  Table table;
  table.columns = {"change", "statement"};
  table.language = "shell";
  table.query = "anima changes " + reading.since + "T00:00:00Z";
  const store::Snapshot& now = asked_.everything;
  ANIMA_ASSIGN(const Timestamp since, parse_timestamp(reading.since));
  ANIMA_ASSIGN(const store::Snapshot then, now.as_of(since));
  ANIMA_ASSIGN(const store::ChangeWords change,
               store::changes_in_words(space_, now, then.sequence(), store::ChangesShown()));
  for (const std::string& line : change.came) table.rows.push_back({"added", line});
  for (const std::string& line : change.went) table.rows.push_back({"removed", line});
  if (change.upkeep() > 0) {
    table.rows.push_back(
        {"upkeep", fmt::format("the memory's own house: {} statements came, {} went",
                               change.upkeep_came, change.upkeep_went)});
  }
  return table;
}

// One row a key of the thing that an entry changed.
Result<Table> Runner::history(const Reading& reading) {
  if (reading.set->anything && !reading.since.empty()) return changes(reading);
  Table table;
  table.columns = {"key", "before", "after"};
  const store::Snapshot& now = asked_.everything;
  if (reading.set->names.size() != 1)
    return fail(ErrorCode::kUnsupported, "the history of several things");
  const store::EntityId entity = reading.set->names[0];
  table.query =
      fmt::format("FIND(?x) WHERE {{ ?x {{type: {}, name: {}}} }}",
                  quote_json(now.name(now.type_of(entity))), quote_json(now.name(entity)));
  if (!reading.as_of_time.empty()) {
    // What was known then: its attributes.
    const auto time = parse_timestamp(reading.as_of_time);
    if (!time) return fail(time.error());
    const auto then = now.as_of(*time);
    if (!then) return fail(then.error());
    if (!then->exists(entity)) return table;
    for (const AttributeInfo& attribute : schema_.attributes) {
      const auto term = then->attribute(entity, attribute.key);
      if (term) table.rows.push_back({attribute.key, Json(), value_json(*then, term)});
    }
    finish(table);
    return table;
  }
  const auto entries = now.history(entity);
  for (const store::Sequence sequence : entries) {
    const auto number = static_cast<std::uint64_t>(sequence);
    if (number <= 1) continue;
    if (!reading.since.empty() &&
        format_timestamp(now.entry(sequence).time).substr(0, 10) < reading.since)
      continue;
    const auto before = now.as_of(store::Sequence{number - 1});
    const auto after = now.as_of(sequence);
    if (!before || !after || !before->exists(entity)) continue;
    for (const AttributeInfo& attribute : schema_.attributes) {
      if (attribute.link) continue;
      const Json a = value_json(*before, before->attribute(entity, attribute.key));
      const Json b = value_json(*after, after->attribute(entity, attribute.key));
      if (!(a == b)) table.rows.push_back({attribute.key, a, b});
    }
  }
  return table;
}

}  // namespace anima::ask
