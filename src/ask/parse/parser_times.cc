// Times that an attribute is compared with: "joined last week", "books from before 1985".
#include <algorithm>
#include <array>

#include "ask/parse/columns/text_column.h"
#include "ask/parse/mods.h"
#include "ask/parse/parser.h"
#include "ask/parse/times.h"

namespace anima::ask {

// A date under a condition. `bare`: a time without a preposition will do ("joined last week").
Parser::Mods Parser::time_tests(std::size_t at, int attribute, double cost, bool bare) {
  Mods mods;
  if (!joins_.is_date(attribute, joins_.attribute_types(attribute))) return mods;
  const auto between = [&](std::size_t end, const std::string& from, const std::string& until,
                           TimeSaid said) {
    Mod mod;
    mod.end = end;
    mod.cost = cost;
    mod.apply = [this, attribute, from, until, said](const SetRef& set) {
      return single(joins_.in_time(set, attribute, from, until, said));
    };
    mods.push_back(std::move(mod));
  };
  // What has an end outside of the time is told from one time.
  const auto one_time = [](TimeSaid said) {
    return said <= TimeSaid::kNumber ? TimeSaid::kDated : TimeSaid::kRelative;
  };
  // "On Friday" is the nearest one, "on a Friday" any.
  const auto within = [&](const TimeRange& one, bool any) {
    between(one.end, one.from, one.until,
            one.said == TimeSaid::kWeekly && !any ? TimeSaid::kRelative : one.said);
  };
  // "Of 1999", "for 1999", but not "in 1999".
  const auto as_number = [&](TimeRange one, std::size_t from, std::size_t word) {
    const std::string before = preposition_at(word);
    if (!before.empty() && !pack_.contains_things(before) && one.end == from + 1 &&
        pieces_[from].kind == Piece::Kind::kNumber)
      one.said = TimeSaid::kNumber;
    return one;
  };
  const auto times = [&](std::size_t from) {
    return read_time(pieces_, from, pack_, context_.now);
  };
  if (bare) {
    for (const TimeRange& one : times(at)) within(at > 0 ? as_number(one, at, at - 1) : one, false);
  }
  for (const std::size_t end : after(at, WordClass::kInTime)) {
    const std::size_t start = skip_article(end);
    for (const TimeRange& one : times(start)) within(as_number(one, start, at), start != end);
  }
  for (const std::size_t end : after(at, WordClass::kBeforeTime)) {
    for (const TimeRange& one : times(end)) between(one.end, "", one.from, one_time(one.said));
  }
  for (const std::size_t end : after(at, WordClass::kUntilTime)) {
    for (const TimeRange& one : times(end)) between(one.end, "", one.until, one_time(one.said));
  }
  for (const std::size_t end : after(at, WordClass::kAfterTime)) {
    for (const TimeRange& one : times(end)) between(one.end, one.until, "", one_time(one.said));
  }
  for (const std::size_t end : after(at, WordClass::kSinceTime)) {
    for (const TimeRange& one : times(end))
      if (!one.coming) between(one.end, one.from, until_now(attribute), one_time(one.said));
  }
  for (const std::size_t end : after(at, WordClass::kBetween)) {
    for (const TimeRange& first : times(end)) {
      for (const std::size_t to : after(first.end, WordClass::kTo)) {
        for (const TimeRange& last : times(to))
          between(last.end, first.from, last.until, one_time(std::max(first.said, last.said)));
      }
    }
  }
  beside_things(at, attribute, cost, mods);
  return mods;
}

// The first day that has not come; of years the next one.
std::string Parser::until_now(int attribute) const {
  const std::string today = ask::day_of(context_.now);
  const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(attribute)];
  const bool days =
      std::ranges::any_of(info.types, [](const auto& one) { return one.second.days > 0; });
  return days ? day_after(today, 1) : std::to_string(std::stoi(today.substr(0, 4)) + 1) + "-01-01";
}

// A date that is called by what was done then: `ended`, `shipped`, `took_place`.
bool Parser::is_past_deed(const Sense& sense) const {
  return pack_.is_participle(pieces_[sense.begin].folded) &&
         !at_class(sense.end - 1, WordClass::kKindNoun) &&
         joins_.is_date(sense.attribute, joins_.attribute_types(sense.attribute));
}

// "(were) open in 1950", of a date `opened`: what is so then did not come then.
bool Parser::is_state_of_deed(std::size_t at) const {
  const std::string& word = pieces_[at].folded;
  return pack_.tells_voice() && !pack_.is_participle(word) && !pack_.is_progressive(word) &&
         std::ranges::any_of(senses(at, Sense::Kind::kAttribute), [&](const Sense* sense) {
           const auto& words = schema_.attributes[static_cast<std::size_t>(sense->attribute)].words;
           return !sense->exact && pack_.is_participle(words.front()) &&
                  joins_.is_date(sense->attribute, joins_.attribute_types(sense->attribute));
         });
}

