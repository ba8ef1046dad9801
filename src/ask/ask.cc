#include "ask/ask.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ask/answer/render.h"
#include "ask/attempt.h"
#include "base/json/text_array.h"
#include "base/mutex.h"
#include "base/text/text.h"
#include "govern/trust.h"
#include "kip/engine.h"
#include "language/times/local_time.h"
#include "store/holds.h"
#include "store/present.h"

namespace anima::ask {
namespace {

// What a caller who reads the same clock may be late by.
constexpr std::int64_t kSameTime = 60 * kMicrosecondsPerSecond;

AskTime asked_at(const AskOptions& options, Timestamp clock) {
  const Timestamp now = options.now.value_or(clock);
  return {now, options.offset_seconds.value_or(language::local_offset_seconds(now))};
}

}  // namespace

Conversation::Conversation() : state_(std::make_unique<State>()) {}
Conversation::~Conversation() = default;
Conversation::Conversation(Conversation&&) noexcept = default;
Conversation& Conversation::operator=(Conversation&&) noexcept = default;

struct Asker::State {
  State(std::shared_ptr<store::Space> from, std::shared_ptr<Clock> time)
      : space(std::move(from)),
        clock(std::move(time)),
        all(space, clock, store::Trust::kHostile),
        trusted(space, clock, kAnswers) {}

  std::shared_ptr<store::Space> space;
  std::shared_ptr<Clock> clock;
  std::shared_ptr<kip::Engine> engine;
  Mutex mutex;
  std::map<std::string, std::shared_ptr<const Pack>> packs;
  BroughtWords words;
  bool words_trusted = true;  // all of them
  LexiconKeeper all, trusted;
  std::map<store::Trust, LexiconKeeper> by_teller;  // of what is trusted as far as who tells
  // By trust, at the newest state asked: everybody is trusted so far.
  std::map<store::Trust, std::pair<store::Sequence, bool>> all_trusted;

  Result<std::shared_ptr<const Pack>> pack(const std::string& language);
  struct Lexicons {
    Words all, trusted;
  };
  Result<Lexicons> lexicons(const AskOptions& options);
  // Of what is trusted as far as who tells; null: that is what answers, or everything.
  Result<const Lexicon*> of_teller(const AskOptions& options);

 private:
  bool is_all_trusted(const store::Snapshot& newest, store::Trust floor);
};

Result<std::shared_ptr<const Pack>> Asker::State::pack(const std::string& language) {
  const auto found = packs.find(language);
  if (found != packs.end()) return found->second;
  ANIMA_ASSIGN(auto read, Pack::load(language));
  packs[language] = read;
  return read;
}

bool Asker::State::is_all_trusted(const store::Snapshot& newest, store::Trust floor) {
  const auto [known, is_new] = all_trusted.try_emplace(floor);
  auto& [at, is] = known->second;
  if (is_new || at != newest.sequence()) is = store::all_trusted(newest, floor);
  at = newest.sequence();
  return is;
}

// Those of what is trusted only where that is not everything.
Result<Asker::State::Lexicons> Asker::State::lexicons(const AskOptions& options) {
  ANIMA_ASSIGN(const auto pack, this->pack(options.language));
  ANIMA_ASSIGN(const store::Snapshot snapshot, space->snapshot());
  Lexicons found;
  found.all.keeper = &all;
  ANIMA_ASSIGN(found.all.lexicon, all.lexicon(snapshot, pack, options.as_of));
  if (words_trusted && is_all_trusted(snapshot, kAnswers)) return found;
  found.trusted.keeper = &trusted;
  ANIMA_ASSIGN(found.trusted.lexicon, trusted.lexicon(snapshot, pack, options.as_of));
  return found;
}

Result<const Lexicon*> Asker::State::of_teller(const AskOptions& options) {
  ANIMA_ASSIGN(const store::Snapshot newest, space->snapshot());
  if (options.teller <= kAnswers || is_all_trusted(newest, options.teller)) return nullptr;
  ANIMA_ASSIGN(const auto pack, this->pack(options.language));
  const auto [keeper, is_new] = by_teller.try_emplace(options.teller, space, clock, options.teller);
  if (is_new) keeper->second.set_words(words);
  return keeper->second.lexicon(newest, pack, options.as_of);
}

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
  if (untrusted) {
    json.set("untrusted", Json::object({{"rows", table(untrusted->rows)},
                                        {"sources", strings(untrusted->sources)}}));
  }
  if (!told.empty()) {
    Json texts = Json::array();
    for (const ToldText& one : told) {
      Json text = Json::object(
          {{"text", one.text}, {"memory", one.memory}, {"trust", govern::trust_name(one.trust)}});
      if (!one.speaker.empty()) text.set("speaker", one.speaker);
      if (!one.no_longer.empty())
        text.set("over", Json::object({{"whole", one.over}, {"facts", text_array(one.no_longer)}}));
      texts.push_back(std::move(text));
    }
    json.set("told", std::move(texts));
  }
  return json;
}

Asker::Asker(std::unique_ptr<State> state) : state_(std::move(state)) {}
Asker::~Asker() = default;

