#include "store/past_links.h"

#include <algorithm>

#include "store/state/versions.h"

namespace anima::store {

std::vector<Triple> links_ever(const Snapshot& now, EntityId entity) {
  std::vector<Triple> links;
  const auto add = [&](const detail::Version& version) {
    if (!version.quoted() && version.triple.predicate.predicate_class() == PredicateClass::kLink)
      links.push_back(version.triple);
  };
  detail::visit_versions(now.state(), entity, {}, {}, add);
  detail::visit_versions_of_object(now.state(), ObjectCode{static_cast<std::uint32_t>(entity)},
                                   add);
  std::ranges::sort(links);
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

}  // namespace anima::store
