#include "agent/mind/episodes.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/detail/attributes.h"
#include "memory/names.h"
#include "store/own_graphs.h"
#include "store/symbols.h"

namespace anima::agent {
namespace {

using store::EntityId;

constexpr std::string_view kSummary = memory::kEpisodeSummary;
constexpr std::string_view kLearned = "agent:learned";
constexpr std::string_view kTag = "agent:has_tag";
constexpr std::string_view kType = "agent:memory_type";
constexpr std::string_view kReason = "agent:consolidation_reason";
constexpr std::string_view kCycle = "agent:from_cycle";
constexpr std::string_view kTime = memory::kEpisodeTime;
constexpr std::string_view kRelevance = "agent:relevance";

constexpr std::string_view kMerged = "agent:merged";

using detail::set_value;

Status add_merged(store::Transaction& transaction, EntityId episode, const std::string& text,
                  const store::AssertOptions& options) {
  const store::Value value = store::Value::string(text);
  ANIMA_ASSIGN(const store::Term term, transaction.term(value.view()));
  return transaction.add_attribute(episode, kMerged, term, options);
}

double number_attribute(const store::Snapshot& snapshot, EntityId entity, std::string_view key) {
  const auto term = snapshot.attribute(entity, key);
  double number = 0;
  if (term) snapshot.number(*term, &number);
  return number;
}

}  // namespace

Result<EntityId> write_episode(store::Transaction& transaction, const Episode& episode) {
  const MemoryEntry& entry = episode.entry;
  store::AssertOptions options;
  options.graph =
      transaction.graph(episode.quarantined ? memory::kQuarantineGraph : memory::kAgentGraph);
  const std::string label = fmt::format("{}:{}:{}", episode.quarantined ? "quarantine" : "episode",
                                        episode.session, entry.id);
  ANIMA_ASSIGN(const EntityId entity,
               transaction.upsert_concept(store::kEntityType, label, options));
  const auto link = [&](std::string_view relation, EntityId object) -> Status {
    ANIMA_ASSIGN(const EntityId predicate, transaction.upsert_predicate(relation, options));
    return transaction
        .assert_link({entity, store::Predicate::link(predicate), store::Term::entity(object)},
                     options)
        .map([](EntityId) {});
  };
  const auto named = [&](std::string_view relation, std::string name) -> Status {
    ANIMA_ASSIGN(const EntityId object,
                 transaction.upsert_concept(store::kEntityType, name, options));
    return link(relation, object);
  };
  for (const EntityId symbol : entry.symbols) ANIMA_TRY(link(kLearned, symbol));
  if (!episode.quarantined) {
    ANIMA_TRY(named(kTag, fmt::format("tag:{}", to_string(entry.kind))));
    ANIMA_TRY(named(kType, "agent:episodic_memory"));
  }
  for (const std::string& text : episode.merged) {
    ANIMA_TRY(add_merged(transaction, entity, text, options));
  }
  const std::string summary(cut_characters(entry.content, kSummaryCharacters));
  ANIMA_TRY(set_value(transaction, entity, kSummary, store::Value::string(summary), options));
  const std::string reason =
      fmt::format("goal {:.2f}, novelty {:.2f}, utility {:.2f}", episode.score.goal,
                  episode.score.novelty, episode.score.utility);
  ANIMA_TRY(set_value(transaction, entity, kReason, store::Value::string(reason), options));
  const auto cycle = static_cast<std::int64_t>(entry.source_cycle);
  ANIMA_TRY(set_value(transaction, entity, kCycle, store::Value::of(cycle), options));
  ANIMA_TRY(
      set_value(transaction, entity, kTime, store::Value::of(entry.time.microseconds), options));
  ANIMA_TRY(
      set_value(transaction, entity, kRelevance, store::Value::of(episode.score.total()), options));
  return entity;
}

Status write_merge(store::Transaction& transaction, const EpisodeMerge& merge) {
  store::AssertOptions options;
  options.graph = transaction.graph(memory::kAgentGraph);
  return add_merged(transaction, merge.episode, merge.text, options);
}

std::vector<tools::RecalledEpisode> recall_episodes(const store::Snapshot& all,
                                                    std::span<const EntityId> symbols,
                                                    std::size_t limit) {
  // What a client of the graph calls an episode happened to nobody.
  const store::Snapshot snapshot = store::in_graph(all, memory::kAgentGraph);
  const auto learned = snapshot.find_predicate(kLearned);
  const auto tag = snapshot.find_predicate(kTag);
  if (!learned) return {};
  std::vector<EntityId> episodes;
  for (const EntityId symbol : symbols) {
    for (const auto& relation : {learned, tag}) {
      if (!relation) continue;
      store::Scratch scratch;
      for (const std::uint32_t code : snapshot.subjects(store::Predicate::link(*relation),
                                                        store::Term::entity(symbol), scratch)) {
        episodes.push_back(EntityId{code});
      }
    }
  }
  std::sort(episodes.begin(), episodes.end());
  episodes.erase(std::unique(episodes.begin(), episodes.end()), episodes.end());
  struct Found {
    EntityId entity;
    double time, relevance;
  };
  std::vector<Found> found;
  for (const EntityId episode : episodes) {
    found.push_back({episode, number_attribute(snapshot, episode, kTime),
                     number_attribute(snapshot, episode, kRelevance)});
  }
  const std::size_t kept = std::min(limit, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end(),
                    [](const Found& a, const Found& b) {
                      if (a.time != b.time) return a.time > b.time;
                      if (a.relevance != b.relevance) return a.relevance > b.relevance;
                      return a.entity > b.entity;
                    });
  std::vector<tools::RecalledEpisode> recalled;
  for (std::size_t i = 0; i < kept; ++i) {
    tools::RecalledEpisode episode;
    episode.entity = found[i].entity;
    episode.label = store::symbol_label(snapshot, found[i].entity);
    episode.relevance = found[i].relevance;
    if (const auto summary = snapshot.attribute(found[i].entity, kSummary)) {
      episode.summary = std::string(snapshot.value(*summary).text);
    }
    store::Scratch scratch;
    for (const std::uint32_t code :
         snapshot.objects(found[i].entity, store::Predicate::link(*learned), scratch)) {
      const store::Term object{code};
      if (object.is_entity()) episode.learned.push_back(object.as_entity());
    }
    recalled.push_back(std::move(episode));
  }
  return recalled;
}

}  // namespace anima::agent
