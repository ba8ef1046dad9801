#include "ask/attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "ask/answer/render.h"
#include "ask/answer/statements.h"
#include "ask/check/fitting.h"
#include "ask/check/own_columns.h"
#include "ask/parse/told_questions.h"
#include "base/text/text.h"
#include "language/statements/statement_words.h"
#include "store/verify/audit.h"

namespace anima::ask {
namespace {

constexpr double kSameCost = 0.05;
constexpr std::size_t kMaxRun = 64;
constexpr std::size_t kMaxReadings = 10;
constexpr std::size_t kNear = 3;
// Readings that are worse by this are guesses.
constexpr double kGuess = 0.5;
constexpr store::Trust kBelow = store::Trust::kUntrusted;  // kAnswers
constexpr std::size_t kMostSources = 200;                  // things that are looked at for sources
const std::vector<JsonArray> kNoneCounted{{Json(0)}};

std::string row_key(const Table& table) {
  std::string key;
  for (const JsonArray& row : table.rows) key += Json(row).dump() + "\n";
  return key;
}

// Not only that something is not known.
bool says_something(const Answer& answer) {
  if (answer.status != AnswerStatus::kAnswered) return false;
  return answer.rows.size() != 1 || answer.rows[0].back() != Json(false);
}

// Yes in one reading and no in another: that it holds in one does not say which was meant.
bool is_truth(const Reading& reading) { return reading.form == Reading::Form::kExists; }

// Whether what is not trusted may change it. What is proved stays proved.
bool is_compared(const Reading& reading, bool holds) {
  switch (reading.form) {
    case Reading::Form::kWhy:
      return !holds;
    case Reading::Form::kWhatIf:
    case Reading::Form::kHistory:
    case Reading::Form::kSource:
    case Reading::Form::kSure:
    case Reading::Form::kBegan:
    case Reading::Form::kEnded:
      return false;
    default:
      return true;
  }
}

}  // namespace

// Something is there: a row, and of a number or a truth one that says so.
bool Attempt::holds_somewhere(const Tried& one) {
  if (one.table.rows.empty()) return false;
  const Json& first = one.table.rows[0].back();
  if (one.reading.form == Reading::Form::kCount) return first.as_number() > 0;
  if (one.reading.form == Reading::Form::kExists || one.reading.form == Reading::Form::kWhy)
    return first.as_bool();
  return true;
}

Attempt::Attempt(const Question& question, bool trusted_only)
    : asked_(question),
      trusted_only_(trusted_only),
      lexicon_(trusted_only ? *question.trusted.lexicon : *question.all.lexicon),
      keeper_(trusted_only ? *question.trusted.keeper : *question.all.keeper),
      options_(question.options),
      now_(question.now),
      talk_(question.talk),
      question_(question.text) {}

// "web02": a word and the digits that follow it, as one.
bool Attempt::written_together(std::size_t at) const {
  return at > 0 && at < pieces_.size() && pieces_[at].kind == Piece::Kind::kNumber &&
         pieces_[at - 1].kind == Piece::Kind::kWord && pieces_[at].begin == pieces_[at - 1].end;
}

bool Attempt::joined_by_sign(std::size_t at) const {
  if (at == 0 || at >= pieces_.size() || pieces_[at].begin != pieces_[at - 1].end + 1) return false;
  const char sign = question_[pieces_[at].begin - 1];
  return sign == '-' || sign == '_';
}

std::vector<bool> Attempt::explained(const std::vector<Sense>& senses) const {
  const Pack& pack = lexicon_.pack();
  const std::vector<Piece>& pieces = pieces_;
  std::vector<bool> known(pieces.size(), false);
  const auto mark = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) known[i] = true;
  };
  for (const Sense& sense : senses) mark(sense.begin, sense.end);
  for (std::size_t from = 0; from < pieces.size(); ++from) {
    if (pieces[from].kind != Piece::Kind::kWord && pieces[from].kind != Piece::Kind::kQuoted &&
        pieces[from].kind != Piece::Kind::kSign)
      known[from] = true;
    for (const TimeRange& time : read_time(pieces, from, pack, now_)) mark(from, time.end);
    const bool unit_place = pieces[from].kind == Piece::Kind::kSign ||
                            (from > 0 && (pieces[from - 1].kind == Piece::Kind::kNumber ||
                                          pack.is_preposition(pieces[from - 1].folded)));
    if (unit_place && pack.unit(pieces[from].folded) != nullptr) known[from] = true;
    const bool half = from > 0 && pieces[from - 1].kind == Piece::Kind::kNumber &&
                      pack.half_of_day(pieces[from].folded) != nullptr;
    if (half || pack.clock(pieces[from].folded) != nullptr) known[from] = true;
    std::string phrase;
    for (std::size_t to = from; to < pieces.size() && to - from < pack.longest_phrase(); ++to) {
      if (pieces[to].kind != Piece::Kind::kWord && pieces[to].kind != Piece::Kind::kSign) break;
      phrase += (to > from ? " " : "") + pieces[to].folded;
      if (pack.uses(phrase) != nullptr) mark(from, to + 1);
    }
  }
  // What explains both parts explains "web02"; neither part does alone.
  for (std::size_t at = 1; at < pieces.size(); ++at) {
    if (!written_together(at)) continue;
    bool whole = std::any_of(senses.begin(), senses.end(), [&](const Sense& sense) {
      return sense.begin < at && sense.end > at;
    });
    for (const TimeRange& time : read_time(pieces, at - 1, pack, now_))
      whole = whole || time.end > at;
    if (!whole) known[at - 1] = known[at] = false;
  }
  return known;
}

