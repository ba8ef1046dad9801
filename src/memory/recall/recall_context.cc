#include "memory/recall/recall_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/json/text_array.h"
#include "base/text/text.h"
#include "language/times/local_time.h"
#include "memory/detail/item_store.h"
#include "memory/recall/detail/event_text.h"
#include "memory/recall/detail/facts.h"
#include "memory/recall/detail/prompt_writer.h"
#include "memory/recall/detail/text_access.h"
#include "memory/recall/text_vectors.h"

namespace anima::memory {
namespace {

using detail::FactItem;
using detail::RankedItem;
using store::EntityId;
using store::Snapshot;

constexpr std::size_t kBytesPerToken = 4;
constexpr std::size_t kFewestBytes = 16;  // of an item in a prompt
constexpr std::size_t kMostRanked = 50'000;
constexpr std::size_t kMostInPlace = 16;  // of one text
constexpr std::size_t kNearTexts = 200;   // whose vectors count

Status check(std::string_view question, const ContextOptions& options) {
  if (options.budget_tokens < kSmallestContext) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("a context has at least {} tokens", kSmallestContext));
  }
  if (trim(question).empty())
    return fail(ErrorCode::kInvalidArgument, "a question has at least a word");
  return {};
}

std::int64_t offset_of(const ContextOptions& options, Timestamp clock) {
  return options.offset_seconds.value_or(
      language::local_offset_seconds(options.now.value_or(clock)));
}

// Reads the texts of a ranking one by one.
class TextReader {
 public:
  TextReader(detail::TextAccess& access, const Snapshot& now, std::int64_t offset_seconds)
      : access_(access),
        now_(now.knowledge()),
        books_(now),
        items_(detail::items_in(now)),
        offset_seconds_(offset_seconds) {}

  // Whether it is an event that surely has more bytes than there is room for; such are most of a
  // ranking, and to read one takes longer than to see that.
  bool is_too_long(const RankedItem& ranked, const detail::PromptWriter& writer) const {
    const detail::TextsView& view = access_.view;
    if (view.kind(ranked.item) != detail::TextKind::kEvent) return false;
    const auto size =
        detail::size_of_event(now_, view.entity(ranked.item), view.speaker(ranked.item));
    return size && !writer.has_room(*size);
  }

  // Nothing when the text is gone.
  Result<std::optional<ContextItem>> read(const RankedItem& ranked) {
    const detail::TextsView& view = access_.view;
    memory_.reset();
    ContextItem item;
    item.score = ranked.score;
    item.reason = {ranked.words, ranked.session, ranked.speaker,
                   ranked.date,  ranked.meaning, ranked.traits};
    item.speaker = view.speaker(ranked.item);
    item.day = day_text(view.day(ranked.item, offset_seconds_));
    const EntityId entity = view.entity(ranked.item);
    if (view.kind(ranked.item) == detail::TextKind::kMemory) {
      ANIMA_ASSIGN(memory_, access_.load(entity));
      fill(item, *memory_, entity);
      return std::optional(std::move(item));
    }
    const bool event = view.kind(ranked.item) == detail::TextKind::kEvent;
    const auto said = event ? detail::read_event(now_, entity, item.speaker)
                            : detail::read_episode(books_, entity);
    if (!said) return std::optional<ContextItem>();
    item.id = now_.name(entity);
    item.kind = event ? "event" : "episode";
    item.content = said->content;
    item.trust = said->entry.trust;
    item.source = said->entry.source;
    item.author = said->entry.author;
    item.entries = {said->entry.sequence};
    return std::optional(std::move(item));
  }

  Result<std::string> content(const RankedItem& ranked) {
    ANIMA_ASSIGN(std::optional<ContextItem> item, read(ranked));
    return item ? std::move(item->content) : std::string();
  }

