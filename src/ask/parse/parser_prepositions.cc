// What stands behind a preposition: "on atlas", "in English", "over 5 kg", "at noon".
#include "ask/parse/mods.h"
#include "ask/parse/parser.h"
#include "base/text/text.h"

namespace anima::ask {

const Parser::Mods& Parser::prepositional(std::size_t at) {
  return mods_at(PhraseKind::kPrepositional, prepositional_, &Parser::read_prepositional, at);
}

// "over 5 kg", "before 08:00": of the only attribute that is in such a unit, or that has times of
// day.
void Parser::counted_in(std::size_t at, Mods& out) {
  const auto add = [&](std::size_t end, const Constant& value,
                       std::function<SetRef(const SetRef&, int)> apply) {
    if (value.unit.empty() && !value.clock) return;
    Mod mod;
    mod.end = end;
    // "At noon" may be of what is called Noon, too.
    mod.cost = value.clock && pack_.clock(fold_case(value.written)) != nullptr ? 0.05 : kLooseCost;
    mod.apply = [this, value, apply = std::move(apply)](const SetRef& set) {
      const auto attributes = joins_.counted_in(value, set->types);
      return attributes.size() == 1 ? single(apply(set, attributes.front())) : Joined{};
    };
    out.push_back(std::move(mod));
  };
  // "Before 3 days" is a time.
  const bool when = at_class(at, WordClass::kBeforeTime) || at_class(at, WordClass::kAfterTime);
  for (const auto& [end, use] : uses(at, PackUse::Kind::kCompare)) {
    for (const auto& [last, value] : constants(end)) {
      if (when && !value.clock) continue;
      add(last, value, [this, how = use->compare, value = value](const SetRef& set, int attribute) {
        return joins_.compare(set, attribute, how, value);
      });
    }
  }
  for (const std::size_t end : after(at, WordClass::kInTime)) {
    for (const auto& [last, value] : constants(end)) {
      if (!value.clock) continue;
      add(last, value, [this, value = value](const SetRef& set, int attribute) {
        return joins_.compare(set, attribute, Compare::kEqual, value);
      });
    }
  }
  for (const std::size_t end : after(at, WordClass::kBetween)) {
    for (const Bounds& both : bounds(end)) {
      add(both.end, both.low,
          [this, both](const SetRef& set, int attribute) { return within(set, attribute, both); });
    }
  }
}

// "over 30 minutes"
void Parser::measured(std::size_t at, Mods& out) {
  for (const auto& [end, use] : uses(at, PackUse::Kind::kCompare)) {
    if (use->compare != Compare::kLess && use->compare != Compare::kMore) continue;
    for (const auto& [next, value] : constants(end)) {
      for (const Sense* sense : senses(next, Sense::Kind::kAttribute)) {
        Mod mod;
        mod.end = sense->end;
        mod.cost = sense->cost + kLooseCost;
        mod.apply = [this, sense, how = use->compare, value = value](const SetRef& set) {
          return single(joins_.compare(set, sense->attribute, how, value));
        };
        out.push_back(std::move(mod));
      }
    }
  }
}

Parser::Mods Parser::read_prepositional(std::size_t at) {
  Mods mods;
  append(mods, times(at, false));
  measured(at, mods);
  counted_in(at, mods);
  // A predicate that is a preposition itself: "below Nora Abel".
  neither_there(at, mods);
  const std::string preposition = preposition_at(at);
  if (preposition.empty()) return mods;
  for (const Noun& noun : nouns(at + 1)) {
    // "services by host" groups.
    const bool groups = pack_.is_by(preposition) && noun.phrase.set->names.empty() &&
                        noun.phrase.bare &&
                        (noun.phrase.set->restrictions.empty() || noun.phrase.through);
    if (groups) continue;
    Mod mod;
    mod.end = noun.end;
    mod.cost = noun.cost;
    mod.apply = [this, noun, preposition](const SetRef& set) {
      return joins_.relate_unnamed(set, noun.phrase, preposition);
    };
    mods.push_back(std::move(mod));
  }
  // "in English": a value. "Over 100" is none that is 100.
  const std::size_t start = skip_article(at + 1);
  std::vector<const Sense*> values = senses(start, Sense::Kind::kValue);
  if (start != at + 1) {
    for (const Sense* sense : senses(at + 1, Sense::Kind::kValue)) values.push_back(sense);
  }
  if (!compares_size(at)) {
    Mods there;
    for (const Sense* sense : values) {
      there.push_back(has_value(*sense, 0.05));
      named_by_column(there.back(), sense->attribute, there);
    }
    for (const Mod& mod : value_choices(at + 1, -1)) {
      there.push_back(mod);
      named_by_column(mod, mod.attribute, there);
    }
    for (const Mod& mod : there) mods.push_back(or_of_role(mod));
  }
  // "of the genre poetry", "with status stopped"
  for (const Sense* sense : senses(start, Sense::Kind::kAttribute))
    append(mods, attribute_tests(sense->end, sense->attribute, sense->cost));
  return mods;
}

}  // namespace anima::ask
