// What an Agent remembers: told, changed, asked back, recalled.
#include <algorithm>

#include "anima/agent.h"
#include "library/detail/open_agent.h"
#include "store/act.h"

namespace anima {
namespace {

constexpr std::string_view kAuthor = "library";

Result<memory::NewMemory> item_from(std::string_view text, const Keeping& keeping) {
  const auto known = memory::parse_partition(keeping.partition);
  if (!known) {
    return fail(ErrorCode::kInvalidArgument, "there is no partition '" + keeping.partition + "'",
                {}, "PUBLIC, INTERNAL or SENSITIVE");
  }
  memory::NewMemory item;
  item.partition = *known;
  item.readers = keeping.readers;
  item.content = text;
  item.source = keeping.source;
  item.trust = govern::lowest(trust_of(keeping.trust), govern::Trust::kOperator);
  item.created_by = keeping.author.empty() ? kAuthor : keeping.author;
  ANIMA_ASSIGN(item.speaker, memory::speaker_given(keeping.speaker));
  return item;
}

Unexpected<Error> quarantined(const memory::StoredMemory& stored, std::string_view rest) {
  return fail(ErrorCode::kDenied,
              "the text was quarantined" + std::string(rest) + ": " + stored.reason, stored.id);
}

// Whoever has the folder is its owner, and changes and sees what anybody kept.
agent::MemoryCaller owner_of_memories(std::string_view author = kAuthor) {
  return {.author = std::string(author.empty() ? kAuthor : author),
          .source = std::string(kAuthor),
          .trust = govern::Trust::kOperator,
          .reader = "operator"};
}

Remembered remembered_from(const memory::StoredMemory& stored, const agent::Told& told,
                           std::vector<std::string> taken_back, std::uint64_t entry) {
  return {.id = stored.id,
          .known_before = stored.known_before,
          .stated = told.stated,
          .corrected = told.corrected,
          .taken_back = std::move(taken_back),
          .left_over = told.left_over,
          .asks = told.asks,
          .question = told.question,
          .proposes = told.proposes,
          .choices = told.choices,
          .entry = entry};
}

OpenQuestion question_from(const agent::OpenQuestion& open) {
  std::vector<std::string> choices;
  for (const auto& choice : open.question.choices) choices.push_back(choice.label);
  return {.id = open.id,
          .text = open.text,
          .asks = open.question.asks,
          .proposes = open.question.proposes,
          .choices = std::move(choices),
          .memory = open.memory,
          .author = open.author,
          .source = open.source,
          .said = format_timestamp(open.said_at),
          .trust = level_of(open.trust),
          .speaker = open.speaker};
}

LearningCard card_from(const memory::Card& card) {
  return {card.id, card.front, card.back, format_timestamp(card.next), card.interval_days};
}

RememberedText text_from(const memory::MemoryItem& item, Timestamp now) {
  RememberedText text;
  text.id = item.id;
  text.kind = memory::to_string(item.kind);
  text.type = memory::to_string(item.type);
  text.partition = memory::to_string(item.partition);
  text.readers = item.readers;
  text.content = item.content;
  text.trust = level_of(item.trust);
  text.confidence = item.confidence_at(now);
  text.author = item.created_by;
  text.source = item.source;
  text.session = item.session;
  text.speaker = item.speaker;
  text.created = format_timestamp(item.created_at);
  text.verified_by = item.verified_by;
  return text;
}

}  // namespace

Result<Context> Agent::recall(std::string_view question, const RecallSettings& settings) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  memory::ContextOptions options;
  options.budget_tokens = settings.budget_tokens;
  options.reader = settings.reader;
  options.facts = settings.facts;
  options.asker = settings.asker;
  ANIMA_ASSIGN(options.speaker, memory::speaker_given(settings.speaker));
  ANIMA_ASSIGN(memory::RecalledContext recalled, state_->house->recall(question, options));
  Context context;
  context.details = recalled.to_json();
  context.label = level_of(recalled.label);
  context.items = recalled.items.size();
  context.left_out = recalled.left_out;
  context.quarantined = recalled.quarantined;
  context.withheld = recalled.withheld;
  context.text = std::move(recalled.text);
  return context;
}

Result<Remembered> Agent::remember(std::string_view text, const Keeping& keeping) {
  ANIMA_ASSIGN(const memory::NewMemory item, item_from(text, keeping));
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  const store::ActScope act("remember");
  state_->house->begin_line(agent::said_by(item));
  ANIMA_ASSIGN(const agent::GovernedHouse::Remembered done, state_->house->remember(item));
  if (done.stored.quarantined) return quarantined(done.stored, {});
  return remembered_from(done.stored, done.told, {}, state_->first_entry());
}

