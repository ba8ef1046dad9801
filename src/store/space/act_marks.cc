#include "store/space/act_marks.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "store/log/entry_codec.h"

namespace anima::store::detail {
namespace {

constexpr std::string_view kFolder = "acts";
constexpr std::string_view kEnding = ".act";

bool read_number(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<LeftAct> parse_name(std::string_view name) {
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos || !name.ends_with(kEnding)) return std::nullopt;
  std::uint64_t head = 0, mark = 0;
  const std::string_view rest = name.substr(dash + 1, name.size() - dash - 1 - kEnding.size());
  if (!read_number(name.substr(0, dash), head) || !read_number(rest, mark) || mark > UINT32_MAX)
    return std::nullopt;
  LeftAct left;
  left.after = Sequence{head};
  left.mark = static_cast<std::uint32_t>(mark);
  return left;
}

}  // namespace

ActMark::~ActMark() { (void)files_.remove(path_); }

Result<std::unique_ptr<ActMark>> mark_act(FileSystem& files, const std::string& folder,
                                          Sequence head, std::uint32_t mark) {
  const std::string acts = join_path(folder, kFolder);
  ANIMA_TRY(files.make_directories(acts, 0700));
  std::string path = join_path(
      acts, std::to_string(to_number(head)) + "-" + std::to_string(mark) + std::string(kEnding));
  ANIMA_ASSIGN(std::unique_ptr<FileLock> lock, files.lock(path, LockMode::kExclusive, false));
  return std::make_unique<ActMark>(files, std::move(path), std::move(lock));
}

std::vector<LeftAct> left_acts(FileSystem& files, const std::string& folder) {
  std::vector<LeftAct> left;
  const std::string acts = join_path(folder, kFolder);
  const auto entries = files.list(acts);
  if (!entries) return left;  // nothing was ever under way
  for (const DirectoryEntry& entry : *entries) {
    std::optional<LeftAct> named = parse_name(entry.name);
    if (!named) continue;
    const std::string path = join_path(acts, entry.name);
    auto lock = files.lock(path, LockMode::kExclusive, false);
    if (!lock) continue;  // it runs
    named->held = std::make_unique<ActMark>(files, path, *std::move(lock));
    left.push_back(*std::move(named));
  }
  return left;
}

}  // namespace anima::store::detail
