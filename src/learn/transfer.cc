#include "learn/transfer.h"

#include <utility>

#include "base/json/json_member.h"

namespace anima::learn {
namespace {

constexpr std::int64_t kVersion = 1;
constexpr std::size_t kMostFileBytes = std::size_t{16} << 20;
constexpr std::size_t kMostDepth = 8;

// Of the form that this program writes, or that of the database.
Result<Timestamp> read_time(const Json& row, std::string_view key, Timestamp otherwise) {
  const Json* const value = row.find(key);
  if (value == nullptr) return otherwise;
  auto time = parse_timestamp(value->as_string());
  return time ? time : parse_sql_time(value->as_string());
}

// A row that is none says so: it is for the store to leave it out, or the whole file.
ImportedLearning read_entry(const Json& row, store::Trust trust, Timestamp exported) {
  ImportedLearning read;
  const Json* const arguments = row.find("fact_args");
  const Json* const confidence = row.find("confidence");
  const auto learned = read_time(row, "learned_at", exported);
  if (!row.is_object() || arguments == nullptr || text_member(row, "fact_predicate").empty()) {
    read.wrong = "a row has fact_predicate and fact_args";
  } else if (confidence != nullptr && !confidence->is_number()) {
    read.wrong = "confidence is a number";
  } else if (!learned) {
    read.wrong = "learned_at is no time";
  }
  if (!read.wrong.empty()) return read;
  read.learning.predicate = text_member(row, "fact_predicate");
  read.learning.arguments = *arguments;
  read.learning.campaign = text_member(row, "source_campaign");
  read.learning.trust = trust;
  read.confidence = confidence == nullptr ? 1.0 : confidence->as_number();
  read.valued_at = exported;
  read.learned_at = *learned;
  return read;
}

}  // namespace

Result<Json> export_learnings(LearningStore& store, std::string_view shard, Timestamp now) {
  ANIMA_ASSIGN(const LoadedLearnings loaded, store.load_all(shard));
  Json rows = Json::array();
  for (const Learning& each : loaded.learnings) {
    rows.push_back(Json::object({{"fact_predicate", each.predicate},
                                 {"fact_args", each.arguments},
                                 {"confidence", store.confidence_now(each)},
                                 {"learned_at", format_timestamp(each.learned_at)},
                                 {"source_campaign", each.campaign}}));
  }
  return Json::object({{"version", kVersion},
                       {"shard", std::string(shard)},
                       {"exported_at", format_timestamp(now)},
                       {"learnings", std::move(rows)}});
}

Result<std::vector<ImportedLearning>> parse_export(std::string_view text, store::Trust trust,
                                                   Timestamp now) {
  ANIMA_ASSIGN(const Json file,
               parse_json(text, {.max_depth = kMostDepth, .max_bytes = kMostFileBytes}));
  const Json* const version = file.find("version");
  const Json* const rows = file.find("learnings");
  if (rows == nullptr || !rows->is_array()) {
    return fail(ErrorCode::kInvalidArgument, "the file holds no array \"learnings\"", {},
                "`anima learnings export` writes such files");
  }
  if (version != nullptr && version->as_integer() != kVersion)
    return fail(ErrorCode::kVersionMismatch, "the file is of another version", "version");
  ANIMA_ASSIGN(const Timestamp exported, read_time(file, "exported_at", now));
  std::vector<ImportedLearning> read;
  for (const Json& row : rows->as_array()) read.push_back(read_entry(row, trust, exported));
  return read;
}

}  // namespace anima::learn
