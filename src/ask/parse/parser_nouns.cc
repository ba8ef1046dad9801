// Phrases of things: "the three largest public services on borea that need auth-api".
#include <algorithm>

#include "ask/parse/parser.h"

namespace anima::ask {
namespace {

constexpr double kAttachmentCost = 0.2;
constexpr double kNamedModifierCost = 0.2;
constexpr double kNamedHeadCost = 0.3;  // of what is said behind a name, which needs it least

SetRef with_type_said(const SetRef& named) {
  auto set = std::make_shared<SetExpr>(*named);
  set->by_type = true;
  return set;
}

// The best of a set, by what is said behind it.
Joined open_best(const SetRef& set, bool most, int rank, int take) {
  if (set->best || !set->names.empty()) return {};
  auto open = std::make_shared<SetExpr>(*set);
  open->best = Best{};
  open->best->most = most;
  open->best->rank = rank;
  open->best->take = take;
  return {{std::move(open), 0}};
}

}  // namespace

const Parser::Nouns& Parser::nouns(std::size_t at) {
  static const Nouns kNone;
  if (const auto found = nouns_.find(at); found != nouns_.end()) return found->second;
  if (at >= pieces_.size() || !step() || !open_.insert({PhraseKind::kNoun, at}).second)
    return kNone;
  Nouns list = read_nouns(at);
  open_.erase({PhraseKind::kNoun, at});
  // The cheapest of those that are the same stay.
  std::stable_sort(list.begin(), list.end(),
                   [](const Noun& a, const Noun& b) { return a.cost < b.cost; });
  std::map<std::size_t, std::size_t> kept;
  Nouns best;
  std::set<std::pair<std::size_t, std::string>> seen;
  for (Noun& one : list) {
    std::string key = describe(*one.phrase.set, lexicon_) +
                      std::to_string(static_cast<int>(one.phrase.quantity)) +
                      std::to_string(one.phrase.count) + std::to_string(one.phrase.each_name) +
                      (one.phrase.through ? std::to_string(one.phrase.through->predicate) : "") +
                      (one.phrase.own ? "*" : "") + std::to_string(one.phrase.set->numeral);
    for (const TypeId type : one.phrase.set->types.ids()) key += "," + std::to_string(type);
    if (!seen.insert({one.end, std::move(key)}).second) continue;
    if (kept[one.end]++ < kMaxAlternatives) best.push_back(std::move(one));
    reached_ = std::max(reached_, best.empty() ? 0 : best.back().end);
  }
  return nouns_.emplace(at, std::move(best)).first->second;
}

Parser::Nouns Parser::read_nouns(std::size_t at) {
  Nouns list;
  Phrase bare;
  bare.bare = true;
  nominals(at, bare, 0, list);
  for (const std::size_t end : after(at, WordClass::kEach)) {
    Phrase each;
    each.quantity = Quantity::kEach;
    nominals(end, each, 0, list);
  }
  for (const WordClass word : {WordClass::kArticle, WordClass::kDemonstrative, WordClass::kAll}) {
    for (const std::size_t end : after(at, word)) {
      Phrase start;
      start.bare = word != WordClass::kAll;
      start.definite = at_class(at, WordClass::kDefinite);
      if (word == WordClass::kAll) start.quantity = Quantity::kAll;
      nominals(end, start, 0, list);
      // "the same ..", "all the ..": the inner article adds nothing.
    }
  }
  for (const std::size_t end : after(at, WordClass::kNo)) {
    Phrase none;
    none.quantity = Quantity::kNone;
    nominals(end, none, 0, list);
  }
  for (const std::size_t end : after(at, WordClass::kOnly)) {
    Phrase only;
    only.quantity = Quantity::kOnly;
    nominals(skip_article(end), only, 0, list);
  }
  // "at least two projects", "more than one", "exactly three"
  for (const auto& [end, use] : uses(at, PackUse::Kind::kCompare)) {
    for (const auto& [next, number] : numbers(end)) {
      Phrase count;
      count.quantity = Quantity::kCount;
      count.compare = use->compare;
      count.count = number;
      nominals(next, count, 0, list);
    }
  }
  for (const std::size_t article : {at, skip_article(at)}) {
    for (const auto& [end, number] : numbers(article)) {
      Phrase count;
      count.quantity = Quantity::kCount;
      count.count = number;
      nominals(end, count, 0, list);
    }
    if (skip_article(at) == at) break;
  }
  neither(at, list);
  both_named(at, list);
  const auto anything = [&](WordClass word, Quantity quantity) {
    for (const std::size_t end : after(at, word)) {
      Noun noun;
      noun.end = end;
      noun.phrase.quantity = quantity;
      noun.phrase.set = joins_.of_types(schema_.all_types(), true);
      list.push_back(std::move(noun));
    }
  };
  anything(WordClass::kNobody, Quantity::kNone);
  anything(WordClass::kAnybody, Quantity::kSome);
  anything(WordClass::kEverything, Quantity::kAll);
  for (const WordClass word :
       {WordClass::kPronounThing, WordClass::kPronounPerson, WordClass::kPronounMany}) {
    for (const std::size_t end : after(at, word)) {
      used_pronoun_ = true;
      for (std::size_t i = 0; i < context_.pronouns.size(); ++i) {
        Noun noun;
        noun.end = end;
        noun.cost = 0.3 * static_cast<double>(i);
        noun.phrase.set = context_.pronouns[i];
        list.push_back(std::move(noun));
      }
    }
  }
  for (const std::size_t end : after(at, WordClass::kPossessive)) {
    used_pronoun_ = true;
    for (std::size_t i = 0; i < context_.pronouns.size(); ++i) {
      Noun owner;
      owner.end = end;
      owner.cost = 0.3 * static_cast<double>(i);
      owner.phrase.set = context_.pronouns[i];
      Nouns owned;
      nominals(end, Phrase{}, owner.cost, owned);
      for (Noun& one : owned) {
        for (auto& [set, cost] : joins_.relate_unnamed(one.phrase.set, owner.phrase, "")) {
          Noun noun = one;
          noun.phrase.set = set;
          noun.cost += cost;
          list.push_back(std::move(noun));
        }
      }
    }
  }
  after_head(list, 0);
  possessives(list);
  alternatives(list);
  // "The doctor of the visit" is its own one, and none of any visit.
  std::set<std::size_t> own;
  for (const Noun& noun : list) {
    if (noun.phrase.own) own.insert(noun.end);
  }
  std::erase_if(list, [&](const Noun& noun) {
    return own.contains(noun.end) && noun.phrase.definite && !noun.phrase.own &&
           noun.phrase.own_of.empty() && noun.phrase.set->names.empty();
  });
  // A superlative that nobody said what it goes by.
  std::erase_if(list, [](const Noun& noun) {
    const auto& best = noun.phrase.set->best;
    return best && best->by.attribute < 0 && best->by.counted == nullptr;
  });
  return list;
}

void Parser::nominals(std::size_t at, const Phrase& start, double cost, Nouns& out) {
  Modified state;
  state.at = at;
  state.cost = cost;
  before_head(state, 0, start, out);
}

// Adjectives, values and names before the head; the head itself at every place.
void Parser::before_head(const Modified& state, int depth, const Phrase& start, Nouns& out) {
  if (!step() || depth > 4) return;
  heads(state, start, out);
  const auto go_on = [&](std::size_t end, double cost, std::function<Joined(const SetRef&)> mod) {
    Modified next = state;
    next.at = end;
    next.cost += cost;
    next.mods.push_back(std::move(mod));
    before_head(next, depth + 1, start, out);
  };
  const auto single = [](SetRef set) {
    Joined joined;
    if (set != nullptr) joined.emplace_back(std::move(set), 0);
    return joined;
  };
  for (const Sense* sense : senses(state.at, Sense::Kind::kFlag)) {
    go_on(sense->end, sense->cost, [this, single, attribute = sense->attribute](const SetRef& set) {
      Constant yes;
      yes.kind = Constant::Kind::kFlag;
      yes.flag = true;
      return single(joins_.compare(set, attribute, Compare::kEqual, yes));
    });
  }
  for (const Sense* sense : senses(state.at, Sense::Kind::kValue)) {
    if (sense->type_value || is_quantity(*sense)) continue;
    go_on(sense->end, sense->cost, [this, single, sense](const SetRef& set) {
      Constant value;
      value.kind = Constant::Kind::kText;
      value.text = sense->value;
      return single(joins_.compare(set, sense->attribute, Compare::kEqual, value));
    });
  }
  for (const Sense* sense : senses(state.at, Sense::Kind::kCondition)) {
    go_on(sense->end, sense->cost,
          [this, sense](const SetRef& set) { return condition(*sense, set); });
  }
  for (const Sense* sense : senses(state.at, Sense::Kind::kRule)) {
    go_on(sense->end, sense->cost,
          [this, sense](const SetRef& set) { return rule_set(*sense, set); });
  }
  for (const Sense* sense : senses(state.at, Sense::Kind::kThing)) {
    go_on(sense->end, sense->cost + kNamedModifierCost, [this, sense](const SetRef& set) {
      if (!set->names.empty()) return Joined{};
      return joins_.relate_unnamed(set, Phrase{joins_.of_things({sense->thing})}, "");
    });
  }
  // "the first release", "the last three": by the only date, or the one that the type is named
  // after.
  for (const bool last : {true, false}) {
    const WordClass word = last ? WordClass::kLatestLast : WordClass::kEarliest;
    std::vector<std::pair<std::size_t, int>> ends;  // and how many: 0 is not said
    const auto few = [&](std::size_t from, const std::function<void(std::size_t, int)>& found) {
      for (const auto& [end, number] : numbers(from)) {
        if (number >= 1 && number < 1000) found(end, static_cast<int>(number));
      }
    };
    const auto ordered = [&](std::size_t from, int count) {
      if (!senses(from, Sense::Kind::kScale).empty()) return;
      for (const std::size_t end : after(from, word)) {
        ends.emplace_back(end, count);
        if (count == 0)
          few(end, [&](std::size_t next, int said) { ends.emplace_back(next, said); });
      }
    };
    ordered(state.at, 0);
    few(state.at, ordered);
    for (const auto& [end, count] : ends) {
      go_on(end, 0, [this, last, count = count](const SetRef& set) {
        Joined joined;
        for (const int attribute : joins_.date_attributes(set->types, true)) {
          Best best;
          best.by.attribute = attribute;
          best.most = last;
          best.take = count;
          if (SetRef chosen = joins_.best(set, best)) joined.emplace_back(std::move(chosen), 0);
        }
        return joined;
      });
    }
  }
  // "the top 3": what it goes by is said behind.
  for (const std::size_t end : after(state.at, WordClass::kTop)) {
    for (const auto& [next, number] : numbers(end)) {
      if (number >= 1000) continue;
      go_on(next, 0, [count = static_cast<int>(number)](const SetRef& set) {
        return open_best(set, true, 1, count);
      });
    }
  }
  // [second] [three] largest
  std::size_t at = state.at;
  int rank = 1, take = 0;
  for (const auto& [end, use] : uses(at, PackUse::Kind::kOrdinal)) {
    rank = use->number;
    at = end;
    break;
  }
  if (rank == 1 && at == state.at) {
    if (const auto list = numbers(at); !list.empty() && list[0].second < 1000) {
      take = static_cast<int>(list[0].second);
      at = list[0].first;
    }
  }
  for (const std::size_t from : {state.at, at}) {
    for (const Sense* sense : senses(from, Sense::Kind::kScale)) {
      if (sense->scale.degree != Degree::kMost) continue;
      const int place = from == at ? rank : 1, count = from == at ? take : 0;
      go_on(sense->end, sense->cost, [this, sense, place, count](const SetRef& set) {
        Joined joined;
        for (const int attribute : joins_.scale_attributes(*sense, set->types)) {
          Best best;
          best.by.attribute = attribute;
          best.most = !joins_.downward(*sense, attribute);
          best.rank = place;
          best.take = count;
          if (SetRef chosen = joins_.best(set, best)) joined.emplace_back(std::move(chosen), 0);
        }
        // What it goes by may be said behind: "the largest department by employees".
        for (auto& open : open_best(set, !pack_.scale(sense->scale.scale).downward, place, count))
          joined.push_back(std::move(open));
        return joined;
      });
    }
    if (at == state.at) break;
  }
}

// "All (classes)" are no classes whose audience is "all".
bool Parser::is_quantity(const Sense& value) const {
  return value.end == value.begin + 1 && !at_end(value.end) &&
         (at_class(value.begin, WordClass::kAll) || at_class(value.begin, WordClass::kBoth));
}

void Parser::heads(const Modified& state, const Phrase& start, Nouns& out) {
  for (const Sense* sense : senses(state.at, Sense::Kind::kType)) {
    const SetRef set = joins_.of_types(TypeSet::of(sense->type));
    const std::size_t before = out.size();
    add_head(set, sense->end, sense->cost, state, start, out);
    if (is_definite(*sense, state, start)) {
      for (std::size_t i = before; i < out.size(); ++i) out[i].phrase.own_of = set->types;
    }
    // "the project Heron", "members named Kim"
    std::size_t name = skip(sense->end, WordClass::kNamed);
    std::vector<store::EntityId> all;
    for (const Sense* thing : senses(name, Sense::Kind::kThing)) {
      const SetRef named = joins_.narrowed(joins_.of_things({thing->thing}), set->types);
      if (named == nullptr) continue;
      if (name == sense->end)
        add_head(with_type_said(named), thing->end, sense->cost + thing->cost, state, start, out);
      else if (thing->cost == 0)
        all.push_back(thing->thing);
    }
    if (!all.empty()) add_head(joins_.of_things(all), name + 1, 0, state, start, out);
    // "users" of a type that is a value: Book.genre
  }
  for (const Sense* sense : senses(state.at, Sense::Kind::kValue)) {
    // "novels": what has the value.
    if (is_quantity(*sense)) continue;
    TypeSet types =
        sense->type_value ? TypeSet::of(sense->type) : joins_.attribute_types(sense->attribute);
    Constant value;
    value.kind = Constant::Kind::kText;
    value.text = sense->value;
    auto all = std::make_shared<SetExpr>(*joins_.of_types(types));
    all->by_value = !sense->type_value;
    const SetRef set = joins_.compare(all, sense->attribute, Compare::kEqual, value);
    if (set != nullptr)
      add_head(set, sense->end, sense->cost + (sense->type_value ? 0 : 0.1), state, start, out);
  }
  // "stale": what a rule says so of.
  for (const Sense* sense : senses(state.at, Sense::Kind::kRule)) {
    const RuleSet& rule = schema_.rule_sets[static_cast<std::size_t>(sense->predicate)];
    for (auto& [set, cost] : rule_set(*sense, joins_.of_types(rule.types)))
      add_head(set, sense->end, sense->cost + cost + 0.1, state, start, out);
  }
  thing_heads(state, start, out);
  noun_heads(state, start, out);
}

void Parser::thing_heads(const Modified& state, const Phrase& start, Nouns& out) {
  for (const Sense* sense : senses(state.at, Sense::Kind::kThing)) {
    const SetRef set = joins_.of_things({sense->thing});
    if (set->types.empty()) continue;
    add_head(set, sense->end, sense->cost, state, start, out);
    // "the Heron project"; "did Ole guide .." has a verb there.
    if (state.at > 0 && at_class(state.at - 1, WordClass::kDo)) continue;
    for (const Sense* type : senses(sense->end, Sense::Kind::kType)) {
      const SetRef named = joins_.narrowed(set, TypeSet::of(type->type));
      if (named != nullptr)
        add_head(with_type_said(named), type->end, sense->cost + type->cost, state, start, out);
    }
  }
}

// "owner of X", "owners": a noun of a relation.
void Parser::noun_heads(const Modified& state, const Phrase& start, Nouns& out) {
  for (const Sense* sense : senses(state.at, Sense::Kind::kNoun)) {
    const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(sense->predicate)];
    const SetRef all = joins_.of_types(sense->inverse ? info.subjects() : info.objects());
    const Edge back{sense->predicate, !sense->inverse, false};
    const Edge there{sense->predicate, sense->inverse, false};
    // "the section editors": a thing by what it is to others.
    for (const Sense* thing : senses(sense->end, Sense::Kind::kThing)) {
      const SetRef named = joins_.of_things({thing->thing});
      const std::size_t before = out.size();
      if (!sense->inverse && joins_.untyped(*named) && joins_.recorded(*named, there))
        add_head(named, thing->end, sense->cost + thing->cost, state, start, out);
      for (std::size_t i = before; i < out.size(); ++i) out[i].phrase.through = there;
    }
    for (const std::size_t next : after(sense->end, WordClass::kOf)) {
      for (const Noun& whole : nouns(next)) {
        const std::size_t before = out.size();
        for (auto& [set, cost] : joins_.relate(all, back, whole.phrase))
          add_head(set, whole.end, sense->cost + whole.cost + cost, state, start, out);
        const std::optional<OwnRole> own = own_role(*sense, whole.phrase, state, start);
        for (std::size_t i = before; i < out.size(); ++i) {
          out[i].attached = 1;
          out[i].said = {sense, true};
          out[i].phrase.own = own;
        }
      }
    }
    // Whoever is one at all; what has one is led to it by the noun's own relation.
    Phrase anything{joins_.of_types(schema_.all_types(), true)};
    const std::size_t before = out.size();
    for (auto& [set, cost] : joins_.relate(all, back, anything))
      add_head(set, sense->end, sense->cost + cost + 0.1, state, start, out);
    for (std::size_t i = before; i < out.size(); ++i) {
      out[i].phrase.through = there;
      out[i].said.role = sense;
      if (is_definite(*sense, state, start)) out[i].phrase.own = OwnRole{{there}, {}};
    }
  }
  roles_of(state, start, out);
}

