// What can be told of somebody can be asked: in every form that the data of a language has for
// telling it (packs/language/frames), it is asked in every form that it has for asking
// (packs/language/frame_questions); what is answered is what was told, or nothing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "agent/telling/learnt_facts.h"
#include "agent/telling/space_asker.h"
#include "base/files/file.h"
#include "base/text/text.h"
#include "language/frames/detail/question_forms.h"
#include "language/frames/telling.h"

namespace anima::agent::told_questions_test {
namespace {

using language::FramePattern;
using language::FrameQuestion;
using language::FrameRelation;
using language::FrameWords;
using language::ValueKind;
using language::detail::QuestionForm;
using language::detail::QuestionToken;
using Asks = FrameQuestion::Asks;

constexpr std::string_view kNow = "2026-06-15T12:00:00Z";
constexpr const char* kSpeaker = "Mara";
constexpr const char* kOther = "Ada";

// A space of its own, and who speaks in it.
class Talk {
 public:
  bool tell(const std::string& sentence) {
    memory::NewMemory item;
    item.content = sentence;
    item.created_by = kSpeaker;
    item.source = "session";
    item.trust = store::Trust::kOperator;
    const language::Telling read = language::read_telling(sentence, {now_});
    if (!read.teaches_openly()) return false;
    Learning learning{.item = item, .memory = {}, .speaker = kSpeaker, .now = now_};
    auto learnt = learn_telling(*space_, learning, read);
    // Whether it is a name, say; "yes".
    if (learnt && learnt->question && !learnt->question->proposes.empty()) {
      learning.decided = learnt->question->yes;
      learnt = learn_telling(*space_, learning, read);
    }
    EXPECT_TRUE(learnt) << learnt.error().describe();
    return learnt && learnt->asks.empty() && !learnt->facts.empty();
  }
  ask::Answer ask(const std::string& question) {
    if (asker_ == nullptr) asker_ = SpaceAsker::open(space_, system_files()).value();
    ask::AskOptions options;
    options.now = now_;
    options.speaker = kSpeaker;
    return asker_->ask(question, options);
  }