// Words that nothing explains; those that a sign joins are one: payments-db.
std::vector<std::string> Attempt::unexplained() const {
  const auto known = explained(senses_);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (known[i]) continue;
    std::size_t from = i, to = i;
    while (joined_by_sign(from) || written_together(from)) --from;
    while (joined_by_sign(to + 1) || written_together(to + 1)) ++to;
    words.push_back(question_.substr(pieces_[from].begin, pieces_[to].end - pieces_[from].begin));
    i = to;
  }
  return words;
}

// Signs that are neither read nor a part of a name or a value that stands there.
std::vector<std::string> Attempt::unread() const {
  const auto is_of = [&](const UnreadSign& sign, const Sense& sense) {
    const bool thing = sense.kind == Sense::Kind::kThing && sense.cost == 0;
    if (!thing && sense.kind != Sense::Kind::kValue) return false;
    const std::size_t from = sense.begin == 0 ? 0 : pieces_[sense.begin - 1].end;
    const std::size_t to = sense.end < pieces_.size() ? pieces_[sense.end].begin : question_.size();
    if (sign.begin < from || sign.end > to) return false;
    return thing ? is_in_a_name(lexicon_.snapshot(), sense.thing, sign.text)
                 : sense.value.find(sign.text) != std::string::npos;
  };
  std::vector<std::string> signs;
  for (const UnreadSign& sign : unread_signs(question_, pieces_)) {
    const bool known =
        std::ranges::any_of(senses_, [&](const Sense& sense) { return is_of(sign, sense); });
    if (!known) signs.push_back(sign.text);
  }
  return signs;
}

std::string Attempt::pronoun() const {
  for (const Piece& piece : pieces_) {
    const auto* uses = lexicon_.pack().uses(piece.folded);
    if (uses == nullptr) continue;
    bool stands_for = false, other = false;
    for (const PackUse& use : *uses) {
      const bool one =
          use.kind == PackUse::Kind::kClass &&
          (use.word_class == WordClass::kPronounThing ||
           use.word_class == WordClass::kPronounPerson ||
           use.word_class == WordClass::kPronounMany || use.word_class == WordClass::kPossessive ||
           use.word_class == WordClass::kOfSpeaker || use.word_class == WordClass::kSpeaker ||
           use.word_class == WordClass::kSpeakersGroup);
      stands_for = stands_for || one;
      other = other || !one;
    }
    if (stands_for && !other) return piece.text;
  }
  return {};
}

bool Attempt::imperative() const {
  if (pieces_.empty()) return false;
  const auto* uses = lexicon_.pack().uses(pieces_[0].folded);
  if (uses == nullptr) return false;
  return std::any_of(uses->begin(), uses->end(), [](const PackUse& use) {
    return use.kind == PackUse::Kind::kClass && use.word_class == WordClass::kImperative;
  });
}

std::vector<Reading> Attempt::read(const std::vector<Piece>& pieces, const Context& context) {
  Parser parser(lexicon_, pieces, lexicon_.matches(pieces), context);
  return parser.readings();
}

bool Attempt::is_word(std::size_t at, WordClass word_class) const {
  const auto* uses = at < pieces_.size() ? lexicon_.pack().uses(pieces_[at].folded) : nullptr;
  return uses != nullptr && std::any_of(uses->begin(), uses->end(), [&](const PackUse& use) {
           return use.kind == PackUse::Kind::kClass && use.word_class == word_class;
         });
}

bool Attempt::about_the_past() const {
  for (std::size_t at = 0; at < pieces_.size(); ++at) {
    if (is_word(at, WordClass::kPastTense) || is_past_verb(at)) return true;
  }
  return false;
}