  // Of a memory that was read last.
  Result<ToldState> told_of(ToldTexts& told, const ContextItem& item) const {
    return memory_ ? told.state_of(item.id) : Result<ToldState>(ToldState());
  }
  // In the place of another one; nothing where the reader may not see it.
  std::optional<RankedItem> ranked(const std::string& memory, const RankedItem& in_place_of,
                                   const ContextOptions& options, const SpeakerNames& who) const {
    const auto entity = detail::find_item(items_, memory);
    const auto item = entity ? access_.view.find(*entity) : std::nullopt;
    if (!item) return std::nullopt;
    const MemoryItem& standing = access_.view.standing(*item);
    const bool open = standing.readable_by(options.reader) && standing.is_for(who) &&
                      standing.type != ItemType::kQuarantine && standing.kind != ItemKind::kSession;
    if (!open) return std::nullopt;
    RankedItem found = in_place_of;
    found.item = *item;
    return found;
  }

  // The one that was read last went in.
  void went_in(std::string_view reader) {
    if (memory_) access_.handed_out(*memory_, reader);
  }

 private:
  // Many texts of a ranking are of one day.
  const std::string& day_text(Day day) {
    if (day != day_) {
      day_ = day;
      day_text_ = day == kNoDay ? std::string() : format_day(day);
    }
    return day_text_;
  }
  void fill(ContextItem& item, const MemoryItem& memory, EntityId entity) const {
    item.id = memory.id;
    item.kind = memory.card ? "card" : "memory";
    item.trust = memory.trust;
    item.source = memory.source;
    item.author = memory.created_by;
    item.content = memory.content;
    if (!memory.speaker.empty()) item.content = memory.speaker + ": " + item.content;
    const store::Triple exists{entity, store::kTypePredicate,
                               store::Term::entity(items_.type_of(entity))};
    for (const store::Assertion& assertion : items_.assertions(exists))
      item.entries.push_back(assertion.born);
    std::ranges::sort(item.entries);
  }

  detail::TextAccess& access_;
  Snapshot now_, books_, items_;
  std::int64_t offset_seconds_;
  std::optional<MemoryItem> memory_;
  Day day_ = kNoDay;
  std::string day_text_;  // of it
};

ContextItem item_of(const FactItem& fact) {
  ContextItem item;
  item.id = "C:" + std::to_string(static_cast<std::uint32_t>(fact.subject));
  item.kind = "fact";
  item.trust = fact.entry.trust;
  item.source = fact.entry.source;
  item.author = fact.entry.author;
  item.entries = {fact.entry.sequence};
  item.content = fact.text;
  item.score = fact.score;
  item.reason.words = fact.words;
  item.reason.traits = fact.traits;
  return item;
}

// Fills the prompt with texts and facts by turns, the higher score first.
class Filler {
 public:
  Filler(detail::TextAccess& access, const Snapshot& now, std::string_view question,
         const ContextOptions& options, std::span<const detail::NearText> near)
      : access_(access),
        near_(near),
        reader_(access, now, offset_of(options, access.now)),
        told_(access.space, now, options.now.value_or(access.now)),
        options_(options),
        question_(question),
        writer_(question, budget_bytes(options)),
        tellers_{SpeakerNames(now, options.speaker), access.provenance},
        ranking_(rank(options, now)) {
    if (options.facts)
      facts_ = detail::find_facts(
          now.knowledge(), question, ranking_, access.view.terms(), access.view.size(),
          day_of(options.now.value_or(access.now), offset_of(options, access.now)), tellers_);
  }

  Result<RecalledContext> run() && {
    ANIMA_TRY(
        detail::put_word_first(ranking_, ranking_.windows.items.size(),
                               [&](const RankedItem& ranked) { return reader_.content(ranked); }));
    const auto& texts = ranking_.windows.items;
    std::size_t text = 0, fact = 0;
    while (!writer_.is_full() && (text < texts.size() || fact < facts_.size())) {
      const bool fact_next =
          fact < facts_.size() && (text == texts.size() || facts_[fact].score > texts[text].score);
      if (fact_next) {
        take(facts_[fact++]);
      } else {
        ANIMA_TRY(take_in_order(texts[text++]));
      }
    }
    for (const RankedItem& over : over_) {
      if (!writer_.is_full()) ANIMA_TRY(take_behind(over));
    }
    RecalledContext context;
    context.quarantined = ranking_.quarantined;
    context.withheld = ranking_.withheld;
    if (writer_.size() == 0 && first_) writer_.offer_cut(std::move(*first_));
    const std::size_t found = ranking_.windows.with_words + facts_.size() - said_already_;
    const std::size_t in = with_words_ + (writer_.size() > taken_ ? 1 : 0);
    std::move(writer_).finish(context, found - std::min(found, in));
    return context;
  }

