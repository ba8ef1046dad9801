#include "language/frames/frame_questions.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/text/text.h"
#include "language/frames/detail/question_forms.h"
#include "language/times/times.h"

namespace anima::language {
namespace {

using detail::QuestionForm;
using detail::QuestionToken;

constexpr std::size_t kMostAsked = 40, kMostNameLexemes = 8, kMostNamingWords = 3;
constexpr std::string_view kPersonType = "Person";

// How far a question is read.
struct AskedSoFar {
  std::size_t at = 0;
  FrameQuestion question;
  const TimeReading* time = nullptr;
};

struct OwnedNoun {
  const FrameNoun* noun = nullptr;
  std::size_t end = 0;
  std::vector<std::string> keys;
};

std::string noun_text(const FrameNoun& noun) { return join(noun.words, " "); }

class QuestionReader {
 public:
  QuestionReader(std::string_view question, const FrameWords& frames, const AskingWords& words,
                 const QuestionContext& context)
      : question_(question),
        frames_(frames),
        words_(words),
        context_(context),
        lexemes_(cut_lexemes(question)),
        times_(read_times(question, words.language,
                          {context.now, context.offset_seconds, Direction::kPast, false})) {}

  std::vector<FrameQuestion> run() {
    if (lexemes_.empty() || lexemes_.size() > kMostAsked) return {};
    for (const QuestionForm& form : detail::question_forms(words_.language)) {
      form_ = &form;
      AskedSoFar state;
      state.question.asks = form.asks;
      state.question.past = form.past;
      if (form.relation != nullptr) set_relation(*form.relation, state.question);
      read(0, state);
    }
    return std::move(found_);
  }

 private:
  static void set_relation(const FrameRelation& relation, FrameQuestion& question) {
    question.relation = &relation;
    question.keys = {relation.name};
    question.keys.insert(question.keys.end(), relation.also.begin(), relation.also.end());
  }

  // --- words

  std::size_t phrase(std::size_t at, const FrameWords::Phrases& phrases) const {
    if (at >= lexemes_.size()) return 0;
    for (const FrameWords::Phrase& one : phrases)
      if (stands_at(lexemes_, at, one)) return one.size();
    return 0;
  }

  std::string_view written(std::size_t from, std::size_t to) const {
    return question_.substr(lexemes_[from].begin, lexemes_[to - 1].end - lexemes_[from].begin);
  }

  bool is_end(std::size_t at) const {
    while (at < lexemes_.size() &&
           (lexemes_[at].text == "?" || lexemes_[at].text == "." || lexemes_[at].text == "!"))
      ++at;
    return at >= lexemes_.size();
  }

  // Behind fillers and one time.
  AskedSoFar skipped(AskedSoFar state) const {
    for (;;) {
      std::size_t size = phrase(state.at, words_.fillers);
      if (size == 0) size = phrase(state.at, frames_.fillers);
      if (size > 0) {
        state.at += size;
        continue;
      }
      const auto begins = [&](const TimeReading& one) {
        return state.at < lexemes_.size() && one.begin == lexemes_[state.at].begin;
      };
      const auto time = std::ranges::find_if(times_, begins);
      if (state.time != nullptr || time == times_.end()) return state;
      state.time = &*time;
      while (state.at < lexemes_.size() && lexemes_[state.at].begin < time->end) ++state.at;
      if (state.at < lexemes_.size() && lexemes_[state.at].text == ",") ++state.at;
    }
  }

  // --- the parts of a form

  void read(std::size_t token, const AskedSoFar& state) {
    read_from(token, state);
    const AskedSoFar further = skipped(state);
    if (further.at != state.at) read_from(token, further);
  }

  void read_from(std::size_t token, const AskedSoFar& state) {
    if (token == form_->tokens.size()) {
      if (is_end(state.at)) take(state);
      return;
    }
    const QuestionToken& each = form_->tokens[token];
    switch (each.kind) {
      case QuestionToken::Kind::kWords:
        for (const FrameWords::Phrase& one : each.phrases) {
          if (state.at < lexemes_.size() && stands_at(lexemes_, state.at, one))
            read(token + 1, at(state, state.at + one.size()));
        }
        return;
      case QuestionToken::Kind::kSpeaker:
      case QuestionToken::Kind::kOther:
      case QuestionToken::Kind::kAnybody:
        for (auto& [side, end] : subjects(state.at, each.kind)) {
          AskedSoFar next = at(state, end);
          next.question.subject = side;
          read(token + 1, next);
        }
        return;
      case QuestionToken::Kind::kObject:
        for (auto& [side, end] : objects(state.at)) {
          AskedSoFar next = at(state, end);
          next.question.object = side;
          read(token + 1, next);
        }
        return;
      case QuestionToken::Kind::kNoun:
        read_owned(token, state);
        return;
      case QuestionToken::Kind::kBareNoun:
        for (const OwnedNoun& noun : nouns_at(state.at)) {
          AskedSoFar next = at(state, noun.end);
          if (set_noun(noun, next.question)) read(token + 1, next);
        }
        return;
    }
  }

