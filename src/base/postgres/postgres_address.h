// Addresses of PostgreSQL databases: postgresql://user@host:5432/database?schema=NAME, also with
// postgres://. What libpq knows in such an address is libpq's; options of our own are taken out
// before it sees the rest. A password is never in what shown() gives. Thread-safety: plain values.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace anima {

bool is_postgres_address(std::string_view text);
// Whether libpq can be loaded on this machine. Errors: kUnsupported.
Status postgres_is_there();

struct PostgresAddress {
  std::string connection;  // for libpq; may hold a password
  std::string host, port, database, user;
  bool has_password = false;
  std::map<std::string, std::string> own;  // options of ours that were there, decoded

  // postgresql://host:port/database, with the own options.
  std::string shown() const;
  // The address without its password, with the own options: what may be written to a file.
  std::string without_password() const;
};

// `own` names the options of the query part that are not libpq's. Errors: kInvalidArgument (the
// text is never in the message), kUnsupported (no libpq here).
Result<PostgresAddress> parse_postgres_address(const std::string& text,
                                               const std::vector<std::string>& own = {});

}  // namespace anima