void Parser::add_head(const SetRef& set, std::size_t end, double cost, const Modified& state,
                      const Phrase& start, Nouns& out) {
  Joined sets{{set, state.cost + cost}};
  for (auto mod = state.mods.rbegin(); mod != state.mods.rend(); ++mod) {
    Joined next;
    for (auto& [one, so_far] : sets) {
      for (auto& [modified, more] : (*mod)(one)) next.emplace_back(modified, so_far + more);
    }
    sets = std::move(next);
  }
  for (auto& [one, total] : sets) {
    Noun noun;
    noun.end = end;
    noun.cost = total;
    noun.phrase = start;
    noun.phrase.set = one;
    reached_ = std::max(reached_, end);
    out.push_back(std::move(noun));
  }
}

// What stands behind the head, in every number.
void Parser::after_head(Nouns& list, std::size_t from) {
  for (std::size_t i = from; i < list.size() && list.size() < 400; ++i) {
    if (list[i].attached >= 3 || at_end(list[i].end)) continue;
    Noun noun = list[i];
    // "The owner in Oslo" may be of another row.
    if (noun.phrase.own) continue;
    noun.phrase.own_of = {};
    for (const Mod& mod : after_noun(noun.end)) {
      for (auto& [set, cost] : mod.apply(noun.phrase.set)) {
        Noun longer = noun;
        longer.end = mod.end;
        longer.cost += mod.cost + cost + (noun.attached > 0 ? kAttachmentCost : 0) +
                       (noun.phrase.set->names.size() == 1 ? kNamedHeadCost : 0);
        longer.phrase.set = set;
        reached_ = std::max(reached_, longer.end);
        ++longer.attached;
        list.push_back(std::move(longer));
      }
    }
  }
}

