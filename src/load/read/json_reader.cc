#include "load/read/json_reader.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "load/read/json_shape.h"
#include "load/read/json_text.h"

namespace anima::load {
namespace {

// The outermost rows of one table of the file.
struct JsonRows {
  std::string name;
  std::string_view text;
  JsonParts::Of of = JsonParts::Of::kArray;
  bool single = false;     // the text is the one row
  std::string key_column;  // of the members' names, where `of` is kObject
};

std::string row_place(const std::string& file, std::uint64_t row) {
  return file + " row " + std::to_string(row);
}

// A whole number that neither 64 bits nor a double keep; empty: there is none. What programs print
// of a double ends with zeros. `json` is well formed.
std::string_view lost_number(std::string_view json) {
  constexpr std::size_t kDigitsOfDouble = 17, kDigitsOfInteger = 18;
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] == '"') {
      for (++at; at < json.size() && json[at] != '"'; ++at)
        if (json[at] == '\\') ++at;
      continue;
    }
    if (json[at] < '0' || json[at] > '9') continue;
    const std::size_t end = std::min(json.find_first_not_of("0123456789.eE+-", at), json.size());
    const std::string_view number = json.substr(at, end - at);
    at = end - 1;
    if (number.size() <= kDigitsOfInteger || number.find_first_of(".eE") != number.npos) continue;
    const std::size_t last = number.find_last_not_of('0');
    std::int64_t fits = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), fits);
    if (read.ec != std::errc() && last + 1 > kDigitsOfDouble) return number;
  }
  return {};
}

// The objects of JsonRows, parsed one by one.
class JsonRowReader {
 public:
  JsonRowReader(const JsonRows& rows, const std::string& file)
      : rows_(rows), file_(file), parts_(rows.text, rows.of) {}

  Result<bool> next(Json& object, std::uint64_t& number) {
    std::string_view part = rows_.text;
    std::string key;
    if (rows_.single) {
      if (done_) return false;
      done_ = true;
      number = 1;
    } else {
      const auto more = parts_.next(part, &key);
      number = parts_.number();
      if (!more) return fail(more.error().code, more.error().message, row_place(file_, number));
      if (!*more) return false;
    }
    auto parsed = parse_json(part);
    if (!parsed) return fail(parsed.error().code, parsed.error().message, row_place(file_, number));
    if (const std::string_view lost = lost_number(part); !lost.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  std::string(lost) + " has more digits than a number keeps",
                  row_place(file_, number), "as a text, in quotes, it keeps them");
    }
    if (!parsed->is_object())
      return fail(ErrorCode::kSyntax, "this is no object", row_place(file_, number),
                  "a table is an array of objects, or an object a line");
    object = std::move(*parsed);
    if (!rows_.key_column.empty()) object.set(rows_.key_column, key);
    return true;
  }

  std::uint64_t position() const { return parts_.position(); }

 private:
  const JsonRows& rows_;
  const std::string& file_;
  JsonParts parts_;
  bool done_ = false;
};

// What the tables of one array share.
struct JsonSource {
  std::shared_ptr<void> keeps;
  std::string file;
  JsonRows rows;
  JsonShape shape{"", nullptr};
};

struct JsonTable final : SourceTable {
  Result<std::unique_ptr<TableReader>> open() const override;

  std::shared_ptr<const JsonSource> source;
  const JsonShape* shape = nullptr;
  bool called = false;  // the first column is what the objects are called
};

class JsonTableReader final : public TableReader {
 public:
  explicit JsonTableReader(const JsonTable& table)
      : table_(table), rows_(table.source->rows, table.source->file) {}

  Result<bool> next(Row& row) override {
    while (place_ >= objects_.size()) {
      ANIMA_ASSIGN(const bool more, rows_.next(root_, number_));
      if (!more) return false;
      objects_.clear();
      place_ = 0;
      objects_of(table_.source->shape, *table_.shape, root_, "row " + std::to_string(number_),
                 objects_);
    }
    const CalledObject& object = objects_[place_++];
    own_.clear();
    row.cells.clear();
    row.items.clear();
    row.number = number_;
    if (table_.called) {
      Cell& cell = row.cells.emplace_back();
      cell.kind = CellKind::kText;
      cell.text = own_.emplace_back(object.called);
    }
    fill_json_row(*table_.shape, *object.object, object.called, row, own_);
    return true;
  }

  std::uint64_t position() const override { return rows_.position(); }

 private:
  const JsonTable& table_;
  JsonRowReader rows_;
  Json root_;
  std::uint64_t number_ = 0;
  std::vector<CalledObject> objects_;
  std::size_t place_ = 0;
  std::deque<std::string> own_;
};

Result<std::unique_ptr<TableReader>> JsonTable::open() const {
  return std::unique_ptr<TableReader>(std::make_unique<JsonTableReader>(*this));
}

// --- which tables a document has

bool begins(std::string_view part, char with) { return !part.empty() && part[0] == with; }

// Does the array hold objects, and nothing else at its beginning?
bool is_table(std::string_view part) {
  if (!begins(part, '[')) return false;
  JsonParts elements(part, JsonParts::Of::kArray);
  std::string_view element;
  const auto more = elements.next(element);
  return more && *more && begins(element, '{');
}

struct Member {
  std::string name;
  std::string_view part;
};