  static AskedSoFar at(AskedSoFar state, std::size_t place) {
    state.at = place;
    return state;
  }

  using Sides = std::vector<std::pair<FrameSide, std::size_t>>;

  // What is called so, the longest first.
  Sides names(std::size_t from) const {
    Sides found;
    const std::size_t most = std::min(lexemes_.size(), from + kMostNameLexemes);
    for (std::size_t end = most; end > from; --end) {
      const std::string text(written(from, end));
      if (context_.is_name(text)) found.emplace_back(name_of(text), end);
    }
    return found;
  }
  static FrameSide name_of(const std::string& text) { return {FrameSide::Kind::kName, text, text}; }

  Sides objects(std::size_t from) const {
    Sides found = names(from);
    for (const auto* articles : {&frames_.value_articles, &frames_.name_articles, &frames_.the}) {
      const std::size_t article = phrase(from, *articles);
      if (article == 0) continue;
      const Sides behind = names(from + article);
      found.insert(found.end(), behind.begin(), behind.end());
    }
    return found;
  }

  Sides subjects(std::size_t from, QuestionToken::Kind kind) const {
    Sides found;
    if (kind != QuestionToken::Kind::kOther) {
      if (const std::size_t size = phrase(from, frames_.speaker))
        found.emplace_back(speaker(from, from + size), from + size);
    }
    if (kind == QuestionToken::Kind::kSpeaker) return found;
    const Sides others = relatives(from), called = names(from);
    found.insert(found.end(), others.begin(), others.end());
    found.insert(found.end(), called.begin(), called.end());
    return found;
  }

  FrameSide speaker(std::size_t from, std::size_t end) const {
    return {FrameSide::Kind::kSpeaker, {}, std::string(written(from, end))};
  }

  // "My brother", "Ada's brother", "the brother of Ada".
  Sides relatives(std::size_t from) const {
    Sides found;
    const auto add = [&](const FrameSide& owner, const OwnedNoun& noun, std::size_t end) {
      if (noun.noun->relation->object != kPersonType) return;
      found.emplace_back(
          FrameSide{FrameSide::Kind::kRelative, owner.name, std::string(written(from, end)),
                    noun.noun->relation, noun_text(*noun.noun), noun.noun->inverse,
                    NameDoubt::kNone,
                    nouns_that_tell(*noun.noun->relation, noun_text(*noun.noun), words_.language)},
          end);
    };
    each_owned(from, names_with_owner(from), add);
    return found;
  }

  // Whose noun follows: "my", "Ada's", "Adas".
  Sides names_with_owner(std::size_t from) const {
    Sides found;
    std::size_t my = phrase(from, words_.of_speaker);
    if (my == 0) my = phrase(from, frames_.of_speaker);
    if (my > 0) found.emplace_back(speaker(from, from + my), from + my);
    for (const auto& [side, end] : names(from)) {
      if (const std::size_t own = phrase(end, frames_.own)) found.emplace_back(side, end + own);
    }
    if (!frames_.own.empty()) return found;
    for (std::size_t end = std::min(lexemes_.size(), from + kMostNameLexemes); end > from; --end) {
      std::string text(written(from, end));
      if (text.size() < 3 || text.back() != 's') continue;
      text.pop_back();
      if (context_.is_name(text)) found.emplace_back(name_of(text), end);
    }
    return found;
  }

  template <typename With>
  void each_owned(std::size_t from, const Sides& owners, const With& with) const {
    for (const auto& [owner, end] : owners) {
      const std::size_t noun_at = skipped({end, {}, {}}).at;
      for (const OwnedNoun& noun : nouns_at(noun_at)) with(owner, noun, noun.end);
    }
    const std::size_t the = phrase(from, frames_.the);
    if (the == 0) return;
    for (const OwnedNoun& noun : nouns_at(from + the)) {
      const std::size_t of = phrase(noun.end, frames_.of_words);
      if (of == 0) continue;
      for (const auto& [side, end] : names(noun.end + of)) with(side, noun, end);
    }
  }

  void read_owned(std::size_t token, const AskedSoFar& state) {
    Sides owners = names_with_owner(state.at);
    for (const auto& [side, end] : relatives(state.at)) {
      if (const std::size_t own = phrase(end, frames_.own)) owners.emplace_back(side, end + own);
    }
    each_owned(state.at, owners,
               [&](const FrameSide& owner, const OwnedNoun& noun, std::size_t end) {
                 AskedSoFar next = at(state, end);
                 next.question.subject = owner;
                 if (set_noun(noun, next.question)) read(token + 1, next);
               });
  }

  bool set_noun(const OwnedNoun& noun, FrameQuestion& question) const {
    const FrameRelation& relation = *noun.noun->relation;
    const bool leads =
        form_->leads_to.empty() ? !relation.object.empty() : relation.leads_to == form_->leads_to;
    if (!leads) return false;
    set_relation(relation, question);
    if (!noun.keys.empty()) question.keys = noun.keys;
    question.inverse = noun.noun->inverse;
    question.noun = join(noun.noun->words, "_");
    if (!relation.object.empty())
      question.nouns = nouns_that_tell(relation, noun_text(*noun.noun), words_.language);
    return true;
  }

