#include "ask/parse/columns/persons.h"

#include <algorithm>
#include <string_view>

namespace anima::ask {
namespace {

// By its last word: `customer`, `team_lead`, `customer_name`, but not `customer_city`.
bool names_person(const Pack& pack, const std::vector<std::string>& words) {
  if (words.empty()) return false;
  const std::vector<PackUse>* uses = pack.uses(words.back());
  const bool name =
      words.size() > 1 && uses != nullptr && std::ranges::any_of(*uses, [](const PackUse& use) {
        return use.kind == PackUse::Kind::kClass && use.word_class == WordClass::kNamed;
      });
  return pack.names_person(name ? words[words.size() - 2] : words.back());
}

bool has_digit(std::string_view name) {
  return name.find_first_of("0123456789") != std::string_view::npos;
}

bool has_codes(const Lexicon& lexicon, TypeId type) {
  bool code = false, word = false;
  const Schema& schema = lexicon.schema();
  schema.types_of.each([&](store::EntityId entity) {
    if (word || !std::ranges::binary_search(schema.types_of_entity(entity), type)) return;
    (has_digit(lexicon.snapshot().name(entity)) ? code : word) = true;
  });
  return code && !word;
}

bool by_doer(const Pack& pack, const std::vector<std::string>& words) {
  return words.size() > 1 && pack.is_by(words.back());
}

enum class Tells : std::uint8_t { kNothing, kColumns, kLedTo };

// What one restriction says of the members themselves.
Tells told_by(const Restriction& one) {
  if (one.attribute >= 0 && one.kind != Restriction::Kind::kFold) return Tells::kColumns;
  if (one.kind == Restriction::Kind::kSame) return Tells::kColumns;
  if (one.kind == Restriction::Kind::kRelation)
    return one.edge.inverse ? Tells::kLedTo : Tells::kColumns;
  Tells all = Tells::kNothing;
  for (const Restriction& part : one.parts) all = std::max(all, told_by(part));
  for (const auto& parts : one.alternatives) {
    for (const Restriction& part : parts) all = std::max(all, told_by(part));
  }
  return all;
}

}  // namespace

Personhood personhood(const Lexicon& lexicon, TypeId type) {
  const Pack& pack = lexicon.pack();
  const Schema& schema = lexicon.schema();
  if (names_person(pack, cut_key(schema.types[type].name))) return Personhood::kYes;
  for (const PredicateInfo& info : schema.predicates) {
    if (info.derived || !info.objects().contains(type)) continue;
    if (by_doer(pack, info.words) || names_person(pack, info.words)) return Personhood::kYes;
  }
  return has_codes(lexicon, type) ? Personhood::kNo : Personhood::kMaybe;
}

std::vector<PersonColumn> person_columns(const Lexicon& lexicon, TypeId type) {
  const Pack& pack = lexicon.pack();
  const Schema& schema = lexicon.schema();
  std::vector<PersonColumn> found;
  for (std::size_t i = 0; i < schema.attributes.size(); ++i) {
    const AttributeInfo& info = schema.attributes[i];
    const auto counts = info.types.find(type);
    const bool texts = counts != info.types.end() && !info.link && counts->second.texts > 0 &&
                       counts->second.texts == counts->second.all();
    const bool doer = by_doer(pack, info.words);
    if (texts && (doer || names_person(pack, info.words)))
      found.push_back({static_cast<int>(i), -1, doer});
  }
  for (std::size_t i = 0; i < schema.predicates.size(); ++i) {
    const PredicateInfo& info = schema.predicates[i];
    if (info.derived || !info.functional || !info.subjects().contains(type)) continue;
    const TypeSet ends = info.follow(TypeSet::of(type), false);
    const bool persons = std::ranges::any_of(ends.ids(), [&](TypeId end) {
      return end != type && personhood(lexicon, end) == Personhood::kYes;
    });
    if (persons) found.push_back({-1, static_cast<int>(i), by_doer(pack, info.words)});
  }
  return found;
}

bool is_told_by_columns(const SetExpr& set) {
  Tells all = Tells::kNothing;
  for (const Restriction& one : set.restrictions) all = std::max(all, told_by(one));
  const bool best = set.best && set.best->by.attribute >= 0 && set.best->by.counted == nullptr;
  return all == Tells::kColumns || (best && all == Tells::kNothing);
}

}  // namespace anima::ask
