#include "sleep/detail/identity.h"

#include <algorithm>
#include <vector>

#include "base/text/normal_forms.h"
#include "base/text/text.h"
#include "sleep/evidence/placeholder.h"
#include "sleep/evidence/written_date.h"

namespace anima::sleep::detail {
namespace {

struct KnownKey {
  std::string_view attribute;
  KeyStrength strength;
};
constexpr KnownKey kKnownKeys[] = {
    {"id", KeyStrength::kIdentity},     {"uuid", KeyStrength::kIdentity},
    {"iri", KeyStrength::kIdentity},    {"isbn", KeyStrength::kIdentity},
    {"doi", KeyStrength::kIdentity},    {"orcid", KeyStrength::kAddress},
    {"iban", KeyStrength::kAddress},    {"email", KeyStrength::kAddress},
    {"e_mail", KeyStrength::kAddress},  {"url", KeyStrength::kAddress},
    {"website", KeyStrength::kContact}, {"phone", KeyStrength::kContact},
    {"handle", KeyStrength::kContact},
};
// What describes, or lists, contradicts nothing.
constexpr std::string_view kDescriptions[] = {"description",    "display_hint",  "aliases",
                                              "alias",          "also_known_as", "merged_from",
                                              "merge_conflicts"};
constexpr std::string_view kSchema = "instance_schema";
constexpr std::size_t kProse = 64;   // bytes of a text that is more than a value
constexpr std::size_t kFewest = 4;   // letters and digits that can name one thing
constexpr std::size_t kBearers = 2;  // what more things of a type say identifies none of them

bool is_description(std::string_view key) {
  return std::ranges::find(kDescriptions, key) != std::ranges::end(kDescriptions);
}

struct Content {
  std::size_t signs = 0;    // letters and digits; of a number without the zeros before it
  std::size_t letters = 0;  // of them
  std::size_t numbers = 0;  // runs of digits
  bool digit = false;       // one that is not zero
  bool varied = false;      // not the same sign throughout
};

Content content_of(std::string_view text) {
  Content content;
  char32_t first = 0;
  bool in_number = false, in_zeros = false;
  for (const char32_t c : to_utf32(to_nfkc(text))) {
    const CharClass kind = classify(c);
    const bool digit = kind == CharClass::kDigit;
    if (digit && !in_number) ++content.numbers;
    in_zeros = digit && c == U'0' && (in_zeros || !in_number);
    in_number = digit;
    if (kind == CharClass::kOther || kind == CharClass::kMark || in_zeros) continue;
    if (content.signs++ == 0) first = c;
    content.letters += digit ? 0 : 1;
    content.digit = content.digit || digit;
    content.varied = content.varied || c != first;
  }
  return content;
}

// "test-01", "Room 12": the number counts, the word says what is counted.
bool is_word_with_short_number(const Content& content) {
  return content.letters > 0 && content.numbers == 1 && content.signs - content.letters < kFewest;
}

// How strong an equal value is, of an attribute that would make it `strength`; `declared` by its
// type.
KeyStrength strength_of(store::ValueKind kind, const Identifier& it, KeyStrength strength,
                        bool declared) {
  if (kind == store::ValueKind::kBoolean || kind == store::ValueKind::kJson)
    return KeyStrength::kNothing;
  const Content content = content_of(it.value);
  const bool counts = content.digit && content.varied && content.signs >= kFewest &&
                      !is_word_of_placeholder(it.value);
  const bool names_one =
      declared || !(is_word_with_short_number(content) || is_written_date(it.value));
  const bool says_enough = it.scheme != IdentifierScheme::kText || (counts && names_one);
  if (it.sound && says_enough) {
    const bool of_a_person = it.scheme == IdentifierScheme::kMail && !declared;
    return of_a_person ? std::min(strength, KeyStrength::kAddress) : strength;
  }
  // A short number may be a staff number: worth a look by a person.
  const bool telling = strength == KeyStrength::kContact ? content.signs != 0 : content.digit;
  return telling ? KeyStrength::kContact : KeyStrength::kNothing;
}

bool is_measured(const store::ValueView& value) {
  switch (value.kind) {
    case store::ValueKind::kInteger:
    case store::ValueKind::kDouble:
    case store::ValueKind::kDecimal:
    case store::ValueKind::kBoolean:
    case store::ValueKind::kDateTime:
      return true;
    case store::ValueKind::kString:
      return is_standard_date(value.text);
    default:
      return false;
  }
}

// Two spellings of one number of a register.
bool are_one_identifier(std::string_view key, const store::ValueView& x,
                        const store::ValueView& y) {
  const IdentifierScheme scheme = scheme_of_attribute(key);
  if (scheme == IdentifierScheme::kText) return false;
  const Identifier a = read_identifier(scheme, x.text), b = read_identifier(scheme, y.text);
  return a.sound && b.sound && a.value == b.value;
}

// --- lists and objects

std::string comparable_text(const Json& value) {
  return value.is_string() ? to_lower(trim(value.as_string())) : value.dump();
}

bool holds_all(const JsonArray& list, const JsonArray& other) {
  return std::ranges::all_of(other, [&](const Json& one) {
    return std::ranges::any_of(
        list, [&](const Json& same) { return comparable_text(one) == comparable_text(same); });
  });
}

// Of objects: a member of both; of lists, and of a value beside a list: neither holds the other.
bool contents_conflict(const Json& x, const Json& y) {
  if (x.is_object() && y.is_object()) {
    return std::ranges::any_of(x.as_object(), [&](const JsonMember& member) {
      const Json* other = y.find(member.first);
      return other != nullptr && contents_conflict(member.second, *other);
    });
  }
  if (!x.is_array() && !y.is_array()) return comparable_text(x) != comparable_text(y);
  const JsonArray ours = x.is_array() ? x.as_array() : JsonArray{x};
  const JsonArray theirs = y.is_array() ? y.as_array() : JsonArray{y};
  return !holds_all(ours, theirs) && !holds_all(theirs, ours);
}

// The values of an attribute as one: a list where they are several.
Json as_json(const Snapshot& snapshot, const std::vector<Term>& values) {
  Json list = Json::array();
  for (const Term term : values) {
    const store::ValueView value = snapshot.value(term);
    if (value.kind == store::ValueKind::kJson) {
      list.push_back(parse_json(value.text).value_or(Json()));
    } else {
      const bool text = value.kind == store::ValueKind::kString;
      list.push_back(text ? Json(std::string(value.text)) : Json(snapshot.display(term)));
    }
  }
  return values.size() == 1 ? list.as_array().front() : list;
}

// A flag `name` of the attribute's declaration.
bool declares(const Json& attribute, std::string_view name) {
  const Json* flag = attribute.find(name);
  return flag != nullptr && *flag == Json(true);
}

}  // namespace

std::vector<Term> Identities::values_of(EntityId item, std::string_view key) const {
  const Snapshot& snapshot = reading_.snapshot();
  std::vector<Term> values;
  const auto name = snapshot.find_string(key);
  if (!name) return values;
  const Predicate attribute = Predicate::attribute(*name);
  store::Scratch scratch;
  const auto codes = snapshot.objects(item, attribute, scratch);
  for (const std::uint32_t code : std::vector<std::uint32_t>(codes.begin(), codes.end()))
    if (reading_.is_evidence({item, attribute, Term{code}}, item)) values.push_back(Term{code});
  return values;
}

const Identities::Declared& Identities::declared(EntityId item) {
  static const Declared kNothing;
  const EntityId type = reading_.snapshot().type_of(item);
  const auto name = reading_.snapshot().find_string(kSchema);
  const auto term = reading_.snapshot().attribute(type, kSchema);
  if (!term || !reading_.is_evidence({type, Predicate::attribute(*name), *term}, item))
    return kNothing;
  const auto [found, fresh] = declared_.try_emplace(type);
  if (!fresh) return found->second;
  const auto schema = parse_json(reading_.snapshot().value(*term).text);
  if (!schema) return found->second;
  for (const JsonMember& member : schema->as_object()) {
    if (declares(member.second, "is_key")) found->second.keys.insert(member.first);
    if (declares(member.second, "is_functional")) found->second.functional.insert(member.first);
  }
  return found->second;
}

std::map<std::string, Key> Identities::keys_of(EntityId item) {
  std::map<std::string, Key> keys;
  const Snapshot& snapshot = reading_.snapshot();
  const auto add = [&](std::string_view attribute, KeyStrength strength, bool declared) {
    const std::vector<Term> values = values_of(item, attribute);
    if (values.size() != 1) return;
    const store::ValueView stored = snapshot.value(values.front());
    const std::string text = stored.kind == store::ValueKind::kString
                                 ? std::string(stored.text)
                                 : snapshot.display(values.front());
    Key key;
    key.identifier = read_identifier(scheme_of_attribute(attribute), text);
    if (key.identifier.value.empty()) return;
    key.strength = strength_of(stored.kind, key.identifier, strength, declared);
    key.terms = values;
    for (const std::string& spelling : spellings_of(key.identifier)) {
      const auto term = snapshot.find_string(spelling);
      if (term && *term != values.front()) key.terms.push_back(*term);
    }
    if (key.strength > KeyStrength::kContact) key.shared = is_shared(item, attribute, key);
    keys.insert_or_assign(std::string(attribute), std::move(key));
  };
  for (const KnownKey& known : kKnownKeys) add(known.attribute, known.strength, false);
  for (const std::string& key : declared(item).keys) add(key, KeyStrength::kIdentity, true);
  return keys;
}

bool Identities::is_shared(EntityId item, std::string_view attribute, const Key& key) const {
  const Snapshot& snapshot = reading_.snapshot();
  const auto name = snapshot.find_string(attribute);
  if (!name) return false;
  std::set<EntityId> bearers;
  for (const Term term : key.terms) {
    store::Scratch scratch;
    for (const std::uint32_t code : snapshot.subjects(Predicate::attribute(*name), term, scratch)) {
      const EntityId bearer{code};
      if (snapshot.type_of(bearer) == snapshot.type_of(item)) bearers.insert(bearer);
      if (bearers.size() > kBearers) return true;
    }
  }
  return false;
}

bool Identities::values_conflict(EntityId a, EntityId b, std::string_view key, bool texts) {
  const Snapshot& snapshot = reading_.snapshot();
  const std::vector<Term> ours = values_of(a, key), theirs = values_of(b, key);
  if (ours.empty() || theirs.empty() || ours == theirs) return false;
  const auto is_several = [&](const std::vector<Term>& values) {
    return values.size() > 1 || snapshot.value(values.front()).kind == store::ValueKind::kJson;
  };
  if (is_several(ours) || is_several(theirs)) {
    const bool one_each = ours.size() == 1 && theirs.size() == 1;
    return (one_each && declared(a).functional.contains(std::string(key))) ||
           (texts && contents_conflict(as_json(snapshot, ours), as_json(snapshot, theirs)));
  }
  const store::ValueView x = snapshot.value(ours.front()), y = snapshot.value(theirs.front());
  if (are_one_identifier(key, x, y)) return false;
  if (is_measured(x) && is_measured(y))
    return snapshot.display(ours.front()) != snapshot.display(theirs.front());
  if (declared(a).functional.contains(std::string(key))) return true;
  const bool plain = x.kind == store::ValueKind::kString && y.kind == store::ValueKind::kString &&
                     x.text.size() <= kProse && y.text.size() <= kProse;
  return texts && plain && to_lower(trim(x.text)) != to_lower(trim(y.text));
}

std::string Identities::conflict(EntityId a, EntityId b, bool texts) {
  const Snapshot& snapshot = reading_.snapshot();
  store::Scratch scratch;
  const store::Edges edges = snapshot.outgoing(a, store::PredicateClass::kAttribute, scratch);
  std::set<std::string> names;
  for (const std::uint32_t code : edges.predicates)
    names.emplace(snapshot.value(Predicate{code}.key()).text);
  for (const std::string& name : names) {
    if (!is_description(name) && values_conflict(a, b, name, texts)) return name;
  }
  return link_conflict(a, b);
}

std::string Identities::link_conflict(EntityId a, EntityId b) const {
  const Snapshot& snapshot = reading_.snapshot();
  const auto standing = [&](EntityId item) {
    std::map<std::uint32_t, std::set<std::uint32_t>> objects;
    store::Scratch scratch;
    const store::Edges edges = snapshot.outgoing(item, store::PredicateClass::kLink, scratch);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const Predicate predicate{edges.predicates[i]};
      const auto flag = snapshot.attribute(predicate.as_link(), "functional");
      if (!flag || snapshot.display(*flag) != "true") continue;
      const auto link = snapshot.find_proposition({item, predicate, Term{edges.others[i]}});
      if (link && reading_.metadata_text(*link, "valid_to").empty())
        objects[predicate.code].insert(edges.others[i]);
    }
    return objects;
  };
  const auto ours = standing(a), theirs = standing(b);
  for (const auto& [predicate, objects] : ours) {
    const auto other = theirs.find(predicate);
    if (other != theirs.end() && other->second != objects)
      return std::string(snapshot.name(Predicate{predicate}.as_link()));
  }
  return {};
}

}  // namespace anima::sleep::detail
