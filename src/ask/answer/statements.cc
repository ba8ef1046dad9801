#include "ask/answer/statements.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/symbols.h"

namespace anima::ask {
namespace {

constexpr std::size_t kProvedRows = 3;

std::string_view trust_text(store::Trust trust) {
  constexpr std::string_view kNames[] = {"hostile",  "untrusted", "standard",
                                         "verified", "operator",  "system"};
  return kNames[static_cast<std::size_t>(trust)];
}

class Prover {
 public:
  explicit Prover(const Lexicon& lexicon)
      : schema_(lexicon.schema()), snapshot_(lexicon.snapshot()) {}

  Json run(const Reading& reading, const Table& table) {
    std::vector<store::EntityId> things = table.things;
    if (things.empty() && reading.set != nullptr) things = reading.set->names;
    for (std::size_t i = 0; i < std::min(things.size(), kProvedRows); ++i) {
      const std::size_t before = proof_.as_array().size();
      if (reading.attribute >= 0) value(things[i], reading.attribute);
      if (reading.set != nullptr) {
        for (const Restriction& one : reading.set->restrictions) restriction(things[i], one);
        if (reading.set->best && reading.set->best->by.attribute >= 0 &&
            reading.set->best->by.counted == nullptr)
          value(things[i], reading.set->best->by.attribute);
      }
      if (proof_.as_array().size() == before) existence(things[i]);
    }
    return std::move(proof_);
  }

 private:
  void add(const store::Triple& triple) {
    const auto assertions = snapshot_.assertions(triple);
    if (assertions.empty()) return;
    const store::EntryInfo entry = snapshot_.entry(assertions[0].born);
    double confidence = assertions[0].confidence;
    std::string source(entry.source);
    const store::EntityId holder = [&] {
      if (triple.predicate.predicate_class() != store::PredicateClass::kLink) return triple.subject;
      const auto link = snapshot_.find_proposition(triple);
      return link.value_or(triple.subject);
    }();
    if (const auto said = snapshot_.metadata(holder, "source")) {
      const store::ValueView text = snapshot_.value(*said);
      if (text.kind == store::ValueKind::kString) source = std::string(text.text);
    }
    if (const auto sure = snapshot_.metadata(holder, "confidence"))
      snapshot_.number(*sure, &confidence);
    const std::string fact = fmt::format("{} {} {}", store::symbol_label(snapshot_, triple.subject),
                                         triple.predicate == store::kTypePredicate
                                             ? std::string("is")
                                             : store::predicate_label(snapshot_, triple.predicate),
                                         store::term_label(snapshot_, triple.object));
    proof_.push_back(Json::object({{"fact", fact},
                                   {"entry", static_cast<std::int64_t>(assertions[0].born)},
                                   {"source", source},
                                   {"confidence", confidence},
                                   {"trust", trust_text(entry.trust)}}));
  }

  void value(store::EntityId thing, int attribute) {
    const AttributeInfo& info = schema_.attributes[static_cast<std::size_t>(attribute)];
    if (info.link) {
      if (const auto predicate = snapshot_.find_predicate(info.key))
        first_object(thing, store::Predicate::link(*predicate));
      return;
    }
    const auto term = snapshot_.attribute(thing, info.key);
    const auto key = snapshot_.find_string(info.key);
    if (term && key) add({thing, store::Predicate::attribute(*key), *term});
  }

  void first_object(store::EntityId thing, store::Predicate predicate) {
    store::Scratch scratch;
    const auto objects = snapshot_.objects(thing, predicate, scratch);
    if (!objects.empty()) add({thing, predicate, store::Term{objects[0]}});
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
  Json proof_ = Json::array();
};

}  // namespace

Json statements(const Reading& reading, const Table& table, const Lexicon& lexicon) {
  return Prover(lexicon).run(reading, table);
}

}  // namespace anima::ask
