#include "tools/effects/apply.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/files/file.h"
#include "tools/effects/folder_handle.h"
#include "tools/effects/scan.h"

namespace anima::tools::effects {
namespace {

constexpr mode_t kOwnerBits = 0700;

bool is_folder(const Entry& entry) { return entry.kind == EntryKind::kFolder; }

// The last parent is kept open: steps come folder by folder.
class Parents {
 public:
  explicit Parents(int root) : root_(root) {}

  // The descriptor of the folder that holds `path`, whose last name goes into `name`.
  Result<int> of(const std::string& path, std::string& name) {
    const std::size_t slash = path.rfind('/');
    std::string folder = slash == std::string::npos ? std::string() : path.substr(0, slash);
    if (!open_.is_open() || folder != folder_) {
      auto opened = open_parent_of(root_, path, name);
      if (!opened) return fail(opened.error());
      open_ = std::move(*opened);
      folder_ = std::move(folder);
    }
    name = slash == std::string::npos ? path : path.substr(slash + 1);
    return open_.get();
  }

 private:
  int root_;
  std::string folder_;
  Handle open_;
};

Error changed(const std::string& path) {
  return {ErrorCode::kConflict, "the folder is not as it was any more: nothing was applied",
          shown_path(path), "run the command again"};
}

Status check_hash(int parent, const std::string& name, const Entry& wanted) {
  ANIMA_ASSIGN(const Handle file, open_file_in(parent, name));
  ANIMA_ASSIGN(const std::string hash, hash_of(file.get()));
  if (hash != wanted.hash) return fail(changed(name));
  return {};
}

// A folder goes only with what the steps take out of it.
Status check_emptied(int parent, const std::string& name, const std::string& path,
                     const std::vector<Step>& steps) {
  ANIMA_ASSIGN(const Handle folder, open_folder_in(parent, name));
  ANIMA_ASSIGN(const std::vector<std::string> names, names_in(folder.get()));
  for (const std::string& each : names) {
    const std::string inner = path + '/' + each;
    const auto step = std::ranges::lower_bound(steps, inner, {}, &Step::path);
    if (step == steps.end() || step->path != inner || step->to.kind != EntryKind::kAbsent)
      return fail(changed(inner));
  }
  return {};
}

// Whether the steps make the folder that this path is in.
bool comes_with(const std::vector<Step>& steps, const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/'));
  const auto step = std::ranges::lower_bound(steps, folder, {}, &Step::path);
  return step != steps.end() && step->path == folder && is_folder(step->to) &&
         !is_folder(step->from);
}

Status check_step(Parents& parents, const Step& step, const std::vector<Step>& steps,
                  KnownBy known_by) {
  std::string name;
  const auto parent = parents.of(step.path, name);
  if (!parent) {
    if (step.from.kind == EntryKind::kAbsent && comes_with(steps, step.path)) return {};
    return fail(changed(step.path));
  }
  ANIMA_ASSIGN(const Entry now, entry_at(*parent, name));
  const Entry& from = step.from;
  if (now.kind != from.kind || now.mode != from.mode || now.target != from.target)
    return fail(changed(step.path));
  if (known_by == KnownBy::kStamp && now.stamp != from.stamp) return fail(changed(step.path));
  if (known_by == KnownBy::kHash && from.kind == EntryKind::kFile) {
    if (now.size != from.size) return fail(changed(step.path));
    ANIMA_TRY(check_hash(*parent, name, from));
  }
  if (is_folder(from) && !is_folder(step.to))
    ANIMA_TRY(check_emptied(*parent, name, step.path, steps));
  if (faccessat(*parent, ".", W_OK | X_OK, AT_EACCESS) != 0) {
    return fail(ErrorCode::kDenied, "the folder that holds this may not be written",
                shown_path(step.path));
  }
  return {};
}

class Walk {
 public:
  Walk(int root, const std::vector<Step>& steps, std::string mark)
      : root_(root), steps_(steps), mark_(std::move(mark)), parents_(root) {}

  Status take() {
    struct stat info = {};
    if (fstat(root_, &info) != 0) return fail(os_error(errno, "cannot look at the folder", {}));
    owner_ = info;
    for (const Step& step : steps_) ANIMA_TRY(open_up(step));
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) ANIMA_TRY(remove(*step));
    for (const Step& step : steps_) ANIMA_TRY(make_folder(step));
    for (std::size_t i = 0; i < steps_.size(); ++i) ANIMA_TRY(place(steps_[i], i));
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) ANIMA_TRY(finish(*step));
    return {};
  }

