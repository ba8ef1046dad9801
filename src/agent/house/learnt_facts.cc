#include "agent/house/learnt_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "agent/house/detail/learnt_names.h"
#include "agent/house/detail/told_writer.h"
#include "agent/house/told_facts.h"
#include "base/text/text.h"
#include "language/language.h"
#include "language/text/guess.h"
#include "language/text/sentences.h"
#include "language/times/times.h"
#include "memory/provenance.h"
#include "store/holds.h"
#include "store/symbols.h"

namespace anima::agent {
namespace {

using detail::NamedThing;
using language::Frame;
using language::FrameTime;
using language::ValueKind;
using store::EntityId;
using store::Term;
using store::Triple;

constexpr std::size_t kMostSentences = 16;
constexpr std::string_view kBeginsAt = "valid_from", kHasRoomForOne = "functional",
                           kSeenAt = "observed_at";

// --- reading

// "Ich bin am 3. Mai 1990 geboren.": a full stop inside a time ends no sentence.
std::vector<language::TextSpan> sentences_of(std::string_view line, Timestamp now) {
  std::vector<language::TextSpan> spans = language::sentences(line);
  if (spans.size() < 2) return spans;
  for (const std::string& code : language::FrameWords::languages()) {
    for (const language::TimeReading& time : language::read_times(line, code, {now})) {
      for (std::size_t i = 0; i + 1 < spans.size(); ++i) {
        if (time.begin >= spans[i].end || time.end <= spans[i + 1].begin) continue;
        spans[i].end = spans[i + 1].end;
        spans.erase(spans.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        break;
      }
    }
  }
  return spans;
}

std::vector<std::string_view> lines_and_sentences(std::string_view text, Timestamp now) {
  std::vector<std::string_view> found;
  for (const std::string_view line : split(text, '\n')) {
    for (const language::TextSpan& span : sentences_of(line, now))
      found.push_back(line.substr(span.begin, span.end - span.begin));
  }
  return found;
}

// In the language that has frames for it. What is left is told in the one that it seems to be in.
language::FramesRead read_sentence(std::string_view sentence, Timestamp now) {
  language::FramesRead best;
  const auto guess = language::guess_language(sentence);
  for (const std::string& code : language::FrameWords::languages()) {
    language::FramesRead read = language::read_frames(sentence, code, {now});
    if (!read.frames.empty() || read.opens) return read;
    const bool likely = guess && language::code_of(*guess) == code;
    if (best.left.empty() || likely) best = std::move(read);
  }
  return best;
}

// --- planning

// What is to be written of one frame.
struct PlannedFact {
  NamedThing subject, object;
  const Frame* frame = nullptr;
  ask::Statement said = {};  // subject and object are filled in when it is written
  Timestamp from;            // when it began or ended, else now
  bool dated = false;
};

bool is_value(const Frame& frame) { return frame.relation->object.empty(); }

store::Value value_of(const Frame& frame) {
  const std::string& text = frame.object.name;
  std::int64_t number = 0;
  if (frame.relation->value == ValueKind::kNumber &&
      std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc())
    return store::Value::of(number);
  return store::Value::string(text);
}

std::string told_words(const PlannedFact& fact) {
  const std::string object = is_value(*fact.frame) ? fact.frame->object.name : fact.object.name;
  return fmt::format("{} {} {}", fact.subject.name,
                     fact.said.key.empty() ? fact.frame->key : fact.said.key, object);
}

// The links of the subject under the relation that hold then.
std::vector<Triple> links_of(const store::Snapshot& now, EntityId subject, EntityId relation,
                             Timestamp time) {
  std::vector<Triple> links;
  const auto predicate = store::Predicate::link(relation);
  store::Scratch scratch;
  for (const std::uint32_t code : now.objects(subject, predicate, scratch)) {
    const Triple link{subject, predicate, Term{code}};
    if (store::is_valid(store::standing_of(now, link), time, time)) links.push_back(link);
  }
  return links;
}

class TellingPlanner {
 public:
  TellingPlanner(const store::Snapshot& now, const Learning& learning)
      : now_(now), learning_(learning), names_(now, learning.speaker, learning.now) {
    names_.spoken_of(learning.last);
  }

  // Empty with a question in `asks`, or because nothing of it is to be known.
  std::vector<PlannedFact> run(const TellingRead& telling, std::string& asks) {
    std::vector<PlannedFact> all;
    for (const auto& sentence : telling.sentences) {
      for (const Frame& frame : sentence) {
        PlannedFact fact = plan(frame);
        asks = !fact.subject.asks.empty()  ? fact.subject.asks
               : !fact.object.asks.empty() ? fact.object.asks
                                           : fault_of(fact);
        if (!asks.empty() || is_nobodys(fact)) return {};
        if (learning_.before && is_overtaken(fact)) continue;
        all.push_back(std::move(fact));
      }
      names_.next_sentence();
    }
    return all;
  }

 private:
  PlannedFact plan(const Frame& frame) {
    PlannedFact fact;
    fact.frame = &frame;
    fact.subject = names_.find(frame.subject, detail::kPersonTypeName);
    if (!is_value(frame)) {
      fact.object = names_.find(frame.object, frame.relation->object);
    } else {
      fact.said.key =
          frame.relation->value == ValueKind::kName ? std::string(ask::kAlsoCalled) : key_of(frame);
      fact.said.value = value_of(frame);
    }
    fact.dated = frame.at_second || frame.time == FrameTime::kBegan;
    fact.from = frame.at_second ? language::utc_of(*frame.at_second, 0) : learning_.now;
    return fact;
  }

  // The name that the space has for the same, where that holds days as well: "born" of "born_on".
  std::string key_of(const Frame& frame) const {
    for (const std::string& other : frame.relation->also) {
      if (!has_days(frame.key) && has_days(other)) return other;
    }
    return frame.key;
  }

  bool has_days(std::string_view key) const {
    const auto name = now_.find_string(key);
    if (!name) return false;
    store::Pattern values;
    values.predicate = store::Predicate::attribute(*name);
    values.predicate_class = store::PredicateClass::kAttribute;
    Triple first;
    if (now_.scan(values).next({&first, 1}) == 0) return false;
    const store::ValueView value = now_.value(first.object);
    return value.kind == store::ValueKind::kString && parse_timestamp(value.text).has_value();
  }

  // Its words are said of more than persons, and nobody of that name is known.
  static bool is_of_somebody(const PlannedFact& fact) {
    return fact.subject.known || fact.frame->subject.kind != language::FrameSide::Kind::kName;
  }
  bool is_nobodys(const PlannedFact& fact) const {
    if (fact.frame->relation->known_subject && !is_of_somebody(fact)) return true;
    // A name that somebody else has is no second one.
    if (fact.said.key != ask::kAlsoCalled) return false;
    for (const EntityId one : now_.concepts_labelled(fact.frame->object.name))
      if (one != fact.subject.known && now_.exists(one)) return true;
    return false;
  }

  // Something else is known since.
  bool is_overtaken(const PlannedFact& fact) const {
    if (!fact.subject.known || !fact.frame->relation->one_valued) return false;
    store::Scratch scratch;
    if (is_value(*fact.frame)) {
      const auto key = now_.find_string(fact.said.key);
      if (!key) return false;
      const auto predicate = store::Predicate::attribute(*key);
      for (const std::uint32_t code : now_.objects(*fact.subject.known, predicate, scratch)) {
        for (const auto& one : now_.assertions({*fact.subject.known, predicate, Term{code}}))
          if (now_.entry(one.born).source != learning_.item.source) return true;
      }
      return false;
    }
    const auto relation = now_.find_predicate(fact.frame->relation->name);
    if (!relation) return false;
    const auto predicate = store::Predicate::link(*relation);
    const auto codes = now_.objects(*fact.subject.known, predicate, scratch);
    return std::ranges::any_of(codes, [&](std::uint32_t code) {
      const auto standing = store::standing_of(now_, {*fact.subject.known, predicate, Term{code}});
      return standing.observed > learning_.now ||
             (standing.valid_from && *standing.valid_from > learning_.now);
    });
  }

  // What of it contradicts what is known, as a question.
  std::string fault_of(const PlannedFact& fact) const {
    if (is_value(*fact.frame)) return {};
    const bool itself = fact.subject.known ? fact.subject.known == fact.object.known
                                           : fact.subject.name == fact.object.name &&
                                                 fact.subject.type == fact.object.type;
    if (itself) {
      return fmt::format("Is there another \"{}\"? Say it with the whole name.", fact.object.name);
    }
    const auto relation = now_.find_predicate(fact.frame->relation->name);
    const auto held = relation && fact.subject.known
                          ? links_of(now_, *fact.subject.known, *relation, learning_.now)
                          : std::vector<Triple>();
    const auto of_object = std::ranges::find_if(held, [&](const Triple& link) {
      return fact.object.known && link.object == Term::entity(*fact.object.known);
    });
    if (fact.frame->time == FrameTime::kEnded) {
      if (of_object == held.end())
        return fmt::format("That {} is not known, so nothing ended.", told_words(fact));
      const std::string why =
          detail::held_back(now_, *of_object, learning_.item.trust, now_.find_graph(kToldGraph));
      return why.empty() ? why : fmt::format("{} stays as it is: {}.", told_words(fact), why);
    }
    if (!fact.dated || !fact.frame->relation->one_valued) return {};
    for (const Triple& link : held) {
      const auto since = store::standing_of(now_, link).valid_from;
      const bool other = of_object == held.end() || !(link == *of_object);
      if (other && since && *since >= fact.from) {
        return fmt::format("{} {} {} holds since {}, which is later: which is right now?",
                           fact.subject.name, fact.frame->key, store::term_label(now_, link.object),
                           format_timestamp(*since));
      }
    }
    return {};
  }

  const store::Snapshot& now_;
  const Learning& learning_;
  detail::LearntNames names_;
};

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

  // A relation that is made by use says whether it has room for one.
  Result<EntityId> relation(const language::FrameRelation& of) {
    if (const auto known = transaction_.live().find_predicate(of.name)) return *known;
    ANIMA_ASSIGN(const EntityId made, transaction_.upsert_predicate(of.name, told_));
    if (!of.one_valued) return made;
    ANIMA_ASSIGN(const Term yes, transaction_.term(store::Value::boolean(true).view()));
    ANIMA_TRY(transaction_.set_attribute(made, kHasRoomForOne, std::span(&yes, 1), told_));
    return made;
  }

  Status write(PlannedFact& fact) {
    const Frame& frame = *fact.frame;
    ANIMA_ASSIGN(fact.said.subject, thing(fact.subject));
    memory::ProvenanceRecord record;
    record.derived = fact.said.subject;
    record.kind = memory::ProvenanceKind::kTold;
    record.text = learning_.item.content;
    record.text2 = learning_.memory;
    if (!is_value(frame)) {
      ANIMA_ASSIGN(fact.said.object, thing(fact.object));
      ANIMA_ASSIGN(const EntityId link, relation(*frame.relation));
      fact.said.predicate = store::Predicate::link(link);
      record.sources = {link, fact.said.object};
    }
    detail::ToldPlace place{told_, learning_.item.trust, learning_.item.created_by, fact.from,
                            before_};
    place.told.provenance = provenance_.add(std::move(record));
    if (is_value(frame)) return write_value(fact, place);
    const Triple link{fact.said.subject, fact.said.predicate, Term::entity(fact.said.object)};
    if (frame.time == FrameTime::kEnded) {
      corrected.push_back(
          fmt::format("{} {}: no longer {}", fact.subject.name, frame.key, fact.object.name));
      return detail::end_fact(transaction_, link, std::nullopt, place);
    }
    return write_link(fact, link, place);
  }

  Status write_value(const PlannedFact& fact, const detail::ToldPlace& place) {
    const auto key = transaction_.live().find_string(fact.said.key);
    const bool adds = fact.said.key == ask::kAlsoCalled;
    const std::string was = key && !adds
                                ? detail::held_values(transaction_.live(), fact.said.subject,
                                                      store::Predicate::attribute(*key))
                                : std::string();
    ANIMA_TRY(detail::state_fact(transaction_, fact.said, place).map([](EntityId) {}));
    if (!was.empty() && was != fact.frame->object.name)
      corrected.push_back(fmt::format("{}'s {}: {}, was {}", fact.subject.name, fact.said.key,
                                      fact.frame->object.name, was));
    return {};
  }

  Status write_link(const PlannedFact& fact, const Triple& link, const detail::ToldPlace& place) {
    ANIMA_ASSIGN(const EntityId newer, detail::state_fact(transaction_, fact.said, place));
    if (fact.dated) ANIMA_TRY(set_text(newer, kBeginsAt, format_timestamp(fact.from)));
    if (learning_.before) ANIMA_TRY(set_text(newer, kSeenAt, format_timestamp(learning_.now)));
    if (!fact.frame->noun.empty())
      ANIMA_TRY(set_text(newer, detail::kNounOfLink, fact.frame->noun));
    ANIMA_TRY(end_opposite(fact, link, newer, place));
    // A relation of the space's own says itself what it has room for; whoever moves leaves.
    const bool one = store::is_functional(transaction_.live(), link.predicate) ||
                     (fact.frame->relation->one_valued && fact.frame->time == FrameTime::kBegan);
    if (!one) return {};
    const auto older = detail::replaced_by(transaction_.live(), link, place, learning_.now);
    for (const Triple& old : older) {
      corrected.push_back(fmt::format("{} {}: {}, was {}", fact.subject.name, fact.frame->key,
                                      fact.object.name,
                                      store::term_label(transaction_.live(), old.object)));
      ANIMA_TRY(detail::end_fact(transaction_, old, newer, place));
    }
    return {};
  }

  // Who dislikes something likes it no longer.
  Status end_opposite(const PlannedFact& fact, const Triple& link, EntityId newer,
                      const detail::ToldPlace& place) {
    const std::string& name = fact.frame->relation->opposite;
    const auto relation = transaction_.live().find_predicate(name);
    if (name.empty() || !relation) return {};
    const Triple old{link.subject, store::Predicate::link(*relation), link.object};
    const bool holds =
        transaction_.live().contains(old) &&
        store::is_valid(store::standing_of(transaction_.live(), old), learning_.now, learning_.now);
    const bool stays = !holds || !detail::held_back(before_, old, learning_.item.trust,
                                                    before_.find_graph(kToldGraph))
                                      .empty();
    if (stays) return {};
    corrected.push_back(
        fmt::format("{} {}: no longer {}", fact.subject.name, name, fact.object.name));
    return detail::end_fact(transaction_, old, newer, place);
  }

  Status set_text(EntityId link, std::string_view key, const std::string& text) {
    ANIMA_ASSIGN(const Term term, transaction_.term(store::Value::string(text).view()));
    return transaction_.set_metadata(link, key, std::span(&term, 1), told_);
  }

  store::Transaction& transaction_;
  const store::Snapshot& before_;
  const Learning& learning_;
  memory::ProvenanceBatch provenance_;
  store::AssertOptions told_;
};

// What was written, for what corrects it next.
std::vector<ask::SaidFact> said_facts(const store::Snapshot& after,
                                      const std::vector<PlannedFact>& facts) {
  std::vector<ask::SaidFact> said;
  for (const PlannedFact& fact : facts) {
    if (fact.frame->time == FrameTime::kEnded) continue;
    if (!is_value(*fact.frame)) {
      said.push_back({{fact.said.subject, fact.said.predicate, Term::entity(fact.said.object)}});
      continue;
    }
    const auto key = after.find_string(fact.said.key);
    const auto value = after.find(fact.said.value.view());
    if (key && value)
      said.push_back({{fact.said.subject, store::Predicate::attribute(*key), *value}});
  }
  return said;
}

}  // namespace

TellingRead read_telling(std::string_view text, Timestamp now) {
  TellingRead telling;
  const std::vector<std::string_view> sentences = lines_and_sentences(text, now);
  if (sentences.size() > kMostSentences) return telling;
  for (const std::string_view sentence : sentences) {
    language::FramesRead read = read_sentence(sentence, now);
    if (read.opens) {
      telling.opens = true;
      continue;
    }
    if (read.frames.empty()) {
      telling.left.push_back(std::move(read.left));
      continue;
    }
    if (telling.sentences.empty()) telling.corrects = read.corrects;
    telling.of_speaker = telling.of_speaker || read.of_speaker;
    telling.sentences.push_back(std::move(read.frames));
  }
  // "I doubt it." Of a sentence that is not read nobody knows what it does to those beside it.
  if (!telling.left.empty()) telling.sentences.clear();
  return telling;
}

Result<Learnt> learn_telling(store::Space& space, const Learning& learning,
                             const TellingRead& telling) {
  Learnt learnt;
  ANIMA_ASSIGN(const store::Snapshot before, space.snapshot());
  // Names of a file that nobody trusts decide nothing of what a trusted sentence means.
  const store::Snapshot known = store::trusted_view(
      before.knowledge(), std::min(learning.item.trust, store::Trust::kStandard));
  std::vector<PlannedFact> facts = TellingPlanner(known, learning).run(telling, learnt.asks);
  if (facts.empty()) return learnt;
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
  std::vector<std::string> stated;
  for (const PlannedFact& fact : facts) {
    if (fact.frame->time == FrameTime::kEnded) continue;
    stated.push_back(told_words(fact) + (fact.frame->at_second
                                             ? " from " + format_timestamp(fact.from)
                                             : std::string()));
  }
  learnt.stated = join(stated, "; ");
  learnt.corrected = join(corrected, "; ");
  learnt.facts = said_facts(after, facts);
  return learnt;
}

Result<std::vector<std::string>> learn_said_before(store::Space& space,
                                                   std::vector<SaidBefore> said,
                                                   const store::Origin& origin) {
  std::ranges::stable_sort(said, {}, &SaidBefore::time);
  std::vector<std::string> learnt;
  std::map<std::string, std::vector<ask::SaidFact>> last;  // by session
  for (const SaidBefore& one : said) {
    const TellingRead read = read_telling(one.text, one.time);
    if (!read.tells()) continue;
    memory::NewMemory item;
    item.content = one.text;
    item.created_by = origin.author;
    item.source = origin.source;
    item.trust = origin.trust;
    ANIMA_ASSIGN(
        Learnt now,
        learn_telling(space, {item, {}, origin.author, one.time, last[one.session], true}, read));
    for (const std::string* text : {&now.stated, &now.corrected})
      if (!text->empty()) learnt.push_back(*text);
    if (!now.facts.empty()) last[one.session] = std::move(now.facts);
  }
  return learnt;
}

}  // namespace anima::agent
