// A page about the cycles of sleep for a person: one HTML file without script and without anything
// from elsewhere; plots of size, confidence, backlog and health over the cycles, the metrics with
// their targets, and what the newest cycle changed and left alone, with its reasons.
// Thread-safety: pure.
#pragma once

#include <span>
#include <string>

#include "sleep/cycle_record.h"

namespace anima::sleep {

// `cycles` oldest first. O(cycles).
std::string report_page(std::span<const CycleRecord> cycles);

}  // namespace anima::sleep