 private:
  std::shared_ptr<store::Space> space_ = store::Space::in_memory().value();
  std::unique_ptr<SpaceAsker> asker_;
  Timestamp now_ = *parse_timestamp(kNow);
};

std::set<std::string> answers(const ask::Answer& answer) {
  std::set<std::string> found;
  if (answer.status != ask::AnswerStatus::kAnswered) return found;
  for (const JsonArray& row : answer.rows)
    found.insert(row.back().is_string() ? row.back().as_string() : row.back().dump());
  return found;
}

// An object that the relation may have: as it is said in the language, and as it is answered.
struct Object {
  std::string said, known;
};

Object object_of(const FrameRelation& relation, const std::string& language) {
  static const std::map<std::string, Object> kThings = {
      {"Organisation", {"Initech", "Initech"}},
      {"Place", {"Oslo", "Oslo"}},
      {"Person", {"Tom Berg", "Tom Berg"}},
      {"Animal", {"Rex", "Rex"}},
      {"Thing", {"Tetris", "Tetris"}},
      {"Language", {"Esperanto", "Esperanto"}},
      {"number", {"34", "34"}},
      {"phone", {"555-0199", "555-0199"}},
      {"email", {"m@example.org", "m@example.org"}},
      {"address", {"Lindenallee 5", "Lindenallee 5"}},
      {"text", {"Tetris", "Tetris"}},
      {"name", {"Zora Lind", "Zora Lind"}}};
  if (relation.name == "job")
    return language == "de" ? Object{"Lehrer", "Lehrer"} : Object{"nurse", "nurse"};
  if (relation.name == "marital_status") return {"single", "single"};
  if (relation.name == "nationality")
    return language == "de" ? Object{"Norweger", "Norweger"} : Object{"Norwegian", "Norwegian"};
  if (relation.leads_to == "date")
    return language == "de" ? Object{"am 3. Mai 1990", "1990-05-03"}
                            : Object{"on 3 May 1990", "1990-05-03"};
  return kThings.at(relation.leads_to);
}

std::string sentence_of(std::vector<std::string> words, char end) {
  std::string text;
  for (const std::string& word : words) {
    const bool sign = word == "'" || (!text.empty() && text.back() == '\'');
    text += (text.empty() || sign ? "" : " ") + word;
  }
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text + end;
}

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

// One way to tell it.
struct Telling {
  const FrameRelation* relation = nullptr;
  std::string text, noun;
  Object object;
  bool first = false, inverse = false, dated = false, holds = true;
};

std::vector<Telling> tellings(const FrameWords& words) {
  std::vector<Telling> all;
  for (const FramePattern& pattern : words.patterns) {
    if (pattern.listed || pattern.swaps || pattern.time == language::FrameTime::kSince ||
        pattern.time == language::FrameTime::kEnded)
      continue;
    for (const bool first : {true, false}) {
      if (first ? !pattern.first : !pattern.third) continue;
      Telling one{pattern.relation, {}, {}, object_of(*pattern.relation, words.language), first};
      std::vector<std::string> sentence =
          first ? words.speaker.front() : std::vector<std::string>{kOther};
      append(sentence, pattern.before);
      if (pattern.article) {
        append(sentence, words.value_articles.front());
        // In German one word behind an article is no name.
        if (!pattern.relation->object.empty()) one.object = {"Tetris Nova", "Tetris Nova"};
      }
      sentence.push_back(one.object.said);
      append(sentence, pattern.after);
      one.text = sentence_of(sentence, '.');
      one.dated = pattern.time == language::FrameTime::kBegan;
      all.push_back(std::move(one));
    }
  }
  for (const language::FrameNoun& noun : words.nouns) {
    const bool named = noun.relation->named_by_noun;
    if (noun.prefix && words.language == "de" && !named) continue;
    Telling one{
        noun.relation, {}, join(noun.words, " "), object_of(*noun.relation, words.language), true,
        noun.inverse};
    std::vector<std::string> sentence = words.of_speaker.front();
    if (noun.prefix) {
      sentence.push_back(noun.words.front() + "spiel");
    } else {
      append(sentence, noun.words);
      if (named) sentence.push_back("game");
    }
    append(sentence, noun.relation->object.empty() ? words.is.back() : words.is_called.front());
    sentence.push_back(one.object.said);
    one.text = sentence_of(sentence, '.');
    all.push_back(std::move(one));
  }
  return all;
}

// What is asked in one form: the text, whose it is, and the noun.
struct Asked {
  std::string text, noun;
  bool first = false;
};

class Asking {
 public:
  // `thoroughly`: with each phrase that asks.
  Asking(const FrameWords& words, const Telling& telling, bool thoroughly)
      : words_(words), telling_(telling), thoroughly_(thoroughly) {}

  std::vector<Asked> of(const QuestionForm& form) {
    form_ = &form;
    all_.clear();
    add(0, {}, telling_.first, {});
    return std::move(all_);
  }

 private:
  void add(std::size_t at, std::vector<std::string> words, bool first, std::string noun) {
    if (at == form_->tokens.size()) {
      all_.push_back({sentence_of(words, '?'), noun, first});
      return;
    }
    const QuestionToken& token = form_->tokens[at];
    const auto with = [&](const std::vector<std::string>& more, bool of_first,
                          const std::string& said) {
      std::vector<std::string> longer = words;
      append(longer, more);
      add(at + 1, longer, of_first, said);
    };
    switch (token.kind) {
      case QuestionToken::Kind::kWords:
        for (const auto& phrase : token.phrases) {
          with(phrase, first, noun);
          if (at > 0 || !thoroughly_) break;
        }
        return;
      case QuestionToken::Kind::kSpeaker:
        with(words_.speaker.front(), true, noun);
        return;
      case QuestionToken::Kind::kOther:
        with({kOther}, false, noun);
        return;
      case QuestionToken::Kind::kAnybody:
        with(first ? words_.speaker.front() : std::vector<std::string>{kOther}, first, noun);
        return;
      case QuestionToken::Kind::kObject:
        with({telling_.object.said}, first, noun);
        return;
      case QuestionToken::Kind::kNoun:
      case QuestionToken::Kind::kBareNoun:
        nouns(token, with);
        return;
    }
  }

