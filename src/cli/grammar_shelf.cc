#include "cli/grammar_shelf.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "cli/space_access.h"
#include "memory/compartments.h"

namespace anima::cli {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;

std::string folder_of(const Context& context) { return join_path(context.space, "grammars"); }

Result<ShelvedGrammar> read_grammar(Context& context, const std::string& path) {
  ANIMA_ASSIGN(const std::string text, read_file(context.files, path, kMaxBytes));
  ANIMA_ASSIGN(agent::Grammar grammar, agent::parse_grammar(text, path));
  return ShelvedGrammar{std::move(grammar), path};
}

void add(std::vector<ShelvedGrammar>& shelf, ShelvedGrammar grammar) {
  const auto same = [&](const ShelvedGrammar& other) {
    return other.grammar.name == grammar.grammar.name;
  };
  if (std::none_of(shelf.begin(), shelf.end(), same)) shelf.push_back(std::move(grammar));
}

void add_kept(Context& context, std::vector<ShelvedGrammar>& shelf) {
  auto entries = context.files.list(folder_of(context));
  if (!entries) return;  // nothing was kept yet
  std::sort(entries->begin(), entries->end(),
            [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.name.ends_with(".toml")) continue;
    auto grammar = read_grammar(context, join_path(folder_of(context), entry.name));
    if (grammar) {
      add(shelf, std::move(*grammar));
    } else {
      context.warn(grammar.error().describe());
    }
  }
}

void add_of_compartments(Context& context, std::vector<ShelvedGrammar>& shelf) {
  const auto space = open_space(context, Access::kRead);
  if (!space) {
    if (space.error().code != ErrorCode::kNotFound) context.warn(space.error().describe());
    return;
  }
  memory::CompartmentManager manager(**space, context.files,
                                     join_path((*space)->folder(), "compartments"));
  if (const Status fresh = manager.refresh(); !fresh) return context.warn(fresh.error().describe());
  for (const memory::Compartment* compartment : manager.all()) {
    const std::string& text = compartment->content.grammar;
    if (text.empty() || agent::builtin_grammar(text)) continue;
    const memory::CompartmentManifest& manifest = compartment->manifest;
    auto grammar = agent::parse_grammar(text, manifest.id + "/" + manifest.grammar_ref);
    if (grammar) {
      add(shelf, {std::move(*grammar), "compartment " + manifest.id});
    } else {
      context.warn(grammar.error().describe());
    }
  }
}

}  // namespace

std::vector<ShelvedGrammar> grammar_shelf(Context& context) {
  std::vector<ShelvedGrammar> shelf;
  for (const std::string_view name : agent::builtin_grammars()) {
    shelf.push_back({*agent::builtin_grammar(name), "built in"});
  }
  add_kept(context, shelf);
  add_of_compartments(context, shelf);
  return shelf;
}

Result<ShelvedGrammar> find_grammar(Context& context, const std::string& name) {
  if (auto known = agent::builtin_grammar(name)) {
    return ShelvedGrammar{std::move(*known), "built in"};
  }
  if (name.ends_with(".toml") || name.find('/') != std::string::npos) {
    return read_grammar(context, name);
  }
  std::vector<std::string> names;
  for (ShelvedGrammar& each : grammar_shelf(context)) {
    if (each.grammar.name == name) return std::move(each);
    names.push_back(each.grammar.name);
  }
  const std::string near = did_you_mean(nearest_names(name, names));
  return fail(ErrorCode::kNotFound, fmt::format("there is no grammar \"{}\"", name), {},
              near.empty() ? "see: anima grammar list" : near);
}

Result<ShelvedGrammar> keep_grammar(Context& context, const std::string& path) {
  ANIMA_ASSIGN(const std::string text, read_file(context.files, path, kMaxBytes));
  ANIMA_ASSIGN(agent::Grammar grammar, agent::parse_grammar(text, path));
  if (!memory::is_compartment_id(grammar.name) || agent::builtin_grammar(grammar.name)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("a grammar to keep cannot have the name \"{}\"", grammar.name), path,
                "take letters, digits, '.', '_', '-', and no name of a built-in grammar");
  }
  ANIMA_ASSIGN(const auto space, open_space(context, Access::kCreate));
  std::error_code problem;
  const std::string folder =
      std::filesystem::absolute(join_path(space->folder(), "grammars"), problem).string();
  if (problem) return fail(ErrorCode::kIo, problem.message(), space->folder());
  ANIMA_TRY(context.files.make_directories(folder));
  const std::string copy = join_path(folder, grammar.name + ".toml");
  ANIMA_TRY(replace_file(context.files, copy, text));
  return ShelvedGrammar{std::move(grammar), copy};
}

}  // namespace anima::cli
