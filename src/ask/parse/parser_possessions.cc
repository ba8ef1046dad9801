// What stands behind "has" and "with": values, counts, superlatives and things.
#include <algorithm>

#include "ask/parse/mods.h"
#include "ask/parse/parser.h"

namespace anima::ask {
const Parser::Mods& Parser::possessions(std::size_t at) {
  return mods_at(PhraseKind::kPossession, possessions_, &Parser::read_possessions, at);
}

Parser::Mods Parser::read_possessions(std::size_t at) {
  Mods mods;
  attribute_possessions(at, mods);
  counted_possessions(at, mods);
  superlative_possessions(at, mods);
  same_as(at, std::nullopt, 0, mods);
  counted_in(at, mods);
  // "speak French", where that is their language
  for (const Sense* sense : senses(at, Sense::Kind::kValue)) {
    mods.push_back(has_value(*sense, 0));
    as_bare(at, sense->attribute, mods.back());
  }
  for (const Noun& noun : nouns(at)) {
    Mod mod;
    mod.end = noun.end;
    mod.cost = noun.cost;
    mod.apply = [this, noun](const SetRef& set) {
      return joins_.relate_unnamed(set, noun.phrase, "");
    };
    mod.said = noun.said;
    mod.said.article = skip_article(at) != at;
    if (noun.said.role == nullptr) mod.said.name = !noun.phrase.set->names.empty();
    // "The vet", of the type that is called as the role is.
    for (const Sense* role : senses(skip_article(at), Sense::Kind::kNoun)) {
      if (role->end == noun.end && !mod.said.name) mod.said.role = role;
    }
    mods.push_back(std::move(mod));
    in_role(noun, mods);
  }
  named_role(at, mods);
  text_in_role(at, mods);
  return mods;
}

// "a port above 8080", "the status stopped", "more than 300 pages", "no port"
void Parser::attribute_possessions(std::size_t at, Mods& out) {
  const std::size_t start = skip_article(at);
  for (const Sense* sense : senses(start, Sense::Kind::kAttribute)) {
    std::vector<std::size_t> ends{sense->end};
    for (const std::size_t kind : after(sense->end, WordClass::kKindNoun)) ends.push_back(kind);
    const Sense* role = is_role(*sense) ? sense : nullptr;
    const bool article = start != at;
    for (const std::size_t end : ends) {
      const std::size_t before = out.size();
      append(out, attribute_tests(end, sense->attribute, sense->cost));
      for (std::size_t i = before; i < out.size(); ++i)
        out[i].said = {role, role != nullptr, article};
    }
    // "Have ended" says when, and not that there is a date (`passed`).
    if (is_past_deed(*sense)) continue;
    Mod has;
    has.end = sense->end;
    has.cost = sense->cost + 0.1;
    has.said = {role, false, article};
    has.apply = [this, attribute = sense->attribute](const SetRef& set) {
      return single(joins_.has_value(set, attribute));
    };
    out.push_back(has);
    // "A stock" may also be one of 0, and a delay one below it; "a balcony" is none that is not
    // there.
    const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(sense->attribute)];
    if (info.flags() || (start == at && !info.falls_below_zero())) continue;
    // "A dog" of a column `dogs` that counts from 0: how many, and none is no dog.
    const bool how_many = info.counts_from_zero() && pieces_[sense->begin].folded != info.words[0];
    if (how_many && info.words.size() == 1) continue;
    has.apply = [this, attribute = sense->attribute](const SetRef& set) {
      return single(joins_.is_filled(set, attribute));
    };
    out.push_back(std::move(has));
  }
  for (const std::size_t end : after(at, WordClass::kNo)) {
    for (const Sense* sense : senses(end, Sense::Kind::kAttribute)) {
      const auto none = [&](SetRef (Joins::*some)(const SetRef&, int) const) {
        Mod mod;
        mod.end = sense->end;
        mod.cost = sense->cost;
        mod.apply = [this, some, attribute = sense->attribute](const SetRef& set) {
          const SetRef has = (joins_.*some)(set, attribute);
          if (has == nullptr) return Joined{};
          return single(
              joins_.negated(joins_.narrowed(set, joins_.attribute_types(attribute)), has));
        };
        out.push_back(std::move(mod));
      };
      none(&Joins::has_value);
      if (schema_.attributes[static_cast<std::size_t>(sense->attribute)].falls_below_zero())
        none(&Joins::is_filled);
      // "no backup since May"
      for (const Mod& mod : attribute_tests(sense->end, sense->attribute, sense->cost))
        out.push_back(turned(mod));
    }
  }
  flag_possessions(at, out);
  numbered_possessions(start, out);
}