Parser::Mods Parser::after_noun(std::size_t at) {
  Mods mods;
  if (at_end(at) || !step()) return mods;
  const auto take = [&](const Mods& list, double cost = 0) {
    for (Mod mod : list) {
      mod.cost += cost;
      mods.push_back(std::move(mod));
    }
  };
  take(prepositional(at));
  for (const std::size_t no : after(at, WordClass::kNot)) {
    for (const Mod& mod : prepositional(no)) mods.push_back(turned(mod));
    not_done(no, mods);
  }
  measured_by(at, mods);
  for (const std::size_t end : after(at, WordClass::kWith)) take(possessions(end));
  for (const std::size_t end : after(at, WordClass::kWithout)) {
    for (const Mod& mod : possessions(end)) mods.push_back(turned(mod));
  }
  for (const std::size_t end : after(at, WordClass::kRelative)) {
    take(verbs(end));
    // "that auth-api runs on", "that Triton orbits"
    for (const Noun& subject : nouns(end))
      take(gaps(subject.end, subject.phrase, ""), subject.cost);
    take(deed_gaps(end));
  }
  // "on which auth-api runs", "by whom ..", "whose port is more than 8080"
  const std::string preposition = preposition_at(at);
  if (!preposition.empty()) {
    for (const std::size_t end : after(at + 1, WordClass::kRelative)) {
      for (const Noun& subject : nouns(end))
        take(gaps(subject.end, subject.phrase, preposition), subject.cost);
    }
  }
  for (const std::size_t end : after(at, WordClass::kWhose)) {
    for (const Sense* sense : senses(end, Sense::Kind::kAttribute)) {
      for (const std::size_t be : after(sense->end, WordClass::kBe))
        take(attribute_tests(be, sense->attribute, sense->cost));
    }
    for (const Noun& owned : nouns(end)) {
      for (const std::size_t be : after(owned.end, WordClass::kBe)) {
        for (const Mod& mod : complements(be)) {
          Mod whole;
          whole.end = mod.end;
          whole.cost = owned.cost + mod.cost;
          whole.apply = [this, owned, apply = mod.apply](const SetRef& set) {
            Joined joined;
            for (auto& [inner, cost] : apply(owned.phrase.set)) {
              Phrase phrase = owned.phrase;
              phrase.set = inner;
              for (auto& [outer, more] : joins_.relate_unnamed(set, phrase, ""))
                joined.emplace_back(outer, cost + more);
            }
            return joined;
          };
          mods.push_back(std::move(whole));
        }
      }
    }
  }
  for (const std::size_t end : after(at, WordClass::kExcept)) {
    for (const Noun& other : nouns(end)) {
      if (other.phrase.set->names.empty() || !other.phrase.set->restrictions.empty()) continue;
      Mod mod;
      mod.end = other.end;
      mod.cost = other.cost;
      mod.apply = [this, other](const SetRef& set) {
        if (set->types.both(other.phrase.set->types).empty() || !set->names.empty())
          return Joined{};
        Restriction named, none;
        named.kind = Restriction::Kind::kNamed;
        named.names = other.phrase.set->names;
        none.kind = Restriction::Kind::kNot;
        none.parts.push_back(named);
        return Joined{{joins_.with(set, none), 0}};
      };
      mods.push_back(std::move(mod));
    }
  }
  Mods compared = comparisons(at);
  coordinate(compared, [&](std::size_t next) { return comparisons(next); });
  take(compared);
  take(deed_gaps(at));
  // "running on borea", "written by ..", "hired in 2019"
  Mods bare;
  verb_frames(at, VerbPlace::kFinite, bare);
  take(closures(std::move(bare)));
  done_by_one(at, mods);
  done_then(at, mods);
  attribute_verbs(at, mods);
  for (const Sense* date : senses(at, Sense::Kind::kAttribute)) {
    const bool verb =
        !date->exact && joins_.is_date(date->attribute, joins_.attribute_types(date->attribute));
    if (!verb) continue;
    for (const Sense* state : values_like(*date)) mods.push_back(has_value(*state, 0));
  }
  if (const std::size_t there = skip(at, WordClass::kThere); there != at) return mods;
  return mods;
}

