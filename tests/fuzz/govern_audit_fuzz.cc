// Any file is read or refused as an audit export; what verifies is written and read back the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "govern/ledger/audit_chain.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using anima::govern::AuditChain;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto entries = AuditChain::read_lines(text, "fuzz");
  if (entries) (void)anima::govern::verify_audit(*entries);
  return 0;
}