// "A key", "no key", of a column `has_key` of yes and no.
void Parser::flag_possessions(std::size_t at, Mods& out) {
  const auto flags = [&](std::size_t from, bool flag) {
    for (const Sense* sense : senses(from, Sense::Kind::kFlag)) {
      const bool named =
          std::ranges::any_of(senses(from, Sense::Kind::kAttribute),
                              [&](const Sense* one) { return one->attribute == sense->attribute; });
      if (named) continue;
      Mod mod;
      mod.end = sense->end;
      mod.cost = sense->cost;
      mod.apply = [this, attribute = sense->attribute](const SetRef& set) {
        return single(joins_.has_value(set, attribute));
      };
      out.push_back(flag ? mod : turned(mod));
    }
  };
  flags(skip_article(at), true);
  for (const std::size_t end : after(at, WordClass::kNo)) flags(end, false);
}

// The number first: "300 pages", "over 300 pages", "between 140 and 240 pages"
void Parser::numbered_possessions(std::size_t start, Mods& out) {
  const auto measured = [&](std::size_t from,
                            const std::function<SetRef(const SetRef&, int)>& apply) {
    for (const Sense* sense : senses(from, Sense::Kind::kAttribute)) {
      Mod mod;
      mod.end = sense->end;
      mod.cost = sense->cost;
      mod.apply = [apply, attribute = sense->attribute](const SetRef& set) {
        return single(apply(set, attribute));
      };
      out.push_back(std::move(mod));
    }
  };
  const auto compared = [&](std::size_t from, Compare how) {
    for (const auto& [end, value] : constants(from)) {
      measured(end, [this, how, value = value](const SetRef& set, int attribute) {
        return joins_.compare(set, attribute, how, value);
      });
    }
  };
  compared(start, Compare::kEqual);
  for (const auto& [end, use] : uses(start, PackUse::Kind::kCompare)) compared(end, use->compare);
  for (const std::size_t end : after(start, WordClass::kBetween)) {
    for (const Bounds& both : bounds(end)) {
      measured(both.end, [this, both](const SetRef& set, int attribute) {
        return within(set, attribute, both);
      });
    }
  }
}

// "more memory than cirrus", "a larger radius than Luna", "an average salary above 60000"
void Parser::counted_possessions(std::size_t at, Mods& out) {
  const auto than = [&](std::size_t from, Compare how) {
    for (const Sense* sense : senses(from, Sense::Kind::kAttribute)) {
      for (const std::size_t end : after(sense->end, WordClass::kThan)) {
        for (const Noun& other : nouns(end)) {
          if (other.phrase.quantity != Quantity::kSome || other.phrase.set->anything) continue;
          Mod mod;
          mod.end = other.end;
          mod.cost = sense->cost + other.cost;
          mod.apply = [this, how, other, attribute = sense->attribute](const SetRef& set) {
            return single(joins_.than(set, attribute, how, other.phrase.set));
          };
          out.push_back(std::move(mod));
        }
      }
    }
  };
  for (const std::size_t end : after(at, WordClass::kMore)) than(end, Compare::kMore);
  for (const std::size_t end : after(at, WordClass::kLess)) than(end, Compare::kLess);
  const std::size_t start = skip_article(at);
  for (const auto& [end, use] : uses(start, PackUse::Kind::kFold)) {
    if (use->fold == Fold::kLowest || use->fold == Fold::kHighest || use->fold == Fold::kCount)
      continue;
    for (const Sense* sense : senses(end, Sense::Kind::kAttribute)) {
      for (const auto& [next, compare] : uses(sense->end, PackUse::Kind::kCompare)) {
        for (const auto& [last, value] : constants(next)) {
          Mod mod;
          mod.end = last;
          mod.cost = sense->cost;
          mod.apply = [this, sense, value = value, fold = use->fold,
                       how = compare->compare](const SetRef& set) {
            Joined joined;
            const TypeSet members = joins_.attribute_types(sense->attribute);
            for (const auto& [edge, cost] : joins_.unnamed_edges(set->types, members, "")) {
              const PredicateInfo& info =
                  schema_.predicates[static_cast<std::size_t>(edge.predicate)];
              Restriction restriction;
              restriction.kind = Restriction::Kind::kFold;
              restriction.attribute = sense->attribute;
              restriction.fold = fold;
              restriction.edge = edge;
              restriction.compare = how;
              restriction.value = joins_.in_unit_of(sense->attribute, value);
              const SetRef from = joins_.narrowed(set, info.follow(members, !edge.inverse));
              if (from == nullptr) continue;
              restriction.target =
                  joins_.of_types(info.follow(from->types, edge.inverse).both(members));
              joined.emplace_back(joins_.with(from, restriction), cost);
            }
            return joined;
          };
          out.push_back(std::move(mod));
        }
      }
    }
  }
}

