#include "memory/recall/detail/event_text.h"

#include "memory/names.h"
#include "memory/recall/detail/facts.h"
#include "memory/turns.h"
#include "store/own_graphs.h"

namespace anima::memory::detail {
namespace {

using store::EntityId;
using store::Snapshot;

constexpr std::size_t kLooksPerHit = 8;  // texts looked at for one event
constexpr std::string_view kBehindSpeaker = ": ";

struct Stated {
  std::string_view text;
  store::Triple statement;
};
std::optional<Stated> attribute_of(const Snapshot& snapshot, EntityId entity,
                                   std::string_view key) {
  const auto name = snapshot.find_string(key);
  const auto term = snapshot.attribute(entity, key);
  if (!name || !term) return std::nullopt;
  return Stated{snapshot.value(*term).text, {entity, store::Predicate::attribute(*name), *term}};
}

}  // namespace

std::optional<SaidText> read_event(const Snapshot& snapshot, EntityId entity,
                                   std::string_view speaker) {
  const auto said = attribute_of(snapshot, entity, kEventText);
  if (!said) return std::nullopt;
  const auto entry = stated_by(snapshot, said->statement);
  if (!entry) return std::nullopt;
  SaidText text;
  text.entry = *entry;
  if (!speaker.empty()) (text.content = speaker) += kBehindSpeaker;
  text.content += said->text;
  const auto attachment = attribute_of(snapshot, entity, kEventAttachment);
  if (attachment) {
    const std::string_view caption = attachment->text.substr(0, attachment->text.find('\n'));
    if (!caption.empty()) text.content += " (shows: " + std::string(caption) + ")";
  }
  return text;
}

std::optional<std::size_t> size_of_event(const Snapshot& snapshot, EntityId entity,
                                         std::string_view speaker) {
  const auto said = snapshot.attribute(entity, kEventText);
  if (!said) return std::nullopt;
  const std::size_t before = speaker.empty() ? 0 : speaker.size() + kBehindSpeaker.size();
  return before + snapshot.value(*said).text.size();
}

std::optional<SaidText> read_episode(const Snapshot& snapshot, EntityId entity) {
  const Snapshot agents = store::in_graph(snapshot, kAgentGraph);
  const auto said = attribute_of(agents, entity, kEpisodeSummary);
  if (!said) return std::nullopt;
  const auto assertions = agents.assertions(said->statement);
  if (assertions.empty()) return std::nullopt;
  return SaidText{std::string(said->text), agents.entry(assertions.front().born)};
}

std::vector<MemoryItem> events_like(TextsView& view, const Snapshot& snapshot,
                                    std::string_view text, std::size_t limit) {
  TextQuestion question;
  question.text = text;
  question.reader = "operator";
  question.limit = kLooksPerHit * limit;
  question.things = &snapshot;
  const TextRanking ranking = view.rank(question);
  const Snapshot knowledge = snapshot.knowledge();
  std::vector<MemoryItem> items;
  for (const RankedItem& ranked : ranking.windows.items) {
    if (items.size() >= limit) break;
    if (view.kind(ranked.item) != TextKind::kEvent) continue;
    const EntityId entity = view.entity(ranked.item);
    const auto said = read_event(knowledge, entity, view.speaker(ranked.item));
    if (!said) continue;
    MemoryItem item;
    item.id = knowledge.name(entity);
    item.content = said->content;
    item.source = said->entry.source;
    item.created_by = said->entry.author;
    item.trust = said->entry.trust;
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace anima::memory::detail
