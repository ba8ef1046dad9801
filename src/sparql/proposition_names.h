// What propositions are called in RDF: urn:anima:proposition:NAME.
//
// NAME is S:P:O, the percent-encoded texts of the proposition's terms; a term that is a proposition
// itself stands as (S:P:O). Where that is longer than 2,048 bytes, or nests deeper than 16, NAME is
// "sha256-" and the digest of S:P:O, in which each proposition stands as (NAME). So a name says
// what its proposition says, and spaces with the same content write the same names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sparql/ntriples.h"
#include "store/snapshot.h"

namespace anima::sparql {

inline constexpr std::string_view kPropositionPrefix = "urn:anima:proposition:";

// Names of propositions that are about each other: each is made once. The snapshot has to outlive
// it. Thread-safety: one thread.
class PropositionNames {
 public:
  explicit PropositionNames(const store::Snapshot& snapshot) : snapshot_(snapshot) {}
  // Lives as long as this object. O(the text of the propositions that it is about and that have no
  // name yet); no recursion.
  const std::string& of(store::EntityId proposition);
  // entity_term() (rdf_mapping.h) with the names of this object.
  RdfTerm term(store::EntityId entity, std::string& scratch);

 private:
  bool wait_for_ends(const store::Triple& link, std::vector<store::EntityId>* open) const;
  void append_end(std::string& out, store::EntityId end) const;
  std::string digest(const store::Triple& link) const;

  const store::Snapshot& snapshot_;
  std::unordered_map<store::EntityId, std::string> names_;
};

// Finds propositions by their names, also those that are only quoted. One a request. Thread-safety:
// one thread.
class PropositionFinder {
 public:
  // Of one snapshot, always the same. O(length of the name); when a digest is first asked for,
  // O(propositions).
  std::optional<store::EntityId> find(const store::Snapshot& snapshot, std::string_view name);

 private:
  void read_digests(const store::Snapshot& snapshot);

  bool knows_digests_ = false;
  std::unordered_map<std::string, store::EntityId> digests_;
};

}  // namespace anima::sparql
