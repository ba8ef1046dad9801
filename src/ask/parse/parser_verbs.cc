// What is said of things: verb phrases, and what stands behind "is", "has" and a preposition.
#include <algorithm>

#include "ask/parse/mods.h"
#include "ask/parse/parser.h"
#include "base/text/text.h"

namespace anima::ask {
namespace {

constexpr double kPlaceCost = 0.3;
constexpr double kFirstYear = 1000;    // a smaller number is an age
constexpr double kAfterNoon = 46'800;  // 13:00, in seconds: such a clock has 24 hours

}  // namespace

const Parser::Mods& Parser::verbs(std::size_t at) {
  return mods_at(PhraseKind::kVerb, verbs_, &Parser::read_verbs, at);
}

const Parser::Mods& Parser::mods_at(PhraseKind kind, std::map<std::size_t, Mods>& kept,
                                    Mods (Parser::*read)(std::size_t), std::size_t at) {
  static const Mods kNone;
  if (const auto found = kept.find(at); found != kept.end()) return found->second;
  if (at_end(at) || !step() || !open_.insert({kind, at}).second) return kNone;
  Mods mods = (this->*read)(at);
  open_.erase({kind, at});
  if (kind == PhraseKind::kVerb) higher(mods);
  const auto more = [&](std::size_t next) -> const Mods& {
    return mods_at(kind, kept, read, next);
  };
  coordinate(mods, more);
  if (kind != PhraseKind::kPossession) neither_said(at, more, mods);
  for (const Mod& mod : mods) reached_ = std::max(reached_, mod.end);
  return kept.emplace(at, std::move(mods)).first->second;
}

Parser::Mods Parser::read_verbs(std::size_t at) {
  Mods mods;
  verb_frames(at, VerbPlace::kFinite, mods);
  mods = closures(std::move(mods));
  attribute_verbs(at, mods);
  done_then(at, mods);
  bare_rows(at, mods);
  for (const std::size_t end : after(at, WordClass::kBe)) {
    append(mods, complements(end));
    for (const std::size_t there : after(end, WordClass::kThere)) {
      Mod nothing;
      nothing.end = there;
      nothing.apply = [](const SetRef& set) { return single(set); };
      mods.push_back(std::move(nothing));
      append(mods, prepositional(there));
      for (const std::size_t with : after(there, WordClass::kWith)) append(mods, possessions(with));
    }
    for (const std::size_t no : after(end, WordClass::kNot)) {
      for (const Mod& mod : complements(no)) mods.push_back(turned(mod));
    }
  }
  for (const std::size_t end : after(at, WordClass::kHave)) {
    const auto perfect = [&](std::size_t from, bool negative) {
      Mods list;
      verb_frames(from, VerbPlace::kBehindHave, list);
      attribute_verbs(from, list);
      passed(from, list);
      for (const std::size_t be : after(from, WordClass::kBe)) append(list, complements(be));
      append(list, possessions(from));
      for (const Mod& mod : list) mods.push_back(negative ? turned(mod) : mod);
    };
    perfect(end, false);
    for (const std::size_t no : after(end, WordClass::kNot)) perfect(no, true);
  }
  for (const std::size_t end : after(at, WordClass::kDo)) {
    append(mods, verbs(end));
    for (const std::size_t no : after(end, WordClass::kNot)) {
      for (const Mod& mod : verbs(no)) mods.push_back(turned(mod));
    }
  }
  for (const std::size_t end : after(at, WordClass::kModal)) append(mods, timed_alone(verbs(end)));
  // "(who) never drove"
  for (const std::size_t end : after(at, WordClass::kNot)) {
    Mods denied;
    verb_frames(end, VerbPlace::kFinite, denied);
    bare_rows(end, denied);
    for (const Mod& mod : denied) mods.push_back(turned(mod));
  }
  return mods;
}

// A phrase behind the verb's own that belongs to the subject: "has the most pages in Sales".
void Parser::higher(Mods& list) {
  const std::size_t count = list.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (at_end(list[i].end) || list[i].open) continue;
    for (const Mod& mod : prepositional(list[i].end)) {
      Mod both;
      both.end = mod.end;
      both.cost = list[i].cost + mod.cost + kLooseCost;
      both.apply = [a = list[i].apply, b = mod.apply](const SetRef& set) {
        Joined joined;
        for (auto& [left, cost] : a(set)) {
          for (auto& [right, more] : b(left)) joined.emplace_back(right, cost + more);
        }
        return joined;
      };
      list.push_back(std::move(both));
    }
  }
}

