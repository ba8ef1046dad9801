#include "load/load.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "load/map/propose.h"
#include "load/read/csv_reader.h"
#include "load/read/json_reader.h"
#include "load/read/sections.h"
#include "load/read/sqlite_reader.h"
#include "load/sniff/encoding.h"
#include "load/sniff/file_kind.h"
#include "load/write/cell_values.h"
#include "load/write/fact_files.h"
#include "load/write/load_writer.h"

namespace anima::load {
namespace {

constexpr std::size_t kPreviewRows = 5;
constexpr std::uint64_t kRowsBetweenCalls = 4096;

std::string value_words(const store::ValueView& value) {
  switch (value.kind) {
    case store::ValueKind::kBoolean:
      return value.integer != 0 ? "true" : "false";
    case store::ValueKind::kInteger:
      return std::to_string(value.integer);
    case store::ValueKind::kDouble:
      return fmt::format("{}", value.number);
    default:
      return quote_json(beginning_of(value.text, 60));
  }
}

void preview_cell(const ColumnMapping& column, const Cell& cell, std::vector<std::string>& facts) {
  store::ValueView value;
  std::string own, shown;
  const CellReading read = read_cell(cell, column.form, value, own);
  if (read == CellReading::kNothing) return;
  const std::string words =
      read == CellReading::kWrong ? wrong_words(cell, column.form) : value_words(value);
  facts.push_back(column.role == ColumnRole::kLink
                      ? fmt::format("{} -> {} {}", column.predicate, column.target, words)
                      : fmt::format("{} {}", column.attribute, words));
}

RowPreview preview_row(const SourceTable& table, const TableMapping& mapping,
                       const NameMaker& namer, const Row& row) {
  RowPreview preview;
  preview.row = row.number;
  preview.name = namer.make(row);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const ColumnMapping* column = mapping.find(table.columns[i]);
    if (column == nullptr || column->role == ColumnRole::kSkip) continue;
    const Cell& cell = row.cells[i];
    const bool cut = !column->separator.empty() && cell.kind == CellKind::kWritten;
    if (cell.kind == CellKind::kList) {
      for (std::uint32_t k = 0; k < cell.count; ++k)
        preview_cell(*column, row.items[cell.first + k], preview.facts);
    } else if (cut) {
      for (const std::string_view part : split(cell.text, column->separator[0])) {
        Cell one = cell;
        one.text = trim(part);
        if (!one.text.empty()) preview_cell(*column, one, preview.facts);
      }
    } else {
      preview_cell(*column, cell, preview.facts);
    }
  }
  return preview;
}

}  // namespace

Json to_json(const LoadReport& report) {
  Json tables = Json::array(), facts = Json::array(), notes = Json::array();
  for (const TableReport& table : report.tables) {
    tables.push_back(Json::object({{"file", table.file},
                                   {"table", table.table},
                                   {"type", table.type},
                                   {"rows", table.rows},
                                   {"created", table.created},
                                   {"changed", table.changed},
                                   {"unchanged", table.unchanged},
                                   {"facts", table.facts},
                                   {"withdrawn", table.withdrawn},
                                   {"outranked", table.outranked},
                                   {"overruled", table.overruled},
                                   {"mentioned", table.mentioned}}));
  }
  for (const FactsReport& file : report.facts) {
    facts.push_back(Json::object(
        {{"file", file.file}, {"format", file.format}, {"statements", file.statements}}));
  }
  for (const std::string& note : report.notes) notes.push_back(note);
  return Json::object({{"tables", std::move(tables)},
                       {"facts", std::move(facts)},
                       {"notes", std::move(notes)},
                       {"changed", report.receipt.changed},
                       {"sequence", static_cast<std::uint64_t>(report.receipt.sequence)}});
}

struct Loading::State {
  FileSystem& files;
  LoadSettings settings;
  std::vector<std::unique_ptr<SourceTable>> sources = {};
  std::vector<PlannedTable> tables = {};
  std::vector<FactFile> facts = {};
  std::vector<std::string> fact_names = {};
  std::vector<TextFile> texts = {};
  std::vector<std::string> notes = {};
  Mapping kept = {};
  bool written = false;

  // The bytes of a file as text, and what holds them.
  struct HeldText {
    std::unique_ptr<MappedFile> mapped;
    std::string read;
    DecodedText decoded;
  };

