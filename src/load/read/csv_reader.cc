#include "load/read/csv_reader.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text/text.h"

namespace anima::load {
namespace {

constexpr std::size_t kMaxColumns = 4096;

std::string_view trim_blanks(std::string_view text, char delimiter) {
  const auto blank = [delimiter](char c) { return (c == ' ' || c == '\t') && c != delimiter; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

CsvRecords::CsvRecords(std::string_view text, const CsvDialect& dialect)
    : text_(text), dialect_(dialect), row_(dialect.rows_before) {
  for (const char c : {'\n', '\r', dialect.delimiter}) ends_[static_cast<unsigned char>(c)] = true;
}

void CsvRecords::pass_line_end() {
  if (at_ < text_.size() && text_[at_] == '\r') ++at_;
  if (at_ < text_.size() && text_[at_] == '\n') ++at_;
}

void CsvRecords::plain(CsvRecord& record) {
  const std::size_t from = at_;
  while (at_ < text_.size() && !ends_[static_cast<unsigned char>(text_[at_])]) ++at_;
  record.fields.push_back(trim_blanks(text_.substr(from, at_ - from), dialect_.delimiter));
  record.quoted.push_back(false);
}

Status CsvRecords::quoted(CsvRecord& record) {
  ++at_;
  std::string* own = nullptr;
  std::string_view field;
  for (;;) {
    const std::size_t end = text_.find(dialect_.quote, at_);
    if (end == std::string_view::npos) return fail(ErrorCode::kSyntax, "a quote is not closed");
    const std::string_view piece = text_.substr(at_, end - at_);
    at_ = end + 1;
    const bool doubled = at_ < text_.size() && text_[at_] == dialect_.quote;
    if (own == nullptr && doubled) own = &record.owned.emplace_back();
    if (own == nullptr) {
      field = piece;
      break;
    }
    own->append(piece);
    if (!doubled) {
      field = *own;
      break;
    }
    own->push_back(dialect_.quote);
    ++at_;
  }
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t') &&
         text_[at_] != dialect_.delimiter)
    ++at_;
  if (at_ < text_.size() && !ends_[static_cast<unsigned char>(text_[at_])])
    return fail(ErrorCode::kSyntax, "there is text behind a closing quote");
  record.fields.push_back(field);
  record.quoted.push_back(true);
  return {};
}

Result<bool> CsvRecords::next(CsvRecord& record) {
  record.fields.clear();
  record.quoted.clear();
  record.owned.clear();
  for (;;) {
    if (at_ >= text_.size()) return false;
    ++row_;
    if (dialect_.comments && text_[at_] == '#') {
      at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
    } else if (!at_line_end()) {
      break;
    }
    pass_line_end();
  }
  for (;;) {
    while (at_ < text_.size() && text_[at_] == ' ' && dialect_.delimiter != ' ') ++at_;
    if (at_ < text_.size() && text_[at_] == dialect_.quote) {
      ANIMA_TRY(quoted(record));
    } else {
      plain(record);
    }
    if (record.fields.size() > kMaxColumns)
      return fail(ErrorCode::kLimitExceeded, "a row has more than 4096 cells");
    if (at_ >= text_.size() || text_[at_] != dialect_.delimiter) break;
    ++at_;
  }
  pass_line_end();
  return true;
}

namespace {

struct Shape {
  char delimiter = ',';
  std::size_t columns = 0;  // of most records
  double agreeing = 0;      // part of the records
};

constexpr std::size_t kSampleBytes = 256 * 1024;
constexpr std::size_t kSampleRecords = 200;

Shape shape_of(std::string_view sample, bool cut, const CsvDialect& dialect) {
  CsvRecords records(sample, dialect);
  CsvRecord record;
  std::vector<std::size_t> widths;
  while (widths.size() < kSampleRecords) {
    const auto more = records.next(record);
    if (!more) {
      if (!cut) return {dialect.delimiter, 0, 0};
      break;
    }
    if (!*more) break;
    widths.push_back(record.fields.size());
  }
  if (cut && widths.size() > 1) widths.pop_back();  // may be the half of one
  if (widths.empty()) return {dialect.delimiter, 0, 0};
  Shape shape;
  shape.delimiter = dialect.delimiter;
  std::size_t best = 0;
  for (const std::size_t width : std::set(widths.begin(), widths.end())) {
    const auto count = static_cast<std::size_t>(std::count(widths.begin(), widths.end(), width));
    if (count < best || (count == best && width < shape.columns)) continue;
    best = count;
    shape.columns = width;
  }
  shape.agreeing = static_cast<double>(best) / static_cast<double>(widths.size());
  return shape;
}

bool reads_as_value(std::string_view text) {
  if (text.empty()) return false;
  return text.find_first_not_of("0123456789.,:/-+ eE%") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

// A hash, a key, a number of a device: no title.
bool is_coded(std::string_view text) {
  const auto digits =
      std::count_if(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits >= 8 || (text.size() >= 60 && text.find(' ') == std::string_view::npos);
}

bool is_year(std::string_view field) {
  return field.size() == 4 && (field[0] == '1' || field[0] == '2') &&
         field.find_first_not_of("0123456789") == std::string_view::npos;
}

// Whether in some column a value stands over nothing but texts, two at least.
bool values_stand_over_texts(const std::vector<std::string_view>& first, CsvRecords& records,
                             CsvRecord& record) {
  std::vector<std::size_t> texts(first.size()), values(first.size());
  for (std::size_t rows = 0; rows < kSampleRecords; ++rows) {
    const auto more = records.next(record);
    if (!more || !*more) break;
    for (std::size_t i = 0; i < std::min(first.size(), record.fields.size()); ++i) {
      if (record.fields[i].empty()) continue;
      ++(reads_as_value(record.fields[i]) ? values : texts)[i];
    }
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (reads_as_value(first[i]) && values[i] == 0 && texts[i] >= 2) return true;
  }
  return false;
}

// Titles are texts, each once, none empty; values below them look otherwise, or nothing tells.
bool first_is_header(std::string_view text, const CsvDialect& dialect) {
  CsvRecords records(text, dialect);
  CsvRecord record;
  const auto more = records.next(record);
  if (!more || !*more) return true;
  std::set<std::string> seen;
  std::size_t values = 0, empty = 0;
  bool twice = false;
  const std::vector<std::string_view> first = record.fields;
  const std::deque<std::string> owned = std::move(record.owned);
  record.owned.clear();
  for (const std::string_view field : first) {
    if (field.empty()) {
      ++empty;
      continue;
    }
    if (is_coded(field)) return false;
    if (reads_as_value(field)) ++values;
    twice = twice || !seen.insert(to_lower(field)).second;
  }
  if (seen.empty()) return true;  // it is of the table, and names nothing
  if (values == 0) return seen.size() >= empty;
  if (twice || values == seen.size() || reads_as_value(first[0])) return false;
  // Years over columns of numbers: "country, 1990, 2000"; or numbers over texts: "id, 1, 2".
  return std::ranges::all_of(
             first,
             [](std::string_view field) { return !reads_as_value(field) || is_year(field); }) ||
         values_stand_over_texts(first, records, record);
}

char sniff_quote(std::string_view sample, char delimiter) {
  std::size_t single = 0, both = 0;
  const std::string open = {delimiter, '\''}, close = {'\'', delimiter};
  for (std::size_t at = 0; (at = sample.find(open, at)) != std::string_view::npos; ++at) ++single;
  for (std::size_t at = 0; (at = sample.find(close, at)) != std::string_view::npos; ++at) ++both;
  const bool has_double = sample.find('"') != std::string_view::npos;
  return !has_double && single > 2 && both > 2 ? '\'' : '"';
}

}  // namespace

CsvDialect sniff_csv(std::string_view text, const CsvWishes& wishes) {
  const std::string_view sample = text.substr(0, kSampleBytes);
  const bool cut = sample.size() < text.size();
  CsvDialect dialect;
  if (wishes.delimiter) {
    dialect.delimiter = *wishes.delimiter;
  } else {
    double best = -1;
    for (const char delimiter : {',', ';', '\t', '|'}) {
      CsvDialect tried;
      tried.delimiter = delimiter;
      tried.quote = sniff_quote(sample, delimiter);
      const Shape shape = shape_of(sample, cut, tried);
      if (shape.columns < 2) continue;
      // Agreement counts most, then the number of columns.
      const double score = shape.agreeing * shape.agreeing * 100 +
                           static_cast<double>(std::min<std::size_t>(shape.columns, 50));
      if (score <= best) continue;
      best = score;
      dialect.delimiter = delimiter;
    }
  }
  dialect.quote = sniff_quote(sample, dialect.delimiter);
  dialect.header = wishes.header ? *wishes.header : first_is_header(sample, dialect);
  return dialect;
}

namespace {

class CsvTableReader final : public TableReader {
 public:
  CsvTableReader(const SourceTable& table, std::string_view text, const CsvDialect& dialect)
      : table_(table), records_(text, dialect), skip_header_(dialect.header) {}

  Result<bool> next(Row& row) override {
    for (;;) {
      const auto more = records_.next(record_);
      if (!more)
        return fail(more.error().code, more.error().message, place_of(table_, records_.row()));
      if (!*more) return false;
      if (!std::exchange(skip_header_, false) && !is_empty()) break;
    }
    row.number = records_.row();
    row.items.clear();
    const std::size_t columns = table_.columns.size();
    while (record_.fields.size() > columns && record_.fields.back().empty())
      record_.fields.pop_back();
    if (record_.fields.size() > columns) {
      return fail(ErrorCode::kSyntax,
                  "the row has " + std::to_string(record_.fields.size()) +
                      " cells, but there are " + std::to_string(columns) + " columns",
                  place_of(table_, row.number), "put what holds the delimiter in quotes");
    }
    row.cells.assign(columns, Cell());
    for (std::size_t i = 0; i < record_.fields.size(); ++i) {
      const std::string_view field = record_.fields[i];
      if (field.empty()) continue;
      row.cells[i].kind = CellKind::kWritten;
      row.cells[i].text = field;
    }
    return true;
  }

  std::uint64_t position() const override { return records_.position(); }

 private:
  // Spreadsheets write rows of delimiters alone below their table.
  bool is_empty() const {
    return std::ranges::all_of(record_.fields,
                               [](std::string_view field) { return field.empty(); });
  }

  const SourceTable& table_;
  CsvRecords records_;
  CsvRecord record_;
  bool skip_header_;
};

struct CsvTable final : SourceTable {
  Result<std::unique_ptr<TableReader>> open() const override {
    return std::unique_ptr<TableReader>(
        std::make_unique<CsvTableReader>(*this, decoded.text, dialect));
  }

  std::unique_ptr<MappedFile> mapped;
  std::string read;
  DecodedText decoded;
  CsvDialect dialect;
};

Status name_columns(CsvTable& table) {
  CsvRecords records(table.decoded.text, table.dialect);
  CsvRecord record;
  const auto more = records.next(record);
  if (!more) return fail(more.error().code, more.error().message, place_of(table, records.row()));
  if (!*more) return fail(ErrorCode::kInvalidArgument, "there is nothing in this file", table.file);
  std::set<std::string> taken;
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    std::string name = table.dialect.header ? std::string(trim(record.fields[i])) : std::string();
    if (name.empty()) name = "column_" + std::to_string(i + 1);
    std::string unique = name;
    for (int n = 2; !taken.insert(unique).second; ++n) unique = name + "_" + std::to_string(n);
    table.columns.push_back(std::move(unique));
  }
  return {};
}

std::size_t fields_of_first(std::string_view text, const CsvDialect& dialect) {
  CsvRecords records(text, dialect);
  CsvRecord record;
  const auto more = records.next(record);
  return more && *more ? record.fields.size() : 0;
}

// Lines of comments above a table begin with a hash. The last of them holds the titles where it has
// as many cells as the first row: "#code<TAB>name".
// Returns how many lines the text has lost; a table whose rows all begin so is left as it is.
std::uint64_t pass_comments(std::string_view& text, const CsvWishes& wishes) {
  std::size_t at = 0, last = 0;
  std::uint64_t lines = 0;
  while (at < text.size() && text[at] == '#') {
    last = at;
    ++lines;
    at = text.find('\n', at);
    if (at == std::string_view::npos) return 0;
    ++at;
  }
  if (lines == 0 || at == text.size()) return 0;
  const CsvDialect below = sniff_csv(text.substr(at), wishes);
  const std::string_view titles = text.substr(last + 1);
  const std::size_t columns = fields_of_first(titles, below);
  if (columns > 1 && columns >= fields_of_first(text.substr(at), below)) {
    text = titles;
    return lines - 1;
  }
  text.remove_prefix(at);
  return lines;
}

// A title above a table, "Report of 2024": records of one cell where the table has several, with a
// blank line behind them or blanks in them, and titles of columns below. Returns how many lines the
// text has lost.
std::uint64_t pass_title(std::string_view& text, const CsvWishes& wishes) {
  constexpr std::uint64_t kMostLines = 20;
  if (wishes.header && !*wishes.header) return 0;
  const CsvDialect dialect = sniff_csv(text, wishes);
  const std::string_view sample = text.substr(0, kSampleBytes);
  if (shape_of(sample, sample.size() < text.size(), dialect).columns < 2) return 0;
  CsvRecords records(text, dialect);
  CsvRecord record;
  std::size_t end = 0;
  std::uint64_t lines = 0;
  bool sentences = true;
  for (;;) {
    const auto more = records.next(record);
    if (!more || !*more || records.row() > kMostLines) return 0;
    if (record.fields.size() > 1) break;
    end = records.position();
    lines = records.row();
    sentences = sentences && record.fields[0].find(' ') != std::string_view::npos;
  }
  if (end == 0) return 0;
  const bool blank_line = records.row() > lines + 1;
  const std::string_view below = text.substr(end);
  if ((!sentences && !blank_line) || !first_is_header(below.substr(0, kSampleBytes), dialect))
    return 0;
  text = below;
  return lines;
}

Result<std::unique_ptr<SourceTable>> finish_csv(std::unique_ptr<CsvTable> table,
                                                std::string_view bytes, const CsvWishes& wishes) {
  ANIMA_TRY(decode_text(bytes, table->file, table->decoded));
  if (!table->decoded.note.empty()) table->notes.push_back(table->decoded.note);
  // Some spreadsheets write their delimiter as a first line of its own: "sep=;".
  CsvWishes wanted = wishes;
  std::string_view& text = table->decoded.text;
  if (text.size() > 5 && text.starts_with("sep=") && (text[5] == '\n' || text[5] == '\r')) {
    if (!wanted.delimiter) wanted.delimiter = text[4];
    text.remove_prefix(text.find('\n', 5) == 6 ? 7 : 6);
  }
  const std::uint64_t comments = pass_comments(text, wanted);
  const std::uint64_t title = pass_title(text, wanted);
  table->dialect = sniff_csv(text, wanted);
  table->dialect.rows_before = comments + title;
  table->dialect.comments = comments > 0;
  if (title > 0) {
    table->notes.push_back(
        table->file + ": " + (title == 1 ? "a line" : std::to_string(title) + " lines") +
        " above the titles of the columns " + (title == 1 ? "is" : "are") + " left out");
  }
  if (comments > 0)
    table->notes.push_back(table->file + ": " + std::to_string(comments) +
                           (comments == 1 ? " line of comment" : " lines of comments") +
                           " above the table, and what further lines begin with a hash, are left "
                           "out");
  table->format = table->dialect.delimiter == '\t' ? "tsv" : "csv";
  table->comma_is_free = table->dialect.delimiter != ',';
  table->bytes = text.size();
  ANIMA_TRY(name_columns(*table));
  return std::unique_ptr<SourceTable>(std::move(table));
}

std::unique_ptr<CsvTable> new_csv_table(const std::string& file) {
  auto table = std::make_unique<CsvTable>();
  table->file = file;
  const std::string_view name = file_name(file);
  table->name = std::string(name.substr(0, name.size() - extension(name).size()));
  table->id = table->name;
  return table;
}

}  // namespace

std::string place_of(const SourceTable& table, std::uint64_t row, std::string_view column) {
  std::string place = table.file + " row " + std::to_string(row);
  if (!column.empty()) place += ", column " + std::string(column);
  return place;
}

Result<std::unique_ptr<SourceTable>> open_csv(FileSystem& files, const std::string& file,
                                              const CsvWishes& wishes) {
  auto table = new_csv_table(file);
  ANIMA_ASSIGN(table->mapped, files.map(file));
  const std::string_view bytes = table->mapped->bytes();
  return finish_csv(std::move(table), bytes, wishes);
}

Result<std::unique_ptr<SourceTable>> csv_of(std::string bytes, const std::string& file,
                                            const CsvWishes& wishes) {
  auto table = new_csv_table(file);
  table->read = std::move(bytes);
  const std::string_view view = table->read;
  return finish_csv(std::move(table), view, wishes);
}

}  // namespace anima::load