// "lived", "ran": a verb of the space in its past form, and no participle ("is owned by", "owned
// by", "services deployed on").
bool Attempt::is_past_verb(std::size_t at) const {
  if (pieces_[at].kind != Piece::Kind::kWord || !lexicon_.pack().is_past(pieces_[at].folded) ||
      is_word(at + 1, WordClass::kBy))
    return false;
  for (std::size_t before = 0; before < at; ++before) {
    for (const WordClass helper : {WordClass::kBe, WordClass::kDo, WordClass::kHave}) {
      if (is_word(before, helper)) return false;
    }
  }
  const bool behind_who = at == 1 && is_word(0, WordClass::kWho);
  return std::any_of(senses_.begin(), senses_.end(), [&](const Sense& sense) {
    return sense.kind == Sense::Kind::kVerb && sense.begin == at && (behind_who || !sense.exact);
  });
}

namespace {

// A month without a year is one that has begun.
TimeRange begun(TimeRange time, AskTime now) {
  if (!time.any_year || time.from <= ask::day_of(now)) return time;
  for (std::string* day : {&time.from, &time.until}) {
    const int year = std::stoi(day->substr(0, 4)) - 1;
    *day = fmt::format("{:04}{}", year, day->substr(4));
  }
  return time;
}

}  // namespace

// The question without its time, whose links must hold then.
std::vector<Reading> Attempt::timed_by(std::size_t begin, const TimeRange& time) {
  constexpr std::string_view kFirst = "0001-01-01", kLast = "9999-12-31";
  std::string from = time.from, until = time.until;
  TimeSaid said = time.said;
  if (is_part_of_name(begin)) return {};
  if (begin > 0) {
    const std::size_t word = begin - 1;
    const bool before = is_word(word, WordClass::kBeforeTime);
    const bool to_its_end = is_word(word, WordClass::kUntilTime);
    const bool since = is_word(word, WordClass::kSinceTime);
    const bool after = is_word(word, WordClass::kAfterTime);
    if (before) {
      until = std::exchange(from, std::string(kFirst));
    } else if (to_its_end) {
      from = kFirst;
    } else if (after) {
      from = std::exchange(until, std::string(kLast));
    } else if (since) {
      until = kLast;
    }
    const bool open = before || to_its_end || since || after;
    if (open && said != TimeSaid::kDated) said = TimeSaid::kRelative;
    // "The total amount of 1999"
    if (!open && is_word(word, WordClass::kOf) && time.end == begin + 1 &&
        pieces_[begin].kind == Piece::Kind::kNumber)
      said = TimeSaid::kNumber;
    if (open || is_word(word, WordClass::kInTime)) --begin;
  }
  if (begin != 0 && time.end != pieces_.size()) return {};
  std::vector<Piece> rest(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(begin));
  rest.insert(rest.end(), pieces_.begin() + static_cast<std::ptrdiff_t>(time.end), pieces_.end());
  if (rest.empty()) return {};
  std::vector<Reading> found = read(rest, context_of_talk());
  // A time that is said of nothing that has one would be left out.
  std::vector<Reading> then;
  for (Reading& one : found) {
    if (one.form == Reading::Form::kHistory || one.form == Reading::Form::kWhy ||
        one.form == Reading::Form::kWhatIf || one.of_all != nullptr)
      continue;
    if (goes_along_dated(one)) {
      if (time.clock) continue;  // links hold for days
      one.valid_from = from;
      one.valid_until = until;
      then.push_back(std::move(one));
    } else if (auto dated = dated_by_value(one, from == kFirst ? "" : from,
                                           until == kLast ? "" : until, said)) {
      then.push_back(*std::move(dated));
    }
  }
  return then;
}

// "Who was the owner of the mill in March?": of the longest time that can be left out.
std::vector<Reading> Attempt::timed() {
  for (std::size_t at = 0; at < pieces_.size(); ++at) {
    std::vector<TimeRange> times = read_time(pieces_, at, lexicon_.pack(), now_);
    std::stable_sort(times.begin(), times.end(),
                     [](const TimeRange& a, const TimeRange& b) { return a.end > b.end; });
    std::vector<Reading> found;
    for (std::size_t i = 0; i < times.size(); ++i) {
      // Of what may be the last one or the next one both.
      if (!found.empty() && times[i].end != times[i - 1].end) break;
      for (Reading& one : timed_by(at, begun(times[i], now_))) found.push_back(std::move(one));
    }
    if (!found.empty()) return found;
  }
  return {};
}

