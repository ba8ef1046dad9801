#include "ask/ask.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <set>

#include "ask/answer/render.h"
#include "ask/answer/statements.h"
#include "ask/compile/runner.h"
#include "ask/lexicon/rule_heads.h"
#include "ask/parse/parser.h"
#include "base/mutex.h"
#include "base/text/text.h"
#include "govern/trust.h"
#include "kip/engine.h"

namespace anima::ask {
namespace {

constexpr double kSameCost = 0.05;
constexpr std::size_t kMaxRun = 64;
constexpr std::size_t kMaxReadings = 10;
constexpr std::size_t kKeptTurns = 8;
constexpr std::size_t kNear = 3;
// Keys that were written since, up to which a lexicon follows instead of being built anew.
constexpr std::size_t kMostFollowed = 20'000;

// A reading that was run.
struct Tried {
  Reading reading;
  Table table;
};

// Something is there: a row, and of a number or a truth one that says so.
bool holds_somewhere(const Tried& one) {
  if (one.table.rows.empty()) return false;
  const Json& first = one.table.rows[0].back();
  if (one.reading.form == Reading::Form::kCount) return first.as_number() > 0;
  if (one.reading.form == Reading::Form::kExists || one.reading.form == Reading::Form::kWhy)
    return first.as_bool();
  return true;
}

std::string row_key(const Table& table) {
  std::string key;
  for (const JsonArray& row : table.rows) key += Json(row).dump() + "\n";
  return key;
}

}  // namespace

// One question and its answer.
struct Turn {
  std::string question;
  Reading reading;
  std::string lexicon;  // whose numbers the reading has
  std::vector<store::EntityId> rows;
  std::vector<store::EntityId> names;
};

struct Conversation::State {
  std::deque<Turn> turns;        // the newest first
  std::vector<Reading> choices;  // of an ambiguous answer
  std::string choices_lexicon;   // whose numbers those have
};

Conversation::Conversation() : state_(std::make_unique<State>()) {}
Conversation::~Conversation() = default;
Conversation::Conversation(Conversation&&) noexcept = default;
Conversation& Conversation::operator=(Conversation&&) noexcept = default;

struct Asker::State {
  std::shared_ptr<store::Space> space;
  std::shared_ptr<Clock> clock;
  std::shared_ptr<kip::Engine> engine;
  Mutex mutex;
  std::vector<memory::RuleSource> rules;
  std::vector<Synonym> synonyms;
  std::map<std::string, std::shared_ptr<const Pack>> packs;
  // Of the newest state asked, by language; all are at one snapshot.
  std::map<std::string, std::unique_ptr<Lexicon>> lexicons;
  std::optional<store::Snapshot> known;        // that they are of
  std::unique_ptr<memory::Reasoner> reasoner;  // at `known`; null: nobody asked for it yet
  // Of the last earlier state asked.
  std::unique_ptr<Lexicon> past;
  std::string past_key;
  std::unique_ptr<memory::Reasoner> past_reasoner;
  bool rules_tell = false;         // what only running the rules tells
  std::vector<std::string> heads;  // of the rules
  std::uint64_t epoch = 0;         // of `lexicons`

  Result<std::shared_ptr<const Pack>> pack(const std::string& language);
  Result<const Lexicon*> lexicon(const AskOptions& options);
  // The rules at the state of a lexicon; null when they cannot be run.
  const memory::Reasoner* rules_at(const Lexicon& lexicon);
  // Names the build of a lexicon: numbers in readings are those of one build.
  std::string build_of(const Lexicon& lexicon) const {
    if (&lexicon == past.get()) return "past " + past_key;
    return lexicon.pack().language() + " " + std::to_string(epoch) + "." +
           std::to_string(lexicon.builds());
  }
  void forget() {
    drop_lexicons();
    known.reset();
    past.reset();
    past_reasoner.reset();
  }

