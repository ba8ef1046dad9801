// IRIs as predicates: which predicates of the store one IRI stands for, and back.
//
// One IRI may be a link, an attribute and more at once: a link's objects are things, those of an
// attribute with the same IRI are literals. Where an attribute's key is an IRI, a value that is no
// literal is said with urn:anima:attribute:KEY instead (rdf_mapping.h); such values are rare, so
// what tells the two apart is only asked for where the space has any. Thread-safety: IriValues
// locks inside; a Vocabulary belongs to one query.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "query/plan.h"
#include "query/values.h"
#include "store/snapshot.h"

namespace anima::sparql::plan {

// What the literals of a space are, as far as it matters how values are matched.
struct LiteralKinds {
  std::vector<std::uint32_t> references;  // literals that are IRIs or blank nodes
  // Literals that may be numbers which the order by value does not hold among the numbers:
  // xsd:float, a derived type, another spelling than the usual one. No more than kMostOthers are
  // kept.
  std::vector<std::uint32_t> other_numbers;
  static constexpr std::size_t kMostOthers = 1000;
};

// Learns them. Literals keep their places, so those that were looked at are not looked at again.
// One object a space.
class LiteralSurvey {
 public:
  // Of all literals of the snapshot, and perhaps of others. `published`: it is a state of the log,
  // not one that may yet be given up, so what was learnt is kept. O(literals that are new).
  std::shared_ptr<const LiteralKinds> of(const store::Snapshot& everything, bool published);

 private:
  std::mutex mutex_;
  std::uint32_t looked_at_ = 0;  // places below
  std::shared_ptr<const LiteralKinds> found_ = std::make_shared<LiteralKinds>();
};

// What a constant predicate stands for. Predicates that nothing is said with are left out.
struct PredicateUse {
  std::vector<std::uint32_t> links;       // objects are entities
  std::vector<std::uint32_t> values;      // attributes and metadata, whatever the object is
  std::vector<std::uint32_t> literals;    // attributes, where the object is a literal
  std::vector<std::uint32_t> references;  // attributes, where it is none
  bool existence = false;                 // rdf:type
  // rdf:subject, rdf:predicate, rdf:object of described propositions.
  enum class Part : std::uint8_t { kNone, kSubject, kPredicate, kObject };
  Part part = Part::kNone;
};

class Vocabulary {
 public:
  Vocabulary(const store::Snapshot& everything, query::Values& values,
             std::shared_ptr<const LiteralKinds> literals);
  ~Vocabulary();

  PredicateUse use_of(std::string_view iri) const;
  // The node of each predicate, for patterns whose predicate is open. O(predicates), once.
  std::shared_ptr<const query::PredicateNodes> nodes();
  std::uint32_t type_node();
  std::uint32_t node_of_link(store::EntityId predicate);

  // Whether any value of the space is an IRI or a blank node.
  bool has_references() const { return !literals_->references.empty(); }
  // Whether any of these names an entity, so that two codes may mean one term.
  bool has_aliases();
  // The numbers that do not lie in the order by value, sorted; null where they are too many.
  const std::vector<std::uint32_t>* other_numbers() const {
    const auto& others = literals_->other_numbers;
    return others.size() < LiteralKinds::kMostOthers ? &others : nullptr;
  }

 private:
  std::uint64_t rows(store::Predicate predicate) const;

  const store::Snapshot& everything_;
  query::Values& values_;
  std::shared_ptr<const LiteralKinds> literals_;
  std::shared_ptr<const query::PredicateNodes> nodes_;
  int aliases_ = -1;  // not known yet
};

}  // namespace anima::sparql::plan
