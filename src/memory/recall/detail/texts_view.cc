#include "memory/recall/detail/texts_view.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/text/text.h"
#include "language/times/times.h"
#include "memory/detail/item_store.h"
#include "memory/names.h"
#include "memory/recall/detail/languages.h"
#include "memory/recall/detail/weights.h"
#include "memory/turns.h"
#include "store/own_graphs.h"
#include "store/statements.h"

namespace anima::memory::detail {
namespace {

using store::EntityId;
using store::Snapshot;

constexpr unsigned kKindShift = 30;  // entities are below 1 << 30
constexpr std::uint32_t kEntityMask = (1U << kKindShift) - 1;
constexpr std::size_t kMostNamedDays = 4;  // of a text
constexpr std::size_t kMostCompared =
    256;  // texts, whether they have a word itself or a form of it
// What a part of an identifier counts, and of that where some text has the word by itself.
constexpr float kInsideWeight = 0.5F, kBehindWeight = 0.2F;
// What a form of a word counts that has another stem in the language of its text, where some text
// has the word itself.
constexpr float kFormWeight = 0.5F;
// What a stop word in small letters counts that is the name of a thing.
constexpr float kSmallNameWeight = 0.5F;
// A language counts for a question of which it is not known when it has one word in so many.
constexpr std::uint32_t kRareLanguage = 20;
constexpr std::array<std::string_view, 3> kAskers = {"user", "human", "me"};

std::string_view text_value(const Snapshot& snapshot, EntityId entity, std::string_view key) {
  const auto term = snapshot.attribute(entity, key);
  return term ? snapshot.value(*term).text : std::string_view();
}

// The only name of a list of one, as in ["Ada"].
std::string only_name(std::string_view json_list) {
  const auto list = parse_json(json_list);
  if (!list || !list->is_array() || list->as_array().size() != 1) return {};
  return list->as_array()[0].as_string();
}

SessionTime by_utc(Timestamp time) {
  const Day day = day_of(time);
  const std::int64_t second = time.microseconds / kMicrosecondsPerSecond - day * kSecondsPerDay;
  return {day, static_cast<std::int32_t>(second)};
}

SessionTime session_time(std::string_view written) {
  const auto time = parse_timestamp(written);
  if (!time) return {};
  return written.ends_with('Z') ? by_utc(*time)
                                : SessionTime{day_of(*time, language::offset_of(written))};
}

// The word that is all of the question, alone or as the whole that the other words are of; null
// where it asks for more.
const TermWord* only_asked(const std::vector<TermWord>& words) {
  if (words.size() == 1) return words.data();
  const auto holds_all = [&](const TermWord& whole) {
    return whole.whole && std::ranges::all_of(words, [&](const TermWord& word) {
             return whole.offset <= word.offset && word.end <= whole.end;
           });
  };
  const auto found = std::ranges::find_if(words, holds_all);
  return found == words.end() ? nullptr : &*found;
}

bool has_only_word(const std::string& text, const TextRanking& ranking) {
  const std::string& asked = ranking.only_word;
  if (ranking.run) return language::fold_for_finding(text).find(asked) != std::string::npos;
  if (ranking.whole) {
    return std::ranges::any_of(
        split_terms(text, language::TermUse::kLetters),
        [&](const TermWord& word) { return language::fold_for_finding(word.text) == asked; });
  }
  const std::vector<std::string> words = language::folded_words(text);
  return std::ranges::find(words, asked) != words.end();
}

std::uint32_t signature_of(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts) {
    all += part;
    all.push_back('\0');
  }
  return static_cast<std::uint32_t>(checksum64(all));
}

}  // namespace

// One text as the space has it now.
struct TextsView::Text {
  TextKind kind = TextKind::kMemory;
  EntityId entity = EntityId::kNone;
  std::string_view content, attachment;  // empty for a closed memory: it is loaded when added
  std::string session, speaker;
  SessionTime said;
  MemoryItem standing;
  store::Sequence era = store::Sequence::kNone;  // of its speaker's name
  std::uint32_t signature = 0;
};