 private:
  void drop_lexicons() {
    lexicons.clear();
    reasoner.reset();
    ++epoch;
  }
  Result<const Lexicon*> past_lexicon(const store::Snapshot& snapshot,
                                      const std::shared_ptr<const Pack>& words,
                                      const AskOptions& options);
  Status follow(const store::Snapshot& now);
  std::unique_ptr<memory::Reasoner> reason(const store::Snapshot& snapshot) const;
};

Result<std::shared_ptr<const Pack>> Asker::State::pack(const std::string& language) {
  const auto found = packs.find(language);
  if (found != packs.end()) return found->second;
  ANIMA_ASSIGN(auto read, Pack::load(language));
  packs[language] = read;
  return read;
}

Result<const Lexicon*> Asker::State::lexicon(const AskOptions& options) {
  ANIMA_ASSIGN(const auto words, pack(options.language));
  ANIMA_ASSIGN(const store::Snapshot snapshot, space->snapshot());
  if (options.as_of) return past_lexicon(snapshot, words, options);
  ANIMA_TRY(follow(snapshot));
  auto& kept = lexicons[options.language];
  if (kept == nullptr) {
    if (rules_tell && reasoner == nullptr) {
      reasoner = reason(snapshot);
      if (reasoner != nullptr) reasoner->watch(heads);
    }
    kept = Lexicon::build(snapshot, rules, synonyms, words, rules_tell ? reasoner.get() : nullptr);
  }
  return kept.get();
}

Result<const Lexicon*> Asker::State::past_lexicon(const store::Snapshot& snapshot,
                                                  const std::shared_ptr<const Pack>& words,
                                                  const AskOptions& options) {
  std::optional<store::Snapshot> earlier;
  if (options.as_of->is_integer()) {
    const auto sequence = static_cast<std::uint64_t>(options.as_of->as_integer());
    ANIMA_ASSIGN(earlier, snapshot.as_of(store::Sequence{sequence}));
  } else {
    ANIMA_ASSIGN(const Timestamp time, parse_timestamp(options.as_of->as_string()));
    ANIMA_ASSIGN(earlier, snapshot.as_of(time));
  }
  const std::string key =
      options.language + ":" + std::to_string(static_cast<std::uint64_t>(earlier->sequence()));
  if (past == nullptr || past_key != key) {
    past_reasoner = rules_tell ? reason(*earlier) : nullptr;
    past = Lexicon::build(*earlier, rules, synonyms, words, past_reasoner.get());
    past_key = key;
  }
  return past.get();
}

// Takes the rules and every lexicon on to this state.
Status Asker::State::follow(const store::Snapshot& now) {
  if (known && known->sequence() == now.sequence()) return {};
  if (!known || lexicons.empty()) {
    reasoner.reset();
    known = now;
    return {};
  }
  std::vector<store::WrittenKey> written;
  const Status read =
      space->visit_written(known->sequence(), now.sequence(), [&](const store::WrittenKey& key) {
        if (written.size() >= kMostFollowed)
          return Status(fail(ErrorCode::kLimitExceeded, "as much as to read it all"));
        written.push_back(key);
        return Status();
      });
  // An entry that nobody can read any more, or as much as to read it all.
  if (!read || now.sequence() < known->sequence()) {
    drop_lexicons();
    known = now;
    return {};
  }
  std::vector<memory::RuleChange> derived;
  if (reasoner != nullptr) {
    if (reasoner->refresh(*space, now)) {
      derived = reasoner->take_changes();
    } else {
      drop_lexicons();
    }
  }
  for (auto& [language, lexicon] : lexicons)
    lexicon->follow(now, written, derived, rules_tell ? reasoner.get() : nullptr);
  known = now;
  return {};
}

std::unique_ptr<memory::Reasoner> Asker::State::reason(const store::Snapshot& snapshot) const {
  auto made = memory::Reasoner::create(snapshot, rules, clock);
  return made ? std::move(*made) : nullptr;
}

const memory::Reasoner* Asker::State::rules_at(const Lexicon& lexicon) {
  const bool earlier = &lexicon == past.get();
  auto& one = earlier ? past_reasoner : reasoner;
  if (one == nullptr) {
    one = reason(lexicon.snapshot());
    if (one != nullptr && !earlier) one->watch(heads);
  }
  return one.get();
}

// One attempt to understand a question and to run what it may mean.
class Attempt {
 public:
  Attempt(Asker::State& state, const Lexicon& lexicon, const AskOptions& options, Timestamp now,
          Conversation::State* talk, std::string_view question)
      : state_(state),
        lexicon_(lexicon),
        options_(options),
        now_(now),
        talk_(talk),
        question_(question) {}

  Answer run();