// A verb with what it leads to: "runs on borea", "needed by the most services", "owned by nobody".
void Parser::verb_frames(std::size_t at, VerbPlace place, Mods& out) {
  for (const Sense* sense : senses(at, Sense::Kind::kVerb)) {
    const auto to = [&](std::size_t from, const Edge& edge, double cost) {
      for (const Noun& object : nouns(from)) {
        Mod mod;
        mod.end = object.end;
        mod.cost = sense->cost + object.cost + cost;
        mod.apply = [this, edge, object](const SetRef& set) {
          return said_relation(set, edge, object.phrase);
        };
        mod.said = {sense, true};
        out.push_back(std::move(mod));
        both_objects(object, edge, sense->cost + cost, out);
      }
      counted_objects(from, edge, sense->cost + cost, out);
      same_as(from, edge, sense->cost + cost, out);
    };
    for (const auto& [preposition, inverse] : frames(*sense)) {
      if (!is_said_so(*sense, place, preposition)) continue;
      const Edge edge{sense->predicate, inverse, false};
      if (preposition.empty()) {
        to(sense->end, edge, 0);
        place_frame(*sense, edge, to);
      } else if (!at_end(sense->end)) {
        const std::string& next = pieces_[sense->end].folded;
        const bool fits = preposition == "*" ? pack_.is_by(next) : next == preposition;
        if (fits) to(sense->end + 1, edge, 0);
        // "work only in", "worked on only by employees"
        const std::size_t only = skip(sense->end, WordClass::kOnly);
        if (only != sense->end && !at_end(only) &&
            (preposition == "*" ? pack_.is_by(pieces_[only].folded)
                                : pieces_[only].folded == preposition))
          only_objects(only + 1, edge, sense->cost, out);
      }
      // "worked on by": turned round with the preposition kept.
      if (preposition != "*" && !preposition.empty() && sense->end + 1 < pieces_.size() &&
          pieces_[sense->end].folded == preposition) {
        const std::size_t only = skip(sense->end + 1, WordClass::kOnly);
        if (!at_end(only) && pack_.is_by(pieces_[only].folded)) {
          const Edge back{sense->predicate, !inverse, false};
          if (only == sense->end + 1)
            to(only + 1, back, 0);
          else
            only_objects(only + 1, back, sense->cost, out);
        }
      }
      if (place != VerbPlace::kFinite) bare_verb(*sense, preposition, edge, out);
    }
  }
}

// "are lent", "have borrowed", "is managed": to or by anything.
void Parser::bare_verb(const Sense& sense, const std::string& preposition, const Edge& edge,
                       Mods& out) {
  const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(sense.predicate)];
  if (preposition.empty() && !info.preposition.empty() && !sense.declared) return;
  if (shares_what_follows(sense.end, false)) return;
  Mod mod;
  mod.end = sense.end;
  mod.cost = sense.cost + 0.05;
  mod.open = true;
  mod.said.role = &sense;
  for (const Sense* noun : senses(sense.begin, Sense::Kind::kNoun)) {
    if (noun->end == sense.end && !noun->inverse) mod.said.role = noun;
  }
  mod.apply = [this, edge](const SetRef& set) {
    return joins_.relate(set, edge, Phrase{joins_.of_types(schema_.all_types(), true)});
  };
  out.push_back(std::move(mod));
}

