// What kinds of values an attribute has, counted one by one: shared by the files that count a space
// into a Schema. Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "ask/lexicon/schema.h"
#include "store/value.h"

namespace anima::ask {

// A name that a number or a date has: a value that only has a name.
bool names_a_value(std::string_view name);

// `step`: 1, or -1 of one that is gone.
void count_by(std::uint32_t& count, int step);
void count_value(ValueCounts& counts, const store::ValueView& value, int step);
void count_named_value(ValueCounts& counts, std::string_view name, int step);

}  // namespace anima::ask