  Result<std::shared_ptr<HeldText>> held_text(LoadInput& input) {
    auto held = std::make_shared<HeldText>();
    if (input.bytes) {
      held->read = std::move(*input.bytes);
    } else {
      ANIMA_ASSIGN(held->mapped, files.map(input.file));
    }
    ANIMA_TRY(decode_text(held->mapped ? held->mapped->bytes() : std::string_view(held->read),
                          input.file, held->decoded));
    if (!held->decoded.note.empty()) notes.push_back(held->decoded.note);
    return held;
  }

  Result<FileKind> kind_of(const LoadInput& input) {
    if (input.bytes) return file_kind(input.file, *input.bytes);
    ANIMA_ASSIGN(const auto mapped, files.map(input.file));
    return file_kind(input.file, mapped->bytes());
  }

  Status add_tables(Result<std::vector<std::unique_ptr<SourceTable>>> tables_of_file) {
    if (!tables_of_file) return fail(tables_of_file.error());
    for (auto& table : *tables_of_file) sources.push_back(std::move(table));
    return {};
  }

  Status open_input(LoadInput& input) {
    ANIMA_ASSIGN(const FileKind kind, kind_of(input));
    if (kind == FileKind::kTable) {
      const CsvWishes wishes{settings.delimiter, settings.header};
      auto table = input.bytes ? csv_of(std::move(*input.bytes), input.file, wishes)
                               : open_csv(files, input.file, wishes);
      if (!table) return fail(table.error());
      sources.push_back(std::move(*table));
      return {};
    }
    if (kind == FileKind::kSqlite) {
      if (input.bytes)
        return fail(ErrorCode::kUnsupported, "a SQLite file cannot be read from a pipe", input.file,
                    "write it to a file and load that");
      return add_tables(sqlite_tables(input.file));
    }
    ANIMA_ASSIGN(const auto held, held_text(input));
    const std::string_view text = held->decoded.text;
    if (kind == FileKind::kJson || kind == FileKind::kJsonLines)
      return add_tables(json_tables(text, held, input.file, kind == FileKind::kJsonLines));
    if (kind == FileKind::kMarkdown || kind == FileKind::kText) {
      TextFile file{input.file, {}};
      for (TextSection& section : sections_of(text, kind == FileKind::kMarkdown))
        file.parts.push_back({std::move(section.title), std::move(section.text)});
      texts.push_back(std::move(file));
      return {};
    }
    fact_names.push_back(input.file);
    facts.push_back({input.file, kind, text, held});
    return {};
  }

  std::uint64_t bytes() const {
    std::uint64_t all = 0;
    for (const auto& source : sources) all += source->bytes;
    return all;
  }

  Result<ProfiledTable> profile(const SourceTable& source, std::uint64_t done) const {
    ProfiledTable profiled;
    profiled.table = &source;
    profiled.columns.resize(source.columns.size());
    ANIMA_ASSIGN(const auto reader, source.open());
    Row row;
    for (;;) {
      ANIMA_ASSIGN(const bool more, reader->next(row));
      if (!more) break;
      for (std::size_t i = 0; i < row.cells.size(); ++i) profiled.columns[i].add(row, row.cells[i]);
      if (++profiled.rows % kRowsBetweenCalls != 0) continue;
      if (settings.cancelled && settings.cancelled())
        return fail(ErrorCode::kCancelled, "interrupted; nothing was loaded");
      if (settings.progress) settings.progress("read", done + reader->position(), bytes());
    }
    return profiled;
  }

