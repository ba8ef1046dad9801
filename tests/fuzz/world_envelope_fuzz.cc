// Any bytes as a frame, and an honest frame with one byte changed: nothing but an envelope or a
// fault comes of them, and no forged frame is ever accepted.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "world/envelope.h"

namespace {

using namespace anima;
using namespace anima::world;

void frame(std::string_view bytes) {
  static const Identity sender = system_identity(System::kNexus);
  static const AgentId receiver = system_identity(System::kVault).id;
  static const Frame honest = *encode_envelope(sender, {4, receiver, 1, 1, "\x80"});
  const KeyBook keys = [](const AgentId& id) {
    return id == sender.id ? std::optional(sender.key.public_key) : std::nullopt;
  };
  ReplayGuard replays;
  const Opened opened = open_envelope(bytes, receiver, keys, replays);
  ANIMA_CHECK(!opened.envelope || bytes == honest.bytes);

  // The place and the value of the byte come from the input.
  if (bytes.size() < 3) return;
  std::string changed = honest.bytes;
  const std::size_t at =
      (static_cast<std::uint8_t>(bytes[0]) << 8 | static_cast<std::uint8_t>(bytes[1])) %
      changed.size();
  changed[at] = bytes[2];
  ReplayGuard fresh;
  const Opened forged = open_envelope(changed, receiver, keys, fresh);
  ANIMA_CHECK(!forged.envelope || forged.envelope->message_id == honest.message_id);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  frame({reinterpret_cast<const char*>(data), size});
  return 0;
}