Answer Attempt::refuse(std::string_view reason, std::string text) const {
  Answer answer;
  answer.status = AnswerStatus::kNotUnderstood;
  answer.reason = reason;
  answer.text = std::move(text);
  answer.next = suggestions();
  return answer;
}

// "a Person has no port": a thing and an attribute that do not meet.
std::string Attempt::misfit() const {
  const Schema& schema = lexicon_.schema();
  for (const Sense& thing : senses_) {
    if (thing.kind != Sense::Kind::kThing || thing.cost > 0) continue;
    for (const Sense& attribute : senses_) {
      if (attribute.kind != Sense::Kind::kAttribute) continue;
      const auto& types = schema.types_of_entity(thing.thing);
      const AttributeInfo& info = schema.attributes[static_cast<std::size_t>(attribute.attribute)];
      const bool meets = std::any_of(types.begin(), types.end(),
                                     [&](TypeId type) { return info.types.contains(type); });
      if (!meets && !types.empty())
        return fill(lexicon_.pack(), "misfit",
                    {{"type", schema.types[types[0]].name}, {"attribute", info.key}});
    }
  }
  return {};
}

std::vector<std::string> Attempt::suggestions() const {
  std::vector<std::string> list;
  const Schema& schema = lexicon_.schema();
  const Pack& pack = lexicon_.pack();
  for (const Sense& sense : senses_) {
    if (list.size() >= 3) break;
    std::string text;
    if (sense.kind == Sense::Kind::kType && !schema.types[sense.type].name.empty())
      text = fill(pack, "next_type", {{"type", schema.types[sense.type].name}});
    if (sense.kind == Sense::Kind::kThing && sense.cost == 0) {
      for (const AttributeInfo& info : schema.attributes) {
        const auto& types = schema.types_of_entity(sense.thing);
        if (types.empty() || !info.types.contains(types[0])) continue;
        text = fill(pack, "next_value",
                    {{"attribute", joined(info.words, 0, info.words.size())},
                     {"name", std::string(lexicon_.snapshot().name(sense.thing))}});
        break;
      }
    }
    if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end())
      list.push_back(text);
  }
  return list;
}

// Who wrote it, behind where he says that he has it from.
void Attempt::tell_writers(const Reading& reading, Answer& answer) const {
  if (reading.form != Reading::Form::kSource || answer.rows.empty()) return;
  std::vector<std::string> writers;
  for (const Json& one : answer.proof.as_array()) {
    const Json* author = one.find("author");
    if (author == nullptr || !author->is_string() || author->as_string().empty()) continue;
    if (std::ranges::find(writers, author->as_string()) == writers.end())
      writers.push_back(author->as_string());
  }
  if (!writers.empty())
    answer.text += " " + fill(lexicon_.pack(), "claimed_by", {{"writers", join(writers, ", ")}});
}

// One short sentence for each way in which the ground is weak.
void Attempt::tell_ground(Answer& answer) const {
  const Pack& pack = lexicon_.pack();
  if (answer.trust && *answer.trust < store::Trust::kStandard)
    answer.text += " " + fill(pack, "weak_trust", {});
  if (answer.confidence && *answer.confidence < kSureEnough)
    answer.text += " " + fill(pack, "weak_confidence",
                              {{"confidence", fmt::format("{:.2f}", *answer.confidence)}});
  if (!answer.contradictions.empty())
    answer.text += " " + fill(pack, "contradiction", {{"list", join(answer.contradictions, "; ")}});
}

// Readings with equal rows are one.
std::vector<Attempt::Tried> Attempt::distinct(std::vector<Tried> tried) {
  std::vector<Tried> result;
  std::set<std::string> seen;
  for (Tried& one : tried) {
    if (seen.insert(row_key(one.table)).second) result.push_back(std::move(one));
  }
  return result;
}

// What trusted words give goes before what others would.
Answer Attempt::decide(std::vector<Reading> readings) {
  std::stable_sort(readings.begin(), readings.end(), [](const Reading& a, const Reading& b) {
    return std::pair(a.cost, a.otherwise) < std::pair(b.cost, b.otherwise);
  });
  if (trusted_only_ || asked_.trusted.lexicon == nullptr) return decide_among(readings);
  const WeakWords weak(lexicon_, asked_.trusted.lexicon);
  std::map<std::pair<bool, std::size_t>, std::vector<Reading>> ranked;
  for (Reading& one : readings) {
    const bool guess = one.cost > readings.front().cost + kGuess;
    ranked[{guess, weak.count(one)}].push_back(std::move(one));
  }
  std::optional<Answer> first;
  for (const auto& [rank, list] : ranked) {
    passed_over_ = first.has_value();
    Answer answer = decide_among(list);
    if (answer.status == AnswerStatus::kAnswered || answer.status == AnswerStatus::kAmbiguous)
      return answer;
    if (!first || first->status == AnswerStatus::kNotUnderstood) first = std::move(answer);
  }
  return first ? *std::move(first) : refuse("no_parse", lexicon_.pack().text("no_parse"));
}

