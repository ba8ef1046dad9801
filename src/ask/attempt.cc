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
#include "ask/parse/statements/told_questions.h"
#include "base/text/text.h"
#include "language/statements/statement_words.h"
#include "store/verify/audit.h"

namespace anima::ask {
namespace {

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

std::vector<Reading> Attempt::read(const std::vector<Piece>& pieces, const Context& context) {
  Parser parser(lexicon_, pieces, lexicon_.matches(pieces), context);
  return parser.readings();
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
  keep_most_trusted(tried);
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
  if (std::string why = leave_undated(readings); readings.empty())
    return refuse("no_fit", fill(pack, "no_fit", {{"detail", std::move(why)}}));
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
