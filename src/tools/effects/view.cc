#include "tools/effects/view.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <utility>

#include "base/files/file.h"
#include "tools/effects/folder_handle.h"

namespace anima::tools::effects {
namespace {

constexpr std::uint64_t kMostCopiedBytes = std::uint64_t{2} << 30;
constexpr std::size_t kMostCopiedEntries = 200'000;
constexpr std::int64_t kFresh = 60;         // seconds in which somebody may be about to lock it
constexpr std::size_t kLongestPath = 1024;  // three of them are the options of a mount: a page

std::int64_t now_by(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// A moment of the clock that the kernel stamps files with, which goes in ticks: whatever was
// changed before this call has an earlier stamp, whatever is changed after it has this one or a
// later one.
std::int64_t moment_by_the_kernel() {
  const std::int64_t begin = now_by(CLOCK_REALTIME);
  while (true) {
    const std::int64_t tick = now_by(CLOCK_REALTIME_COARSE);
    // A clock that was set back shall not hold anybody up.
    if (tick > begin || tick + 1'000'000'000 < begin) return tick;
    const timespec pause = {.tv_sec = 0, .tv_nsec = 500'000};
    (void)nanosleep(&pause, nullptr);
  }
}

// What a mount reads as more than a name.
bool fits_mount_options(const std::string& path) {
  return path.size() <= kLongestPath && path.find_first_of(",:\\\"") == std::string::npos;
}

Status make_like(const std::string& path, const struct stat& model) {
  if (mkdir(path.c_str(), 0700) != 0) return fail(os_error(errno, "cannot make a folder", path));
  if (geteuid() == 0 && chown(path.c_str(), model.st_uid, model.st_gid) != 0)
    return fail(os_error(errno, "cannot give a folder away", path));
  if (chmod(path.c_str(), model.st_mode & 07777) != 0)
    return fail(os_error(errno, "cannot set the mode of a folder", path));
  return {};
}

class Copier {
 public:
  Copier(Manifest& manifest, std::int64_t since_ns) : manifest_(manifest), since_ns_(since_ns) {}

  Status folder(int from, int to, const std::string& path, int depth) {
    if (depth > kMostDepth)
      return fail(ErrorCode::kLimitExceeded, "the work folder is too deep to be copied", path);
    ANIMA_ASSIGN(const std::vector<std::string> names, names_in(from));
    for (const std::string& name : names) {
      const std::string inner = path.empty() ? name : path + '/' + name;
      ANIMA_ASSIGN(const Entry entry, entry_at(from, name));
      if (entry.kind == EntryKind::kSpecial) continue;
      ANIMA_TRY(check_quiet(from, name, inner));
      ANIMA_TRY(one(from, to, name, inner, entry, depth));
      manifest_.emplace(inner, entry.stamp);
    }
    return {};
  }

 private:
  // Within one tick of the clock a second change would leave the stamp of the first.
  Status check_quiet(int from, const std::string& name, const std::string& path) const {
    struct stat info = {};
    if (fstatat(from, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
      return fail(os_error(errno, "cannot look at", path));
    const std::int64_t changed =
        static_cast<std::int64_t>(info.st_ctim.tv_sec) * 1'000'000'000 + info.st_ctim.tv_nsec;
    if (S_ISDIR(info.st_mode) || changed < since_ns_) return {};
    return fail(ErrorCode::kConflict, "somebody else changed this while it was copied", path,
                "run the command again");
  }

  Status one(int from, int to, const std::string& name, const std::string& path, const Entry& entry,
             int depth) {
    bytes_ += entry.size;
    if (bytes_ > kMostCopiedBytes || manifest_.size() >= kMostCopiedEntries) {
      return fail(ErrorCode::kLimitExceeded,
                  fmt::format("the work folder is too large to be copied: more than {} MiB or {} "
                              "files",
                              kMostCopiedBytes >> 20, kMostCopiedEntries),
                  path, "this machine has no overlayfs for ordinary users (`anima doctor`)");
    }
    if (entry.kind == EntryKind::kFile) return file(from, to, name, path, entry);
    if (entry.kind == EntryKind::kLink) {
      if (symlinkat(entry.target.c_str(), to, name.c_str()) != 0)
        return fail(os_error(errno, "cannot copy a link", path));
      return own(from, to, name);
    }
    if (mkdirat(to, name.c_str(), 0700) != 0)
      return fail(os_error(errno, "cannot copy a folder", path));
    {
      ANIMA_ASSIGN(const Handle inner_from, open_folder_in(from, name));
      ANIMA_ASSIGN(const Handle inner_to, open_folder_in(to, name));
      ANIMA_TRY(folder(inner_from.get(), inner_to.get(), path, depth + 1));
      if (fchmod(inner_to.get(), entry.mode) != 0)
        return fail(os_error(errno, "cannot set a mode", path));
    }
    return own(from, to, name);
  }

  static Status file(int from, int to, const std::string& name, const std::string& path,
                     const Entry& entry) {
    ANIMA_ASSIGN(const Handle source, open_file_in(from, name));
    const Handle copy(openat(to, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!copy.is_open()) return fail(os_error(errno, "cannot copy", path));
    ANIMA_TRY(copy_bytes(source.get(), copy.get()));
    const std::array<timespec, 2> times = {timespec{.tv_sec = 0, .tv_nsec = UTIME_OMIT},
                                           time_of(entry.modified_ns)};
    ANIMA_TRY(own(from, to, name));
    if (fchmod(copy.get(), entry.mode) != 0 || futimens(copy.get(), times.data()) != 0)
      return fail(os_error(errno, "cannot copy the mode of", path));
    return {};
  }

  static Status own(int from, int to, const std::string& name) {
    struct stat info = {};
    if (geteuid() != 0) return {};
    if (fstatat(from, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        fchownat(to, name.c_str(), info.st_uid, info.st_gid, AT_SYMLINK_NOFOLLOW) != 0) {
      return fail(os_error(errno, "cannot copy the owner of", name));
    }
    return {};
  }

  Manifest& manifest_;
  std::int64_t since_ns_;
  std::uint64_t bytes_ = 0;
};

}  // namespace

std::string_view to_string(ViewKind kind) { return kind == ViewKind::kLayers ? "layers" : "copy"; }

View::View(ViewKind kind, std::string folder, std::string place, detail::FolderLock lock)
    : kind_(kind), folder_(std::move(folder)), place_(std::move(place)), lock_(std::move(lock)) {}

Result<View> View::make(ViewKind kind, const std::string& folder, const std::string& place) {
  ANIMA_TRY(system_files().make_directories(place, 0700));
  ANIMA_ASSIGN(detail::FolderLock lock, detail::FolderLock::take(place, 0));
  View view(kind, folder, place, std::move(lock));
  view.since_ns_ = moment_by_the_kernel();
  if (kind == ViewKind::kLayers) {
    ANIMA_TRY(view.make_layers());
  } else {
    ANIMA_TRY(view.copy());
  }
  return view;
}

View::View(View&& other) noexcept
    : kind_(other.kind_),
      folder_(std::move(other.folder_)),
      place_(std::exchange(other.place_, {})),
      since_ns_(other.since_ns_),
      manifest_(std::move(other.manifest_)),
      lock_(std::move(other.lock_)) {}

View::~View() {
  if (!place_.empty()) remove_all(place_);
}

Status View::make_layers() const {
  if (!fits_mount_options(folder_) || !fits_mount_options(place_))
    return fail(ErrorCode::kUnsupported, "the name of the folder does not fit a mount", folder_);
  struct stat model = {};
  if (stat(folder_.c_str(), &model) != 0)
    return fail(os_error(errno, "cannot look at the folder", folder_));
  const std::string upper = place_ + "/upper", scratch = place_ + "/scratch";
  ANIMA_TRY(make_like(upper, model));
  ANIMA_TRY(make_like(scratch, model));
  if (setxattr(upper.c_str(), "user.anima", "y", 1, 0) != 0 ||
      removexattr(upper.c_str(), "user.anima") != 0) {
    return fail(ErrorCode::kUnsupported, "the file system has no extended attributes", place_);
  }
  return {};
}

Status View::copy() {
  struct stat model = {};
  if (stat(folder_.c_str(), &model) != 0)
    return fail(os_error(errno, "cannot look at the folder", folder_));
  ANIMA_TRY(make_like(place_ + "/copy", model));
  ANIMA_ASSIGN(const Handle from, open_folder(folder_));
  ANIMA_ASSIGN(const Handle to, open_folder(place_ + "/copy"));
  return Copier(manifest_, since_ns_).folder(from.get(), to.get(), {}, 0);
}

FolderView View::shown() const {
  if (kind_ == ViewKind::kCopy) return {folder_, place_ + "/copy", {}};
  return {folder_, place_ + "/upper", place_ + "/scratch"};
}

Result<Difference> View::difference(const ScanLimits& limits) const {
  if (kind_ == ViewKind::kCopy) return scan_copy(folder_, place_ + "/copy", manifest_, limits);
  return scan_layers(folder_, place_ + "/upper", since_ns_, limits);
}

std::string View::content_of(const std::string& path) const {
  return place_ + (kind_ == ViewKind::kCopy ? "/copy/" : "/upper/") + path;
}

void remove_left_views(const std::string& state) {
  const auto entries = system_files().list(state);
  if (!entries) return;
  const std::int64_t now = now_by(CLOCK_REALTIME) / 1'000'000'000;
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.name.starts_with(kViewPrefix)) continue;
    const std::string place = join_path(state, entry.name);
    struct stat info = {};
    if (stat(place.c_str(), &info) != 0 || info.st_mtim.tv_sec + kFresh > now) continue;
    const auto lock = detail::FolderLock::take(place, 0);
    if (lock) remove_all(place);
  }
}

}  // namespace anima::tools::effects