// "(batches not) baked by Rosa": of all that is said, as behind "are".
void Parser::not_done(std::size_t at, Mods& out) {
  Mods done;
  verb_frames(at, VerbPlace::kBehindBe, done);
  done = closures(std::move(done));
  done_by_one(at, done);
  attribute_verbs(at, done);
  passed(at, done);
  for (const Mod& mod : done) {
    // What is left behind it would be said of those that it is not so of.
    if (at_end(mod.end) || prepositional(mod.end).empty()) out.push_back(turned(mod));
  }
}

// "(largest) by salary", "by employees", "by number of employees"
void Parser::measured_by(std::size_t at, Mods& out) {
  for (std::size_t start : after(at, WordClass::kBy)) {
    for (const std::size_t number : after(skip_article(start), WordClass::kNumberOf))
      start = number;
    const auto fill = [&](std::size_t end, double cost,
                          std::function<std::vector<Measure>(const SetExpr&)> measures) {
      Mod mod;
      mod.end = end;
      mod.cost = cost;
      mod.apply = [this, measures = std::move(measures)](const SetRef& set) {
        Joined joined;
        if (!set->best || set->best->by.attribute >= 0 || set->best->by.counted != nullptr)
          return joined;
        for (const Measure& measure : measures(*set)) {
          auto base = std::make_shared<SetExpr>(*set);
          Best best = *base->best;
          base->best.reset();
          best.by = measure;
          if (SetRef chosen = joins_.best(base, best)) joined.emplace_back(std::move(chosen), 0);
        }
        return joined;
      };
      out.push_back(std::move(mod));
    };
    for (const Sense* sense : senses(start, Sense::Kind::kAttribute)) {
      fill(sense->end, sense->cost, [attribute = sense->attribute](const SetExpr&) {
        Measure measure;
        measure.attribute = attribute;
        return std::vector<Measure>{measure};
      });
    }
    for (const Noun& noun : nouns(start)) {
      if (!noun.phrase.set->names.empty() || noun.phrase.quantity != Quantity::kSome) continue;
      fill(noun.end, noun.cost, [this, noun](const SetExpr& set) {
        std::vector<Measure> list;
        for (const auto& [edge, cost] :
             joins_.unnamed_edges(set.types, noun.phrase.set->types, "")) {
          Measure measure;
          measure.edge = edge;
          measure.counted = joins_.narrowed(
              noun.phrase.set, schema_.predicates[static_cast<std::size_t>(edge.predicate)].follow(
                                   set.types, edge.inverse));
          if (measure.counted != nullptr) list.push_back(measure);
        }
        return list;
      });
    }
  }
}