// The parts of a snapshot that hold texts.
struct TextsView::Scopes {
  explicit Scopes(const Snapshot& now)
      : knowledge(now.knowledge()),
        items(items_in(now)),
        agents(store::in_graph(now, kAgentGraph)),
        event_type(knowledge.find_type(kEventType)),
        item_type(items.find_type("MemoryItem")) {
    if (const auto key = now.find_string(kEpisodeSummary))
      summary = store::Predicate::attribute(*key);
  }

  // Of every text, rising.
  std::vector<EntityId> all() const {
    std::vector<EntityId> entities;
    store::Scratch scratch;
    const auto take = [&](const Snapshot& scope, std::optional<EntityId> type) {
      if (!type) return;
      for (const std::uint32_t id :
           scope.subjects(store::kTypePredicate, store::Term::entity(*type), scratch))
        entities.push_back(EntityId{id});
    };
    take(knowledge, event_type);
    take(items, item_type);
    if (summary) {
      store::Pattern pattern;
      pattern.predicate = *summary;
      store::each_statement(agents, pattern,
                            [&](const store::Triple& row) { entities.push_back(row.subject); });
    }
    std::ranges::sort(entities);
    entities.erase(std::unique(entities.begin(), entities.end()), entities.end());
    return entities;
  }

  std::optional<Text> read(EntityId entity) const {
    if (knowledge.kind(entity) != store::EntityKind::kConcept) return std::nullopt;
    const EntityId type = knowledge.type_of(entity);
    if (item_type && type == *item_type) return memory(entity);
    if (event_type && type == *event_type) return event(entity);
    return summary && type == store::kEntityType ? episode(entity) : std::nullopt;
  }

  Snapshot knowledge, items, agents;
  std::optional<EntityId> event_type, item_type;
  std::optional<store::Predicate> summary;

 private:
  std::optional<Text> memory(EntityId entity) const {
    if (!items.exists(entity)) return std::nullopt;
    Text text;
    text.entity = entity;
    text.standing = read_standing(items, entity);
    text.content = text_value(items, entity, "content");
    const std::string_view session = text_value(items, entity, "session");
    if (!session.empty()) text.session = "exchange " + std::string(session);
    std::string_view created = text_value(items, entity, "said_at");
    if (created.empty()) created = text_value(items, entity, "created_at");
    text.said = session_time(created);
    std::string readers;
    for (const std::string& reader : text.standing.readers) readers += reader + '\n';
    text.speaker = text.standing.speaker;
    if (!text.speaker.empty()) {
      readers += '\n' + text.speaker;
      text.era = era_of_speaker(knowledge, text.speaker, text.standing.speaker_entry);
    }
    text.signature =
        signature_of({text.content, session, created, to_string(text.standing.partition),
                      to_string(text.standing.type), readers});
    return text;
  }

  std::optional<Text> event(EntityId entity) const {
    if (!knowledge.exists(entity)) return std::nullopt;
    Text text;
    text.kind = TextKind::kEvent;
    text.entity = entity;
    text.content = text_value(knowledge, entity, kEventText);
    if (text.content.empty()) return std::nullopt;
    text.attachment = text_value(knowledge, entity, kEventAttachment);
    const std::string_view session = text_value(knowledge, entity, kEventSession);
    if (!session.empty()) text.session = "event " + std::string(session);
    const std::string_view who = text_value(knowledge, entity, kEventParticipants);
    if (!who.empty()) text.speaker = only_name(who);
    const std::string_view when = text_value(knowledge, entity, kEventTime);
    text.said = session_time(when);
    text.signature = signature_of({text.content, text.attachment, session, who, when});
    return text;
  }

  std::optional<Text> episode(EntityId entity) const {
    if (!agents.exists(entity)) return std::nullopt;
    Text text;
    text.kind = TextKind::kEpisode;
    text.entity = entity;
    text.content = text_value(agents, entity, kEpisodeSummary);
    if (text.content.empty()) return std::nullopt;
    text.standing.partition = Partition::kInternal;
    const auto when = agents.attribute(entity, kEpisodeTime);
    double microseconds = 0;
    if (when && agents.number(*when, &microseconds))
      text.said = by_utc({static_cast<std::int64_t>(microseconds)});
    text.signature = signature_of({text.content});
    return text;
  }
};

