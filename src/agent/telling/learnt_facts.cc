#include "agent/telling/learnt_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "agent/telling/detail/telling_plan.h"
#include "agent/telling/detail/told_statements.h"
#include "agent/telling/detail/told_writer.h"
#include "agent/telling/open_questions.h"
#include "agent/telling/told_facts.h"
#include "base/text/text.h"
#include "memory/provenance.h"
#include "store/holds.h"
#include "store/restate.h"
#include "store/symbols.h"

namespace anima::agent {
namespace {

using detail::is_value;
using detail::NamedThing;
using detail::PlannedFact;
using detail::stated_words;
using language::Frame;
using language::FrameTime;
using store::EntityId;
using store::Term;
using store::Triple;

constexpr std::string_view kIsKnown = ", as is known";
constexpr int kMostAsked = 8;  // of one text

// --- writing

class TellingWriter {
 public:
  TellingWriter(store::Transaction& transaction, const store::Snapshot& before,
                const Learning& learning)
      : transaction_(transaction), before_(before), learning_(learning), provenance_(transaction) {
    told_.graph = transaction.graph(kToldGraph);
    told_.confidence = learning.item.confidence;
  }

  Status run(std::vector<PlannedFact>& facts) {
    for (PlannedFact& fact : facts) ANIMA_TRY(write(fact));
    return provenance_.write();
  }

  std::vector<std::string> corrected;

 private:
  Result<EntityId> thing(const NamedThing& named) {
    if (named.known) return *named.known;
    ANIMA_ASSIGN(const EntityId type, transaction_.upsert_type(named.type, told_));
    return transaction_.upsert_concept(type, named.name, told_);
  }

  Status write(PlannedFact& fact) {
    const Frame& frame = fact.frame;
    ANIMA_ASSIGN(fact.said.subject, thing(fact.subject));
    memory::ProvenanceRecord record;
    record.derived = fact.said.subject;
    record.kind = memory::ProvenanceKind::kTold;
    record.text = learning_.item.content;
    record.text2 = learning_.memory;
    record.speaker = learning_.item.speaker;
    if (!is_value(frame)) {
      ANIMA_ASSIGN(fact.said.object, thing(fact.object));
      ANIMA_ASSIGN(const EntityId link, detail::define_relation(transaction_, *frame.relation,
                                                                told_, learning_.item.trust));
      fact.said.predicate = store::Predicate::link(link);
      record.sources = {link, fact.said.object};
      if (frame.at_second && frame.time != FrameTime::kEnded)
        record.number = static_cast<double>(fact.from.microseconds / kMicrosecondsPerSecond);
    }
    detail::ToldPlace place{told_, learning_.item.trust, learning_.item.created_by, learning_.now,
                            before_};
    place.told.provenance = provenance_.add(std::move(record));
    if (is_value(frame)) return write_value(fact, place);
    const Triple link{fact.said.subject, fact.said.predicate, Term::entity(fact.said.object)};
    if (frame.time == FrameTime::kEnded) {
      return end_link(fact, link, place);
    }
    return write_link(fact, link, place);
  }

  Timestamp said_at() const { return learning_.since.value_or(learning_.now); }
  bool was_said_earlier() const { return learning_.since || learning_.before; }
  detail::SaidAt said() const { return {said_at(), was_said_earlier()}; }
  detail::EndOfFact end_of(const PlannedFact& fact) const {
    return {fact.frame.at_second ? std::optional(fact.from) : std::nullopt, said_at(),
            was_said_earlier()};
  }

  Status end_link(const PlannedFact& fact, const Triple& link, const detail::ToldPlace& place) {
    const auto known = store::standing_of(transaction_.live(), link).valid_to;
    ANIMA_TRY(detail::end_fact(transaction_, link, end_of(fact), place));
    const bool stays = known && store::standing_of(transaction_.live(), link).valid_to == *known;
    corrected.push_back(fmt::format("{} {}: no longer {}{}", fact.subject.name, fact.frame.key,
                                    fact.object.name, stays ? kIsKnown : std::string_view()));
    return {};
  }

