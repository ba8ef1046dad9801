#include "tools/effects/scan.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "tools/effects/folder_handle.h"

namespace anima::tools::effects {
namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;
constexpr mode_t kModeBits = 07777;

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * kNanoseconds + time.tv_nsec;
}

// What overlayfs leaves in the upper folder where something was removed.
bool is_whiteout(const struct stat& info) { return S_ISCHR(info.st_mode) && info.st_rdev == 0; }

bool is_opaque(int folder) {
  std::array<char, 4> value{};
  return fgetxattr(folder, "user.overlay.opaque", value.data(), value.size()) == 1 &&
         value[0] == 'y';
}

Result<std::string> link_target(int folder, const std::string& name) {
  std::string target(4096, '\0');
  const ssize_t size = readlinkat(folder, name.c_str(), target.data(), target.size());
  if (size < 0) return fail(os_error(errno, "cannot read a link", name));
  target.resize(static_cast<std::size_t>(size));
  return target;
}

Result<Entry> entry_of(int folder, const std::string& name, const struct stat& info) {
  Entry entry;
  entry.stamp = fmt::format("{}:{}:{}:{}", info.st_ino, info.st_size, nanoseconds(info.st_mtim),
                            nanoseconds(info.st_ctim));
  entry.mode = info.st_mode & kModeBits;
  if (S_ISREG(info.st_mode)) {
    entry.kind = EntryKind::kFile;
    entry.size = static_cast<std::uint64_t>(info.st_size);
    entry.modified_ns = nanoseconds(info.st_mtim);
  } else if (S_ISDIR(info.st_mode)) {
    entry.kind = EntryKind::kFolder;
    entry.stamp.clear();  // its times change with what is in it
  } else if (S_ISLNK(info.st_mode)) {
    entry.kind = EntryKind::kLink;
    entry.mode = 0;
    ANIMA_ASSIGN(entry.target, link_target(folder, name));
  } else {
    entry.kind = EntryKind::kSpecial;
  }
  return entry;
}

class Scanner {
 public:
  Scanner(bool layers, std::int64_t since_ns, const ScanLimits& limits)
      : layers_(layers), since_ns_(since_ns), limits_(limits) {}

  Result<Difference> scan(const std::string& lower, const std::string& upper) {
    ANIMA_ASSIGN(const Handle below, open_folder(lower));
    ANIMA_ASSIGN(const Handle above, open_folder(upper));
    struct stat was = {}, is = {};
    if (fstat(below.get(), &was) != 0 || fstat(above.get(), &is) != 0)
      return fail(os_error(errno, "cannot look at the folder", lower));
    if (((was.st_mode ^ is.st_mode) & kModeBits) != 0) {
      Change change{.path = ".", .before = {}, .after = {}, .moved_to = {}};
      change.before.kind = change.after.kind = EntryKind::kFolder;
      change.before.mode = was.st_mode & kModeBits;
      change.after.mode = is.st_mode & kModeBits;
      difference_.changes.push_back(std::move(change));
    }
    ANIMA_TRY(folders(below.get(), above.get(), {}, !layers_, 0));
    std::ranges::sort(difference_.changes, {}, &Change::path);
    ANIMA_TRY(hash_what_may_have_moved(below.get()));
    difference_.find_moves();
    return std::move(difference_);
  }

 private:
  struct Side {
    int folder;
    struct stat info = {};
    bool there = false;
  };

  static Side look(int folder, const std::string& name) {
    Side side{.folder = folder};
    side.there = folder >= 0 && fstatat(folder, name.c_str(), &side.info, AT_SYMLINK_NOFOLLOW) == 0;
    return side;
  }

  // `below` may be -1: nothing is there. `whole`: what is not above is gone.
  Status folders(int below, int above, const std::string& path, bool whole, int depth) {
    if (depth > kMostDepth) {
      return fail(ErrorCode::kLimitExceeded,
                  fmt::format("the command made folders deeper than {}", kMostDepth),
                  shown_path(path));
    }
    ANIMA_ASSIGN(const std::vector<std::string> names, names_in(above));
    for (const std::string& name : names)
      ANIMA_TRY(compare(below, above, name, join(path, name), whole, depth));
    if (!whole || below < 0) return {};
    ANIMA_ASSIGN(const std::vector<std::string> before, names_in(below));
    for (const std::string& name : before) {
      if (!std::ranges::binary_search(names, name))
        ANIMA_TRY(removed(look(below, name), name, join(path, name), depth));
    }
    return {};
  }