 private:
  static Status failed(const char* what, const Step& step) {
    return fail(os_error(errno, what, shown_path(step.path)));
  }

  // What has the name of the step now, if it is of this kind and of somebody whose files a command
  // could have changed. Root may change everything, so it has to look.
  Result<Handle> held(const Step& step, mode_t kind) {
    std::string name;
    ANIMA_ASSIGN(const int parent, parents_.of(step.path, name));
    ANIMA_ASSIGN(Handle entry, hold_entry(parent, name));
    struct stat info = {};
    if (fstat(entry.get(), &info) != 0) return fail(changed(step.path));
    const bool ours = geteuid() != 0 || info.st_uid == owner_.st_uid || made_by_us(step, info);
    if ((info.st_mode & S_IFMT) != kind || !ours) return fail(changed(step.path));
    return entry;
  }
  static bool made_by_us(const Step& step, const struct stat& info) {
    return is_folder(step.to) && !is_folder(step.from) && info.st_uid == geteuid();
  }

  // A folder that gets another mode lets us in meanwhile.
  Status open_up(const Step& step) {
    if (!is_folder(step.from) || !is_folder(step.to) || step.path == ".") return {};
    if (const auto folder = held(step, S_IFDIR))
      (void)set_mode(folder->get(), step.from.mode | kOwnerBits);
    return {};
  }

  Status remove(const Step& step) {
    const bool makes_way =
        step.to.kind == EntryKind::kAbsent || is_folder(step.from) != is_folder(step.to);
    if (step.from.kind == EntryKind::kAbsent || !makes_way) return {};
    std::string name;
    const auto parent = parents_.of(step.path, name);
    // What is not there, or is what it shall become, was removed before.
    if (!parent) return {};
    if (unlinkat(*parent, name.c_str(), is_folder(step.from) ? AT_REMOVEDIR : 0) == 0) return {};
    if (errno == ENOENT || errno == ENOTDIR || errno == EISDIR) return {};
    return failed("cannot remove", step);
  }

  Status make_folder(const Step& step) {
    if (!is_folder(step.to) || is_folder(step.from)) return {};
    std::string name;
    ANIMA_ASSIGN(const int parent, parents_.of(step.path, name));
    if (mkdirat(parent, name.c_str(), kOwnerBits) != 0 && errno != EEXIST)
      return failed("cannot make the folder", step);
    ANIMA_ASSIGN(const Handle folder, held(step, S_IFDIR));
    return give_away(folder.get(), step);
  }

  Status give_away(int entry, const Step& step) const {
    if (geteuid() != 0 ||
        fchownat(entry, "", owner_.st_uid, owner_.st_gid, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) == 0)
      return {};
    return failed("cannot give away", step);
  }

  // Files and links, under a name of the moment first.
  Status place(const Step& step, std::size_t index) {
    const bool new_link = step.to.kind == EntryKind::kLink && (step.from.kind != EntryKind::kLink ||
                                                               step.from.target != step.to.target);
    if (!new_link && step.content.empty()) return {};
    std::string name;
    ANIMA_ASSIGN(const int parent, parents_.of(step.path, name));
    const std::string moment = fmt::format(".anima-{}-{}", mark_, index);
    if (unlinkat(parent, moment.c_str(), 0) != 0 && errno != ENOENT)
      return failed("cannot make room beside", step);
    if (new_link) {
      ANIMA_TRY(put_link(step, parent, moment));
    } else {
      ANIMA_TRY(put_content(step, parent, name, moment));
    }
    if (renameat(parent, moment.c_str(), parent, name.c_str()) != 0)
      return failed("cannot put in place", step);
    // Two names of one file stay two: it was there already.
    if (unlinkat(parent, moment.c_str(), 0) != 0 && errno != ENOENT)
      return failed("cannot clear away beside", step);
    return {};
  }

  Status put_link(const Step& step, int parent, const std::string& moment) const {
    if (symlinkat(step.to.target.c_str(), parent, moment.c_str()) != 0)
      return failed("cannot make the link", step);
    ANIMA_ASSIGN(const Handle link, hold_entry(parent, moment));
    struct stat info = {};
    if (fstat(link.get(), &info) != 0 || !S_ISLNK(info.st_mode)) return fail(changed(step.path));
    return give_away(link.get(), step);
  }