  bool is_word_of_noun(std::size_t place, const std::string& word) const {
    if (place >= lexemes_.size()) return false;
    if (lexemes_[place].text == word) return true;
    const auto plural = frames_.plurals.find(lexemes_[place].text);
    return plural != frames_.plurals.end() && plural->second == word;
  }

  std::vector<OwnedNoun> nouns_at(std::size_t from) const {
    std::vector<OwnedNoun> found;
    for (const FrameNoun& noun : frames_.nouns) {
      if (from >= lexemes_.size()) break;
      if (noun.prefix) {
        const std::string& text = lexemes_[from].text;
        const bool longer = text.size() > noun.words[0].size() && text.starts_with(noun.words[0]);
        if (longer) found.push_back({&noun, from + 1, {text}});
        continue;
      }
      const std::size_t end = from + noun.words.size();
      bool stands = end <= lexemes_.size();
      for (std::size_t i = 0; stands && i < noun.words.size(); ++i) {
        const std::string& word = noun.words[i];
        stands = i + 1 == noun.words.size() ? is_word_of_noun(from + i, word)
                                            : lexemes_[from + i].text == word;
      }
      if (!stands) continue;
      if (!noun.relation->named_by_noun) {
        found.push_back({&noun, end, {}});
      } else {
        add_named_by_noun(noun, end, found);
      }
    }
    return found;
  }

  // "Favourite colour": under each spelling of its noun.
  void add_named_by_noun(const FrameNoun& noun, std::size_t from,
                         std::vector<OwnedNoun>& found) const {
    std::string topic;
    for (std::size_t end = from; end < lexemes_.size() && end < from + kMostNamingWords; ++end) {
      if (lexemes_[end].kind != Lexeme::Kind::kWord) break;
      topic += "_" + lexemes_[end].text;
      OwnedNoun one{&noun, end + 1, {}};
      for (const FrameNoun& other : frames_.nouns) {
        if (other.relation == noun.relation && !other.prefix)
          one.keys.push_back(join(other.words, "_") + topic);
      }
      found.push_back(std::move(one));
    }
  }

  // --- what was read

  void take(const AskedSoFar& state) {
    FrameQuestion question = state.question;
    if (state.time != nullptr) {
      const TimeInterval* sure = state.time->sure();
      if (sure == nullptr) return;
      question.time = {sure->open_from ? std::numeric_limits<std::int64_t>::min() : sure->from,
                       sure->open_until ? std::numeric_limits<std::int64_t>::max() : sure->until};
    }
    found_.push_back(std::move(question));
  }

  std::string_view question_;
  const FrameWords& frames_;
  const AskingWords& words_;
  const QuestionContext& context_;
  const Lexemes lexemes_;
  const std::vector<TimeReading> times_;
  const QuestionForm* form_ = nullptr;
  std::vector<FrameQuestion> found_;
};

}  // namespace

std::vector<FrameQuestion> read_frame_questions(std::string_view question,
                                                const QuestionContext& context) {
  std::vector<FrameQuestion> all;
  for (const std::string& language : FrameWords::languages()) {
    const FrameWords* frames = FrameWords::of(language);
    const AskingWords* words = AskingWords::of(language);
    if (frames == nullptr || words == nullptr) continue;
    for (FrameQuestion& one : QuestionReader(question, *frames, *words, context).run())
      all.push_back(std::move(one));
  }
  return all;
}

std::optional<bool> noun_names_subject(std::string_view relation, std::string_view noun) {
  if (noun.empty()) return std::nullopt;
  for (const std::string& language : FrameWords::languages()) {
    for (const FrameNoun& one : FrameWords::of(language)->nouns)
      if (one.relation->name == relation && noun_text(one) == noun) return one.inverse;
  }
  return std::nullopt;
}

std::vector<std::string> nouns_that_tell(const FrameRelation& relation, std::string_view noun,
                                         std::string_view language) {
  const AskingWords* asked = AskingWords::of(language);
  bool exactly = false;
  const AskingWords::Role* role =
      asked == nullptr ? nullptr : asked->role_of(relation.name, noun, exactly);
  if (role == nullptr) return {};
  if (!exactly) return {std::string(noun)};
  std::vector<std::string> nouns;
  for (const std::string& other : FrameWords::languages()) {
    const AskingWords* words = AskingWords::of(other);
    if (words == nullptr) continue;
    for (const FrameNoun& one : FrameWords::of(other)->nouns) {
      if (one.relation != &relation) continue;
      const std::string text = noun_text(one);
      const AskingWords::Role* of_one = words->role_of(relation.name, text, exactly);
      const bool known = std::ranges::find(nouns, text) != nouns.end();
      if (of_one != nullptr && of_one->name == role->name && !known) nouns.push_back(text);
    }
  }
  return nouns;
}

}  // namespace anima::language