 private:
  static std::size_t budget_bytes(const ContextOptions& options) {
    constexpr std::size_t kMostTokens = ~std::size_t{0} / kBytesPerToken;
    return std::min(options.budget_tokens, kMostTokens) * kBytesPerToken;
  }

  detail::TextRanking rank(const ContextOptions& options, const Snapshot& now) const {
    detail::TextQuestion question;
    question.text = question_;
    question.reader = options.reader;
    question.asker = options.asker.empty() ? options.speaker : options.asker;
    question.speaker = tellers_.speaker;
    question.exchanges = options.sessions;
    question.now = options.now.value_or(access_.now);
    question.offset_seconds = offset_of(options, access_.now);
    question.steps = options.steps;
    question.limit = std::min(budget_bytes(options) / kFewestBytes, kMostRanked);
    question.near = near_;
    question.things = &now;
    return access_.view.rank(question);
  }

  // What took the place of something that a text told comes before it, and a text of which nothing
  // holds behind all others, but where the question names a time: it may be about then.
  Status take_in_order(const RankedItem& ranked) {
    if (taken_texts_.contains(ranked.item)) return {};
    if (writer_.size() > 0 && reader_.is_too_long(ranked, writer_)) {
      taken_texts_.insert(ranked.item);
      ++rank_;
      return {};
    }
    ANIMA_ASSIGN(std::optional<ContextItem> item, read(ranked));
    if (!item) return {};
    if (item->told.no_longer.empty() || !ranking_.traits.dates.empty())
      return take(ranked, *std::move(item));
    const bool over = item->told.over;
    ANIMA_TRY(take_newer(newer_than(*item), ranked));
    if (!over) return take_behind(ranked);
    over_.push_back(ranked);
    return {};
  }

  // What replaced it may have been replaced itself, in part or as a whole. A text that was looked
  // at once is in, or led to what is.
  Status take_newer(std::vector<std::string> newer, const RankedItem& in_place_of) {
    std::vector<RankedItem> in_part;
    for (std::size_t at = 0; at < newer.size() && at < kMostInPlace; ++at) {
      const auto instead = reader_.ranked(newer[at], in_place_of, options_, tellers_.speaker);
      if (!instead || !replacing_.insert(instead->item).second) continue;
      ANIMA_ASSIGN(std::optional<ContextItem> item, read(*instead));
      if (!item) continue;
      if (item->told.no_longer.empty()) {
        ANIMA_TRY(take(*instead, *std::move(item)));
        continue;
      }
      const std::vector<std::string> still_newer = newer_than(*item);
      newer.insert(newer.end(), still_newer.begin(), still_newer.end());
      if (!item->told.over) in_part.push_back(*instead);
    }
    for (const RankedItem& one : in_part) ANIMA_TRY(take_behind(one));
    return {};
  }

  static std::vector<std::string> newer_than(const ContextItem& item) {
    std::vector<std::string> newer;
    for (const FactNoLonger& one : item.told.no_longer)
      newer.insert(newer.end(), one.by.begin(), one.by.end());
    return newer;
  }

  // Behind what took its place.
  Status take_behind(const RankedItem& ranked) {
    ANIMA_ASSIGN(std::optional<ContextItem> item, read(ranked));
    return item ? take(ranked, *std::move(item)) : Status();
  }

  // With what of it holds no longer.
  Result<std::optional<ContextItem>> read(const RankedItem& ranked) {
    ANIMA_ASSIGN(std::optional<ContextItem> item, reader_.read(ranked));
    if (!item) return item;
    ANIMA_ASSIGN(item->told, reader_.told_of(told_, *item));
    for (FactNoLonger& one : item->told.no_longer) {
      std::erase_if(one.by, [&](const std::string& memory) {
        return !reader_.ranked(memory, ranked, options_, tellers_.speaker);
      });
    }
    return item;
  }

