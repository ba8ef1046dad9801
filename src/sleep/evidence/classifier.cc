#include "sleep/evidence/classifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "language/text/words.h"

namespace anima::sleep::detail {
namespace {

constexpr std::size_t kMostNeighbours = 64;
constexpr std::size_t kMostOfAType = 500;
constexpr double kEnough = 1.0;
constexpr double kClearly = 1.5;
constexpr std::size_t kShortestWord = 4;

std::set<std::string> long_words(std::string_view text) {
  std::set<std::string> words;
  for (std::string& word : language::folded_words(text))
    if (word.size() >= kShortestWord) words.insert(std::move(word));
  return words;
}

}  // namespace

Classifier::Classifier(const Reading& reading) : reading_(reading) {
  if (reading.domain_type() == EntityId::kNone) return;
  store::Scratch scratch;
  const Snapshot& snapshot = reading.snapshot();
  for (const std::uint32_t code :
       snapshot.subjects(store::kTypePredicate, Term::entity(reading.domain_type()), scratch)) {
    const EntityId domain{code};
    if (!counts(domain)) continue;
    const std::string text =
        std::string(snapshot.name(domain)) + " " + reading.text(domain, "description");
    for (const std::string& word : long_words(text)) words_[word].push_back(domain);
  }
}

// The inbox, the archive and the schema are no field of knowledge; an archived domain is none now.
bool Classifier::counts(EntityId domain) const {
  if (reading_.is_special_domain(domain) || !reading_.is_concept(domain)) return false;
  const auto above = reading_.domains_of(domain);
  return std::find(above.begin(), above.end(), reading_.archived()) == above.end();
}

void Classifier::vote(EntityId neighbour, double weight, Votes* votes) const {
  if (const auto decided = decided_.find(neighbour); decided != decided_.end()) {
    (*votes)[decided->second] += weight;
    return;
  }
  if (reading_.snapshot().kind(neighbour) != store::EntityKind::kConcept) return;
  std::vector<EntityId> domains = reading_.domains_of(neighbour);
  std::erase_if(domains, [this](EntityId domain) { return !counts(domain); });
  for (const EntityId domain : domains)
    (*votes)[domain] += weight / static_cast<double>(domains.size());
}

void Classifier::vote_by_neighbours(EntityId item, Votes* votes) const {
  store::Scratch scratch;
  const Snapshot& snapshot = reading_.snapshot();
  const auto each = [&](const store::Edges& edges) {
    for (std::size_t i = 0; i < edges.size() && i < kMostNeighbours; ++i) {
      const Predicate predicate{edges.predicates[i]};
      const Term other{edges.others[i]};
      if (!other.is_entity()) continue;
      const bool mention = reading_.is_bookkeeping(predicate);
      vote(other.as_entity(), mention ? 0.5 : 1.0, votes);
    }
  };
  each(snapshot.outgoing(item, store::PredicateClass::kLink, scratch));
  each(snapshot.incoming(Term::entity(item), store::PredicateClass::kLink, scratch));
}

void Classifier::vote_by_type(EntityId item, Votes* votes) {
  const Snapshot& snapshot = reading_.snapshot();
  const EntityId type = snapshot.type_of(item);
  auto known = shares_.find(type);
  if (known == shares_.end()) {
    Votes sum;
    double all = 0;
    store::Scratch scratch;
    const auto members = snapshot.subjects(store::kTypePredicate, Term::entity(type), scratch);
    const std::vector<std::uint32_t> some(
        members.begin(),
        members.begin() + static_cast<std::ptrdiff_t>(std::min(members.size(), kMostOfAType)));
    for (const std::uint32_t code : some) vote(EntityId{code}, 1.0, &sum);
    for (const auto& [domain, count] : sum) all += count;
    // Two or three of a kind are no rule.
    if (all < 3) sum.clear();
    for (auto& [domain, count] : sum) count /= all;
    known = shares_.emplace(type, std::move(sum)).first;
  }
  for (const auto& [domain, share] : known->second) (*votes)[domain] += 1.2 * share;
}

void Classifier::vote_by_words(EntityId item, Votes* votes) const {
  std::string text(reading_.snapshot().name(item));
  for (const std::string_view key : {"description", "content_summary"})
    text += " " + reading_.text(item, key);
  Votes shared;
  for (const std::string& word : long_words(text)) {
    const auto found = words_.find(word);
    if (found == words_.end()) continue;
    for (const EntityId domain : found->second)
      shared[domain] += 1.0 / static_cast<double>(found->second.size());
  }
  for (const auto& [domain, weight] : shared) (*votes)[domain] += std::min(weight, 2.0);
}

Classification Classifier::classify(EntityId item) {
  Votes votes;
  vote_by_neighbours(item, &votes);
  vote_by_type(item, &votes);
  vote_by_words(item, &votes);
  std::vector<std::pair<double, EntityId>> ranked;
  for (const auto& [domain, score] : votes) ranked.emplace_back(score, domain);
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  Classification result;
  if (ranked.empty()) {
    result.reason = "nothing that it is linked to has a domain, nor has anything of its type";
    return result;
  }
  const double next = ranked.size() > 1 ? ranked[1].first : 0;
  result.score = ranked[0].first;
  result.reason =
      fmt::format("{} scores {:.2f}", reading_.title(ranked[0].second), ranked[0].first);
  if (ranked.size() > 1)
    result.reason += fmt::format(", {} {:.2f}", reading_.title(ranked[1].second), next);
  if (result.score >= kEnough && result.score >= kClearly * next) result.domain = ranked[0].second;
  return result;
}

}  // namespace anima::sleep::detail
