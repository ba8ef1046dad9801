// What both sides of a world's bus on NATS share: the names of subjects, who they are, and the
// presence of either side. Subjects: anima.world.NAME.to.kingdom.PART, anima.world.NAME.to.part.
// PART.NONCE (both kept in the stream ANIMA_WORLD_NAME), anima.world.NAME.who.SIDE (not kept).
// Thread-safety: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bus/jetstream.h"
#include "world/citizen.h"
#include "world/message_bus.h"
#include "world/transport/link_frame.h"

namespace anima::world {

inline constexpr std::int64_t kLookMilliseconds = 1000;        // of silence, then one looks
inline constexpr std::int64_t kFirstAgainMilliseconds = 2000;  // then what was sent is sent again
inline constexpr std::int64_t kLastAgainMilliseconds = 15'000;
inline constexpr std::int64_t kWhoMilliseconds = 1000;
inline constexpr std::size_t kNonceBytes = 16;

// What the kingdom says to whoever asks.
struct KingdomCard {
  std::uint64_t protocol = kLinkProtocol;
  std::string version;
  Digest world{};  // of its secret
  std::uint64_t parts = 0;
  std::string life;  // hexadecimal digits, new for each process
  ANIMA_FIELDS(ANIMA_FIELD(protocol) ANIMA_FIELD(version) ANIMA_FIELD(world) ANIMA_FIELD(parts)
                   ANIMA_FIELD(life))
};
struct Hello {
  std::string nonce;  // hexadecimal digits, new for each process and whenever it begins anew
  std::string life;   // of the kingdom that it speaks to
  ANIMA_FIELDS(ANIMA_FIELD(nonce) ANIMA_FIELD(life))
};

std::string fresh_nonce();
bool is_nonce(std::string_view text);
Digest session_of(const Hello& hello);
Digest fingerprint_of(std::string_view secret);

// When to look around, when to send again, when to give up.
class Patience {
 public:
  explicit Patience(std::int64_t most_ms) : most_ms_(most_ms) { heard(); }
  void heard();  // a sign of life
  bool over() const;
  // Whether it is time to send again; the next time is twice as far away.
  bool again();
  std::int64_t silent_ms() const;

 private:
  std::int64_t most_ms_;
  std::int64_t heard_ = 0, again_at_ = 0, pause_ms_ = kFirstAgainMilliseconds;
};

struct NatsLine {
  NatsBusOptions options;
  std::unique_ptr<bus::JetStream> stream;
  std::string name() const { return "ANIMA_WORLD_" + options.world; }
  std::string below(std::string_view rest) const {
    return "anima.world." + options.world + "." + std::string(rest);
  }
  std::string to_kingdom(std::uint64_t part) const {
    return below("to.kingdom." + std::to_string(part));
  }
  std::string to_part(std::uint64_t part, std::string_view nonce) const {
    return below("to.part." + std::to_string(part) + "." + std::string(nonce));
  }
  std::string who_part(std::uint64_t part) const {
    return below("who.part." + std::to_string(part));
  }
  std::optional<KingdomCard> kingdom() const;
  // A while in which nothing is expected. Errors: kCancelled.
  Status rest() const;
  void warn(const std::string& text) const {
    if (options.warn) options.warn(text);
  }
};

// Errors: those of JetStream::open() and keep(), kInvalidArgument (the name).
Result<NatsLine> open_line(NatsBusOptions options, std::string client);

}  // namespace anima::world