  Status end_value(const PlannedFact& fact, const detail::ToldPlace& place) {
    const auto key = transaction_.live().find_string(fact.said.key);
    const auto value = transaction_.live().find(fact.said.value.view());
    if (!key || !value) return {};
    const Triple ended{fact.said.subject, store::Predicate::attribute(*key), *value};
    const bool held = transaction_.live().contains(ended);
    corrected.push_back(fmt::format("{}'s {}: no longer {}{}", fact.subject.name, fact.said.key,
                                    fact.frame.object.name, held ? std::string_view() : kIsKnown));
    return detail::end_fact(transaction_, ended, end_of(fact), place);
  }

  Status write_value(const PlannedFact& fact, const detail::ToldPlace& place) {
    if (fact.frame.time == FrameTime::kEnded) return end_value(fact, place);
    const auto key = transaction_.live().find_string(fact.said.key);
    const auto held = [&](store::Predicate attribute) {
      return detail::held_values(transaction_.live(), fact.said.subject, attribute);
    };
    const std::string was = key ? held(store::Predicate::attribute(*key)) : std::string();
    ANIMA_TRY(detail::state_fact(transaction_, fact.said, said(), place).map([](EntityId) {}));
    const bool many = language::FrameRelations::shipped().has_many_values(fact.said.key);
    if (was.empty() || many || fact.said.key == ask::kAlsoCalled) return {};
    const std::string is = held(store::Predicate::attribute(*key));
    if (was != is)
      corrected.push_back(fmt::format("{}'s {}: {}, was {}", fact.subject.name, fact.said.key,
                                      fact.frame.object.name, was));
    return {};
  }

  Status write_link(const PlannedFact& fact, const Triple& link, const detail::ToldPlace& place) {
    ANIMA_ASSIGN(const EntityId stated, detail::state_fact(transaction_, fact.said, said(), place));
    if (!fact.frame.noun.empty()) ANIMA_TRY(name_by_noun(stated, fact.frame.noun));
    detail::ToldTime time{link, false, fact.at, said_at()};
    time.named = fact.frame.at_second.has_value();
    time.said_earlier = was_said_earlier();
    // A relation of the space's own says itself what it has room for; whoever moves leaves.
    time.moves = fact.frame.relation->one_valued && fact.frame.time == FrameTime::kBegan;
    time.from_now = fact.from_now;
    time.corrects = fact.corrects;
    ANIMA_ASSIGN(const std::vector<Triple> older, detail::hold_from(transaction_, time, place));
    for (const Triple& old : older) {
      const std::string name = store::term_label(transaction_.live(), old.object);
      corrected.push_back(
          old.predicate == link.predicate
              ? fmt::format("{} {}: {}, was {}", fact.subject.name, fact.frame.key,
                            fact.object.name, name)
              : fmt::format("{} {}: no longer {}", fact.subject.name,
                            store::predicate_label(transaction_.live(), old.predicate), name));
    }
    return {};
  }

  // It takes the place of the noun that was told on the same trust. Another one stands beside it,
  // and the noun is the word of who is trusted most.
  Status name_by_noun(EntityId link, const std::string& noun) {
    const store::Snapshot& now = transaction_.live();
    ANIMA_ASSIGN(const Term key,
                 transaction_.term(store::Value::string(detail::kNounOfLink).view()));
    ANIMA_ASSIGN(const Term value, transaction_.term(store::Value::string(noun).view()));
    const auto predicate = store::Predicate::metadata(key);
    for (const std::uint32_t code : detail::objects_of(now, link, predicate)) {
      const Triple other{link, predicate, Term{code}};
      const bool same_trust = store::standing_of(now, other).trust == learning_.item.trust;
      if (same_trust && !(other.object == value))
        ANIMA_TRY(transaction_.retract(other, told_.graph).map([](bool) {}));
    }
    const Triple said{link, predicate, value};
    if (store::is_stated_by_higher(now, said, told_.graph, learning_.item.trust)) return {};
    return store::restate(transaction_, said, told_, now.sequence()).map([](EntityId) {});
  }

