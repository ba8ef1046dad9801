// Who proposes a tool's source. A generator only proposes: the checker, the rules and the compiler
// decide (forge.h). Thread-safety: one thread.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "forge/example.h"
#include "forge/need.h"
#include "llm/model.h"

namespace anima::forge {

struct ToolSource {
  std::string source;
  std::string description;  // what the tool does, for whoever chooses it
  std::string made_by;      // "template csv_aggregate", "model local"
  std::vector<Example> examples = {};
};

// What was wrong with the version before: violations, examples that it failed. It holds nothing but
// that source and what was found in it.
struct Feedback {
  std::string source;
  std::string violations;  // numbered lines
};

class Generator {
 public:
  virtual ~Generator() = default;
  // Errors: kNotFound (it knows no such tool), those of a model.
  virtual Result<ToolSource> propose(const Need& need, const std::optional<Feedback>& feedback) = 0;
};

// From the library of packs/forge/templates: small tools over CSV, JSON and text that need no
// model. What fits is chosen by the words of the need; the same need gives the same source.
// Complexity: O(templates x words).
std::unique_ptr<Generator> make_template_generator();

// The need that a text speaks of, when the library has a template for it: named after that, with
// the text as its purpose.
std::optional<Need> need_in_words(std::string_view text);

// Asks a language model, which outlives it. What it is told: the interface, the fixed rules, the
// need, and what was wrong with its version before. Errors of propose(): kInvalidArgument (its
// examples cannot be read).
std::unique_ptr<Generator> make_model_generator(llm::Model& model, std::stop_token stop = {});

// Answers one after the other, the last one again and again: for tests, and for replaying a run.
std::unique_ptr<Generator> make_scripted_generator(std::vector<std::string> answers);

// An answer as a proposal: the C++ in its first fenced block, else all of it; the examples in the
// second one. Errors: those of examples_from_json().
Result<ToolSource> proposal_in_answer(std::string_view answer);

}  // namespace anima::forge