// Behind "is" a participle is what is done to the subject, and the progressive what it does; no
// other form of the verb stands there ("are managers"). A predicate that is called as it is said
// there ("married") holds either way.
bool Parser::is_said_so(const Sense& sense, VerbPlace place, const std::string& frame) const {
  const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(sense.predicate)];
  const bool with_preposition = !info.preposition.empty() && !sense.declared;
  if (place != VerbPlace::kBehindBe) return true;
  const std::string& word = pieces_[sense.end - 1].folded;
  if (with_preposition || !pack_.tells_voice() || info.name == word) return true;
  if (pack_.is_progressive(word)) return frame != "*";
  return pack_.is_participle(word) && !frame.empty();
}

// "stars in Beyond Titan" where films star actors: turned round, when the types say that it must
// be.
void Parser::place_frame(const Sense& sense, const Edge& edge,
                         const std::function<void(std::size_t, const Edge&, double)>& to) {
  const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(sense.predicate)];
  if (!info.preposition.empty() || !sense.value.empty() || at_end(sense.end)) return;
  if (!pack_.contains_things(pieces_[sense.end].folded)) return;
  if (info.subjects().both(info.objects()).empty())
    to(sense.end + 1, Edge{edge.predicate, !edge.inverse, false}, kPlaceCost);
}

// "needed by the most services", "runs more services than .."
void Parser::counted_objects(std::size_t at, const Edge& edge, double cost, Mods& out) {
  for (const bool most : {true, false}) {
    std::vector<std::size_t> starts = after(at, most ? WordClass::kMost : WordClass::kLeast);
    const std::size_t article = skip_article(at);
    if (article != at) {
      for (const std::size_t end : after(article, most ? WordClass::kMost : WordClass::kLeast))
        starts.push_back(end);
    }
    for (const std::size_t end : starts) {
      for (const Noun& counted : nouns(end)) {
        if (!counted.phrase.bare || counted.phrase.quantity != Quantity::kSome) continue;
        Mod mod;
        mod.end = counted.end;
        mod.cost = cost + counted.cost;
        mod.apply = [this, edge, counted, most](const SetRef& set) {
          const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(edge.predicate)];
          const SetRef goal =
              joins_.narrowed(counted.phrase.set, info.follow(set->types, edge.inverse));
          if (goal == nullptr || !goal->names.empty()) return Joined{};
          const SetRef from = joins_.narrowed(set, info.follow(goal->types, !edge.inverse));
          if (from == nullptr) return Joined{};
          Best best;
          best.by.edge = edge;
          best.by.counted = goal;
          best.most = most;
          return single(joins_.best(from, best));
        };
        out.push_back(std::move(mod));
      }
    }
  }
}

void Parser::only_objects(std::size_t at, const Edge& edge, double cost, Mods& out) {
  for (const Noun& object : nouns(at)) {
    if (object.phrase.quantity != Quantity::kSome) continue;
    Mod mod;
    mod.end = object.end;
    mod.cost = cost + object.cost;
    mod.apply = [this, edge, object](const SetRef& set) {
      Phrase phrase = object.phrase;
      phrase.quantity = Quantity::kOnly;
      return joins_.relate(set, edge, phrase);
    };
    out.push_back(std::move(mod));
  }
}