 private:
  std::vector<Reading> read(const std::vector<Piece>& pieces, const Context& context);
  bool joined_by_sign(std::size_t at) const;
  std::vector<bool> explained(const std::vector<Piece>& pieces,
                              const std::vector<Sense>& senses) const;
  std::vector<std::string> unexplained() const;
  void take_speaker();
  std::string pronoun() const;
  bool imperative() const;
  Context context_of_talk() const;
  std::vector<Reading> ellipsis();
  std::vector<Reading> timed();
  std::vector<Reading> timed_by(std::size_t begin, const TimeRange& time);
  bool is_word(std::size_t at, WordClass word_class) const;
  bool about_the_past() const;
  std::optional<Answer> choice();
  Answer decide(std::vector<Reading> readings);
  std::vector<Tried> distinct(std::vector<Tried> tried) const;
  Answer ambiguous(const std::vector<Tried>& tried);
  Answer refuse(std::string_view reason, std::string text) const;
  std::string misfit() const;
  Answer understood(const Tried& tried, const std::vector<Tried>& others);
  void keep(const Tried& tried) const;
  void tell_ground(Answer& answer) const;
  std::vector<std::string> suggestions() const;

  Asker::State& state_;
  const Lexicon& lexicon_;
  const AskOptions& options_;
  Timestamp now_;
  Conversation::State* talk_;
  std::string question_;
  std::vector<Piece> pieces_;
  std::vector<Sense> senses_;
  std::vector<std::string> notes_;  // what misspelt words were read as
};

bool Attempt::joined_by_sign(std::size_t at) const {
  if (at == 0 || at >= pieces_.size() || pieces_[at].begin != pieces_[at - 1].end + 1) return false;
  const char sign = question_[pieces_[at].begin - 1];
  return sign == '-' || sign == '_';
}

std::vector<bool> Attempt::explained(const std::vector<Piece>& pieces,
                                     const std::vector<Sense>& senses) const {
  const Pack& pack = lexicon_.pack();
  std::vector<bool> known(pieces.size(), false);
  const auto mark = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) known[i] = true;
  };
  for (const Sense& sense : senses) mark(sense.begin, sense.end);
  for (std::size_t from = 0; from < pieces.size(); ++from) {
    if (pieces[from].kind != Piece::Kind::kWord && pieces[from].kind != Piece::Kind::kQuoted)
      known[from] = true;
    for (const TimeRange& time : read_time(pieces, from, pack, now_)) mark(from, time.end);
    const bool unit_place = from > 0 && (pieces[from - 1].kind == Piece::Kind::kNumber ||
                                         pack.is_preposition(pieces[from - 1].folded));
    if (unit_place && pack.is_unit(pieces[from].folded)) known[from] = true;
    std::string phrase;
    for (std::size_t to = from; to < pieces.size() && to - from < pack.longest_phrase(); ++to) {
      if (pieces[to].kind != Piece::Kind::kWord) break;
      phrase += (to > from ? " " : "") + pieces[to].folded;
      if (pack.uses(phrase) != nullptr) mark(from, to + 1);
    }
  }
  return known;
}

// Words that nothing explains; those that a sign joins are one: payments-db.
std::vector<std::string> Attempt::unexplained() const {
  const auto known = explained(pieces_, senses_);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (known[i]) continue;
    std::size_t from = i, to = i;
    while (joined_by_sign(from)) --from;
    while (joined_by_sign(to + 1)) ++to;
    words.push_back(question_.substr(pieces_[from].begin, pieces_[to].end - pieces_[from].begin));
    i = to;
  }
  return words;
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

Context Attempt::context_of_talk() const {
  Context context;
  context.now = now_;
  if (talk_ == nullptr) return context;
  const Joins joins(lexicon_);
  for (const Turn& turn : talk_->turns) {
    if (!turn.rows.empty()) context.pronouns.push_back(joins.of_things(turn.rows));
    if (!turn.names.empty() && turn.names != turn.rows)
      context.pronouns.push_back(joins.of_things(turn.names));
  }
  if (!talk_->turns.empty()) context.others = talk_->turns.front().names;
  return context;
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
    if (is_word(at, WordClass::kPastTense)) return true;
  }
  return false;
}

