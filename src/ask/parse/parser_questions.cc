// Whole questions, by the words that they begin with.
#include <algorithm>

#include "ask/parse/columns/persons.h"
#include "ask/parse/parser.h"

namespace anima::ask {

std::vector<Reading> Parser::readings() {
  // "as of yesterday", "as of entry 12" at the end is about the state that is asked.
  std::vector<std::size_t> cuts;
  for (std::size_t at = 1; at < pieces_.size(); ++at) {
    for (const std::size_t end : after(at, WordClass::kAsOf)) {
      for (const std::size_t entry : after(end, WordClass::kEntry)) {
        if (entry + 1 == pieces_.size() && pieces_[entry].kind == Piece::Kind::kNumber) {
          as_of_entry_ = store::Sequence{static_cast<std::uint64_t>(pieces_[entry].number)};
          cuts.push_back(at);
        }
      }
      for (const TimeRange& time : read_days(pieces_, end, pack_, context_.now)) {
        if (time.end == pieces_.size()) {
          as_of_time_ = time.from;
          cuts.push_back(at);
        }
      }
    }
  }
  if (!cuts.empty()) {
    pieces_.resize(cuts.front());
    std::erase_if(senses_, [&](const Sense& sense) { return sense.end > pieces_.size(); });
    for (auto& list : by_start_) list.clear();
    for (const Sense& sense : senses_) by_start_[sense.begin].push_back(&sense);
  }
  question(0);
  for (const WordClass word : {WordClass::kFiller, WordClass::kAnd, WordClass::kAbout}) {
    for (const std::size_t end : after(0, word)) question(end);
  }
  return std::move(found_);
}

void Parser::question(std::size_t at) {
  if (at_end(at)) return;
  // "Will Will pay?" asks for a yes or no, also where somebody is called Will.
  const bool named = !at_end(at + 1) && pieces_[at + 1].kind == Piece::Kind::kPossessive;
  if (at_class(at, WordClass::kModal) && !named) {
    do_questions(at);
    return;
  }
  special_questions(at);
  noun_questions(at);
  which_questions(at);
  who_questions(at);
  fronted_questions(at);
  be_questions(at);
  do_questions(at);
  where_questions(at);
  when_questions(at);
  how_questions(at);
  count_questions(at);
  sums_done(at);
  group_questions(at);
  value_questions(at);
  whose_questions(at);
  deed_questions(at);
}

// A reading of all pieces; fillers may follow.
void Parser::add(Reading reading, std::size_t end) {
  std::size_t last = end;
  while (!at_end(last)) {
    const std::size_t next =
        std::max(skip(last, WordClass::kFiller), skip(last, WordClass::kThere));
    if (next == last) break;
    last = next;
  }
  reached_ = std::max(reached_, last);
  if (!at_end(last)) return;
  reading.asked = asked_;
  reading.as_of_entry = as_of_entry_;
  reading.as_of_time = as_of_time_;
  found_.push_back(std::move(reading));
}

void Parser::list_reading(const SetRef& set, std::size_t end, double cost) {
  // What only repeats a name of the question answers nothing.
  if (set->names.size() >= 1 && set->restrictions.empty()) return;
  if (!set->names.empty()) return;
  if (set->anything && set->restrictions.empty() && !set->best) return;
  const bool who = asked_ == Asked::kPerson && set->anything;
  if (who && is_told_by_columns(*set))
    who_reading(set, end, cost);
  else if (!who || !most_persons(*set, end, cost))
    plain_list(set, end, cost);
}

void Parser::plain_list(const SetRef& set, std::size_t end, double cost) {
  Reading reading;
  reading.set = set;
  reading.cost = cost;
  add(std::move(reading), end);
  each_reading(*set, end, cost);
}

// "Who owns web01 and web02?": where nobody owns both, the owner of each.
void Parser::each_reading(const SetExpr& set, std::size_t end, double cost) {
  const auto one_name = [&](const Restriction& one) {
    return one.kind == Restriction::Kind::kRelation && !one.edge.closure &&
           one.edge == set.restrictions.back().edge && one.target->names.size() == 1 &&
           one.target->restrictions.empty() && !one.target->best;
  };
  if (set.best || !set.names.empty() || set.restrictions.size() < 2) return;
  std::vector<store::EntityId> names;
  auto asked = std::make_shared<SetExpr>(set);
  asked->restrictions.clear();
  asked->numeral = 0;
  for (const Restriction& one : set.restrictions) {
    if (one_name(one))
      names.push_back(one.target->names.front());
    else
      asked->restrictions.push_back(one);
  }
  if (names.size() < 2) return;
  Restriction relation;
  relation.edge = set.restrictions.back().edge;
  relation.edge.inverse = !relation.edge.inverse;
  relation.target = asked;
  Reading reading;
  reading.form = Reading::Form::kEach;
  reading.set = joins_.with(joins_.of_things(names), relation);
  reading.cost = cost;
  reading.otherwise = true;
  add(std::move(reading), end);
}

// "list the services", "services on borea", "what are the moons of Jupiter"
void Parser::noun_questions(std::size_t at) {
  std::vector<std::size_t> starts{at};
  for (const std::size_t end : after(at, WordClass::kListVerb)) starts.push_back(end);
  for (const WordClass word : {WordClass::kWho, WordClass::kWhich}) {
    for (const std::size_t end : after(at, word)) {
      for (const std::size_t be : after(end, WordClass::kBe)) starts.push_back(be);
    }
  }
  // "the names of the directors"
  const std::vector<std::size_t> whole = starts;
  for (const std::size_t start : whole) {
    for (const std::size_t end : after(start, WordClass::kNameNoun)) starts.push_back(end);
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  for (const std::size_t start : starts) {
    for (const Noun& noun : nouns(start)) {
      const Quantity quantity = noun.phrase.quantity;
      if (quantity == Quantity::kNone || quantity == Quantity::kOnly) continue;
      SetRef set = noun.phrase.set;
      if (quantity == Quantity::kCount) {
        if (noun.phrase.compare != Compare::kEqual) continue;
        set = numbered(set, static_cast<int>(noun.phrase.count));
      }
      list_reading(set, noun.end, noun.cost);
    }
  }
}

SetRef Parser::numbered(const SetRef& set, int numeral) const {
  auto result = std::make_shared<SetExpr>(*set);
  if (result->best && result->best->take == 0 && numeral > 1)
    result->best->take = numeral;
  else
    result->numeral = numeral;
  return result;
}

// "which services run on borea", "which services does Ada own", "which port does X have"
void Parser::which_questions(std::size_t at) {
  for (const std::size_t start : after(at, WordClass::kWhich)) {
    std::vector<std::pair<std::size_t, SetRef>> these;
    for (const Noun& noun : nouns(start)) {
      SetRef set = noun.phrase.set;
      if (noun.phrase.quantity == Quantity::kCount)
        set = numbered(set, static_cast<int>(noun.phrase.count));
      else if (noun.phrase.quantity != Quantity::kSome)
        continue;
      if (!set->names.empty() && context_.pronouns.empty()) continue;
      list_reading(set, noun.end, noun.cost);
      for (const Mod& mod : verbs(noun.end)) {
        for (auto& [said, cost] : mod.apply(set))
          list_reading(said, mod.end, noun.cost + mod.cost + cost);
      }
      inverted(noun.end, set, "", [&](const SetRef& found, std::size_t end, double cost) {
        list_reading(found, end, noun.cost + cost);
      });
      // "which moons has Jupiter"
      for (const std::size_t have : after(noun.end, WordClass::kHave)) {
        for (const Noun& owner : nouns(have)) {
          if (owner.phrase.set->names.empty()) continue;
          for (auto& [found, cost] : joins_.relate_unnamed(set, owner.phrase, ""))
            list_reading(found, owner.end, noun.cost + owner.cost + cost);
        }
      }
      // "which room is the machine .. in"
      for (const std::size_t be : after(noun.end, WordClass::kBe)) {
        for (const Noun& subject : nouns(be)) {
          const std::string left = preposition_at(subject.end);
          if (left.empty()) continue;
          for (auto& [found, cost] : between(set, subject.phrase, left))
            list_reading(found, subject.end + 1, noun.cost + subject.cost + cost);
        }
      }
    }
    // "which of them are public"
    for (const std::size_t of : after(start, WordClass::kOf)) {
      for (const Noun& noun : nouns(of)) {
        for (const Mod& mod : verbs(noun.end)) {
          for (auto& [said, cost] : mod.apply(noun.phrase.set)) {
            Reading reading;
            reading.set = said;
            reading.cost = noun.cost + mod.cost + cost;
            add(std::move(reading), mod.end);
          }
        }
      }
    }
    // "what port does X have", "in which year was X discovered"
    asked_attribute(start);
    values_there(start, false);
  }
}

// An attribute and what has it, in the order of a question: "port does X have".
void Parser::asked_attribute(std::size_t start) {
  for (const Sense* sense : senses(start, Sense::Kind::kAttribute)) {
    most_shared(*sense);
    for (const WordClass helper : {WordClass::kDo, WordClass::kBe, WordClass::kHave}) {
      for (const std::size_t end : after(sense->end, helper)) {
        for (const Noun& noun : nouns(end)) {
          // "what language is Night Ferry in"
          if (helper == WordClass::kBe && noun.end + 1 == pieces_.size() &&
              pack_.contains_things(preposition_at(noun.end)))
            value_reading(sense->attribute, noun.phrase, noun.end + 1, sense->cost + noun.cost);
          for (const std::size_t last : after(noun.end, WordClass::kHave))
            value_reading(sense->attribute, noun.phrase, last, sense->cost + noun.cost);
          if (helper == WordClass::kHave)
            value_reading(sense->attribute, noun.phrase, noun.end, sense->cost + noun.cost);
          for (const Sense* verb : senses(noun.end, Sense::Kind::kAttribute)) {
            if (verb->attribute == sense->attribute)
              value_reading(sense->attribute, noun.phrase, verb->end, noun.cost);
          }
        }
      }
    }
  }
}

void Parser::value_reading(int attribute, const Phrase& phrase, std::size_t end, double cost,
                           std::optional<Fold> fold) {
  if (phrase.set == nullptr || phrase.set->anything) return;
  if (phrase.quantity != Quantity::kSome && phrase.quantity != Quantity::kAll) return;
  const SetRef set = joins_.narrowed(phrase.set, joins_.attribute_types(attribute));
  if (set == nullptr) return;
  Reading reading;
  reading.form = fold ? Reading::Form::kFold : Reading::Form::kValue;
  reading.fold = fold.value_or(Fold::kCount);
  reading.attribute = attribute;
  reading.set = set;
  reading.cost = cost;
  if (fold && (!joins_.numeric(attribute, set->types) || joins_.has_lists(attribute))) return;
  add(reading, end);
  finish_group(reading, end);
}

// The focus between a subject and a verb behind it: "does Ada own", "is wiki running on".
void Parser::inverted(std::size_t at, const SetRef& focus, const std::string& preposition,
                      const std::function<void(const SetRef&, std::size_t, double)>& found) {
  for (const WordClass helper : {WordClass::kDo, WordClass::kBe, WordClass::kHave}) {
    for (const std::size_t end : after(at, helper)) {
      for (const Noun& subject : nouns(end)) {
        Mods said = gaps(subject.end, subject.phrase, preposition);
        for (const std::size_t no : after(subject.end, WordClass::kNot)) {
          for (const Mod& gap : gaps(no, subject.phrase, preposition)) said.push_back(turned(gap));
        }
        for (const Mod& gap : said) {
          for (auto& [set, cost] : gap.apply(focus)) {
            const double so_far = subject.cost + gap.cost + cost;
            found(set, gap.end, so_far);
            row_told_more(set, gap.end, [&](const SetRef& more, std::size_t last, double price) {
              found(more, last, so_far + price);
            });
          }
        }
      }
      most_subjects(end, focus, preposition, found);
      if (!preposition.empty()) continue;
      for (const Mod& gap : deed_gaps(end)) {
        for (auto& [set, cost] : gap.apply(focus)) found(set, gap.end, gap.cost + cost);
      }
    }
  }
}

// "(on which host) do the most services run"
void Parser::most_subjects(std::size_t at, const SetRef& focus, const std::string& preposition,
                           const std::function<void(const SetRef&, std::size_t, double)>& found) {
  for (const bool most : {true, false}) {
    const std::size_t article = skip_article(at);
    std::vector<std::size_t> starts = after(article, most ? WordClass::kMost : WordClass::kLeast);
    if (starts.empty()) starts = after(at, most ? WordClass::kMost : WordClass::kLeast);
    for (const std::size_t start : starts) {
      for (const Noun& counted : nouns(start)) {
        if (!counted.phrase.bare || !counted.phrase.set->names.empty()) continue;
        for (const Mod& gap : gaps(counted.end, counted.phrase, preposition)) {
          for (auto& [set, cost] : gap.apply(focus)) {
            if (set->restrictions.size() != focus->restrictions.size() + 1) continue;
            const Restriction& last = set->restrictions.back();
            if (last.kind != Restriction::Kind::kRelation) continue;
            Best best;
            best.by.edge = last.edge;
            best.by.counted = last.target;
            best.most = most;
            auto base = std::make_shared<SetExpr>(*set);
            base->restrictions.pop_back();
            if (SetRef chosen = joins_.best(base, best))
              found(chosen, gap.end, counted.cost + gap.cost + cost);
          }
        }
      }
    }
  }
}

// The members of the focus that the phrase's things stand in a relation to, with the preposition
// said of them: "(room) the machine is in".
Joined Parser::between(const SetRef& focus, const Phrase& subject, const std::string& preposition) {
  Joined joined;
  for (const auto& [edge, cost] :
       joins_.unnamed_edges(subject.set->types, focus->types, preposition)) {
    for (auto& [set, more] :
         joins_.relate(focus, Edge{edge.predicate, !edge.inverse, false}, subject))
      joined.emplace_back(set, cost + more);
  }
  return joined;
}

// "who owns X", "what does X need", "who is the owner of X"
void Parser::who_questions(std::size_t at) {
  for (const std::size_t word : after(at, WordClass::kWho)) {
    SetRef anything = joins_.of_types(schema_.all_types(), true);
    std::size_t start = word;
    if (const std::size_t other = skip(word, WordClass::kOther); other != word) {
      if (context_.others.empty()) continue;
      Restriction named, none;
      named.kind = Restriction::Kind::kNamed;
      named.names = context_.others;
      none.kind = Restriction::Kind::kNot;
      none.parts.push_back(named);
      anything = joins_.with(anything, none);
      start = other;
    }
    for (const Mod& mod : verbs(start)) {
      for (auto& [said, cost] : mod.apply(anything)) list_reading(said, mod.end, mod.cost + cost);
    }
    inverted(start, anything, "", [&](const SetRef& found, std::size_t end, double cost) {
      list_reading(found, end, cost);
    });
    // "What does X earn", "what do employees earn on average"
    for (const std::size_t helper : after(start, WordClass::kDo)) {
      for (const Noun& noun : nouns(helper)) {
        for (const Sense* sense : senses(noun.end, Sense::Kind::kAttribute)) {
          value_reading(sense->attribute, noun.phrase, sense->end, noun.cost + sense->cost);
          for (const std::size_t last : after(sense->end, WordClass::kOnAverage))
            value_reading(sense->attribute, noun.phrase, last, noun.cost + sense->cost,
                          Fold::kAverage);
          for (const std::size_t last : after(sense->end, WordClass::kInTotal))
            value_reading(sense->attribute, noun.phrase, last, noun.cost + sense->cost, Fold::kSum);
        }
      }
    }
    // "who earns the most in each department"
    for (const Mod& mod : verbs(start)) {
      for (auto& [said, cost] : mod.apply(anything)) {
        if (said->best) best_of_groups(*said, mod.end, mod.cost + cost);
      }
    }
  }
}

// "on which host does wiki run", "by whom is X owned", "to whom are books lent"
void Parser::fronted_questions(std::size_t at) {
  const std::string preposition = preposition_at(at);
  if (preposition.empty()) return;
  const std::size_t next = at + 1;
  for (const std::size_t word : after(next, WordClass::kWho)) {
    // "to whom was the saw lent", of a column of texts
    for (const std::size_t be : after(word, WordClass::kBe)) {
      for (const Noun& noun : nouns(be)) {
        for (const Sense* sense : senses(noun.end, Sense::Kind::kAttribute)) {
          const auto& words = schema_.attributes[static_cast<std::size_t>(sense->attribute)].words;
          if (words.size() > 1 && words.back() == preposition)
            value_reading(sense->attribute, noun.phrase, sense->end, noun.cost + sense->cost);
        }
      }
    }
    const SetRef anything = joins_.of_types(schema_.all_types(), true);
    inverted(word, anything, preposition, [&](const SetRef& found, std::size_t end, double cost) {
      list_reading(found, end, cost);
    });
  }
  for (const std::size_t word : after(next, WordClass::kWhich)) {
    for (const Noun& noun : nouns(word)) {
      if (noun.phrase.quantity != Quantity::kSome || !noun.phrase.set->names.empty()) continue;
      inverted(noun.end, noun.phrase.set, preposition,
               [&](const SetRef& found, std::size_t end, double cost) {
                 list_reading(found, end, noun.cost + cost);
               });
      // "in which room is atlas"
      for (const std::size_t be : after(noun.end, WordClass::kBe)) {
        for (const Noun& subject : nouns(be)) {
          for (auto& [found, cost] : between(noun.phrase.set, subject.phrase, preposition))
            list_reading(found, subject.end, noun.cost + subject.cost + cost);
        }
      }
      every_subject(noun, preposition);
    }
    // "in which year was Triton discovered"
    asked_attribute(word);
    dated_kind(word);
  }
}

// "in which departments do all employees earn more than 50000"
void Parser::every_subject(const Noun& focus, const std::string& preposition) {
  for (const std::size_t helper : after(focus.end, WordClass::kDo)) {
    for (const Noun& subject : nouns(helper)) {
      if (subject.phrase.quantity != Quantity::kAll) continue;
      for (const Mod& mod : verbs(subject.end)) {
        for (auto& [said, cost] : mod.apply(subject.phrase.set)) {
          const SetRef failing = joins_.complement(subject.phrase.set, said);
          if (failing == nullptr) continue;
          Phrase some{subject.phrase.set}, none{failing};
          for (const auto& [edge, more] : joins_.unnamed_edges(
                   subject.phrase.set->types, focus.phrase.set->types, preposition)) {
            const Edge back{edge.predicate, !edge.inverse, false};
            for (auto& [with_some, a] : joins_.relate(focus.phrase.set, back, some)) {
              for (auto& [with_failing, b] : joins_.relate(with_some, back, none)) {
                if (SetRef all = joins_.complement(with_some, with_failing))
                  list_reading(all, mod.end,
                               focus.cost + subject.cost + mod.cost + cost + more + a + b);
              }
            }
          }
        }
      }
    }
  }
}

// "in which year was Triton discovered": a noun of time and a verb that is a date.
void Parser::dated_kind(std::size_t start) {
  for (const std::size_t kind : after(start, WordClass::kKindNoun)) {
    for (const std::size_t be : after(kind, WordClass::kBe)) dated_verb(be);
    for (const std::size_t helper : after(kind, WordClass::kDo)) dated_verb(helper);
  }
}

// "Triton discovered", "Sven Falk hired", "Night Ferry due", and without the verb.
void Parser::dated_verb(std::size_t at) {
  for (const Noun& noun : nouns(at)) {
    for (const Sense* sense : senses(noun.end, Sense::Kind::kAttribute)) {
      const TypeSet types = joins_.attribute_types(sense->attribute);
      if (joins_.is_date(sense->attribute, types.both(noun.phrase.set->types)) ||
          joins_.holds_clocks(sense->attribute))
        value_reading(sense->attribute, noun.phrase, sense->end, noun.cost + sense->cost);
    }
  }
}

// "where is atlas", "where does wiki run"
void Parser::where_questions(std::size_t at) {
  for (const std::size_t word : after(at, WordClass::kWhere)) {
    for (const WordClass helper : {WordClass::kBe, WordClass::kDo}) {
      for (const std::size_t end : after(word, helper)) {
        for (const Noun& noun : nouns(end)) {
          if (noun.phrase.set->anything || noun.phrase.quantity != Quantity::kSome) continue;
          std::vector<std::pair<std::size_t, int>> verbs{};
          for (const Sense* sense : senses(noun.end, Sense::Kind::kVerb)) {
            verbs.emplace_back(sense->end, sense->predicate);
            // "come from": with its own preposition left behind.
            const auto& own =
                schema_.predicates[static_cast<std::size_t>(sense->predicate)].preposition;
            if (!own.empty() && preposition_at(sense->end) == own)
              verbs.emplace_back(sense->end + 1, sense->predicate);
          }
          // "where does Ada live", where she has a city
          for (const Sense* sense : senses(noun.end, Sense::Kind::kAttribute)) {
            if (helper == WordClass::kDo && !sense->exact)
              value_reading(sense->attribute, noun.phrase, sense->end, noun.cost + sense->cost);
          }
          // "Where was the final held": the verb is a date, and says no place.
          for (const Sense* sense : senses(noun.end, Sense::Kind::kAttribute)) {
            if (helper == WordClass::kBe && is_past_deed(*sense))
              verbs.emplace_back(sense->end, -1);
          }
          const bool bare = helper == WordClass::kBe;
          if (bare) verbs.emplace_back(noun.end, -1);
          for (const auto& [last, predicate] : verbs) place(noun, predicate, last);
        }
      }
    }
  }
}

// The place of things: along the verb's predicate, or along the one that says where they are.
void Parser::place(const Noun& noun, int predicate, std::size_t end) {
  const auto along = [&](int index) {
    const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(index)];
    const SetRef all = joins_.of_types(info.follow(noun.phrase.set->types, false));
    if (all->types.empty()) return;
    for (auto& [set, cost] : joins_.relate(all, Edge{index, true, false}, noun.phrase))
      list_reading(set, end, noun.cost + cost);
  };
  if (predicate >= 0) {
    const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(predicate)];
    if (info.contains || pack_.contains_things(info.preposition) || by_place(info.preposition))
      along(predicate);
    return;
  }
  bool any = false;
  for (std::size_t i = 0; i < schema_.predicates.size(); ++i) {
    const PredicateInfo& info = schema_.predicates[i];
    if (!info.contains || info.derived || info.follow(noun.phrase.set->types, false).empty())
      continue;
    any = true;
    along(static_cast<int>(i));
  }
  if (any) return;
  for (std::size_t i = 0; i < schema_.predicates.size(); ++i) {
    const PredicateInfo& info = schema_.predicates[i];
    if (info.derived || info.follow(noun.phrase.set->types, false).empty()) continue;
    if (!pack_.contains_things(info.preposition) && !says_where(info.words)) continue;
    any = true;
    along(static_cast<int>(i));
  }
  if (any) return;
  for (std::size_t i = 0; i < schema_.attributes.size(); ++i) {
    const int attribute = static_cast<int>(i);
    const AttributeInfo& info = schema_.attributes[i];
    if (!info.numeric() && !info.flags() && says_where(info.words))
      value_reading(attribute, noun.phrase, end, noun.cost);
  }
}

