// anima guard: judge texts with the guardian, list its patterns.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <future>
#include <optional>
#include <thread>

#include "base/text/byte_order_mark.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "cli/render/text_lines.h"
#include "govern/detect/guardian.h"

namespace anima::cli {
namespace {

using govern::Assessment;
using govern::Guardian;
using govern::Trust;

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

// A text is judged as a whole, in memory that grows with it: patterns of all its parts count
// together.
constexpr std::uint64_t kMostTextBytes = std::uint64_t{16} << 20;

Result<std::string> read_text(Context& context, const std::string& source) {
  Result<std::string> text = context.read_input(source, kMostTextBytes);
  if (text || text.error().code != ErrorCode::kLimitExceeded) return text;
  return anima::fail(ErrorCode::kLimitExceeded,
                     fmt::format("a text that is judged has at most {} MiB", kMostTextBytes >> 20),
                     source, "judge its parts one by one, or as lines with --jsonl");
}

// Some of the questions, and then what came of them.
struct Questions {
  std::string lines;
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
  answers.status = for_each_text(
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

// Questions as they are needed, so that a large file takes no memory of its own: whole lines, so
// many that starting a thread for them costs nothing beside them.
class QuestionReader {
 public:
  // A regular file is read as it goes; what a pipe brings, and `given`, lie in memory.
  static Result<QuestionReader> open(Context& context, const std::string& source,
                                     std::optional<std::string> given) {
    QuestionReader reader;
    reader.where_ = source;
    const auto info = context.files.info(source);
    if (!given && source != "-" && info && info->kind == FileInfo::Kind::kFile) {
      ANIMA_ASSIGN(reader.file_, context.files.open(source, OpenMode::kRead));
      return reader;
    }
    if (given) {
      reader.text_ = std::move(*given);
    } else {
      ANIMA_ASSIGN(reader.text_, context.read_input(source));
    }
    return reader;
  }

  // Nothing: there are no more.
  Result<std::optional<Questions>> next() {
    while (file_ != nullptr && text_.find('\n', std::min(kBytes, text_.size())) == text_.npos) {
      if (text_.size() > kMostTextBytes) {
        return anima::fail(ErrorCode::kLimitExceeded,
                           fmt::format("a line has at most {} MiB", kMostTextBytes >> 20),
                           fmt::format("{}:{}", where_, line_));
      }
      ANIMA_ASSIGN(const bool more, read_more());
      if (!more) file_.reset();
    }
    if (text_.empty()) return std::optional<Questions>();
    const std::size_t end = text_.find('\n', std::min(kBytes, text_.size()));
    Questions taken{text_.substr(0, end), line_};
    text_.erase(0, std::min(text_.size(), taken.lines.size() + 1));
    line_ += static_cast<std::size_t>(std::ranges::count(taken.lines, '\n')) + 1;
    return std::optional<Questions>(std::move(taken));
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{256} << 10;

  Result<bool> read_more() {
    const std::size_t before = text_.size();
    text_.resize(before + kBytes);
    ANIMA_ASSIGN(const std::size_t got, file_->read_at(at_, text_.data() + before, kBytes));
    text_.resize(before + got);
    if (at_ == 0) text_.erase(0, text_.size() - without_byte_order_mark(text_).size());
    at_ += got;
    return got != 0;
  }

  std::unique_ptr<File> file_;  // null: all is in text_
  std::string where_, text_;
  std::uint64_t at_ = 0;
  std::size_t line_ = 1;
};

// On all processors; the answers come in the order of the questions, and end before the first that
// is wrong.
Status assess_lines(Context& context, const Guardian& guardian, QuestionReader reader,
                    const std::string& where, Trust otherwise) {
  const std::size_t most = std::max(1u, std::thread::hardware_concurrency());
  std::deque<std::future<Answers>> running;
  bool more = true;
  while (more || !running.empty()) {
    if (more && running.size() < most) {
      ANIMA_ASSIGN(std::optional<Questions> questions, reader.next());
      more = questions.has_value();
      if (!more) continue;
      running.push_back(std::async(std::launch::async,
                                   [&guardian, &where, asked = std::move(*questions), otherwise] {
                                     return answer(guardian, asked, where, otherwise);
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
      .choices(trust_names());
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
  const bool given = !file && *text != "-";
  const Trust trust = *govern::parse_trust(trust_name);
  if (lines) {
    auto questions =
        QuestionReader::open(context, source, given ? text : std::optional<std::string>());
    if (!questions) return context.fail(questions.error());
    const Status status = assess_lines(context, *guardian, std::move(*questions), source, trust);
    return status ? static_cast<int>(kDone) : context.fail(status.error());
  }
  const Result<std::string> content =
      given ? Result<std::string>(*text) : read_text(context, source);
  if (!content) return context.fail(content.error());
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

}  // namespace anima::cli
