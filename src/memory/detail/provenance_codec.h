// The bytes of a record of provenance (memory/provenance.h reads them). Thread-safety: pure.
#pragma once

#include <string>
#include <vector>

#include "memory/provenance.h"

namespace anima::memory::detail {

// Requires at least one, with ids that follow each other. On disk, never change.
std::string encode_provenance(const std::vector<ProvenanceRecord>& records);

}  // namespace anima::memory::detail