namespace {

// A month without a year is one that has begun.
TimeRange begun(TimeRange time, Timestamp now) {
  if (!time.any_year || time.from <= day_of(now)) return time;
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
  if (begin > 0) {
    const std::size_t word = begin - 1;
    const bool before = is_word(word, WordClass::kBeforeTime);
    const bool since = is_word(word, WordClass::kSinceTime);
    const bool after = is_word(word, WordClass::kAfterTime);
    if (before) {
      until = std::exchange(from, std::string(kFirst));
    } else if (after) {
      from = std::exchange(until, std::string(kLast));
    } else if (since) {
      until = kLast;
    }
    if (before || since || after || is_word(word, WordClass::kInTime)) --begin;
  }
  if (begin != 0 && time.end != pieces_.size()) return {};
  std::vector<Piece> rest(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(begin));
  rest.insert(rest.end(), pieces_.begin() + static_cast<std::ptrdiff_t>(time.end), pieces_.end());
  if (rest.empty()) return {};
  std::vector<Reading> found = read(rest, context_of_talk());
  std::erase_if(found, [](const Reading& one) {
    return one.form == Reading::Form::kHistory || one.form == Reading::Form::kWhy ||
           one.form == Reading::Form::kWhatIf;
  });
  for (Reading& one : found) {
    one.valid_from = from;
    one.valid_until = until;
  }
  return found;
}

// "Who was the owner of the mill in March?": of the longest time that can be left out.
std::vector<Reading> Attempt::timed() {
  for (std::size_t at = 0; at < pieces_.size(); ++at) {
    std::vector<TimeRange> times = read_time(pieces_, at, lexicon_.pack(), now_);
    std::stable_sort(times.begin(), times.end(),
                     [](const TimeRange& a, const TimeRange& b) { return a.end > b.end; });
    for (const TimeRange& time : times) {
      std::vector<Reading> found = timed_by(at, begun(time, now_));
      if (!found.empty()) return found;
    }
  }
  return {};
}

// "And Saturn?": the last question with the part of the same kind put in its place.
std::vector<Reading> Attempt::ellipsis() {
  if (talk_ == nullptr || talk_->turns.empty()) return {};
  const Turn& last = talk_->turns.front();
  const Pack& pack = lexicon_.pack();
  const auto before = cut_question(last.question, pack);
  const auto old_senses = lexicon_.matches(before);
  const Context context = context_of_talk();
  std::vector<Reading> found;
  const auto try_with = [&](std::size_t from, std::size_t to, std::size_t new_from,
                            std::size_t new_to) {
    std::vector<Piece> whole(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(from));
    whole.insert(whole.end(), pieces_.begin() + static_cast<std::ptrdiff_t>(new_from),
                 pieces_.begin() + static_cast<std::ptrdiff_t>(new_to));
    whole.insert(whole.end(), before.begin() + static_cast<std::ptrdiff_t>(to), before.end());
    for (Reading& one : read(whole, context)) found.push_back(std::move(one));
  };
  const auto function_word = [&](std::size_t at) {
    return pack.uses(pieces_[at].folded) != nullptr;
  };
  const auto rest_is_function = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if ((i < from || i >= to) && !function_word(i)) return false;
    }
    return true;
  };
  for (const Sense& now : senses_) {
    if (!rest_is_function(now.begin, now.end)) continue;
    for (const Sense& old : old_senses) {
      if (old.kind != now.kind) continue;
      const bool things =
          now.kind == Sense::Kind::kThing && !Joins(lexicon_)
                                                  .types_of({now.thing})
                                                  .both(Joins(lexicon_).types_of({old.thing}))
                                                  .empty();
      const bool same = now.kind == Sense::Kind::kScale && now.scale.degree == old.scale.degree;
      const bool attributes = now.kind == Sense::Kind::kAttribute ||
                              (now.kind == Sense::Kind::kValue && now.attribute == old.attribute);
      if (things || same || attributes) try_with(old.begin, old.end, now.begin, now.end);
    }
  }
  for (std::size_t at = 0; at < pieces_.size(); ++at) {
    for (const TimeRange& now : read_time(pieces_, at, pack, now_)) {
      if (!rest_is_function(at, now.end)) continue;
      for (std::size_t from = 0; from < before.size(); ++from) {
        for (const TimeRange& old : read_time(before, from, pack, now_))
          try_with(from, old.end, at, now.end);
      }
    }
  }
  // "How many?": the last question, counted.
  std::string phrase;
  for (const Piece& piece : pieces_) phrase += (phrase.empty() ? "" : " ") + piece.folded;
  if (const auto* uses = pack.uses(phrase); uses != nullptr) {
    for (const PackUse& use : *uses) {
      if (use.kind != PackUse::Kind::kClass || use.word_class != WordClass::kHowMany) continue;
      // The reading that was answered, or what it is where the space has other types by now.
      std::vector<Reading> again{last.reading};
      if (last.lexicon != state_.build_of(lexicon_)) again = read(before, context);
      for (Reading& counted : again) {
        if (counted.form != Reading::Form::kList) continue;
        counted.form = Reading::Form::kCount;
        found.push_back(std::move(counted));
      }
    }
  }
  return found;
}