  store::Transaction& transaction_;
  const store::Snapshot& before_;
  const Learning& learning_;
  memory::ProvenanceBatch provenance_;
  store::AssertOptions told_;
};

// When a link that was told of the past ended.
std::optional<Timestamp> end_of(const store::Snapshot& after, const PlannedFact& fact) {
  if (is_value(fact.frame)) return std::nullopt;
  return store::standing_of(
             after, {fact.said.subject, fact.said.predicate, Term::entity(fact.said.object)})
      .valid_to;
}

// What of it somebody who is trusted more says otherwise.
std::string held_back_words(const store::Snapshot& after, const Learning& learning,
                            std::span<const ask::SaidFact> facts) {
  std::vector<std::string> words;
  for (const ask::SaidFact& one : facts) {
    const bool is_name = !detail::is_link(one.fact) &&
                         store::predicate_label(after, one.fact.predicate) == ask::kAlsoCalled;
    std::string why =
        is_name ? std::string()
                : detail::held_back_words(after, one.fact, learning.item.trust, learning.now);
    if (!why.empty()) words.push_back(std::move(why));
  }
  return join(words, " ");
}

// What was told in the place of an earlier text, and something else since, is not stated.
std::vector<std::string> leave_told_since(const store::Snapshot& after,
                                          std::vector<PlannedFact>& facts) {
  std::vector<std::string> words;
  std::erase_if(facts, [&](const PlannedFact& one) {
    const auto fact = detail::written_as(after, one.said);
    std::string since = fact ? detail::told_since_words(after, *fact) : std::string();
    if (since.empty()) return false;
    words.push_back(std::move(since));
    return true;
  });
  return words;
}

// What was told to hold, or to have ended, for what corrects it next.
std::vector<Triple> facts_of(const store::Snapshot& after, const std::vector<PlannedFact>& facts,
                             bool ended) {
  std::vector<Triple> said;
  for (const PlannedFact& fact : facts) {
    if ((fact.frame.time == FrameTime::kEnded) != ended) continue;
    if (const auto written = detail::written_as(after, fact.said)) said.push_back(*written);
  }
  return said;
}

// With what a yes to all of it would note.
void ask_back_all(const detail::SpaceRead& space, const Learning& learning,
                  const language::Telling& telling, ToldQuestion question, Learnt& learnt) {
  Decisions decided = learning.decided;
  std::vector<std::string> asks = {question.asks};
  for (int asked = 1; !question.yes.empty() && asked < kMostAsked; ++asked) {
    for (const auto& [about, decision] : question.yes) decided[about] = decision;
    ToldQuestion further;
    const std::vector<PlannedFact> facts =
        detail::plan_telling(space, learning, decided, telling, further);
    if (further.asks.empty()) {
      if (facts.empty()) return;  // nothing of it is to be known, whatever the answer
      question.proposes = stated_words(facts);
      break;
    }
    asks.push_back(further.asks);
    question.choices.clear();  // of one question of several: after a yes to none of them
    if (further.yes.empty()) question.yes.clear();
    for (const auto& [about, decision] : further.yes) question.yes[about] = decision;
  }
  question.asks = join(asks, " ");
  learnt.asks = question.asks;
  learnt.question = std::move(question);
}

// Names of a file that nobody trusts decide nothing of what a trusted sentence means.
struct StateRead {
  StateRead(const store::Snapshot& state, store::Trust trust)
      : all(state.knowledge()),
        known(store::trusted_view(all, std::min(trust, store::Trust::kStandard))),
        trusted(store::trusted_view(all, trust)) {}
  detail::SpaceRead read() const { return {all, known, trusted}; }
  const store::Snapshot all, known, trusted;
};

}  // namespace

AskedBack asked_back(const store::Snapshot& state, const Learning& learning,
                     const language::Telling& telling) {
  const StateRead reads(state, learning.item.trust);
  ToldQuestion question;
  const std::vector<PlannedFact> facts =
      detail::plan_telling(reads.read(), learning, learning.decided, telling, question);
  if (question.asks.empty()) return {{}, !facts.empty()};
  Learnt learnt;
  ask_back_all(reads.read(), learning, telling, std::move(question), learnt);
  return {learnt.question.value_or(ToldQuestion()), false};
}

Result<Learnt> learn_telling(store::Space& space, const Learning& learning,
                             const language::Telling& telling) {
  Learnt learnt;
  ANIMA_ASSIGN(const store::Snapshot before, space.snapshot());
  const StateRead reads(before, learning.item.trust);
  const detail::SpaceRead space_read = reads.read();
  ToldQuestion question;
  std::vector<PlannedFact> facts =
      detail::plan_telling(space_read, learning, learning.decided, telling, question);
  if (!question.asks.empty()) {
    ask_back_all(space_read, learning, telling, std::move(question), learnt);
    return learnt;
  }
  if (facts.empty()) return learnt;
  if (!learning.expects.empty() && stated_words(facts) != learning.expects) {
    question.asks = "By now it means something else.";
    question.proposes = stated_words(facts);
    learnt.asks = question.asks;
    learnt.question = std::move(question);
    return learnt;
  }
  const memory::NewMemory& item = learning.item;
  std::vector<std::string> corrected;
  const auto written =
      space.write({item.created_by, item.source, item.trust, store::Sequence::kNone},
                  [&](store::Transaction& transaction) -> Status {
                    TellingWriter writer(transaction, before, learning);
                    ANIMA_TRY(writer.run(facts));
                    corrected = std::move(writer.corrected);
                    return {};
                  });
  if (!written) return fail(written.error());
  ANIMA_ASSIGN(const store::Snapshot after, space.snapshot());
  learnt.entry = written->sequence;
  learnt.ended = facts_of(after, facts, true);
  std::erase_if(facts, [](const PlannedFact& one) { return one.frame.time == FrameTime::kEnded; });
  if (learning.since) learnt.asks = join(leave_told_since(after, facts), " ");
  for (PlannedFact& one : facts) one.until = end_of(after, one);
  learnt.stated = stated_words(facts);
  learnt.corrected = join(corrected, "; ");
  for (const Triple& one : facts_of(after, facts, false)) learnt.facts.push_back({one});
  if (!learning.since && !learning.before)
    learnt.asks = held_back_words(after, learning, learnt.facts);
  return learnt;
}

Result<LearntBefore> learn_said_before(store::Space& space, std::vector<SaidBefore> said,
                                       const store::Origin& origin) {
  std::ranges::stable_sort(said, {}, &SaidBefore::time);
  LearntBefore learnt;
  // Others spoke in between: "she" is somebody of the same text, or is asked about.
  for (const SaidBefore& one : said) {
    const language::Telling read = language::read_telling(one.text, {one.time});
    if (!read.teaches_openly()) continue;
    memory::NewMemory item;
    item.content = one.text;
    item.created_by = origin.author;
    item.source = origin.source;
    item.trust = origin.trust;
    ANIMA_ASSIGN(
        Learnt now,
        learn_telling(
            space,
            {.item = item, .memory = {}, .speaker = origin.author, .now = one.time, .before = true},
            read));
    for (const std::string* text : {&now.stated, &now.corrected})
      if (!text->empty()) learnt.facts.push_back(*text);
    if (!now.question || !now.question->may_be_answered()) continue;
    OpenQuestion asked = question_about(item, {}, origin.author, one.time);
    asked.before = true;
    asked.question = std::move(*now.question);
    ANIMA_TRY(keep_question(space, std::move(asked)).map([](const std::string&) {}));
    ++learnt.asked;
  }
  return learnt;
}

}  // namespace anima::agent
