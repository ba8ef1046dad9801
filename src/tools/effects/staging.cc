#include "tools/effects/staging.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/crypto.h"
#include "base/files/file.h"
#include "tools/effects/folder_handle.h"

namespace anima::tools::effects {
namespace {

constexpr std::string_view kRecord = "record.json";
constexpr std::string_view kJournal = "journal";
constexpr std::size_t kIdBytes = 16;
constexpr std::int64_t kKeptSeconds = 86'400;
constexpr std::size_t kMostKept = 100;
constexpr std::size_t kSyncedOneByOne = 32;

std::string random_hex(Random& random, std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  random.fill(bytes);
  return to_hex(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

bool is_id(std::string_view text) {
  return text.size() == 2 * kIdBytes && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string id_of(std::string_view record) {
  return to_hex(sha256(record)).substr(0, 2 * kIdBytes);
}

// The old file is needed to go back.
bool loses_content(const Change& change) {
  return change.before.kind == EntryKind::kFile &&
         (change.after.kind != EntryKind::kFile || change.has_new_content());
}

Error corrupt(std::string_view id) {
  return {ErrorCode::kCorrupt, "what was kept of the command is not what it was", std::string(id),
          "run the command again"};
}

// A file of its own in place of one that has another name.
Status make_single(const std::string& path, const struct stat& info) {
  const std::string copy = path + ".copy";
  const Handle from(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const Handle to(open(copy.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!from.is_open() || !to.is_open()) return fail(os_error(errno, "cannot keep", path));
  ANIMA_TRY(copy_bytes(from.get(), to.get()));
  if ((geteuid() == 0 && fchown(to.get(), info.st_uid, info.st_gid) != 0) ||
      rename(copy.c_str(), path.c_str()) != 0) {
    return fail(os_error(errno, "cannot keep", path));
  }
  return {};
}

Status sync_whole(const std::string& folder) {
  const Handle opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open() || syncfs(opened.get()) != 0)
    return fail(os_error(errno, "cannot write to the disk", folder));
  return {};
}

}  // namespace

Staging::Staging(std::string work_folder, std::string state_folder, Clock& clock, Random& random,
                 StagingOptions options)
    : work_(std::move(work_folder)),
      state_(std::move(state_folder)),
      clock_(clock),
      random_(random),
      options_(options) {}

std::string Staging::place(std::string_view id) const { return join_path(state_, id); }

std::string Staging::content_of(const Staged& staged, std::size_t change) const {
  if (!staged.difference.changes[change].has_new_content()) return {};
  return fmt::format("{}/new/{}", place(staged.id), change);
}

Result<Trial> Staging::run(SandboxRequest request, const SandboxFacts& facts) const {
  if (facts.containment() < request.demand && !request.best_effort)
    return fail(run_sandboxed(request, facts).error());
  ANIMA_TRY(system_files().make_directories(state_, 0700));
  ANIMA_TRY(recover());
  remove_what_is_old();
  request.working_directory = work_;
  const bool layers = options_.only != ViewKind::kCopy && facts.namespaces;
  const auto attempt = [&](ViewKind kind) -> Result<Trial> {
    const std::string name = std::string(kViewPrefix) + random_hex(random_, 8);
    ANIMA_ASSIGN(View view, View::make(kind, work_, join_path(state_, name)));
    request.view = view.shown();
    ANIMA_ASSIGN(SandboxRun run, run_sandboxed(request, facts));
    Difference difference;
    const bool ended = run.process.timed_out || run.out_of_memory || run.out_of_disk || run.stopped;
    if (!ended) {
      ANIMA_ASSIGN(difference, view.difference(options_.limits));
    }
    return Trial{std::move(view), std::move(run), std::move(difference)};
  };
  if (layers) {
    auto trial = attempt(ViewKind::kLayers);
    // Nothing ran, or nothing that could have done anything.
    const bool no_layers = !trial && (trial.error().code == ErrorCode::kUnsupported ||
                                      trial.error().code == ErrorCode::kIo);
    if (!no_layers || options_.only == ViewKind::kLayers) return trial;
  }
  return attempt(ViewKind::kCopy);
}

Result<std::string> Staging::keep(Trial& trial, const Json& note) const {
  Json record = Json::object({{"version", 1},
                              {"nonce", random_hex(random_, 16)},
                              {"kept", format_timestamp(clock_.now())},
                              {"note", note},
                              {"changes", to_record(trial.difference)}});
  const std::string text = record.dump();
  const std::string id = id_of(text);
  const std::string folder = place(id);
  ANIMA_TRY(system_files().make_directories(folder + "/new", 0700));
  ANIMA_TRY(system_files().make_directories(folder + "/old", 0700));
  for (std::size_t i = 0; i < trial.difference.changes.size(); ++i) {
    const Change& change = trial.difference.changes[i];
    if (!change.has_new_content()) continue;
    const std::string from = trial.view.content_of(change.path);
    const std::string to = fmt::format("{}/new/{}", folder, i);
    // Two names of one file become two files: a rename would give the second none.
    if (rename(from.c_str(), to.c_str()) != 0)
      return fail(os_error(errno, "cannot keep", shown_path(change.path)));
    struct stat info = {};
    if (stat(to.c_str(), &info) == 0 && info.st_nlink > 1) {
      ANIMA_TRY(make_single(to, info));
    }
    const Handle kept(open(to.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!kept.is_open()) return fail(os_error(errno, "cannot keep", shown_path(change.path)));
    ANIMA_TRY(set_attributes(kept.get(), {}));
  }
  ANIMA_TRY(replace_file(system_files(), folder + "/" + std::string(kRecord), text, 0600));
  return id;
}

Result<Staged> Staging::find(std::string_view id) const {
  if (!is_id(id))
    return fail(ErrorCode::kInvalidArgument, "this is no id of a command", std::string(id));
  const std::string folder = place(id);
  auto text = read_file(system_files(), folder + "/" + std::string(kRecord));
  if (!text) {
    return fail(ErrorCode::kNotFound, "what this command changed is not kept any more",
                std::string(id), "it is kept for a day; run the command again");
  }
  if (id_of(*text) != id) return fail(corrupt(id));
  ANIMA_ASSIGN(const Json record, parse_json(*text));
  const Json* note = record.find("note");
  const Json* kept = record.find("kept");
  const Json* changes = record.find("changes");
  if (note == nullptr || kept == nullptr || changes == nullptr) return fail(corrupt(id));
  Staged staged;
  staged.id = std::string(id);
  staged.note = *note;
  ANIMA_ASSIGN(staged.at, parse_timestamp(kept->as_string()));
  ANIMA_ASSIGN(staged.difference, from_record(*changes));
  if (const auto mark = system_files().info(folder + "/applied"); mark) {
    staged.applied = true;
    staged.at = mark->modified;
  }
  staged.undone = file_exists(system_files(), folder + "/undone");
  return staged;
}

std::vector<Step> Staging::steps(const Staged& staged, Way way) const {
  std::vector<Step> forward;
  std::vector<std::string> old;
  for (std::size_t i = 0; i < staged.difference.changes.size(); ++i) {
    const Change& change = staged.difference.changes[i];
    forward.push_back({change.path, change.before, change.after, content_of(staged, i)});
    old.push_back(loses_content(change) ? fmt::format("{}/old/{}", place(staged.id), i)
                                        : std::string());
  }
  return way == Way::kApply ? forward : reversed(forward, old);
}

Status Staging::check_contents(const Staged& staged) const {
  for (std::size_t i = 0; i < staged.difference.changes.size(); ++i) {
    const std::string content = content_of(staged, i);
    if (content.empty()) continue;
    const Handle file(open(content.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file.is_open()) return fail(corrupt(staged.id));
    ANIMA_ASSIGN(const std::string hash, hash_of(file.get()));
    if (hash != staged.difference.changes[i].after.hash) return fail(corrupt(staged.id));
  }
  return {};
}

Status Staging::keep_old(const Staged& staged, int root) const {
  for (std::size_t i = 0; i < staged.difference.changes.size(); ++i) {
    const Change& change = staged.difference.changes[i];
    if (loses_content(change))
      ANIMA_TRY(keep_file(root, change.path, fmt::format("{}/old/{}", place(staged.id), i)));
  }
  return {};
}

// What the journal promises must be there after a loss of power.
Status Staging::sync(const std::vector<Step>& steps) const {
  std::vector<const std::string*> contents;
  for (const Step& step : steps) {
    if (!step.content.empty()) contents.push_back(&step.content);
  }
  if (contents.size() > kSyncedOneByOne) return sync_whole(state_);
  for (const std::string* each : contents) {
    const Handle file(open(each->c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open() || fdatasync(file.get()) != 0)
      return fail(os_error(errno, "cannot write to the disk", *each));
  }
  return {};
}

Status Staging::change(const Staged& staged, Way way) const {
  if (staged.difference.empty()) return {};
  ANIMA_ASSIGN(const detail::FolderLock lock, detail::FolderLock::take(work_));
  ANIMA_TRY(go_on());
  ANIMA_ASSIGN(const Handle root, open_folder(work_));
  const std::vector<Step> forward = steps(staged, way);
  ANIMA_TRY(
      check_steps(root.get(), forward, way == Way::kApply ? KnownBy::kStamp : KnownBy::kHash));
  if (way == Way::kApply) ANIMA_TRY(keep_old(staged, root.get()));
  ANIMA_TRY(sync(forward));
  const std::string journal = join_path(state_, kJournal);
  const Json entry = Json::object({{"id", staged.id}, {"undo", way == Way::kUndo}});
  ANIMA_TRY(replace_file(system_files(), journal, entry.dump(), 0600));
  const Status done = take_steps(root.get(), forward, staged.id.substr(0, 8));
  if (done) return finish(staged, way);
  // Something stood in the way after all (the disk is full): back to where it began.
  const std::vector<Step> back = steps(staged, way == Way::kApply ? Way::kUndo : Way::kApply);
  if (const Status undone = take_steps(root.get(), back, staged.id.substr(0, 8)); !undone) {
    return fail(undone.error().code,
                "the folder is half changed, and will be whole when this can be done: " +
                    done.error().describe(),
                undone.error().where, "make room, or mend what is said; the next call goes on");
  }
  ANIMA_TRY(system_files().remove(journal));
  return done;
}

Status Staging::finish(const Staged& staged, Way way) const {
  const std::string folder = place(staged.id);
  const std::string_view mark = way == Way::kApply ? "applied" : "undone";
  struct stat work = {}, state = {};
  // On one disk the journal goes after the changes, in the order in which they were made.
  if (stat(work_.c_str(), &work) == 0 && stat(state_.c_str(), &state) == 0 &&
      work.st_dev != state.st_dev) {
    ANIMA_TRY(sync_whole(work_));
  }
  const Handle made(open(join_path(folder, mark).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!made.is_open()) return fail(os_error(errno, "cannot note that it was done", folder));
  ANIMA_TRY(system_files().remove(join_path(state_, kJournal)));
  // What is in place needs no second name, which would change with it.
  remove_all(folder + (way == Way::kApply ? "/new" : "/old"));
  return {};
}

Status Staging::apply(std::string_view id) const {
  ANIMA_ASSIGN(const Staged staged, find(id));
  if (staged.applied)
    return fail(ErrorCode::kConflict, "what this command changed was applied already", staged.id);
  ANIMA_TRY(check_contents(staged));
  return change(staged, Way::kApply);
}

Status Staging::undo(std::string_view id) const {
  ANIMA_TRY(recover());
  ANIMA_ASSIGN(const Staged staged, find(id));
  if (!staged.applied || staged.undone) {
    return fail(
        ErrorCode::kConflict,
        staged.undone ? "this command was undone already" : "this command changed nothing yet",
        staged.id);
  }
  return change(staged, Way::kUndo);
}

Status Staging::recover() const {
  const std::string journal = join_path(state_, kJournal);
  if (!file_exists(system_files(), journal)) return {};
  ANIMA_ASSIGN(const detail::FolderLock lock, detail::FolderLock::take(work_));
  return go_on();
}

// Whoever held the lock before may have finished it.
Status Staging::go_on() const {
  const std::string journal = join_path(state_, kJournal);
  const auto text = read_file(system_files(), journal);
  if (!text && text.error().code == ErrorCode::kNotFound) return {};
  if (!text) return fail(text.error());
  ANIMA_ASSIGN(const Json entry, parse_json(*text));
  const Json *id = entry.find("id"), *undo = entry.find("undo");
  if (id == nullptr || undo == nullptr) return fail(corrupt(journal));
  ANIMA_ASSIGN(const Staged staged, find(id->as_string()));
  const Way way = undo->as_bool() ? Way::kUndo : Way::kApply;
  ANIMA_ASSIGN(const Handle root, open_folder(work_));
  ANIMA_TRY(take_steps(root.get(), steps(staged, way), staged.id.substr(0, 8)));
  return finish(staged, way);
}

Result<std::vector<Staged>> Staging::list() const {
  std::vector<Staged> found;
  const auto entries = system_files().list(state_);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return found;
  if (!entries) return fail(entries.error());
  for (const DirectoryEntry& entry : *entries) {
    if (!is_id(entry.name)) continue;
    auto staged = find(entry.name);
    if (staged) found.push_back(std::move(*staged));
  }
  std::ranges::sort(found, [](const Staged& a, const Staged& b) {
    return a.at != b.at ? a.at > b.at : a.id < b.id;
  });
  return found;
}

void Staging::drop(std::string_view id) const {
  if (is_id(id) && !file_exists(system_files(), place(id) + "/applied")) remove_all(place(id));
}

// Views that nobody uses, and what is older than a day or one of too many.
void Staging::remove_what_is_old() const {
  remove_left_views(state_);
  const auto entries = system_files().list(state_);
  if (!entries) return;
  std::vector<std::pair<Timestamp, std::string>> kept;
  for (const DirectoryEntry& entry : *entries) {
    if (!is_id(entry.name)) continue;
    const auto info = system_files().info(place(entry.name));
    if (info) kept.emplace_back(info->modified, entry.name);
  }
  std::ranges::sort(kept, std::greater<>());
  const Timestamp now = clock_.now();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const bool old = now.microseconds - kept[i].first.microseconds > kKeptSeconds * 1'000'000;
    if (old || i >= kMostKept) remove_all(place(kept[i].second));
  }
}

}  // namespace anima::tools::effects