TextsView::TextsView(RecallSteps steps)
    : steps_(steps), terms_({.stems = steps.stems, .drop_stop_words = steps.stop_words}) {}

Result<bool> TextsView::follow(store::Space& space, const Snapshot& now, const Load& load) {
  if (at_ == now.sequence()) return false;
  const std::uint64_t before = changes_;
  if (at_ != store::Sequence::kNone && at_ < now.sequence()) {
    std::vector<EntityId> written;
    const Status known =
        space.visit_written(at_, now.sequence(), [&](const store::WrittenKey& key) {
          if (written.empty() || written.back() != key.subject) written.push_back(key.subject);
          return Status();
        });
    if (known) {
      ANIMA_ASSIGN(const bool applied, apply(std::move(written), now, load));
      if (applied) {
        at_ = now.sequence();
        return changes_ != before;
      }
    }
  }
  const bool had_texts = size() > 0;
  ANIMA_TRY(rebuild(now, load));
  return had_texts || size() > 0;
}

Status TextsView::rebuild(const Snapshot& now, const Load& load) {
  *this = TextsView(steps_);
  const Scopes scopes(now);
  for (const EntityId entity : scopes.all()) {
    if (const auto text = scopes.read(entity)) ANIMA_TRY(add(*text, load));
  }
  at_ = now.sequence();
  return {};
}

// The first item of that entity or a higher one; items rise with their entities.
ItemNumber TextsView::place_of(EntityId each, ItemNumber items) const {
  ItemNumber low = 0, high = items;
  while (low < high) {
    const ItemNumber middle = low + (high - low) / 2;
    (entity(middle) < each ? low = middle + 1 : high = middle);
  }
  return low;
}

std::optional<ItemNumber> TextsView::find(EntityId each) const {
  const auto items = static_cast<ItemNumber>(signatures_.size());
  const ItemNumber place = place_of(each, items);
  const bool there = place < items && entity(place) == each && index_.session(place) != 0;
  return there ? std::optional(place) : std::nullopt;
}

std::vector<ItemNumber> TextsView::open_to(std::string_view reader) const {
  std::vector<bool> open;
  for (std::size_t i = 0; i < audiences_.size(); ++i) {
    const auto& [standing, kind, exchange] = audiences_[i];
    open.push_back(standing.type != ItemType::kQuarantine && !exchange && !standing.is_closed() &&
                   standing.readable_by(reader));
  }
  std::vector<ItemNumber> found;
  for (ItemNumber item = 0; item < signatures_.size(); ++item) {
    const SessionNumber session = index_.session(item);
    if (session != 0 && open[index_.audience(session)]) found.push_back(item);
  }
  return found;
}

// What the cosine adds: of how much nearer a text is than the farthest of the near. What is not
// among them has nothing, as the farthest.
std::vector<NearItem> TextsView::near_items(std::span<const NearText> near) const {
  std::vector<NearItem> items;
  if (near.empty()) return items;
  const double farthest = near.back().cosine;
  for (const NearText& text : near) {
    const auto item = find(text.entity);
    if (!item || signatures_[*item] != text.signature) continue;
    items.push_back({*item, static_cast<float>(kMeaningWeight * (text.cosine - farthest))});
  }
  return items;
}

// False when it has to be made anew.
Result<bool> TextsView::apply(std::vector<EntityId> written, const Snapshot& now,
                              const Load& load) {
  std::ranges::sort(written);
  written.erase(std::unique(written.begin(), written.end()), written.end());
  const Scopes scopes(now);
  const auto items = static_cast<ItemNumber>(signatures_.size());
  for (const EntityId each : written) {
    const ItemNumber low = place_of(each, items);
    const bool known = low < items && entity(low) == each;
    const bool gone = known && index_.session(low) == 0;
    const auto text = scopes.read(each);
    if (!text) {
      if (known && !gone) {
        index_.remove(low);
        ++changes_;
      }
    } else if (known) {
      if (gone || signatures_[low] != text->signature) return false;
    } else if (low < items) {
      return false;
    } else {
      ANIMA_TRY(add(*text, load));
    }
  }
  return true;
}

