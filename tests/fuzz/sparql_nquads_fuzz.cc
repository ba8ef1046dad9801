// Any bytes as N-Quads: see support/rdf_fuzz.h.
#include "support/rdf_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return anima::test::fuzz_rdf(anima::sparql::RdfFormat::kNQuads, data, size);
}
