#include "agent/findings/grammar_shelf.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"

namespace anima::agent {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;

std::string kept_in(const std::string& folder) { return join_path(folder, "grammars"); }

bool is_path(std::string_view name) {
  return name.ends_with(".toml") || name.find('/') != std::string_view::npos;
}

Result<ShelvedGrammar> read_grammar(FileSystem& files, const std::string& path) {
  ANIMA_ASSIGN(const std::string text, read_file(files, path, kMaxBytes));
  ANIMA_ASSIGN(Grammar grammar, parse_grammar(text, path));
  return ShelvedGrammar{std::move(grammar), path};
}

void add(GrammarShelf& shelf, Result<ShelvedGrammar> grammar) {
  if (!grammar) {
    shelf.warnings.push_back(grammar.error().describe());
  } else if (shelf.find(grammar->grammar.name) == nullptr) {
    shelf.grammars.push_back(std::move(*grammar));
  }
}

void add_kept(FileSystem& files, const std::string& folder, GrammarShelf& shelf) {
  auto entries = files.list(kept_in(folder));
  if (!entries) return;  // nothing was kept yet
  std::sort(entries->begin(), entries->end(),
            [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.name.ends_with(".toml")) continue;
    add(shelf, read_grammar(files, join_path(kept_in(folder), entry.name)));
  }
}

void add_of_compartments(const memory::CompartmentManager& compartments, GrammarShelf& shelf) {
  for (const memory::Compartment* compartment : compartments.all()) {
    const std::string& text = compartment->content.grammar;
    if (text.empty() || builtin_grammar(text)) continue;
    const memory::CompartmentManifest& manifest = compartment->manifest;
    add(shelf,
        parse_grammar(text, manifest.id + "/" + manifest.grammar_ref).map([&](Grammar grammar) {
          return ShelvedGrammar{std::move(grammar), "compartment " + manifest.id};
        }));
  }
}

Error no_such(const GrammarShelf& shelf, std::string_view name) {
  std::vector<std::string> names;
  for (const ShelvedGrammar& each : shelf.grammars) names.push_back(each.grammar.name);
  const std::string near = did_you_mean(nearest_names(name, names));
  return {ErrorCode::kNotFound,
          fmt::format("there is no grammar \"{}\"", name),
          {},
          near.empty() ? "see: anima grammar list" : near};
}

}  // namespace

const ShelvedGrammar* GrammarShelf::find(std::string_view name) const {
  for (const ShelvedGrammar& each : grammars) {
    if (each.grammar.name == name) return &each;
  }
  return nullptr;
}

GrammarShelf grammar_shelf(FileSystem& files, const std::string& folder,
                           const memory::CompartmentManager* compartments) {
  GrammarShelf shelf;
  for (const std::string_view name : builtin_grammars()) {
    shelf.grammars.push_back({*builtin_grammar(name), "built in"});
  }
  if (!folder.empty()) add_kept(files, folder, shelf);
  if (compartments != nullptr) add_of_compartments(*compartments, shelf);
  return shelf;
}

Result<ShelvedGrammar> find_grammar(const GrammarShelf& shelf, FileSystem& files,
                                    const std::string& name) {
  if (is_path(name)) return read_grammar(files, name);
  const ShelvedGrammar* found = shelf.find(name);
  if (found == nullptr) return fail(no_such(shelf, name));
  return *found;
}

Result<ShelvedGrammar> keep_grammar(FileSystem& files, const std::string& folder,
                                    const std::string& path) {
  ANIMA_ASSIGN(const std::string text, read_file(files, path, kMaxBytes));
  ANIMA_ASSIGN(Grammar grammar, parse_grammar(text, path));
  if (!memory::is_compartment_id(grammar.name) || builtin_grammar(grammar.name)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("a grammar to keep cannot have the name \"{}\"", grammar.name), path,
                "take letters, digits, '.', '_', '-', and no name of a built-in grammar");
  }
  ANIMA_TRY(files.make_directories(kept_in(folder)));
  const std::string copy = join_path(kept_in(folder), grammar.name + ".toml");
  ANIMA_TRY(replace_file(files, copy, text));
  return ShelvedGrammar{std::move(grammar), copy};
}

GrammarChoice choose_grammar(std::string_view preference, const GrammarShelf& shelf,
                             FileSystem& files, const std::string& folder) {
  const std::string name =
      is_path(preference) ? join_path(folder, preference) : std::string(preference);
  Result<ShelvedGrammar> found = find_grammar(shelf, files, name);
  if (found) return {std::move(found->grammar), {}};
  return {*builtin_grammar("narrative"),
          fmt::format("the grammar \"{}\" cannot be used, so the narrative one is: {}", preference,
                      found.error().describe())};
}

}  // namespace anima::agent