// An attribute said as a verb: "earns more than 60000", "hired last week", "due tomorrow".
void Parser::attribute_verbs(std::size_t at, Mods& out) {
  deed_verbs(at, out);
  for (const Sense* sense : senses(at, Sense::Kind::kAttribute)) {
    const std::size_t before = out.size();
    const bool dated = joins_.is_date(sense->attribute, joins_.attribute_types(sense->attribute));
    append(out, attribute_tests(sense->end, sense->attribute, sense->cost + 0.02));
    // "lives in Dresden", where that is the city; "opens at 08:00"
    if (pack_.contains_things(preposition_at(sense->end))) {
      for (const Sense* value : senses(sense->end + 1, Sense::Kind::kValue)) {
        if (value->attribute == sense->attribute)
          append(out, attribute_tests(sense->end + 1, sense->attribute, sense->cost + 0.02));
      }
    }
    if (dated) deed_times(*sense, out);
    // "lent to nobody"
    for (const std::size_t end : after(sense->end, WordClass::kNobody)) {
      const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(sense->attribute)];
      if (!dated && !preposition_at(sense->end - 1).empty() &&
          info.words.back() == pieces_[sense->end - 1].folded)
        out.push_back(done_by_nobody(*sense, end));
    }
    leave_states(*sense, before, out);
    // "earns the most"
    for (const bool most : {true, false}) {
      if (dated) break;  // "spent the most" is no last day
      const std::size_t from = skip_article(sense->end);
      std::vector<std::size_t> ends = after(from, most ? WordClass::kMost : WordClass::kLeast);
      for (const std::size_t end : after(sense->end, most ? WordClass::kMost : WordClass::kLeast))
        ends.push_back(end);
      for (const std::size_t end : ends) {
        Mod mod;
        mod.end = end;
        mod.cost = sense->cost;
        mod.apply = [this, most, attribute = sense->attribute](const SetRef& set) {
          Best best;
          best.by.attribute = attribute;
          best.most = most;
          return single(joins_.best(set, best));
        };
        out.push_back(std::move(mod));
      }
    }
    for (const bool more : {true, false}) {
      for (const std::size_t end : after(sense->end, more ? WordClass::kMore : WordClass::kLess)) {
        for (const std::size_t than : after(end, WordClass::kThan)) {
          for (const Noun& other : nouns(than)) {
            if (other.phrase.quantity != Quantity::kSome) continue;
            Mod mod;
            mod.end = other.end;
            mod.cost = sense->cost + other.cost;
            mod.apply = [this, more, other, attribute = sense->attribute](const SetRef& set) {
              return single(joins_.than(set, attribute, more ? Compare::kMore : Compare::kLess,
                                        other.phrase.set));
            };
            out.push_back(std::move(mod));
          }
        }
      }
    }
  }
}

// The value that is named: "in English", "running".
Mod Parser::has_value(const Sense& sense, double more) {
  Constant value;
  value.kind = Constant::Kind::kText;
  value.text = sense.value;
  Mod mod;
  mod.end = sense.end;
  mod.cost = sense.cost + more;
  mod.attribute = sense.attribute;
  mod.apply = [this, value, attribute = sense.attribute](const SetRef& set) {
    return single(joins_.compare(set, attribute, Compare::kEqual, value));
  };
  return mod;
}

// "Between 23:00 and 01:00" is over midnight; of "between 12:00 and 9:00" the second may be in the
// evening. Other numbers that fall say no range.
SetRef Parser::within(const SetRef& set, int attribute, const Bounds& both) const {
  if (both.low.number > both.high.number) {
    if (!both.low.clock || !both.high.clock || both.low.number < kAfterNoon) return nullptr;
    const SetRef late = joins_.compare(set, attribute, Compare::kMoreEqual, both.low);
    const SetRef early = joins_.compare(set, attribute, Compare::kLessEqual, both.high);
    if (late == nullptr || early == nullptr) return nullptr;
    Restriction any;
    any.kind = Restriction::Kind::kAny;
    any.alternatives = {{late->restrictions.back()}, {early->restrictions.back()}};
    return joins_.with(joins_.narrowed(set, late->types), std::move(any));
  }
  const SetRef above = joins_.compare(set, attribute, Compare::kMoreEqual, both.low);
  return above == nullptr ? nullptr
                          : joins_.compare(above, attribute, Compare::kLessEqual, both.high);
}

