// Any file is verified or refused as an exported log, and so is any line of it as a proof or a
// checkpoint; what verifies has entries.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "store/verify/offline_audit.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto report = anima::store::verify_exported_log(text, "fuzz", std::nullopt);
  if (report) ANIMA_CHECK(report->entries > 0);
  const auto json = anima::parse_json(text.substr(0, text.find('\n')));
  if (!json) return 0;
  const auto entry = anima::store::entry_from_json(*json, "fuzz");
  const auto proof = anima::store::inclusion_proof_from_json(*json, "fuzz");
  const auto checkpoint = anima::store::Checkpoint::from_json(*json);
  if (proof) (void)proof->holds();
  if (checkpoint) (void)anima::store::verify_signature(*checkpoint, checkpoint->key);
  if (proof && checkpoint) {
    (void)anima::store::verify_exported_proof(*proof, *checkpoint,
                                              entry ? std::optional(*entry) : std::nullopt);
  }
  return 0;
}
