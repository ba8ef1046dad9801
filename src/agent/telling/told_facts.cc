#include "agent/telling/told_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "agent/telling/detail/told_records.h"
#include "agent/telling/detail/told_statements.h"
#include "agent/telling/detail/told_writer.h"
#include "agent/telling/learnt_facts.h"
#include "base/json/text_array.h"
#include "base/text/text.h"
#include "memory/speakers.h"
#include "store/history.h"
#include "store/holds.h"
#include "store/own_graphs.h"
#include "store/present.h"
#include "store/symbols.h"

namespace anima::agent {
namespace {

using ask::Said;
using ask::Saying;
using language::SentenceAct;
using store::Triple;

constexpr std::string_view kPersonType = "Person";

using detail::is_link;

// "Ada's phone: 111, was 333", "Ada works_at: no longer Initech".
std::string closed(const store::Snapshot& before, const store::Snapshot& after, const Triple& fact,
                   Timestamp now) {
  const std::string value = store::term_label(before, fact.object);
  const std::string is =
      is_link(fact) ? std::string() : detail::held_values(after, fact.subject, fact.predicate);
  const bool stays = is_link(fact) ? after.contains(fact) &&
                                         store::is_valid(store::standing_of(after, fact), now, now)
                                   : is == value;
  if (stays) return fmt::format("{}: {}, as before", detail::fact_label(before, fact), value);
  if (is.empty()) return fmt::format("{}: no longer {}", detail::fact_label(before, fact), value);
  return fmt::format("{}: {}, was {}", detail::fact_label(before, fact), is, value);
}

}  // namespace

Told Told::asking(std::string question) {
  Told told;
  told.asks = std::move(question);
  return told;
}

void Told::add_to(Json& json) const {
  json.set("stated", stated.empty() ? Json() : Json(stated));
  if (!corrected.empty()) json.set("corrected", corrected);
  if (!asks.empty()) json.set("asks", asks);
  if (!question.empty()) json.set("question", question);
  if (!proposes.empty()) json.set("proposes", proposes);
  if (!choices.empty()) json.set("choices", text_array(choices));
  if (!left_over.empty()) json.set("left_over", left_over);
  if (dropped) json.set("dropped", true);
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
  ANIMA_ASSIGN(const auto answer, answer_in(item));
  if (answer) return keep_answer(item, *answer);
  ANIMA_ASSIGN(const language::Telling read, read_text(item, speaker));
  const Telling telling{item, stored, item.said_at};
  const auto sentences = static_cast<std::size_t>(std::ranges::count_if(
      read.sentences,
      [](const language::ToldSentence& one) { return one.act != SentenceAct::kGreets; }));
  if (sentences == 1 && read.sentences.size() == 1) {
    const language::ToldSentence& only = read.sentences.front();
    if (only.act == SentenceAct::kNothing && only.left.empty()) return Told{};  // "Nope."
    return keep_sentence(telling, speaker);
  }
  if (!read.teaches() && sentences != 1) {
    Told told;
    told.left_over = join(read.left(), " … ");
    return told;
  }
  if (read.teaches_openly()) return learn(telling, read, speaker);
  Told all;
  for (const language::ToldSentence& one : read.sentences) {
    if (one.act == SentenceAct::kGreets) continue;
    memory::NewMemory alone = item;
    alone.content = std::string(one.text);
    ANIMA_ASSIGN(const Told told, keep_sentence({alone, stored, item.said_at}, speaker));
    const auto add = [](std::string& to, const std::string& more, const char* between) {
      if (!more.empty()) to += (to.empty() ? "" : between) + more;
    };
    add(all.stated, told.stated, "; ");
    add(all.corrected, told.corrected, "; ");
    add(all.asks, told.asks, " ");
    add(all.left_over, told.left_over, " … ");
    if (!told.question.empty()) {
      all.question = told.question;
      all.proposes = told.proposes;
      all.choices = told.choices;
    }
  }
  return all;
}

Result<Told> ToldFacts::keep_sentence(const Telling& telling, const std::string& speaker) {
  const memory::NewMemory& item = telling.item;
  ANIMA_ASSIGN(Said said, read(item, speaker));
  const auto states = [](const Said& one) {
    return one.saying == Saying::kFact || one.saying == Saying::kCorrects;
  };
  if (said.of_speaker && !states(said)) {
    ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
    const bool known = memory::person_speaking(now, speaker).has_value();
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
  if (said.saying == Saying::kAgrees) return Told{};
  // What a thing is said to be is a fact of its own only where it tells nothing better.
  const bool said_to_be = said.fact && said.fact->key == ask::kSaidToBe;
  const bool open =
      said.saying == Saying::kNothing || said.saying == Saying::kText ||
      said.saying == Saying::kUnclear ||
      ((said.saying == Saying::kFact || said.saying == Saying::kOtherKind) && said_to_be);
  // In open words a name that is spelt otherwise may be a new one, too.
  if (open || said.other_spelling) {
    const language::Telling read = language::read_telling(item.content, {time_of(item)});
    ANIMA_ASSIGN(Told told, learn(telling, read, speaker));
    const bool says_nothing = said.saying == Saying::kNothing || said.saying == Saying::kText ||
                              (said.saying == Saying::kUnclear && !said.corrects && told.learnt());
    if (said.other_spelling && told.learnt()) return told;
    if (!told.stated.empty() || !told.corrected.empty() || (says_nothing && told.learnt()))
      return told;
    if (says_nothing) {
      if (!said.left_over.empty()) told.left_over = said.left_over;
      return told;
    }
  }
  const bool asks_back = said.saying == Saying::kOtherKind || said.saying == Saying::kUnclear;
  return asks_back ? ask_back(telling, said, speaker) : write(telling, said, last_of(item));
}

LastFacts::Last ToldFacts::last_of(const memory::NewMemory& item) const {
  const LastFacts::Last* last = last_.find(said_by(item));
  return last == nullptr ? LastFacts::Last{} : *last;
}

// What the space has no words for yet.
Result<Told> ToldFacts::learn(const Telling& telling, const language::Telling& read,
                              const std::string& speaker) {
  const memory::NewMemory& item = telling.item;
  if (!read.teaches_openly()) {
    Told told;
    told.left_over = join(read.left(), " … ");
    return told;
  }
  ANIMA_ASSIGN(const store::Snapshot known, space_->snapshot());
  const Timestamp now = store::present(known, clock_);
  Learning learning{.item = item,
                    .memory = telling.memory(),
                    .speaker = speaker,
                    .now = now,
                    .since = telling.since};
  // Of lines that were not learnt nobody knows of whom they spoke.
  const LastFacts::Last* const last = last_.find(said_by(item));
  if (last != nullptr && last->is_of_last_line()) learning.last = last->facts;
  ANIMA_ASSIGN(Learnt learnt, learn_telling(*space_, learning, read));
  return told_of(item, learning.memory, std::move(learnt),
                 question_about(item, learning.memory, speaker, now));
}

Result<Told> ToldFacts::write(const Telling& telling, const Said& said,
                              const LastFacts::Last& last) {
  const memory::NewMemory& item = telling.item;
  ANIMA_ASSIGN(const store::Snapshot before, space_->snapshot());
  if (said.ends) {
    const std::string why =
        detail::held_back(before, *said.ends, item.trust, before.find_graph(kToldGraph));
    if (!why.empty()) {
      return Told::asking(fmt::format("{} {} stays as it is: {}.",
                                      detail::fact_label(before, *said.ends),
                                      store::term_label(before, said.ends->object), why));
    }
  }
  if (said.saying == Saying::kWithdraws && last.told) {
    ANIMA_ASSIGN(const std::string other, other_teller(before, *said.ends, said_by(item)));
    if (!other.empty()) {
      return Told::asking(fmt::format("{} {} stays as it is: {} said so, too.",
                                      detail::fact_label(before, *said.ends),
                                      store::term_label(before, said.ends->object), other));
    }
  }
  const LastFacts::Source* const ended = said.reopens ? last.source_of(*said.ends) : nullptr;
  if (said.reopens && (ended == nullptr || ended->entry == store::Sequence::kNone))
    return Told::asking("It is not known any more when that ended.");
  const bool takes_back = said.saying == Saying::kWithdraws && last.told;
  std::set<std::uint64_t> withdrawn;
  if (said.ends) {
    ANIMA_ASSIGN(withdrawn, withdrawn_with(before, {}));
  }
  const Timestamp now = store::present(before, clock_);
  const store::Origin origin{item.created_by, item.source, item.trust, store::Sequence::kNone};
  const auto written = space_->write(origin, [&](store::Transaction& transaction) -> Status {
    memory::ProvenanceBatch provenance(transaction);
    memory::ProvenanceRecord record;
    record.derived = said.fact ? said.fact->subject : said.ends->subject;
    record.kind = memory::ProvenanceKind::kTold;
    record.text = item.content;
    record.speaker = item.speaker;
    if (telling.stored != nullptr) record.text2 = telling.stored->id;
    if (said.fact && said.fact->object != store::EntityId::kNone)
      record.sources = {said.fact->predicate.as_link(), said.fact->object};
    const Timestamp told_at = telling.since.value_or(now);
    detail::EndOfFact end{.told = told_at, .said_earlier = telling.since.has_value()};
    detail::ToldPlace place{{}, item.trust, item.created_by, now, before, withdrawn};
    place.told.graph = transaction.graph(kToldGraph);
    place.told.confidence = item.confidence;
    place.told.provenance = provenance.add(std::move(record));
    if (said.reopens) {
      ANIMA_TRY(detail::take_back_end(transaction, *said.ends, ended->entry, place));
      return provenance.write();
    }
    if (said.fact) {
      const detail::SaidAt said_at{told_at, end.said_earlier};
      ANIMA_ASSIGN(const store::EntityId link,
                   detail::state_fact(transaction, *said.fact, said_at, place));
      if (link != store::EntityId::kNone) end.newer = link;
    }
    if (end.newer) {
      const Triple link{said.fact->subject, said.fact->predicate,
                        store::Term::entity(said.fact->object)};
      detail::ToldTime time{.fact = link, .told = told_at};
      time.said_earlier = end.said_earlier;
      ANIMA_TRY(detail::hold_from(transaction, time, place).map([](const std::vector<Triple>&) {}));
    }
    // The value of an attribute was replaced by the new one; what was said of somebody else goes.
    const bool of_another = said.fact && said.ends && said.fact->subject != said.ends->subject;
    const bool replaced = said.fact && said.ends && !is_link(*said.ends) && !of_another;
    if (of_another) {
      ANIMA_TRY(last.told ? detail::take_back(transaction, *said.ends, false, place)
                          : detail::end_fact(transaction, *said.ends, {.told = told_at}, place));
    } else if (said.ends && !replaced) {
      ANIMA_TRY(takes_back ? detail::take_back(transaction, *said.ends, said.denies, place)
                           : detail::end_fact(transaction, *said.ends, end, place));
    }
    return provenance.write();
  });
  if (!written) return fail(written.error());
  ANIMA_ASSIGN(const store::Snapshot after, space_->snapshot());
  return tell(telling, said, last, before, *written, after);
}

// What was done, and what the next sentence may correct.
Told ToldFacts::tell(const Telling& telling, const Said& said, const LastFacts::Last& last,
                     const store::Snapshot& before, const store::Receipt& written,
                     const store::Snapshot& after) {
  const memory::NewMemory& item = telling.item;
  const Timestamp now = store::present(after, clock_);
  Told told;
  LastFacts::Last next;
  if (said.fact) {
    told.stated = said.fact->text;
    const auto fact = detail::written_as(after, *said.fact);
    const std::string since = telling.since && fact ? detail::told_since_words(after, *fact) : "";
    if (!since.empty()) return Told::asking(since);
    if (said.ends && said.ends->subject != said.fact->subject) {
      told.corrected = closed(before, after, *said.ends, now);
    } else if (fact && said.fact->is_link()) {
      const std::string was = detail::ended_beside(before, after, *fact, now);
      if (!was.empty())
        told.corrected =
            fmt::format("{}: {}, was {}", detail::fact_label(after, *fact), said.fact->said, was);
      told.asks = detail::held_back_words(after, *fact, item.trust, now);
    } else if (fact && said.fact->key != ask::kSaidToBe && said.fact->key != ask::kAlsoCalled) {
      const std::string was = detail::held_values(before, fact->subject, fact->predicate);
      const std::string is = detail::held_values(after, fact->subject, fact->predicate);
      told.asks = detail::held_back_words(after, *fact, item.trust, now);
      if (told.asks.empty() && !was.empty() && was != is)
        told.corrected = fmt::format("{}: {}, was {}", detail::fact_label(after, *fact), is, was);
    }
    if (fact)
      next = {.facts = {{*fact, true}}, .told = true, .sources = {{*fact, telling.memory()}}};
  } else {
    // A text that told several things stays for the others.
    const bool takes_back = said.saying == Saying::kWithdraws && last.told;
    if (takes_back) told.withdrawn = last.memory_of_it_alone(*said.ends);
    const bool is_known = said.saying == Saying::kEnds && !detail::holds(before, *said.ends, now);
    told.corrected = is_known ? fmt::format("{}: no longer {}, as is known",
                                            detail::fact_label(after, *said.ends),
                                            store::term_label(after, said.ends->object))
                              : closed(before, after, *said.ends, now);
    if (said.saying == Saying::kEnds)
      next = {.told = true,
              .ended = {*said.ends},
              .sources = {{*said.ends, telling.memory(), written.sequence}}};
  }
  if (said.ends) last_.drop(said_by(item), *said.ends);
  if (next.told) {
    last_.add(said_by(item), std::move(next));
  } else if (last_of(item).lines != 0) {
    last_.set(said_by(item), {});
  }
  return told;
}

// The provenance of what was told with memories that are withdrawn, and with this one.
Result<std::set<std::uint64_t>> ToldFacts::withdrawn_with(const store::Snapshot& now,
                                                          std::string_view memory) {
  ANIMA_ASSIGN(const auto records, told_records());
  std::set<std::uint64_t> ids;
  for (const memory::ProvenanceRecord* one : records) {
    if (one->text2.empty()) continue;
    if (!detail::is_remembered(now, one->text2) || one->text2 == memory) ids.insert(one->id);
  }
  return ids;
}

// Of a fact that stands on the words of other speakers alone, one of them.
Result<std::string> ToldFacts::other_teller(const store::Snapshot& now, const Triple& fact,
                                            const SaidBy& by) {
  ANIMA_TRY(told_records());
  std::string other;
  for (const store::Assertion& one : now.assertions(fact)) {
    const memory::ProvenanceRecord* const record = provenance_->find(one.provenance);
    const std::string author(now.entry(one.born).author);
    if (record == nullptr || SaidBy(author, record->speaker, {}).speaker == by.speaker)
      return std::string();
    other = record->speaker.empty() ? author : record->speaker;
  }
  return other;
}

Result<std::vector<const memory::ProvenanceRecord*>> ToldFacts::told_records() {
  if (provenance_ == nullptr) provenance_ = std::make_unique<memory::ProvenanceLedger>(*space_);
  ANIMA_TRY(provenance_->refresh());
  return provenance_->by_kind(memory::ProvenanceKind::kTold);
}

Result<std::vector<std::string>> ToldFacts::would_take_back(const memory::NewMemory& by,
                                                            std::string_view memory) {
  ANIMA_ASSIGN(const auto records, told_records());
  ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
  std::vector<Triple> going;
  for (const memory::ProvenanceRecord* one : records) {
    if (one->text2 != memory || now.entry(one->entry).trust > by.trust) continue;
    const detail::ToldByRecord told = detail::told_by_record(now, *one, records);
    for (const std::optional<Triple>& fact : {told.stated, told.ended, told.link})
      if (fact) going.push_back(*fact);
  }
  return store::statement_lines(now, going, {});
}

Result<std::vector<std::string>> ToldFacts::take_back(const memory::NewMemory& by,
                                                      std::string_view memory) {
  ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
  ANIMA_ASSIGN(const std::set<std::uint64_t> withdrawn, withdrawn_with(now, memory));
  ANIMA_ASSIGN(const auto records, told_records());
  std::vector<std::string> lines;
  for (const memory::ProvenanceRecord* one : records) {
    if (one->text2 != memory) continue;
    ANIMA_ASSIGN(const store::Snapshot before, space_->snapshot());
    const detail::ToldByRecord told = detail::told_by_record(before, *one, records);
    const store::EntryInfo entry = before.entry(one->entry);
    const std::optional<Triple> fact = told.fact();
    if (entry.trust > by.trust || (!fact && !detail::may_return(before, one->id))) continue;
    const store::Origin origin{by.created_by, by.source, by.trust, store::Sequence::kNone};
    const auto written = space_->write(origin, [&](store::Transaction& transaction) -> Status {
      detail::ToldPlace place{
          {},     by.trust, std::string(entry.author), store::present(before, clock_),
          before, withdrawn};
      place.told.graph = transaction.graph(kToldGraph);
      for (const detail::ToldTime& time : told.times)
        ANIMA_TRY(detail::take_back_time(transaction, time, place));
      ANIMA_TRY(detail::mark_forgotten(transaction, one->derived, one->id));
      if (!told.times.empty() || !fact) return {};
      if (told.stated) return detail::take_back(transaction, *fact, false, place);
      if (told.link) return detail::take_back_time(transaction, *fact, *told.begin, place);
      return detail::take_back_end(transaction, *fact, one->entry, place);
    });
    if (!written) return fail(written.error());
    if (!fact) continue;
    ANIMA_ASSIGN(const store::Snapshot after, space_->snapshot());
    const bool other_values =
        !is_link(*fact) && detail::held_values(before, fact->subject, fact->predicate) !=
                               detail::held_values(after, fact->subject, fact->predicate);
    if (before.contains(*fact) || after.contains(*fact) || other_values)
      lines.push_back(closed(before, after, *fact, store::present(after, clock_)));
  }
  return lines;
}

}  // namespace anima::agent