// An attribute under a condition: "above 8080", "between 5000 and 8080", "running", "before 1985".
Parser::Mods Parser::attribute_tests(std::size_t at, int attribute, double cost) {
  Mods mods;
  const auto add = [&](std::size_t end, double more, std::function<SetRef(const SetRef&)> apply) {
    Mod mod;
    mod.end = end;
    mod.cost = cost + more;
    mod.apply = [apply = std::move(apply)](const SetRef& set) { return single(apply(set)); };
    mods.push_back(std::move(mod));
  };
  const auto test = [&](std::size_t end, Compare how, const Constant& value) {
    add(end, 0, [this, attribute, how, value](const SetRef& set) {
      return joins_.compare(set, attribute, how, value);
    });
  };
  for (const auto& [end, value] : constants(at)) test(end, Compare::kEqual, value);
  for (const std::size_t of : after(at, WordClass::kOf)) {
    for (const auto& [end, value] : constants(of)) test(end, Compare::kEqual, value);
    for (const auto& [end, use] : uses(of, PackUse::Kind::kCompare)) {
      for (const auto& [next, value] : constants(end)) test(next, use->compare, value);
    }
  }
  for (const auto& [end, use] : uses(at, PackUse::Kind::kCompare)) {
    for (const auto& [next, value] : constants(end)) test(next, use->compare, value);
    // "greater than that of Luna", "more than X"
    std::vector<std::size_t> starts = after(end, WordClass::kCopy);
    starts.push_back(end);
    for (const std::size_t start : starts) {
      for (const Noun& other : nouns(start)) {
        if (other.phrase.quantity != Quantity::kSome || other.phrase.set->names.empty()) continue;
        add(other.end, other.cost, [this, attribute, how = use->compare, other](const SetRef& set) {
          return joins_.than(set, attribute, how, other.phrase.set);
        });
      }
    }
  }
  for (const std::size_t end : after(at, WordClass::kBetween)) {
    for (const Bounds& both : bounds(end)) {
      add(both.end, 0,
          [this, attribute, both](const SetRef& set) { return within(set, attribute, both); });
    }
  }
  for (const Sense* sense : senses(at, Sense::Kind::kValue)) {
    if (sense->attribute == attribute) mods.push_back(has_value(*sense, cost - sense->cost));
  }
  append(mods, value_choices(at, attribute), cost);
  append(mods, time_tests(at, attribute, cost, true));
  // "(start) at noon"
  for (const std::size_t end : after(at, WordClass::kInTime)) {
    for (const auto& [last, value] : constants(end)) {
      if (value.clock) test(last, Compare::kEqual, value);
    }
  }
  for (const std::size_t end : after(at, WordClass::kNot)) {
    for (const Mod& mod : attribute_tests(end, attribute, cost)) mods.push_back(turned(mod));
  }
  other_tests(attribute, mods);
  return mods;
}

// --- behind "is"

const Parser::Mods& Parser::complements(std::size_t at) {
  return mods_at(PhraseKind::kComplement, complements_, &Parser::read_complements, at);
}