Result<std::unique_ptr<Asker>> Asker::open(std::shared_ptr<store::Space> space,
                                           std::shared_ptr<Clock> clock) {
  if (clock == nullptr) clock = std::make_shared<SystemClock>();
  auto state = std::make_unique<State>(std::move(space), std::move(clock));
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
  BroughtWords brought{std::move(rules), std::move(synonyms)};
  const MutexLock lock(state_->mutex);
  if (brought == state_->words) return;
  state_->words = std::move(brought);
  const auto& [now_rules, now_synonyms] = state_->words;
  state_->words_trusted =
      std::all_of(now_rules.begin(), now_rules.end(),
                  [](const memory::RuleSource& one) { return one.trust >= kAnswers; }) &&
      std::all_of(now_synonyms.begin(), now_synonyms.end(),
                  [](const Synonym& one) { return one.trusted; });
  state_->all.set_words(state_->words);
  state_->trusted.set_words(state_->words);
  for (auto& [teller, keeper] : state_->by_teller) keeper.set_words(state_->words);
}

Status check_language(const std::string& language) {
  if (language == AskOptions().language) return {};
  const auto pack = Pack::load(language);
  if (pack) return {};
  if (pack.error().code != ErrorCode::kNotFound) return fail(pack.error());
  return fail(ErrorCode::kNotFound, "no language pack reads questions in this language", language,
              "a language is named by its code, as in \"en\"");
}

Answer Asker::ask(std::string_view question, const AskOptions& options, Conversation* talk) {
  const MutexLock lock(state_->mutex);
  const auto lexicons = state_->lexicons(options);
  if (!lexicons) {
    Answer answer;
    // Before the first entry nothing is known.
    answer.status = options.as_of ? AnswerStatus::kEmpty : AnswerStatus::kNotUnderstood;
    if (!options.as_of) answer.reason = "no_parse";
    answer.text = lexicons.error().describe();
    return answer;
  }
  const Timestamp clock = store::present(*state_->space, *state_->clock);
  const AskTime now = asked_at(options, clock);
  const std::int64_t apart = now.time.microseconds - clock.microseconds;
  const Question asked{question,
                       options,
                       now,
                       apart < -kSameTime || apart > kSameTime,
                       talk != nullptr ? talk->state_.get() : nullptr,
                       *state_->engine,
                       *state_->space,
                       lexicons->all,
                       lexicons->trusted};
  return answer_question(asked);
}

namespace {

// Words that only others use could add nothing to it.
bool is_understood(const Said& said) {
  switch (said.saying) {
    case Saying::kNothing:
    case Saying::kText:
    case Saying::kUnclear:
      return false;
    default:
      return !said.fact || said.fact->key != kSaidToBe;
  }
}

// What others state, or what was answered with that, may be ended and corrected. Who is meant by a
// name is not decided by them.
bool is_of_last(const Said& said, const LastSaid& last) {
  return said.ends && std::any_of(last.facts.begin(), last.facts.end(),
                                  [&](const SaidFact& one) { return one.fact == *said.ends; });
}

bool is_about_theirs(const Said& said, const LastSaid& last) {
  return said.saying == Saying::kEnds || said.saying == Saying::kWithdraws ||
         (said.saying == Saying::kCorrects && is_of_last(said, last));
}

// What others state who are trusted less gives the words, and does not make it asked whether they
// are meant.
bool may_be_read_by_theirs(const Said& said, const LastSaid& last) {
  return said.saying != Saying::kOtherKind || is_of_last(said, last);
}

}  // namespace

Said Asker::saying(std::string_view sentence, const AskOptions& options, const LastSaid& last) {
  const MutexLock lock(state_->mutex);
  const auto lexicons = state_->lexicons(options);
  if (!lexicons || sentence.size() > kMaxQuestionBytes) return {};
  const AskTime now = asked_at(options, store::present(*state_->space, *state_->clock));
  const SayingContext context{options.speaker, last};
  const auto of_teller = state_->of_teller(options);
  if (!of_teller) return {};
  // From the words of those who are trusted most to those of everybody.
  std::optional<Said> said;
  for (const Lexicon* lexicon : {*of_teller, lexicons->trusted.lexicon, lexicons->all.lexicon}) {
    if (lexicon == nullptr) continue;
    Said read = read_saying(*lexicon, sentence, now, context);
    const bool less = said && options.teller >= kAnswers;
    if (said && said->saying == Saying::kUnclear && !is_about_theirs(read, last)) continue;
    if (less && !may_be_read_by_theirs(read, last)) continue;
    said = std::move(read);
    if (is_understood(*said)) break;
  }
  return *std::move(said);
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
  std::string_view text = trim(told.text);
  if (text.ends_with('.')) text.remove_suffix(1);
  const bool own = told.speaker.empty() ? !options.own_texts : told.speaker == options.speaker;
  std::string wording = own ? "told" : told.speaker.empty() ? "told_by_somebody" : "told_by";
  if (weak) wording = own || told.speaker.empty() ? "told_untrusted" : "told_by_untrusted";
  std::string sentence =
      fill(**pack, wording, {{"text", std::string(text)}, {"speaker", std::string(told.speaker)}});
  if (told.over) return sentence + " " + fill(**pack, "told_over", {});
  if (!told.no_longer.empty())
    sentence += " " + fill(**pack, "told_partly_over", {{"list", join(told.no_longer, "; ")}});
  return sentence;
}

Result<bool> Asker::speaks_of(std::string_view text, std::string_view question,
                              const AskOptions& options) {
  const MutexLock lock(state_->mutex);
  ANIMA_ASSIGN(const auto pack, state_->pack(options.language));
  std::set<std::string> said;
  for (const Piece& piece : cut_told(text, *pack)) said.insert(pack->stem(piece.folded));
  std::size_t words = 0;
  for (const Piece& piece : cut_told(question, *pack)) {
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
  ANIMA_ASSIGN(const auto lexicons, state_->lexicons(options));
  return lexicons.all.lexicon->describe(word);
}

}  // namespace anima::ask
