// anima memory ingest: conversations, mail and texts as events that recall finds, without a model.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "agent/telling/learnt_facts.h"
#include "base/files/file.h"
#include "base/json/text_array.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "cli/terminal/progress.h"
#include "load/folder.h"
#include "load/talk.h"
#include "memory/ingest.h"

namespace anima::cli {
namespace {

constexpr std::size_t kTurnsWorthABase = 5'000;
constexpr std::string_view kUser = "user";
constexpr std::uint64_t kLongestFile = std::uint64_t{1} << 30;

struct IngestRequest {
  std::vector<std::string> files;
  std::optional<std::string> format, source, me;
  std::string trust = "untrusted";
  bool dry_run = false;
};

void declare_ingest(Options& options, IngestRequest& request) {
  options.positional("FILE", request.files, "files, or folders of them; - is standard input")
      .required();
  options.value("--format F", request.format, "what they are (default: by what is in them)")
      .choices(load::talk_format_names());
  options.value("--me NAME", request.me,
                "your name in them: it becomes \"user\", so that \"I\" in a question is you");
  options.value("--source TEXT", request.source, "where this comes from (default: the file)");
  options
      .value("--trust LEVEL", request.trust, "how far what is said is trusted (default: untrusted)")
      .choices({"operator", "verified", "standard", "untrusted", "hostile"});
  options.flag("--dry-run", request.dry_run, "reads everything, writes nothing");
}

struct TalkInput {
  std::string file, bytes;
};

// What the command line names, in order; of a folder the files below it.
Result<std::vector<TalkInput>> talk_inputs(Context& context, const IngestRequest& request) {
  std::vector<TalkInput> inputs;
  for (const std::string& file : request.files) {
    std::vector<std::string> paths = {file};
    if (file != "-") {
      ANIMA_ASSIGN(const FileInfo info, context.files.info(file));
      if (info.kind == FileInfo::Kind::kDirectory) {
        ANIMA_ASSIGN(paths, load::talk_files_of_folder(context.files, file));
      }
    }
    for (const std::string& path : paths) {
      TalkInput input{path, {}};
      if (path == "-") {
        ANIMA_ASSIGN(input.bytes, context.read_input(path));
      } else {
        ANIMA_ASSIGN(input.bytes, read_file(context.files, path, kLongestFile));
      }
      inputs.push_back(std::move(input));
    }
  }
  return inputs;
}

bool names_people(const std::string& file) {
  return file == "users.json" || file.ends_with("/users.json");
}

// Files that are no conversation of a folder are passed over with a note; one that was named has to
// be one.
Result<std::vector<std::pair<std::string, load::Talk>>> read_talks(Context& context,
                                                                   const IngestRequest& request) {
  ANIMA_ASSIGN(const std::vector<TalkInput> inputs, talk_inputs(context, request));
  load::TalkOptions options;
  if (request.format) options.format = load::parse_talk_format(*request.format);
  for (const TalkInput& input : inputs) {
    if (names_people(input.file)) options.people.merge(load::slack_people(input.bytes));
  }
  std::vector<std::pair<std::string, load::Talk>> talks;
  for (const TalkInput& input : inputs) {
    if (names_people(input.file) && !options.people.empty()) continue;
    auto talk = load::read_talk(input.bytes, input.file, options);
    if (!talk && inputs.size() == 1) return fail(talk.error());
    if (!talk) {
      context.note(input.file + " is left out: " + talk.error().message);
      continue;
    }
    for (const std::string& note : talk->notes) context.note(note);
    // A thread of mail has pauses, and a message may come late: it is one session.
    const bool mail =
        talk->format == load::TalkFormat::kMail || talk->format == load::TalkFormat::kMbox;
    if (!mail) memory::cut_sittings(talk->turns);
    for (memory::Turn& turn : talk->turns) {
      if (request.me && equals_ignoring_ascii_case(turn.speaker, *request.me)) turn.speaker = kUser;
    }
    talks.emplace_back(input.file, *std::move(talk));
  }
  return talks;
}

Json file_json(const std::string& file, const load::Talk& talk, const memory::IngestReport& report,
               const agent::LearntBefore& learnt) {
  Json json = report.to_json();
  json.set("learnt", text_array(learnt.facts));
  json.set("asked", static_cast<std::uint64_t>(learnt.asked));
  json.set("file", file);
  json.set("format", std::string(to_string(talk.format)));
  json.set("read", static_cast<std::uint64_t>(talk.turns.size()));
  return json;
}

std::string counted(std::size_t count, std::string_view what) {
  return count == 0 ? std::string() : fmt::format(", {} {}", count, what);
}

void print_ingested(Context& context, const std::string& file, const load::Talk& talk,
                    const memory::IngestReport& report, const agent::LearntBefore& learnt,
                    bool dry_run) {
  context.print(fmt::format(
      "{}: {} turns ({}): {} new{}{}{}{}{}{}{}\n", file, talk.turns.size(), to_string(talk.format),
      report.turns, counted(report.known, "known"), counted(report.repeated, "said again"),
      counted(report.empty, "without a word that means something"),
      counted(report.quarantined, "quarantined"),
      counted(report.recalled, "with recalled text taken out"),
      counted(report.refused.size(), "refused"), dry_run ? "; nothing was written" : ""));
  for (const std::string& one : report.refused) context.print("  refused: " + one + "\n");
  for (const std::string& one : learnt.facts) context.print("  learnt: " + one + "\n");
  if (learnt.asked > 0)
    context.print(fmt::format("  asked: {}; anima memory review lists them\n", learnt.asked));
}

int run_memory_ingest(Context& context, Arguments arguments) {
  IngestRequest request;
  Options options;
  declare_ingest(options, request);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto remembering =
      open_memory(context, request.dry_run ? Access::kRead : Access::kCheckpoint);
  if (!remembering) return context.fail(remembering.error());
  const auto talks = read_talks(context, request);
  if (!talks) return context.fail(talks.error());
  store::Space& space = *(*remembering)->governance->space;
  Json list = Json::array();
  std::size_t written = 0;
  for (const auto& [file, talk] : *talks) {
    memory::IngestOptions ingest;
    ingest.origin = local_origin(context, request.source.value_or(file));
    ingest.origin.trust = govern::lowest(ingest.origin.trust, *govern::parse_trust(request.trust));
    std::optional<Progress> progress;
    ingest.progress = [&](std::size_t done, std::size_t all) {
      if (!progress) progress.emplace(context, "ingest", "turns", all);
      progress->update(done);
      return !interrupted();
    };
    memory::IngestReport report;
    agent::LearntBefore learnt;
    std::vector<agent::SaidBefore> said;
    ingest.kept = [&](const memory::Turn& turn, const std::string& text) {
      if (turn.speaker == kUser && turn.time) said.push_back({text, *turn.time});
    };
    ingest.dry_run = request.dry_run;
    const auto done = memory::ingest_turns((*remembering)->manager, space,
                                           (*remembering)->kept->guardian, talk.turns, ingest);
    progress.reset();
    if (!done) return context.fail(done.error());
    report = *done;
    if (!request.dry_run) {
      written += report.turns;
      auto facts = agent::learn_said_before(space, std::move(said), ingest.origin);
      if (!facts) return context.fail(facts.error());
      learnt = std::move(*facts);
    }
    list.push_back(file_json(file, talk, report, learnt));
    if (!context.json) print_ingested(context, file, talk, report, learnt, request.dry_run);
  }
  if (context.json)
    context.print_json(Json::object({{"files", std::move(list)}, {"dry_run", request.dry_run}}));
  if (written >= kTurnsWorthABase) {
    context.out.flush();
    if (const Status made = space.checkpoint(); !made) context.warn(made.error().describe());
  }
  return kDone;
}

}  // namespace

extern const Verb kMemoryIngest;
const Verb kMemoryIngest{
    "memory ingest",
    Group::kKnowledge,
    "keeps conversations, mail and texts as events that recall finds",
    "FILE... [--format F] [--me NAME] [--source TEXT] [--trust LEVEL] [--dry-run] [--json]",
    "anima memory ingest conversations.json\n"
    "anima memory ingest \"WhatsApp Chat with Ada.txt\" --me Ben",
    run_memory_ingest};

}  // namespace anima::cli