// After an ambiguous answer: "the first", or a word of one of its readings.
std::optional<Answer> Attempt::choice() {
  if (talk_ == nullptr || talk_->choices.empty()) return std::nullopt;
  const auto choices = std::move(talk_->choices);
  talk_->choices.clear();
  if (talk_->choices_lexicon != state_.build_of(lexicon_)) return std::nullopt;
  const Pack& pack = lexicon_.pack();
  std::optional<std::size_t> chosen;
  for (const Piece& piece : pieces_) {
    const auto* uses = pack.uses(piece.folded);
    if (uses == nullptr) continue;
    for (const PackUse& use : *uses) {
      if (use.kind == PackUse::Kind::kOrdinal && pieces_.size() <= 3)
        chosen = static_cast<std::size_t>(use.number - 1);
    }
  }
  if (!chosen) {
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const std::string text = " " + normal_name(describe(choices[i], lexicon_)) + " ";
      std::string words;
      for (const Piece& piece : pieces_) {
        if (pack.uses(piece.folded) == nullptr) words += (words.empty() ? "" : " ") + piece.folded;
      }
      if (words.empty() || text.find(" " + words + " ") == std::string::npos) continue;
      if (chosen) return std::nullopt;
      chosen = i;
    }
  }
  if (!chosen || *chosen >= choices.size()) return std::nullopt;
  return decide({choices[*chosen]});
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

void Attempt::keep(const Tried& tried) const {
  if (talk_ == nullptr) return;
  Turn turn;
  turn.question = question_;
  turn.reading = tried.reading;
  turn.lexicon = state_.build_of(lexicon_);
  turn.rows = tried.table.things;
  // The things that the question named.
  std::set<store::EntityId> seen;
  const std::function<void(const SetExpr&)> names = [&](const SetExpr& set) {
    for (const store::EntityId entity : set.names) {
      if (seen.insert(entity).second) turn.names.push_back(entity);
    }
    for (const Restriction& one : set.restrictions) {
      if (one.target != nullptr) names(*one.target);
    }
  };
  if (tried.reading.set != nullptr) names(*tried.reading.set);
  if (tried.reading.other != nullptr) names(*tried.reading.other);
  talk_->turns.push_front(std::move(turn));
  if (talk_->turns.size() > kKeptTurns) talk_->turns.pop_back();
}

// Readings with equal rows are one.
std::vector<Tried> Attempt::distinct(std::vector<Tried> tried) const {
  std::vector<Tried> result;
  std::set<std::string> seen;
  for (Tried& one : tried) {
    if (seen.insert(row_key(one.table)).second) result.push_back(std::move(one));
  }
  return result;
}