Parser::Mods Parser::read_complements(std::size_t at) {
  Mods mods;
  const auto add = [&](std::size_t end, double cost, std::function<Joined(const SetRef&)> apply) {
    Mod mod;
    mod.end = end;
    mod.cost = cost;
    mod.apply = std::move(apply);
    mods.push_back(std::move(mod));
  };
  for (const Sense* sense : senses(at, Sense::Kind::kFlag)) {
    add(sense->end, sense->cost, [this, attribute = sense->attribute](const SetRef& set) {
      Constant yes;
      yes.kind = Constant::Kind::kFlag;
      yes.flag = true;
      return single(joins_.compare(set, attribute, Compare::kEqual, yes));
    });
  }
  for (const Sense* sense : senses(at, Sense::Kind::kValue)) {
    add(sense->end, sense->cost, [this, sense](const SetRef& set) {
      Constant value;
      value.kind = Constant::Kind::kText;
      value.text = sense->value;
      if (sense->type_value && !set->types.contains(sense->type)) return Joined{};
      return single(joins_.compare(set, sense->attribute, Compare::kEqual, value));
    });
    as_bare(at, sense->attribute, mods.back());
  }
  for (const Sense* sense : senses(at, Sense::Kind::kCondition)) {
    add(sense->end, sense->cost,
        [this, sense](const SetRef& set) { return condition(*sense, set); });
  }
  for (const Sense* sense : senses(at, Sense::Kind::kRule)) {
    add(sense->end, sense->cost,
        [this, sense](const SetRef& set) { return rule_set(*sense, set); });
  }
  verb_frames(at, VerbPlace::kBehindBe, mods);
  mods = closures(std::move(mods));
  done_by_one(at, mods);
  done_then(at, mods);
  if (!is_state_of_deed(at)) attribute_verbs(at, mods);
  passed(at, mods);
  bare_deeds(at, mods);
  // "(is) without a motor"
  for (const std::size_t end : after(at, WordClass::kWith)) attribute_possessions(end, mods);
  for (const std::size_t end : after(at, WordClass::kWithout)) {
    for (const Mod& mod : possessions(end)) mods.push_back(turned(mod));
  }
  append(mods, prepositional(at));
  append(mods, comparisons(at));
  append(mods, times(at, true));
  for (const Noun& noun : nouns(at)) {
    if (noun.phrase.quantity != Quantity::kSome || noun.phrase.set->anything) continue;
    const bool adjective = is_part_of_name(at, noun);
    add(noun.end, noun.cost + 0.05, [this, noun, adjective](const SetRef& set) {
      // "Huts that are green" are none that is called so; "the captain is ada" says who.
      const bool who = set->anything || (set->names.empty() && !set->restrictions.empty());
      return adjective && !who ? Joined{} : single(joins_.within(set, noun.phrase.set));
    });
    if (noun.said.role != nullptr) mods.back().said = noun.said;
    const std::vector<Restriction>& said = noun.phrase.set->restrictions;
    if (noun.phrase.set->by_value && said.size() == 1)
      as_bare(at, said.front().attribute, mods.back());
  }
  // "is optional": a thing without a type that an adjective may be.
  for (const Sense* sense : senses(at, Sense::Kind::kThing)) {
    const SetRef named = joins_.of_things({sense->thing});
    if (!joins_.untyped(*named)) continue;
    add(sense->end, sense->cost + kPlaceCost, [this, named](const SetRef& set) {
      return set->names.empty() || !joins_.untyped(*set)
                 ? joins_.relate_unnamed(set, Phrase{named}, "")
                 : Joined{};
    });
  }
  // "is the largest"
  for (const Sense* sense : senses(skip_article(at), Sense::Kind::kScale)) {
    if (sense->scale.degree != Degree::kMost) continue;
    add(sense->end, sense->cost, [this, sense](const SetRef& set) {
      Joined joined;
      for (const int attribute : joins_.scale_attributes(*sense, set->types)) {
        Best best;
        best.by.attribute = attribute;
        best.most = !joins_.downward(*sense, attribute);
        if (SetRef chosen = joins_.best(set, best)) joined.emplace_back(std::move(chosen), 0);
      }
      return joined;
    });
  }
  for (const WordClass extra : {WordClass::kNot}) {
    for (const std::size_t end : after(at, extra)) {
      for (const Mod& mod : complements(end)) mods.push_back(turned(mod));
    }
  }
  return mods;
}

// "green", where a hut is called Green Hut: written small, it is a part of no name for sure.
bool Parser::is_part_of_name(std::size_t at, const Noun& noun) const {
  if (pieces_[at].text != pieces_[at].folded) return false;
  return std::ranges::any_of(senses(at, Sense::Kind::kThing), [&](const Sense* sense) {
    return sense->end == noun.end && sense->cost > 0;
  });
}

