#include "agent/house/told_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "agent/house/detail/told_writer.h"
#include "agent/house/learnt_facts.h"
#include "base/text/text.h"
#include "store/holds.h"
#include "store/symbols.h"

namespace anima::agent {
namespace {

using ask::Said;
using ask::Saying;
using store::Triple;

constexpr std::string_view kPersonType = "Person";
constexpr std::size_t kMostLookedAt = 16;

// "session chat, turn 3" is of "session chat".
std::string conversation_of(std::string_view source) {
  return std::string(source.substr(0, source.find(", turn ")));
}

bool is_link(const Triple& fact) {
  return fact.predicate.predicate_class() == store::PredicateClass::kLink;
}

// "Ada's phone", "Ada works_at".
std::string about(const store::Snapshot& now, const Triple& fact) {
  const std::string word = store::predicate_label(now, fact.predicate);
  const std::string name(now.name(fact.subject));
  return is_link(fact) ? name + " " + word : name + "'s " + word;
}

Told asks(std::string question) {
  Told told;
  told.asks = std::move(question);
  return told;
}

// "Ada's phone: 111, was 333", "Ada works_at: no longer Initech".
std::string closed(const store::Snapshot& before, const store::Snapshot& after, const Triple& fact,
                   Timestamp now) {
  const std::string value = store::term_label(before, fact.object);
  const std::string is =
      is_link(fact) ? std::string() : detail::held_values(after, fact.subject, fact.predicate);
  const bool stays = is_link(fact) ? after.contains(fact) &&
                                         store::is_valid(store::standing_of(after, fact), now, now)
                                   : is == value;
  if (stays) return fmt::format("{}: {}, as before", about(before, fact), value);
  if (is.empty()) return fmt::format("{}: no longer {}", about(before, fact), value);
  return fmt::format("{}: {}, was {}", about(before, fact), is, value);
}

// The statement as it stands in the space.
std::optional<Triple> written_as(const store::Snapshot& now, const ask::Statement& said) {
  if (said.is_link()) {
    if (said.object == store::EntityId::kNone) return std::nullopt;
    return Triple{said.subject, said.predicate, store::Term::entity(said.object)};
  }
  const auto key = now.find_string(said.key);
  const auto value = now.find(said.value.view());
  if (!key || !value) return std::nullopt;
  return Triple{said.subject, store::Predicate::attribute(*key), *value};
}

// The statement about the thing that has this provenance.
std::optional<Triple> told_with(const store::Snapshot& now, store::EntityId thing,
                                std::uint64_t provenance) {
  for (const auto kind : {store::PredicateClass::kLink, store::PredicateClass::kAttribute}) {
    store::Pattern pattern;
    pattern.subject = thing;
    pattern.predicate_class = kind;
    store::Cursor cursor = now.scan(pattern);
    std::array<store::Triple, 64> rows;
    for (std::size_t read = cursor.next(rows); read > 0; read = cursor.next(rows)) {
      for (const Triple& row : std::span(rows.data(), read)) {
        const auto assertions = now.assertions(row);
        if (std::ranges::any_of(assertions, [&](const store::Assertion& one) {
              return one.provenance == provenance;
            }))
          return row;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::string session_source(std::string_view session) { return "session " + std::string(session); }

LastFacts::Key LastFacts::key(const std::string& speaker, const std::string& source) {
  return {speaker, conversation_of(source)};
}

void LastFacts::begin_line(const std::string& speaker, const std::string& source) {
  const Key of = key(speaker, source);
  if (const auto found = last_.find(of); found != last_.end()) ++found->second.lines;
  if (const auto found = asked_.find(of); found != asked_.end() && ++found->second.lines > 1)
    asked_.erase(found);
}

void LastFacts::set(const std::string& speaker, const std::string& source, Last last) {
  last_[key(speaker, source)] = std::move(last);
}

const LastFacts::Last* LastFacts::find(const std::string& speaker,
                                       const std::string& source) const {
  const auto found = last_.find(key(speaker, source));
  return found == last_.end() ? nullptr : &found->second;
}

void LastFacts::propose(const std::string& speaker, const std::string& source, Proposal proposal) {
  asked_[key(speaker, source)] = {std::move(proposal)};
}

const Proposal* LastFacts::proposal(const std::string& speaker, const std::string& source) const {
  const auto found = asked_.find(key(speaker, source));
  return found == asked_.end() ? nullptr : &found->second.proposal;
}

struct ToldFacts::Telling {
  const memory::NewMemory& item;
  const memory::StoredMemory* stored;
};

// --- reading

Result<Said> ToldFacts::read_as(const memory::NewMemory& item, const std::string& speaker) {
  if (asker_ == nullptr) {
    ANIMA_ASSIGN(asker_, SpaceAsker::open(space_, files_));
  }
  ask::AskOptions options;
  options.now = clock_.now();
  options.speaker = speaker;
  const LastFacts::Last* last = last_.find(item.created_by, item.source);
  return asker_->saying(item.content, options,
                        last == nullptr ? ask::LastSaid()
                                        : ask::LastSaid{last->facts, last->ended, last->told,
                                                        last->is_of_last_line()});
}

Result<Said> ToldFacts::read(const memory::NewMemory& item, const std::string& speaker) {
  ANIMA_ASSIGN(Said said, read_as(item, speaker));
  if (said.saying == Saying::kAgrees && last_.proposal(item.created_by, item.source) == nullptr)
    return Said{};
  // Who corrects something may have been told of it by another process.
  const bool corrects = said.corrects || said.saying == Saying::kUnclear;
  if (corrects && last_.find(item.created_by, item.source) == nullptr) {
    ANIMA_TRY(find_last(item));
    if (last_.find(item.created_by, item.source) != nullptr) return read_as(item, speaker);
  }
  return said;
}

// The newest of what the same person said in the same conversation that still stands.
Status ToldFacts::find_last(const memory::NewMemory& item) {
  if (provenance_ == nullptr) provenance_ = std::make_unique<memory::ProvenanceLedger>(*space_);
  ANIMA_TRY(provenance_->refresh());
  ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
  auto records = provenance_->by_kind(memory::ProvenanceKind::kTold);
  std::ranges::sort(records, std::ranges::greater(), &memory::ProvenanceRecord::id);
  std::size_t looked_at = 0;
  for (const memory::ProvenanceRecord* one : records) {
    const store::EntryInfo entry = now.entry(one->entry);
    const bool same = entry.author == item.created_by &&
                      conversation_of(entry.source) == conversation_of(item.source);
    if (!same) continue;
    if (++looked_at > kMostLookedAt) break;
    const auto fact = told_with(now, one->derived, one->id);
    const Timestamp time = clock_.now();
    if (!fact || !store::is_valid(store::standing_of(now, *fact), time, time)) continue;
    // What was said since, nobody knows here.
    last_.set(item.created_by, item.source,
              {.facts = {{*fact, true}}, .told = true, .memory = one->text2, .lines = 2});
    break;
  }
  return {};
}

// Somebody whom the words of the space say things about as they would about the speaker.
Result<std::string> ToldFacts::some_person(const store::Snapshot& now) const {
  const auto type = now.find_type(kPersonType);
  if (!type) return std::string();
  store::Scratch scratch;
  for (const std::uint32_t code :
       now.subjects(store::kTypePredicate, store::Term::entity(*type), scratch)) {
    const std::string_view name = now.name(store::EntityId{code});
    if (!name.empty() && name.front() != '$') return std::string(name);
  }
  return std::string();
}

Status ToldFacts::make_known(const store::Origin& origin, const std::string& speaker) {
  return space_
      ->write(origin,
              [&](store::Transaction& transaction) -> Status {
                store::AssertOptions place;
                place.graph = transaction.graph(kToldGraph);
                ANIMA_ASSIGN(const store::EntityId type,
                             transaction.upsert_type(kPersonType, place));
                return transaction.upsert_concept(type, speaker, place).map([](store::EntityId) {});
              })
      .map([](const store::Receipt&) {});
}

// --- keeping

Result<Told> ToldFacts::keep(const memory::NewMemory& item, const memory::StoredMemory* stored,
                             const std::string& speaker) {
  const bool public_text =
      item.kind == memory::ItemKind::kKnowledge && item.readers.empty() &&
      item.partition != memory::Partition::kSensitive &&
      (stored == nullptr ||
       (!stored->quarantined && stored->partition != memory::Partition::kSensitive &&
        stored->readers.empty()));
  if (!public_text) return Told{};
  ANIMA_ASSIGN(Said said, read(item, speaker));
  const auto states = [](const Said& one) {
    return one.saying == Saying::kFact || one.saying == Saying::kCorrects;
  };
  if (said.of_speaker && !states(said)) {
    ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
    const auto type = now.find_type(kPersonType);
    const bool known = type && now.find_concept(*type, speaker);
    ANIMA_ASSIGN(const std::string other, some_person(now));
    if (!known && !other.empty()) {
      ANIMA_ASSIGN(const Said of_other, read_as(item, other));
      if (states(of_other)) {
        ANIMA_TRY(make_known({item.created_by, item.source, item.trust, store::Sequence::kNone},
                             speaker));
        ANIMA_ASSIGN(said, read_as(item, speaker));
      }
    }
  }
  if (said.saying == Saying::kAgrees) return keep_proposed(item);
  // What a thing is said to be is a fact of its own only where it tells nothing better.
  const bool said_to_be = said.fact && said.fact->key == ask::kSaidToBe;
  const bool open =
      said.saying == Saying::kNothing || said.saying == Saying::kText ||
      (said.saying == Saying::kUnclear && said.corrects) ||
      ((said.saying == Saying::kFact || said.saying == Saying::kOtherKind) && said_to_be);
  if (open) {
    ANIMA_ASSIGN(Told told, learn({item, stored}, speaker));
    const bool says_nothing = said.saying == Saying::kNothing || said.saying == Saying::kText;
    if (!told.stated.empty() || !told.corrected.empty() || (says_nothing && told.learnt()))
      return told;
    if (says_nothing) {
      if (!said.left_over.empty()) told.left_over = said.left_over;
      return told;
    }
  }
  const bool asks_back = said.saying == Saying::kOtherKind || said.saying == Saying::kUnclear;
  return asks_back ? ask_back({item, stored}, said) : write({item, stored}, said);
}

// What a yes would write is kept for the next line.
Told ToldFacts::ask_back(const Telling& telling, const Said& said) {
  Proposal proposal{said, telling.item.content,
                    telling.stored == nullptr ? std::string() : telling.stored->id};
  const bool takes_back = said.saying == Saying::kUnclear && said.ends.has_value();
  if (said.fact || takes_back) {
    proposal.said.saying = takes_back ? Saying::kWithdraws : Saying::kFact;
    last_.propose(telling.item.created_by, telling.item.source, std::move(proposal));
  }
  return asks(said.asks);
}

Result<Told> ToldFacts::keep_proposed(const memory::NewMemory& item) {
  const Proposal* const asked = last_.proposal(item.created_by, item.source);
  if (asked == nullptr) return Told{};
  const Proposal proposal = *asked;
  memory::NewMemory meant = item;
  meant.content = proposal.text;
  memory::StoredMemory stored;
  stored.id = proposal.memory;
  return write({meant, &stored}, proposal.said);
}

// What the space has no words for yet.
Result<Told> ToldFacts::learn(const Telling& telling, const std::string& speaker) {
  const memory::NewMemory& item = telling.item;
  const TellingRead read = read_telling(item.content, clock_.now());
  Told told;
  told.left_over = join(read.left, " … ");
  if (!read.tells()) return told;
  const std::string memory = telling.stored == nullptr ? std::string() : telling.stored->id;
  Learning learning{item, memory, speaker, clock_.now()};
  if (const LastFacts::Last* last = last_.find(item.created_by, item.source))
    learning.last = last->facts;
  ANIMA_ASSIGN(Learnt learnt, learn_telling(*space_, learning, read));
  told.stated = std::move(learnt.stated);
  told.corrected = std::move(learnt.corrected);
  told.asks = std::move(learnt.asks);
  if (!learnt.facts.empty())
    last_.set(item.created_by, item.source, {std::move(learnt.facts), true, memory});
  return told;
}

Result<ToldFacts::Tells> ToldFacts::tells(const memory::NewMemory& item,
                                          const std::string& speaker) {
  const TellingRead open = read_telling(item.content, clock_.now());
  if (open.tells()) return Tells::kStates;
  if (open.only_opens()) return Tells::kGreets;
  ANIMA_ASSIGN(const Said said, read(item, speaker));
  if (said.saying == Saying::kNothing) return Tells::kNothing;
  // What is asked back is not read yet, and may be about what stands beside it ("I am lying.").
  const bool read_whole = said.saying != Saying::kText && said.saying != Saying::kUnclear &&
                          said.saying != Saying::kOtherKind;
  return read_whole ? Tells::kStates : Tells::kText;
}

Result<Told> ToldFacts::write(const Telling& telling, const Said& said) {
  const memory::NewMemory& item = telling.item;
  ANIMA_ASSIGN(const store::Snapshot before, space_->snapshot());
  if (said.ends) {
    const std::string why =
        detail::held_back(before, *said.ends, item.trust, before.find_graph(kToldGraph));
    if (!why.empty()) {
      return asks(fmt::format("{} {} stays as it is: {}.", about(before, *said.ends),
                              store::term_label(before, said.ends->object), why));
    }
  }
  const LastFacts::Last* last = last_.find(item.created_by, item.source);
  const bool takes_back = said.saying == Saying::kWithdraws && last != nullptr && last->told;
  const store::Origin origin{item.created_by, item.source, item.trust, store::Sequence::kNone};
  const auto written = space_->write(origin, [&](store::Transaction& transaction) -> Status {
    memory::ProvenanceBatch provenance(transaction);
    memory::ProvenanceRecord record;
    record.derived = said.fact ? said.fact->subject : said.ends->subject;
    record.kind = memory::ProvenanceKind::kTold;
    record.text = item.content;
    if (telling.stored != nullptr) record.text2 = telling.stored->id;
    if (said.fact && said.fact->object != store::EntityId::kNone)
      record.sources = {said.fact->predicate.as_link(), said.fact->object};
    detail::ToldPlace place{{}, item.trust, item.created_by, clock_.now(), before};
    place.told.graph = transaction.graph(kToldGraph);
    place.told.confidence = item.confidence;
    place.told.provenance = provenance.add(std::move(record));
    if (said.reopens) {
      ANIMA_TRY(detail::take_back_end(transaction, *said.ends, last->entry, place));
      return provenance.write();
    }
    std::optional<store::EntityId> newer;
    if (said.fact) {
      ANIMA_ASSIGN(const store::EntityId link, detail::state_fact(transaction, *said.fact, place));
      if (link != store::EntityId::kNone) newer = link;
    }
    if (newer && !said.ends) ANIMA_TRY(detail::supersede(transaction, *said.fact, *newer, place));
    // The value of an attribute was replaced by the new one.
    const bool replaced = said.fact && said.ends && !is_link(*said.ends);
    if (said.ends && !replaced) {
      ANIMA_TRY(takes_back ? detail::take_back(transaction, *said.ends, said.denies, place)
                           : detail::end_fact(transaction, *said.ends, newer, place));
    }
    return provenance.write();
  });
  if (!written) return fail(written.error());
  ANIMA_ASSIGN(const store::Snapshot after, space_->snapshot());
  return tell(telling, said, before, *written, after);
}

// What was done, and what the next sentence may correct.
Told ToldFacts::tell(const Telling& telling, const Said& said, const store::Snapshot& before,
                     const store::Receipt& written, const store::Snapshot& after) {
  const memory::NewMemory& item = telling.item;
  Told told;
  LastFacts::Last last;
  if (said.fact) {
    told.stated = said.fact->text;
    const auto fact = written_as(after, *said.fact);
    if (fact && said.fact->is_link()) {
      const std::string was = detail::ended_beside(before, after, *fact, clock_.now());
      if (!was.empty())
        told.corrected = fmt::format("{}: {}, was {}", about(after, *fact), said.fact->said, was);
    } else if (fact && said.fact->key != ask::kSaidToBe && said.fact->key != ask::kAlsoCalled) {
      const std::string was = detail::held_values(before, fact->subject, fact->predicate);
      const std::string is = detail::held_values(after, fact->subject, fact->predicate);
      const std::string value = store::term_label(after, fact->object);
      if (is != value) {
        told.asks = fmt::format(
            "It stands beside {}, which a compartment or somebody who is trusted more states.", is);
      } else if (!was.empty() && was != is) {
        told.corrected = fmt::format("{}: {}, was {}", about(after, *fact), is, was);
      }
    }
    if (fact)
      last = {.facts = {{*fact, true}},
              .told = true,
              .memory = telling.stored == nullptr ? std::string() : telling.stored->id};
  } else {
    const LastFacts::Last* of = last_.find(item.created_by, item.source);
    const bool takes_back = said.saying == Saying::kWithdraws && of != nullptr && of->told;
    if (takes_back) told.withdrawn = of->memory;
    told.corrected = closed(before, after, *said.ends, clock_.now());
    if (said.saying == Saying::kEnds)
      last = {.told = true, .ended = {*said.ends}, .entry = written.sequence};
  }
  last_.set(item.created_by, item.source, std::move(last));
  return told;
}

// The provenance of what was told with memories that are withdrawn, and with this one.
std::set<std::uint64_t> ToldFacts::withdrawn_with(const store::Snapshot& now,
                                                  std::string_view memory) const {
  std::set<std::uint64_t> ids;
  const auto type = now.find_type(memory::kItemType);
  for (const memory::ProvenanceRecord* one : provenance_->by_kind(memory::ProvenanceKind::kTold)) {
    if (one->text2.empty()) continue;
    const bool there = type && now.find_concept(*type, one->text2);
    if (!there || one->text2 == memory) ids.insert(one->id);
  }
  return ids;
}

Result<std::vector<std::string>> ToldFacts::take_back(const memory::NewMemory& by,
                                                      std::string_view memory) {
  if (provenance_ == nullptr) provenance_ = std::make_unique<memory::ProvenanceLedger>(*space_);
  ANIMA_TRY(provenance_->refresh());
  ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
  const std::set<std::uint64_t> withdrawn = withdrawn_with(now, memory);
  std::vector<std::string> lines;
  for (const memory::ProvenanceRecord* one : provenance_->by_kind(memory::ProvenanceKind::kTold)) {
    if (one->text2 != memory) continue;
    ANIMA_ASSIGN(const store::Snapshot before, space_->snapshot());
    const auto stated = told_with(before, one->derived, one->id);
    const auto ended = stated ? std::nullopt : detail::ended_with(before, one->derived, one->id);
    const store::EntryInfo entry = before.entry(one->entry);
    if ((!stated && !ended) || entry.trust > by.trust) continue;
    const store::Origin origin{by.created_by, by.source, by.trust, store::Sequence::kNone};
    const auto written = space_->write(origin, [&](store::Transaction& transaction) -> Status {
      detail::ToldPlace place{{},           by.trust, std::string(entry.author),
                              clock_.now(), before,   withdrawn};
      place.told.graph = transaction.graph(kToldGraph);
      return stated ? detail::take_back(transaction, *stated, false, place)
                    : detail::take_back_end(transaction, *ended, one->entry, place);
    });
    if (!written) return fail(written.error());
    ANIMA_ASSIGN(const store::Snapshot after, space_->snapshot());
    lines.push_back(closed(before, after, stated ? *stated : *ended, clock_.now()));
  }
  return lines;
}

}  // namespace anima::agent
