// InsertSink: the solutions of a rule's body go into the relation of its head. Thread-safety: that
// of the database.
#pragma once

#include <cstdint>

#include "datalog/engine/database.h"
#include "datalog/engine/execute.h"

namespace anima::datalog {

// `track`: each row is one higher than the highest of its premises, which stand in `height_slot`;
// else all of them have the given height.
class InsertSink : public Sink {
 public:
  InsertSink(Database& database, const NetworkRule& rule, std::uint32_t height, Slot height_slot,
             bool track)
      : database_(database),
        rule_(rule),
        height_(height),
        height_slot_(height_slot),
        track_(track) {}

  Status take(Batch& batch) override {
    if (!track_) return database_.insert_derived(rule_, batch, height_, nullptr);
    Code* heights = batch.column(height_slot_);
    for (std::uint32_t i = 0; i < batch.size; ++i) ++heights[i];
    return database_.insert_derived(rule_, batch, 0, heights);
  }

 private:
  Database& database_;
  const NetworkRule& rule_;
  std::uint32_t height_;
  Slot height_slot_;
  bool track_;
};

}  // namespace anima::datalog
