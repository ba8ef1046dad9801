#include "ask/answer/statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ask/answer/render.h"
#include "ask/parse/times.h"
#include "govern/trust.h"
#include "memory/contradiction.h"
#include "store/symbols.h"

namespace anima::ask {
namespace {

constexpr std::size_t kProvedRows = 3;
constexpr std::size_t kMostContradictions = 5;

class Prover {
 public:
  Prover(const Lexicon& lexicon, const store::Snapshot& read, const store::Snapshot& all)
      : schema_(lexicon.schema()), snapshot_(read), contradictions_(all) {}

  Statements run(const Reading& reading, const Table& table) {
    std::vector<store::EntityId> things = table.things;
    if (things.empty() && reading.set != nullptr) things = reading.set->names;
    for (std::size_t i = 0; i < std::min(things.size(), kGroundRows); ++i) {
      shown_ = i < kProvedRows;
      const std::size_t before = found_;
      object_asked_ = reading.form == Reading::Form::kValue;
      if (reading.attribute >= 0) value(things[i], reading.attribute);
      if (reading.form == Reading::Form::kSource && reading.other != nullptr)
        link(things[i], reading);
      if (reading.set != nullptr) {
        for (const Restriction& one : reading.set->restrictions) {
          object_asked_ = is_object_asked(reading, one);
          restriction(things[i], one);
        }
        object_asked_ = false;
        if (reading.set->best && reading.set->best->by.attribute >= 0 &&
            reading.set->best->by.counted == nullptr)
          value(things[i], reading.set->best->by.attribute);
      }
      if (found_ == before) existence(things[i]);
    }
    return std::move(statements_);
  }

  std::set<std::string> sources_below(store::Trust trust, const Reading& reading,
                                      const std::vector<store::EntityId>& things) {
    Table table;
    table.things = things;
    below_ = trust;
    run(reading, table);
    for (std::size_t i = 0; i < std::min(things.size(), kGroundRows); ++i) existence(things[i]);
    return std::move(sources_);
  }

 private:
  // "Where does Ada live?", "Does she live in Rome?"; not "Who lives in Rome?"
  static bool is_object_asked(const Reading& reading, const Restriction& one) {
    return reading.form == Reading::Form::kExists ||
           (reading.form == Reading::Form::kList && one.kind == Restriction::Kind::kRelation &&
            one.edge.inverse);
  }

  void add(const store::Triple& triple) {
    const auto assertions = snapshot_.assertions(triple);
    if (assertions.empty()) return;
    ++found_;
    // What is there because of what is said of it rests on that.
    if (triple.predicate == store::kTypePredicate && !store::is_in_scope(snapshot_, triple)) return;
    if (triple.predicate != store::kTypePredicate && statements_.facts.size() < kMostFacts)
      statements_.facts.push_back({triple, object_asked_});
    const store::Assertion& one = assertions.front();
    const store::EntryInfo entry = snapshot_.entry(one.born);
    if (entry.trust < below_)
      sources_.insert(std::string(entry.source.empty() ? entry.author : entry.source));
    double confidence = one.confidence;
    const store::EntityId holder = holder_of(triple);
    if (const auto sure = snapshot_.metadata(holder, "confidence"))
      snapshot_.number(*sure, &confidence);
    judge(triple, entry.trust, confidence);
    if (!shown_) return;
    Json shown = Json::object({{"fact", fact_text(triple)},
                               {"entry", static_cast<std::int64_t>(one.born)},
                               {"author", std::string(entry.author)},
                               {"source", std::string(entry.source)},
                               {"confidence", confidence},
                               {"trust", govern::trust_name(entry.trust)}});
    // What the writer says where he has it from is his word, and nobody's who looked.
    if (const auto said = snapshot_.metadata(holder, "source")) {
      const store::ValueView text = snapshot_.value(*said);
      if (text.kind == store::ValueKind::kString)
        shown.set("claimed_source", std::string(text.text));
    }
    const store::Standing standing = store::standing_of(snapshot_, triple);
    if (standing.valid_from) shown.set("valid_from", ask::day_of(*standing.valid_from));
    if (standing.valid_to) shown.set("valid_to", ask::day_of(*standing.valid_to));
    statements_.proof.push_back(std::move(shown));
  }

