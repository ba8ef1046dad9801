// csv_ingest, text_ingest and code_ingest: files read through the executor, proposed as statements
// that are trusted no further than the file.

#include "base/json/json_member.h"
#include "tools/detail/acting_tool.h"
#include "tools/detail/extract.h"

namespace anima::tools::detail {
namespace {

using govern::Outcome;

constexpr std::int64_t kMaxFileBytes = 1 << 20;
constexpr std::size_t kMaxFolderDepth = 16;

class IngestTool : public ActingTool {
 public:
  using ActingTool::ActingTool;

 protected:
  // The whole file, or why not in `problem`.
  bool read(const std::string& path, std::string& text, govern::Trust& trust,
            ToolOutput& problem) const {
    const Outcome outcome =
        call("file:read", Json::object({{"path", path}, {"max_bytes", kMaxFileBytes}}));
    if (outcome.kind != Outcome::Kind::kDone) {
      problem = refused(outcome);
      return false;
    }
    const Json* cut = outcome.result.find("truncated");
    if (cut != nullptr && cut->is_bool() && cut->as_bool()) {
      problem = failed(path + " is longer than 1 MiB: use `anima import`");
      return false;
    }
    text = text_member(outcome.result, "content");
    trust = outcome.output_trust;
    return true;
  }

  static Status propose(Workbench& bench, const std::vector<Statement>& found,
                        govern::Trust trust) {
    for (const Statement& each : found) {
      Proposal proposal(trust);
      proposal.subject = each.subject;
      proposal.predicate = each.predicate;
      proposal.object = each.object;
      proposal.confidence = each.confidence;
      ANIMA_TRY(bench.propose(std::move(proposal)));
    }
    return {};
  }

  static ToolOutput report(std::size_t count, const std::string& from) {
    ToolOutput output;
    output.result = std::to_string(count) + " statements from " + from;
    Finding finding;
    finding.text = output.result;
    finding.count = count;
    output.findings.push_back(std::move(finding));
    return output;
  }
};

class CsvIngest final : public IngestTool {
 public:
  using IngestTool::IngestTool;
  Result<ToolOutput> run(const ToolInput& input, Workbench& bench) const override {
    const std::string path = parameter(input, "path");
    std::string delimiter = parameter(input, "delimiter", ",");
    if (delimiter == "\\t" || delimiter == "tab") delimiter = "\t";
    if (delimiter.size() != 1) return failed("csv_ingest: the delimiter is one character or tab");
    std::string text;
    govern::Trust trust = govern::Trust::kUntrusted;
    ToolOutput problem;
    if (!read(path, text, trust, problem)) return problem;
    const auto found = statements_of_csv(text, parameter(input, "format", "spo"), delimiter[0]);
    if (!found) return failed(path + ": " + found.error().describe());
    ANIMA_TRY(propose(bench, *found, trust));
    return report(found->size(), path);
  }
};

class TextIngest final : public IngestTool {
 public:
  using IngestTool::IngestTool;
  Result<ToolOutput> run(const ToolInput& input, Workbench& bench) const override {
    std::size_t sentences = 100;
    if (!number_parameter<std::size_t>(input, "max_sentences", 1, 10'000, sentences)) {
      return failed("text_ingest: max_sentences is a number from 1 to 10000");
    }
    std::string text = parameter(input, "text");
    std::string from = "the text";
    govern::Trust trust = actor().trust;
    if (text.starts_with("file:")) {
      from = text.substr(5);
      ToolOutput problem;
      if (!read(from, text, trust, problem)) return problem;
    }
    const std::vector<Statement> found = statements_of_text(text, sentences);
    ANIMA_TRY(propose(bench, found, trust));
    return report(found.size(), from);
  }
};

class CodeIngest final : public IngestTool {
 public:
  using IngestTool::IngestTool;
  Result<ToolOutput> run(const ToolInput& input, Workbench& bench) const override {
    std::size_t most = 200;
    if (!number_parameter<std::size_t>(input, "max_files", 1, 10'000, most)) {
      return failed("code_ingest: max_files is a number from 1 to 10000");
    }
    const std::string path = parameter(input, "path");
    const bool recursive = parameter(input, "recursive", "true") != "false";
    std::vector<std::string> files;
    if (is_source_file(path)) {
      files.push_back(path);
    } else {
      ToolOutput problem;
      if (!gather(path, recursive ? kMaxFolderDepth : 1, most, files, problem)) return problem;
    }
    std::size_t count = 0;
    for (const std::string& file : files) {
      std::string text;
      govern::Trust trust = govern::Trust::kUntrusted;
      ToolOutput problem;
      if (!read(file, text, trust, problem)) return problem;
      const std::vector<Statement> found = statements_of_code(file, text);
      ANIMA_TRY(propose(bench, found, trust));
      count += found.size();
    }
    return report(count, std::to_string(files.size()) + " files");
  }

 private:
  // Source files below the folder, by name.
  bool gather(const std::string& folder, std::size_t depth, std::size_t most,
              std::vector<std::string>& files, ToolOutput& problem) const {
    const Outcome outcome = call("file:list", Json::object({{"path", folder}}));
    if (outcome.kind != Outcome::Kind::kDone) {
      problem = refused(outcome);
      return false;
    }
    const Json* entries = outcome.result.find("entries");
    for (const Json& each : entries == nullptr ? JsonArray() : entries->as_array()) {
      if (files.size() >= most) return true;
      const std::string name = text_member(each, "name");
      if (name.starts_with('.')) continue;
      const std::string path = folder + "/" + name;
      const std::string kind = text_member(each, "kind");
      if (kind == "file" && is_source_file(name)) files.push_back(path);
      if (kind == "folder" && depth > 1 && !gather(path, depth - 1, most, files, problem)) {
        return false;
      }
    }
    return true;
  }
};

ToolInfo info(std::string name, std::string description, std::vector<ToolParameter> parameters,
              std::vector<std::string> concepts) {
  ToolInfo made;
  made.name = std::move(name);
  made.description = std::move(description);
  made.parameters = std::move(parameters);
  made.danger = Danger::kCautious;
  made.capabilities = {"file:read", "WriteGraph"};
  made.concepts = std::move(concepts);
  return made;
}

}  // namespace

void add_ingest_tools(ToolTable& table, const Act& act, const Actor& actor) {
  table.add(std::make_unique<CsvIngest>(
      info("csv_ingest", "Learns the statements of a table.",
           {{"path", true, "a file of the work folder or a readable folder"},
            {"format", false, "spo or entity (spo)"},
            {"delimiter", false, "one character or tab (,)"}},
           {"csv", "table", "ingest"}),
      act, actor));
  table.add(std::make_unique<TextIngest>(info("text_ingest", "Learns what plain sentences say.",
                                              {{"text", true, "sentences, or file: and a path"},
                                               {"max_sentences", false, "how many are read (100)"}},
                                              {"text", "document", "ingest"}),
                                         act, actor));
  table.add(std::make_unique<CodeIngest>(
      info("code_ingest", "Learns what source files import and define.",
           {{"path", true, "a source file or a folder"},
            {"recursive", false, "also the folders below (true)"},
            {"max_files", false, "how many are read (200)"}},
           {"code", "source", "ingest"}),
      act, actor));
}

}  // namespace anima::tools::detail
