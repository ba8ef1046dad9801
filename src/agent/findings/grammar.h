// Grammars: how findings become text. Three are built in (narrative, formal, terse); others are
// TOML files.
//
// A template's placeholders are replaced in one pass, so a value that looks like a placeholder
// stays as it is; `{{` is a literal brace. What a custom grammar leaves out is said in the words
// of the narrative one. Source: learning_and_psyche 2.14. Thread-safety: plain values.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "agent/findings/synthesis.h"
#include "base/result.h"

namespace anima::agent {

struct Grammar {
  enum class Style : std::uint8_t { kNarrative, kFormal, kTerse, kCustom };
  std::string name;
  std::string description;
  Style style = Style::kNarrative;
  std::map<std::string, std::string, std::less<>> templates;  // kCustom
};

std::span<const std::string_view> builtin_grammars();  // narrative, formal, terse
// One of them by name; kNotFound for another.
Result<Grammar> builtin_grammar(std::string_view name);
// Errors (the message begins with "InvalidCustomGrammar"): no name, an unknown key, an unknown
// placeholder, an open brace.
Result<Grammar> parse_grammar(std::string_view toml, const std::string& source);

std::string linearize(const Document& document, const Grammar& grammar);
// The same without the overview.
std::string linearize_sections(const Document& document, const Grammar& grammar);
// One finding alone: a sentence, what follows a bullet, or a line.
std::string linearize(const tools::Finding& finding, const Grammar& grammar);

// "is-a" -> "is a" or "is an", by the word that follows; "orbits_around" -> "orbits around".
std::string predicate_words(std::string_view predicate, std::string_view object);
std::string_view article(std::string_view word);

}  // namespace anima::agent