Result<Table> Attempt::run_over(const Reading& reading, bool everything) {
  const Words& words = everything ? asked_.all : asked_.trusted;
  const bool rules = reading.form == Reading::Form::kWhy || reading.form == Reading::Form::kWhatIf;
  const bool part = !everything && words.lexicon != nullptr;
  Runner runner(asked_.engine, lexicon_, rules ? words.keeper->rules_at(*words.lexicon) : nullptr,
                asked_.space, now_,
                {part ? std::optional(kAnswers) : std::nullopt, asked_.all.lexicon->snapshot(),
                 asked_.other_time},
                options_.stop);
  return runner.run(reading);
}

Result<Attempt::Tried> Attempt::run_reading(const Reading& reading) {
  Tried tried{reading, {}, false};
  if (options_.as_of) {
    if (options_.as_of->is_integer())
      tried.reading.as_of_entry =
          store::Sequence{static_cast<std::uint64_t>(options_.as_of->as_integer())};
    else
      tried.reading.as_of_time = options_.as_of->as_string();
  }
  const bool all_trusted = asked_.trusted.lexicon == nullptr;
  const bool weak = !all_trusted && !trusted_only_ &&
                    !WeakWords(lexicon_, asked_.trusted.lexicon).of(reading).empty();
  if (all_trusted || weak) {
    ANIMA_ASSIGN(tried.table, run_over(tried.reading, true));
    tried.weak = weak;
    return tried;
  }
  ANIMA_ASSIGN(tried.table, run_over(tried.reading, false));
  if (trusted_only_ || holds_somewhere(tried)) return tried;
  Tried everything{tried.reading, {}, true};
  ANIMA_ASSIGN(everything.table, run_over(tried.reading, true));
  return holds_somewhere(everything) ? everything : tried;
}

Answer Attempt::decide_among(const std::vector<Reading>& readings) {
  std::vector<Tried> tried;
  std::set<std::string> seen;
  double best = 0;
  std::size_t runs = 0;
  std::string problem;
  for (const Reading& one : readings) {
    if (!tried.empty() && one.cost > best + kSameCost) break;
    if (one.otherwise && std::ranges::any_of(tried, holds_somewhere)) continue;
    if (!seen.insert(describe(one, lexicon_)).second || ++runs > kMaxRun) continue;
    auto run = run_reading(one);
    if (!run) {
      problem = run.error().describe();
      continue;
    }
    if (tried.empty()) best = one.cost;
    tried.push_back(std::move(*run));
  }
  if (tried.empty()) return refuse("no_parse", problem);
  std::vector<Tried> all = distinct(std::move(tried));
  if (all.size() > 1) {
    std::vector<Tried> somewhere, nowhere;
    // Where nothing is to be found under one of the numbers or names that may be meant, it may be
    // meant all the same.
    if (is_told_by_no_row(all) || is_truth(all.front().reading)) return ambiguous(all);
    for (Tried& one : all) (holds_somewhere(one) ? somewhere : nowhere).push_back(std::move(one));
    if (somewhere.empty()) return ambiguous(nowhere);
    if (somewhere.size() > 1) return ambiguous(somewhere);
    return understood(std::move(somewhere[0]), nowhere);
  }
  return understood(std::move(all[0]), {});
}

Answer Attempt::ambiguous(const std::vector<Tried>& tried) {
  Answer answer;
  answer.status = AnswerStatus::kAmbiguous;
  std::string list;
  for (const Tried& one : tried) {
    if (answer.readings.size() >= kMaxReadings) break;
    ReadingShown shown{describe(one.reading, lexicon_), one.table.query, one.table.rows};
    list += (list.empty() ? "" : "; ") + shown.reading;
    answer.readings.push_back(std::move(shown));
    if (talk_ == nullptr) continue;
    talk_->choices.push_back(one.reading);
    talk_->choices_lexicon = keeper_.build_of(lexicon_);
  }
  answer.text =
      fill(lexicon_.pack(), "ambiguous", {{"n", std::to_string(tried.size())}, {"readings", list}});
  return answer;
}

