#include "store/symbols.h"

#include <algorithm>
#include <string>

#include "base/json/json.h"
#include "base/text/read_number.h"
#include "base/text/text.h"
#include "store/holds.h"

namespace anima::store {
namespace {

constexpr std::string_view kIdPrefixes[] = {"C:", "P:", "sym:"};

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The digits of "C:12"; nothing where the text is no id. Bare digits are a name.
std::optional<std::string_view> digits_of_id(std::string_view text) {
  for (const std::string_view prefix : kIdPrefixes) {
    if (text.starts_with(prefix) && is_digits(text.substr(prefix.size())))
      return text.substr(prefix.size());
  }
  return std::nullopt;
}

std::optional<EntityId> with_number(const Snapshot& snapshot, std::string_view digits) {
  const auto number = read_number<std::uint32_t>(digits);
  if (!number || *number == 0 || *number >= snapshot.entity_bound()) return std::nullopt;
  const EntityId entity{*number};
  return snapshot.exists(entity) ? std::optional(entity) : std::nullopt;
}

std::optional<EntityId> by_id(const Snapshot& snapshot, std::string_view text) {
  const auto digits = digits_of_id(text);
  return digits ? with_number(snapshot, *digits) : std::nullopt;
}

// "Person:Ada": the thing of that type with that name, to the letter, as rules write it.
std::optional<EntityId> by_type_and_name(const Snapshot& snapshot, std::string_view text) {
  for (std::size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1)) {
    const auto type = snapshot.find_type(text.substr(0, at));
    if (!type) continue;
    if (const auto found = snapshot.find_concept(*type, text.substr(at + 1))) return found;
  }
  return std::nullopt;
}

// What to say to who may have meant an id.
std::string id_hint(const Snapshot& snapshot, std::string_view text) {
  if (!is_digits(text) || !with_number(snapshot, text)) return {};
  return "a bare number is a name; the thing with this id is C:" + std::string(text);
}

int rank(const Snapshot& snapshot, EntityId entity) {
  const EntityId type = snapshot.type_of(entity);
  if (type == kEntityType) return 0;
  return type == kConceptType || type == kPropositionType ? 2 : 1;
}

std::optional<EntityId> by_label(const Snapshot& snapshot, std::string_view label) {
  std::optional<EntityId> best;
  std::vector<EntityId> found = snapshot.concepts_labelled(label);
  keep_most_trusted(snapshot, found);
  for (const EntityId entity : found) {
    if (!best || rank(snapshot, entity) < rank(snapshot, *best)) best = entity;
  }
  return best;
}

Unexpected<Error> ambiguous(const std::vector<EntityId>& found, std::string_view text) {
  std::string hint = "say which: ";
  for (std::size_t i = 0; i < found.size() && i < 8; ++i) {
    hint += (i == 0 ? "" : ", ") + ("C:" + std::to_string(static_cast<std::uint32_t>(found[i])));
  }
  if (found.size() > 8) hint += ", ...";
  return fail(ErrorCode::kInvalidArgument,
              std::to_string(found.size()) + " entities have this name", std::string(text),
              std::move(hint));
}

constexpr std::string_view kAliasesKey = "aliases";

bool is_alias_in(const ValueView& value, std::string_view name) {
  if (value.kind == ValueKind::kString) return value.text == name;
  const auto list = parse_json(value.text);
  if (!list || !list->is_array()) return false;
  return std::ranges::any_of(list->as_array(), [&](const Json& one) {
    return one.is_string() && one.as_string() == name;
  });
}

}  // namespace

std::optional<EntityId> find_symbol(const Snapshot& snapshot, std::string_view text) {
  text = trim(text);
  if (const auto entity = by_id(snapshot, text)) return entity;
  return by_label(snapshot, text);
}

std::optional<EntityId> find_relation(const Snapshot& snapshot, std::string_view text) {
  text = trim(text);
  if (const auto exact = snapshot.find_predicate(text)) return exact;
  for (const EntityId entity : snapshot.concepts_labelled(text)) {
    if (snapshot.type_of(entity) == kPropositionType) return entity;
  }
  const auto meant = by_id(snapshot, text);
  if (meant && snapshot.type_of(*meant) == kPropositionType) return meant;
  return std::nullopt;
}

Result<EntityId> resolve_symbol(const Snapshot& snapshot, std::string_view text) {
  if (const auto found = find_symbol(snapshot, text)) return *found;
  if (const auto found = find_symbol(snapshot.with_books(), text)) return *found;
  if (const auto exact = by_type_and_name(snapshot, trim(text))) return *exact;
  if (const auto other = find_by_alias(snapshot, trim(text))) return *other;
  std::vector<std::string> near;
  TextQuery query;
  query.text = std::string(trim(text));
  query.limit = 3;
  for (const TextHit& hit : snapshot.search(query)) {
    near.push_back(symbol_label(snapshot, hit.entity));
  }
  const std::string hint = id_hint(snapshot, trim(text));
  return fail(ErrorCode::kNotFound,
              "LabelNotFound: nothing is called \"" + std::string(trim(text)) + "\"", {},
              hint.empty() ? did_you_mean(near) : hint);
}

