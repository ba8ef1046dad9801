// anima load: files that nobody prepared. Shows what they would mean, asks, writes all or nothing.
#include "load/load.h"

#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <optional>

#include "base/files/output_file.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "cli/terminal/line_reader.h"
#include "cli/terminal/progress.h"
#include "govern/trust.h"
#include "load/folder.h"
#include "store/act.h"

namespace anima::cli {
namespace {

const std::vector<std::string> kLoadTrust = {"operator", "verified", "standard", "untrusted",
                                             "hostile"};
constexpr std::uint64_t kRowsWorthABase = 5'000;

struct LoadRequest {
  std::vector<std::string> files;
  std::optional<std::string> type, key, delimiter, mapping, export_mapping, source;
  std::vector<std::string> links, forms;
  bool header = false, no_header = false, yes = false, dry_run = false;
  std::string trust = "untrusted";
};

void declare_load(Options& options, LoadRequest& request) {
  options
      .positional("FILE", request.files, "files to load, or folders of them; - is standard input")
      .input()
      .required();
  options.value("--type T", request.type, "the type of what the rows are (default: by the file)");
  options.value("--key COLUMN[,COLUMN]", request.key, "the columns that tell the rows apart");
  options.values("--link COLUMN=TYPE.PREDICATE", request.links,
                 "a column that names things of another type");
  options.values("--as COLUMN=FORM", request.forms,
                 "text, integer, decimal, boolean, date, \"date 31.12.2026\", .. or skip");
  options.value("--delimiter C", request.delimiter, "between cells: , ; | or tab");
  options.flag("--header", request.header, "the first row names the columns");
  options.flag("--no-header", request.no_header, "the first row is data").excludes("--header");
  options.value("--mapping FILE", request.mapping, "what the columns become, from this file")
      .input();
  options
      .value("--export-mapping FILE", request.export_mapping,
             "writes the mapping there and loads nothing; - is standard output")
      .output();
  options.flag("-y,--yes", request.yes, "takes the mapping without asking");
  options.flag("--dry-run", request.dry_run, "reads and checks everything, writes nothing");
  options
      .value("--trust LEVEL", request.trust, "how far the files are trusted (default: untrusted)")
      .choices(kLoadTrust);
  options.value("--source TEXT", request.source,
                "where this comes from (default: the files' names)");
}

// What the command line names: files, folders for the files in them, standard input.
Result<std::vector<load::LoadInput>> inputs_of(Context& context, const LoadRequest& request) {
  std::vector<load::LoadInput> inputs;
  for (const std::string& file : request.files) {
    FileInfo info;
    if (file != "-") {
      ANIMA_ASSIGN(info, context.files.info(file));
    }
    if (info.kind == FileInfo::Kind::kDirectory) {
      ANIMA_ASSIGN(const auto below, load::files_of_folder(context.files, file));
      for (const std::string& one : below) inputs.push_back({one});
      continue;
    }
    load::LoadInput& input = inputs.emplace_back(load::LoadInput{file});
    if (info.kind != FileInfo::Kind::kOther) continue;
    ANIMA_ASSIGN(input.bytes, context.read_input(file));
  }
  return inputs;
}

std::optional<char> delimiter_of(const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() != 1 || text[0] == '"' || text[0] == '\n' || text[0] == '\r') return std::nullopt;
  return text[0];
}

Result<load::LoadSettings> settings_of(Context& context, const LoadRequest& request) {
  load::LoadSettings settings;
  settings.wishes.type = request.type;
  if (request.key) {
    for (const std::string_view column : split(*request.key, ','))
      settings.wishes.key.emplace_back(trim(column));
  }
  for (const std::string& link : request.links) {
    ANIMA_ASSIGN(load::LinkWish wish, load::parse_link_wish(link));
    settings.wishes.links.push_back(std::move(wish));
  }
  for (const std::string& form : request.forms) {
    const std::size_t equals = form.rfind('=');
    if (equals == std::string::npos || equals == 0)
      return fail(ErrorCode::kInvalidArgument, "--as is COLUMN=FORM, not " + form, {},
                  "for example --as zip=text");
    settings.wishes.forms.emplace_back(form.substr(0, equals), form.substr(equals + 1));
  }
  if (request.delimiter) {
    settings.delimiter = delimiter_of(*request.delimiter);
    if (!settings.delimiter)
      return fail(ErrorCode::kInvalidArgument, "--delimiter is one character, or tab");
  }
  if (request.header || request.no_header) settings.header = request.header;
  if (request.mapping) {
    ANIMA_ASSIGN(const std::string text, context.read_input(*request.mapping));
    ANIMA_ASSIGN(const Json json, parse_json(text));
    ANIMA_ASSIGN(settings.mapping, load::mapping_from_json(json));
  }
  return settings;
}

// --- what is shown

std::string column_words(const load::ColumnMapping& column, const load::TableMapping& mapping) {
  const bool named = mapping.name.find("{" + column.column + "}") != std::string::npos;
  switch (column.role) {
    case load::ColumnRole::kSkip:
      return named ? "the name" : "left out";
    case load::ColumnRole::kLink:
      return fmt::format("link {} to {}{}", column.predicate, column.target,
                         column.separator.empty()
                             ? ""
                             : fmt::format(", several between \"{}\"", column.separator));
    case load::ColumnRole::kAttribute:
      break;
  }
  return fmt::format("{}, {}{}", column.attribute, load::form_name(column.form),
                     named ? ", in the name" : "");
}

std::string planned_table_text(const Context& context, const load::PlannedTable& table) {
  const load::TableMapping& mapping = table.mapping;
  const std::string key = mapping.key.empty() ? "their place" : join(mapping.key, " and ");
  std::string text =
      fmt::format("{}{}: {} rows ({}), each {} by {}, called {}{}\n", table.file,
                  table.mapping.table == table.table ? "" : " " + table.table, table.rows,
                  table.format, context.paint(Paint::kBold, mapping.type), key, mapping.name,
                  table.kept ? " (as it was loaded before)" : "");
  Table columns({"column", "becomes"});
  for (const load::ColumnMapping& column : mapping.columns)
    columns.add({column.column, column_words(column, mapping)});
  text += columns.render(context);
  for (const load::RowPreview& row : table.preview) {
    text += fmt::format("  row {}: {} {}{}{}\n", row.row, mapping.type, quote_json(row.name),
                        row.facts.empty() ? "" : ": ", join(row.facts, ", "));
  }
  return text;
}

std::string counted_load(std::uint64_t count, std::string_view word) {
  return count == 0 ? std::string() : fmt::format(", {} {}", count, word);
}

void print_report(Context& context, const load::LoadReport& report, bool dry_run) {
  for (const load::TableReport& table : report.tables) {
    context.print(fmt::format("{}: {} rows: {} {} new{}{}{}{}{}{}\n", table.file, table.rows,
                              table.created, table.type, counted_load(table.changed, "changed"),
                              counted_load(table.unchanged, "as before"),
                              counted_load(table.mentioned, "named by a link alone"),
                              counted_load(table.withdrawn, "values replaced"),
                              counted_load(table.overruled, "of these stated by somebody else"),
                              counted_load(table.outranked, "contradict what is trusted more")));
  }
  for (const load::FactsReport& file : report.facts)
    context.print(fmt::format("{}: {} statements ({})\n", file.file, file.statements, file.format));
  if (report.tables.empty() && report.facts.empty()) return;
  if (dry_run) {
    context.print("all of it can be loaded; nothing was written\n");
  } else if (report.receipt.changed) {
    const auto sequence = static_cast<std::uint64_t>(report.receipt.sequence);
    context.print(
        fmt::format("written as log entry {0}; anima undo {0} takes it back\n", sequence));
  } else {
    context.print("the space knew all of this already\n");
  }
}

std::string words_for_shell(const std::vector<std::string>& files) {
  std::string words;
  for (const std::string& file : files) {
    const bool plain = file.find_first_of(" '\"\\$&|;()<>*?`!#~\n\t") == std::string::npos;
    words += " " + (plain ? file : "'" + replace_all(file, "'", "'\\''") + "'");
  }
  return words;
}

// Nothing when the person agrees, else the exit code.
std::optional<int> ask_person(Context& context, const LoadRequest& request) {
  LineReader lines;
  if (!lines.interactive()) {
    return context.usage_error(
        "nobody is at the terminal to agree to this mapping; nothing was loaded",
        "anima load" + words_for_shell(request.files) +
            " --yes takes it; --export-mapping FILE writes it down to be changed");
  }
  context.out.flush();
  const auto answer = lines.next("load this? [y/N] ");
  const std::string word = answer ? to_lower(trim(*answer)) : std::string();
  if (word == "y" || word == "yes") return std::nullopt;
  context.print("nothing was loaded; --type, --key, --link and --as change the mapping\n");
  return kRefused;
}

// --- texts, which become memories

struct Remembered {
  std::string file;
  std::uint64_t sections = 0, fresh = 0, replaced = 0, quarantined = 0;
};

std::string memory_text(const load::TextPart& part) {
  return part.title.empty() ? part.text : part.title + "\n\n" + part.text;
}

// What an earlier load of the file remembered, by content.
Result<std::map<std::string, memory::MemoryItem>> remembered_of(memory::MemoryManager& manager,
                                                                const std::string& file) {
  std::map<std::string, memory::MemoryItem> known;
  for (const char* reader : {"arbiter", "operator"}) {
    ANIMA_ASSIGN(const auto items, manager.list(reader, memory::ItemKind::kKnowledge));
    for (const memory::MemoryItem& item : items) {
      if (item.source == file || item.source.starts_with(file + ", "))
        known.insert_or_assign(item.content, item);
    }
  }
  return known;
}

Result<Remembered> remember_file(Remembering& remembering, const load::TextFile& file,
                                 const LoadRequest& request) {
  Remembered done{file.file};
  ANIMA_ASSIGN(auto known, remembered_of(remembering.manager, file.file));
  for (const load::TextPart& part : file.parts) {
    if (interrupted())
      return fail(ErrorCode::kCancelled, "interrupted; nothing of it is loaded", file.file);
    ++done.sections;
    memory::NewMemory item;
    item.content = memory_text(part);
    if (known.erase(item.content) > 0) continue;
    item.created_by = remembering.governance->person.name;
    item.source = request.source       ? *request.source
                  : part.title.empty() ? file.file
                                       : file.file + ", " + part.title;
    item.trust = govern::lowest(*govern::parse_trust(request.trust), govern::Trust::kOperator);
    ANIMA_ASSIGN(const memory::StoredMemory stored, remembering.manager.store(item));
    done.fresh += stored.known_before ? 0 : 1;
    done.quarantined += stored.quarantined ? 1 : 0;
  }
  // Sections that the file no longer has, or has otherwise.
  for (const auto& [content, item] : known) {
    ANIMA_TRY(remembering.manager.forget(item.id, "operator"));
    ++done.replaced;
  }
  return done;
}

Result<std::vector<Remembered>> remember_texts(Context& context, const LoadRequest& request,
                                               const std::vector<load::TextFile>& texts) {
  std::vector<Remembered> done;
  if (texts.empty() || request.dry_run) {
    for (const load::TextFile& file : texts)
      done.push_back({file.file, static_cast<std::uint64_t>(file.parts.size())});
    return done;
  }
  ANIMA_ASSIGN(const auto remembering, open_memory(context, Access::kWrite));
  for (const load::TextFile& file : texts) {
    ANIMA_ASSIGN(Remembered one, remember_file(*remembering, file, request));
    done.push_back(std::move(one));
  }
  return done;
}

std::string sections(std::uint64_t count) {
  return fmt::format("{} section{}", count, count == 1 ? "" : "s");
}

Json remembered_json(const std::vector<Remembered>& files) {
  Json list = Json::array();
  for (const Remembered& file : files) {
    list.push_back(Json::object({{"file", file.file},
                                 {"sections", file.sections},
                                 {"fresh", file.fresh},
                                 {"replaced", file.replaced},
                                 {"quarantined", file.quarantined}}));
  }
  return list;
}

class LoadProgress {
 public:
  explicit LoadProgress(Context& context) : context_(context) {}
  void operator()(std::string_view step, std::uint64_t done, std::uint64_t all) {
    if (progress_ == nullptr || step != step_) {
      progress_ = std::make_unique<Progress>(context_, step, "bytes", all);
      step_ = step;
    }
    progress_->update(done);
  }
  void end() { progress_.reset(); }

