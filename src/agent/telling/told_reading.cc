// How ToldFacts reads: sentences in the words of the space, texts, and answers to what was asked.
#include <algorithm>
#include <functional>
#include <map>

#include "agent/telling/detail/told_records.h"
#include "agent/telling/detail/told_statements.h"
#include "agent/telling/told_facts.h"
#include "base/json/json_member.h"
#include "base/text/text.h"
#include "govern/ledger/ledger.h"
#include "language/frames/frame_words.h"
#include "language/numbers/lexemes.h"
#include "language/numbers/number_words.h"
#include "language/statements/statement_words.h"
#include "language/text/word_uses.h"
#include "store/act.h"
#include "store/holds.h"
#include "store/present.h"

namespace anima::agent {
namespace {

using ask::Said;
using ask::Saying;
using language::SentenceAct;

constexpr std::size_t kMostLookedAt = 16, kMostLookedBack = 4096, kLongestAnswer = 80;

// The record of a message names its session; where it does not, it may be of any.
bool is_of_conversation(std::string_view message_record, std::string_view source) {
  const auto record = parse_json(message_record);
  const std::string session = record ? text_member(*record, "session") : std::string();
  return session.empty() || session_source(session) == conversation_of(source);
}

}  // namespace

Result<Said> ToldFacts::read_as(const memory::NewMemory& item, const std::string& speaker,
                                const LastFacts::Last* last, Timestamp now) {
  if (asker_ == nullptr) {
    ANIMA_ASSIGN(asker_, SpaceAsker::open(space_, files_));
  }
  ask::AskOptions options;
  options.now = now;
  options.speaker = speaker;
  options.teller = item.trust;
  return asker_->saying(item.content, options,
                        last == nullptr ? ask::LastSaid()
                                        : ask::LastSaid{last->facts, last->ended, last->told,
                                                        last->is_of_last_line()});
}

namespace {

// What is told to hold no longer, and did hold.
std::optional<store::Triple> ended_before(const store::Snapshot& now, const Said& said) {
  const auto fact = said.denied ? detail::written_as(now, *said.denied) : std::nullopt;
  return fact && detail::held_before(now, *fact) ? fact : std::nullopt;
}

}  // namespace

Result<Said> ToldFacts::read(const memory::NewMemory& item, const std::string& speaker) {
  ANIMA_ASSIGN(Said said, read_as(item, speaker));
  if (said.saying == Saying::kAgrees) return Said{};  // answer_in() takes what it answers
  ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
  if (const auto ended = ended_before(now.knowledge(), said)) {
    said.saying = Saying::kEnds;
    said.ends = ended;
    return said;
  }
  // Who corrects something may have been told of it by another process.
  const bool corrects = said.corrects || said.saying == Saying::kUnclear;
  if (corrects && last_.find(said_by(item)) == nullptr) {
    ANIMA_TRY(find_last(item));
    if (last_.find(said_by(item)) != nullptr) return read_as(item, speaker);
  }
  return said;
}

// The newest of what the same person said in the same conversation that still stands, or ended what
// is over still, with all that the line said of it.
Status ToldFacts::find_last(const memory::NewMemory& item) {
  ANIMA_ASSIGN(auto records, told_records());
  ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
  std::ranges::sort(records, std::ranges::greater(), &memory::ProvenanceRecord::id);
  const SaidBy by = said_by(item);
  LastFacts::Last last{.told = true};
  store::Sequence newest = store::Sequence::kNone;
  std::size_t looked_at = 0;
  for (const memory::ProvenanceRecord* one : records) {
    const store::EntryInfo entry = now.entry(one->entry);
    if (!is_same_talk({std::string(entry.author), one->speaker, std::string(entry.source)}, by))
      continue;
    const bool of_other_act = newest != store::Sequence::kNone &&
                              store::act_of(now, newest) != store::act_of(now, one->entry);
    if (++looked_at > kMostLookedAt || of_other_act) break;
    const Timestamp time = store::present(now, clock_);
    const detail::ToldByRecord told = detail::told_by_record(now, *one, records);
    const auto &fact = told.stated, &ended = told.ended;
    // What was told of a time that is over is what the line told, too.
    const bool is_told =
        fact && (told.begin || store::is_valid(store::standing_of(now, *fact), time, time));
    if (is_told) {
      last.facts.insert(last.facts.begin(), {*fact, true});
    } else if (ended && !(now.contains(*ended) &&
                          store::is_valid(store::standing_of(now, *ended), time, time))) {
      last.ended.insert(last.ended.begin(), *ended);
    } else {
      continue;
    }
    last.sources.push_back({fact ? *fact : *ended, one->text2, one->entry});
    newest = std::max(newest, one->entry);
  }
  if (newest == store::Sequence::kNone) return {};
  ANIMA_ASSIGN(const bool next, is_next_line(now, newest, item));
  last.lines = next ? 1 : 2;
  last_.set(said_by(item), std::move(last));
  return {};
}

namespace {

// What an entry says of a line: that it is a message of the conversation, and whose words it keeps
// or tells; empty: of nobody in particular.
struct LineIn {
  bool message = false;
  std::string speaker = {};
};

Result<LineIn> line_in(const store::LogEntry& entry, std::string_view source) {
  LineIn line;
  if (!entry.seal.empty()) return line;
  ANIMA_TRY(
      store::visit_records(entry, [&](store::RecordKind kind, std::string_view payload) -> Status {
        if (kind == govern::kMessageRecord)
          line.message = line.message || is_of_conversation(payload, source);
        if (!line.speaker.empty()) return {};
        if (kind == store::RecordKind::kAudit) {
          const auto record = parse_json(payload);
          const Json* const details = record ? record->find("details") : nullptr;
          if (details != nullptr) line.speaker = text_member(*details, memory::kSpeakerKey);
        } else if (kind == store::RecordKind::kProvenance) {
          ANIMA_ASSIGN(const auto records, memory::decode_provenance(payload));
          for (const memory::ProvenanceRecord& one : records)
            if (line.speaker.empty()) line.speaker = one.speaker;
        }
        return {};
      }));
  return line;
}

}  // namespace

// Whether nothing was said in the conversation since that entry's act but the line that is said
// now. What the same person does elsewhere in the space, and what others do or say, is no line of
// it.
Result<bool> ToldFacts::is_next_line(const store::Snapshot& now, store::Sequence before,
                                     const memory::NewMemory& item) {
  const SaidBy by = said_by(item);
  const store::Sequence act = store::act_of(now, before);
  const store::Sequence own = store::ActScope::current(*space_).first;
  std::map<store::Sequence, std::string> lines;  // whose words, by act
  std::size_t looked_at = 0;
  for (auto at = static_cast<std::uint64_t>(now.sequence());
       at > static_cast<std::uint64_t>(before); --at) {
    if (++looked_at > kMostLookedBack) return false;
    const store::Sequence of = store::act_of(now, store::Sequence{at});
    if (of == act || of == own) continue;
    const store::EntryInfo entry = now.entry(store::Sequence{at});
    if (entry.author != by.author) continue;
    ANIMA_ASSIGN(const store::LogEntry stored, space_->log().entry(store::Sequence{at}));
    ANIMA_ASSIGN(const LineIn line, line_in(stored, by.source));
    if (line.message && by.speaker.empty()) return false;
    if (conversation_of(entry.source) != conversation_of(by.source)) continue;
    std::string& speaker = lines[of];
    if (speaker.empty()) speaker = line.speaker;
  }
  return std::ranges::none_of(lines, [&](const auto& line) {
    return SaidBy(by.author, line.second, {}).speaker == by.speaker;
  });
}

Result<bool> ToldFacts::is_something_since(const store::Snapshot& now, store::Sequence before,
                                           const SaidBy& by) {
  const store::Sequence act = store::act_of(now, before);
  const store::Sequence own = store::ActScope::current(*space_).first;
  std::map<store::Sequence, std::string> since;  // whose words, by act
  for (auto at = static_cast<std::uint64_t>(now.sequence());
       at > static_cast<std::uint64_t>(before); --at) {
    const store::Sequence of = store::act_of(now, store::Sequence{at});
    if (of == act || of == own) continue;
    if (now.entry(store::Sequence{at}).author != by.author || since.size() > kMostLookedBack)
      return true;
    ANIMA_ASSIGN(const store::LogEntry stored, space_->log().entry(store::Sequence{at}));
    ANIMA_ASSIGN(const LineIn line, line_in(stored, by.source));
    std::string& speaker = since[of];
    if (speaker.empty()) speaker = line.speaker;
  }
  return std::ranges::any_of(since, [&](const auto& one) {
    return one.second.empty() || SaidBy(by.author, one.second, {}).speaker == by.speaker;
  });
}

Result<language::Telling> ToldFacts::read_text(const memory::NewMemory& item,
                                               const std::string& speaker) {
  Status status;
  const auto in_words_of_space = [&](std::string_view sentence) {
    language::OtherRead other;
    memory::NewMemory alone = item;
    alone.content = std::string(sentence);
    const auto said = read(alone, speaker);
    if (!said) {
      status = fail(said.error());
      return other;
    }
    other.left = said->left_over;
    other.leads = said->saying == Saying::kNothing && said->corrects;
    switch (said->saying) {
      case Saying::kNothing:
        other.act = SentenceAct::kNothing;
        break;
      // What is asked back is not read yet, and may be about what stands beside it ("I am lying.").
      case Saying::kText:
      case Saying::kUnclear:
      case Saying::kOtherKind:
        other.act = SentenceAct::kNotRead;
        break;
      case Saying::kFact:
        other.act = SentenceAct::kStates;
        break;
      case Saying::kCorrects:
        other.act = SentenceAct::kCorrects;
        break;
      case Saying::kEnds:
        other.act = SentenceAct::kEnds;
        break;
      case Saying::kWithdraws:
      case Saying::kAgrees:
        other.act = SentenceAct::kTakesBack;
        break;
    }
    return other;
  };
  language::Telling telling =
      language::read_telling(item.content, {time_of(item)}, in_words_of_space);
  if (!status) return fail(status.error());
  return telling;
}

namespace {

// "2", "two", "the second".
std::optional<std::int64_t> number_alone(std::string_view text) {
  const language::Lexemes lexemes = language::cut_lexemes(text);
  const bool article =
      lexemes.size() > 1 && language::words_used_as("articles").contains(lexemes.front().text);
  const std::size_t from = article ? 1 : 0;
  if (lexemes.size() == from + 1 && lexemes.back().kind == language::Lexeme::Kind::kDigits)
    return lexemes.back().number;
  for (const std::string& language : language::FrameWords::languages()) {
    const auto* words = language::NumberWords::of(language);
    const auto number = words == nullptr ? std::nullopt : words->read(lexemes, from);
    if (number && number->end == lexemes.size()) return number->value;
  }
  return std::nullopt;
}

// Yes, no, or of the choices one by its name or its number: "Oslo", "2", "the second".
std::optional<std::string> answer_of(std::string_view words, const ToldQuestion& question) {
  if (language::is_agreement(words)) return std::string(kYesAnswer);
  if (language::is_refusal(words)) return std::string(kNoAnswer);
  const std::string_view bare = words.substr(0, words.find_last_not_of(".!") + 1);
  for (const ToldQuestion::Choice& one : question.choices)
    if (equals_ignoring_ascii_case(one.label, bare)) return one.label;
  const auto number = number_alone(bare);
  if (number && *number >= 1 && *number <= static_cast<std::int64_t>(question.choices.size()))
    return question.choices[static_cast<std::size_t>(*number - 1)].label;
  return std::nullopt;
}

}  // namespace

Result<std::optional<std::string>> ToldFacts::answer_in(const memory::NewMemory& item) {
  const std::string_view words = trim(item.content);
  if (words.empty() || words.size() > kLongestAnswer) return std::optional<std::string>();
  ANIMA_ASSIGN(const auto open, asked_before(item));
  if (!open) return std::optional<std::string>();
  std::optional<std::string> answer = answer_of(words, open->question);
  if (answer) last_.set_asked(said_by(item), open->id);
  return answer;
}

// What the line before this one asked. Who is trusted less answers nothing for who told it.
Result<std::optional<OpenQuestion>> ToldFacts::asked_before(const memory::NewMemory& item) {
  const std::string asked = last_.asked(said_by(item));
  std::optional<OpenQuestion> open;
  if (!asked.empty()) {
    if (auto found = question(asked)) open = *std::move(found);
  } else if (last_.is_first_line(said_by(item))) {
    ANIMA_ASSIGN(open, find_asked(item));
  }
  if (open && item.trust < open->trust) open.reset();
  return open;
}

// What another process asked back in the line of this conversation before this one.
Result<std::optional<OpenQuestion>> ToldFacts::find_asked(const memory::NewMemory& item) {
  using Found = std::optional<OpenQuestion>;
  ANIMA_ASSIGN(const std::vector<OpenQuestion> open, questions());
  const SaidBy by = said_by(item);
  const auto asked = std::ranges::find_if(open, [&](const OpenQuestion& one) {
    return is_same_talk(said_by(one), by) && !one.before && one.trust <= item.trust;
  });
  if (asked == open.end()) return Found();
  ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
  ANIMA_ASSIGN(const bool next, is_next_line(now, asked->entry, item));
  return next ? Found(*asked) : Found();
}

Result<bool> ToldFacts::is_kept_as_text(const memory::NewMemory& item, const std::string& speaker) {
  ANIMA_ASSIGN(const auto answer, answer_in(item));
  if (answer) return false;
  ANIMA_ASSIGN(const Said said, read(item, speaker));
  return said.saying != Saying::kWithdraws && said.saying != Saying::kAgrees;
}

}  // namespace anima::agent
