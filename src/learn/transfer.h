// The learnings of a shard as a file, and back.
//
//   {"version":1, "shard":"coder", "exported_at":"2026-11-23T17:05:00Z",
//    "learnings":[{"fact_predicate":"avoid_pattern", "fact_args":["unwrap"], "confidence":0.9,
//                  "learned_at":"2026-11-10T08:00:00Z", "source_campaign":""}, ..]}
//
// The confidence is that of the moment of the export. What a file claims of its trust is not asked:
// who imports it says how far it is trusted. Thread-safety: functions without state. Source:
// learning_and_psyche 1.8.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "learn/learning_store.h"

namespace anima::learn {

// Every row of the shard, the surest first.
Result<Json> export_learnings(LearningStore& store, std::string_view shard, Timestamp now);

// The rows of a file. Errors: kSyntax, kLimitExceeded, kVersionMismatch, kInvalidArgument (no such
// file). Whether a row is to be learnt, LearningStore::import() judges.
Result<std::vector<ImportedLearning>> parse_export(std::string_view text, store::Trust trust,
                                                   Timestamp now);

}  // namespace anima::learn