// "(is) loaned": what began with `loan_from` is over with `loan_until`, where that has come. Of the
// past ("was loaned") nothing is said of its end.
SetRef Parser::not_over(const SetRef& set, int attribute, std::size_t at) const {
  for (std::size_t i = 0; i < at; ++i) {
    if (at_class(i, WordClass::kPastTense) || at_class(i, WordClass::kHave)) return set;
  }
  const auto& words = schema_.attributes[static_cast<std::size_t>(attribute)].words;
  for (const int other : set == nullptr ? std::vector<int>{} : joins_.date_attributes(set->types)) {
    const auto& ends = schema_.attributes[static_cast<std::size_t>(other)].words;
    const std::vector<PackUse>* uses = pack_.uses(ends.back());
    const bool until =
        uses != nullptr && std::ranges::any_of(*uses, [](const PackUse& use) {
          return use.kind == PackUse::Kind::kClass && use.word_class == WordClass::kUntilTime;
        });
    if (other == attribute || !until || ends.size() < 2 || ends.front() != words.front()) continue;
    const SetRef over = joins_.in_time(set, other, "", ask::day_of(context_.now));
    return over == nullptr ? set : joins_.complement(set, over);
  }
  return set;
}

// "(have) ended", "(are) shipped": the date has come, which a date in the cell alone does not say.
void Parser::passed(std::size_t at, Mods& out) {
  for (const Sense* sense : senses(at, Sense::Kind::kAttribute)) {
    if (!is_past_deed(*sense) || shares_what_follows(sense->end, true)) continue;
    Mod mod;
    mod.end = sense->end;
    mod.deed = true;
    // Where it is a state, too, nothing tells which is meant.
    mod.cost = sense->cost + (values_like(*sense).empty() ? 0.1 : 0);
    mod.apply = [this, at, attribute = sense->attribute](const SetRef& set) {
      const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(attribute)];
      const TypeSet types = set->types.both(info.type_set());
      const bool clock =
          std::ranges::all_of(types.ids(), [&](TypeId type) { return info.clocks(type); });
      const std::string until =
          clock ? format_timestamp(context_.now) : day_after(ask::day_of(context_.now), 1);
      return single(not_over(joins_.in_time(set, attribute, "", until), attribute, at));
    };
    out.push_back(std::move(mod));
  }
}

// "Hired before Omar Beck", "hired last", "joined first".
void Parser::beside_things(std::size_t at, int attribute, double cost, Mods& out) {
  for (const bool before : {true, false}) {
    for (const std::size_t end :
         after(at, before ? WordClass::kBeforeTime : WordClass::kAfterTime)) {
      if (pack_.is_by(pieces_[at].folded)) continue;
      for (const Noun& other : nouns(end)) {
        if (other.phrase.set->names.empty()) continue;
        Mod mod;
        mod.end = other.end;
        mod.cost = cost + other.cost;
        mod.apply = [this, attribute, before, other](const SetRef& set) {
          return single(joins_.than(set, attribute, before ? Compare::kLess : Compare::kMore,
                                    other.phrase.set));
        };
        out.push_back(std::move(mod));
      }
    }
  }
  for (const bool last : {true, false}) {
    for (const std::size_t end : after(at, last ? WordClass::kLatestLast : WordClass::kEarliest)) {
      Mod mod;
      mod.end = end;
      mod.cost = cost;
      mod.apply = [this, attribute, last](const SetRef& set) {
        Best best;
        best.by.attribute = attribute;
        best.most = last;
        return single(joins_.best(set, best));
      };
      out.push_back(std::move(mod));
    }
  }
}

// The values that the same words may be.
std::vector<const Sense*> Parser::values_like(const Sense& sense) const {
  std::vector<const Sense*> values = senses(sense.begin, Sense::Kind::kValue);
  std::erase_if(values, [&](const Sense* value) { return value->end != sense.end; });
  return values;
}

// "Open in June", where "open" is a value of the rows: it is that, and the date `opened` only as a
// verb behind its helper ("did it open in June"). `from`: the first of what was read of the date.
void Parser::leave_states(const Sense& date, std::size_t from, Mods& out) {
  const auto helps = [&](std::size_t at) {
    return at_class(at, WordClass::kDo) || at_class(at, WordClass::kModal);
  };
  for (std::size_t at = 0; at < date.begin; ++at) {
    if (helps(at)) return;
  }
  TypeSet states;
  if (date.exact || !joins_.is_date(date.attribute, joins_.attribute_types(date.attribute))) return;
  for (const Sense* value : values_like(date))
    states = states.either(joins_.attribute_types(value->attribute));
  for (; !states.empty() && from < out.size(); ++from) {
    out[from].apply = [states, apply = out[from].apply](const SetRef& set) {
      return set->types.both(states).empty() ? apply(set) : Joined{};
    };
  }
}

