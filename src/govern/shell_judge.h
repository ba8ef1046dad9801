// What a shell command line would do, part by part: each command of pipelines, lists, groups and
// substitutions is judged by its own program, arguments and redirections, and the worst part
// counts.
//
// A program that is not known, a program chosen at run time, an interpreter and a path that leaves
// the work folder are never harmless. Nothing is judged by how the line begins. Thread-safety: pure
// functions. Linear in the text. Source: governance specification 1.7; DATA.md "Safety".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "govern/shell_command.h"

namespace anima::govern {

// Ordered: the worst of the parts is that of the line.
enum class ShellEffect : std::uint8_t {
  kReads,    // looks at files or computes
  kWrites,   // makes or changes files of the work folder
  kSends,    // talks to other machines or people
  kDeletes,  // removes, or changes what lies outside the work folder
  kUnknown,  // what it does is not known before it runs
};
std::string_view to_string(ShellEffect effect);

struct JudgedPart {
  std::string command;  // program and arguments, joined by blanks
  ShellEffect effect = ShellEffect::kUnknown;
  std::string reason;
};

struct ShellJudgement {
  ShellEffect effect = ShellEffect::kReads;
  std::vector<JudgedPart> parts;
  // Reading, and writing inside the work folder, runs without a confirmation for who may use a
  // shell at all.
  bool harmless() const { return effect <= ShellEffect::kWrites; }
  Json to_json() const;  // [{"command","effect","reason"}]
};

// Errors: those of parse_shell.
Result<ShellJudgement> judge_shell(std::string_view text);

}  // namespace anima::govern
