// The statements that several phases use. Thread-safety: pure.
#pragma once

#include "sleep/detail/cycle.h"

namespace anima::sleep::detail {

// Puts a concept into a domain, as a link with a source and a confidence of its own.
Statement put_into(const Reading& reading, EntityId item, EntityId domain, std::string_view source,
                   double confidence);
Statement take_out_of(const Reading& reading, EntityId item, EntityId domain);
// Archived: marked, put into Archived, and out of every other domain.
std::vector<Statement> archive(const Cycle& cycle, const Reading& reading, EntityId item);
// Attributes of a concept, by their keys.
Statement set_attributes(const Reading& reading, EntityId item, Json attributes);

}  // namespace anima::sleep::detail
