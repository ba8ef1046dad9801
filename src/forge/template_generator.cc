#include <algorithm>
#include <set>

#include "base/json/json.h"
#include "base/packs.h"
#include "base/text/text.h"
#include "forge/generator.h"
#include "language/text/words.h"

namespace anima::forge {
namespace {

constexpr std::string_view kIndex = "packs/forge/templates.json";
constexpr std::string_view kFolder = "packs/forge/templates/";
constexpr std::string_view kPlace = "@OPERATION@";

using WordSet = std::set<std::string, std::less<>>;

WordSet words_of_need(const Need& need) {
  const std::string text = replace_all(need.name, "_", " ") + " " + need.purpose + " " +
                           need.input_type + " " + need.output_type;
  const auto words = language::folded_words(text, language::FoldStrength::kCase);
  return {words.begin(), words.end()};
}

int shared(const Json* list, const WordSet& words) {
  int count = 0;
  if (list == nullptr) return count;
  for (const Json& each : list->as_array()) count += words.contains(each.as_string()) ? 1 : 0;
  return count;
}

struct Choice {
  const Json* row = nullptr;
  std::string operation;
  int score = 0;
};

// How well a template fits; nothing when it lacks what makes it that one.
std::optional<Choice> fit(const Json& row, const Need& need, const WordSet& words) {
  Choice choice{&row, {}, shared(row.find("words"), words)};
  if (const Json* operations = row.find("operations")) {
    int best = 0;
    for (const auto& [name, names] : operations->as_object()) {
      const int count = shared(&names, words);
      if (count > best) {
        best = count;
        choice.operation = name;
      }
    }
    if (best == 0) return std::nullopt;
    choice.score += 2 * best;
  } else {
    const int count = shared(row.find("needs"), words);
    if (count == 0) return std::nullopt;
    choice.score += 2 * count;
  }
  if (shared(row.find("words"), words) == 0) return std::nullopt;
  const auto names = [&](const char* member, const std::string& wanted) {
    const Json* type = row.find(member);
    return !wanted.empty() && type != nullptr && type->as_string() == to_lower(wanted);
  };
  choice.score += names("input", need.input_type) ? 3 : 0;
  choice.score += names("output", need.output_type) ? 3 : 0;
  // Of two formats the one that is named first comes in.
  const Json* input = row.find("input");
  const Json* output = row.find("output");
  if (input != nullptr && output != nullptr) {
    const std::string text = to_lower(need.purpose + " " + need.name);
    const auto from = text.find(input->as_string()), to = text.find(output->as_string());
    choice.score += from < to ? 2 : -2;
  }
  return choice;
}

std::optional<Choice> best_fit(const Json& index, const Need& need) {
  const WordSet words = words_of_need(need);
  std::optional<Choice> best;
  for (const Json& row : index.as_array()) {
    const auto choice = fit(row, need, words);
    if (choice && (!best || choice->score > best->score)) best = choice;
  }
  return best;
}

class TemplateGenerator final : public Generator {
 public:
  Result<ToolSource> propose(const Need& need, const std::optional<Feedback>&) override {
    ANIMA_ASSIGN(const Json index, parse_json(pack_file(kIndex).value_or("[]")));
    const std::optional<Choice> best = best_fit(index, need);
    if (!best) return fail(none_fits(need, index));
    const std::string& file = best->row->find("file")->as_string();
    const auto text = pack_file(std::string(kFolder) + file + ".cpp");
    if (!text) return fail(ErrorCode::kNotFound, "the template is not there", file);
    const Json* examples = best->row->find("examples");
    if (examples != nullptr && !best->operation.empty()) examples = examples->find(best->operation);
    if (examples == nullptr) return fail(ErrorCode::kCorrupt, "the template has no examples", file);
    ANIMA_ASSIGN(std::vector<Example> held, examples_from_json(*examples));
    return ToolSource{
        replace_all(*text, kPlace, best->operation),
        replace_all(best->row->find("description")->as_string(), kPlace, best->operation),
        "template " + file + (best->operation.empty() ? "" : " (" + best->operation + ")"),
        std::move(held)};
  }

 private:
  static Error none_fits(const Need& need, const Json& index) {
    std::vector<std::string> names;
    for (const Json& row : index.as_array()) names.push_back(row.find("file")->as_string());
    return {ErrorCode::kNotFound, "no template fits this need", need.name,
            "say in `purpose` what goes in and what comes out, or name a model with --llm; "
            "templates: " +
                join(names, ", ")};
  }
};

class ScriptedGenerator final : public Generator {
 public:
  explicit ScriptedGenerator(std::vector<std::string> answers) : answers_(std::move(answers)) {}

  Result<ToolSource> propose(const Need& need, const std::optional<Feedback>&) override {
    if (answers_.empty()) return fail(ErrorCode::kNotFound, "the list of answers is empty");
    const std::size_t place = std::min(next_, answers_.size() - 1);
    ++next_;
    ANIMA_ASSIGN(ToolSource proposal, proposal_in_answer(answers_[place]));
    proposal.description = need.purpose;
    proposal.made_by = "list";
    return proposal;
  }

 private:
  std::vector<std::string> answers_;
  std::size_t next_ = 0;
};

}  // namespace

std::optional<Need> need_in_words(std::string_view text) {
  const auto index = parse_json(pack_file(kIndex).value_or("[]"));
  if (!index) return std::nullopt;
  Need need;
  need.purpose = std::string(text);
  const std::optional<Choice> best = best_fit(*index, need);
  if (!best) return std::nullopt;
  const std::string& file = best->row->find("file")->as_string();
  need.name = best->operation.empty()
                  ? file
                  : file.substr(0, file.find('_')) + "_" + replace_all(best->operation, " ", "_");
  return need;
}

std::unique_ptr<Generator> make_template_generator() {
  return std::make_unique<TemplateGenerator>();
}

std::unique_ptr<Generator> make_scripted_generator(std::vector<std::string> answers) {
  return std::make_unique<ScriptedGenerator>(std::move(answers));
}

}  // namespace anima::forge
