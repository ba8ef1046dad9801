#include "store/place/log_place.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "base/crypto.h"
#include "base/mutex.h"
#include "store/log/sqlite_log.h"
#include "store/log/stored_rows.h"
#include "store/postgres/postgres_log.h"
#include "store/postgres/postgres_tables.h"
#include "store/space_place.h"

namespace anima::store {
namespace detail {
namespace {

constexpr std::string_view kHeader = "anima log address 1";
constexpr std::size_t kMostAddressBytes = 65536;

std::string address_path(const std::string& folder) { return join_path(folder, "log.address"); }

// What this process was told, by folder; with passwords, which no file gets to see.
struct Told {
  Mutex mutex;
  std::map<std::string, PostgresAddress> addresses ANIMA_GUARDED_BY(mutex);
};
Told& told() {
  static Told& all = *new Told;
  return all;
}

std::string absolute(const std::string& folder) {
  std::error_code none;
  std::filesystem::path path = std::filesystem::absolute(folder, none).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return none ? folder : path.string();
}

std::optional<PostgresAddress> told_of(const std::string& folder) {
  Told& all = told();
  const MutexLock guard(all.mutex);
  const auto found = all.addresses.find(absolute(folder));
  if (found == all.addresses.end()) return std::nullopt;
  return found->second;
}

std::string line_of(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  std::string line(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

// What one machine calls one log: two addresses of the same log can differ.
std::string folder_name(const PostgresAddress& address) {
  std::string name =
      (address.database.empty() ? address.user : address.database) + "-" + schema_of(address);
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
    if (!plain) c = '_';
  }
  constexpr std::size_t kDigits = 8;
  const std::string exact =
      address.host + "\n" + address.port + "\n" + address.database + "\n" + schema_of(address);
  return name + "-" + to_hex(sha256(exact)).substr(0, kDigits);
}

}  // namespace

std::string LogPlace::shown() const { return database ? database->shown() : log_path(folder); }

Result<LogPlace> log_place(FileSystem& files, const std::string& folder) {
  LogPlace place;
  place.folder = folder;
  place.database = told_of(folder);
  const Result<std::string> text = read_file(files, address_path(folder), kMostAddressBytes);
  if (!text) return place;
  std::string_view rest = *text;
  const std::string header = line_of(rest), address = line_of(rest), id = line_of(rest);
  if (header != kHeader || id.empty()) {
    return fail(ErrorCode::kCorrupt, "this file does not say where the log lies",
                address_path(folder), "write the space's address into --space again");
  }
  place.id = id;
  ANIMA_ASSIGN(PostgresAddress kept, parse_log_address(address));
  if (!place.database) {
    place.database = std::move(kept);
  } else {
    place.elsewhere = place.database->without_password() != kept.without_password();
  }
  return place;
}

Result<std::unique_ptr<Log>> open_log_at(const LogPlace& place, const LogOpening& opening) {
  if (!place.database) {
    SqliteLogOptions options;
    options.create = opening.create;
    options.read_only = opening.read_only;
    options.vfs = opening.tuning.sqlite_vfs;
    options.part_bytes = opening.tuning.part_bytes;
    options.wait = opening.wait;
    return open_sqlite_log(place.folder, options);
  }
  if (place.id.empty() && file_exists(system_files(), log_path(place.folder))) {
    return fail(ErrorCode::kAlreadyExists, "a space with a log of its own lies here", place.folder,
                "name another folder for " + place.shown() + " (?folder=DIR)");
  }
  PostgresLogOptions options;
  options.create = opening.create;
  options.read_only = opening.read_only;
  options.folder = place.folder;
  options.part_bytes = opening.tuning.part_bytes;
  options.wait = opening.wait;
  auto log = open_postgres_log(*place.database, options);
  const bool none = !log && log.error().code == ErrorCode::kNotFound;
  const bool other = log && !place.id.empty() && place.id != (*log)->rows()->identity();
  if (!other && !(none && place.elsewhere)) return log;
  return fail(ErrorCode::kAlreadyExists,
              "this folder belongs to another log than the one that lies at " + place.shown(),
              place.folder, "name another folder for it (?folder=DIR), or remove this one");
}

Status keep_place(FileSystem& files, const LogPlace& place, Log& log, bool read_only) {
  if (!place.database || !place.id.empty()) return {};
  PostgresAddress address = *place.database;
  address.own.erase(std::string(kFolderOption));
  const Status kept = replace_file(files, address_path(place.folder),
                                   std::string(kHeader) + "\n" + address.without_password() + "\n" +
                                       log.rows()->identity() + "\n",
                                   0600);
  return read_only ? Status() : kept;
}

}  // namespace detail

Result<std::string> space_folder(const std::string& named, const std::string& data) {
  if (!is_postgres_address(named)) return named;
  ANIMA_ASSIGN(PostgresAddress address, detail::parse_log_address(named));
  const auto given = address.own.find(std::string(detail::kFolderOption));
  std::string folder = given != address.own.end() && !given->second.empty()
                           ? given->second
                           : join_path(join_path(data, "postgres"), detail::folder_name(address));
  // It is of this machine, and no part of what the log is.
  address.own.erase(std::string(detail::kFolderOption));
  detail::Told& all = detail::told();
  const MutexLock guard(all.mutex);
  all.addresses.insert_or_assign(detail::absolute(folder), std::move(address));
  return folder;
}

bool names_log(FileSystem& files, const std::string& folder) {
  return file_exists(files, detail::log_path(folder)) ||
         file_exists(files, detail::address_path(folder)) || detail::told_of(folder).has_value();
}

std::string shown_log(FileSystem& files, const std::string& folder) {
  const auto place = detail::log_place(files, folder);
  return place && place->database ? place->database->shown() : folder;
}

bool is_shared_log(FileSystem& files, const std::string& folder) {
  const auto place = detail::log_place(files, folder);
  return place && place->database.has_value();
}

Status may_be_written(FileSystem& files, const std::string& folder) {
  if (is_shared_log(files, folder)) return {};
  // The writer's lock first: a log that SQLite has open in this process is not to be closed here,
  // which would drop its locks.
  for (const std::string& path : {join_path(folder, "log.turn"), detail::log_path(folder)}) {
    const Result<std::unique_ptr<File>> file = files.open(path, OpenMode::kReadWrite);
    if (file) return {};
    if (file.error().code != ErrorCode::kNotFound) return fail(file.error());
  }
  return {};
}

Result<std::string> log_weakness(FileSystem& files, const std::string& folder) {
  ANIMA_ASSIGN(const detail::LogPlace place, detail::log_place(files, folder));
  return place.database ? detail::postgres_weakness(*place.database) : std::string();
}

std::string lost_tail(Sequence head, std::string_view witness, Sequence known) {
  return "the log ends at entry " + std::to_string(detail::to_number(head)) + ", but " +
         std::string(witness) + " knows of entry " + std::to_string(detail::to_number(known));
}

}  // namespace anima::store