// "Ada's services", "the leader's boss"
void Parser::possessives(Nouns& list) {
  for (std::size_t i = 0; i < list.size() && list.size() < 400; ++i) {
    const Noun owner = list[i];
    if (at_end(owner.end) || pieces_[owner.end].kind != Piece::Kind::kPossessive) continue;
    Nouns owned;
    nominals(owner.end + 1, Phrase{}, owner.cost, owned);
    for (Noun& one : owned) {
      Joined joined;
      if (one.phrase.through) {
        Edge back = *one.phrase.through;
        back.inverse = !back.inverse;
        const SetRef all = joins_.of_types(one.phrase.set->types);
        joined = joins_.relate(all, back, owner.phrase);
      } else {
        joined = joins_.relate_unnamed(one.phrase.set, owner.phrase, "");
      }
      // "Quin's visits", where that is a text of theirs.
      const bool own = owner.phrase.set->by_value && one.phrase.set->names.empty() &&
                       one.phrase.set->types == owner.phrase.set->types && !one.phrase.through;
      if (own) joined.emplace_back(joins_.within(one.phrase.set, owner.phrase.set), 0);
      for (auto& [set, cost] : joined) {
        Noun noun = one;
        noun.said.name = noun.said.role != nullptr;
        noun.phrase.through.reset();
        noun.phrase.set = set;
        noun.cost += cost;
        const std::size_t from = list.size();
        list.push_back(std::move(noun));
        after_head(list, from);
      }
    }
  }
}

// "atlas or cirrus", "Grace Oduya and Noor Haddad"
void Parser::alternatives(Nouns& list) {
  for (std::size_t i = 0; i < list.size() && list.size() < 400; ++i) {
    const Noun first = list[i];
    if (first.phrase.set->names.empty() || !first.phrase.set->restrictions.empty() ||
        first.phrase.set->best)
      continue;
    for (const bool all : {true, false}) {
      for (const std::size_t next : after(first.end, all ? WordClass::kAnd : WordClass::kOr)) {
        for (const Noun& second : nouns(next)) {
          const SetRef& other = second.phrase.set;
          if (other->names.empty() || !other->restrictions.empty() || other->best) continue;
          if (first.phrase.set->names.size() > 1 && first.phrase.each_name != all) continue;
          Noun both = first;
          both.end = second.end;
          both.cost += second.cost;
          auto names = first.phrase.set->names;
          names.insert(names.end(), other->names.begin(), other->names.end());
          both.phrase.set = joins_.of_things(names);
          both.phrase.each_name = all;
          list.push_back(std::move(both));
        }
      }
    }
  }
}

}  // namespace anima::ask
