// Any bytes as a frame and as MessagePack: nothing but a value, a fault or an error comes of them;
// what is a value reads back from its own encoding, and no forged frame is ever accepted.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json/message_pack_fields.h"
#include "world/envelope.h"
#include "world/messages.h"

namespace {

using namespace anima;
using namespace anima::world;

void body(std::string_view bytes) {
  const auto value = decode_message_pack(bytes);
  if (!value) {
    ANIMA_CHECK(!value.error().message.empty());
    return;
  }
  const std::string encoded = value->encode();
  ANIMA_CHECK(encoded.size() <= bytes.size());
  const auto again = decode_message_pack(encoded);
  ANIMA_CHECK(again && again->encode() == encoded);
}

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

  // The honest frame with one byte changed: its place and its value come from the input.
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
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    body(bytes);
  } else {
    frame(bytes);
  }
  return 0;
}
