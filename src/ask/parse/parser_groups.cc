// Questions for a number and for groups: "how many services run on borea", "services per host".
#include <algorithm>

#include "ask/parse/parser.h"

namespace anima::ask {

// "(which) city has the highest total amount": the groups of a value with the best fold.
void Parser::best_fold(const Sense& sense, std::size_t have) {
  const std::size_t start = skip_article(have);
  for (const auto& [end, best] : uses(start, PackUse::Kind::kFold)) {
    if (best->fold != Fold::kHighest && best->fold != Fold::kLowest) continue;
    for (const auto& [next, fold] : uses(end, PackUse::Kind::kFold)) {
      if (fold->fold != Fold::kSum && fold->fold != Fold::kAverage) continue;
      for (const Sense* measured : senses(next, Sense::Kind::kAttribute)) {
        const SetRef all = joins_.of_types(joins_.attribute_types(measured->attribute));
        Reading reading;
        reading.form = Reading::Form::kGroup;
        reading.fold = fold->fold;
        reading.attribute = measured->attribute;
        reading.set = joins_.narrowed(all, joins_.attribute_types(sense.attribute));
        if (reading.set == nullptr || !joins_.numeric(measured->attribute, reading.set->types) ||
            joins_.has_lists(measured->attribute) || joins_.has_lists(sense.attribute))
          continue;
        reading.group.emplace();
        reading.group->attribute = sense.attribute;
        reading.best.emplace();
        reading.best->most = best->fold == Fold::kHighest;
        reading.cost = sense.cost + measured->cost;
        add(reading, measured->end);
        for (const Mod& mod : after_noun(measured->end)) {
          for (auto& [set, cost] : mod.apply(reading.set)) {
            Reading of_some = reading;
            of_some.set = set;
            of_some.cost += mod.cost + cost;
            if (!set->best) add(std::move(of_some), mod.end);
          }
        }
      }
    }
  }
}

// "list the cities", "which cities are there": each value, with how many things have it.
void Parser::values_there(std::size_t at, bool asked_for) {
  for (const Sense* sense : senses(skip_article(at), Sense::Kind::kAttribute)) {
    const TypeSet types = joins_.attribute_types(sense->attribute);
    if (!is_of_words(sense->attribute)) continue;
    values_done(*sense);
    std::vector<std::size_t> ends;
    if (asked_for) ends.push_back(sense->end);
    for (const std::size_t be : after(sense->end, WordClass::kBe)) {
      for (const std::size_t there : after(be, WordClass::kThere)) ends.push_back(there);
    }
    for (const std::size_t end : ends) {
      Reading reading;
      reading.form = Reading::Form::kGroup;
      reading.set = joins_.of_types(types);
      reading.group.emplace();
      reading.group->attribute = sense->attribute;
      reading.cost = sense->cost + 0.1;
      add(std::move(reading), end);
    }
  }
}

// "(which) genre has the most books": the value that most things share.
void Parser::most_shared(const Sense& sense) {
  for (const std::size_t have : after(sense.end, WordClass::kHave)) {
    best_fold(sense, have);
    most_counted(sense, have);
    groups_with(sense, have);
  }
}

bool Parser::is_of_words(int attribute) const {
  const TypeSet types = joins_.attribute_types(attribute);
  return !joins_.numeric(attribute, types) && !joins_.is_date(attribute, types) &&
         !joins_.has_lists(attribute);
}

// "(which sites) have more than two plots", "have a yield below 15": values of a column, by the
// rows that have them.
void Parser::groups_with(const Sense& sense, std::size_t have) {
  if (!is_of_words(sense.attribute)) return;
  Reading reading;
  reading.form = Reading::Form::kGroup;
  reading.group.emplace();
  reading.group->attribute = sense.attribute;
  std::set<std::size_t> groups;
  const std::size_t only = skip(have, WordClass::kOnly);
  for (const Noun& counted : nouns(only)) {
    const Phrase& phrase = counted.phrase;
    if (phrase.quantity != Quantity::kCount || !phrase.set->names.empty()) continue;
    reading.set = joins_.narrowed(phrase.set, joins_.attribute_types(sense.attribute));
    if (reading.set == nullptr || reading.set->best || reading.set->numeral > 0) continue;
    // A value that no row has is no group, so that fewer than so many would leave it out.
    const bool any = phrase.count < 1 || phrase.compare == Compare::kNotEqual;
    if (any) continue;
    reading.having = {phrase.compare, phrase.count};
    reading.cost = sense.cost + counted.cost;
    groups.insert(counted.end);
    add(reading, counted.end);
  }
  reading.having.reset();
  Mods tests;
  attribute_possessions(have, tests);
  const SetRef rows = joins_.of_types(joins_.attribute_types(sense.attribute));
  for (const Mod& test : tests) {
    if (groups.contains(test.end)) continue;  // "two plots" of the column `plot` are two rows
    for (auto& [set, cost] : test.apply(rows)) {
      const Restriction* last = set->restrictions.empty() ? nullptr : &set->restrictions.back();
      if (last == nullptr || last->kind != Restriction::Kind::kAttribute || last->denied ||
          last->attribute == sense.attribute || set->best)
        continue;
      reading.set = set;
      reading.cost = sense.cost + test.cost + cost;
      add(reading, test.end);
    }
  }
}

// "(how many) sites are there": the values of a column.
void Parser::count_values(std::size_t at) {
  for (const Sense* sense : senses(at, Sense::Kind::kAttribute)) {
    if (!is_of_words(sense->attribute)) continue;
    for (const std::size_t be : after(sense->end, WordClass::kBe)) {
      for (const std::size_t there : after(be, WordClass::kThere)) {
        Reading reading;
        reading.form = Reading::Form::kCount;
        reading.attribute = sense->attribute;
        reading.set = joins_.of_types(joins_.attribute_types(sense->attribute));
        reading.cost = sense->cost + 0.1;
        add(std::move(reading), there);
      }
    }
  }
}

// "the most books"
void Parser::most_counted(const Sense& sense, std::size_t at) {
  if (joins_.has_lists(sense.attribute)) return;
  for (const bool most : {true, false}) {
    std::vector<std::size_t> starts = after(at, most ? WordClass::kMost : WordClass::kLeast);
    for (const std::size_t end :
         after(skip_article(at), most ? WordClass::kMost : WordClass::kLeast))
      starts.push_back(end);
    for (const std::size_t start : starts) {
      for (const Noun& counted : nouns(start)) {
        if (!counted.phrase.bare || !counted.phrase.set->names.empty()) continue;
        Reading reading;
        reading.form = Reading::Form::kGroup;
        reading.set = joins_.narrowed(counted.phrase.set, joins_.attribute_types(sense.attribute));
        if (reading.set == nullptr || reading.set->best) continue;
        reading.group.emplace();
        reading.group->attribute = sense.attribute;
        reading.best.emplace();
        reading.best->most = most;
        reading.cost = sense.cost + counted.cost;
        add(std::move(reading), counted.end);
      }
    }
  }
}

// "the largest invoice per city": the best is chosen in each group.
void Parser::best_of_groups(const SetExpr& chosen, std::size_t at, double cost) {
  groups(at, chosen.types, [&](const Grouping& group, std::size_t end, double more) {
    if (group.attribute >= 0 && joins_.has_lists(group.attribute)) return;
    // "The last two releases by date" are in no groups.
    if (group.attribute >= 0 &&
        joins_.is_date(group.attribute, joins_.attribute_types(group.attribute)))
      return;
    Reading reading;
    reading.form = Reading::Form::kTop;
    auto base = std::make_shared<SetExpr>(chosen);
    reading.best = base->best;
    base->best.reset();
    reading.set = base;
    reading.group = group;
    reading.cost = cost + more;
    add(std::move(reading), end);
  });
}

// "how long is X", "how much memory does X have", "how much does X earn"
void Parser::how_questions(std::size_t at) {
  for (const std::size_t how : after(at, WordClass::kHow)) {
    for (const Sense* sense : senses(how, Sense::Kind::kScale)) {
      if (sense->scale.degree != Degree::kPlain) continue;
      for (const std::size_t be : after(sense->end, WordClass::kBe)) {
        for (const Noun& noun : nouns(be)) {
          if (noun.phrase.set->anything) continue;
          for (const int attribute : joins_.scale_attributes(*sense, noun.phrase.set->types))
            value_reading(attribute, noun.phrase, noun.end, sense->cost + noun.cost);
        }
      }
    }
  }
  for (const WordClass word : {WordClass::kHowMuch, WordClass::kHowMany}) {
    for (const std::size_t much : after(at, word)) {
      // "How many languages does Bob have" asks for their number, and these are not one.
      const auto number_asked = [&](const Sense* sense) {
        return word == WordClass::kHowMuch || !joins_.has_lists(sense->attribute);
      };
      for (const std::size_t be : after(much, WordClass::kBe)) {
        for (const Property& one : properties(be)) {
          Phrase phrase;
          phrase.set = one.of;
          if (one.of != nullptr) value_reading(one.attribute, phrase, one.end, one.cost, one.fold);
        }
      }
      for (const Sense* sense : senses(much, Sense::Kind::kAttribute)) {
        if (!number_asked(sense)) continue;
        // "How many tickets has the play"
        for (const std::size_t have : after(sense->end, WordClass::kHave)) {
          for (const Noun& noun : nouns(have))
            value_reading(sense->attribute, noun.phrase, noun.end, sense->cost + noun.cost);
        }
        for (const std::size_t helper : after(sense->end, WordClass::kDo)) {
          for (const Noun& noun : nouns(helper)) {
            for (const std::size_t have : after(noun.end, WordClass::kHave)) {
              const double cost = sense->cost + noun.cost;
              value_reading(sense->attribute, noun.phrase, have, cost);
              for (const std::size_t last : after(have, WordClass::kInTotal))
                value_reading(sense->attribute, noun.phrase, last, cost, Fold::kSum);
              for (const std::size_t last : after(have, WordClass::kOnAverage))
                value_reading(sense->attribute, noun.phrase, last, cost, Fold::kAverage);
            }
          }
        }
      }
      for (const std::size_t helper : after(much, WordClass::kDo)) {
        for (const Noun& noun : nouns(helper)) {
          for (const Sense* sense : senses(noun.end, Sense::Kind::kAttribute)) {
            const double cost = sense->cost + noun.cost;
            value_reading(sense->attribute, noun.phrase, sense->end, cost);
            for (const std::size_t last : after(sense->end, WordClass::kInTotal))
              value_reading(sense->attribute, noun.phrase, last, cost, Fold::kSum);
            for (const std::size_t last : after(sense->end, WordClass::kOnAverage))
              value_reading(sense->attribute, noun.phrase, last, cost, Fold::kAverage);
          }
        }
      }
    }
  }
}

// "how many services run on borea", "number of services", "count the services"
void Parser::count_questions(std::size_t at) {
  std::vector<std::size_t> starts = after(at, WordClass::kHowMany);
  // "how many different dogs"
  for (const std::size_t many : after(at, WordClass::kHowMany)) {
    if (const std::size_t end = skip(many, WordClass::kFiller); end != many) starts.push_back(end);
  }
  const auto number_of = [&](std::size_t from) {
    for (const std::size_t base : {from, skip_article(from)}) {
      for (const std::size_t end : after(base, WordClass::kNumberOf)) starts.push_back(end);
    }
  };
  number_of(at);
  for (const std::size_t list : after(at, WordClass::kListVerb)) number_of(list);
  for (const std::size_t word : after(at, WordClass::kWhich)) {
    for (const std::size_t be : after(word, WordClass::kBe)) number_of(be);
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  const auto counted = [&](const SetRef& set, std::size_t end, double cost) {
    if (set->anything && set->restrictions.empty()) return;
    Reading reading;
    reading.form = Reading::Form::kCount;
    reading.set = set;
    reading.cost = cost;
    add(reading, end);
    for (const std::size_t last : after(end, WordClass::kInTotal)) add(reading, last);
    finish_group(reading, end);
  };
  for (const std::size_t start : starts) {
    count_values(start);
    for (const Noun& noun : nouns(start)) {
      if (noun.phrase.quantity != Quantity::kSome && noun.phrase.quantity != Quantity::kAll)
        continue;
      const SetRef& set = noun.phrase.set;
      if (!set->names.empty() && !is_context(set)) continue;
      counted(set, noun.end, noun.cost);
      verb_groups(noun);
      done_by_each(noun);
      for (const Mod& mod : verbs(noun.end)) {
        for (auto& [said, cost] : mod.apply(set))
          counted(said, mod.end, noun.cost + mod.cost + cost);
      }
      inverted(noun.end, set, "", [&](const SetRef& found, std::size_t end, double cost) {
        counted(found, end, noun.cost + cost);
      });
    }
  }
}

// "(how many employees) work in each department"
void Parser::verb_groups(const Noun& noun) {
  std::size_t start = noun.end;
  if (const std::size_t be = skip(start, WordClass::kBe); be != start) start = be;
  for (const Sense* sense : senses(start, Sense::Kind::kVerb)) {
    for (const auto& [preposition, inverse] : frames(*sense)) {
      std::size_t at = sense->end;
      if (!preposition.empty()) {
        const bool fits = !at_end(at) && (preposition == "*" ? pack_.is_by(pieces_[at].folded)
                                                             : pieces_[at].folded == preposition);
        if (!fits) continue;
        ++at;
      }
      for (const std::size_t each : after(at, WordClass::kEach)) {
        for (const Noun& group : nouns(each)) {
          if (!group.phrase.set->names.empty() || group.phrase.quantity != Quantity::kSome)
            continue;
          Grouping grouping;
          grouping.edge = Edge{sense->predicate, inverse, false};
          const PredicateInfo& info =
              schema_.predicates[static_cast<std::size_t>(sense->predicate)];
          grouping.groups =
              joins_.narrowed(group.phrase.set, info.follow(noun.phrase.set->types, inverse));
          if (grouping.groups == nullptr) continue;
          Reading reading;
          reading.form = Reading::Form::kCount;
          reading.set = noun.phrase.set;
          reading.cost = noun.cost + sense->cost;
          grouped(reading, grouping, group.end, group.cost);
        }
      }
    }
  }
}

// "(how many horses) does each trainer train", of a column of texts or a relation
void Parser::done_by_each(const Noun& noun) {
  Reading reading;
  reading.form = Reading::Form::kCount;
  reading.set = noun.phrase.set;
  for (const std::size_t helper : after(noun.end, WordClass::kDo)) {
    for (const std::size_t each : after(helper, WordClass::kEach)) {
      for (const Sense* doer : senses(each, Sense::Kind::kAttribute)) {
        for (const Sense* deed : senses(doer->end, Sense::Kind::kDeed)) {
          if (deed->attribute != doer->attribute) continue;
          reading.set = joins_.narrowed(noun.phrase.set, joins_.attribute_types(deed->attribute));
          if (reading.set == nullptr) continue;
          Grouping group;
          group.attribute = deed->attribute;
          reading.cost = noun.cost;
          grouped(reading, group, deed->end, doer->cost + deed->cost);
        }
      }
      for (const Noun& doer : nouns(each)) {
        if (!doer.phrase.set->names.empty() || !doer.phrase.set->restrictions.empty()) continue;
        for (const Sense* verb : senses(doer.end, Sense::Kind::kVerb)) {
          for (const auto& [preposition, inverse] : frames(*verb)) {
            if (!preposition.empty()) continue;
            const PredicateInfo& info =
                schema_.predicates[static_cast<std::size_t>(verb->predicate)];
            Grouping group;
            group.edge = Edge{verb->predicate, !inverse, false};
            group.groups =
                joins_.narrowed(doer.phrase.set, info.follow(noun.phrase.set->types, !inverse));
            if (group.groups == nullptr) continue;
            reading.set = noun.phrase.set;
            reading.cost = noun.cost + verb->cost;
            grouped(reading, group, verb->end, doer.cost);
          }
        }
      }
    }
  }
}

bool Parser::is_context(const SetRef& set) const {
  return std::any_of(context_.pronouns.begin(), context_.pronouns.end(),
                     [&](const SetRef& one) { return one->names == set->names; });
}

// Behind "per", "by", "for each": an attribute, a type or a noun of a relation.
void Parser::groups(std::size_t at, const TypeSet& from,
                    const std::function<void(const Grouping&, std::size_t, double)>& found) {
  for (const std::size_t per : after(at, WordClass::kPer)) {
    group_of(per, from, found);
  }
  const std::string preposition = preposition_at(at);
  if (preposition.empty()) return;
  for (const std::size_t each : after(at + 1, WordClass::kEach)) group_of(each, from, found);
}

void Parser::group_of(std::size_t at, const TypeSet& from,
                      const std::function<void(const Grouping&, std::size_t, double)>& found) {
  for (const Sense* sense : senses(at, Sense::Kind::kAttribute)) {
    if (from.both(joins_.attribute_types(sense->attribute)).empty()) continue;
    Grouping group;
    group.attribute = sense->attribute;
    found(group, sense->end, sense->cost);
  }
  for (const Noun& noun : nouns(at)) {
    if (!noun.phrase.set->names.empty() || noun.phrase.quantity != Quantity::kSome ||
        noun.phrase.set->anything)
      continue;
    if (noun.phrase.through) {
      const PredicateInfo& info =
          schema_.predicates[static_cast<std::size_t>(noun.phrase.through->predicate)];
      const TypeSet ends = info.follow(from, noun.phrase.through->inverse);
      // Whoever is one at all is one restriction; what else is said may be of the groups, or of
      // what is counted ("per foreman in 2025").
      const bool says_more =
          noun.phrase.set->restrictions.size() > 1 || noun.phrase.set->best ||
          std::ranges::any_of(noun.phrase.set->restrictions, [](const Restriction& one) {
            return one.target != nullptr && !one.target->restrictions.empty();
          });
      if (ends.empty() || says_more) continue;
      Grouping group;
      group.edge = *noun.phrase.through;
      group.groups = joins_.of_types(ends, true);
      found(group, noun.end, noun.cost);
      continue;
    }
    if (!noun.phrase.set->restrictions.empty()) continue;
    for (const auto& [edge, cost] : joins_.unnamed_edges(from, noun.phrase.set->types, "")) {
      Grouping group;
      group.edge = edge;
      group.groups = joins_.narrowed(
          noun.phrase.set,
          schema_.predicates[static_cast<std::size_t>(edge.predicate)].follow(from, edge.inverse));
      if (group.groups != nullptr) found(group, noun.end, noun.cost + cost);
    }
  }
}

void Parser::finish_group(const Reading& reading, std::size_t at) {
  if (at_end(at)) return;
  groups(at, reading.set->types, [&](const Grouping& group, std::size_t end, double cost) {
    grouped(reading, group, end, cost);
  });
}

void Parser::grouped(const Reading& reading, const Grouping& group, std::size_t end, double cost) {
  Reading result = reading;
  if (reading.form == Reading::Form::kCount) result.fold = Fold::kCount;
  if (reading.form == Reading::Form::kValue) return;
  // The largest of all is in one group; of each group it is another question (group_questions).
  if (reading.set->best || (group.attribute >= 0 && joins_.has_lists(group.attribute))) return;
  result.form = Reading::Form::kGroup;
  result.group = group;
  result.cost += cost;
  // What has no such relation is in no group.
  if (group.attribute < 0) {
    const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(group.edge.predicate)];
    result.set =
        joins_.narrowed(reading.set, info.follow(group.groups->types, !group.edge.inverse));
    if (result.set == nullptr) return;
  }
  add(std::move(result), end);
}

// "services per host", "for each host, how many services", "for each author, the number of books"
void Parser::group_questions(std::size_t at) {
  for (const Noun& noun : nouns(at)) {
    if (noun.phrase.quantity != Quantity::kSome || !noun.phrase.set->names.empty()) continue;
    Reading reading;
    reading.form = Reading::Form::kCount;
    reading.set = noun.phrase.set;
    reading.cost = noun.cost;
    finish_group(reading, noun.end);
    if (noun.phrase.set->best) best_of_groups(*noun.phrase.set, noun.end, noun.cost);
  }
  for (const std::size_t per : after(at, WordClass::kPer)) {
    // The group is read once what is grouped is known.
    for (std::size_t middle = per + 1; middle < pieces_.size(); ++middle) {
      Parser rest(
          lexicon_,
          std::vector<Piece>(pieces_.begin() + static_cast<std::ptrdiff_t>(middle), pieces_.end()),
          lexicon_.matches({pieces_.begin() + static_cast<std::ptrdiff_t>(middle), pieces_.end()}),
          context_);
      for (const Reading& reading : rest.simple_readings()) {
        if (reading.form == Reading::Form::kValue) continue;
        groups(at, reading.set->types, [&](const Grouping& group, std::size_t end, double cost) {
          if (end != middle) return;
          Reading counted = reading;
          if (counted.form == Reading::Form::kList) counted.form = Reading::Form::kCount;
          grouped(counted, group, pieces_.size(), cost);
        });
      }
    }
  }
}

std::vector<Reading> Parser::simple_readings() {
  noun_questions(0);
  count_questions(0);
  value_questions(0);
  std::erase_if(found_, [](const Reading& one) {
    return one.form != Reading::Form::kList && one.form != Reading::Form::kCount &&
           one.form != Reading::Form::kFold;
  });
  return std::move(found_);
}

}  // namespace anima::ask
