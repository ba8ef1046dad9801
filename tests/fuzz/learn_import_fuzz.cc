// Any file is read or refused as an export of learnings, and what is taken of it is exported and
// taken again without a change.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/files/file.h"
#include "learn/learning_store.h"
#include "learn/transfer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace anima;  // NOLINT: a fuzzer is one file
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static ManualClock clock{*parse_timestamp("2026-11-23T12:00:00Z")};
  const auto rows = learn::parse_export(text, store::Trust::kStandard, clock.now());
  if (!rows) return 0;
  static const TemporaryDirectory folder("anima-learn-fuzz");
  static learn::LearningStore store(folder.file("shards"), *learn::LearnableTable::shipped(),
                                    clock);
  ANIMA_CHECK(store.clear("coder").has_value());
  const auto taken = store.import("coder", *rows, true);
  ANIMA_CHECK(taken.has_value());
  ANIMA_CHECK(taken->added + taken->updated + taken->unchanged + taken->invalid.size() ==
              rows->size());
  const auto exported = learn::export_learnings(store, "coder", clock.now());
  ANIMA_CHECK(exported.has_value());
  const auto again = learn::parse_export(exported->dump(), store::Trust::kStandard, clock.now());
  ANIMA_CHECK(again.has_value());
  const auto repeated = store.import("coder", *again, false);
  ANIMA_CHECK(repeated.has_value());
  ANIMA_CHECK(repeated->added == 0 && repeated->updated == 0);
  return 0;
}