Status TextsView::add(const Text& text, const Load& load) {
  std::string content;
  MemoryItem standing = text.standing;
  if (text.kind == TextKind::kMemory && standing.is_closed()) {
    ANIMA_ASSIGN(const MemoryItem item, load(text.entity));
    content = item.content;
  } else {
    content = text.content;
  }
  const bool exchange = text.kind == TextKind::kMemory && standing.kind == ItemKind::kSession;
  const std::uint32_t audience = audience_of(standing, text, exchange);
  const SessionNumber session = session_of(text, audience);
  std::vector<TermWord> words = split_terms(content, language::TermUse::kLetters);
  const std::size_t own = words.size();
  if (steps_.attachments && !text.attachment.empty()) {
    for (TermWord& word : split_terms(text.attachment, language::TermUse::kLetters))
      words.push_back(std::move(word));
  }
  const auto [language, sure] = language_of(words, session, text.session.empty());
  std::vector<TermReader::Term> terms;
  terms.reserve(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    TermReader::Term term = terms_.intern(language, words[i], sure);
    if (term == TermReader::kDropped && words[i].capital && i < own &&
        is_written_as_name(content, std::span(words).first(own), i))
      term = terms_.intern_name(language, words[i]);
    terms.push_back(term);
  }
  std::optional<Timestamp> said;
  if (text.said.day != kNoDay) said = Timestamp{text.said.day * kMicrosecondsPerDay};
  std::vector<DayRange> days = told_days(content, language, sure, said);
  if (days.size() > kMostNamedDays) days.resize(kMostNamedDays);
  WindowItem item;
  item.session = session;
  item.entity = static_cast<std::uint32_t>(text.entity) | static_cast<std::uint32_t>(text.kind)
                                                              << kKindShift;
  if (!text.speaker.empty()) item.speaker = speaker_number(text.speaker, text.kind);
  item.traits = item_traits(content, words, language);
  item.terms = terms;
  item.days = days;
  index_.add(item);
  ++changes_;
  signatures_.push_back(text.signature);
  return {};
}

// Of a text by its own words, of one in a session by those of the session so far; else as most.
TextsView::TextLanguage TextsView::language_of(const std::vector<TermWord>& words,
                                               SessionNumber session, bool alone) {
  LanguageVotes own;
  add_votes(words, own);
  votes_.add(own);
  if (!alone) {
    LanguageVotes& together = session_votes_[session];
    together.add(own);
    own = together;
  }
  if (const auto language = sure_language(own))
    return {*language, own.sure() && own.of(*language) >= language::kClearVotes};
  return {votes_.most().value_or(Language::kEnglish), false};
}

// What is little counts where the texts are in that language, too.
std::optional<Language> TextsView::sure_language(const LanguageVotes& votes) const {
  if (const auto sure = votes.sure()) return sure;
  const auto most = votes.most();
  return most && !is_rare(*most) ? most : std::nullopt;
}

bool TextsView::is_rare(Language language) const {
  return std::uint64_t{votes_.of(language)} * kRareLanguage <= votes_.all();
}

std::uint32_t TextsView::audience_of(const MemoryItem& standing, const Text& text, bool exchange) {
  const bool quarantined = standing.type == ItemType::kQuarantine;
  std::string key(to_string(standing.partition));
  key += quarantined ? "q" : exchange ? "x" : ".";
  key += static_cast<char>('0' + static_cast<int>(text.kind));
  for (const std::string& reader : standing.readers) key += '\n' + reader;
  if (!standing.speaker.empty()) {
    key += "\n\n" + standing.speaker;
    if (text.era != store::Sequence::kNone)
      key += '\n' + std::to_string(static_cast<std::uint64_t>(text.era));
  }
  const auto next = static_cast<std::uint32_t>(audiences_.size());
  const auto [found, fresh] = audience_numbers_.try_emplace(std::move(key), next);
  if (fresh) audiences_.push_back({standing, text.kind, exchange});
  return found->second;
}