Result<Remembered> Agent::update_memory(std::string_view id, std::string_view text,
                                        std::optional<std::string_view> speaker,
                                        std::string_view author) {
  ANIMA_ASSIGN(const std::string name, memory::speaker_given(speaker));
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  const store::ActScope act("update memory");
  ANIMA_ASSIGN(const agent::ChangedMemory changed,
               state_->house->memory_changes().update(id, std::string(text),
                                                      owner_of_memories(author), {}, name));
  if (changed.stored.quarantined)
    return quarantined(changed.stored, ", and the memory is as it was");
  Remembered done =
      remembered_from(changed.stored, changed.told, changed.facts, state_->first_entry());
  done.known_before = changed.unchanged;
  return done;
}

Result<std::vector<std::string>> Agent::forget_memory(std::string_view id) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  const store::ActScope act("forget memory");
  return state_->house->memory_changes()
      .forget(id, owner_of_memories())
      .map([](agent::ChangedMemory changed) { return std::move(changed.facts); });
}

Result<std::vector<std::string>> Agent::would_forget(std::string_view id) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  return state_->house->memory_changes().would_forget(id, owner_of_memories());
}

Result<std::vector<OpenQuestion>> Agent::questions() {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  ANIMA_ASSIGN(const std::vector<agent::OpenQuestion> open,
               state_->house->memory_changes().questions(owner_of_memories()));
  std::vector<OpenQuestion> questions;
  for (const agent::OpenQuestion& each : open) questions.push_back(question_from(each));
  return questions;
}

Result<Remembered> Agent::answer(std::string_view question, std::string_view answer) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  const store::ActScope act("answer");
  ANIMA_ASSIGN(const agent::Told told,
               state_->house->memory_changes().answer(question, answer, owner_of_memories()));
  return remembered_from({}, told, {}, state_->first_entry());
}

Status Agent::verify_memory(std::string_view id, std::string_view by) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  return state_->house->memory().verify(id, by);
}

Result<std::size_t> Agent::end_session(std::string_view session) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  return state_->house->memory().end_session(session);
}

Result<std::string> Agent::remember_card(std::string_view front, std::string_view back,
                                         const Keeping& keeping) {
  ANIMA_ASSIGN(const memory::NewMemory item, item_from({}, keeping));
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  ANIMA_ASSIGN(const memory::StoredMemory stored,
               state_->house->memory().add_card(front, back, item));
  if (stored.quarantined) return quarantined(stored, {});
  return stored.id;
}

Result<std::vector<LearningCard>> Agent::due_cards(std::int64_t within_days) const {
  constexpr std::int64_t kDay = 86'400'000'000;
  constexpr std::int64_t kMostDays = 100'000;
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  const std::int64_t ahead = std::clamp<std::int64_t>(within_days, 0, kMostDays) * kDay;
  ANIMA_ASSIGN(const auto items,
               state_->house->due_cards(Timestamp{state_->clock.now().microseconds + ahead}));
  std::vector<LearningCard> cards;
  for (const memory::MemoryItem& item : items) cards.push_back(card_from(*item.card));
  return cards;
}

Result<LearningCard> Agent::review_card(std::string_view id, int quality) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  return state_->house->review_card(id, quality).map(card_from);
}

Result<std::vector<RememberedText>> Agent::memories(const MemoryQuery& query) {
  const auto kind = memory::parse_item_kind(query.kind);
  if (!query.kind.empty() && !kind) {
    return fail(ErrorCode::kInvalidArgument, "there is no kind '" + query.kind + "'", {},
                "session, learning or knowledge");
  }
  ANIMA_ASSIGN(const std::string speaker, memory::speaker_given(query.speaker));
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  ANIMA_ASSIGN(const std::vector<memory::MemoryHit> hits,
               state_->house->memories(query.text, query.reader, kind, query.limit, speaker));
  const Timestamp now = state_->clock.now();
  std::vector<RememberedText> texts;
  for (const memory::MemoryHit& hit : hits) {
    texts.push_back(text_from(hit.item, now));
    texts.back().score = hit.score;
  }
  return texts;
}

Result<RememberedText> Agent::remembered(std::string_view id, std::string_view reader) {
  const State::Turn turn(*state_);
  if (!turn) return turn.refused();
  ANIMA_ASSIGN(const auto item, state_->house->memory(id, reader));
  if (item) return text_from(*item, state_->clock.now());
  return fail(ErrorCode::kNotFound,
              "there is no memory '" + std::string(id) + "' for " + std::string(reader));
}

}  // namespace anima