Answer Attempt::understood(Tried tried, const std::vector<Tried>& others) {
  if (tried.table.presupposition) {
    return refuse("presupposition", fill(lexicon_.pack(), "presupposition",
                                         {{"name", describe(*tried.reading.set, lexicon_)}}));
  }
  if (!tried.table.several.empty()) return refuse("no_fit", which_of(tried.table));
  const bool judged = asked_.trusted.lexicon != nullptr && !tried.weak;
  const store::Snapshot& all = asked_.all.lexicon->snapshot();
  const store::Snapshot& read = judged ? asked_.trusted.lexicon->snapshot() : all;
  if (!tried.reading.valid_from.empty() || tried.reading.ever)
    tried.table.held = held_times(tried.reading, tried.table, lexicon_, read);
  Answer answer;
  answer.status = tried.table.rows.empty() ? AnswerStatus::kEmpty : AnswerStatus::kAnswered;
  answer.query = tried.table.query;
  answer.language = tried.table.language;
  answer.columns = tried.table.columns;
  answer.rows = tried.table.rows;
  if (!options_.all && answer.rows.size() > kMaxRows) answer.rows.resize(kMaxRows);
  answer.reading = describe(tried.reading, lexicon_);
  for (const Tried& other : others) {
    answer.reading += "; " + fill(lexicon_.pack(), "holds_nowhere",
                                  {{"reading", describe(other.reading, lexicon_)}});
  }
  answer.text = render(tried.reading, tried.table, lexicon_);
  Statements rests_on = statements(tried.reading, tried.table, lexicon_, read, all);
  answer.proof = tried.table.proof.is_array() ? tried.table.proof : std::move(rests_on.proof);
  answer.trust = rests_on.ground.trust;
  if (tried.weak) answer.trust = std::min(answer.trust.value_or(kBelow), kBelow);
  answer.confidence = rests_on.ground.confidence;
  answer.contradictions = std::move(rests_on.ground.contradictions);
  answer.facts = std::move(rests_on.facts);
  if (tried.reading.of_all != nullptr)
    tell_denial_of_all(tried, answer);
  else
    tell_denial(tried, answer);
  tell_times(tried.reading, answer);
  tell_unknown(tried, answer);
  tell_writers(tried.reading, answer);
  tell_ground(answer);
  if (tried.weak && passed_over_) tell_weak_words(tried, answer);
  if (judged && is_compared(tried.reading, holds_somewhere(tried))) tell_beside(tried, answer);
  keep(tried);
  if (judged && tried.table.rows.empty()) nothing_ = std::move(tried);
  return answer;
}

// "by "owns" of evil.csv, which is not trusted"
void Attempt::tell_weak_words(const Tried& tried, Answer& answer) const {
  const WeakWords weak(lexicon_, asked_.trusted.lexicon);
  for (const WeakWord& one : weak.of(tried.reading)) {
    answer.text += " " + fill(lexicon_.pack(), "untrusted_word",
                              {{"word", one.word}, {"source", weak.source_of(one)}});
  }
}

// What is not trusted changes no answer; what it would change is told.
void Attempt::tell_beside(const Tried& tried, Answer& answer) {
  const auto everything = run_over(tried.reading, true);
  if (!everything || (tried.table.rows.empty() && !everything->rows.empty())) return;
  auto share = share_of_untrusted(tried.reading, tried.table, *everything);
  if (!share) return;
  const std::vector<store::EntityId> things = things_beside(tried, *everything);
  share->sources =
      sources_below(kAnswers, tried.reading, things, lexicon_, asked_.all.lexicon->snapshot());
  answer.text +=
      " " + told_beside(tried.reading, tried.table, *everything, *share, lexicon_.pack());
  if (!options_.all && share->rows.size() > kMaxRows) share->rows.resize(kMaxRows);
  answer.untrusted = std::move(share);
  // By hand the query gives what was answered only when it is asked of what is trusted.
  if (answer.language != "kip" || answer.query.empty()) return;
  auto request = parse_json(answer.query);
  if (!request || !request->is_object()) request = Json::object({{"command", answer.query}});
  request->set("min_trust", store::trust_label(kAnswers));
  answer.query = request->dump();
}

// The things that are in one of the tables; of a number or a truth those that it is of.
std::vector<store::EntityId> Attempt::things_beside(const Tried& tried, const Table& everything) {
  std::vector<store::EntityId> here = tried.table.things, there = everything.things;
  if (there.size() != everything.rows.size() && tried.reading.set != nullptr) {
    Reading members = tried.reading;
    members.form = Reading::Form::kList;
    if (const auto table = run_over(members, false)) here = table->things;
    if (const auto table = run_over(members, true)) there = table->things;
  }
  std::sort(here.begin(), here.end());
  std::sort(there.begin(), there.end());
  std::vector<store::EntityId> beside;
  std::set_symmetric_difference(here.begin(), here.end(), there.begin(), there.end(),
                                std::back_inserter(beside));
  if (beside.empty()) beside = there;
  if (beside.size() > kMostSources) beside.resize(kMostSources);
  return beside;
}