namespace {

// `exactly`: of several none is meant before the others.
Result<EntityId> entity_called(const Snapshot& snapshot, std::string_view text, bool exactly) {
  if (const auto digits = digits_of_id(text)) {
    const auto number = read_number<std::uint32_t>(*digits);
    if (number && *number > 0 && *number < snapshot.entity_bound() &&
        snapshot.kind(EntityId{*number}) != EntityKind::kNone)
      return EntityId{*number};
    return fail(ErrorCode::kNotFound, "there is no such entity", std::string(text));
  }
  std::vector<EntityId> found = snapshot.concepts_named(text);
  if (found.empty()) found = snapshot.concepts_labelled(text);
  if (found.empty()) {
    if (const auto exact = by_type_and_name(snapshot, text)) return *exact;
    if (const auto other = find_by_alias(snapshot, text)) return *other;
    return fail(ErrorCode::kNotFound, "there is no such entity", std::string(text),
                id_hint(snapshot, text));
  }
  if (!exactly) keep_most_trusted(snapshot, found);
  if (found.size() > 1) return ambiguous(found, text);
  return found.front();
}

}  // namespace

Result<EntityId> find_entity(const Snapshot& snapshot, std::string_view text) {
  return entity_called(snapshot, text, false);
}

Result<EntityId> find_only_entity(const Snapshot& snapshot, std::string_view text) {
  return entity_called(snapshot, text, true);
}

std::string symbol_label(const Snapshot& snapshot, EntityId entity) {
  const bool named = snapshot.kind(entity) == EntityKind::kConcept;
  const std::string_view name = named ? snapshot.name(entity) : std::string_view();
  if (!name.empty()) return std::string(name);
  return "sym:" + std::to_string(static_cast<std::uint32_t>(entity));
}

std::string predicate_label(const Snapshot& snapshot, Predicate predicate) {
  switch (predicate.predicate_class()) {
    case PredicateClass::kLink:
      return symbol_label(snapshot, predicate.as_link());
    case PredicateClass::kStructural:
      return predicate == kTypePredicate ? "type" : "name";
    case PredicateClass::kAttribute:
    case PredicateClass::kMetadata:
      return std::string(snapshot.value(predicate.key()).text);
  }
  return {};
}

std::string term_label(const Snapshot& snapshot, Term term) {
  if (term.is_entity()) return symbol_label(snapshot, term.as_entity());
  const ValueView value = snapshot.value(term);
  return value.kind == ValueKind::kString ? std::string(value.text) : snapshot.display(term);
}

Status check_label(std::string_view label) {
  const std::string_view text = trim(label);
  if (text.empty()) return fail(ErrorCode::kInvalidArgument, "a label is empty");
  if (text.size() > kMaxSymbolBytes) {
    return fail(ErrorCode::kInvalidArgument, "a label is longer than 1024 bytes");
  }
  if (!is_valid_utf8(text)) return fail(ErrorCode::kInvalidArgument, "a label is no UTF-8");
  return {};
}

Result<EntityId> SymbolWriter::entity(std::string_view label) {
  return find_or_create(label, false, entities_);
}

Result<EntityId> SymbolWriter::relation(std::string_view label) {
  return find_or_create(label, true, relations_);
}

Result<Triple> SymbolWriter::link(std::string_view subject, std::string_view predicate,
                                  std::string_view object) {
  Triple link;
  ANIMA_ASSIGN(link.subject, entity(subject));
  ANIMA_ASSIGN(const EntityId kind, relation(predicate));
  ANIMA_ASSIGN(const EntityId other, entity(object));
  link.predicate = Predicate::link(kind);
  link.object = Term::entity(other);
  return link;
}

Result<EntityId> SymbolWriter::find_or_create(std::string_view label, bool relation, Known& known) {
  const std::string_view text = trim(label);
  const std::string folded = fold_case(text);
  if (const auto seen = known.find(folded); seen != known.end()) return seen->second;
  ANIMA_TRY(check_label(text));
  EntityId found = EntityId::kNone;
  {
    const Snapshot view = transaction_.view();
    const auto there = relation ? find_relation(view, text) : find_symbol(view, text);
    if (there) found = *there;
  }
  EntityId type = relation ? kPropositionType : kEntityType;
  std::string name(text);
  if (found != EntityId::kNone) {
    const Snapshot view = transaction_.view();
    type = view.type_of(found);
    name = std::string(view.name(found));
  }
  if (relation) {
    ANIMA_ASSIGN(found, transaction_.upsert_predicate(name, options_));
  } else if (found == EntityId::kNone || type == kEntityType) {
    ANIMA_ASSIGN(found, transaction_.upsert_concept(type, name, options_));
  }
  known.emplace(folded, found);
  return found;
}

std::vector<EntityId> concepts_by_alias(const Snapshot& snapshot, std::string_view name,
                                        std::optional<EntityId> type) {
  std::vector<EntityId> found;
  const auto key = snapshot.find_string(kAliasesKey);
  if (!key) return found;
  TextQuery query;
  query.text = name;
  query.type = type;
  query.prefix = query.fuzzy = false;
  for (const TextHit& hit : snapshot.search(query)) {
    Scratch scratch;
    const auto codes = snapshot.objects(hit.entity, Predicate::attribute(*key), scratch);
    const bool called_so = std::ranges::any_of(
        codes, [&](std::uint32_t code) { return is_alias_in(snapshot.value(Term{code}), name); });
    if (called_so) found.push_back(hit.entity);
  }
  return found;
}

std::optional<EntityId> find_by_alias(const Snapshot& snapshot, std::string_view name,
                                      std::optional<EntityId> type) {
  const std::vector<EntityId> found = concepts_by_alias(snapshot, name, type);
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

}  // namespace anima::store