  Status plan(const store::Snapshot& snapshot) {
    std::vector<ProfiledTable> profiled;
    std::uint64_t done = 0;
    for (const auto& source : sources) {
      for (const std::string& note : source->notes) notes.push_back(note);
      ANIMA_ASSIGN(ProfiledTable table, profile(*source, done));
      done += source->bytes;
      profiled.push_back(std::move(table));
    }
    if (settings.progress) settings.progress("read", done, done);
    kept = kept_mappings(snapshot);
    Mapping given = kept;
    if (settings.mapping) {  // goes before what was kept
      given = *settings.mapping;
      // One table for one file is meant for it, whatever the file is called now.
      if (given.tables.size() == 1 && sources.size() == 1) given.tables[0].table = sources[0]->id;
      for (const auto& source : sources) {
        if (given.find(source->id) == nullptr)
          return fail(ErrorCode::kInvalidArgument, "the mapping has no table " + source->id,
                      source->file, "--export-mapping writes one for all files of the command");
      }
      for (const TableMapping& table : kept.tables) {
        if (given.find(table.table) == nullptr) given.tables.push_back(table);
      }
    }
    ANIMA_ASSIGN(const auto proposed, propose_mappings(profiled, settings.wishes, given, snapshot));
    for (std::size_t i = 0; i < proposed.size(); ++i) {
      PlannedTable& planned = tables.emplace_back();
      planned.file = sources[i]->file;
      planned.table = sources[i]->name;
      planned.format = sources[i]->format;
      planned.mapping = proposed[i].mapping;
      planned.mapping.delimiter = settings.delimiter;
      planned.mapping.header = settings.header;
      planned.rows = profiled[i].rows;
      planned.kept = proposed[i].kept;
      if (settings.mapping && !planned.kept)
        return fail(ErrorCode::kInvalidArgument,
                    "the mapping does not fit: its key or most of its columns are not there",
                    sources[i]->file, "--export-mapping writes one that does");
      notes.insert(notes.end(), proposed[i].notes.begin(), proposed[i].notes.end());
      ANIMA_TRY(preview(*sources[i], planned));
    }
    return {};
  }

  static Status preview(const SourceTable& source, PlannedTable& planned) {
    const NameMaker namer(planned.mapping, source.columns);
    ANIMA_ASSIGN(const auto reader, source.open());
    Row row;
    while (planned.preview.size() < kPreviewRows) {
      ANIMA_ASSIGN(const bool more, reader->next(row));
      if (!more) break;
      planned.preview.push_back(preview_row(source, planned.mapping, namer, row));
    }
    return {};
  }

  Result<Written> write_all(store::Transaction& transaction) {
    std::vector<WritableTable> writable;
    for (std::size_t i = 0; i < sources.size(); ++i)
      writable.push_back({sources[i].get(), &tables[i].mapping});
    WriteHooks hooks;
    hooks.cancelled = settings.cancelled;
    const std::uint64_t all = 2 * bytes();
    if (settings.progress)
      hooks.progress = [&](std::uint64_t done) { settings.progress("write", done, all); };
    return write_tables(transaction, writable, kept, hooks);
  }
};

Loading::Loading(std::unique_ptr<State> state) : state_(std::move(state)) {}
Loading::~Loading() = default;

Result<std::unique_ptr<Loading>> Loading::open(FileSystem& files, std::vector<LoadInput> inputs,
                                               LoadSettings settings,
                                               const store::Snapshot& snapshot) {
  auto state = std::make_unique<State>(State{files, std::move(settings)});
  for (LoadInput& input : inputs) ANIMA_TRY(state->open_input(input));
  ANIMA_TRY(state->plan(snapshot));
  return std::unique_ptr<Loading>(new Loading(std::move(state)));
}

const std::vector<PlannedTable>& Loading::tables() const { return state_->tables; }
const std::vector<std::string>& Loading::fact_files() const { return state_->fact_names; }
const std::vector<TextFile>& Loading::texts() const { return state_->texts; }
const std::vector<std::string>& Loading::notes() const { return state_->notes; }

Mapping Loading::mapping() const {
  Mapping mapping;
  for (const PlannedTable& table : state_->tables) mapping.tables.push_back(table.mapping);
  return mapping;
}

Result<LoadReport> Loading::write(store::Space& space, const store::Origin& origin, bool dry_run) {
  ANIMA_CHECK(!state_->written);
  state_->written = true;
  LoadReport report;
  const auto change = [&](store::Transaction& transaction) -> Status {
    report = {};
    if (!state_->sources.empty()) {
      ANIMA_ASSIGN(Written written, state_->write_all(transaction));
      report.tables = std::move(written.tables);
      report.notes = std::move(written.notes);
    }
    ANIMA_ASSIGN(report.facts, write_facts(transaction, state_->facts, state_->settings.cancelled));
    return {};
  };
  if (state_->sources.empty() && state_->facts.empty()) {
    report.receipt.changed = false;
    return report;
  }
  if (dry_run) {
    ANIMA_ASSIGN(const store::Snapshot now, space.snapshot());
    const auto branch = space.what_if(now);
    ANIMA_TRY(change(branch->transaction()));
    report.receipt.changed = false;
    return report;
  }
  ANIMA_ASSIGN(const store::Receipt receipt, space.write(origin, change));
  report.receipt = receipt;
  return report;
}

}  // namespace anima::load