Answer Attempt::decide(std::vector<Reading> readings) {
  std::stable_sort(readings.begin(), readings.end(),
                   [](const Reading& a, const Reading& b) { return a.cost < b.cost; });
  const memory::Reasoner* reasoner = nullptr;
  const bool rules = std::any_of(readings.begin(), readings.end(), [](const Reading& one) {
    return one.form == Reading::Form::kWhy || one.form == Reading::Form::kWhatIf;
  });
  if (rules) reasoner = state_.rules_at(lexicon_);
  Runner runner(*state_.engine, lexicon_, reasoner, *state_.space, now_, options_.stop);
  std::vector<Tried> tried;
  std::set<std::string> seen;
  double best = 0;
  std::size_t runs = 0;
  std::string problem;
  for (const Reading& one : readings) {
    if (!tried.empty() && one.cost > best + kSameCost) break;
    if (!seen.insert(describe(one, lexicon_)).second || ++runs > kMaxRun) continue;
    Reading reading = one;
    if (options_.as_of) {
      if (options_.as_of->is_integer())
        reading.as_of_entry =
            store::Sequence{static_cast<std::uint64_t>(options_.as_of->as_integer())};
      else
        reading.as_of_time = options_.as_of->as_string();
    }
    auto table = runner.run(reading);
    if (!table) {
      problem = table.error().describe();
      continue;
    }
    if (tried.empty()) best = one.cost;
    tried.push_back({reading, std::move(*table)});
  }
  if (tried.empty()) return refuse("no_parse", problem);
  std::vector<Tried> all = distinct(std::move(tried));
  if (all.size() > 1) {
    std::vector<Tried> somewhere, nowhere;
    for (Tried& one : all) (holds_somewhere(one) ? somewhere : nowhere).push_back(std::move(one));
    if (somewhere.empty()) return ambiguous(nowhere);
    if (somewhere.size() > 1) return ambiguous(somewhere);
    return understood(somewhere[0], nowhere);
  }
  return understood(all[0], {});
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
    talk_->choices_lexicon = state_.build_of(lexicon_);
  }
  answer.text =
      fill(lexicon_.pack(), "ambiguous", {{"n", std::to_string(tried.size())}, {"readings", list}});
  return answer;
}

Answer Attempt::understood(const Tried& tried, const std::vector<Tried>& others) {
  if (tried.table.presupposition) {
    return refuse("presupposition", fill(lexicon_.pack(), "presupposition",
                                         {{"name", describe(*tried.reading.set, lexicon_)}}));
  }
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
  for (const std::string& note : notes_) answer.text += " (" + note + ")";
  Statements rests_on = statements(tried.reading, tried.table, lexicon_);
  answer.proof = tried.table.proof.is_array() ? tried.table.proof : std::move(rests_on.proof);
  answer.trust = rests_on.ground.trust;
  answer.confidence = rests_on.ground.confidence;
  answer.contradictions = std::move(rests_on.ground.contradictions);
  answer.facts = std::move(rests_on.facts);
  tell_ground(answer);
  keep(tried);
  return answer;
}

// "Where do I work?": "I" is who asks, where that can be asked.
void Attempt::take_speaker() {
  if (options_.speaker.empty()) return;
  std::vector<Piece> named = with_speaker(pieces_, options_.speaker, lexicon_.pack());
  if (named.size() != pieces_.size() ||
      !std::equal(named.begin(), named.end(), pieces_.begin(),
                  [](const Piece& a, const Piece& b) { return a.folded == b.folded; })) {
    if (!read(named, context_of_talk()).empty()) pieces_ = std::move(named);
  }
}

