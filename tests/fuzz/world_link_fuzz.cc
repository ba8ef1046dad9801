// Any bytes as what comes over the bus between the processes of a world: frames, commands, answers,
// agents on their way. Nothing but a value or an error comes of them, no forged frame is taken, and
// a part that was told nonsense still does what it is told.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json/message_pack_fields.h"
#include "base/random.h"
#include "world/parts/agent_host.h"
#include "world/parts/remote_state.h"
#include "world/symbolic_mind.h"
#include "world/transport/link_frame.h"

namespace {

using namespace anima;
using namespace anima::world;

constexpr const char* kSecret = "fuzz";

void frame(std::string_view bytes) {
  static const Identity sender = link_identity(2, kSecret);
  static const AgentId receiver = link_identity(0, kSecret).id;
  static const std::string honest =
      encode_link(sender, receiver, {LinkCode::kDone, {}, 3, "done"}, 0).front().bytes;
  LinkReader reader(sender, receiver);
  ANIMA_CHECK(!reader.take(bytes).good || bytes == honest);
  std::string changed = honest;
  if (bytes.size() >= 3)
    changed[(static_cast<std::size_t>(static_cast<std::uint8_t>(bytes[0])) << 8 |
             static_cast<std::uint8_t>(bytes[1])) %
            changed.size()] = bytes[2];
  const LinkReader::Taken taken = reader.take(changed);
  ANIMA_CHECK(!taken.good || (taken.message && taken.message->bytes == "done"));
  // Signed by one who may, and yet nonsense: the body is the input.
  const auto own = encode_envelope(
      sender, {static_cast<std::uint16_t>(LinkCode::kDone), receiver, 3, 0, std::string(bytes)});
  if (own) static_cast<void>(reader.take(own->bytes));
}

void command(std::string_view bytes) {
  SymbolicMind mind;
  SeededRandom random(1);
  // The input answers its own questions.
  const Commanded ask = [bytes](std::string_view) -> Result<std::string> {
    return std::string(bytes.substr(bytes.size() / 2));
  };
  RemoteState store(ask);
  AgentHost host({kSecret, ask, &mind, &store, link_seal(kSecret), &random, {}});
  PartCommand begin;
  begin.order = PartOrder::kBegin;
  ANIMA_CHECK(host.command(pack(begin).encode()).has_value());
  const auto done = host.command(bytes);
  ANIMA_CHECK(done || !done.error().message.empty());
  begin.order = PartOrder::kReport;
  ANIMA_CHECK(host.command(pack(begin).encode()).has_value() || !done);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    frame(bytes);
  } else {
    command(bytes);
  }
  static_cast<void>(unpack_error(bytes));
  static_cast<void>(unpack_bytes<PartAnswer>(bytes));
  return 0;
}
