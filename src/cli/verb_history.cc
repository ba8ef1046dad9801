// anima history: what happened to an entity, entry by entry.
#include <fmt/format.h>

#include <algorithm>

#include "cli/options.h"
#include "cli/space_access.h"
#include "store/audit.h"

namespace anima::cli {
namespace {

using store::EntityId;
using store::Pattern;
using store::Predicate;
using store::PredicateClass;
using store::Sequence;
using store::Snapshot;
using store::Triple;

// The statements with the entity as subject, and the links to it.
std::vector<Triple> statements_of(const Snapshot& snapshot, EntityId entity) {
  std::vector<Triple> rows;
  const auto take = [&](const Pattern& pattern) {
    store::Cursor cursor = snapshot.scan(pattern);
    Triple batch[256];
    while (const std::size_t count = cursor.next(batch)) {
      rows.insert(rows.end(), batch, batch + count);
    }
  };
  for (const auto kind : {PredicateClass::kStructural, PredicateClass::kLink,
                          PredicateClass::kAttribute, PredicateClass::kMetadata}) {
    Pattern pattern;
    pattern.subject = entity;
    pattern.predicate_class = kind;
    take(pattern);
  }
  Pattern incoming;
  incoming.object = store::Term::entity(entity);
  take(incoming);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

std::string predicate_text(const Snapshot& snapshot, Predicate predicate) {
  switch (predicate.predicate_class()) {
    case PredicateClass::kLink:
      return std::string(snapshot.name(predicate.as_link()));
    case PredicateClass::kStructural:
      return predicate == store::kTypePredicate ? "is a" : "is named";
    case PredicateClass::kAttribute:
      return "." + std::string(snapshot.value(predicate.key()).text);
    case PredicateClass::kMetadata:
      return "@" + std::string(snapshot.value(predicate.key()).text);
  }
  return {};
}

std::string term_text(const Snapshot& snapshot, store::Term term) {
  if (!term.is_entity()) return snapshot.display(term);
  const std::string_view name = snapshot.name(term.as_entity());
  return name.empty() ? snapshot.display(term) : std::string(name);
}

std::string statement_text(const Snapshot& snapshot, const Triple& triple) {
  return fmt::format("{} {} {}", term_text(snapshot, store::Term::entity(triple.subject)),
                     predicate_text(snapshot, triple.predicate),
                     term_text(snapshot, triple.object));
}

struct Change {
  Sequence sequence = Sequence::kNone;
  std::vector<std::string> added, removed;
};

Result<Change> change_at(const Snapshot& now, Sequence sequence, EntityId entity) {
  Change change;
  change.sequence = sequence;
  ANIMA_ASSIGN(const Snapshot after, now.as_of(sequence));
  std::vector<Triple> old;
  if (static_cast<std::uint64_t>(sequence) > 1) {
    ANIMA_ASSIGN(const Snapshot before,
                 now.as_of(Sequence{static_cast<std::uint64_t>(sequence) - 1}));
    old = statements_of(before, entity);
  }
  const std::vector<Triple> rows = statements_of(after, entity);
  for (const Triple& triple : rows) {
    if (!std::binary_search(old.begin(), old.end(), triple)) {
      change.added.push_back(statement_text(after, triple));
    }
  }
  for (const Triple& triple : old) {
    if (!std::binary_search(rows.begin(), rows.end(), triple)) {
      change.removed.push_back(statement_text(now, triple));
    }
  }
  return change;
}

Json strings(const std::vector<std::string>& texts) {
  JsonArray array;
  for (const std::string& text : texts) array.emplace_back(text);
  return Json(std::move(array));
}

Json to_json(const Change& change, const store::EntryInfo& info) {
  return Json::object({{"sequence", static_cast<std::uint64_t>(change.sequence)},
                       {"time", format_timestamp(info.time)},
                       {"author", info.author},
                       {"source", info.source},
                       {"trust", store::trust_label(info.trust)},
                       {"added", strings(change.added)},
                       {"removed", strings(change.removed)}});
}

std::string to_text(const Change& change, const store::EntryInfo& info) {
  std::string text =
      fmt::format("{}  {}  {}  {}{}\n", static_cast<std::uint64_t>(change.sequence),
                  format_timestamp(info.time), info.author, store::trust_label(info.trust),
                  info.source.empty() ? "" : fmt::format("  ({})", info.source));
  for (const std::string& line : change.removed) text += "  - " + line + "\n";
  for (const std::string& line : change.added) text += "  + " + line + "\n";
  return text;
}

int run_history(Context& context, Arguments arguments) {
  std::string name;
  std::uint64_t limit = 100;
  Options options;
  options.positional("ENTITY", name, "C:12, or a name").required();
  options.value("--limit N", limit, "at most so many entries, the newest (100)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  const auto snapshot = space_snapshot(context, **space);
  if (!snapshot) return context.fail(snapshot.error());
  const auto entity = find_entity(*snapshot, name);
  if (!entity) return context.fail(entity.error());
  std::vector<Sequence> sequences = snapshot->history(*entity);
  if (sequences.size() > limit) {
    sequences.erase(sequences.begin(), sequences.end() - static_cast<std::ptrdiff_t>(limit));
  }
  JsonArray changes;
  for (const Sequence sequence : sequences) {
    const auto change = change_at(*snapshot, sequence, *entity);
    if (!change) return context.fail(change.error());
    const store::EntryInfo info = snapshot->entry(sequence);
    if (context.json) {
      changes.emplace_back(to_json(*change, info));
    } else {
      context.print(to_text(*change, info));
    }
  }
  if (context.json) {
    context.print_json(
        Json::object({{"entity", "C:" + std::to_string(static_cast<std::uint32_t>(*entity))},
                      {"name", snapshot->name(*entity)},
                      {"entries", std::move(changes)}}));
  }
  return kDone;
}

}  // namespace

extern const Verb kHistory;
const Verb kHistory{"history",
                    Group::kKnowledge,
                    "what changed about an entity, when, by whom, from where",
                    "ENTITY [--limit N]",
                    "anima history Ada",
                    run_history};

}  // namespace anima::cli