  // Where its metadata is: the link, or the thing that has the attribute.
  store::EntityId holder_of(const store::Triple& triple) const {
    if (triple.predicate.predicate_class() != store::PredicateClass::kLink) return triple.subject;
    return snapshot_.find_proposition(triple).value_or(triple.subject);
  }

  std::string fact_text(const store::Triple& triple) const {
    return fmt::format("{} {} {}", store::symbol_label(snapshot_, triple.subject),
                       triple.predicate == store::kTypePredicate
                           ? std::string("is")
                           : store::predicate_label(snapshot_, triple.predicate),
                       store::term_label(snapshot_, triple.object));
  }

  void judge(const store::Triple& triple, store::Trust trust, double confidence) {
    Ground& ground = statements_.ground;
    ground.trust = std::min(ground.trust.value_or(trust), trust);
    ground.confidence = std::min(ground.confidence.value_or(confidence), confidence);
    for (const memory::Conflict& conflict : contradictions_.conflicts_of(triple)) {
      if (conflict.verdict == memory::Verdict::kEnded) continue;
      if (triple.predicate.predicate_class() == store::PredicateClass::kAttribute) {
        contradict(fmt::format("{} {}: {} / {}", store::symbol_label(snapshot_, triple.subject),
                               store::predicate_label(snapshot_, triple.predicate),
                               store::term_label(snapshot_, conflict.effective.object),
                               store::term_label(snapshot_, conflict.superseded.object)));
        continue;
      }
      const bool lost = conflict.superseded == triple;
      contradict(fmt::format("{} / {}", fact_text(triple),
                             fact_text(lost ? conflict.effective : conflict.superseded)));
    }
  }

  void contradict(std::string text) {
    std::vector<std::string>& list = statements_.ground.contradictions;
    const bool known = std::find(list.begin(), list.end(), text) != list.end();
    if (!known && list.size() < kMostContradictions) list.push_back(std::move(text));
  }

  // The values that hold of those that the thing has there.
  void value(store::EntityId thing, int attribute) {
    const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(attribute)];
    store::Predicate predicate;
    if (info.link) {
      const auto link = snapshot_.find_predicate(info.key);
      if (!link) return;
      predicate = store::Predicate::link(*link);
    } else {
      const auto key = snapshot_.find_string(info.key);
      if (!key) return;
      predicate = store::Predicate::attribute(*key);
    }
    store::Scratch scratch;
    const auto objects = snapshot_.objects(thing, predicate, scratch);
    const std::vector<std::uint32_t> codes(objects.begin(), objects.end());
    const auto held = info.link ? codes : store::holding_values(snapshot_, thing, predicate, codes);
    for (const std::uint32_t code : held) add({thing, predicate, store::Term{code}});
  }

  void restriction(store::EntityId thing, const Restriction& it) {
    if (it.kind == Restriction::Kind::kAttribute) value(thing, it.attribute);
    const bool same = it.kind == Restriction::Kind::kSame;
    if (it.kind != Restriction::Kind::kRelation && !same) return;
    const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(it.edge.predicate)];
    const auto predicate = snapshot_.find_predicate(info.name);
    if (!predicate) return;
    const store::Predicate link = store::Predicate::link(*predicate);
    store::Scratch scratch;
    const auto ends = it.edge.inverse
                          ? snapshot_.subjects(link, store::Term::entity(thing), scratch)
                          : snapshot_.objects(thing, link, scratch);
    std::vector<store::Triple> triples;
    for (const std::uint32_t code : std::vector<std::uint32_t>(ends.begin(), ends.end())) {
      const store::EntityId end{code};
      const std::vector<store::EntityId> names =
          same ? std::vector<store::EntityId>() : it.target->names;
      if (!names.empty() && std::find(names.begin(), names.end(), end) == names.end()) continue;
      triples.push_back(it.edge.inverse ? store::Triple{end, link, store::Term::entity(thing)}
                                        : store::Triple{thing, link, store::Term::entity(end)});
    }
    if (below_ != store::Trust::kHostile) {
      for (const store::Triple& triple : triples) add(triple);
    } else if (!triples.empty()) {
      const auto holds = std::find_if(triples.begin(), triples.end(),
                                      [&](const store::Triple& one) { return is_holder(one); });
      add(holds != triples.end() ? *holds : triples.front());
    }
  }

