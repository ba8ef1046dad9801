#include "language/frames/detail/question_forms.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/mutex.h"

namespace anima::language::detail {
namespace {

using FormAsks = FrameQuestion::Asks;
using TokenKind = QuestionToken::Kind;
using AskedPhrase = std::vector<std::string>;
using AskedPhrases = FrameWords::Phrases;

// A verb as a question has it: what goes before the subject, and what stays behind it.
struct AskedVerb {
  AskedPhrases front;
  AskedPhrase rest, after;  // around the object
  bool past = false;
  TokenKind subject = TokenKind::kAnybody;
};

bool asks_with(const AskedPhrases& phrases, const std::string& word) {
  return std::ranges::find(phrases, AskedPhrase{word}) != phrases.end();
}

bool ends_in(const AskedPhrase& words, const AskedPhrase& end) {
  return words.size() >= end.size() &&
         std::equal(end.begin(), end.end(), words.end() - static_cast<std::ptrdiff_t>(end.size()));
}

class FormMaker {
 public:
  FormMaker(const FrameWords& frames, const AskingWords& words) : frames_(frames), words_(words) {}

  std::vector<QuestionForm> run() {
    for (const FramePattern& pattern : frames_.patterns) add_pattern(pattern);
    for (const auto& [leads_to, fronts] : words_.fronts) {
      for (const AskedPhrase& one : fronts.nouns)
        add_template(FormAsks::kObject, nullptr, one, leads_to);
      for (const AskedPhrase& one : fronts.nouns_past)
        add_template(FormAsks::kObject, nullptr, one, leads_to, true);
    }
    for (const AskedPhrase& one : words_.whether_nouns)
      add_template(FormAsks::kWhether, nullptr, one);
    for (const AskedPhrase& one : words_.have_nouns) add_template(FormAsks::kHas, nullptr, one);
    for (const AskedPhrase& one : words_.count_nouns) add_template(FormAsks::kCount, nullptr, one);
    for (const auto& [relation, templates] : words_.asked) {
      for (const AskedPhrase& one : templates)
        add_template(FormAsks::kObject, FrameRelations::shipped().find(relation), one);
    }
    return std::move(forms_);
  }

 private:
  // --- verbs

  void add_pattern(const FramePattern& pattern) {
    const bool denies = std::ranges::any_of(pattern.before,
                                            [&](const std::string& word) {
                                              return asks_with(words_.not_asked, word);
                                            }) ||
                        std::ranges::any_of(pattern.after, [&](const std::string& word) {
                          return asks_with(words_.not_asked, word);
                        });
    const bool is_form = pattern.first || pattern.third;  // of one, and with a subject
    if (pattern.before.empty() || pattern.listed || pattern.swaps || !is_form || denies) return;
    const bool names_things = !pattern.relation->object.empty();
    for (const AskedVerb& verb : asked_verbs(pattern)) {
      const bool holds = pattern.time == FrameTime::kHolds;
      if (holds) add_object_forms(*pattern.relation, verb);
      if (!names_things) continue;
      if (holds) add_whether(FormAsks::kWhether, {}, *pattern.relation, verb);
      if (pattern.time == FrameTime::kEnded) {
        add_whether(FormAsks::kEnded, words_.ended, *pattern.relation, verb);
      } else if (!verb.past) {
        const bool began = pattern.time == FrameTime::kBegan;
        AskedVerb asked = verb;
        asked.past = began;  // what is over began, too
        add_whether(FormAsks::kBegan, began ? words_.began : words_.since, *pattern.relation,
                    asked);
      }
    }
    if (names_things && pattern.third && pattern.time == FrameTime::kHolds)
      add_subject_forms(pattern);
  }

  std::vector<AskedVerb> asked_verbs(const FramePattern& pattern) const {
    std::vector<AskedVerb> verbs;
    const std::string& verb = pattern.before.front();
    const bool helped = !words_.helpers_first.empty() && !asks_with(words_.inverted, verb);
    if (helped) {
      if (!pattern.first || pattern.time == FrameTime::kSince) return verbs;
      AskedVerb asked{words_.helpers_past, pattern.before, pattern.after, true,
                      TokenKind::kAnybody};
      if (pattern.time != FrameTime::kHolds) {
        const auto base = words_.base.find(verb);
        if (base == words_.base.end()) return verbs;
        asked.rest.front() = base->second;
        asked.past = false;
        return {asked};
      }
      verbs.push_back(asked);
      asked.past = false;
      asked.front = words_.helpers_first;
      asked.subject = TokenKind::kSpeaker;
      verbs.push_back(asked);
      asked.front = words_.helpers_third;
      asked.subject = TokenKind::kOther;
      verbs.push_back(asked);
      return verbs;
    }
    const TokenKind subject = !pattern.third  ? TokenKind::kSpeaker
                              : pattern.first ? TokenKind::kAnybody
                                              : TokenKind::kOther;
    const AskedPhrase rest(pattern.before.begin() + 1, pattern.before.end());
    verbs.push_back({{{verb}}, rest, pattern.after, false, subject});
    if (pattern.time != FrameTime::kHolds) return verbs;
    if (const auto past = words_.past.find(verb); past != words_.past.end())
      verbs.push_back({{{past->second}}, rest, pattern.after, true, subject});
    if (const auto perfect = words_.perfect.find(verb); perfect != words_.perfect.end()) {
      const AskedPhrase parts = words_in(perfect->second);
      AskedPhrase after = pattern.after;
      after.insert(after.end(), parts.begin() + 1, parts.end());
      verbs.push_back({{{parts.front()}}, rest, std::move(after), true, subject});
    }
    return verbs;
  }

