// How a psyche in force becomes another: a file is laid over what is in force, and no veto goes
// unless somebody names it. Thread-safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/mind/psyche.h"

namespace anima::agent {

// The vetoes in force that the other psyche lacks, or has with fewer triggers, by name.
std::vector<std::string> lost_vetoes(const Psyche& in_force, const Psyche& other);

// Those in force that the text of a psyche.toml had as it was read, and lacks now, or has with
// fewer triggers. None of a text that is no psyche.
std::vector<std::string> lost_vetoes(const Psyche& in_force, std::string_view read,
                                     std::string_view now, const std::string& path);

// The text of a psyche.toml over the defaults. A grammar that it names by a relative path lies
// beside the file. Errors: those of parse_psyche.
Result<Psyche> read_psyche(std::string_view toml, const std::string& path, const Psyche& defaults,
                           std::vector<std::string>* warnings = nullptr);

// The same laid over what is in force. Errors: also kDenied, when a veto would go.
Result<Psyche> lay_over(const Psyche& in_force, std::string_view toml, const std::string& path,
                        std::vector<std::string>* warnings = nullptr);

// The defaults, with the vetoes in force.
Psyche default_with_vetoes(const Psyche& in_force);

// Without these vetoes. Errors: kNotFound with a near name.
Result<Psyche> without_vetoes(const Psyche& in_force, const std::vector<std::string>& names);

// What differs, for people: "veto no_shell added", "persona.name: Ada, was Anima".
std::vector<std::string> differences(const Psyche& before, const Psyche& after);

}  // namespace anima::agent
