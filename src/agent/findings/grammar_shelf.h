// The grammars that a space has by name: the built-in ones, those kept in its folder
// (grammars/NAME.toml), and those of its loaded compartments.
//
// Of one name the first counts, in this order. Nothing is written but by keep_grammar().
// Thread-safety: functions without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/findings/grammar.h"
#include "memory/compartments/compartments.h"

namespace anima::agent {

struct ShelvedGrammar {
  Grammar grammar;
  std::string from;  // "built in", a path, or "compartment ID"
};

struct GrammarShelf {
  std::vector<ShelvedGrammar> grammars;  // by place, then by name of the file or compartment
  std::vector<std::string> warnings;     // what cannot be read
  const ShelvedGrammar* find(std::string_view name) const;
};

// `folder` is the space's, empty for one in memory; `compartments` may be null. O(files).
GrammarShelf grammar_shelf(FileSystem& files, const std::string& folder,
                           const memory::CompartmentManager* compartments);
// A grammar of the shelf, or a file when the name ends in .toml or holds a slash. Errors: kNotFound
// with near names; those of reading the file.
Result<ShelvedGrammar> find_grammar(const GrammarShelf& shelf, FileSystem& files,
                                    const std::string& name);
// Checks a file and keeps a copy in the space's folder, from where it is known by its name. Errors:
// those of the file; kInvalidArgument for a name that no file can have or a built-in one's.
Result<ShelvedGrammar> keep_grammar(FileSystem& files, const std::string& folder,
                                    const std::string& path);

// What a preference names: a grammar of the shelf, or a file when it ends in .toml or holds a slash
// (relative to `folder`). Whatever is wrong with it ends in narrative and a warning.
struct GrammarChoice {
  Grammar grammar;
  std::string warning;
};
GrammarChoice choose_grammar(std::string_view preference, const GrammarShelf& shelf,
                             FileSystem& files, const std::string& folder);

}  // namespace anima::agent