// By the last word of the name: `city` and `home_city`, but not `birthplace`.
bool Parser::says_where(const std::vector<std::string>& words) const {
  return !words.empty() && pack_.says_where(words.back());
}

// Where somebody comes from is a place too.
bool Parser::by_place(const std::string& preposition) const {
  return !preposition.empty() && !pack_.is_by(preposition);
}

// "when is X due", "when was X hired", "when is X"
void Parser::when_questions(std::size_t at) {
  for (const std::size_t word : after(at, WordClass::kWhen)) {
    for (const WordClass helper : {WordClass::kBe, WordClass::kDo}) {
      for (const std::size_t end : after(word, helper)) {
        dated_verb(end);
        if (helper != WordClass::kBe) continue;
        for (const Noun& noun : nouns(end)) {
          if (noun.phrase.set->anything) continue;
          for (const int attribute : joins_.date_attributes(noun.phrase.set->types))
            value_reading(attribute, noun.phrase, noun.end, noun.cost);
        }
      }
    }
  }
}

// "what is the port of X", "the average salary", "lowest port"
void Parser::value_questions(std::size_t at) {
  std::vector<std::size_t> starts{at};
  for (const std::size_t end : after(at, WordClass::kListVerb)) starts.push_back(end);
  for (const WordClass word : {WordClass::kWhich, WordClass::kWho}) {
    for (const std::size_t end : after(at, word)) {
      for (const std::size_t be : after(end, WordClass::kBe)) starts.push_back(be);
    }
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  for (const std::size_t start : starts) {
    values_there(start, start != at);
    for (const Property& one : properties(start)) {
      Phrase phrase;
      phrase.set = one.of;
      const bool all = one.of == nullptr;
      if (all) {
        if (!one.fold) continue;
        phrase.set = joins_.of_types(joins_.attribute_types(one.attribute));
      }
      std::size_t end = one.end;
      // "in km": the unit that the attribute's name says.
      const std::string& unit = schema_.attributes[static_cast<std::size_t>(one.attribute)].unit;
      if (!unit.empty() && end + 2 == pieces_.size() && !preposition_at(end).empty() &&
          pieces_[end + 1].folded == unit)
        end += 2;
      value_reading(one.attribute, phrase, end, one.cost, one.fold);
    }
  }
}

// "whose service is shop-web"
void Parser::whose_questions(std::size_t at) {
  for (const std::size_t whose : after(at, WordClass::kWhose)) {
    for (const Noun& kind : nouns(whose)) {
      for (const std::size_t be : after(kind.end, WordClass::kBe)) {
        for (const Noun& named : nouns(be)) {
          const SetRef set = joins_.narrowed(named.phrase.set, kind.phrase.set->types);
          if (set == nullptr || named.phrase.set->names.empty()) continue;
          // "whose capital is Austin"
          if (kind.phrase.through) {
            const SetRef anything = joins_.of_types(schema_.all_types(), true);
            for (auto& [found, cost] : joins_.relate(anything, *kind.phrase.through, Phrase{set}))
              list_reading(found, named.end, kind.cost + named.cost + cost);
            continue;
          }
          for (std::size_t i = 0; i < schema_.predicates.size(); ++i) {
            const PredicateInfo& info = schema_.predicates[i];
            if (!pack_.is_by(info.preposition)) continue;
            const SetRef all = joins_.of_types(info.follow(set->types, false));
            if (all->types.empty()) continue;
            for (auto& [found, cost] :
                 joins_.relate(all, Edge{static_cast<int>(i), true, false}, Phrase{set}))
              list_reading(found, named.end, kind.cost + named.cost + cost);
          }
        }
      }
    }
  }
}

}  // namespace anima::ask
