#include "load/read/sqlite_reader.h"

#include <sqlite3.h>

#include <algorithm>
#include <deque>
#include <map>

#include "base/files/file.h"
#include "base/text/text.h"
#include "base/text/valid_text.h"

namespace anima::load {
namespace {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct EndStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::shared_ptr<sqlite3>;
using Statement = std::unique_ptr<sqlite3_stmt, EndStatement>;

Unexpected<Error> sqlite_error(sqlite3* database, const std::string& file) {
  const int code = sqlite3_errcode(database);
  const bool damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
  return fail(damaged ? ErrorCode::kCorrupt : ErrorCode::kIo, sqlite3_errmsg(database), file,
              code == SQLITE_CANTOPEN ? "copy the file to a folder that can be written to" : "");
}

std::string quoted_name(std::string_view name) {
  return "\"" + replace_all(name, "\"", "\"\"") + "\"";
}

Result<Statement> prepare(const Database& database, const std::string& sql,
                          const std::string& file) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(database.get(), sql.c_str(), -1, &raw, nullptr) != SQLITE_OK)
    return sqlite_error(database.get(), file);
  return Statement(raw);
}

std::string column_text(sqlite3_stmt* statement, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  return text == nullptr ? std::string() : std::string(text);
}

// The rows of a query as texts.
Result<std::vector<std::vector<std::string>>> texts_of(const Database& database,
                                                       const std::string& sql,
                                                       const std::string& file) {
  ANIMA_ASSIGN(const Statement statement, prepare(database, sql, file));
  std::vector<std::vector<std::string>> rows;
  for (;;) {
    const int step = sqlite3_step(statement.get());
    if (step == SQLITE_DONE) return rows;
    if (step != SQLITE_ROW) return sqlite_error(database.get(), file);
    auto& row = rows.emplace_back();
    for (int i = 0; i < sqlite3_column_count(statement.get()); ++i)
      row.push_back(column_text(statement.get(), i));
  }
}

struct SqliteTable final : SourceTable {
  Result<std::unique_ptr<TableReader>> open() const override;
  Database database;
  std::vector<bool> booleans;  // by column: declared so
};

class SqliteTableReader final : public TableReader {
 public:
  SqliteTableReader(const SqliteTable& table, Statement statement)
      : table_(table), statement_(std::move(statement)) {}

  Result<bool> next(Row& row) override {
    const int step = sqlite3_step(statement_.get());
    if (step == SQLITE_DONE) return false;
    if (step != SQLITE_ROW) return sqlite_error(table_.database.get(), table_.file);
    row.number = ++number_;
    row.items.clear();
    row.cells.assign(table_.columns.size(), Cell());
    own_.clear();
    for (std::size_t i = 0; i < row.cells.size(); ++i) fill(row.cells[i], i);
    return true;
  }
  std::uint64_t position() const override { return 0; }

 private:
  void fill(Cell& cell, std::size_t i) {
    const int column = static_cast<int>(i);
    sqlite3_stmt* const statement = statement_.get();
    switch (sqlite3_column_type(statement, column)) {
      case SQLITE_INTEGER:
        cell.integer = sqlite3_column_int64(statement, column);
        cell.kind = table_.booleans[i] && (cell.integer == 0 || cell.integer == 1)
                        ? CellKind::kBoolean
                        : CellKind::kInteger;
        return;
      case SQLITE_FLOAT:
        cell.kind = CellKind::kNumber;
        cell.number = sqlite3_column_double(statement, column);
        return;
      case SQLITE_TEXT: {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
        std::string_view view(text, size);
        if (!is_valid_utf8(view)) view = own_.emplace_back(valid_text(view));
        if (view.empty()) return;
        cell.kind = CellKind::kText;
        cell.text = view;
        return;
      }
      default:
        return;
    }
  }

  const SqliteTable& table_;
  Statement statement_;
  std::uint64_t number_ = 0;
  std::deque<std::string> own_;
};

Result<std::unique_ptr<TableReader>> SqliteTable::open() const {
  std::string sql = "SELECT ";
  for (std::size_t i = 0; i < columns.size(); ++i)
    sql += (i == 0 ? "" : ", ") + quoted_name(columns[i]);
  ANIMA_ASSIGN(Statement statement, prepare(database, sql + " FROM " + quoted_name(name), file));
  return std::unique_ptr<TableReader>(
      std::make_unique<SqliteTableReader>(*this, std::move(statement)));
}

Status read_columns(SqliteTable& table) {
  ANIMA_ASSIGN(
      const auto rows,
      texts_of(table.database, "PRAGMA table_info(" + quoted_name(table.name) + ")", table.file));
  std::map<int, std::string> key;  // by its place in the key
  for (const auto& row : rows) {   // place, name, type, not null, default, place in the key
    table.columns.push_back(row[1]);
    const std::string type = to_lower(row[2]);
    table.booleans.push_back(type.find("bool") != std::string::npos);
    if (row[5] != "0") key[std::stoi(row[5])] = row[1];
  }
  for (const auto& [place, column] : key) table.declared_key.push_back(column);
  return {};
}

Status read_links(SqliteTable& table) {
  ANIMA_ASSIGN(const auto rows,
               texts_of(table.database, "PRAGMA foreign_key_list(" + quoted_name(table.name) + ")",
                        table.file));
  std::map<std::string, int> columns;  // of each link: those of several columns are left out
  for (const auto& row : rows) ++columns[row[0]];
  for (const auto& row : rows) {  // number, place, table, from, to
    if (columns[row[0]] == 1) table.declared_links.push_back({row[3], row[2]});
  }
  return {};
}

}  // namespace

bool is_sqlite(std::string_view beginning) {
  return beginning.starts_with(std::string_view("SQLite format 3\0", 16));
}

Result<std::vector<std::unique_ptr<SourceTable>>> sqlite_tables(const std::string& file) {
  sqlite3* raw = nullptr;
  const int opened = sqlite3_open_v2(file.c_str(), &raw, SQLITE_OPEN_READONLY, nullptr);
  const Database database(raw, CloseDatabase());
  if (opened != SQLITE_OK) return sqlite_error(raw, file);
  ANIMA_ASSIGN(const auto names, texts_of(database,
                                          "SELECT name FROM sqlite_master WHERE type = 'table' AND "
                                          "name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
                                          file));
  std::vector<std::unique_ptr<SourceTable>> tables;
  const std::string_view base = file_name(file);
  const std::string stem(base.substr(0, base.size() - extension(base).size()));
  for (const auto& row : names) {
    auto table = std::make_unique<SqliteTable>();
    table->name = row[0];
    table->id = stem + "/" + row[0];
    table->file = file;
    table->format = "sqlite";
    table->database = database;
    ANIMA_TRY(read_columns(*table));
    ANIMA_TRY(read_links(*table));
    if (!table->columns.empty()) tables.push_back(std::move(table));
  }
  if (tables.empty())
    return fail(ErrorCode::kInvalidArgument, "there is no table in this file", file);
  return tables;
}

}  // namespace anima::load
