#include "ask/answer/statements.h"

#include <fmt/format.h>

#include <algorithm>

#include "govern/trust.h"
#include "memory/contradiction.h"
#include "store/symbols.h"

namespace anima::ask {
namespace {

constexpr std::size_t kProvedRows = 3;
constexpr std::size_t kMostContradictions = 5;

class Prover {
 public:
  explicit Prover(const Lexicon& lexicon)
      : schema_(lexicon.schema()), snapshot_(lexicon.snapshot()), contradictions_(snapshot_) {}

  Statements run(const Reading& reading, const Table& table) {
    std::vector<store::EntityId> things = table.things;
    if (things.empty() && reading.set != nullptr) things = reading.set->names;
    for (std::size_t i = 0; i < std::min(things.size(), kGroundRows); ++i) {
      shown_ = i < kProvedRows;
      const std::size_t before = found_;
      if (reading.attribute >= 0) value(things[i], reading.attribute);
      if (reading.set != nullptr) {
        for (const Restriction& one : reading.set->restrictions) restriction(things[i], one);
        if (reading.set->best && reading.set->best->by.attribute >= 0 &&
            reading.set->best->by.counted == nullptr)
          value(things[i], reading.set->best->by.attribute);
      }
      if (found_ == before) existence(things[i]);
    }
    return std::move(statements_);
  }

 private:
  void add(const store::Triple& triple) {
    const auto assertions = snapshot_.assertions(triple);
    if (assertions.empty()) return;
    ++found_;
    if (triple.predicate != store::kTypePredicate && statements_.facts.size() < kMostFacts)
      statements_.facts.push_back(triple);
    const store::Assertion& one = assertions.front();
    const store::EntryInfo entry = snapshot_.entry(one.born);
    double confidence = one.confidence;
    const store::EntityId holder = holder_of(triple);
    if (const auto sure = snapshot_.metadata(holder, "confidence"))
      snapshot_.number(*sure, &confidence);
    judge(triple, entry.trust, confidence);
    if (!shown_) return;
    std::string source(entry.source);
    if (const auto said = snapshot_.metadata(holder, "source")) {
      const store::ValueView text = snapshot_.value(*said);
      if (text.kind == store::ValueKind::kString) source = std::string(text.text);
    }
    statements_.proof.push_back(Json::object({{"fact", fact_text(triple)},
                                              {"entry", static_cast<std::int64_t>(one.born)},
                                              {"source", source},
                                              {"confidence", confidence},
                                              {"trust", govern::trust_name(entry.trust)}}));
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
    if (it.kind != Restriction::Kind::kRelation) return;
    const PredicateInfo& info = schema_.predicates[static_cast<std::size_t>(it.edge.predicate)];
    const auto predicate = snapshot_.find_predicate(info.name);
    if (!predicate) return;
    const store::Predicate link = store::Predicate::link(*predicate);
    store::Scratch scratch;
    const auto ends = it.edge.inverse
                          ? snapshot_.subjects(link, store::Term::entity(thing), scratch)
                          : snapshot_.objects(thing, link, scratch);
    for (const std::uint32_t code : std::vector<std::uint32_t>(ends.begin(), ends.end())) {
      const store::EntityId end{code};
      const auto& names = it.target->names;
      if (!names.empty() && std::find(names.begin(), names.end(), end) == names.end()) continue;
      add(it.edge.inverse ? store::Triple{end, link, store::Term::entity(thing)}
                          : store::Triple{thing, link, store::Term::entity(end)});
      return;
    }
  }

  void existence(store::EntityId thing) {
    add({thing, store::kTypePredicate, store::Term::entity(snapshot_.type_of(thing))});
  }

  const Schema& schema_;
  const store::Snapshot& snapshot_;
  const memory::Contradictions contradictions_;
  Statements statements_;
  std::size_t found_ = 0;
  bool shown_ = true;
};

}  // namespace

Statements statements(const Reading& reading, const Table& table, const Lexicon& lexicon) {
  return Prover(lexicon).run(reading, table);
}

}  // namespace anima::ask
