#include "cli/verbs/kip_shell.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/frame/pager.h"
#include "cli/render/table.h"

namespace anima::cli {
namespace {

using store::EntityId;
using store::Snapshot;
using store::Term;

constexpr std::string_view kShellHelp =
    "\\d            types and predicates, with how many there are\n"
    "\\d TYPE       a type's attributes and links\n"
    "\\x            a line a cell, or tables again\n"
    "\\format FORM  text, expanded, csv, tsv or markdown\n"
    "\\o FILE       results go to the file; \\o alone: here again\n"
    "\\timing       how long each command takes, on or off\n"
    "\\q            leaves (so does Ctrl-D)\n"
    "A KIP command may run over several lines: an empty line or ';' ends it. Tab completes,\n"
    "Ctrl-C drops what was typed or stops what runs. docs/kip.md has the language.\n";

constexpr std::size_t kSampledConcepts = 10'000;

constexpr std::array<std::pair<std::string_view, TableForm>, 5> kForms{
    {{"text", TableForm::kText},
     {"expanded", TableForm::kExpanded},
     {"csv", TableForm::kCsv},
     {"tsv", TableForm::kTsv},
     {"markdown", TableForm::kMarkdown}}};

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
    : context_(context), space_(space), run_(std::move(run)) {}

void KipShell::command(std::string_view line) {
  line = trim(line);
  const std::string_view name = line.substr(0, line.find_first_of(" \t"));
  const std::string argument(word_after(line, name));
  if (name == "\\?" || name == "\\h") {
    context_.print(kShellHelp);
  } else if (name == "\\d") {
    describe(argument);
  } else if (name == "\\timing") {
    timing_ = !timing_;
    context_.print(timing_ ? "timing is on\n" : "timing is off\n");
  } else if (name == "\\x") {
    set_form(context_.table == TableForm::kExpanded ? "text" : "expanded");
  } else if (name == "\\format") {
    set_form(argument);
  } else if (name == "\\o") {
    redirect(argument);
  } else {
    context_.note(fmt::format("there is no command {}; \\? lists them", name));
  }
}

void KipShell::execute(const std::string& text) {
  const auto begin = std::chrono::steady_clock::now();
  std::string result;
  run_(text, result);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  show(result);
  if (timing_) context_.print(fmt::format("Time: {:.3f} ms\n", took.count()));
}

void KipShell::show(const std::string& text) {
  if (file_ == nullptr) return page(context_, text);
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() ||
      std::fflush(file_.get()) != 0) {
    context_.note(
        fmt::format("cannot write {}: {}", path_, std::generic_category().message(errno)));
  }
}

void KipShell::describe(std::string_view type) {
  auto snapshot = space_.snapshot();
  if (!snapshot) {
    context_.fail(snapshot.error());
    return;
  }
  if (context_.books) *snapshot = snapshot->with_books();
  if (type.empty()) return show(schema_text(context_, *snapshot));
  const auto text = type_text(context_, *snapshot, type);
  if (text) return show(*text);
  context_.fail(text.error());
}

void KipShell::redirect(const std::string& path) {
  file_.reset();
  path_ = path;
  if (path.empty()) return context_.print("results come here\n");
  file_.reset(std::fopen(path.c_str(), "we"));
  if (file_ == nullptr) {
    context_.note(fmt::format("cannot write {}: {}", path, std::generic_category().message(errno)));
  }
}

void KipShell::set_form(std::string_view name) {
  for (const auto& [known, form] : kForms) {
    if (known != name) continue;
    context_.table = form;
    return context_.print(fmt::format("results are shown as {}\n", name));
  }
  context_.note("\\format takes text, expanded, csv, tsv or markdown");
}

}  // namespace anima::cli
