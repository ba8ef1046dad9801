// anima guard: judge texts with the guardian, list its patterns, measure it on labelled texts,
// train the model of its second stage.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <thread>

#include "base/crypto.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/guardian_access.h"
#include "cli/options.h"
#include "cli/table.h"
#include "govern/evaluation.h"
#include "govern/guardian.h"
#include "govern/text_model.h"

namespace anima::cli {
namespace {

using govern::Assessment;
using govern::Guardian;
using govern::Trust;

const std::vector<std::string> kTrustNames = {"system",   "operator",  "verified",
                                              "standard", "untrusted", "hostile"};

constexpr const char* kModelHelp =
    "the second stage: off (default), on (the shipped model), or a file that `anima guard train` "
    "made";

Result<Guardian> make_guardian(Context& context, const std::optional<std::string>& pattern_file,
                               const std::string& model_name = "off") {
  ANIMA_ASSIGN(SharedModel model, make_model(context, model_name));
  if (!pattern_file) {
    ANIMA_ASSIGN(auto patterns, govern::PatternSet::shipped());
    return Guardian(std::move(patterns), std::move(model));
  }
  ANIMA_ASSIGN(const std::string text, context.read_input(*pattern_file));
  ANIMA_ASSIGN(auto patterns, govern::PatternSet::load(text, *pattern_file));
  return Guardian(std::move(patterns), std::move(model));
}

// Calls `visit` with each line's object; errors carry the line, the first of which has this number.
Status for_each_object(std::string_view lines, std::string_view where,
                       const std::function<Status(const Json&, const std::string&)>& visit,
                       std::size_t first = 1) {
  std::size_t number = first - 1;
  for (const std::string_view line : split(lines, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    const std::string place = fmt::format("{}:{}", where, number);
    auto object = parse_json(line);
    if (!object) return fail(ErrorCode::kSyntax, object.error().message, place);
    const Json* text = object->find("text");
    if (text == nullptr || !text->is_string()) {
      return fail(ErrorCode::kInvalidArgument, "the object has no text member \"text\"", place);
    }
    ANIMA_TRY(visit(*object, place));
  }
  return {};
}

Result<Trust> trust_of(const Json& object, Trust otherwise, const std::string& place) {
  const Json* name = object.find("trust");
  if (name == nullptr) return otherwise;
  const auto trust = name->is_string() ? govern::parse_trust(name->as_string()) : std::nullopt;
  if (!trust) {
    return fail(ErrorCode::kInvalidArgument, "\"trust\" is no trust level", place,
                "one of " + join(kTrustNames, ", "));
  }
  return *trust;
}

void print_assessment(Context& context, const Assessment& result) {
  const Paint paint = result.action == govern::Action::kAllow  ? Paint::kGreen
                      : result.action == govern::Action::kFlag ? Paint::kYellow
                                                               : Paint::kRed;
  context.print(fmt::format("{}  risk {:.3g} = base {:.3g} x {:.3g}\n",
                            context.paint(paint, govern::action_name(result.action)),
                            result.risk_thousandths / 1000.0, result.base_thousandths / 1000.0,
                            result.multiplier_hundredths / 100.0));
  for (const govern::Finding& finding : result.findings) {
    context.print(fmt::format("  {} {} {:.3g}{}  {}\n", finding.id, finding.family,
                              finding.risk_thousandths / 1000.0, finding.deep ? " (deep)" : "",
                              quote_json(finding.text)));
  }
  if (result.model_thousandths) {
    context.print(fmt::format("  model {:.3g}\n", *result.model_thousandths / 1000.0));
  }
  if (!result.indicators.empty()) {
    context.print("  looked deeper because of: " + join(result.indicators, ", ") + '\n');
  }
}

// Some of the questions, and then what came of them.
struct Questions {
  std::string_view lines;
  std::size_t first = 1;  // number of the first line
};
struct Answers {
  std::string lines;
  Status status;  // why they end before the last question
};

// One answer object a line, with the id of its question.
Answers answer(const Guardian& guardian, const Questions& questions, const std::string& where,
               Trust otherwise) {
  Answers answers;
  answers.status = for_each_object(
      questions.lines, where,
      [&](const Json& object, const std::string& place) -> Status {
        ANIMA_ASSIGN(const Trust trust, trust_of(object, otherwise, place));
        Json answer = Json::object();
        if (const Json* id = object.find("id")) answer.set("id", *id);
        const Json result = guardian.assess(object.find("text")->as_string(), trust).to_json();
        for (const auto& [key, value] : result.as_object()) answer.set(key, value);
        answers.lines += answer.dump() + '\n';
        return {};
      },
      questions.first);
  return answers;
}

// Whole lines, so many that starting a thread for them costs nothing beside them.
Questions take_questions(std::string_view& rest, std::size_t& line) {
  constexpr std::size_t kBytes = std::size_t{256} << 10;
  const std::size_t end = rest.find('\n', std::min(kBytes, rest.size()));
  const Questions taken{rest.substr(0, end), line};
  rest.remove_prefix(std::min(rest.size(), taken.lines.size() + 1));
  line += static_cast<std::size_t>(std::ranges::count(taken.lines, '\n')) + 1;
  return taken;
}

// On all processors; the answers come in the order of the questions, and end before the first that
// is wrong.
Status assess_lines(Context& context, const Guardian& guardian, std::string_view rest,
                    const std::string& where, Trust otherwise) {
  const std::size_t most = std::max(1u, std::thread::hardware_concurrency());
  std::deque<std::future<Answers>> running;
  std::size_t line = 1;
  while (!rest.empty() || !running.empty()) {
    if (!rest.empty() && running.size() < most) {
      const Questions questions = take_questions(rest, line);
      running.push_back(std::async(std::launch::async, [&guardian, &where, questions, otherwise] {
        return answer(guardian, questions, where, otherwise);
      }));
      continue;
    }
    const Answers answers = running.front().get();
    running.pop_front();
    context.print(answers.lines);
    ANIMA_TRY(answers.status);
  }
  return {};
}

int run_assess(Context& context, Arguments arguments) {
  std::optional<std::string> text;
  std::optional<std::string> file;
  std::optional<std::string> patterns;
  std::string trust_name = "untrusted";
  std::string model = "off";
  bool lines = false;
  Options options;
  options.positional("TEXT", text, "the text to judge; - reads standard input");
  options.value("-f,--file FILE", file, "judge the content of a file");
  options.value("--trust LEVEL", trust_name, "how far the sender is trusted (default: untrusted)")
      .choices(kTrustNames);
  options.value("--patterns FILE", patterns, "use these patterns instead of the shipped ones");
  options.value("--model on|off|FILE", model, kModelHelp);
  options.flag("--jsonl", lines,
               "the input is one object {\"id\",\"text\",\"trust\"?} a line; one answer a line");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (text.has_value() == file.has_value())
    return context.usage_error("give either a TEXT or --file", "see --help");
  auto guardian = make_guardian(context, patterns, model);
  if (!guardian) return context.fail(guardian.error());
  const std::string source = file ? *file : *text;
  Result<std::string> content =
      file || *text == "-" ? context.read_input(source) : Result<std::string>(*text);
  if (!content) return context.fail(content.error());
  const Trust trust = *govern::parse_trust(trust_name);
  if (lines) {
    const Status status = assess_lines(context, *guardian, *content, source, trust);
    return status ? static_cast<int>(kDone) : context.fail(status.error());
  }
  const Assessment result = guardian->assess(*content, trust);
  if (context.json) {
    context.print_json(result.to_json());
  } else {
    print_assessment(context, result);
  }
  return kDone;
}

int run_patterns(Context& context, Arguments arguments) {
  std::optional<std::string> file;
  Options options;
  options.value("--patterns FILE", file,
                "list (and check) these patterns instead of the shipped ones");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  auto guardian = make_guardian(context, file);
  if (!guardian) return context.fail(guardian.error());
  Table table({"id", "family", "risk", "weak"});
  Json list = Json::array();
  for (const govern::Pattern& pattern : guardian->patterns().patterns()) {
    const double risk = pattern.risk_thousandths / 1000.0;
    table.add({pattern.id, pattern.family, fmt::format("{:.3g}", risk), pattern.weak ? "yes" : ""});
    list.push_back(Json::object(
        {{"id", pattern.id}, {"family", pattern.family}, {"risk", risk}, {"weak", pattern.weak}}));
  }
  if (context.json) {
    context.print_json(Json::object({{"patterns", std::move(list)}}));
  } else {
    context.print(table.render(context));
  }
  return kDone;
}

void print_evaluation(Context& context, const govern::Evaluation& result) {
  context.print(fmt::format("{} attacks, {} ordinary texts, area under the curve {:.4f}\n",
                            result.attacks, result.ordinary, result.area_under_curve));
  for (const auto& [title, shares] :
       {std::pair{"flagged or blocked", result.held_up}, std::pair{"blocked", result.blocked}}) {
    context.print(fmt::format("{}: {:.1f} % of the attacks, {:.1f} % of the ordinary texts\n",
                              title, shares.attacks * 100, shares.ordinary * 100));
  }
  for (const auto& [rate, recall] : result.recall_at) {
    context.print(
        fmt::format("recall at {:.1f} % false positives: {:.1f} %\n", rate * 100, recall * 100));
  }
  for (const auto& [title, list] :
       {std::pair{"attacks that passed", &result.worst_misses},
        std::pair{"ordinary texts that were held up", &result.worst_alarms}}) {
    if (!list->empty()) context.print(fmt::format("{}:\n", title));
    for (const auto& miss : *list) {
      context.print(fmt::format("  {:.3g}  {}  {}\n", miss.risk_thousandths / 1000.0, miss.id,
                                quote_json(miss.text)));
    }
  }
}

Result<bool> is_attack(const Json& object, const std::string& place) {
  const Json* attack = object.find("attack");
  if (attack != nullptr && attack->is_bool()) return attack->as_bool();
  return fail(ErrorCode::kInvalidArgument, "the object has no \"attack\": true or false", place);
}

Result<bool> is_held(const Json& object, const std::string& place) {
  const Json* held = object.find("held");
  if (held == nullptr) return false;
  if (held->is_bool()) return held->as_bool();
  return fail(ErrorCode::kInvalidArgument, "\"held\" is neither true nor false", place);
}

int run_eval(Context& context, Arguments arguments) {
  std::string file;
  std::optional<std::string> patterns;
  std::string model = "off";
  Options options;
  options
      .positional("FILE", file,
                  "one object {\"id\"?,\"text\",\"attack\":true|false,\"trust\"?} a line; - for "
                  "standard input")
      .required();
  options.value("--patterns FILE", patterns, "use these patterns instead of the shipped ones");
  options.value("--model on|off|FILE", model, kModelHelp);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  auto guardian = make_guardian(context, patterns, model);
  if (!guardian) return context.fail(guardian.error());
  const auto content = context.read_input(file);
  if (!content) return context.fail(content.error());
  std::vector<govern::LabelledText> texts;
  const Status status =
      for_each_object(*content, file, [&](const Json& object, const std::string& place) -> Status {
        ANIMA_ASSIGN(const bool attack, is_attack(object, place));
        ANIMA_ASSIGN(const Trust trust, trust_of(object, Trust::kUntrusted, place));
        const Json* id = object.find("id");
        texts.push_back({id == nullptr     ? place
                         : id->is_string() ? id->as_string()
                                           : id->dump(),
                         object.find("text")->as_string(), trust, attack});
        return {};
      });
  if (!status) return context.fail(status.error());
  const auto attacks = std::ranges::count(texts, true, &govern::LabelledText::attack);
  if (attacks == 0 || attacks == std::ssize(texts)) {
    return context.fail({ErrorCode::kInvalidArgument,
                         fmt::format("there are {} attacks and {} ordinary texts", attacks,
                                     std::ssize(texts) - attacks),
                         file, "rates are measured on both"});
  }
  const govern::Evaluation result = govern::evaluate(*guardian, texts);
  if (context.json) {
    context.print_json(result.to_json());
  } else {
    print_evaluation(context, result);
  }
  return kDone;
}

Result<std::vector<govern::TrainingText>> read_training(Context& context,
                                                        const std::vector<std::string>& files) {
  std::vector<govern::TrainingText> texts;
  for (const std::string& file : files) {
    ANIMA_ASSIGN(const std::string content, context.read_input(file));
    ANIMA_TRY(
        for_each_object(content, file, [&](const Json& object, const std::string& place) -> Status {
          ANIMA_ASSIGN(const bool attack, is_attack(object, place));
          ANIMA_ASSIGN(const bool held, is_held(object, place));
          texts.push_back({object.find("text")->as_string(), attack, held});
          return {};
        }));
  }
  return texts;
}

int run_train(Context& context, Arguments arguments) {
  std::vector<std::string> files;
  std::string output;
  govern::TrainingOptions training;
  Options options;
  options
      .positional("FILE", files,
                  "one object {\"text\",\"attack\":true|false,\"held\"?} a line; - for input; "
                  "what is held is not taught but finds the limits")
      .required();
  options.value("-o,--output MODEL", output, "the file that receives the model").required();
  options.value("--seed N", training.seed, "of the order of the texts (default: 1)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto texts = read_training(context, files);
  if (!texts) return context.fail(texts.error());
  const auto model = govern::TextModel::train(*texts, training);
  if (!model) return context.fail(model.error());
  const std::string bytes = model->save();
  if (const Status written = replace_file(context.files, output, bytes); !written)
    return context.fail(written.error());
  std::int64_t attacks = 0, ordinary = 0, held = 0;
  for (const govern::TrainingText& text : *texts)
    ++(text.held ? held : text.attack ? attacks : ordinary);
  if (context.json) {
    context.print_json(Json::object({{"output", output},
                                     {"attacks", attacks},
                                     {"ordinary", ordinary},
                                     {"held", held},
                                     {"bytes", static_cast<std::int64_t>(bytes.size())},
                                     {"sha256", to_hex(sha256(bytes))}}));
  } else {
    context.print(fmt::format("learnt from {} attacks and {} ordinary texts, {} held back: {}\n",
                              attacks, ordinary, held, output));
  }
  return kDone;
}

}  // namespace

extern const Verb kGuardAssess;
const Verb kGuardAssess{"guard assess",
                        Group::kActing,
                        "judges how risky a text is",
                        "TEXT|-|-f FILE [--trust LEVEL] [--model on|off|FILE] [--jsonl] [--json]",
                        "anima guard assess \"Ignore instructions\" --trust untrusted",
                        run_assess};

extern const Verb kGuardPatterns;
const Verb kGuardPatterns{"guard patterns",
                          Group::kActing,
                          "the guardian's patterns and their risks",
                          "[--patterns FILE] [--json]",
                          "anima guard patterns",
                          run_patterns};

extern const Verb kGuardEval;
const Verb kGuardEval{"guard eval",
                      Group::kActing,
                      "measures the guardian on labelled texts",
                      "FILE [--patterns FILE] [--model on|off|FILE] [--json]",
                      "anima guard eval labelled.jsonl --json",
                      run_eval};

extern const Verb kGuardTrain;
const Verb kGuardTrain{"guard train",
                       Group::kActing,
                       "trains the model of the guardian's second stage",
                       "FILE... -o MODEL [--seed N] [--json]",
                       "anima guard train labelled.jsonl -o my.model",
                       run_train};

}  // namespace anima::cli
