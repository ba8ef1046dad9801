// How ToldFacts asks back, and takes answers. A question is about what is known: it is asked as
// long as its text, read again as the space is now, asks it, and an answer to another one notes
// nothing.
#include <fmt/format.h>

#include <algorithm>

#include "agent/telling/detail/told_statements.h"
#include "agent/telling/told_facts.h"
#include "base/text/text.h"
#include "store/holds.h"
#include "store/present.h"
#include "store/symbols.h"

namespace anima::agent {

using ask::Said;
using ask::Saying;
using store::Triple;

namespace {

// A meaning of a sentence, as it would be noted.
struct Meaning {
  Said said;
  std::string label, notes;
};

std::vector<Meaning> meanings_of(const Said& said, const store::Snapshot& now) {
  std::vector<Meaning> meanings;
  if (said.saying == Saying::kOtherKind && said.fact) {
    meanings.push_back({said, said.fact->said, said.fact->text});
    meanings.back().said.saying = Saying::kFact;
  }
  for (const Said& one : said.choices) {
    if (!one.ends) continue;
    const std::string value = store::term_label(now, one.ends->object);
    const std::string whole = fmt::format("{} {}", detail::fact_label(now, *one.ends), value);
    const bool unlike = std::ranges::none_of(said.choices, [&](const Said& other) {
      return &other != &one && other.ends && store::term_label(now, other.ends->object) == value;
    });
    const std::string notes = one.fact                      ? one.fact->text
                              : one.saying == Saying::kEnds ? "no longer " + whole
                              : one.reopens                 ? whole
                                                            : whole + " is taken back";
    meanings.push_back({one, unlike ? value : whole, notes});
  }
  return meanings;
}

ToldQuestion question_of(const Said& said, const std::vector<Meaning>& meanings) {
  ToldQuestion question;
  question.asks = said.asks;
  if (meanings.size() == 1) {
    question.proposes = meanings.front().notes;
    question.yes = {{std::string(kMeaning), meanings.front().label}};
    return question;
  }
  for (const Meaning& one : meanings)
    question.choices.push_back({one.label, {{std::string(kMeaning), one.label}}});
  return question;
}

// What was asked about, as the word of who told it.
memory::NewMemory item_of(const OpenQuestion& asked) {
  memory::NewMemory item;
  item.content = asked.text;
  item.created_by = asked.author;
  item.speaker = asked.speaker;
  item.source = asked.source;
  item.trust = asked.trust;
  item.confidence = asked.confidence;
  return item;
}

Unexpected<Error> no_answer(const OpenQuestion& asked, std::string_view answer) {
  return fail(ErrorCode::kInvalidArgument, "'" + std::string(answer) + "' is no answer to it",
              asked.id, "the answers are " + asked.question.choice_labels().dump());
}

// What an answer decides; null: it is none.
const Decisions* decisions_by(const ToldQuestion& question, std::string_view answer) {
  if (answer == kYesAnswer && !question.proposes.empty()) return &question.yes;
  for (const ToldQuestion::Choice& one : question.choices)
    if (equals_ignoring_ascii_case(one.label, answer)) return &one.decides;
  return nullptr;
}

}  // namespace

// It is kept with what was said before it, by which it is read again once it is answered.
Result<Told> ToldFacts::ask_back(const Telling& telling, const Said& said,
                                 const std::string& speaker) {
  ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
  ToldQuestion question = question_of(said, meanings_of(said, now));
  if (!question.may_be_answered()) return Told::asking(said.asks);
  const memory::NewMemory& item = telling.item;
  OpenQuestion asked = question_about(item, telling.memory(), speaker, store::present(now, clock_));
  asked.decided = {{std::string(kSaidBefore), last_of(item).to_json().dump()}};
  Learnt learnt;
  learnt.question = std::move(question);
  ANIMA_ASSIGN(Told told, told_of(item, telling.memory(), std::move(learnt), std::move(asked)));
  if (said.fact) told.asks = said.asks;  // which says what a yes notes
  return told;
}

namespace {

Unexpected<Error> not_asked(const OpenQuestion& asked) {
  return fail(ErrorCode::kNotFound,
              "what the question '" + asked.id + "' is about does not count any more", {},
              "anima memory review lists what is asked");
}

Result<LastFacts::Last> said_before(const OpenQuestion& asked) {
  ANIMA_ASSIGN(const Json last, parse_json(asked.decided.at(std::string(kSaidBefore))));
  return LastFacts::Last::from_json(last);
}

bool is_of_meanings(const OpenQuestion& asked) {
  return asked.decided.contains(std::string(kSaidBefore));
}

// Whether anything that was said before it still counts, or nothing was.
bool counts(const store::Snapshot& now, const LastFacts::Last& last, Timestamp time) {
  const auto stands = [&](const ask::SaidFact& one) { return now.contains(one.fact); };
  const auto ended = [&](const Triple& one) { return !detail::holds(now, one, time); };
  return (last.facts.empty() && last.ended.empty()) || std::ranges::any_of(last.facts, stands) ||
         std::ranges::any_of(last.ended, ended);
}

Learning learning_of(const OpenQuestion& asked, const memory::NewMemory& item) {
  return {.item = item,
          .memory = asked.memory,
          .speaker = asked.speaker,
          .now = asked.said_at,
          .before = asked.before,
          .decided = asked.decided,
          .since = asked.since};
}

}  // namespace

Result<std::vector<OpenQuestion>> ToldFacts::questions() {
  ANIMA_ASSIGN(std::vector<OpenQuestion> open, open_questions(*space_));
  std::vector<OpenQuestion> asked;
  for (OpenQuestion& one : open) {
    ANIMA_ASSIGN(auto is, asked_now(one));
    if (!is) continue;
    one.question = *std::move(is);
    asked.push_back(std::move(one));
  }
  return asked;
}

Result<OpenQuestion> ToldFacts::question(std::string_view id) {
  ANIMA_ASSIGN(OpenQuestion asked, find_question(*space_, id));
  ANIMA_ASSIGN(const auto is, asked_now(asked));
  if (!is) return not_asked(asked);
  return asked;
}

// What it asks by now; nullopt: nothing.
Result<std::optional<ToldQuestion>> ToldFacts::asked_now(const OpenQuestion& asked) {
  using Asked = std::optional<ToldQuestion>;
  if (asked.text.empty()) return Asked(asked.question);  // it can be dropped
  ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
  if (!asked.memory.empty() && !detail::is_remembered(now, asked.memory)) return Asked();
  if (is_of_meanings(asked)) {
    ANIMA_ASSIGN(const LastFacts::Last last, said_before(asked));
    if (!counts(now, last, store::present(now, clock_))) return Asked();
    ANIMA_ASSIGN(const Said said, read_as(item_of(asked), asked.speaker, &last, asked.said_at));
    const bool same = said.asks == asked.question.asks && !meanings_of(said, now).empty();
    return same ? Asked(asked.question) : Asked();
  }
  const memory::NewMemory item = item_of(asked);
  Learning learning = learning_of(asked, item);
  const language::Telling read = language::read_telling(asked.text, {asked.said_at});
  if (!read.teaches_openly()) return Asked();
  const AskedBack is = asked_back(now, learning, read);
  if (is.question.may_be_answered()) return Asked(is.question);
  if (is.question.asks.empty()) {
    // Of words it is asked where nothing is known, too.
    if (!is.teaches) return Asked();
    ANIMA_ASSIGN(const auto nothing, store::Space::in_memory());
    ANIMA_ASSIGN(const store::Snapshot empty, nothing->snapshot());
    const bool same = asked_back(empty, learning, read).question.asks == asked.question.asks;
    return same ? Asked(asked.question) : Asked();
  }
  // What was said before its text is kept with the answers alone.
  std::vector<Decisions> answers;
  if (!asked.question.proposes.empty()) answers.push_back(asked.question.yes);
  for (const ToldQuestion::Choice& one : asked.question.choices) answers.push_back(one.decides);
  for (const Decisions& decides : answers) {
    learning.decided = asked.decided;
    for (const auto& [about, decision] : decides) learning.decided[about] = decision;
    const AskedBack further = asked_back(now, learning, read);
    if (further.question.may_be_answered() || further.teaches) return Asked(asked.question);
  }
  return Asked();
}

Result<Told> ToldFacts::decide_meaning(const OpenQuestion& asked, std::string_view answer,
                                       const store::Origin& by) {
  ANIMA_ASSIGN(const LastFacts::Last last, said_before(asked));
  const Decisions* decides = decisions_by(asked.question, answer);
  const auto meaning =
      decides == nullptr ? Decisions::const_iterator() : decides->find(std::string(kMeaning));
  if (decides == nullptr || meaning == decides->end()) return no_answer(asked, answer);
  const memory::NewMemory item = item_of(asked);
  ANIMA_ASSIGN(const Said said, read_as(item, asked.speaker, &last, asked.said_at));
  ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
  const std::vector<Meaning> meanings = meanings_of(said, now);
  const auto meant = std::ranges::find(meanings, meaning->second, &Meaning::label);
  if (meant == meanings.end()) return not_asked(asked);
  const Said& means = meant->said;
  if (means.ends && !means.reopens && !now.contains(*means.ends)) return not_asked(asked);
  ANIMA_TRY(close_question(*space_, asked.id, by));
  memory::StoredMemory stored;
  stored.id = asked.memory;
  return write({item, asked.memory.empty() ? nullptr : &stored, asked.since}, means, last);
}

Result<Told> ToldFacts::keep_answer(const memory::NewMemory& item, const std::string& answer) {
  const std::string asked = last_.asked(said_by(item));
  if (asked.empty()) return Told{};
  const auto open = question(asked);
  if (!open) return Told::asking("That question is closed by now.");
  ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
  ANIMA_ASSIGN(const bool late, is_something_since(now, open->first, said_by(item)));
  return decide(*open, answer, {item.created_by, item.source, item.trust, store::Sequence::kNone},
                late);
}

namespace {

void tell_question(const ToldQuestion& question, Told& told) {
  told.asks = question.text();
  told.proposes = question.proposes;
  const Json labels = question.choice_labels();
  for (const Json& label : labels.as_array()) told.choices.push_back(label.as_string());
}

}  // namespace

Result<Told> ToldFacts::ask_again(const memory::NewMemory& item) {
  Told told;
  ANIMA_ASSIGN(const auto open, asked_before(item));
  if (!open) return told;
  ANIMA_TRY(renew_question(*space_, open->id,
                           {item.created_by, item.source, item.trust, store::Sequence::kNone},
                           now()));
  last_.set_asked(said_by(item), open->id);
  tell_question(open->question, told);
  told.question = open->id;
  return told;
}

// What came of it; what is asked back is kept, and the next line may answer it.
Result<Told> ToldFacts::told_of(const memory::NewMemory& item, const std::string& memory,
                                Learnt learnt, OpenQuestion asked) {
  Told told;
  told.stated = std::move(learnt.stated);
  told.corrected = std::move(learnt.corrected);
  told.asks = std::move(learnt.asks);
  if (!learnt.facts.empty() || !learnt.ended.empty()) {
    LastFacts::Last last{.facts = std::move(learnt.facts), .told = true};
    last.ended = std::move(learnt.ended);
    for (const ask::SaidFact& one : last.facts) last.sources.push_back({one.fact, memory});
    for (const Triple& one : last.ended) last.sources.push_back({one, memory, learnt.entry});
    last_.add(said_by(item), std::move(last));
  }
  if (!learnt.question || !learnt.question->may_be_answered()) return told;
  asked.question = std::move(*learnt.question);
  tell_question(asked.question, told);
  ANIMA_ASSIGN(told.question, keep_question(*space_, std::move(asked)));
  last_.set_asked(said_by(item), told.question);
  return told;
}

Result<Told> ToldFacts::decide(const OpenQuestion& asked, std::string_view answer,
                               const store::Origin& by, bool late) {
  Told told;
  ANIMA_ASSIGN(auto is, asked_now(asked));
  if (!is) return not_asked(asked);
  last_.settle(said_by(asked));
  if (answer == kNoAnswer) {
    ANIMA_TRY(close_question(*space_, asked.id, by));
    told.dropped = true;
    return told;
  }
  if (is_of_meanings(asked)) return decide_meaning(asked, answer, by);
  const memory::NewMemory item = item_of(asked);
  OpenQuestion next = asked;
  const Decisions *decides = decisions_by(asked.question, answer), *now = decisions_by(*is, answer);
  if (decides == nullptr && now == nullptr) return no_answer(asked, answer);
  const bool same = decides != nullptr && now != nullptr && *decides == *now &&
                    (answer != kYesAnswer || asked.question.proposes == is->proposes);
  if (!same) {
    Learnt learnt;
    learnt.question = *std::move(is);
    return told_of(item, asked.memory, std::move(learnt), std::move(next));
  }
  Learning learning = learning_of(asked, item);
  learning.before = asked.before || late;
  learning.late = late;
  if (answer == kYesAnswer) learning.expects = asked.question.proposes;
  const language::Telling read = language::read_telling(asked.text, {asked.said_at});
  for (const auto& [about, decision] : *decides) learning.decided[about] = decision;
  ANIMA_ASSIGN(Learnt learnt, learn_telling(*space_, learning, read));
  const bool again = learnt.question && learnt.question->may_be_answered();
  if (!again) ANIMA_TRY(close_question(*space_, asked.id, by));
  if (!again && learnt.asks.empty() && learnt.stated.empty() && learnt.corrected.empty())
    learnt.asks = "Something else is known since, so nothing was noted.";
  next.decided = learning.decided;
  return told_of(item, asked.memory, std::move(learnt), std::move(next));
}

}  // namespace anima::agent