  // The item is what the reader read last.
  Status take(const RankedItem& ranked, ContextItem&& item) {
    if (!taken_texts_.insert(ranked.item).second) return {};
    item.rank = rank_++;
    if (!first_ && writer_.size() == 0) first_ = item;
    const std::string content = facts_.empty() ? std::string() : item.content;
    if (!writer_.offer(std::move(item), ranked.item)) return {};
    reader_.went_in(options_.reader);
    ++taken_;
    if (ranked.words > 0) ++with_words_;
    note_stems(content);
    return {};
  }

  void take(const FactItem& fact) {
    if (said_already(fact)) {
      ++said_already_;
      return;
    }
    ContextItem item = item_of(fact);
    item.rank = rank_++;
    if (!first_ && writer_.size() == 0) first_ = item;
    if (!writer_.offer(std::move(item), taken_)) return;
    ++taken_;
    ++with_words_;
  }

  void note_stems(const std::string& content) {
    if (facts_.empty()) return;  // nothing is compared with them
    std::vector<std::string> stems;
    for (const detail::TermWord& word : detail::split_terms(content, language::TermUse::kLetters)) {
      std::string stem = access_.view.terms().stem(ranking_.language, word);
      if (!stem.empty()) stems.push_back(std::move(stem));
    }
    std::ranges::sort(stems);
    in_.push_back(std::move(stems));
  }
  bool said_already(const FactItem& fact) const {
    return std::ranges::any_of(in_, [&](const std::vector<std::string>& stems) {
      return std::ranges::includes(stems, fact.stems);
    });
  }

  detail::TextAccess& access_;
  std::span<const detail::NearText> near_;
  TextReader reader_;
  ToldTexts told_;
  const ContextOptions& options_;
  std::string_view question_;
  detail::PromptWriter writer_;
  detail::Tellers tellers_;
  detail::TextRanking ranking_;
  std::vector<FactItem> facts_;
  std::vector<std::vector<std::string>> in_;  // the stems of each text that is in, sorted
  std::vector<RankedItem> over_;              // texts of which nothing holds
  std::set<detail::ItemNumber> taken_texts_;
  std::set<detail::ItemNumber> replacing_;  // looked at in the place of another one
  std::optional<ContextItem> first_;        // the best, while nothing is in
  std::size_t rank_ = 0, taken_ = 0, with_words_ = 0, said_already_ = 0;
};

}  // namespace

namespace {

struct Meaning {
  std::vector<detail::NearText> near;
  std::string note;
};

// The question's vector is asked for before the memory is locked: a server may be slow.
Meaning meaning_of(MemoryManager& memory, std::string_view question, const SpeakerNames& speaker) {
  Meaning meaning;
  const std::shared_ptr<TextVectors> vectors = memory.vectors();
  if (vectors == nullptr) return meaning;
  // Of a speaker the nearest of his own are wanted, however many of others are nearer.
  auto near = vectors->nearest(question, speaker.empty() ? kNearTexts : vectors->size());
  if (near) {
    meaning.near = std::move(*near);
  } else {
    meaning.note = "recalled by words alone: " + near.error().describe();
  }
  return meaning;
}

void keep_own(const detail::TextsView& view, const SpeakerNames& speaker, Meaning& meaning) {
  if (speaker.empty()) return;
  std::erase_if(meaning.near, [&](const detail::NearText& text) {
    const auto item = view.find(text.entity);
    return !item || !view.standing(*item).is_for(speaker);
  });
  if (meaning.near.size() > kNearTexts) meaning.near.resize(kNearTexts);
}

}  // namespace

