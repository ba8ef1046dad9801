#include "store/space/act_marks.h"

#include <optional>
#include <string_view>
#include <utility>

#include "base/text/read_number.h"
#include "store/log/entry_codec.h"

namespace anima::store::detail {
namespace {

constexpr std::string_view kFolder = "acts";
constexpr std::string_view kEnding = ".act";
constexpr std::string_view kOver = "over\n";

std::optional<LeftAct> parse_name(std::string_view name) {
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos || !name.ends_with(kEnding)) return std::nullopt;
  const auto head = read_number<std::uint64_t>(name.substr(0, dash));
  const auto mark =
      read_number<std::uint32_t>(name.substr(dash + 1, name.size() - dash - 1 - kEnding.size()));
  if (!head || !mark) return std::nullopt;
  LeftAct left;
  left.after = Sequence{*head};
  left.mark = *mark;
  return left;
}

}  // namespace

ActMark::~ActMark() {
  if (!over_) left_ = true;
}

bool may_pass(const Error& error) {
  switch (error.code) {
    case ErrorCode::kIo:
    case ErrorCode::kDiskFull:
    case ErrorCode::kBusy:
    case ErrorCode::kLimitExceeded:
    case ErrorCode::kCorrupt:
    case ErrorCode::kCancelled:
    case ErrorCode::kDenied:  // by the door through which the act came
      return true;
    default:
      return false;
  }
}

// A folder that lets nothing go may still take what the file says.
Status ActMark::end() {
  Status removed = files_.remove(path_);
  const bool gone = removed || removed.error().code == ErrorCode::kNotFound;
  if (!gone) {
    const auto file = files_.open(path_, OpenMode::kReadWrite);
    if (!file) return removed;
    ANIMA_TRY((*file)->append(kOver));
  }
  over_ = true;
  return {};
}

Result<std::unique_ptr<ActMark>> mark_act(FileSystem& files, const std::string& folder,
                                          Sequence head, std::uint32_t mark,
                                          std::atomic<bool>& left) {
  const std::string acts = join_path(folder, kFolder);
  ANIMA_TRY(files.make_directories(acts, 0700));
  std::string path = join_path(
      acts, std::to_string(to_number(head)) + "-" + std::to_string(mark) + std::string(kEnding));
  ANIMA_ASSIGN(std::unique_ptr<FileLock> lock, files.lock(path, LockMode::kExclusive, false));
  return std::make_unique<ActMark>(files, std::move(path), std::move(lock), left);
}

std::vector<LeftAct> left_acts(FileSystem& files, const std::string& folder,
                               std::atomic<bool>& left) {
  std::vector<LeftAct> found;
  const std::string acts = join_path(folder, kFolder);
  const auto entries = files.list(acts);
  if (!entries) return found;  // nothing was ever under way
  for (const DirectoryEntry& entry : *entries) {
    std::optional<LeftAct> named = parse_name(entry.name);
    if (!named) continue;
    const std::string path = join_path(acts, entry.name);
    auto lock = files.lock(path, LockMode::kExclusive, false);
    if (!lock) continue;  // it runs
    named->held = std::make_unique<ActMark>(files, path, *std::move(lock), left);
    const auto file = files.info(path);
    if (!file || file->size > 0) {
      (void)named->held->end();
      continue;
    }
    found.push_back(*std::move(named));
  }
  return found;
}

}  // namespace anima::store::detail
