#include "store/space/witnesses.h"

#include <algorithm>

#include "store/backup.h"
#include "store/base/base_file.h"
#include "store/log/entry_codec.h"
#include "store/log/shared_head.h"
#include "store/log/sqlite_log.h"
#include "store/place/log_place.h"

namespace anima::store::detail {
namespace {

Sequence shared_head(const std::string& folder) {
  const auto head = SharedHead::open(join_path(folder, "log.head"), true);
  return head ? (*head)->acknowledged() : Sequence::kNone;
}

std::string place_of_log(FileSystem& files, const std::string& folder) {
  const auto place = log_place(files, folder);
  return place ? place->shown() : folder;
}

// The backup with the most entries; of several the newest.
BackupInfo fullest_backup(FileSystem& files, const std::string& folder) {
  BackupInfo fullest;
  for (BackupInfo& info : known_backups(folder, files).value_or(std::vector<BackupInfo>())) {
    if (info.entries >= fullest.entries) fullest = std::move(info);
  }
  return fullest;
}

}  // namespace

Witness newest_witness(FileSystem& files, const std::string& folder) {
  Witness newest{"log.head", shared_head(folder)};
  const auto see = [&](std::string what, std::uint64_t known) {
    if (known > to_number(newest.known)) newest = {std::move(what), Sequence{known}};
  };
  if (const auto bases = base_files(files, folder); !bases.empty())
    see(bases.front().name, bases.front().sequence);
  const BackupInfo backup = fullest_backup(files, folder);
  see("the backup " + backup.path, backup.entries);
  return newest;
}

Status check_witness(FileSystem& files, const std::string& folder, const Witness& witness,
                     Sequence head) {
  if (witness.known <= head) return {};
  return fail(ErrorCode::kCorrupt, lost_tail(head, witness.what, witness.known),
              place_of_log(files, folder), way_back(files, folder));
}

std::vector<std::string> remains_of_space(FileSystem& files, const std::string& folder) {
  std::vector<std::string> remains;
  // Beside a log's own file it is that file's: of a space, perhaps, whose making was cut short.
  const Result<FileInfo> wal = files.info(log_path(folder) + "-wal");
  const bool orphan = wal && wal->size != 0 && !file_exists(files, log_path(folder));
  if (orphan) remains.emplace_back("log.db-wal");
  if (shared_head(folder) != Sequence::kNone) remains.emplace_back("log.head");
  for (const BaseFile& base : base_files(files, folder)) remains.push_back(base.name);
  if (const auto keys = files.list(join_path(folder, "keys"))) {
    for (const DirectoryEntry& entry : *keys) {
      if (entry.name.ends_with(".seal") || entry.name.ends_with(".key"))
        remains.push_back("keys/" + entry.name);
    }
  }
  if (file_exists(files, join_path(folder, "backups.jsonl"))) remains.emplace_back("backups.jsonl");
  return remains;
}

Error lost_log(FileSystem& files, const std::string& folder,
               const std::vector<std::string>& remains) {
  constexpr std::size_t kNamed = 4;
  std::string there;
  for (std::size_t i = 0; i < std::min(remains.size(), kNamed); ++i) {
    there += (i == 0 ? "" : ", ") + remains[i];
  }
  if (remains.size() > kNamed) there += " and " + std::to_string(remains.size() - kNamed) + " more";
  return Error{ErrorCode::kCorrupt, "the log is gone, but what belonged to it is here: " + there,
               place_of_log(files, folder), way_back(files, folder)};
}

}  // namespace anima::store::detail

namespace anima::store {

// A log that is gone is told as that: nobody is to begin anew over what belonged to it.
Result<std::unique_ptr<Log>> open_log(const std::string& folder) {
  FileSystem& files = system_files();
  ANIMA_ASSIGN(const detail::LogPlace place, detail::log_place(files, folder));
  detail::LogOpening opening;
  opening.read_only = true;
  Result<std::unique_ptr<Log>> log = detail::open_log_at(place, opening);
  if (log) return log;
  if (log.error().code == ErrorCode::kCorrupt) {
    Error error = std::move(log).error();
    error.hint = way_back(files, folder);
    return fail(std::move(error));
  }
  if (log.error().code != ErrorCode::kNotFound) return log;
  const std::vector<std::string> remains = detail::remains_of_space(files, folder);
  if (!remains.empty()) return fail(detail::lost_log(files, folder, remains));
  return log;
}

}  // namespace anima::store
