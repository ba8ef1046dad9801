// Where a space lies: a folder, always, and its log in that folder or in a database.
//
// Who names a folder has the log in it (SQLite), unless the folder says another place. Who names
// the address of a PostgreSQL database (postgresql://user@host/database?schema=NAME) has the log
// there; the folder is then this machine's own part of the space: its mapped base, its keys, its
// settings. It is the one that the address names (?folder=DIR), else
// <data>/postgres/<database>-<schema>-<digits of the address>. The folder keeps the address,
// without a password, in its file log.address, so that the folder names the space from then on;
// what is said in this process, a password included, is remembered until it ends. Thread-safety:
// functions from any thread.
#pragma once

#include <string>

#include "base/files/file.h"
#include "base/result.h"

namespace anima::store {

// The folder of what --space names; `data` is the user's folder for data. Nothing is made. Errors:
// kInvalidArgument (the address; it is not repeated), kUnsupported (libpq is not here), kNotFound.
Result<std::string> space_folder(const std::string& named, const std::string& data);

// Whether something names a log for the folder; in a database it need not be there.
bool names_log(FileSystem& files, const std::string& folder);
// Where the log lies, for people: the folder itself or the database, never with a password.
std::string shown_log(FileSystem& files, const std::string& folder);
// Whether it lies in a database, where other machines may write to it.
bool is_shared_log(FileSystem& files, const std::string& folder);

// Why this process may not write there, as on a medium that is mounted read-only or in a folder of
// others. What is not there yet counts as writable, and so does a log in a database.
Status may_be_written(FileSystem& files, const std::string& folder);
// What a write says to who opened a space for reading alone (kDenied).
inline constexpr std::string_view kOpenedReadOnly = "the space was opened read-only";

// What a power cut or a crash of the database's machine could take back although it was
// acknowledged, for people; empty: nothing. Errors: those of reaching the log.
Result<std::string> log_weakness(FileSystem& files, const std::string& folder);

}  // namespace anima::store