Result<std::vector<Member>> members_of(std::string_view text) {
  JsonParts parts(text, JsonParts::Of::kObject);
  std::vector<Member> members;
  Member member;
  for (;;) {
    ANIMA_ASSIGN(const bool more, parts.next(member.part, &member.name));
    if (!more) return members;
    members.push_back(member);
  }
}

std::string stem(const std::string& file) {
  const std::string_view name = file_name(file);
  return std::string(name.substr(0, name.size() - extension(name).size()));
}

// A column for the names of members that are rows: one that these do not have themselves.
std::string free_member(const std::vector<Member>& rows) {
  constexpr std::size_t kLookedAt = 200;
  std::set<std::string, std::less<>> taken;
  for (std::size_t i = 0; i < rows.size() && i < kLookedAt; ++i) {
    const auto row = parse_json(rows[i].part);
    if (!row) break;
    for (const auto& [name, value] : row->as_object()) taken.insert(name);
  }
  for (const char* name : {"name", "key", "entry"}) {
    if (!taken.contains(std::string_view(name))) return name;
  }
  return "member_name";
}

Result<std::vector<JsonRows>> rows_of(std::string_view text, const std::string& file, bool lines) {
  std::vector<JsonRows> all;
  text = trim(text);
  if (text.empty()) return fail(ErrorCode::kInvalidArgument, "there is nothing in this file", file);
  if (lines) return std::vector{JsonRows{stem(file), text, JsonParts::Of::kLines, false, {}}};
  if (begins(text, '['))
    return std::vector{JsonRows{stem(file), text, JsonParts::Of::kArray, false, {}}};
  const auto members = members_of(text);
  if (!members) return fail(members.error().code, members.error().message, file);
  for (const Member& member : *members) {
    if (is_table(member.part))
      all.push_back({member.name, member.part, JsonParts::Of::kArray, false, {}});
  }
  const bool only_objects = members->size() > 1 &&
                            std::all_of(members->begin(), members->end(), [](const Member& member) {
                              return begins(member.part, '{');
                            });
  if (only_objects) {
    return std::vector{
        JsonRows{stem(file), text, JsonParts::Of::kObject, false, free_member(*members)}};
  }
  // A document with members of its own beside one list is one thing that has a list.
  const std::size_t plain = static_cast<std::size_t>(std::count_if(
      members->begin(), members->end(),
      [](const Member& member) { return !is_table(member.part) && !begins(member.part, '{'); }));
  if (!all.empty() && plain <= 3) return all;
  return std::vector{JsonRows{stem(file), text, JsonParts::Of::kObject, true, {}}};
}

// --- tables

void add_tables(const std::shared_ptr<const JsonSource>& source, const JsonShape& shape,
                const std::string& name, bool lines, std::set<std::string>& taken,
                std::vector<std::unique_ptr<SourceTable>>& out) {
  auto table = std::make_unique<JsonTable>();
  table->name = name;
  table->id = name == stem(source->file) ? name : stem(source->file) + "/" + name;
  table->file = source->file;
  table->format = lines ? "json lines" : "json";
  table->bytes = source->rows.text.size();
  table->source = source;
  table->shape = &shape;
  const bool is_root = &shape == &source->shape;
  table->called = !is_root && shape.key().empty();
  if (table->called) {
    std::string column(kCalledColumn);
    while (std::find(shape.columns().begin(), shape.columns().end(), column) !=
           shape.columns().end())
      column += "_";
    table->columns.push_back(column);
    table->declared_key = {column};
  } else if (!is_root) {
    table->declared_key = {shape.key()};
  }
  if (!source->rows.key_column.empty() && is_root) table->declared_key = {source->rows.key_column};
  table->columns.insert(table->columns.end(), shape.columns().begin(), shape.columns().end());
  std::vector<std::pair<const JsonShape*, std::string>> inner;
  for (const JsonShape* child : shape.children()) {
    std::string inner_name = child->member();
    if (!taken.insert(inner_name).second) inner_name = name + "_" + inner_name;
    taken.insert(inner_name);
    table->declared_links.push_back({child->member(), inner_name});
    inner.emplace_back(child, inner_name);
  }
  if (!table->columns.empty()) out.push_back(std::move(table));
  for (const auto& [child, inner_name] : inner)
    add_tables(source, *child, inner_name, lines, taken, out);
}

}  // namespace

Result<std::vector<std::unique_ptr<SourceTable>>> json_tables(std::string_view text,
                                                              std::shared_ptr<void> keeps,
                                                              const std::string& file, bool lines) {
  ANIMA_ASSIGN(auto rows, rows_of(text, file, lines));
  std::vector<std::unique_ptr<SourceTable>> out;
  std::set<std::string> taken;
  for (const JsonRows& each : rows) taken.insert(each.name);
  for (JsonRows& each : rows) {
    auto source = std::make_shared<JsonSource>();
    source->keeps = keeps;
    source->file = file;
    source->rows = std::move(each);
    JsonRowReader reader(source->rows, source->file);
    Json object;
    std::uint64_t number = 0;
    for (;;) {
      ANIMA_ASSIGN(const bool more, reader.next(object, number));
      if (!more) break;
      source->shape.add(object);
    }
    source->shape.finish();
    const std::string name = source->rows.name;
    add_tables(source, source->shape, name, lines, taken, out);
  }
  if (out.empty())
    return fail(ErrorCode::kInvalidArgument, "there is nothing in these objects", file);
  return out;
}

}  // namespace anima::load
