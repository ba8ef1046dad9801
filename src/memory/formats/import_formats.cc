#include "memory/formats/import_formats.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "base/json/json.h"
#include "base/text/read_number.h"
#include "base/text/text.h"
#include "memory/formats/triples_json.h"
#include "store/holds.h"
#include "store/restate.h"
#include "store/statements.h"

namespace anima::memory {
namespace {

using store::EntityId;
using store::Predicate;
using store::Term;

std::string place(const std::string& name, std::uint64_t line) {
  return (name.empty() ? "line " : name + ":") + std::to_string(line);
}

// --- CSV ---------------------------------------------------------------------------------------

// Reads the records of RFC 4180; a line end inside quotes belongs to the field.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  std::uint64_t line() const { return line_; }  // of the record read last
  // False at the end.
  Result<bool> next(std::vector<std::string>& fields) {
    fields.clear();
    line_ = next_line_;
    if (at_ >= text_.size()) return false;
    for (;;) {
      std::string& field = fields.emplace_back();
      if (peek() == '"') {
        ANIMA_TRY(quoted(field));
      } else {
        const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
        field = text_.substr(at_, end - at_);
        at_ = end;
      }
      if (peek() != ',') break;
      ++at_;
    }
    if (peek() == '\r') ++at_;
    if (at_ < text_.size()) {
      if (text_[at_] != '\n')
        return fail(ErrorCode::kSyntax, "expected a comma or the end of the line");
      ++at_;
      ++next_line_;
    }
    return true;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  Status quoted(std::string& field) {
    ++at_;
    for (;;) {
      const std::size_t end = text_.find('"', at_);
      if (end == std::string_view::npos) return fail(ErrorCode::kSyntax, "a quote is not closed");
      field += text_.substr(at_, end - at_);
      at_ = end + 1;
      if (peek() != '"') break;
      field.push_back('"');
      ++at_;
    }
    for (const char c : field) next_line_ += c == '\n' ? 1 : 0;
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t next_line_ = 1;
};

struct CsvColumns {
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::array<std::size_t, 3> labels{kNone, kNone, kNone};
  std::size_t confidence = kNone;
};
constexpr std::string_view kColumns[] = {"subject", "predicate", "object"};

Result<CsvColumns> read_columns(const std::vector<std::string>& header, const std::string& where) {
  CsvColumns columns;
  for (std::size_t i = 0; i < header.size(); ++i) {
    std::string title = to_lower(trim(header[i]));
    if (i == 0 && title.starts_with("\xef\xbb\xbf")) title.erase(0, 3);
    for (std::size_t k = 0; k < 3; ++k) {
      if (title == kColumns[k]) columns.labels[k] = i;
    }
    if (title == "confidence") columns.confidence = i;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    if (columns.labels[k] == CsvColumns::kNone) {
      return fail(ErrorCode::kInvalidArgument,
                  "there is no column \"" + std::string(kColumns[k]) + "\"", where,
                  "the first line names the columns: subject,predicate,object,confidence");
    }
  }
  return columns;
}

// Asserts triples of labels, each label looked up once.
class LabelWriter {
 public:
  LabelWriter(store::Transaction& transaction, store::GraphId graph) : transaction_(transaction) {
    options_.graph = graph;
  }
  const store::AssertOptions& options() const { return options_; }
  void know(const std::string& label, EntityId entity) { entities_[label] = entity; }
  Result<EntityId> entity(const std::string& label) {
    EntityId& known = entities_[label];
    if (known == EntityId::kNone) {
      ANIMA_ASSIGN(known, transaction_.upsert_concept(store::kEntityType, label, options_));
    }
    return known;
  }
  Status link(const std::string& subject, const std::string& predicate, const std::string& object,
              double confidence) {
    store::Triple link;
    ANIMA_ASSIGN(link.subject, entity(subject));
    EntityId& known = predicates_[predicate];
    if (known == EntityId::kNone) {
      ANIMA_ASSIGN(known, transaction_.upsert_predicate(predicate, options_));
    }
    link.predicate = Predicate::link(known);
    ANIMA_ASSIGN(const EntityId target, entity(object));
    link.object = Term::entity(target);
    store::AssertOptions options = options_;
    options.confidence = confidence;
    ANIMA_TRY(store::state_link(transaction_, link, options));
    return {};
  }

 private:
  store::Transaction& transaction_;
  store::AssertOptions options_;
  std::unordered_map<std::string, EntityId> entities_, predicates_;
};

Status load_csv_row(const std::vector<std::string>& fields, const CsvColumns& columns,
                    LabelWriter& writer, const std::string& where) {
  std::array<std::string, 3> labels;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string column = "\"" + std::string(kColumns[k]) + "\"";
    if (columns.labels[k] < fields.size()) labels[k] = trim(fields[columns.labels[k]]);
    if (labels[k].empty()) return fail(ErrorCode::kInvalidArgument, column + " is blank", where);
    if (labels[k].size() > kMaxLabelBytes) {
      return fail(ErrorCode::kInvalidArgument,
                  column + " is longer than " + std::to_string(kMaxLabelBytes) + " bytes", where);
    }
  }
  double confidence = 1;
  if (columns.confidence < fields.size()) {
    const std::string_view text = trim(fields[columns.confidence]);
    if (!text.empty()) confidence = read_number<double>(text).value_or(-1);
    if (confidence < 0 || confidence > 1)
      return fail(ErrorCode::kInvalidArgument, "\"confidence\" is not between 0 and 1", where);
  }
  return writer.link(labels[0], labels[1], labels[2], confidence);
}

// --- MCP memory --------------------------------------------------------------------------------

Result<std::string> text_member(const Json& object, std::string_view key,
                                const std::string& where) {
  const Json* member = object.find(key);
  if (member == nullptr || !member->is_string() || trim(member->as_string()).empty()) {
    return fail(ErrorCode::kInvalidArgument, "\"" + std::string(key) + "\" is missing or no text",
                where);
  }
  return member->as_string();
}

Status load_mcp_entity(store::Transaction& transaction, const Json& line, LabelWriter& writer,
                       const std::string& where) {
  ANIMA_ASSIGN(const std::string name, text_member(line, "name", where));
  ANIMA_ASSIGN(const std::string type_name, text_member(line, "entityType", where));
  ANIMA_ASSIGN(const EntityId type, type_name == "Entity"
                                        ? Result<EntityId>(store::kEntityType)
                                        : transaction.upsert_type(type_name, writer.options()));
  ANIMA_ASSIGN(const EntityId entity, transaction.upsert_concept(type, name, writer.options()));
  writer.know(name, entity);
  const Json* observations = line.find("observations");
  if (observations == nullptr) return {};
  if (!observations->is_array()) {
    return fail(ErrorCode::kInvalidArgument, "\"observations\" is no array", where);
  }
  for (const Json& observation : observations->as_array()) {
    if (!observation.is_string()) {
      return fail(ErrorCode::kInvalidArgument, "an observation is no text", where);
    }
    ANIMA_ASSIGN(const Term term, transaction.term(store::Value::from_json(observation).view()));
    ANIMA_TRY(transaction.add_attribute(entity, "observations", term, writer.options()));
  }
  return {};
}

std::vector<store::Triple> all_links(const store::Snapshot& snapshot) {
  std::vector<store::Triple> links;
  store::Cursor cursor = snapshot.scan({}, store::Order::kSubjectPredicateObject);
  store::each_statement(cursor, [&](const store::Triple& row) {
    if (row.object.is_entity() && snapshot.kind(row.subject) == store::EntityKind::kConcept &&
        snapshot.kind(row.object.as_entity()) == store::EntityKind::kConcept)
      links.push_back(row);
  });
  return links;
}

std::string sorted_text(std::vector<std::string>& lines, std::string_view between) {
  std::sort(lines.begin(), lines.end());
  return join(lines, between);
}

}  // namespace

Result<FileLoad> load_csv(store::Transaction& transaction, std::string_view text,
                          const std::string& name, store::GraphId graph) {
  if (const std::size_t at = invalid_utf8_at(text); at != kValidUtf8) {
    const auto line = static_cast<std::uint64_t>(
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    return fail(ErrorCode::kSyntax, "the bytes are no UTF-8", place(name, line));
  }
  CsvReader reader(text);
  LabelWriter writer(transaction, graph);
  std::vector<std::string> fields;
  FileLoad load;
  CsvColumns columns;
  for (bool header = true;; header = false) {
    const Result<bool> more = reader.next(fields);
    if (!more) return fail(more.error().code, more.error().message, place(name, reader.line()));
    if (header) {
      ANIMA_ASSIGN(columns, read_columns(fields, place(name, 1)));
      continue;
    }
    if (!*more) return load;
    if (fields.size() == 1 && trim(fields[0]).empty()) continue;
    ANIMA_TRY(load_csv_row(fields, columns, writer, place(name, reader.line())));
    ++load.links;
  }
}

Result<FileLoad> load_mcp_memory(store::Transaction& transaction, std::string_view text,
                                 const std::string& name, store::GraphId graph) {
  LabelWriter writer(transaction, graph);
  FileLoad load;
  // Relations may stand before the entities that they name.
  std::vector<std::pair<Json, std::string>> relations;
  std::uint64_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    const std::string where = place(name, number);
    auto object = parse_json(line);
    if (!object) return fail(ErrorCode::kSyntax, object.error().message, where);
    const Json* type = object->find("type");
    if (type != nullptr && type->is_string() && type->as_string() == "entity") {
      ANIMA_TRY(load_mcp_entity(transaction, *object, writer, where));
      ++load.concepts;
    } else if (type != nullptr && type->is_string() && type->as_string() == "relation") {
      relations.emplace_back(std::move(*object), where);
    } else {
      return fail(ErrorCode::kInvalidArgument, "\"type\" is neither \"entity\" nor \"relation\"",
                  where);
    }
  }
  for (const auto& [object, where] : relations) {
    ANIMA_ASSIGN(const std::string from, text_member(object, "from", where));
    ANIMA_ASSIGN(const std::string to, text_member(object, "to", where));
    ANIMA_ASSIGN(const std::string relation, text_member(object, "relationType", where));
    ANIMA_TRY(writer.link(from, relation, to, 1));
    ++load.links;
  }
  return load;
}

std::string write_triples_json(const store::Snapshot& snapshot) {
  std::vector<std::string> lines;
  for (const store::Triple& link : all_links(snapshot)) {
    Json element = Json::object({{"subject", snapshot.name(link.subject)},
                                 {"predicate", snapshot.name(link.predicate.as_link())},
                                 {"object", snapshot.name(link.object.as_entity())}});
    const auto assertions = snapshot.assertions(link);
    if (!assertions.empty() && assertions.front().confidence != 1) {
      element.set("confidence", assertions.front().confidence);
    }
    const auto proposition = snapshot.find_proposition(link);
    // Each time that it held before is an element of its own.
    std::vector<store::Period> before =
        proposition ? store::periods_of(snapshot, *proposition) : std::vector<store::Period>(1);
    before.pop_back();
    for (const store::Period& one : before) {
      Json earlier = element;
      if (one.from) earlier.set("valid_from", format_timestamp(*one.from));
      if (one.to) earlier.set("valid_to", format_timestamp(*one.to));
      lines.push_back("  " + earlier.dump());
    }
    for (const std::string_view key : {"valid_from", "valid_to"}) {
      const auto time =
          proposition ? store::said_of_link(snapshot, *proposition, key) : std::nullopt;
      if (time) element.set(std::string(key), snapshot.value(*time).text);
    }
    lines.push_back("  " + element.dump());
  }
  return lines.empty() ? "[]\n" : "[\n" + sorted_text(lines, ",\n") + "\n]\n";
}

std::string write_mcp_memory(const store::Snapshot& snapshot) {
  std::vector<std::string> entities;
  for (std::uint32_t id = 1; id < snapshot.entity_bound(); ++id) {
    const auto entity = static_cast<EntityId>(id);
    if (snapshot.kind(entity) != store::EntityKind::kConcept || !snapshot.exists(entity)) continue;
    const EntityId type = snapshot.type_of(entity);
    if (type == store::kConceptType || type == store::kPropositionType) continue;
    Json observations = Json::array();
    store::Pattern pattern;
    pattern.subject = entity;
    pattern.predicate_class = store::PredicateClass::kAttribute;
    store::Cursor cursor = snapshot.scan(pattern, store::Order::kSubjectPredicateObject);
    store::each_statement(cursor, [&](const store::Triple& row) {
      const std::string_view key = snapshot.value(row.predicate.key()).text;
      const store::ValueView value = snapshot.value(row.object);
      const bool text = value.kind == store::ValueKind::kString;
      std::string said = text ? std::string(value.text) : snapshot.display(row.object);
      if (key != "observations") said = std::string(key) + ": " + said;
      observations.push_back(std::move(said));
    });
    entities.push_back(Json::object({{"type", "entity"},
                                     {"name", snapshot.name(entity)},
                                     {"entityType", snapshot.name(type)},
                                     {"observations", std::move(observations)}})
                           .dump());
  }
  std::vector<std::string> relations;
  const Timestamp now = snapshot.entry(snapshot.sequence()).time;
  for (const store::Triple& link : all_links(snapshot)) {
    // The format has no place for a time: what it says holds.
    if (!store::is_valid(store::standing_of(snapshot, link), now, now)) continue;
    relations.push_back(Json::object({{"type", "relation"},
                                      {"from", snapshot.name(link.subject)},
                                      {"to", snapshot.name(link.object.as_entity())},
                                      {"relationType", snapshot.name(link.predicate.as_link())}})
                            .dump());
  }
  std::string out = sorted_text(entities, "\n");
  if (!out.empty()) out += "\n";
  out += sorted_text(relations, "\n");
  if (!relations.empty()) out += "\n";
  return out;
}

}  // namespace anima::memory