  Status compare(int below, int above, const std::string& name, const std::string& path, bool whole,
                 int depth) {
    const Side was = look(below, name), is = look(above, name);
    if (!is.there) return fail(os_error(errno, "cannot look at", shown_path(path)));
    if (is_whiteout(is.info)) return removed(was, name, path, depth);
    const bool was_folder = was.there && S_ISDIR(was.info.st_mode);
    Change change;
    change.path = path;
    if (was.there) {
      ANIMA_ASSIGN(change.before, before(was, name, path));
    }
    ANIMA_ASSIGN(change.after, entry_of(above, name, is.info));
    change.after.stamp.clear();
    if (change.after.kind == EntryKind::kSpecial) {
      difference_.left_out.push_back(path);
      return was.there ? removed(was, name, path, depth) : Status();
    }
    if (change.before.kind == EntryKind::kSpecial) {
      return fail(ErrorCode::kUnsupported, "the command replaced a pipe, a socket or a device",
                  shown_path(path));
    }
    if (change.after.kind == EntryKind::kFile) {
      ANIMA_TRY(check_owner_bits(change));
      ANIMA_TRY(read_file_change(was, above, name, change));
    }
    if (change.after.kind != EntryKind::kLink) strip_attributes(was, above, name, path);
    if (was_folder && change.after.kind != EntryKind::kFolder)
      ANIMA_TRY(removed_inside(below, name, path, depth));
    const bool is_folder = change.after.kind == EntryKind::kFolder;
    if (differs(change)) ANIMA_TRY(note(std::move(change)));
    if (!is_folder) return {};
    Handle inner_below;
    if (was_folder) {
      ANIMA_ASSIGN(inner_below, open_folder_in(below, name));
    }
    ANIMA_ASSIGN(const Handle inner_above, open_folder_in(above, name, true));
    return folders(inner_below.get(), inner_above.get(), path,
                   whole || !was_folder || is_opaque(inner_above.get()), depth + 1);
  }

  // No program of a command may make such a file; the filter of its system calls says so first.
  static Status check_owner_bits(const Change& change) {
    constexpr std::uint32_t kOwnerBits = S_ISUID | S_ISGID;
    const std::uint32_t before =
        change.before.kind == EntryKind::kFile ? change.before.mode : std::uint32_t{0};
    if ((change.after.mode & kOwnerBits & ~before) == 0) return {};
    return fail(ErrorCode::kDenied, "the command made a file that runs as its owner or group",
                shown_path(change.path));
  }

  // Extended attributes and access lists are not carried over. What is new of them is told, but
  // for what the layers keep there.
  void strip_attributes(const Side& was, int above, const std::string& name,
                        const std::string& path) {
    const auto held = hold_entry(above, name);
    if (!held) return;
    const auto after = attributes_of(held->get());
    if (after.empty()) return;
    std::map<std::string, std::string> before;
    if (was.there && !S_ISLNK(was.info.st_mode)) {
      if (const auto old = hold_entry(was.folder, name)) before = attributes_of(old->get());
    }
    for (const auto& [attribute, value] : after) {
      const auto known = before.find(attribute);
      if (attribute.starts_with("user.overlay.") ||
          (known != before.end() && known->second == value)) {
        continue;
      }
      difference_.left_out.push_back(path + " (" + attribute + ")");
    }
  }

  static bool differs(const Change& change) {
    const Entry &was = change.before, &is = change.after;
    if (was.kind != is.kind || was.mode != is.mode || was.target != is.target) return true;
    return is.kind == EntryKind::kFile &&
           (was.hash != is.hash || was.modified_ns != is.modified_ns);
  }

  // What a command could not have known is in its way.
  Result<Entry> before(const Side& was, const std::string& name, const std::string& path) {
    if (!S_ISDIR(was.info.st_mode) && nanoseconds(was.info.st_ctim) >= since_ns_) {
      return fail(ErrorCode::kConflict,
                  "somebody else changed this while the command ran: nothing was applied",
                  shown_path(path), "run the command again");
    }
    return entry_of(was.folder, name, was.info);
  }

  Status removed(const Side& was, const std::string& name, const std::string& path, int depth) {
    if (!was.there) return {};
    Change change;
    change.path = path;
    ANIMA_ASSIGN(change.before, before(was, name, path));
    if (change.before.kind == EntryKind::kSpecial) {
      if (!layers_) return {};  // no copy has it
      return fail(ErrorCode::kUnsupported, "the command removed a pipe, a socket or a device",
                  shown_path(path));
    }
    const bool folder = change.before.kind == EntryKind::kFolder;
    ANIMA_TRY(note(std::move(change)));
    return folder ? removed_inside(was.folder, name, path, depth) : Status();
  }

  Status removed_inside(int below, const std::string& name, const std::string& path, int depth) {
    if (depth > kMostDepth) {
      return fail(ErrorCode::kLimitExceeded,
                  fmt::format("the command removed folders deeper than {}", kMostDepth),
                  shown_path(path));
    }
    ANIMA_ASSIGN(const Handle folder, open_folder_in(below, name));
    ANIMA_ASSIGN(const std::vector<std::string> names, names_in(folder.get()));
    for (const std::string& each : names)
      ANIMA_TRY(removed(look(folder.get(), each), each, join(path, each), depth + 1));
    return {};
  }