std::uint32_t TextsView::speaker_number(std::string_view name, TextKind kind) {
  const auto known = speaker_numbers_.find(name);
  if (known != speaker_numbers_.end()) {
    if (kind != TextKind::kMemory) speak_in_events_[known->second] = true;
    return known->second;
  }
  const auto number = static_cast<std::uint32_t>(speakers_.size());
  speakers_.emplace_back(name);
  speak_in_events_.push_back(kind != TextKind::kMemory);
  speaker_numbers_.emplace(name, number);
  for (const language::TermUse use : {language::TermUse::kQuery, language::TermUse::kWords}) {
    for (const TermWord& word : split_terms(name, use)) {
      auto& list = speakers_by_word_[word.text];
      if (list.empty() || list.back() != number) list.push_back(number);
    }
  }
  return number;
}

SessionNumber TextsView::session_of(const Text& text, std::uint32_t audience) {
  if (text.session.empty()) return index_.add_session(audience, text.said);
  const auto [found, fresh] =
      sessions_.try_emplace(std::to_string(audience) + ' ' + text.session, SessionNumber{0});
  if (fresh) found->second = index_.add_session(audience, text.said);
  return found->second;
}

// Whom the words name, when that is one person or several of one name; their names leave the words
// when `drop` says so and other words remain. Of those who only told memories, `speaker` alone is
// heard, where there is one.
std::vector<std::uint32_t> TextsView::named_speakers(std::vector<TermWord>& words,
                                                     Language language, bool drop,
                                                     const SpeakerNames& speaker) const {
  const bool has_capitals = std::ranges::any_of(
      words, [](const TermWord& word) { return word.capital && !word.starts_sentence; });
  std::vector<std::uint32_t> named;
  std::vector<bool> is_name(words.size());
  bool several = false, in_name = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const TermWord& word = words[i];
    const auto found = speakers_by_word_.find(word.text);
    const bool may_be = word.capital || !has_capitals;
    std::vector<std::uint32_t> heard;
    if (found != speakers_by_word_.end()) heard = found->second;
    std::erase_if(heard, [&](std::uint32_t who) {
      return !speaker.empty() && !speak_in_events_[who] && !speaker.contains(speakers_[who]);
    });
    if (heard.empty() || !may_be || (word.name == 0 && is_stop_word(language, word.text))) {
      in_name = false;
      continue;
    }
    is_name[i] = true;
    std::vector<std::uint32_t> both;
    std::ranges::set_intersection(named, heard, std::back_inserter(both));
    if (named.empty()) {
      named = std::move(heard);
    } else if (!both.empty() && (in_name || both.size() == named.size())) {
      named = std::move(both);
    } else {
      several = true;
    }
    in_name = true;
  }
  const auto names = static_cast<std::size_t>(std::ranges::count(is_name, true));
  const bool others = std::ranges::any_of(words, [&](const TermWord& word) {
    return !is_name[static_cast<std::size_t>(&word - words.data())] &&
           (word.name > 0 || !is_stop_word(language, word.text));
  });
  if (drop && names > 0 && others) {
    std::size_t at = 0;
    std::erase_if(words, [&](const TermWord&) { return is_name[at++]; });
  }
  if (several) named.clear();
  return named;
}

// What texts have for a word of the question, each text by the rules of its own language.
QueryTerm TextsView::term_of(const TermWord& word) {
  QueryTerm term;
  for (const TermReader::Term known : terms_.find(word)) term.any.push_back(QueryForm{{known}});
  const std::size_t found = term.any.size();
  const bool unknown = found == 0;
  // What the languages of the texts do not say of the word, others may.
  for (const TermReader::Term form : terms_.find_forms(word)) {
    const auto is_known = [&](const QueryForm& one) { return one.all[0] == form; };
    if (std::ranges::none_of(term.any, is_known))
      term.any.push_back(QueryForm{{form}, unknown ? 1 : kFormWeight});
  }
  term.apart = term.any.size() < 2 || term.any.size() == found;
  const auto add = [&](const std::vector<std::string>& words, float weight) {
    if (words.empty()) return;
    for (std::vector<TermReader::Term>& all : terms_.find_together(words)) {
      term.any.push_back(QueryForm{std::move(all), weight});
      term.apart = false;
    }
  };
  if (word.instead == nullptr) return term;
  if (!word.instead->spelled.empty()) add({word.instead->spelled}, 1);
  // What has the parts of a number or identifier, or is longer than it, comes behind.
  const float behind = unknown || !language::has_digit(word.text) ? 1 : kBehindWeight;
  add(word.instead->parts, behind);
  add(word.instead->inside, kInsideWeight * behind);
  return term;
}