Answer Attempt::run() {
  const Pack& pack = lexicon_.pack();
  if (question_.size() > kMaxQuestionBytes) return refuse("no_parse", pack.text("no_parse"));
  pieces_ = cut_question(question_, pack);
  if (pieces_.size() > kMaxQuestionWords) return refuse("no_parse", pack.text("no_parse"));
  take_speaker();
  senses_ = lexicon_.matches(pieces_);
  // Misspelt words, where one word only may be meant.
  const auto known = explained(pieces_, senses_);
  std::vector<Piece> read_pieces = pieces_;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (known[i]) continue;
    const auto near = lexicon_.misspelt(pieces_, i);
    if (near.empty()) continue;
    read_pieces[i].folded = near[0].read_word;
    notes_.push_back(fill(pack, "read_as", {{"word", pieces_[i].text}, {"name", near[0].read_as}}));
  }
  const std::vector<Piece> written = std::exchange(pieces_, read_pieces);
  senses_ = lexicon_.matches(pieces_);
  Context context = context_of_talk();
  if (auto chosen = choice()) return std::move(*chosen);
  std::vector<Reading> readings;
  const std::vector<std::string> unknown = unexplained();
  if (unknown.empty()) {
    Parser parser(lexicon_, pieces_, senses_, context);
    readings = parser.readings();
    if (readings.empty()) readings = ellipsis();
    if (readings.empty()) readings = timed();
  }
  if (about_the_past()) {
    for (Reading& one : readings) one.ever = true;
  }
  if (!readings.empty()) {
    Answer answer = decide(std::move(readings));
    if (answer.status == AnswerStatus::kAnswered || answer.status == AnswerStatus::kAmbiguous)
      return answer;
    // A time that says when a thing was, and nothing was, may say when it held.
    std::vector<Reading> held = timed();
    if (held.empty()) return answer;
    Answer then = decide(std::move(held));
    return then.status == AnswerStatus::kAnswered ? then : answer;
  }
  Answer answer;
  if (imperative()) {
    answer = refuse("not_a_question", fill(pack, "not_a_question", {{"word", written[0].text}}));
    answer.unknown = {written[0].text};
    return answer;
  }
  if (!unknown.empty()) {
    answer = refuse("unknown_word", fill(pack, "unknown", {{"words", join(unknown, ", ")}}));
    answer.unknown = unknown;
    for (const std::string& word : unknown)
      answer.near.emplace_back(word, lexicon_.near(fold_case(word), kNear));
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
    const std::string& word = written[sense.begin].text;
    answer = refuse("unknown_word", fill(pack, "unknown", {{"words", word}}));
    answer.unknown = {word};
    answer.near.emplace_back(word, lexicon_.near(fold_case(word), kNear));
    return answer;
  }
  const std::string detail = misfit();
  if (!detail.empty()) return refuse("no_fit", fill(pack, "no_fit", {{"detail", detail}}));
  return refuse("no_parse", pack.text("no_parse"));
}

// --- the door

std::string_view to_string(AnswerStatus status) {
  switch (status) {
    case AnswerStatus::kAnswered:
      return "answered";
    case AnswerStatus::kAmbiguous:
      return "ambiguous";
    case AnswerStatus::kNotUnderstood:
      return "not_understood";
    case AnswerStatus::kEmpty:
      return "empty";
  }
  return "not_understood";
}

Json Answer::to_json(std::string_view id) const {
  Json json = Json::object();
  if (!id.empty()) json.set("id", id);
  json.set("status", to_string(status));
  json.set("query", query);
  json.set("language", language);
  const auto strings = [](const std::vector<std::string>& list) {
    Json array = Json::array();
    for (const std::string& one : list) array.push_back(one);
    return array;
  };
  const auto table = [](const std::vector<JsonArray>& list) {
    Json array = Json::array();
    for (const JsonArray& row : list) array.push_back(row);
    return array;
  };
  json.set("columns", strings(columns));
  json.set("rows", table(rows));
  json.set("answer", text);
  json.set("reading", reading);
  json.set("unknown", strings(unknown));
  Json nearby = Json::object();
  for (const auto& [word, names] : near) nearby.set(word, strings(names));
  json.set("near", std::move(nearby));
  Json list = Json::array();
  for (const ReadingShown& one : readings) {
    list.push_back(
        Json::object({{"reading", one.reading}, {"query", one.query}, {"rows", table(one.rows)}}));
  }
  json.set("readings", std::move(list));
  json.set("reason", reason);
  json.set("proof", proof);
  json.set("next", strings(next));
  if (trust) json.set("trust", govern::trust_name(*trust));
  if (confidence) json.set("confidence", *confidence);
  if (!contradictions.empty()) json.set("contradictions", strings(contradictions));
  if (!told.empty()) {
    Json texts = Json::array();
    for (const ToldText& one : told) {
      texts.push_back(Json::object(
          {{"text", one.text}, {"memory", one.memory}, {"trust", govern::trust_name(one.trust)}}));
    }
    json.set("told", std::move(texts));
  }
  return json;
}

Asker::Asker(std::unique_ptr<State> state) : state_(std::move(state)) {}
Asker::~Asker() = default;

Result<std::unique_ptr<Asker>> Asker::open(std::shared_ptr<store::Space> space,
                                           std::shared_ptr<Clock> clock) {
  auto state = std::make_unique<State>();
  state->space = std::move(space);
  state->clock = clock != nullptr ? std::move(clock) : std::make_shared<SystemClock>();
  kip::EngineOptions options;
  options.clock = state->clock;
  options.load_genesis = false;
  ANIMA_ASSIGN(state->engine, kip::Engine::open(state->space, options));
  ANIMA_TRY(state->pack("en"));
  return std::unique_ptr<Asker>(new Asker(std::move(state)));
}

