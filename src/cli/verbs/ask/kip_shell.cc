#include "cli/verbs/ask/kip_shell.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "cli/render/table.h"
#include "kip/filter_functions.h"

namespace anima::cli {
namespace {

using store::EntityId;
using store::Snapshot;
using store::Term;

constexpr std::string_view kSchemaHelp =
    "\\d            types and predicates, with how many there are\n"
    "\\d TYPE       a type's attributes and links\n"
    "\\f            the functions of FILTER\n";
constexpr std::string_view kTypingHelp =
    "A KIP command may run over several lines: an empty line or ';' ends it. Tab completes,\n"
    "Ctrl-C drops what was typed or stops what runs. docs/kip.md has the language.\n";

constexpr std::size_t kSampledConcepts = 10'000;

std::vector<std::pair<std::string, EntityId>> named(const Snapshot& snapshot, EntityId type) {
  std::vector<std::pair<std::string, EntityId>> found;
  store::Scratch scratch;
  for (const std::uint32_t code :
       snapshot.subjects(store::kTypePredicate, Term::entity(type), scratch)) {
    found.emplace_back(snapshot.name(EntityId{code}), EntityId{code});
  }
  std::sort(found.begin(), found.end());
  return found;
}

store::Pattern of_type(EntityId type) {
  store::Pattern pattern;
  pattern.predicate = store::kTypePredicate;
  pattern.object = Term::entity(type);
  pattern.predicate_class = store::PredicateClass::kStructural;
  return pattern;
}

std::string_view word_after(std::string_view line, std::string_view command) {
  return trim(line.substr(command.size()));
}

// How many of the sampled concepts have each attribute and link.
struct Usage {
  std::map<std::string, std::size_t> attributes;
  std::map<std::pair<std::string, std::string>, std::size_t> out, in;  // predicate, other's type
};

std::string type_name(const Snapshot& snapshot, std::uint32_t code) {
  const Term term{code};
  if (!term.is_entity()) return "a value";
  if (snapshot.kind(term.as_entity()) != store::EntityKind::kConcept) return "a statement";
  return std::string(snapshot.name(snapshot.type_of(term.as_entity())));
}

void count_links(const Snapshot& snapshot, const store::Edges& edges,
                 std::map<std::pair<std::string, std::string>, std::size_t>& counts) {
  std::map<std::pair<std::string, std::string>, bool> seen;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const EntityId predicate = store::Predicate{edges.predicates[i]}.as_link();
    seen[{std::string(snapshot.name(predicate)), type_name(snapshot, edges.others[i])}] = true;
  }
  for (const auto& [key, there] : seen) counts[key] += there ? 1 : 0;
}

void count_usage(const Snapshot& snapshot, EntityId concept_id, Usage& usage) {
  store::Scratch scratch;
  std::string last;
  const store::Edges attributes =
      snapshot.outgoing(concept_id, store::PredicateClass::kAttribute, scratch);
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (i > 0 && attributes.predicates[i] == attributes.predicates[i - 1]) continue;
    const store::Predicate key{attributes.predicates[i]};
    const store::ValueView name = snapshot.value(key.key());
    ++usage.attributes[std::string(name.text)];
  }
  count_links(snapshot, snapshot.outgoing(concept_id, store::PredicateClass::kLink, scratch),
              usage.out);
  count_links(snapshot,
              snapshot.incoming(Term::entity(concept_id), store::PredicateClass::kLink, scratch),
              usage.in);
}

}  // namespace

std::string schema_text(const Context& context, const Snapshot& snapshot) {
  Table types({"type", "concepts"});
  types.align_right(1);
  for (const auto& [name, type] : named(snapshot, store::kConceptType)) {
    types.add({name, std::to_string(snapshot.count(of_type(type)))});
  }
  Table predicates({"predicate", "links"});
  predicates.align_right(1);
  for (const auto& [name, predicate] : named(snapshot, store::kPropositionType)) {
    store::Pattern pattern;
    pattern.predicate = store::Predicate::link(predicate);
    predicates.add({name, std::to_string(snapshot.count(pattern))});
  }
  return types.render(context) + '\n' + predicates.render(context);
}

Result<std::string> type_text(const Context& context, const Snapshot& snapshot,
                              std::string_view type) {
  const std::optional<EntityId> found = snapshot.find_type(type);
  if (!found) {
    std::vector<std::string> names;
    for (auto& [name, id] : named(snapshot, store::kConceptType)) names.push_back(name);
    return anima::fail(ErrorCode::kNotFound, fmt::format("there is no type \"{}\"", type), {},
                       did_you_mean(nearest_names(type, std::span<const std::string>(names))));
  }
  Usage usage;
  std::size_t looked_at = 0;
  store::Scratch scratch;
  for (const std::uint32_t code :
       snapshot.subjects(store::kTypePredicate, Term::entity(*found), scratch)) {
    if (looked_at == kSampledConcepts) break;
    ++looked_at;
    count_usage(snapshot, EntityId{code}, usage);
  }
  Table table({"", "name", "other", "concepts"});
  table.align_right(3);
  for (const auto& [key, count] : usage.attributes)
    table.add({"attribute", key, "", std::to_string(count)});
  for (const auto& [link, count] : usage.out)
    table.add({"link to", link.first, link.second, std::to_string(count)});
  for (const auto& [link, count] : usage.in)
    table.add({"link from", link.first, link.second, std::to_string(count)});
  const std::uint64_t all = snapshot.count(of_type(*found));
  return fmt::format("{}: {} {}{}\n", type, all, all == 1 ? "concept" : "concepts",
                     looked_at < all ? fmt::format("; of the first {}:", looked_at) : "") +
         table.render(context);
}

KipShell::KipShell(Context& context, store::Space& space, Run run)
    : context_(context), space_(space), run_(std::move(run)), output_(context) {}

void KipShell::command(std::string_view line) {
  line = trim(line);
  const std::string_view name = line.substr(0, line.find_first_of(" \t"));
  const std::string argument(word_after(line, name));
  if (name == "\\?" || name == "\\h") {
    for (const std::string_view part : {kSchemaHelp, kShellOutputHelp, kTypingHelp})
      context_.print(part);
  } else if (name == "\\d") {
    describe(argument);
  } else if (name == "\\f") {
    for (const kip::FilterFunction& each : kip::kFilterFunctions)
      context_.print(fmt::format("{:<12}  {}\n", each.name, each.help));
  } else if (!output_.command(name, argument)) {
    context_.note(fmt::format("there is no command {}; \\? lists them", name));
  }
}

void KipShell::execute(const std::string& text) {
  output_.execute([&](std::string& result) { run_(text, result); });
}

void KipShell::describe(std::string_view type) {
  auto snapshot = space_.snapshot();
  if (!snapshot) {
    context_.fail(snapshot.error());
    return;
  }
  if (context_.books) *snapshot = snapshot->with_books();
  if (type.empty()) return output_.show(schema_text(context_, *snapshot));
  const auto text = type_text(context_, *snapshot, type);
  if (text) return output_.show(*text);
  context_.fail(text.error());
}

}  // namespace anima::cli