  bool is_holder(const store::Triple& triple) const {
    if (!store::is_functional(snapshot_, triple.predicate)) return true;
    const Timestamp now = snapshot_.entry(snapshot_.sequence()).time;
    const auto held = store::holders_at(snapshot_, triple.subject, triple.predicate, now);
    return std::binary_search(held.begin(), held.end(), triple.object);
  }

  // The statement that its source was asked of.
  void link(store::EntityId thing, const Reading& reading) {
    const PredicateInfo& info =
        schema_.predicates[static_cast<std::size_t>(reading.fact.predicate)];
    for (const store::EntityId other : reading.other->names) {
      if (!info.link) continue;
      add(reading.fact.inverse ? store::Triple{other, *info.link, store::Term::entity(thing)}
                               : store::Triple{thing, *info.link, store::Term::entity(other)});
    }
  }

  void existence(store::EntityId thing) {
    add({thing, store::kTypePredicate, store::Term::entity(snapshot_.type_of(thing))});
  }

  const Schema& schema_;
  const store::Snapshot& snapshot_;
  const memory::Contradictions contradictions_;
  Statements statements_;
  std::set<std::string> sources_;
  store::Trust below_ = store::Trust::kHostile;
  std::size_t found_ = 0;
  bool shown_ = true, object_asked_ = false;
};

}  // namespace

Statements statements(const Reading& reading, const Table& table, const Lexicon& lexicon,
                      const store::Snapshot& read, const store::Snapshot& all) {
  return Prover(lexicon, read, all).run(reading, table);
}

std::vector<std::string> sources_below(store::Trust trust, const Reading& reading,
                                       const std::vector<store::EntityId>& things,
                                       const Lexicon& lexicon, const store::Snapshot& all) {
  const auto found = Prover(lexicon, all, all).sources_below(trust, reading, things);
  return {found.begin(), found.end()};
}

namespace {

std::string held_text(const store::Period& period, const Pack& pack) {
  if (!period.from && !period.to) return {};
  const std::string from = period.from ? ask::day_of(*period.from) : "";
  const std::string until = period.to ? ask::day_of(*period.to) : "";
  return fill(pack,
              from.empty()    ? "held_until"
              : until.empty() ? "held_since"
                              : "held_between",
              {{"from", from}, {"until", until}});
}

// Of each time that it held, the last one at the end.
std::string held_text(const store::Standing& standing, const Pack& pack) {
  std::string text;
  for (const store::Period& before : standing.before) text += held_text(before, pack) + ", ";
  return text + held_text(store::Period{standing.valid_from, standing.valid_to}, pack);
}

}  // namespace

std::vector<std::string> held_times(const Reading& reading, const Table& table,
                                    const Lexicon& lexicon, const store::Snapshot& read) {
  if (reading.form != Reading::Form::kList || table.things.size() != table.rows.size()) return {};
  const auto& all = reading.set->restrictions;
  const auto said = std::find_if(all.begin(), all.end(), [&](const Restriction& one) {
    return one.kind == Restriction::Kind::kRelation && !one.edge.closure &&
           one.target->names.size() == 1 &&
           lexicon.schema().predicates[static_cast<std::size_t>(one.edge.predicate)].link;
  });
  if (said == all.end()) return {};
  const store::Predicate link =
      *lexicon.schema().predicates[static_cast<std::size_t>(said->edge.predicate)].link;
  std::vector<std::string> times;
  for (const store::EntityId thing : table.things) {
    const store::EntityId other = said->target->names[0];
    const store::Triple triple = said->edge.inverse
                                     ? store::Triple{other, link, store::Term::entity(thing)}
                                     : store::Triple{thing, link, store::Term::entity(other)};
    times.push_back(held_text(store::standing_of(read, triple), lexicon.pack()));
  }
  return times;
}

}  // namespace anima::ask