// A stop word as a name: what texts have of it by its letters, and as a word of other languages.
QueryTerm TextsView::term_of_name(const TermWord& word) {
  QueryTerm term = term_of(word);
  for (const TermReader::Term plain : terms_.find_plain(word)) {
    const auto is_it = [&](const QueryForm& one) { return one.all[0] == plain; };
    if (std::ranges::none_of(term.any, is_it)) term.any.push_back(QueryForm{{plain}});
  }
  for (QueryForm& form : term.any) form.weight *= word.name;
  term.apart = term.any.size() == 1;
  return term;
}

// Which stop words of a question are names: those that are written so, what a thing is called, what
// is no stop word in the language of the question, and all where there is nothing else.
void TextsView::mark_names(const TextQuestion& question, Language language,
                           std::vector<TermWord>& words) {
  const bool all = std::ranges::all_of(
      words, [&](const TermWord& word) { return terms_.stem(language, word).empty(); });
  for (std::size_t i = 0; i < words.size(); ++i) {
    TermWord& word = words[i];
    const bool stops = terms_.stem(language, word).empty();
    if (!stops && anima::language::languages_with_stop_word(word.text).empty()) continue;
    if (!stops || all || is_written_as_name(question.text, words, i)) {
      word.name = 1;
    } else if (question.things != nullptr && count_code_points(word.text) > 1 &&
               !question.things->concepts_labelled(word.text).empty()) {
      word.name = kSmallNameWeight;
    }
  }
}

std::vector<QueryTerm> TextsView::terms_of(const std::vector<TermWord>& words, Language language,
                                           bool sure, std::vector<std::string>& stems) {
  std::vector<QueryTerm> terms;
  for (const TermWord& word : words) {
    std::string stem = terms_.stem(language, word);
    if (stem.empty() && word.name > 0) stem = anima::language::fold_for_finding(word.text);
    // A stop word may be another one in the language that the question is really in.
    for (std::size_t i = 0; stem.empty() && !sure && i < anima::language::kLanguages; ++i) {
      const auto other = static_cast<Language>(i);
      if (other != language && !is_rare(other)) stem = terms_.stem(other, word);
    }
    if (stem.empty() || std::ranges::find(stems, stem) != stems.end()) continue;
    QueryTerm term = word.name > 0 ? term_of_name(word) : term_of(word);
    if (word.run && term.any.empty()) continue;  // its pairs of neighbours alone ask
    stems.push_back(std::move(stem));
    terms.push_back(std::move(term));
  }
  // A question of nothing but stop words asks for them, or they are words of another language.
  for (std::size_t i = 0; stems.empty() && i < words.size(); ++i) {
    QueryTerm& term = terms.emplace_back();
    term.apart = true;
    for (const TermReader::Term plain : terms_.find_plain(words[i]))
      term.any.push_back(QueryForm{{plain}});
  }
  return terms;
}

bool TextsView::may_be_a_form(const TermWord& word, const QueryTerm& term) const {
  std::vector<TermReader::Term> all;
  for (const QueryForm& form : term.any) all.insert(all.end(), form.all.begin(), form.all.end());
  return terms_.has_other_forms(word, all);
}

