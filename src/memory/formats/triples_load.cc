#include <set>
#include <span>
#include <string>
#include <unordered_map>

#include "memory/formats/triples_json.h"
#include "store/restate.h"

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
  // A link that is there again at another time held at both.
  const auto set_times = [&](store::EntityId link, bool again,
                             const TripleElement& element) -> Status {
    if (again) {
      store::Period period;
      if (const auto from = parse_timestamp(element.valid_from)) period.from = *from;
      if (const auto to = parse_timestamp(element.valid_to)) period.to = *to;
      return store::add_period(transaction, link, period, existence);
    }
    ANIMA_TRY(set_bound(link, "valid_from", element.valid_from));
    return set_bound(link, "valid_to", element.valid_to);
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
    const bool dated = !element.valid_from.empty() || !element.valid_to.empty();
    const bool again = dated && transaction.live().contains(link);
    ANIMA_ASSIGN(const store::EntityId stated, store::state_link(transaction, link, options));
    if (dated) ANIMA_TRY(set_times(stated, again, element));
    ++(seen.insert(link).second ? load.triples : load.duplicates);
    return {};
  };
  ANIMA_TRY(read_triples_json(text, name, assert_element));
  return load;
}

}  // namespace anima::memory
