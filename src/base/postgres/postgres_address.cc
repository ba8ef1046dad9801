#include "base/postgres/postgres_address.h"

#include <algorithm>

#include "base/detail/libpq.h"

namespace anima {
namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? digit_of(text[i + 1]) : -1;
    const int low = high >= 0 ? digit_of(text[i + 2]) : -1;
    if (low < 0) {
      plain += text[i];
      continue;
    }
    plain += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return plain;
}

std::string encoded(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string coded;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      coded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    coded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return coded;
}

// The query part's options, as they stand.
std::vector<std::string> options_of(std::string_view query) {
  std::vector<std::string> options;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    if (end > 0) options.emplace_back(query.substr(0, end));
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return options;
}

std::string joined(std::string text, const std::vector<std::string>& options) {
  for (std::size_t i = 0; i < options.size(); ++i) text += (i == 0 ? '?' : '&') + options[i];
  return text;
}

std::string_view name_of(std::string_view option) { return option.substr(0, option.find('=')); }

Unexpected<Error> unreadable() {
  return fail(ErrorCode::kInvalidArgument, "the address of the database cannot be read", {},
              "write postgresql://user@host:5432/database");
}

}  // namespace

bool is_postgres_address(std::string_view text) {
  return text.starts_with("postgresql://") || text.starts_with("postgres://");
}

std::string PostgresAddress::shown() const {
  std::vector<std::string> options;
  for (const auto& [name, value] : own) options.push_back(name + "=" + encoded(value));
  return joined("postgresql://" + host + (port.empty() ? "" : ":" + port) + "/" + database,
                options);
}

std::string PostgresAddress::without_password() const {
  const std::size_t question = std::min(connection.find('?'), connection.size());
  std::string body = connection.substr(0, question);
  const std::size_t start = body.find("://") + 3;
  const std::size_t end = std::min(body.find('/', start), body.size());
  const std::size_t at = body.substr(0, end).rfind('@');
  if (at != std::string::npos) {
    const std::size_t colon = body.find(':', start);
    if (colon < at) body.erase(colon, at - colon);
  }
  std::vector<std::string> options =
      options_of(std::string_view(connection).substr(std::min(question + 1, connection.size())));
  std::erase_if(options, [](const std::string& option) {
    return name_of(option) == "password" || name_of(option) == "sslpassword";
  });
  for (const auto& [name, value] : own) options.push_back(name + "=" + encoded(value));
  return joined(std::move(body), options);
}

Status postgres_is_there() {
  const detail::Libpq& pq = detail::libpq();
  if (pq.problem.empty()) return {};
  return fail(ErrorCode::kUnsupported, "PostgreSQL cannot be used: " + pq.problem, {},
              "install libpq5");
}

Result<PostgresAddress> parse_postgres_address(const std::string& text,
                                               const std::vector<std::string>& own) {
  ANIMA_TRY(postgres_is_there());
  const detail::Libpq& pq = detail::libpq();
  if (!is_postgres_address(text)) return unreadable();
  PostgresAddress address;
  const std::size_t question = std::min(text.find('?'), text.size());
  std::vector<std::string> kept;
  for (std::string& option :
       options_of(std::string_view(text).substr(std::min(question + 1, text.size())))) {
    const std::string name(name_of(option));
    if (std::find(own.begin(), own.end(), name) == own.end()) {
      kept.push_back(std::move(option));
      continue;
    }
    const std::size_t equals = option.find('=');
    address.own[name] =
        equals == std::string::npos ? std::string() : decoded(option.substr(equals + 1));
  }
  address.connection = joined(text.substr(0, question), kept);
  // Its words about what is wrong would show the whole address, with a password.
  PQconninfoOption* const options = pq.conninfo_parse(address.connection.c_str(), nullptr);
  if (options == nullptr) return unreadable();
  for (const PQconninfoOption* each = options; each->keyword != nullptr; ++each) {
    if (each->val == nullptr) continue;
    const std::string_view keyword = each->keyword;
    if (keyword == "host") address.host = each->val;
    if (keyword == "port") address.port = each->val;
    if (keyword == "dbname") address.database = each->val;
    if (keyword == "user") address.user = each->val;
    if (keyword == "password") address.has_password = true;
  }
  pq.conninfo_free(options);
  return address;
}

}  // namespace anima