  static void add_words(std::vector<QuestionToken>& tokens, const AskedPhrase& words) {
    if (!words.empty()) tokens.push_back({TokenKind::kWords, {words}});
  }

  // "Where do I live", "what do I live in"; "woher komme ich".
  void add_object_forms(const FrameRelation& relation, const AskedVerb& verb) {
    const auto fronts = words_.fronts.find(relation.leads_to);
    if (fronts == words_.fronts.end()) return;
    const auto add = [&](const AskedPhrases& front, const AskedPhrase& rest) {
      QuestionForm form{FormAsks::kObject, &relation, {}, verb.past, {}};
      form.tokens.push_back({TokenKind::kWords, front});
      form.tokens.push_back({TokenKind::kWords, verb.front});
      form.tokens.push_back({verb.subject, {}});
      add_words(form.tokens, rest);
      add_words(form.tokens, verb.after);
      forms_.push_back(std::move(form));
    };
    bool asked_with = false;
    for (const auto& [preposition, front] : fronts->second.by_preposition) {
      if (!ends_in(verb.rest, preposition)) continue;
      AskedPhrase rest = verb.rest;
      rest.resize(rest.size() - preposition.size());
      add(front, rest);
      asked_with = true;
      break;
    }
    // A language with helpers leaves its prepositions at the end.
    const bool leaves = !words_.helpers_first.empty() || !asked_with;
    if (leaves && !fronts->second.plain.empty()) add(fronts->second.plain, verb.rest);
  }

  // "Do I live in Oslo", "since when do I live in Oslo".
  void add_whether(FormAsks asks, const AskedPhrases& front, const FrameRelation& relation,
                   const AskedVerb& verb) {
    if (asks != FormAsks::kWhether && front.empty()) return;
    QuestionForm form{asks, &relation, {}, verb.past, {}};
    if (!front.empty()) form.tokens.push_back({TokenKind::kWords, front});
    form.tokens.push_back({TokenKind::kWords, verb.front});
    form.tokens.push_back({verb.subject, {}});
    add_words(form.tokens, verb.rest);
    form.tokens.push_back({TokenKind::kObject, {}});
    add_words(form.tokens, verb.after);
    forms_.push_back(std::move(form));
  }

  // "Who lives in Oslo".
  void add_subject_forms(const FramePattern& pattern) {
    const auto add = [&](const AskedPhrase& before, const AskedPhrase& after, bool past) {
      QuestionForm form{FormAsks::kSubject, pattern.relation, {}, past, {}};
      form.tokens.push_back({TokenKind::kWords, words_.subject});
      add_words(form.tokens, before);
      form.tokens.push_back({TokenKind::kObject, {}});
      add_words(form.tokens, after);
      forms_.push_back(std::move(form));
    };
    add(pattern.before, pattern.after, false);
    AskedPhrase before = pattern.before;
    if (const auto past = words_.past.find(before.front()); past != words_.past.end()) {
      before.front() = past->second;
      add(before, pattern.after, true);
    }
    if (const auto perfect = words_.perfect.find(pattern.before.front());
        perfect != words_.perfect.end()) {
      const AskedPhrase parts = words_in(perfect->second);
      AskedPhrase after = pattern.after;
      after.insert(after.end(), parts.begin() + 1, parts.end());
      before.front() = parts.front();
      add(before, after, true);
    }
  }

  // --- whole questions

  void add_template(FormAsks asks, const FrameRelation* relation, const AskedPhrase& words,
                    const std::string& leads_to = {}, bool past = false) {
    static const std::map<std::string, TokenKind> kSides = {{"S", TokenKind::kAnybody},
                                                            {"O", TokenKind::kObject},
                                                            {"N", TokenKind::kNoun},
                                                            {"M", TokenKind::kBareNoun}};
    QuestionForm form{asks, relation, leads_to, past, {}};
    AskedPhrase run;
    for (const std::string& word : words) {
      const auto side = kSides.find(word);
      if (side == kSides.end()) {
        run.push_back(word);
        continue;
      }
      add_words(form.tokens, std::exchange(run, {}));
      form.tokens.push_back({side->second, {}});
    }
    add_words(form.tokens, run);
    forms_.push_back(std::move(form));
  }

  const FrameWords& frames_;
  const AskingWords& words_;
  std::vector<QuestionForm> forms_;
};

}  // namespace

const std::vector<QuestionForm>& question_forms(std::string_view language) {
  static Mutex mutex;
  static std::map<std::string, std::unique_ptr<const std::vector<QuestionForm>>, std::less<>> made;
  const FrameWords* frames = FrameWords::of(language);
  const AskingWords* words = AskingWords::of(language);
  const MutexLock lock(mutex);
  auto& forms = made[std::string(language)];
  if (forms == nullptr) {
    forms = std::make_unique<const std::vector<QuestionForm>>(
        frames == nullptr || words == nullptr ? std::vector<QuestionForm>()
                                              : FormMaker(*frames, *words).run());
  }
  return *forms;
}

}  // namespace anima::language::detail
