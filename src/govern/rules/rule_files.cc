#include "govern/rules/rule_files.h"

#include <filesystem>
#include <system_error>

namespace anima::govern {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20;
constexpr std::string_view kEnding = ".mg";
// The coarsest clock of a file system counts in steps of two seconds.
constexpr std::int64_t kSettlesNanoseconds = 2'100'000'000;

std::string absolute(const std::string& folder) {
  std::error_code problem;
  const auto path = std::filesystem::absolute(folder, problem);
  return problem ? folder : path.string();
}

Status read_folder(FileSystem& files, const std::string& folder,
                   std::vector<PolicySource>& sources) {
  const auto entries = files.list(folder);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return {};
  if (!entries) return fail(entries.error());
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.name.ends_with(kEnding)) continue;
    std::string path = join_path(folder, entry.name);
    ANIMA_ASSIGN(const FileInfo info, files.info(path));
    if (info.kind != FileInfo::Kind::kFile)
      return fail(ErrorCode::kInvalidArgument, "rules stand in files, and this is none", path);
    ANIMA_ASSIGN(std::string text, read_file(files, path, kMostBytes));
    sources.push_back({std::move(path), std::move(text)});
  }
  return {};
}

}  // namespace

std::vector<std::string> general_rule_folders(const Environment& environment) {
  return {join_path("/etc/anima", "policy"),
          join_path(user_directories(environment).config, "policy")};
}

Result<std::vector<PolicySource>> rules_in(FileSystem& files,
                                           const std::vector<std::string>& folders) {
  std::vector<PolicySource> sources;
  for (const std::string& folder : folders) ANIMA_TRY(read_folder(files, folder, sources));
  return sources;
}

RuleFiles::RuleFiles(FileSystem& files, Clock& clock, const std::vector<std::string>& folders)
    : files_(files), clock_(clock) {
  for (const std::string& folder : folders) folders_.push_back(absolute(folder));
}

// Of the folders, then of the files that were read.
std::vector<FileStamp> RuleFiles::stamps() const {
  std::vector<FileStamp> found;
  found.reserve(folders_.size() + rules_.size());
  for (const std::string& folder : folders_) found.push_back(stamp_of(folder));
  for (const PolicySource& source : rules_) found.push_back(stamp_of(source.name));
  return found;
}

Result<bool> RuleFiles::changed() {
  const std::int64_t now = clock_.monotonic_nanoseconds();
  const bool untouched = known_ && stamps() == stamps_;
  if (untouched && settled_) return false;
  auto read = rules_in(files_, folders_);
  // A file that went between the list and the look at it: the list was of before.
  if (!read && read.error().code == ErrorCode::kNotFound) read = rules_in(files_, folders_);
  if (!read) {
    known_ = false;
    return fail(read.error());
  }
  const bool same = known_ && rules_ == *read;
  if (!same) rules_ = *std::move(read);
  known_ = true;
  // Whatever is done to the files between reading and this is found by reading until they settle.
  if (!untouched) {
    stamps_ = stamps();
    settles_ = clock_.monotonic_nanoseconds() + kSettlesNanoseconds;
  }
  settled_ = untouched && same && now >= settles_;
  return !same;
}

}  // namespace anima::govern
