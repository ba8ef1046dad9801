#include "base/files/output_place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace anima {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;

// What a file of a space begins with, from the byte `at` on.
struct Mark {
  std::string_view name;
  std::size_t at;
  std::string_view bytes;
};
// On disk, never change: docs/formats.md.
constexpr std::array<Mark, 4> kMarks = {{
    {"log.db", 68, "ANIM"},  // the application of a SQLite file
    {"log.head", 0, "anihead1"},
    {"log.address", 0, "anima log address "},
    {"log.turn", 0, ""},
}};

// A file that is there and must not be read may well be one.
bool has(const fs::path& folder, const Mark& mark) {
  const fs::path path = folder / mark.name;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat there {};
  if (descriptor < 0) return errno == EACCES && ::lstat(path.c_str(), &there) == 0;
  std::array<char, 32> bytes{};
  const ssize_t read =
      ::pread(descriptor, bytes.data(), mark.bytes.size(), static_cast<off_t>(mark.at));
  ::close(descriptor);
  return read == static_cast<ssize_t>(mark.bytes.size()) &&
         std::string_view(bytes.data(), mark.bytes.size()) == mark.bytes;
}

bool is_space(const fs::path& folder) {
  return std::ranges::any_of(kMarks, [&](const Mark& mark) { return has(folder, mark); });
}

// The path, and what it leads to through links, each without links in its folders.
std::vector<fs::path> places_of(const std::string& path) {
  std::vector<fs::path> places;
  std::error_code problem;
  fs::path next = fs::absolute(path, problem);
  while (!problem && places.size() < kMostLinks) {
    const fs::path folder = fs::weakly_canonical(next.parent_path(), problem);
    if (problem) break;
    places.push_back(folder / next.filename());
    const fs::path target = fs::read_symlink(places.back(), problem);
    if (!problem) next = target.is_absolute() ? target : folder / target;
  }
  return places;
}

std::optional<struct stat> status_of(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

bool is_same(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// The folder above the place that is a space, if one is.
std::optional<fs::path> space_around(const fs::path& place,
                                     const std::optional<struct stat>& space) {
  for (fs::path folder = place.parent_path();; folder = folder.parent_path()) {
    const auto here = space ? status_of(folder) : std::nullopt;
    if ((here && is_same(*here, *space)) || is_space(folder)) return folder;
    if (folder == folder.parent_path()) return std::nullopt;
  }
}

// The file below the folder that is this one under another name.
std::optional<fs::path> same_below(const fs::path& folder, const struct stat& file) {
  std::error_code problem;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                      problem);
  for (const fs::recursive_directory_iterator end; !problem && at != end; at.increment(problem)) {
    struct stat each {};
    if (::lstat(at->path().c_str(), &each) == 0 && is_same(each, file)) return at->path();
  }
  return std::nullopt;
}

}  // namespace

Status check_output_place(const std::string& path, const std::string& space,
                          std::span<const std::string> inputs) {
  const std::vector<fs::path> places = places_of(path);
  const auto folder = space.empty() ? std::nullopt : status_of(space);
  for (const fs::path& place : places) {
    if (const auto around = space_around(place, folder)) {
      return fail(ErrorCode::kInvalidArgument,
                  "this lies in the space " + around->string() + ", whose files are its own", path,
                  "name a file outside of it");
    }
  }
  const auto file = status_of(path);
  if (!file || !S_ISREG(file->st_mode)) return {};
  for (const std::string& input : inputs) {
    const auto read = status_of(input);
    if (read && is_same(*read, *file)) {
      return fail(ErrorCode::kInvalidArgument, "the command reads this file, and would replace it",
                  path, "name another file");
    }
  }
  if (file->st_nlink < 2) return {};
  const auto same = folder ? same_below(space, *file) : std::nullopt;
  if (same) {
    return fail(ErrorCode::kInvalidArgument, "this is another name of " + same->string(), path,
                "name a file outside of the space");
  }
  if (places.size() < 2) return {};
  // Written in place, all its names would have it.
  return fail(ErrorCode::kInvalidArgument, "the link leads to a file that has other names, too",
              path, "name the file itself, or another one");
}

}  // namespace anima