void Asker::set_rules(std::vector<memory::RuleSource> rules,
                      std::vector<memory::SynonymSource> words) {
  std::vector<Synonym> synonyms;
  for (const memory::SynonymSource& source : words) {
    const auto json = parse_json(source.json);
    if (!json) continue;
    const auto add = [&](const JsonMember& one, std::string language) {
      Synonym synonym;
      synonym.word = one.first;
      synonym.means = one.second.as_string();
      synonym.language = std::move(language);
      synonym.trusted = source.trust >= store::Trust::kStandard;
      synonyms.push_back(std::move(synonym));
    };
    for (const JsonMember& one : json->as_object()) {
      if (one.second.is_string()) add(one, "");
      for (const JsonMember& inner : one.second.as_object()) add(inner, one.first);
    }
  }
  const MutexLock lock(state_->mutex);
  if (rules == state_->rules && synonyms == state_->synonyms) return;
  state_->rules = std::move(rules);
  state_->synonyms = std::move(synonyms);
  const std::vector<RuleHead> heads = rule_heads(state_->rules);
  state_->rules_tell = needs_reasoner(heads);
  state_->heads.clear();
  for (const RuleHead& head : heads) state_->heads.push_back(head.name);
  state_->forget();
}

Answer Asker::ask(std::string_view question, const AskOptions& options, Conversation* talk) {
  const MutexLock lock(state_->mutex);
  const auto lexicon = state_->lexicon(options);
  if (!lexicon) {
    Answer answer;
    // Before the first entry nothing is known.
    answer.status = options.as_of ? AnswerStatus::kEmpty : AnswerStatus::kNotUnderstood;
    if (!options.as_of) answer.reason = "no_parse";
    answer.text = lexicon.error().describe();
    return answer;
  }
  const Timestamp now = options.now.value_or(state_->clock->now());
  return Attempt(*state_, **lexicon, options, now, talk != nullptr ? talk->state_.get() : nullptr,
                 question)
      .run();
}

Said Asker::saying(std::string_view sentence, const AskOptions& options,
                   const std::vector<store::Triple>& last) {
  const MutexLock lock(state_->mutex);
  const auto lexicon = state_->lexicon(options);
  if (!lexicon || sentence.size() > kMaxQuestionBytes) return {};
  return read_saying(**lexicon, sentence, options.now.value_or(state_->clock->now()),
                     {options.speaker, last});
}

std::optional<Statement> Asker::statement(std::string_view sentence, const AskOptions& options) {
  Said said = saying(sentence, options);
  return said.saying == Saying::kFact ? std::move(said.fact) : std::nullopt;
}

std::string Asker::told_sentence(const ToldText& told, const AskOptions& options) {
  const MutexLock lock(state_->mutex);
  const auto pack = state_->pack(options.language);
  if (!pack) return told.text;
  const bool weak = told.trust < store::Trust::kStandard;
  return fill(**pack, weak ? "told_untrusted" : "told", {{"text", told.text}});
}

Result<bool> Asker::speaks_of(std::string_view text, std::string_view question,
                              const AskOptions& options) {
  const MutexLock lock(state_->mutex);
  ANIMA_ASSIGN(const auto pack, state_->pack(options.language));
  std::set<std::string> said;
  for (const Piece& piece : cut_question(text, *pack)) said.insert(pack->stem(piece.folded));
  std::size_t words = 0;
  for (const Piece& piece : cut_question(question, *pack)) {
    const auto* uses = pack->uses(piece.folded);
    const bool function =
        uses != nullptr && std::all_of(uses->begin(), uses->end(), [](const PackUse& use) {
          return use.kind == PackUse::Kind::kClass;
        });
    if (function || piece.kind == Piece::Kind::kPossessive) continue;
    ++words;
    if (!said.contains(pack->stem(piece.folded))) return false;
  }
  return words > 0;
}

Result<std::vector<std::string>> Asker::lexicon(const std::string& word,
                                                const AskOptions& options) {
  const MutexLock lock(state_->mutex);
  ANIMA_ASSIGN(const auto lexicon, state_->lexicon(options));
  return lexicon->describe(word);
}

}  // namespace anima::ask
