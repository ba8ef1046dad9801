#include "base/files/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <utility>

#include "base/files/output_place.h"
#include "base/text/read_number.h"

namespace anima {
namespace {

// Beside what it is to become, and with the number of the process, so that what a killed one has
// left is known for what it is.
std::string draft_beside(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  return fmt::format("{}{}{}-o{}", path, kDraftMark, getpid(), counter++);
}

bool is_gone(std::string_view process) {
  const auto number = read_number<pid_t>(process).value_or(0);
  return number > 0 && ::kill(number, 0) != 0 && errno == ESRCH;
}

enum class Place : std::uint8_t { kFree, kRegular, kDirectory, kStrangersLink, kOther };

// Of the name itself, not of what a link leads to.
Place place_of(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return Place::kFree;
  if (S_ISREG(status.st_mode)) return Place::kRegular;
  if (S_ISDIR(status.st_mode)) return Place::kDirectory;
  const bool ours = status.st_uid == geteuid() || status.st_uid == 0;
  return S_ISLNK(status.st_mode) && !ours ? Place::kStrangersLink : Place::kOther;
}

Status check_regular(const std::string& path) {
  const Place place = place_of(path);
  if (place == Place::kFree || place == Place::kRegular) return {};
  return fail(ErrorCode::kInvalidArgument, "this is no regular file, and is not replaced", path,
              "name a file that is one, or that is not there yet");
}

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::open(FileSystem& files, const std::string& path,
                                                     std::uint32_t permissions) {
  ANIMA_TRY(check_output_place(path));
  return open_anywhere(files, path, permissions);
}

Result<std::unique_ptr<OutputFile>> OutputFile::open_anywhere(FileSystem& files,
                                                              const std::string& path,
                                                              std::uint32_t permissions) {
  std::unique_ptr<OutputFile> output(new OutputFile(files, path));
  switch (place_of(path)) {
    case Place::kDirectory:
      return fail(ErrorCode::kInvalidArgument, "this is a directory, not a file", path);
    case Place::kStrangersLink:
      return fail(ErrorCode::kDenied, "somebody else has put a link there", path);
    case Place::kOther:
      // Written only, so that a pipe waits for its reader; a link to a file empties the file.
      do {
        output->descriptor_ = ::open(
            path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | (file_exists(files, path) ? 0 : O_CREAT),
            permissions);
      } while (output->descriptor_ < 0 && errno == EINTR);
      if (output->descriptor_ < 0) return fail(os_error(errno, "cannot open", path));
      return output;
    case Place::kFree:
    case Place::kRegular:
      break;
  }
  remove_dead_drafts(files, std::string(parent_path(path)), file_name(path));
  const std::string draft = draft_beside(path);
  auto opened = files.open(draft, OpenMode::kExclusive, permissions);
  if (!opened && opened.error().code == ErrorCode::kAlreadyExists) {
    // Left by a process of this number that was killed.
    ANIMA_TRY(files.remove(draft));
    opened = files.open(draft, OpenMode::kExclusive, permissions);
  }
  if (!opened && opened.error().where == draft) opened.error().where = path;
  if (!opened) return fail(std::move(opened).error());
  output->draft_ = draft;
  output->file_ = std::move(*opened);
  return output;
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!draft_.empty()) (void)files_.remove(draft_);
}

Status OutputFile::reserve(std::uint64_t bytes) {
  if (file_ == nullptr) return {};
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  for (; reserved_ < bytes; reserved_ += std::min(kPiece, bytes - reserved_))
    ANIMA_TRY(file_->append(std::string(std::min(kPiece, bytes - reserved_), '\0')));
  return file_->sync();
}

Status OutputFile::append(std::string_view bytes) {
  if (file_ != nullptr) {
    ANIMA_TRY(file_->write_at(written_, bytes));
    written_ += bytes.size();
    return {};
  }
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail(os_error(errno, "cannot write", path_));
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

Status OutputFile::commit() {
  if (descriptor_ >= 0) {
    // Devices and pipes have nothing to sync.
    if (fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
      return fail(os_error(errno, "cannot sync", path_));
    const int descriptor = std::exchange(descriptor_, -1);
    if (::close(descriptor) != 0 && errno != EINTR)
      return fail(os_error(errno, "cannot close", path_));
    return {};
  }
  if (written_ < reserved_) ANIMA_TRY(file_->truncate(written_));
  ANIMA_TRY(file_->sync());
  ANIMA_TRY(file_->close());
  // Somebody may have put something else there meanwhile.
  ANIMA_TRY(check_regular(path_));
  ANIMA_TRY(files_.rename(draft_, path_));
  draft_.clear();
  return files_.sync_directory(std::string(parent_path(path_)));
}

Status write_output(FileSystem& files, const std::string& path, std::string_view bytes,
                    std::uint32_t permissions) {
  ANIMA_ASSIGN(const auto output, OutputFile::open(files, path, permissions));
  ANIMA_TRY(output->append(bytes));
  return output->commit();
}

Status rewrite_file(FileSystem& files, const std::string& path, std::string_view bytes,
                    std::uint32_t permissions) {
  ANIMA_ASSIGN(const auto output, OutputFile::open_anywhere(files, path, permissions));
  ANIMA_TRY(output->append(bytes));
  return output->commit();
}

void remove_dead_drafts(FileSystem& files, const std::string& folder, std::string_view name) {
  const auto entries = files.list(folder);
  if (!entries) return;
  for (const DirectoryEntry& entry : *entries) {
    const std::size_t mark = entry.name.rfind(kDraftMark);
    if (mark == std::string::npos || (!name.empty() && entry.name.substr(0, mark) != name))
      continue;
    const std::string_view rest = std::string_view(entry.name).substr(mark + kDraftMark.size());
    const std::size_t end = rest.find('-');
    if (end == std::string_view::npos || !is_gone(rest.substr(0, end))) continue;
    const std::string path = join_path(folder, entry.name);
    (void)(entry.kind == FileInfo::Kind::kDirectory ? remove_tree(files, path)
                                                    : files.remove(path));
  }
}

Status check_replaceable(const std::string& path) {
  ANIMA_TRY(check_output_place(path));
  return check_regular(path);
}

}  // namespace anima