  // The hash of what is there now, and of what was when only it can tell whether that differs.
  Status read_file_change(const Side& was, int above, const std::string& name, Change& change) {
    ANIMA_ASSIGN(const Handle file, open_file_in(above, name, true));
    ANIMA_ASSIGN(change.after.hash, read(file.get(), change.after.size));
    if (change.before.kind == EntryKind::kFile && change.before.size == change.after.size) {
      ANIMA_ASSIGN(const Handle old, open_file_in(was.folder, name));
      ANIMA_ASSIGN(change.before.hash, read(old.get(), change.before.size));
    }
    if (change.has_new_content()) difference_.bytes += change.after.size;
    return {};
  }

  Result<std::string> read(int file, std::uint64_t size) {
    read_ += size;
    if (read_ > limits_.bytes) {
      return fail(ErrorCode::kLimitExceeded,
                  fmt::format("the command changed more than {} MiB", limits_.bytes >> 20));
    }
    return hash_of(file);
  }

  // Deleted files as long as one that came can be the same.
  Status hash_what_may_have_moved(int below) {
    std::vector<std::uint64_t> sizes;
    for (const Change& change : difference_.changes) {
      if (change.has_new_content()) sizes.push_back(change.after.size);
    }
    std::ranges::sort(sizes);
    for (Change& change : difference_.changes) {
      if (change.before.kind != EntryKind::kFile || change.after.kind != EntryKind::kAbsent ||
          !std::ranges::binary_search(sizes, change.before.size)) {
        continue;
      }
      std::string name;
      ANIMA_ASSIGN(const Handle parent, open_parent_of(below, change.path, name));
      ANIMA_ASSIGN(const Handle file, open_file_in(parent.get(), name));
      ANIMA_ASSIGN(change.before.hash, read(file.get(), change.before.size));
    }
    return {};
  }

  Status note(Change change) {
    if (difference_.changes.size() >= limits_.entries) {
      return fail(ErrorCode::kLimitExceeded,
                  fmt::format("the command changed more than {} files", limits_.entries));
    }
    difference_.changes.push_back(std::move(change));
    return {};
  }

  static std::string join(const std::string& path, const std::string& name) {
    return path.empty() ? name : path + '/' + name;
  }

  const bool layers_;
  const std::int64_t since_ns_;
  const ScanLimits limits_;
  std::uint64_t read_ = 0;
  Difference difference_;
};

Error changed_meanwhile(const std::string& path) {
  return {ErrorCode::kConflict,
          "somebody else changed the folder while the command ran: nothing was applied",
          shown_path(path), "run the command again"};
}

// That the original is what it was, everywhere.
Status check_manifest(int folder, const std::string& path, const Manifest& manifest,
                      std::size_t& seen, int depth) {
  if (depth > kMostDepth) return fail(ErrorCode::kLimitExceeded, "the folder is too deep", path);
  ANIMA_ASSIGN(const std::vector<std::string> names, names_in(folder));
  for (const std::string& name : names) {
    const std::string inner = path.empty() ? name : path + '/' + name;
    ANIMA_ASSIGN(const Entry entry, entry_at(folder, name));
    if (entry.kind == EntryKind::kSpecial) continue;
    const auto known = manifest.find(inner);
    if (known == manifest.end() || known->second != entry.stamp) {
      return fail(changed_meanwhile(inner));
    }
    ++seen;
    if (entry.kind != EntryKind::kFolder) continue;
    ANIMA_ASSIGN(const Handle opened, open_folder_in(folder, name));
    ANIMA_TRY(check_manifest(opened.get(), inner, manifest, seen, depth + 1));
  }
  return {};
}

}  // namespace

Result<Entry> entry_at(int folder, const std::string& name) {
  struct stat info = {};
  if (fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0)
    return entry_of(folder, name, info);
  if (errno == ENOENT || errno == ENOTDIR) return Entry{};
  return fail(os_error(errno, "cannot look at", shown_path(name)));
}

Result<Difference> scan_layers(const std::string& lower, const std::string& upper,
                               std::int64_t since_ns, const ScanLimits& limits) {
  return Scanner(true, since_ns, limits).scan(lower, upper);
}

Result<Difference> scan_copy(const std::string& original, const std::string& copy,
                             const Manifest& manifest, const ScanLimits& limits) {
  std::size_t seen = 0;
  {
    ANIMA_ASSIGN(const Handle folder, open_folder(original));
    ANIMA_TRY(check_manifest(folder.get(), {}, manifest, seen, 0));
  }
  if (seen != manifest.size()) return fail(changed_meanwhile(original));
  return Scanner(false, INT64_MAX, limits).scan(original, copy);
}

}  // namespace anima::tools::effects