// What will be, can be or should be is told by a day that is recorded, and by nothing that was
// done.
Parser::Mods Parser::timed_alone(const Mods& list) const {
  Mods timed;
  for (Mod mod : list) {
    mod.apply = [this, apply = mod.apply](const SetRef& set) {
      Joined joined = apply(set);
      std::erase_if(joined, [&](const auto& one) {
        const auto own = static_cast<std::ptrdiff_t>(set->restrictions.size());
        const std::vector<Restriction>& all = one.first->restrictions;
        return std::any_of(
            all.begin() + std::min(own, std::ssize(all)), all.end(), [&](const Restriction& said) {
              return said.kind != Restriction::Kind::kAttribute ||
                     !joins_.is_date(said.attribute, joins_.attribute_types(said.attribute));
            });
      });
      return joined;
    };
    timed.push_back(std::move(mod));
  }
  return timed;
}

// Whether a time is said of another attribute.
bool Parser::is_dated(const SetExpr& set, int attribute) const {
  return std::any_of(set.restrictions.begin(), set.restrictions.end(), [&](const Restriction& one) {
    return one.kind == Restriction::Kind::kAttribute && one.attribute != attribute &&
           one.value.kind == Constant::Kind::kText && is_ordering(one.compare) &&
           joins_.is_date(one.attribute, joins_.attribute_types(one.attribute));
  });
}

// A time of what has one date: "books from before 1985".
Parser::Mods Parser::times(std::size_t at, bool bare) {
  Mods mods;
  std::vector<std::size_t> starts{at};
  // "From May"; what stands behind "before" or "over" is no time that something is in.
  const bool orders = compares_size(at) ||
                      std::ranges::any_of(std::array{WordClass::kBeforeTime, WordClass::kAfterTime,
                                                     WordClass::kSinceTime, WordClass::kUntilTime},
                                          [&](WordClass one) { return !after(at, one).empty(); });
  if (!preposition_at(at).empty() && !orders) starts.push_back(at + 1);
  for (const std::size_t start : starts) {
    for (std::size_t i = 0; i < schema_.attributes.size(); ++i) {
      const int attribute = static_cast<int>(i);
      Mods tests = time_tests(start, attribute, start == at ? 0.1 : 0.05, start != at || bare);
      or_then(attribute, tests);
      for (const Mod& mod : tests) {
        Mod only = mod;
        only.apply = [this, attribute, apply = mod.apply](const SetRef& set) {
          return is_timed_by(*set, attribute) ? apply(set) : Joined{};
        };
        mods.push_back(or_of_role(only));
      }
    }
  }
  return mods;
}

// "(in May) or June", of the same date
void Parser::or_then(int attribute, Mods& tests) {
  const std::size_t count = tests.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Mod first = tests[i];
    for (const std::size_t next : after(first.end, WordClass::kOr)) {
      for (const Mod& second : time_tests(next, attribute, 0, true))
        tests.push_back(both_or_either(first, second, false));
    }
  }
}

// Whether a time that names no date may be of this one.
bool Parser::is_timed_by(const SetExpr& set, int attribute) const {
  // What has a time already is not asked for another one by another date.
  if (is_dated(set, attribute)) return false;
  const auto dates = joins_.date_attributes(set.types);
  const bool there = std::find(dates.begin(), dates.end(), attribute) != dates.end();
  // A year alone is meant where there is one.
  return there && (dates.size() < 2 || years(attribute, set.types) ||
                   std::none_of(dates.begin(), dates.end(),
                                [&](int other) { return years(other, set.types); }));
}

// "Foremen in 2025": of those who are one in whatever row the same is said of the row, too.
Mod Parser::or_of_role(const Mod& mod) const {
  Mod either = mod;
  either.apply = [apply = mod.apply](const SetRef& set) {
    Joined joined = apply(set);
    for (std::size_t at = 0; at < set->restrictions.size(); ++at) {
      const Restriction& role = set->restrictions[at];
      if (role.kind != Restriction::Kind::kRelation || !role.edge.inverse || !role.target->anything)
        continue;
      for (auto& [rows, cost] : apply(role.target)) {
        auto result = std::make_shared<SetExpr>(*set);
        result->restrictions[at].target = rows;
        joined.emplace_back(std::move(result), cost);
      }
    }
    return joined;
  };
  return either;
}

bool Parser::years(int attribute, const TypeSet& types) const {
  const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(attribute)];
  // Numbers like 2022 may be versions: beside another date they are years where their name says so.
  const bool named = std::ranges::any_of(info.words, [&](const std::string& word) {
    const std::vector<PackUse>* uses = pack_.uses(word);
    return uses != nullptr && std::ranges::any_of(*uses, [](const PackUse& use) {
             return use.kind == PackUse::Kind::kClass && use.word_class == WordClass::kKindNoun;
           });
  });
  return named && std::ranges::any_of(info.types, [&](const auto& one) {
           return types.contains(one.first) && one.second.years > 0;
         });
}

}  // namespace anima::ask