// Where nothing that is trusted answers, what is not may.
Answer Attempt::or_untrusted(Answer answer) {
  if (answer.status != AnswerStatus::kEmpty || !nothing_) return answer;
  Tried everything{std::move(nothing_->reading), {}, true};
  nothing_.reset();
  auto table = run_over(everything.reading, true);
  if (!table || table->rows.empty()) return answer;
  everything.table = std::move(*table);
  return understood(std::move(everything), {});
}

// "Where do I work?": "I" is who asks, where that can be asked.
void Attempt::take_speaker() {
  if (options_.speaker.empty()) return;
  std::vector<Piece> named =
      with_speaker(pieces_, who_speaks(lexicon_.snapshot(), options_.speaker, options_.own_texts),
                   lexicon_.pack());
  const bool same = std::equal(named.begin(), named.end(), pieces_.begin(), pieces_.end(),
                               [](const Piece& a, const Piece& b) { return a.folded == b.folded; });
  if (!same && !read(named, context_of_talk()).empty()) pieces_ = std::move(named);
}

// The words as they are meant: another form of a known one is that.
void Attempt::read_words() {
  if (!written_.empty() || question_.size() > kMaxQuestionBytes) return;
  const Pack& pack = lexicon_.pack();
  written_ = pieces_ = cut_question(question_, pack);
  if (pieces_.size() > kMaxQuestionWords) return;
  take_speaker();
  written_ = pieces_;
  senses_ = lexicon_.matches(pieces_);
  const auto known = explained(senses_);
  // What somebody who is not trusted calls so is not misspelt.
  const auto known_to_all = trusted_only_ ? explained(asked_.all.lexicon->matches(pieces_)) : known;
  for (std::size_t i = 0; i < written_.size(); ++i) {
    if (!known[i] && !known_to_all[i]) guess_spelling(i);
  }
  senses_ = lexicon_.matches(pieces_);
}

Answer Attempt::run() {
  const Pack& pack = lexicon_.pack();
  if (question_.size() > kMaxQuestionBytes) return refuse("no_parse", pack.text("no_parse"));
  // What can be told is asked for with the same words, whatever the language.
  std::vector<Reading> told =
      told_questions(lexicon_, asked_.all.lexicon->schema(), question_,
                     who_speaks(lexicon_.snapshot(), options_.speaker, options_.own_texts), now_);
  if (told.empty()) return run_parsed();
  // With the words of those who are not trusted, what they changed has to be told.
  if (!trusted_only_ && asked_.trusted.lexicon != nullptr) {
    Answer parsed = run_parsed();
    return parsed.status == AnswerStatus::kNotUnderstood ? decide(std::move(told)) : parsed;
  }
  const bool counts = told.front().form == Reading::Form::kCount;
  Answer answer = decide(std::move(told));
  // What nobody told of is not none.
  if (counts && answer.status == AnswerStatus::kAnswered && answer.rows == kNoneCounted) {
    answer.status = AnswerStatus::kEmpty;
    answer.rows.clear();
    answer.text = fill(lexicon_.pack(), "none", {{"reading", answer.reading}});
    return answer;
  }
  if (answer.status == AnswerStatus::kAmbiguous || says_something(answer)) return answer;
  Answer parsed = run_parsed();
  return parsed.status == AnswerStatus::kNotUnderstood ? or_untrusted(std::move(answer)) : parsed;
}

// What says something that its attributes cannot mean is no reading. Returns why the best is none.
std::string Attempt::leave_misfits(std::vector<Reading>& readings) const {
  const std::vector<std::string> misfits = misfits_of(readings, lexicon_);
  const std::string* why = nullptr;
  double cost = 0;
  std::vector<Reading> fitting;
  for (std::size_t at = 0; at < readings.size(); ++at) {
    if (misfits[at].empty()) {
      fitting.push_back(std::move(readings[at]));
    } else if (why == nullptr || readings[at].cost < cost) {
      why = &misfits[at];
      cost = readings[at].cost;
    }
  }
  readings = std::move(fitting);
  if (why == nullptr) return {};
  // What means it less than what is no reading means something else.
  std::erase_if(readings, [&](const Reading& one) { return one.cost > cost + kSameCost; });
  return *why;
}

