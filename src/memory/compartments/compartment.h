// A compartment on disk: its manifest, and everything that loading it will need, read and checked
// before anything is written.
//
// The manifest is compartment.toml: id, name, kind (Core, Skill or Project), and optionally
// description, triples_file, rules_file (Datalog, or rules.toml), questions_file, grammar_ref,
// tags, and a table [synonyms] (words for `anima ask`). File keys are relative and stay inside the
// folder. A psyche.toml beside the manifest of a Core compartment is its psyche. Errors carry the
// source's code at the head of their message (akh::compartment::not_found ..) and what to do as
// their hint. Source: the compartments document, part 1; learning_and_psyche 2.4. Thread-safety:
// plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto.h"
#include "base/files/file.h"
#include "base/result.h"

namespace anima::memory {

enum class CompartmentKind : std::uint8_t { kCore, kSkill, kProject };
enum class CompartmentState : std::uint8_t { kDormant, kLoaded, kActive };
std::string_view to_string(CompartmentKind kind);
std::string_view to_string(CompartmentState state);
std::optional<CompartmentKind> compartment_kind(std::string_view text);

enum class CompartmentFault : std::uint8_t {
  kNotFound,
  kAlreadyLoaded,
  kInvalidManifest,
  kIo,
  kKindMismatch,
  kNotLoaded,
  kBadSignature,
};
// "akh::compartment::not_found" and so on.
Error compartment_error(CompartmentFault fault, std::string message, std::string where = {});
// The fault that an Error of this room carries.
std::optional<CompartmentFault> fault_of(const Error& error);

struct CompartmentManifest {
  std::string id;
  std::string name;
  CompartmentKind kind = CompartmentKind::kSkill;
  std::string description;
  std::string triples_file, rules_file, questions_file, grammar_ref;
  std::vector<std::string> tags;
  std::string synonyms;  // the table [synonyms] as JSON; empty when there is none
  std::string directory;
  std::string signed_by;  // of a loaded one: the key in hex, behind it " (accepted)"; or empty
  Digest hash{};          // of compartment.toml as it was read
  std::vector<std::string> warnings;  // unknown keys
};

// [A-Za-z0-9][A-Za-z0-9._:-]{0,63}: it is spliced into names of graphs and paths.
bool is_compartment_id(std::string_view id);

// Errors: kInvalidManifest with the place, kIo.
Result<CompartmentManifest> read_manifest(const std::string& directory);

// What the manifest's files hold, read once.
struct CompartmentContent {
  std::string triples;                   // JSON
  std::string rules;                     // Datalog text
  std::string questions;                 // TOML
  std::string psyche;                    // TOML
  std::string grammar;                   // TOML of a grammar file, or the name of a built-in one
  std::map<std::string, Digest> hashes;  // of the files as they were read, by name
};
// Every triple is checked here; errors name the element. Errors: kInvalidManifest, kIo.
Result<CompartmentContent> read_content(FileSystem& files, const CompartmentManifest& manifest);

// Relative, without a step up or an absolute start: it stays in the compartment's folder.
bool stays_inside(std::string_view path);
// A file of a compartment's folder: no link leads out of it, and nothing but a regular file is
// read. Errors: those of RootedFolder.
Result<std::string> read_of_pack(const std::string& directory, const std::string& name,
                                 std::uint64_t max_bytes);

// Rules written as TOML, `[[rule]] name, confidence, if = [["?x","is-a","?y"]], then = [..]`, as
// Datalog clauses.
Result<std::string> rules_from_toml(std::string_view toml, const std::string& source);

}  // namespace anima::memory