TextRanking TextsView::rank(const TextQuestion& question) {
  TextRanking ranking;
  std::vector<TermWord> words = split_terms(question.text);
  LanguageVotes votes;
  add_votes(words, votes);
  const auto sure = sure_language(votes);
  ranking.language = sure ? *sure : votes_.most().value_or(Language::kEnglish);
  mark_names(question, ranking.language, words);
  ranking.traits =
      read_question(question.text, split_terms(question.text, language::TermUse::kWords),
                    ranking.language, question.now, question.offset_seconds);
  WindowQuery query;
  query.steps = question.steps;
  query.speakers =
      named_speakers(words, ranking.language, question.steps.attachments, question.speaker);
  query.speaker_bonus = kNamedSpeakerBonus;
  if (query.speakers.empty() && ranking.traits.first_person) {
    query.speaker_bonus = kAskerBonus;
    for (std::uint32_t i = 0; i < speakers_.size(); ++i) {
      const bool asks = question.asker.empty()
                            ? std::ranges::find(kAskers, to_lower(speakers_[i])) != kAskers.end()
                            : question.speaker.contains(speakers_[i]) ||
                                  fold_case(speakers_[i]) == fold_case(question.asker);
      if (asks) query.speakers.push_back(i);
    }
  }
  for (const TermWord& word : words)
    if (word.name > 0) ranking.names.push_back(anima::language::fold_for_finding(word.text));
  query.terms = terms_of(words, ranking.language, sure.has_value(), ranking.stems);
  if (const TermWord* only = only_asked(words);
      only != nullptr &&
      (only->whole || (query.terms.size() == 1 && may_be_a_form(*only, query.terms[0])))) {
    ranking.only_word = anima::language::fold_for_finding(only->text);
    ranking.whole = only->whole;
    ranking.run = only->run;
  }
  for (std::uint32_t i = 0; i < audiences_.size(); ++i) query.seen.push_back(competes(i, question));
  query.asks_name = ranking.traits.asks_name;
  query.asks_when = ranking.traits.asks_when;
  query.dates = ranking.traits.dates;
  query.offset_seconds = question.offset_seconds;
  query.limit = question.limit;
  query.near = near_items(question.near);
  // Those with the word itself are chosen from more.
  if (!ranking.only_word.empty()) query.limit = std::max(query.limit, kMostCompared);
  ranking.windows = index_.rank(query);
  if (question.among == Among::kTexts) count_hidden(question, ranking);
  return ranking;
}

Status put_word_first(TextRanking& ranking, std::size_t limit,
                      const std::function<Result<std::string>(const RankedItem&)>& content) {
  if (ranking.only_word.empty()) return {};
  std::vector<RankedItem>& items = ranking.windows.items;
  std::vector<RankedItem> with, others;
  for (const RankedItem& item : items) {
    ANIMA_ASSIGN(const std::string text, content(item));
    (has_only_word(text, ranking) ? with : others).push_back(item);
  }
  for (RankedItem& item : others) {
    const double score = with.empty() ? item.score : std::min(item.score, with.back().score);
    item.traits += score - item.score;
    item.score = score;
  }
  with.insert(with.end(), others.begin(), others.end());
  if (with.size() > limit) with.resize(limit);
  items = std::move(with);
  return {};
}

bool TextsView::competes(std::uint32_t audience, const TextQuestion& question) const {
  const auto& [standing, kind, exchange] = audiences_[audience];
  if (question.among == Among::kLabelled) return kind == TextKind::kMemory && !exchange;
  return (question.among == Among::kMemories ? kind == TextKind::kMemory
                                             : question.exchanges || !exchange) &&
         standing.type != ItemType::kQuarantine && standing.readable_by(question.reader) &&
         standing.is_for(question.speaker);
}

void TextsView::count_hidden(const TextQuestion& question, TextRanking& ranking) const {
  for (const ItemNumber item : ranking.windows.hidden) {
    const std::uint32_t audience = index_.audience(index_.session(item));
    if (!audiences_[audience].standing.is_for(question.speaker)) continue;
    if (audiences_[audience].standing.type == ItemType::kQuarantine) {
      ++ranking.quarantined;
    } else if (question.exchanges || !audiences_[audience].exchange) {
      ++ranking.withheld;
    }
  }
}

TextKind TextsView::kind(ItemNumber item) const {
  return static_cast<TextKind>(index_.entity(item) >> kKindShift);
}
store::EntityId TextsView::entity(ItemNumber item) const {
  return EntityId{index_.entity(item) & kEntityMask};
}
std::string_view TextsView::speaker(ItemNumber item) const {
  const std::uint32_t who = index_.speaker(item);
  return who == kNoNumber ? std::string_view() : std::string_view(speakers_[who]);
}
const MemoryItem& TextsView::standing(ItemNumber item) const {
  return audiences_[index_.audience(index_.session(item))].standing;
}

std::size_t TextsView::heap_bytes() const {
  return index_.heap_bytes() + terms_.heap_bytes() + signatures_.capacity() * sizeof(std::uint32_t);
}

}  // namespace anima::memory::detail