// "longer than 300 pages", "larger than Luna", "more expensive than X"
Parser::Mods Parser::comparisons(std::size_t at) {
  Mods mods;
  for (const Sense* sense : senses(at, Sense::Kind::kScale)) {
    if (sense->scale.degree != Degree::kMore) continue;
    for (const std::size_t than : after(sense->end, WordClass::kThan)) {
      for (const auto& [end, value] : constants(than)) {
        // The attribute behind the number is the measure: "300 pages".
        std::vector<std::pair<std::size_t, int>> ends{{end, -1}};
        for (const Sense* unit : senses(end, Sense::Kind::kAttribute))
          ends.emplace_back(unit->end, unit->attribute);
        for (const auto& [last, named] : ends) {
          Mod mod;
          mod.end = last;
          mod.cost = sense->cost;
          mod.apply = [this, sense, named = named, value = value](const SetRef& set) {
            Joined joined;
            for (const int attribute : joins_.scale_attributes(*sense, set->types)) {
              if (named >= 0 && named != attribute) continue;
              // "Older than 30" of what has dates is an age, and no year.
              const bool date = pack_.scale(sense->scale.scale).age &&
                                joins_.is_date(attribute, joins_.attribute_types(attribute));
              if (date && (named >= 0 || value.number < kFirstYear)) continue;
              const Compare how =
                  joins_.downward(*sense, attribute) ? Compare::kLess : Compare::kMore;
              if (SetRef fits = joins_.compare(set, attribute, how, value))
                joined.emplace_back(std::move(fits), 0);
            }
            return joined;
          };
          mods.push_back(std::move(mod));
        }
      }
      for (const Noun& other : nouns(than)) {
        if (other.phrase.quantity != Quantity::kSome || other.phrase.set->anything) continue;
        Mod mod;
        mod.end = other.end;
        mod.cost = sense->cost + other.cost;
        mod.apply = [this, sense, other](const SetRef& set) {
          Joined joined;
          for (const int attribute : joins_.scale_attributes(*sense, set->types)) {
            const Compare how =
                joins_.downward(*sense, attribute) ? Compare::kLess : Compare::kMore;
            if (SetRef fits = joins_.than(set, attribute, how, other.phrase.set))
              joined.emplace_back(std::move(fits), 0);
          }
          return joined;
        };
        mods.push_back(std::move(mod));
      }
    }
  }
  return mods;
}

// --- a verb whose object is what is asked for: "(does) Ada own", "wiki runs (on)"

Parser::Mods Parser::gaps(std::size_t at, const Phrase& subject, const std::string& preposition) {
  Mods mods;
  if (at_end(at) || !step()) return mods;
  if (subject.quantity == Quantity::kOnly) return mods;
  const auto add = [&](std::size_t end, double cost, const Edge& edge) {
    Mod mod;
    mod.end = end;
    mod.cost = cost;
    mod.apply = [this, edge, subject](const SetRef& set) {
      return said_relation(set, edge, subject);
    };
    mod.gap = true;
    mods.push_back(std::move(mod));
  };
  std::size_t verb = at;
  for (const WordClass helper : {WordClass::kBe, WordClass::kDo, WordClass::kHave}) {
    if (const std::size_t end = skip(at, helper); end != at) verb = end;
  }
  for (const std::size_t start : {at, verb}) {
    for (const Sense* sense : senses(start, Sense::Kind::kVerb)) {
      for (const auto& [frame, inverse] : frames(*sense)) {
        const Edge back{sense->predicate, !inverse, false};
        if (frame.empty()) {
          if (preposition.empty()) add(sense->end, sense->cost, back);
          const PredicateInfo& info =
              schema_.predicates[static_cast<std::size_t>(sense->predicate)];
          const bool apart = info.preposition.empty() && sense->value.empty() &&
                             info.subjects().both(info.objects()).empty();
          const bool left = preposition.empty() && !at_end(sense->end) &&
                            pack_.contains_things(pieces_[sense->end].folded);
          if (apart && left)
            add(sense->end + 1, sense->cost + kPlaceCost, Edge{sense->predicate, inverse, false});
          if (apart && pack_.contains_things(preposition))
            add(sense->end, sense->cost + kPlaceCost, Edge{sense->predicate, inverse, false});
          continue;
        }
        const auto fits = [&, frame = frame](const std::string& word) {
          return frame == "*" ? pack_.is_by(word) : word == frame;
        };
        if (!preposition.empty() && fits(preposition)) add(sense->end, sense->cost, back);
        if (preposition.empty() && !at_end(sense->end) && fits(pieces_[sense->end].folded))
          add(sense->end + 1, sense->cost, back);
        // "based in" without its preposition: another one will do where it contains things.
        if (!preposition.empty() && !fits(preposition) && pack_.contains_things(frame) &&
            pack_.contains_things(preposition))
          add(sense->end, sense->cost + kLooseCost, back);
      }
    }
    if (verb == at) break;
  }
  if (preposition.empty()) gaps_joined(at, subject, mods);
  // "has", and "is" with a preposition left behind: "is the machine .. in"
  for (const std::size_t end : after(at, WordClass::kHave)) {
    Mod mod;
    mod.end = end;
    mod.apply = [this, subject](const SetRef& set) {
      return joins_.relate_unnamed(set, subject, "");
    };
    mods.push_back(std::move(mod));
  }
  return closures(std::move(mods));
}

