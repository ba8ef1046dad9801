#include <set>
#include <span>
#include <string>
#include <unordered_map>

#include "memory/formats/triples_json.h"

namespace anima::memory {
namespace {

// Names to ids, so that a name is looked up in the space once a load.
class NameCache {
 public:
  template <typename Make>
  Result<store::EntityId> get(std::string_view name, const Make& make) {
    key_.assign(name);
    const auto found = ids_.find(key_);
    if (found != ids_.end()) return found->second;
    ANIMA_ASSIGN(const store::EntityId id, make());
    ids_.emplace(key_, id);
    return id;
  }

 private:
  std::string key_;
  std::unordered_map<std::string, store::EntityId> ids_;
};

}  // namespace

Result<TriplesLoad> load_triples_json(store::Transaction& transaction, std::string_view text,
                                      const std::string& name, store::GraphId graph,
                                      std::uint64_t provenance) {
  TriplesLoad load;
  NameCache concepts;
  NameCache predicates;
  store::AssertOptions existence;
  existence.graph = graph;
  existence.provenance = provenance;
  const auto entity = [&](std::string_view label) {
    return concepts.get(
        label, [&] { return transaction.upsert_concept(store::kEntityType, label, existence); });
  };
  std::set<store::Triple> seen;
  const auto set_bound = [&](store::EntityId link, std::string_view key,
                             std::string_view time) -> Status {
    if (time.empty()) return {};
    ANIMA_ASSIGN(const store::Term term,
                 transaction.term(store::Value::string(std::string(time)).view()));
    return transaction.set_metadata(link, key, std::span(&term, 1), existence);
  };
  const auto assert_element = [&](const TripleElement& element) -> Status {
    store::Triple link;
    ANIMA_ASSIGN(link.subject, entity(element.subject));
    ANIMA_ASSIGN(const store::EntityId predicate, predicates.get(element.predicate, [&] {
      return transaction.upsert_predicate(element.predicate, existence);
    }));
    link.predicate = store::Predicate::link(predicate);
    ANIMA_ASSIGN(const store::EntityId object, entity(element.object));
    link.object = store::Term::entity(object);
    store::AssertOptions options = existence;
    options.confidence = element.confidence;
    ANIMA_ASSIGN(const store::EntityId stated, transaction.assert_link(link, options));
    ANIMA_TRY(set_bound(stated, "valid_from", element.valid_from));
    ANIMA_TRY(set_bound(stated, "valid_to", element.valid_to));
    ++(seen.insert(link).second ? load.triples : load.duplicates);
    return {};
  };
  ANIMA_TRY(read_triples_json(text, name, assert_element));
  return load;
}

}  // namespace anima::memory
