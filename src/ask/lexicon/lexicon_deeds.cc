// The verbs of what is named after a doer: `owner` is also asked for by "owns", `owned_by` also by
// "owner".
#include <algorithm>

#include "ask/lexicon/lexicon.h"

namespace anima::ask {
namespace {

constexpr double kDerivedCost = 0.1;

// The words of an attribute's name without the type whose it is, and without what kind of value it
// is: owner of `ship_owner` and of `owner_name`.
std::vector<std::string> bare_words(const Schema& schema, const Pack& pack,
                                    const AttributeInfo& attribute) {
  std::vector<std::string> words = attribute.words;
  if (words.size() > 1 && pack.is_kind_noun(words.back())) words.pop_back();
  for (const auto& [type, counts] : attribute.types) {
    const std::vector<std::string> name = cut_key(schema.types[type].name);
    if (name.empty() || name.size() >= words.size()) continue;
    if (!std::equal(name.begin(), name.end(), words.begin())) continue;
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(name.size()));
    break;
  }
  return words;
}

}  // namespace

void Lexicon::add_stemmed(const std::string& stem, Sense sense) {
  sense.exact = false;
  stemmed_[stem].push_back(std::move(sense));
}

// Of an attribute whose values are texts: names of those who do it.
void Lexicon::add_deeds_of_attribute(int index) {
  const AttributeInfo& attribute = schema().attributes[static_cast<std::size_t>(index)];
  const bool texts =
      std::any_of(attribute.types.begin(), attribute.types.end(),
                  [](const auto& one) { return one.second.texts > 0 && one.second.numbers == 0; });
  if (!texts) return;
  Sense sense;
  sense.attribute = index;
  sense.cost = kDerivedCost;
  const std::vector<std::string> words = bare_words(schema(), *pack_, attribute);
  if (words.size() == 1) {
    sense.kind = Sense::Kind::kDeed;
    for (const std::string& verb : pack_->deeds(words[0])) add_stemmed(verb, sense);
  } else if (words.size() == 2 && pack_->is_by(words[1])) {
    const std::string verb = pack_->stem(words[0]);
    sense.kind = Sense::Kind::kDeed;
    add_stemmed(verb, sense);
    sense.kind = Sense::Kind::kAttribute;
    for (const std::string& doer : pack_->doers(verb)) add_stemmed(pack_->stem(doer), sense);
  }
}

// What is named after a doer leads from what is done to who does it: Aurora, owner, Acme.
void Lexicon::add_deeds() {
  for (std::size_t i = 0; i < schema().attributes.size(); ++i)
    add_deeds_of_attribute(static_cast<int>(i));
  for (std::size_t i = 0; i < schema().predicates.size(); ++i) {
    const PredicateInfo& info = schema().predicates[i];
    if (!info.preposition.empty() || info.words.size() != 1) continue;
    Sense sense;
    sense.kind = Sense::Kind::kVerb;
    sense.predicate = static_cast<int>(i);
    sense.inverse = true;
    sense.declared = true;
    sense.cost = kDerivedCost;
    for (const std::string& verb : pack_->deeds(info.words[0])) add_stemmed(verb, sense);
  }
}

}  // namespace anima::ask