Answer Attempt::run_parsed() {
  const Pack& pack = lexicon_.pack();
  read_words();
  if (written_.size() > kMaxQuestionWords) return refuse("no_parse", pack.text("no_parse"));
  const Context context = context_of_talk();
  std::vector<Reading> readings;
  std::vector<std::string> unknown = unexplained();
  if (unknown.empty()) unknown = unread();
  if (unknown.empty()) {
    Parser parser(lexicon_, pieces_, senses_, context);
    readings = parser.readings();
    if (readings.empty()) readings = ellipsis();
    if (readings.empty()) readings = timed();
  }
  if (readings.empty())
    return offer_sum(ask_what_was_meant(not_read(unknown.empty() ? broken_names() : unknown)));
  leave_linked(readings);
  if (std::string why = leave_misfits(readings); readings.empty())
    return offer_sum(refuse("no_fit", fill(pack, "no_fit", {{"detail", std::move(why)}})));
  if (about_the_past()) {
    for (Reading& one : readings) one.ever = true;
  }
  Answer answer = decide(std::move(readings));
  if (answer.status == AnswerStatus::kAnswered || answer.status == AnswerStatus::kAmbiguous)
    return answer;
  // A time that says when a thing was, and nothing was, may say when it held.
  std::vector<Reading> held = timed();
  leave_misfits(held);
  if (!held.empty()) {
    Answer then = decide(std::move(held));
    if (then.status == AnswerStatus::kAnswered) return then;
  }
  const std::string month = month_of_any_year();
  if (answer.status == AnswerStatus::kEmpty && !month.empty())
    return refuse("no_fit", fill(pack, "which_year", {{"time", month}}));
  return or_untrusted(std::move(answer));
}

Answer Attempt::not_read(const std::vector<std::string>& unknown) const {
  const Pack& pack = lexicon_.pack();
  Answer answer;
  if (imperative()) {
    answer = refuse("not_a_question", fill(pack, "not_a_question", {{"word", written_[0].text}}));
    answer.unknown = {written_[0].text};
    return answer;
  }
  if (!unknown.empty()) {
    answer = refuse("unknown_word", fill(pack, "unknown", {{"words", join(unknown, ", ")}}));
    answer.unknown = unknown;
    for (const std::string& word : unknown) {
      if (cut_name(word).empty()) continue;  // nothing is near a sign
      answer.near.emplace_back(word, lexicon_.near(fold_case(word), kNear));
    }
    return answer;
  }
  if (const std::string word = pronoun(); !word.empty()) {
    answer = refuse("unknown_word", fill(pack, "unknown", {{"words", word}}));
    answer.unknown = {word};
    return answer;
  }
  // An adjective that measures nothing of what is asked.
  for (const Sense& sense : senses_) {
    if (sense.kind != Sense::Kind::kScale || sense.scale.degree != Degree::kPlain ||
        !sense.most.empty() || sense.end != sense.begin + 1)
      continue;
    const std::string& word = written_[sense.begin].text;
    answer = refuse("unknown_word", fill(pack, "unknown", {{"words", word}}));
    answer.unknown = {word};
    answer.near.emplace_back(word, lexicon_.near(fold_case(word), kNear));
    return answer;
  }
  if (const std::string column = text_column(); !column.empty())
    return refuse("no_fit", fill(pack, "no_fit", {{"detail", column}}));
  if (const std::string part = part_of_name(); !part.empty())
    return refuse("no_fit", fill(pack, "no_fit", {{"detail", part}}));
  const std::string detail = misfit();
  if (!detail.empty()) return refuse("no_fit", fill(pack, "no_fit", {{"detail", detail}}));
  return refuse("no_parse", pack.text("no_parse"));
}

Answer answer_question(const Question& question) {
  Attempt everything(question, false);
  std::optional<Attempt> trusted;
  if (question.trusted.lexicon != nullptr) trusted.emplace(question, true);
  if (question.talk != nullptr) {
    const std::string meant = std::exchange(question.talk->meant, {});
    if (!meant.empty() && language::is_agreement(question.text)) {
      Question again = question;
      again.text = meant;
      return answer_question(again);
    }
    const auto choices = std::exchange(question.talk->choices, {});
    auto chosen = everything.choice(choices);
    if (!chosen && trusted) chosen = trusted->choice(choices);
    if (chosen) return *std::move(chosen);
  }
  if (!trusted) return everything.run();
  Answer answer = trusted->run();
  if (answer.status != AnswerStatus::kNotUnderstood) return answer;
  if (question.talk != nullptr) question.talk->meant.clear();
  return everything.run();
}

}  // namespace anima::ask