Result<RecalledContext> recall_context(MemoryManager& memory, const Snapshot& snapshot,
                                       std::string_view question, const ContextOptions& options) {
  ANIMA_TRY(check(question, options));
  const SpeakerNames speaker(snapshot, options.speaker);
  Meaning meaning = meaning_of(memory, question, speaker);
  RecalledContext context;
  ANIMA_TRY(memory.recall(
      snapshot,
      [&](detail::TextAccess& access) -> Status {
        keep_own(access.view, speaker, meaning);
        ANIMA_ASSIGN(context, Filler(access, snapshot, question, options, meaning.near).run());
        return {};
      },
      !options.speaker.empty()));
  context.note = std::move(meaning.note);
  return context;
}

Result<std::vector<std::string>> best_texts(MemoryManager& memory, const Snapshot& snapshot,
                                            std::string_view question, std::size_t limit,
                                            const ContextOptions& options) {
  ANIMA_TRY(check(question, options));
  const SpeakerNames speaker(snapshot, options.speaker);
  Meaning meaning = meaning_of(memory, question, speaker);
  std::vector<std::string> ids;
  ANIMA_TRY(memory.recall(snapshot, [&](detail::TextAccess& access) -> Status {
    keep_own(access.view, speaker, meaning);
    detail::TextQuestion asked;
    asked.text = question;
    asked.reader = options.reader;
    asked.asker = options.asker.empty() ? options.speaker : options.asker;
    asked.speaker = speaker;
    asked.exchanges = options.sessions;
    asked.now = options.now.value_or(access.now);
    asked.offset_seconds = offset_of(options, access.now);
    asked.steps = options.steps;
    asked.limit = limit;
    asked.near = meaning.near;
    asked.things = &snapshot;
    detail::TextRanking ranking = access.view.rank(asked);
    TextReader reader(access, snapshot, asked.offset_seconds);
    ANIMA_TRY(detail::put_word_first(
        ranking, limit, [&](const RankedItem& ranked) { return reader.content(ranked); }));
    for (const RankedItem& ranked : ranking.windows.items)
      ids.emplace_back(snapshot.name(access.view.entity(ranked.item)));
    return {};
  }));
  return ids;
}

namespace {

Json over_json(const ToldState& told) {
  Json facts = Json::array();
  for (const FactNoLonger& one : told.no_longer)
    facts.push_back(Json::object({{"fact", one.fact}, {"by", text_array(one.by)}}));
  return Json::object({{"whole", told.over}, {"facts", std::move(facts)}});
}

}  // namespace

Json RecalledContext::to_json(bool reasons) const {
  Json list = Json::array();
  for (const ContextItem& item : items) {
    Json entries = Json::array();
    for (const store::Sequence entry : item.entries)
      entries.push_back(static_cast<std::uint64_t>(entry));
    Json json = Json::object({{"id", item.id},
                              {"kind", item.kind},
                              {"trust", std::string(govern::trust_name(item.trust))},
                              {"source", item.source},
                              {"author", item.author},
                              {"entries", std::move(entries)},
                              {"bytes", static_cast<std::uint64_t>(item.content.size())},
                              {"shown", static_cast<std::uint64_t>(item.shown_bytes)},
                              {"rank", static_cast<std::uint64_t>(item.rank + 1)},
                              {"score", item.score}});
    if (!item.speaker.empty()) json.set("speaker", item.speaker);
    if (!item.day.empty()) json.set("day", item.day);
    if (!item.told.no_longer.empty()) json.set("over", over_json(item.told));
    if (reasons) {
      json.set("reason", Json::object({{"words", item.reason.words},
                                       {"session", item.reason.session},
                                       {"participant", item.reason.participant},
                                       {"date", item.reason.date},
                                       {"meaning", item.reason.meaning},
                                       {"traits", item.reason.traits}}));
    }
    list.push_back(std::move(json));
  }
  Json json = Json::object({{"text", text},
                            {"label", std::string(govern::trust_name(label))},
                            {"fence", fence},
                            {"tokens", static_cast<std::uint64_t>(tokens())},
                            {"items", std::move(list)},
                            {"left_out", static_cast<std::uint64_t>(left_out)},
                            {"quarantined", static_cast<std::uint64_t>(quarantined)},
                            {"withheld", static_cast<std::uint64_t>(withheld)}});
  if (!note.empty()) json.set("note", note);
  return json;
}

}  // namespace anima::memory