// "the highest average salary", "the most hours in total": of what others have of it together.
Mod Parser::best_together(const Sense& sense, Fold fold, bool most, std::size_t end) {
  Mod mod;
  mod.end = end;
  mod.cost = sense.cost;
  mod.apply = [this, attribute = sense.attribute, fold, most](const SetRef& set) {
    Joined joined;
    const TypeSet members = joins_.attribute_types(attribute);
    for (const auto& [edge, cost] : joins_.unnamed_edges(set->types, members, "")) {
      const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(edge.predicate)];
      const SetRef from = joins_.narrowed(set, info.follow(members, !edge.inverse));
      if (from == nullptr) continue;
      Best best;
      best.most = most;
      best.by.attribute = attribute;
      best.by.fold = fold;
      best.by.edge = edge;
      best.by.counted = joins_.of_types(info.follow(from->types, edge.inverse).both(members));
      if (SetRef chosen = joins_.best(from, best)) joined.emplace_back(std::move(chosen), cost);
    }
    return joined;
  };
  return mod;
}

// "the highest port", "the most pages", "the most services"
void Parser::superlative_possessions(std::size_t at, Mods& out) {
  const std::size_t start = skip_article(at);
  const auto by_attribute = [&](std::size_t from, bool higher, double cost,
                                const Sense* scale = nullptr) {
    for (const Sense* sense : senses(from, Sense::Kind::kAttribute)) {
      const bool most = scale == nullptr ? higher : !joins_.downward(*scale, sense->attribute);
      Mod mod;
      mod.end = sense->end;
      mod.cost = cost + sense->cost;
      mod.apply = [this, most, attribute = sense->attribute](const SetRef& set) {
        Best best;
        best.by.attribute = attribute;
        best.most = most;
        return single(joins_.best(set, best));
      };
      out.push_back(std::move(mod));
    }
  };
  // "the highest average salary"
  for (const auto& [end, use] : uses(start, PackUse::Kind::kFold)) {
    if (use->fold != Fold::kHighest && use->fold != Fold::kLowest) continue;
    for (const auto& [next, inner] : uses(end, PackUse::Kind::kFold)) {
      if (inner->fold != Fold::kAverage && inner->fold != Fold::kSum) continue;
      for (const Sense* sense : senses(next, Sense::Kind::kAttribute))
        out.push_back(best_together(*sense, inner->fold, use->fold == Fold::kHighest, sense->end));
    }
  }
  for (const auto& [end, use] : uses(start, PackUse::Kind::kFold)) {
    if (use->fold == Fold::kHighest) by_attribute(end, true, 0);
    if (use->fold == Fold::kLowest) by_attribute(end, false, 0);
  }
  for (const Sense* sense : senses(start, Sense::Kind::kScale)) {
    if (sense->scale.degree == Degree::kMost) by_attribute(sense->end, true, sense->cost, sense);
  }
  for (const bool most : {true, false}) {
    std::vector<std::size_t> ends = after(at, most ? WordClass::kMost : WordClass::kLeast);
    for (const std::size_t end : after(start, most ? WordClass::kMost : WordClass::kLeast))
      ends.push_back(end);
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    for (const std::size_t end : ends) {
      by_attribute(end, most, 0);
      for (const Sense* sense : senses(end, Sense::Kind::kAttribute)) {
        for (const std::size_t total : after(sense->end, WordClass::kInTotal))
          out.push_back(best_together(*sense, Fold::kSum, most, total));
      }
      for (const Noun& counted : nouns(end)) {
        if (!counted.phrase.bare || counted.phrase.quantity != Quantity::kSome ||
            !counted.phrase.set->names.empty())
          continue;
        Mod mod;
        mod.end = counted.end;
        mod.cost = counted.cost;
        mod.apply = [this, counted, most](const SetRef& set) {
          Joined joined;
          for (const auto& [edge, cost] :
               joins_.unnamed_edges(set->types, counted.phrase.set->types, "")) {
            const PredicateInfo& info =
                schema_.predicates[static_cast<std::size_t>(edge.predicate)];
            Best best;
            best.by.edge = edge;
            best.by.counted =
                joins_.narrowed(counted.phrase.set, info.follow(set->types, edge.inverse));
            best.most = most;
            if (best.by.counted == nullptr) continue;
            const SetRef from =
                joins_.narrowed(set, info.follow(best.by.counted->types, !edge.inverse));
            if (from == nullptr) continue;
            if (SetRef chosen = joins_.best(from, best))
              joined.emplace_back(std::move(chosen), cost);
          }
          return joined;
        };
        out.push_back(std::move(mod));
      }
    }
  }
}

}  // namespace anima::ask
