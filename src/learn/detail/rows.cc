#include "learn/detail/rows.h"

#include <algorithm>
#include <cmath>

namespace anima::learn::detail {

Result<std::string> rows_query(Database& database) {
  ANIMA_ASSIGN(const std::string whole, whole_row(database, "learnings"));
  return "SELECT id, shard_type, fact_predicate, fact_args, learned_at, source_campaign, "
         "confidence, decay_steps, reinforcements, created_at, trust, " +
         whole + " FROM learnings";
}

Result<Learning> read_row(const Statement& statement) {
  Learning row;
  row.id = statement.integer(0);
  const auto broken = [&](const std::string& what) {
    return fail(ErrorCode::kCorrupt, "row " + std::to_string(row.id) + ": " + what);
  };
  if (statement.integer(11) == 0) return broken("it is not as it was written");
  row.shard = statement.text(1);
  row.predicate = statement.text(2);
  const auto arguments = parse_json(statement.text(3));
  if (!arguments || !arguments->is_array()) return broken("fact_args is no JSON array");
  row.arguments = *arguments;
  const auto learned = parse_sql_time(statement.text(4));
  const auto created = parse_sql_time(statement.text(9));
  if (!learned || !created) return broken("a time cannot be read");
  row.learned_at = *learned;
  row.created_at = *created;
  row.campaign = statement.text(5);
  row.confidence = statement.real(6);
  if (!std::isfinite(row.confidence) || row.confidence < 0 || row.confidence > 1)
    return broken("the confidence is not between 0 and 1");
  row.decay_steps = std::max<std::int64_t>(0, statement.integer(7));
  row.reinforcements = statement.integer(8);
  const std::int64_t trust = statement.integer(10);
  const auto most = static_cast<std::int64_t>(store::Trust::kSystem);
  row.trust = trust < 0 || trust > most ? store::Trust::kHostile : static_cast<store::Trust>(trust);
  return row;
}

Result<std::vector<Learning>> read_rows(Database& database, std::string_view predicate,
                                        std::vector<std::string>& skipped) {
  ANIMA_ASSIGN(std::string sql, rows_query(database));
  if (!predicate.empty()) sql += " WHERE fact_predicate = ?1";
  ANIMA_ASSIGN(Statement statement, database.prepare(sql + " ORDER BY id"));
  if (!predicate.empty()) statement.bind(1, predicate);
  std::vector<Learning> rows;
  for (;;) {
    ANIMA_ASSIGN(const bool there, statement.step());
    if (!there) return rows;
    Result<Learning> row = read_row(statement);
    if (row) {
      rows.push_back(*std::move(row));
    } else {
      skipped.push_back(row.error().message);
    }
  }
}

}  // namespace anima::learn::detail
