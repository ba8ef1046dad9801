#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "ask/answer/render.h"
#include "ask/attempt.h"
#include "ask/check/fitting.h"
#include "ask/parse/columns/text_column.h"
#include "ask/parse/joins.h"
#include "base/text/text.h"
#include "language/text/fold.h"
#include "store/holds.h"
#include "store/statements.h"

// What an attempt is not sure of: words that may be meant as others, times that nothing is said to
// have, and why a question is not answered.

namespace anima::ask {
namespace {

// The relations that a reading goes along.
class Relations {
 public:
  void add(const SetRef& set) {
    if (set == nullptr) return;
    for (const Restriction& one : set->restrictions) add(one);
    if (set->best) add(set->best->by);
  }
  void add(const Reading& reading) {
    add(reading.set);
    add(reading.other);
    if (reading.other != nullptr) found.insert(reading.fact.predicate);
    if (reading.group && reading.group->attribute < 0) found.insert(reading.group->edge.predicate);
    if (reading.group) add(reading.group->groups);
    if (reading.best) add(reading.best->by);
  }
  std::set<int> found;

 private:
  void add(const Measure& measure) {
    if (measure.counted != nullptr) found.insert(measure.edge.predicate);
    add(measure.counted);
  }
  void add(const Restriction& one) {
    if (one.target != nullptr || one.kind == Restriction::Kind::kFold)
      found.insert(one.edge.predicate);
    for (const Edge& step : one.path) found.insert(step.predicate);
    if (!one.path.empty()) found.insert(one.edge.predicate);
    add(one.target);
    for (const Restriction& part : one.parts) add(part);
    for (const auto& parts : one.alternatives) {
      for (const Restriction& part : parts) add(part);
    }
  }
};

// Whether it asks for those of whom something is not so.
bool denies(const Reading& reading) {
  return reading.set != nullptr &&
         std::ranges::any_of(reading.set->restrictions, [](const Restriction& one) {
           const bool not_itself = one.kind == Restriction::Kind::kNot &&
                                   one.parts.front().kind != Restriction::Kind::kNamed;
           return not_itself || one.denied;
         });
}

// Whether it says nothing but what values of the things themselves are; the attributes that it
// needs for that.
bool compares_values(const Restriction& one, std::vector<int>& attributes) {
  if (one.kind == Restriction::Kind::kAny) {
    return std::ranges::all_of(one.alternatives, [&](const auto& parts) {
      return std::ranges::all_of(
          parts, [&](const Restriction& part) { return compares_values(part, attributes); });
    });
  }
  attributes.push_back(one.attribute);
  return one.kind == Restriction::Kind::kAttribute && !one.possessed;
}

}  // namespace

// A word that is spelled like another is a guess, unless it is that word but for its accents or its
// ending.
void Attempt::guess_spelling(std::size_t at) {
  if (written_together(at) || written_together(at + 1)) return;
  const auto near = lexicon_.misspelt(written_, at);
  if (near.empty()) {
    const bool word = written_[at].kind == Piece::Kind::kWord && is_ascii(written_[at].folded);
    const std::string name = word ? lexicon_.abbreviated(written_[at].folded) : std::string();
    if (!name.empty()) guesses_.push_back({written_[at].begin, written_[at].end, name});
    return;
  }
  const std::string &word = written_[at].folded, &other = near[0].read_word;
  // A name has no endings.
  const bool name = std::ranges::any_of(near, [](const Sense& sense) {
    return sense.kind == Sense::Kind::kThing || sense.kind == Sense::Kind::kValue;
  });
  const Pack& pack = lexicon_.pack();
  const bool form = !name && (pack.is_form_of(word, other) || pack.is_form_of(other, word));
  const bool same = language::fold_for_finding(word) == language::fold_for_finding(other) || form;
  if (same) {
    pieces_[at].folded = other;
    return;
  }
  // Of a name the longest part that the question gives, which stands for the whole.
  const Sense& meant = *std::ranges::max_element(near, [](const Sense& a, const Sense& b) {
    return std::pair(a.end - a.begin, -a.cost) < std::pair(b.end - b.begin, -b.cost);
  });
  const bool thing = meant.kind == Sense::Kind::kThing;
  const std::size_t from = thing ? meant.begin : at, to = thing ? meant.end - 1 : at;
  guesses_.push_back({written_[from].begin, written_[to].end, meant.read_as});
}

// Of readings that mean things of one name those of the things that are trusted most.
void Attempt::keep_most_trusted(std::vector<Tried>& tried) const {
  if (tried.size() < 2) return;
  const auto trust_of = [&](const Tried& one) {
    store::Trust least = store::Trust::kSystem;
    for (const store::EntityId thing : named_things(one.reading))
      least = std::min(least, store::trust_of_thing(lexicon_.snapshot(), thing));
    return least;
  };
  std::map<std::string, store::Trust> most;
  for (const Tried& one : tried) {
    const std::string words = describe_names(one.reading, lexicon_);
    store::Trust& known = most.emplace(words, store::Trust::kHostile).first->second;
    known = std::max(known, trust_of(one));
  }
  std::erase_if(tried, [&](const Tried& one) {
    return trust_of(one) < most.at(describe_names(one.reading, lexicon_));
  });
}

// Two of them take the same words of the question for different numbers, or for different things of
// one type.
bool Attempt::is_told_by_no_row(const std::vector<Tried>& tried) {
  read_words();
  // That everybody has the one says nothing of who lacks the other: "singers with no concerts", of
  // those that they sing or that they lead.
  if (std::ranges::any_of(
          tried, [](const Tried& one) { return is_unsure(one.reading) || denies(one.reading); }))
    return true;
  if (is_of_two_dates(tried)) return true;
  std::map<std::pair<std::size_t, std::size_t>, std::set<store::EntityId>> called;
  for (const Sense& sense : senses_) {
    if (sense.kind == Sense::Kind::kThing) called[{sense.begin, sense.end}].insert(sense.thing);
  }
  std::vector<std::set<store::EntityId>> named;
  for (const Tried& one : tried) named.push_back(named_things(one.reading));
  if (is_number_or_name(tried)) return true;
  const Joins joins(lexicon_);
  for (const auto& [place, things] : called) {
    for (const store::EntityId thing : things) {
      for (const store::EntityId other : things) {
        if (thing >= other || joins.types_of({thing}).both(joins.types_of({other})).empty())
          continue;
        const auto only = [&](store::EntityId it, store::EntityId not_it) {
          return std::ranges::any_of(
              named, [&](const auto& set) { return set.contains(it) && !set.contains(not_it); });
        };
        if (only(thing, other) && only(other, thing)) return true;
      }
    }
  }
  return false;
}

// "Concerts in June": that none is then does not say that their broadcasts, another date of the
// same rows, are meant.
bool Attempt::is_of_two_dates(const std::vector<Tried>& tried) const {
  std::vector<std::set<std::pair<std::string, int>>> said;
  for (const Tried& one : tried) said.push_back(days_said(one.reading));
  const Joins joins(lexicon_);
  const auto instead = [&](const auto& one, const auto& other) {
    return std::ranges::any_of(one, [&](const auto& a) {
      return !other.contains(a) && std::ranges::any_of(other, [&](const auto& b) {
        return a.first == b.first && !one.contains(b) &&
               !joins.attribute_types(a.second).both(joins.attribute_types(b.second)).empty();
      });
    });
  };
  return std::ranges::any_of(said, [&](const auto& one) {
    return std::ranges::any_of(said, [&](const auto& other) { return instead(one, other); });
  });
}

// "Longer than 1984", where that is a book, too.
bool Attempt::is_number_or_name(const std::vector<Tried>& tried) const {
  for (const Tried& one : tried) {
    const std::set<std::string> numbers = numbers_written(one.reading);
    for (const Tried& other : tried) {
      for (const store::EntityId thing : named_things(other.reading)) {
        if (numbers.contains(fold_case(lexicon_.snapshot().name(thing)))) return true;
      }
    }
  }
  return false;
}

// "Did you mean ..?" where every word that nothing explains may be another one; a yes to it asks
// that.
Answer Attempt::ask_what_was_meant(Answer refused) const {
  if (guesses_.empty() || refused.reason != "unknown_word" ||
      guesses_.size() != refused.unknown.size())
    return refused;
  std::string meant = question_, names;
  for (auto guess = guesses_.rbegin(); guess != guesses_.rend(); ++guess) {
    meant.replace(guess->begin, guess->end - guess->begin, guess->name);
    names = "\"" + guess->name + "\"" + (names.empty() ? "" : ", ") + names;
  }
  refused.text += " " + fill(lexicon_.pack(), "did_you_mean", {{"names", names}});
  refused.next.insert(refused.next.begin(), meant);
  if (talk_ != nullptr) talk_->meant = std::move(meant);
  return refused;
}

// "web-02" where only "web-01" is known: each part is explained, the whole by nothing.
std::vector<std::string> Attempt::broken_names() const {
  std::vector<std::string> words;
  for (std::size_t at = 1; at < pieces_.size(); ++at) {
    const bool numbered = joined_by_sign(at) && pieces_[at].kind == Piece::Kind::kNumber &&
                          pieces_[at - 1].kind == Piece::Kind::kWord;
    const bool whole = std::any_of(senses_.begin(), senses_.end(), [&](const Sense& sense) {
      return sense.begin < at && sense.end > at;
    });
    if (numbered && !whole)
      words.push_back(
          question_.substr(pieces_[at - 1].begin, pieces_[at].end - pieces_[at - 1].begin));
  }
  return words;
}

bool Attempt::stands_before(std::size_t from, const std::function<bool(const PackUse&)>& is,
                            const std::function<bool(std::size_t)>& behind) const {
  const Pack& pack = lexicon_.pack();
  std::string phrase;
  for (std::size_t to = from; to < pieces_.size() && to - from < pack.longest_phrase(); ++to) {
    phrase += (to > from ? " " : "") + pieces_[to].folded;
    const auto* uses = pack.uses(phrase);
    if (uses != nullptr && std::any_of(uses->begin(), uses->end(), is) && behind(to + 1))
      return true;
  }
  return false;
}

// "price is text": what is said of an attribute can be said of numbers alone.
std::string Attempt::text_column() const {
  const auto compares = [](const PackUse& use) {
    return use.kind == PackUse::Kind::kCompare && is_ordering(use.compare);
  };
  const auto folds = [](const PackUse& use) {
    return use.kind == PackUse::Kind::kFold && use.fold != Fold::kCount;
  };
  const auto number = [&](std::size_t at) {
    return at < pieces_.size() && pieces_[at].kind == Piece::Kind::kNumber;
  };
  for (const Sense& sense : senses_) {
    if (sense.kind != Sense::Kind::kAttribute) continue;
    const AttributeInfo& info =
        lexicon_.schema().attributes[static_cast<std::size_t>(sense.attribute)];
    if (info.link || info.numeric() || info.flags()) continue;
    bool of_numbers =
        stands_before(sense.end, compares, number) ||
        (is_word(sense.end, WordClass::kBe) && stands_before(sense.end + 1, compares, number));
    for (std::size_t from = 0; from < sense.begin; ++from)
      of_numbers = of_numbers ||
                   stands_before(from, folds, [&](std::size_t at) { return at == sense.begin; });
    if (!of_numbers) continue;
    const TextColumn column = ask::text_column(lexicon_, sense.attribute);
    const std::string_view why = column.kind == TextColumn::Kind::kCodes     ? "codes"
                                 : column.kind == TextColumn::Kind::kNumbers ? "text_numbers"
                                                                             : "text_column";
    return fill(lexicon_.pack(), why, {{"attribute", info.key}, {"value", column.example}});
  }
  return {};
}

// "May": nothing in the last one says nothing of the others. "1 January 2020" has its year.
std::string Attempt::month_of_any_year() const {
  for (std::size_t at = 0; at < pieces_.size(); ++at) {
    const std::vector<TimeRange> times = read_days(pieces_, at, lexicon_.pack(), now_);
    if (times.empty()) continue;
    const TimeRange& longest = *std::ranges::max_element(times, {}, &TimeRange::end);
    // "Zoe March" is nobody's month.
    const bool named = std::ranges::any_of(senses_, [&](const Sense& sense) {
      return sense.kind == Sense::Kind::kThing && sense.cost == 0 && sense.begin <= at &&
             sense.end >= longest.end && sense.end - sense.begin > longest.end - at;
    });
    if (longest.any_year && !named)
      return question_.substr(pieces_[at].begin, pieces_[longest.end - 1].end - pieces_[at].begin);
    at = longest.end - 1;
  }
  return {};
}

// "Windows 2022": a number that stands right behind a name is no year of it.
bool Attempt::is_part_of_name(std::size_t at) const {
  return at > 0 && pieces_[at].kind == Piece::Kind::kNumber &&
         std::ranges::any_of(senses_, [&](const Sense& sense) {
           return sense.end == at &&
                  (sense.kind == Sense::Kind::kThing || sense.kind == Sense::Kind::kValue);
         });
}

// "Now", "still", where it is no part of a name.
std::string Attempt::word_for_now() const {
  const Pack& pack = lexicon_.pack();
  for (std::size_t at = 0; at < pieces_.size(); ++at) {
    const std::size_t end = behind(at, WordClass::kNow);
    const bool named = std::ranges::any_of(senses_, [&](const Sense& sense) {
      const bool exact =
          sense.kind == Sense::Kind::kThing ? sense.cost == 0 : sense.kind == Sense::Kind::kValue;
      return exact && sense.begin <= at && sense.end >= end &&
             pack.uses(pieces_[at].text) == nullptr;
    });
    if (end > at && !named) return written(at, end);
  }
  return {};
}

// "Which books does Ada have now?" over loans that were lent and returned some day: a word that
// changes nothing is not read, and what means it less is not what was meant.
std::string Attempt::leave_undated(std::vector<Reading>& readings) const {
  const std::string word = word_for_now();
  if (word.empty()) return {};
  double best = readings.front().cost;
  for (const Reading& one : readings) best = std::min(best, one.cost);
  std::set<std::string> days;
  for (const Reading& one : readings) {
    if (one.cost <= best + kSameCost) days.merge(days_of_rows(one, lexicon_));
  }
  if (days.empty()) return {};
  readings.clear();
  return fill(
      lexicon_.pack(), "now_dated",
      {{"word", word}, {"list", join(std::vector<std::string>(days.begin(), days.end()), ", ")}});
}

// Which days "last month" was taken for.
void Attempt::tell_times(const Reading& reading, Answer& answer) const {
  for (const TimeTaken& one : relative_times(reading, lexicon_)) {
    const std::string_view which = one.from.empty()    ? "took_until"
                                   : one.until.empty() ? "took_since"
                                                       : "took_between";
    answer.text +=
        " " + fill(lexicon_.pack(), which,
                   {{"attribute", one.attribute}, {"from", one.from}, {"until", one.until}});
  }
}

// A plain no is of values that are there. Where a cell is empty, nothing is known; a date that is
// not there has not come. Of what is said of links nobody says that it is not so.
void Attempt::tell_denial(const Tried& tried, Answer& answer) const {
  if (tried.reading.form != Reading::Form::kExists || holds_somewhere(tried)) return;
  const SetExpr& set = *tried.reading.set;
  const Joins joins(lexicon_);
  const auto key = [&](const Restriction& one) -> const std::string& {
    return lexicon_.schema().attributes[static_cast<std::size_t>(one.attribute)].key;
  };
  const auto is_value = [&](const Restriction& one) {
    const bool flag = one.value.kind == Constant::Kind::kFlag;
    return one.kind == Restriction::Kind::kAttribute && (flag || !one.possessed) &&
           !lexicon_.schema().attributes[static_cast<std::size_t>(one.attribute)].link;
  };
  if (set.names.empty() || set.best || !std::ranges::all_of(set.restrictions, is_value)) return;
  const auto& found = tried.table.things;
  const auto is_known = [&](store::EntityId thing) {
    const bool holds = found.size() < set.names.size() && std::ranges::count(found, thing) > 0;
    return !holds && std::ranges::all_of(set.restrictions, [&](const Restriction& one) {
      return lexicon_.snapshot().attribute(thing, key(one)).has_value();
    });
  };
  // One of whom it is known that it is not so is enough against "all of them".
  const bool known = tried.reading.every ? std::ranges::any_of(set.names, is_known)
                                         : std::ranges::all_of(set.names, is_known);
  const bool dated = std::ranges::any_of(set.restrictions, [&](const Restriction& one) {
    return joins.is_date(one.attribute, joins.attribute_types(one.attribute));
  });
  if (!known && dated) return;
  answer.text = fill(lexicon_.pack(), known ? "denied" : "unsaid",
                     {{"reading", describe(tried.reading, lexicon_)}});
  if (known) return;
  answer.status = AnswerStatus::kEmpty;
  answer.rows.clear();
}

// "Are all huts open?": one of which it is known that it is not is enough for a no. Where nothing
// but empty cells stands against it, nothing says so.
void Attempt::tell_denial_of_all(const Tried& tried, Answer& answer) {
  if (holds_somewhere(tried) || tried.table.rows.empty()) return;
  std::vector<int> said;
  const std::vector<Restriction>& all = tried.reading.set->restrictions;
  for (std::size_t at = tried.reading.of_all->restrictions.size(); at < all.size(); ++at) {
    if (!compares_values(all[at], said)) return;
  }
  Reading every = tried.reading;
  every.form = Reading::Form::kList;
  every.set = std::exchange(every.of_all, nullptr);
  const auto table = run_over(every, asked_.trusted.lexicon == nullptr || tried.weak);
  if (!table) return;
  const auto& holds = tried.table.things;
  const bool known = std::ranges::any_of(table->things, [&](store::EntityId thing) {
    return std::ranges::find(holds, thing) == holds.end() &&
           std::ranges::all_of(said, [&](int attribute) {
             const auto& info = lexicon_.schema().attributes[static_cast<std::size_t>(attribute)];
             return lexicon_.snapshot().attribute(thing, info.key).has_value();
           });
  });
  // A date that is not there has not come.
  const Joins joins(lexicon_);
  if (!known && std::ranges::any_of(said, [&](int attribute) {
        return joins.is_date(attribute, joins.attribute_types(attribute));
      }))
    return;
  answer.text = fill(lexicon_.pack(), known ? "denied" : "unsaid",
                     {{"reading", describe(tried.reading, lexicon_)}});
  if (known) return;
  answer.status = AnswerStatus::kEmpty;
  answer.rows.clear();
}

// "Not insured": of how many nothing says whether they are.
void Attempt::tell_unknown(const Tried& tried, Answer& answer) {
  if (tried.table.unsaid > 0 && tried.reading.attribute >= 0)
    answer.text +=
        " " + fill(lexicon_.pack(), "unknown_value",
                   {{"n", std::to_string(tried.table.unsaid)},
                    {"attribute", lexicon_.schema()
                                      .attributes[static_cast<std::size_t>(tried.reading.attribute)]
                                      .key}});
  if (tried.reading.set == nullptr || !tried.reading.set->names.empty()) return;
  const std::vector<Restriction>& list = tried.reading.set->restrictions;
  for (std::size_t at = 0; at < list.size(); ++at) {
    if (!list[at].denied) continue;
    Restriction filled = list[at], none;
    filled.kind = Restriction::Kind::kHas;
    none.kind = Restriction::Kind::kNot;
    none.parts.push_back(filled);
    auto rest = std::make_shared<SetExpr>(*tried.reading.set);
    rest->best.reset();
    rest->restrictions[at] = none;
    Reading unknown = tried.reading;
    unknown.form = Reading::Form::kCount;
    unknown.set = rest;
    const bool judged = asked_.trusted.lexicon != nullptr && !tried.weak;
    const auto table = run_over(unknown, !judged);
    if (!table || table->rows.empty() || !(table->rows[0].back().as_number() > 0)) continue;
    answer.text +=
        " " +
        fill(lexicon_.pack(), "unknown_value",
             {{"n", shown(table->rows[0].back())},
              {"attribute",
               lexicon_.schema().attributes[static_cast<std::size_t>(list[at].attribute)].key}});
  }
}

// What was said of one thing is so of some of those that are called so.
std::string Attempt::which_of(const Table& table) const {
  return fill(lexicon_.pack(), "no_fit",
              {{"detail", fill(lexicon_.pack(), "which_of",
                               {{"n", std::to_string(table.several.size())},
                                {"list", join(table.several, ", ")}})}});
}

// "The total amount in 2019": of the things whose only date lies in it. Days, half open.
std::optional<Reading> Attempt::dated_by_value(const Reading& reading, const std::string& from,
                                               const std::string& until, TimeSaid said) const {
  // "Not baked by Rosa in 2025": is the time of those, or of what she did not do?
  if (reading.set == nullptr || denies(reading)) return std::nullopt;
  const Joins joins(lexicon_);
  const std::vector<int> dates = joins.date_attributes(reading.set->types);
  if (dates.size() != 1) return std::nullopt;
  Reading dated = reading;
  dated.set = joins.in_time(reading.set, dates.front(), from, until, said);
  return dated.set == nullptr ? std::nullopt : std::optional(std::move(dated));
}

// Whether somebody says of such links when they hold. O(links with a time).
bool Attempt::goes_along_dated(const Reading& reading) const {
  Relations relations;
  relations.add(reading);
  std::set<store::Predicate> links;
  for (const int index : relations.found) {
    if (index < 0) continue;
    const auto& link = lexicon_.schema().predicates[static_cast<std::size_t>(index)].link;
    if (link) links.insert(*link);
  }
  const store::Snapshot& space = asked_.all.lexicon->snapshot();
  for (const std::string_view key : {"valid_from", "valid_to"}) {
    const auto name = space.find_string(key);
    if (!name || links.empty()) continue;
    store::Pattern pattern;
    pattern.predicate = store::Predicate::metadata(*name);
    bool dated = false;
    store::each_statement(space, pattern, [&](const store::Triple& row) {
      dated = space.kind(row.subject) == store::EntityKind::kProposition &&
              links.contains(space.triple_of(row.subject).predicate);
      return !dated;
    });
    if (dated) return true;
  }
  return false;
}

}  // namespace anima::ask