  template <typename With>
  void nouns(const QuestionToken& token, const With& with) {
    const bool owned = token.kind == QuestionToken::Kind::kNoun;
    for (const language::FrameNoun& noun : words_.nouns) {
      const bool leads = form_->leads_to.empty() ? !noun.relation->object.empty()
                                                 : noun.relation->leads_to == form_->leads_to;
      if (noun.relation != telling_.relation || !leads || noun.prefix) continue;
      if (owned && !telling_.first && words_.own.empty()) continue;
      std::vector<std::string> said;
      if (owned && telling_.first) said = words_.of_speaker.front();
      if (owned && !telling_.first) {
        said = {kOther};
        append(said, words_.own.front());
      }
      append(said, noun.words);
      if (noun.relation->named_by_noun) said.push_back("game");
      with(said, telling_.first, join(noun.words, " "));
    }
  }

  const FrameWords& words_;
  const Telling& telling_;
  bool thoroughly_;
  const QuestionForm* form_ = nullptr;
  std::vector<Asked> all_;
};

// Whether what was told with the one noun, or with none, answers what is asked with the other.
bool noun_answers(const Telling& telling, const Asked& asked, const std::string& language) {
  if (asked.noun.empty() || telling.relation->object.empty()) return true;
  const auto nouns = language::nouns_that_tell(*telling.relation, asked.noun, language);
  return nouns.empty() || std::ranges::find(nouns, telling.noun) != nouns.end();
}

bool is_inverse(const FrameWords& words, const Telling& telling, const std::string& noun) {
  return std::ranges::any_of(words.nouns, [&](const language::FrameNoun& one) {
    return one.relation == telling.relation && one.inverse && join(one.words, " ") == noun;
  });
}

// What must be answered; nullopt: nothing is known of it.
std::optional<std::string> gold(const FrameWords& words, const Telling& telling,
                                const QuestionForm& form, const Asked& asked) {
  const std::string self = telling.first ? kSpeaker : kOther;
  const bool of_another = asked.first != telling.first && form.asks != Asks::kSubject;
  const bool turned = is_inverse(words, telling, asked.noun) != telling.inverse;
  // Values have no time.
  if (form.past && telling.relation->object.empty()) return std::nullopt;
  if (of_another || (!asked.noun.empty() && turned)) return std::nullopt;
  if (asked.noun.empty() && telling.inverse) return std::nullopt;
  if (!noun_answers(telling, asked, words.language)) return std::nullopt;
  switch (form.asks) {
    case Asks::kObject:
      return telling.object.known;
    case Asks::kSubject:
      return self;
    case Asks::kWhether:
    case Asks::kHas:
      return "true";
    case Asks::kCount:
      return "1";
    case Asks::kBegan:
      return telling.dated ? std::optional<std::string>("2026-06-15") : std::nullopt;
    case Asks::kEnded:
      return std::nullopt;
  }
  return std::nullopt;
}

constexpr std::size_t kStep = 7;

struct Counts {
  std::size_t told = 0, asked = 0, wrong = 0, unanswered = 0;
};

// Of the forms each `step`th.
void check(const FrameWords& words, const Telling& telling, std::size_t step, Counts& counts) {
  const bool thoroughly = step == 1;
  Talk talk;
  // "Google owns YouTube": of who is known.
  if (telling.relation->known_subject && !telling.first) {
    EXPECT_TRUE(talk.tell(std::string(kOther) + " likes Zumba."));
  }
  const bool told = talk.tell(telling.text);
  EXPECT_TRUE(told) << telling.text;
  if (!told) return;
  ++counts.told;
  std::size_t form_number = 0;
  for (const QuestionForm& form : language::detail::question_forms(words.language)) {
    const bool fits = form.relation == nullptr
                          ? form.leads_to.empty() || form.leads_to == telling.relation->leads_to
                          : form.relation == telling.relation;
    if (!fits || (++form_number + counts.told) % step != 0) continue;
    for (const Asked& asked : Asking(words, telling, thoroughly).of(form)) {
      const auto expected = gold(words, telling, form, asked);
      const ask::Answer answer = talk.ask(asked.text);
      std::set<std::string> found = answers(answer);
      found.erase("false");
      ++counts.asked;
      if (!expected) {
        // Of what was told with another noun, or of somebody else, nothing may be said.
        const bool fine = found.empty() || found == std::set<std::string>{telling.object.known};
        EXPECT_TRUE(fine) << telling.text << " " << asked.text << " " << answer.to_json().dump();
        if (!found.empty() && form.relation == nullptr) {
          ++counts.wrong;
          ADD_FAILURE() << telling.text << " " << asked.text << " " << answer.text;
        }
        continue;
      }
      if (found.empty()) ++counts.unanswered;
      if (!found.empty() && found != std::set<std::string>{*expected}) ++counts.wrong;
      EXPECT_EQ(found, std::set<std::string>{*expected})
          << telling.text << " " << asked.text << " " << answer.to_json().dump();
    }
  }
}

void check_language(const std::string& language) {
  const FrameWords& words = *FrameWords::of(language);
  Counts counts;
  std::set<const FrameRelation*> relations;
  for (const Telling& telling : tellings(words)) {
    // All forms with each of their phrases once for a relation; of every further sentence some.
    const bool fresh = relations.insert(telling.relation).second;
    check(words, telling, fresh || std::getenv("ANIMA_TEST_FULL") != nullptr ? 1 : kStep, counts);
  }
  std::printf("%s: %zu relations, %zu sentences told, %zu questions, %zu wrong, %zu unanswered\n",
              language.c_str(), relations.size(), counts.told, counts.asked, counts.wrong,
              counts.unanswered);
}

TEST(ToldQuestions, EachFormInEnglish) { check_language("en"); }
TEST(ToldQuestions, EachFormInGerman) { check_language("de"); }

// By hand: tests/cases/asking/told.txt.
struct Case {
  std::vector<std::string> told;
  std::string question;
  std::set<std::string> answers;
};

std::vector<Case> read_cases() {
  std::ifstream file(ANIMA_SOURCE_DIR "/tests/cases/asking/told.txt");
  std::vector<Case> cases;
  std::vector<std::string> told;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (line.starts_with("told:")) {
      told.clear();
      for (const std::string_view one : split(std::string_view(line).substr(5), '|'))
        told.emplace_back(trim(one));
      continue;
    }
    const std::size_t arrow = line.find("=>");
    if (arrow == std::string::npos) continue;
    Case one{told, std::string(trim(std::string_view(line).substr(0, arrow))), {}};
    for (const std::string_view answer : split(std::string_view(line).substr(arrow + 2), ';'))
      if (!trim(answer).empty()) one.answers.insert(std::string(trim(answer)));
    cases.push_back(std::move(one));
  }
  return cases;
}

TEST(ToldQuestions, AsPeopleAsk) {
  std::vector<std::string> told;
  std::unique_ptr<Talk> talk;
  const std::vector<Case> cases = read_cases();
  ASSERT_GE(cases.size(), 100U);
  for (const Case& one : cases) {
    if (talk == nullptr || one.told != told) {
      talk = std::make_unique<Talk>();
      told = one.told;
      for (const std::string& sentence : told) EXPECT_TRUE(talk->tell(sentence)) << sentence;
    }
    const ask::Answer answer = talk->ask(one.question);
    std::set<std::string> found = answers(answer);
    EXPECT_EQ(found, one.answers) << one.question << "\n" << answer.to_json().dump();
  }
}

}  // namespace
}  // namespace anima::agent::told_questions_test