Joined Parser::rule_set(const Sense& sense, const SetRef& set) const {
  const RuleSet& rule = schema_.rule_sets[static_cast<std::size_t>(sense.predicate)];
  const SetRef fitting = joins_.narrowed(set, rule.types);
  if (fitting == nullptr) return {};
  Restriction named;
  named.kind = Restriction::Kind::kNamed;
  named.rule = sense.predicate;
  named.names = rule.members;
  return single(joins_.with(fitting, named));
}

Joined Parser::condition(const Sense& sense, const SetRef& set) {
  Joined joined;
  const Synonym& word = schema_.synonyms[sense.condition];
  for (const JsonMember& one : word.where.as_object()) {
    const auto type = schema_.find_type(one.first);
    if (!type || !set->types.contains(*type)) continue;
    SetRef fitting = joins_.narrowed(set, TypeSet::of(*type));
    std::string rest = one.second.as_string();
    // attribute, sign, value; several joined by "and" are not in the language.
    const auto sign = rest.find_first_of("<>=!");
    if (sign == std::string::npos || fitting == nullptr) continue;
    std::size_t after_sign = rest.find_first_not_of("<>=!", sign);
    if (after_sign == std::string::npos) continue;
    const std::string key(trim(std::string_view(rest).substr(0, sign)));
    const std::string text_sign = rest.substr(sign, after_sign - sign);
    std::string text(trim(std::string_view(rest).substr(after_sign)));
    const std::string compare(trim(text_sign));
    Constant value;
    if (text == "$today" || text == "$now") {
      value.kind = Constant::Kind::kText;
      value.text = text == "$now" ? format_timestamp(context_.now.time) : ask::day_of(context_.now);
    } else if (text == "true" || text == "false") {
      value.kind = Constant::Kind::kFlag;
      value.flag = text == "true";
    } else if (!reads_as_number(text, &value.number)) {
      if (text.size() > 1 && (text.front() == '"' || text.front() == '\''))
        text = text.substr(1, text.size() - 2);
      value.kind = Constant::Kind::kText;
      value.text = text;
    }
    const int attribute = schema_.find_attribute(key);
    if (attribute < 0) continue;
    constexpr std::string_view kSigns[] = {"=", "!=", "<", "<=", ">", ">="};
    for (std::size_t i = 0; i < 6; ++i) {
      if (compare != kSigns[i] && !(i == 0 && compare == "==")) continue;
      if (SetRef fits = joins_.compare(fitting, attribute, static_cast<Compare>(i), value))
        joined.emplace_back(std::move(fits), 0);
    }
  }
  return joined;
}

}  // namespace anima::ask
