// The KDOM envelope: how every message of a world travels.
//
//   "KDOM" | u16 length of the header, high byte first | header | body
//
// Header and body are MessagePack. The header is a map of nine fields in this order: version,
// msg_type, msg_id, source, target, timestamp, body_len, body_hash, signature; signed are the first
// eight as a map. Frozen: never change. Source: governance_and_runtime 2.2. Thread-safety: plain
// values; a ReplayGuard belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "world/identity.h"
#include "world/types.h"

namespace anima::world {

inline constexpr std::uint8_t kEnvelopeVersion = 1;
inline constexpr std::size_t kMaxEnvelopeBytes = 1'048'576;  // header and body

struct Envelope {
  std::uint16_t type = 0;  // messages.h; any number travels
  Digest message_id{};
  AgentId source{};
  AgentId target{};
  std::uint64_t timestamp = 0;  // a tick
  Digest body_hash{};
  Signature signature{};
  std::string body;
};

struct Outgoing {
  std::uint16_t type = 0;
  AgentId target{};
  std::uint64_t timestamp = 0;
  std::uint64_t sequence = 0;  // of this sender, counted up by it
  std::string body;
};

struct Frame {
  Digest message_id{};
  std::string bytes;
};

// Errors: kLimitExceeded (kMaxEnvelopeBytes).
Result<Frame> encode_envelope(const Identity& sender, Outgoing message);

// The first check that a frame fails, in the order of the checks.
enum class EnvelopeFault : std::uint8_t {
  kTooShort,
  kBadMagic,
  kBadHeader,
  kBadVersion,
  kTooLarge,
  kBodyLengthMismatch,
  kBodyHashMismatch,
  kUnknownSource,  // nobody knows a key for it, or the key is another's
  kBadSignature,
  kReplayed,
};
std::string_view to_string(EnvelopeFault fault);

// Who has been heard before: refuses an older time of the same sender, and the same message twice.
// Only messages of a sender's latest time are kept. O(log messages of one time).
class ReplayGuard {
 public:
  // Whether it is new; remembers it then.
  bool accept(const Envelope& envelope);

  template <typename Self, typename Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("heard", self.heard_);
  }

 private:
  struct Heard {
    std::uint64_t timestamp = 0;
    std::map<Digest, bool> messages;
    template <typename Self, typename Visit>
    static void fields(Self& self, Visit&& visit) {
      visit("timestamp", self.timestamp);
      visit("messages", self.messages);
    }
  };
  std::map<AgentId, Heard> heard_;
};

// The key of a sender, or nothing. What it gives is checked against the id.
using KeyBook = std::function<std::optional<PublicKey>(const AgentId&)>;

// Neither an envelope nor a fault: it was for somebody else, who alone may answer.
struct Opened {
  std::optional<Envelope> envelope;
  std::optional<EnvelopeFault> fault;
};
Opened open_envelope(std::string_view frame, const AgentId& receiver, const KeyBook& keys,
                     ReplayGuard& replays);

}  // namespace anima::world