 private:
  Context& context_;
  std::string step_;
  std::unique_ptr<Progress> progress_;
};

Status export_mapping(Context& context, const std::string& file, const load::Mapping& mapping) {
  const std::string text = to_json(mapping).dump(2) + "\n";
  if (file == "-") {
    context.print(text);
    return {};
  }
  return write_output(context.files, file, text);
}

int run_load(Context& context, Arguments arguments) {
  LoadRequest request;
  Options options;
  declare_load(options, request);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  auto settings = settings_of(context, request);
  if (!settings && settings.error().code == ErrorCode::kInvalidArgument && !request.mapping)
    return context.usage_error(settings.error().message, settings.error().hint);
  if (!settings) return context.fail(settings.error());
  LoadProgress progress(context);
  settings->progress = [&](std::string_view step, std::uint64_t done, std::uint64_t all) {
    progress(step, done, all);
  };
  settings->cancelled = [] { return interrupted(); };
  auto inputs = inputs_of(context, request);
  if (!inputs) return context.fail(inputs.error());
  const bool writes = !request.dry_run && !request.export_mapping;
  const auto space = open_space(context, writes ? Access::kCheckpoint : Access::kRead);
  if (!space) return context.fail(space.error());
  const auto now = (*space)->snapshot();
  if (!now) return context.fail(now.error());
  auto loading = load::Loading::open(context.files, std::move(*inputs), std::move(*settings), *now);
  progress.end();
  if (!loading) return context.fail(loading.error());
  for (const std::string& note : (*loading)->notes()) context.note(note);
  if (request.export_mapping) {
    const Status written = export_mapping(context, *request.export_mapping, (*loading)->mapping());
    return written ? kDone : context.fail(written.error());
  }
  const bool ask = !request.yes && !request.dry_run && !request.mapping;
  if ((ask || request.dry_run) && !context.json) {
    for (const load::PlannedTable& table : (*loading)->tables())
      context.print(planned_table_text(context, table));
    for (const std::string& file : (*loading)->fact_files())
      context.print(file + ": facts, read as they are\n");
    for (const load::TextFile& file : (*loading)->texts())
      context.print(fmt::format("{}: {}, each a memory\n", file.file, sections(file.parts.size())));
  }
  if (ask) {
    if (const auto refused = ask_person(context, request)) return *refused;
  }
  store::Origin origin =
      local_origin(context, request.source ? *request.source : join(request.files, ", "));
  origin.trust = govern::lowest(origin.trust, *govern::parse_trust(request.trust));
  // Facts are one entry; the texts behind them are many.
  std::optional<store::WholeAct> whole;
  if (!(*loading)->texts().empty() && !request.dry_run) whole.emplace(**space);
  const auto report = (*loading)->write(**space, origin, request.dry_run);
  progress.end();
  if (!report) return context.fail(report.error());
  for (const std::string& note : report->notes) context.note(note);
  const auto remembered = remember_texts(context, request, (*loading)->texts());
  if (!remembered) {
    return context.fail(whole ? whole->failed(remembered.error()) : remembered.error());
  }
  if (whole) {  // before it is told
    if (const Status done = whole->done(); !done) return context.fail(done.error());
  }
  if (context.json) {
    Json json = load::to_json(*report);
    json.set("dry_run", request.dry_run);
    json.set("texts", remembered_json(*remembered));
    context.print_json(json);
  } else {
    for (const Remembered& file : *remembered) {
      context.print(fmt::format("{}: {}: {} new {}{}{}\n", file.file, sections(file.sections),
                                file.fresh, file.fresh == 1 ? "memory" : "memories",
                                counted_load(file.replaced, "replaced or gone"),
                                counted_load(file.quarantined, "quarantined")));
    }
    print_report(context, *report, request.dry_run);
  }
  std::uint64_t rows = 0;
  for (const load::TableReport& table : report->tables) rows += table.rows;
  // What was written is safe; a base spares the next one who opens the space from replaying it.
  if (report->receipt.changed && rows >= kRowsWorthABase) {
    context.out.flush();
    if (const Status made = (*space)->checkpoint(); !made) context.warn(made.error().describe());
  }
  return kDone;
}

}  // namespace

extern const Verb kLoad;
const Verb kLoad{"load",
                 Group::kKnowledge,
                 "loads files that nobody prepared: CSV, JSON, SQLite, Markdown",
                 "FILE... [--type T] [--key COLUMN] [--link COLUMN=TYPE.PREDICATE]... [--yes]",
                 "anima load hosts.csv services.csv",
                 run_load};

}  // namespace anima::cli
