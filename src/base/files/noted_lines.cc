#include "base/files/noted_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/crc32.h"

namespace anima {
namespace {

constexpr std::string_view kLine = "line";
constexpr std::string_view kCheck = "check";

std::string check_of(const Json& line) { return fmt::format("{:08x}", crc32(line.dump())); }

// Whether the line says what its check says; nothing for a line without one.
std::optional<bool> checked(const Json& line) {
  const JsonObject& members = line.as_object();
  if (line.find(kCheck) == nullptr && line.find(kLine) == nullptr) return std::nullopt;
  if (members.empty() || members.back().first != kCheck) return false;
  Json without = line;
  without.as_object().pop_back();
  return members.back().second == Json(check_of(without));
}

NotedLines read_lines(std::string_view text) {
  NotedLines notes;
  const auto damaged = [&](std::uint64_t number) {
    if (!notes.damaged_from) notes.damaged_from = number;
  };
  bool numbered = false;
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const bool torn = end == text.size();
    Result<Json> line = parse_json(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool object = !torn && line && line->is_object();
    if (!object || !checked(*line).value_or(!numbered)) {
      damaged(number);
      continue;
    }
    const Json* said = line->find(kLine);
    if (said != nullptr && !(*said == Json(number))) damaged(number);
    numbered = numbered || said != nullptr;
    notes.lines.push_back(std::move(*line));
  }
  return notes;
}

// A folder holds no lines, and a pipe may never end.
Status check_is_file(FileSystem& files, const std::string& path) {
  const auto info = files.info(path);
  if (!info || info->kind == FileInfo::Kind::kFile) return {};
  return fail(ErrorCode::kIo, "this is no file", path, "move it away");
}

Result<std::string> text_of(FileSystem& files, const std::string& path) {
  ANIMA_TRY(check_is_file(files, path));
  Result<std::string> text = read_file(files, path);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::string();
  return text;
}

}  // namespace

Result<NotedLines> read_noted_lines(FileSystem& files, const std::string& path) {
  ANIMA_TRY(check_is_file(files, path));
  const Result<std::string> text = read_file(files, path);
  if (text) return read_lines(*text);
  if (text.error().code != ErrorCode::kNotFound) return fail(text.error());
  NotedLines none;
  none.missing = true;
  return none;
}

Status check_takes_noted_line(FileSystem& files, const std::string& path) {
  ANIMA_TRY(check_is_file(files, path));
  const auto file = files.open(path, OpenMode::kReadWrite);
  if (file || file.error().code == ErrorCode::kNotFound) return {};
  return fail(file.error());
}

Status append_noted_line(FileSystem& files, const std::string& path, Json line) {
  ANIMA_ASSIGN(const std::string there, text_of(files, path));
  const bool torn = !there.empty() && there.back() != '\n';
  const auto lines = static_cast<std::uint64_t>(std::ranges::count(there, '\n')) + (torn ? 1 : 0);
  line.set(kLine, lines + 1);
  const std::string check = check_of(line);
  line.set(kCheck, check);
  ANIMA_ASSIGN(const auto file, files.open(path, OpenMode::kCreate));
  ANIMA_TRY(file->append((torn ? "\n" : "") + line.dump() + "\n"));
  ANIMA_TRY(file->sync());
  return there.empty() ? files.sync_directory(std::string(parent_path(path))) : Status();
}

}  // namespace anima