  Status put_content(const Step& step, int parent, const std::string& name,
                     const std::string& moment) const {
    const Handle from(open(step.content.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!from.is_open()) return failed("cannot read what was kept of", step);
    ANIMA_TRY(set_file(from.get(), step));
    ANIMA_TRY(keep_attributes(step, parent, name, from.get()));
    if (linkat(AT_FDCWD, step.content.c_str(), parent, moment.c_str(), 0) == 0) return {};
    const Handle to(openat(parent, moment.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!to.is_open()) return failed("cannot make", step);
    ANIMA_TRY(copy_bytes(from.get(), to.get()));
    struct stat info = {};
    if (geteuid() == 0 &&
        (fstat(from.get(), &info) != 0 || fchown(to.get(), info.st_uid, info.st_gid) != 0)) {
      return failed("cannot give away", step);
    }
    (void)set_attributes(to.get(), attributes_of(from.get()));  // as far as the disk has them
    if (fdatasync(to.get()) != 0) return failed("cannot write", step);
    return set_file(to.get(), step);
  }

  // A file that gets other content keeps the attributes and access list that it has.
  Status keep_attributes(const Step& step, int parent, const std::string& name, int content) const {
    if (step.from.kind != EntryKind::kFile) return {};
    const auto now = hold_entry(parent, name);
    struct stat info = {};
    if (!now || fstat(now->get(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
    ANIMA_TRY(set_attributes(content, attributes_of(now->get())));
    return set_file(content, step);
  }

  static Status set_file(int file, const Step& step) {
    if (const Status set = set_mode(file, step.to.mode); !set) return set;
    return set_modified(file, step.to.modified_ns);
  }

  // Modes last, from the inside out: a closed folder takes nothing any more.
  Status finish(const Step& step) {
    if (step.path == ".") return set_mode(root_, step.to.mode);
    const bool same_file = step.to.kind == EntryKind::kFile && step.content.empty();
    if (!is_folder(step.to) && !same_file) return {};
    ANIMA_ASSIGN(const Handle entry, held(step, same_file ? S_IFREG : S_IFDIR));
    return same_file ? set_file(entry.get(), step) : set_mode(entry.get(), step.to.mode);
  }

  int root_;
  const std::vector<Step>& steps_;
  std::string mark_;
  Parents parents_;
  struct stat owner_ = {};
};

}  // namespace

Status check_steps(int root, const std::vector<Step>& steps, KnownBy known_by) {
  Parents parents(root);
  for (const Step& step : steps) {
    if (step.path != ".") ANIMA_TRY(check_step(parents, step, steps, known_by));
  }
  return {};
}

Status take_steps(int root, const std::vector<Step>& steps, const std::string& mark) {
  return Walk(root, steps, mark).take();
}

std::vector<Step> reversed(const std::vector<Step>& steps, const std::vector<std::string>& old) {
  std::vector<Step> back;
  for (std::size_t i = 0; i < steps.size(); ++i)
    back.push_back({steps[i].path, steps[i].to, steps[i].from, old[i]});
  return back;
}

Status keep_file(int root, const std::string& path, const std::string& to) {
  if (unlink(to.c_str()) != 0 && errno != ENOENT)
    return fail(os_error(errno, "cannot make room for what is kept", to));
  std::string name;
  ANIMA_ASSIGN(const Handle parent, open_parent_of(root, path, name));
  struct stat info = {};
  if (fstatat(parent.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
    return fail(os_error(errno, "cannot look at", shown_path(path)));
  // Another name of the same file could change it later.
  if (info.st_nlink == 1 && linkat(parent.get(), name.c_str(), AT_FDCWD, to.c_str(), 0) == 0)
    return {};
  ANIMA_ASSIGN(const Handle from, open_file_in(parent.get(), name));
  const Handle copy(open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!copy.is_open()) return fail(os_error(errno, "cannot keep", shown_path(path)));
  if (geteuid() == 0 && fchown(copy.get(), info.st_uid, info.st_gid) != 0)
    return fail(os_error(errno, "cannot keep the owner of", shown_path(path)));
  ANIMA_TRY(copy_bytes(from.get(), copy.get()));
  (void)set_attributes(copy.get(), attributes_of(from.get()));  // as far as the disk has them
  if (fdatasync(copy.get()) != 0) return fail(os_error(errno, "cannot keep", shown_path(path)));
  return {};
}

}  // namespace anima::tools::effects
