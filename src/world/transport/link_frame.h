// What travels between the kingdom and its parts: KDOM envelopes (envelope.h) with codes of their
// own, signed by keys that follow from the world's secret.
//
// The two talk in turns: every message of the kingdom has the next number, and the part answers it
// with the same one. A session is the part's and the kingdom's nonce together; nothing of another
// session is taken. What is larger than a message may be goes in pieces. `attempt` counts how often
// the same was sent: it makes another message id of it, for the server drops what it knows.
// On the wire, never renumber. Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/message_pack_fields.h"
#include "world/envelope.h"

namespace anima::world {

inline constexpr std::uint64_t kLinkProtocol = 1;
inline constexpr std::size_t kPieceBytes = 512 * 1024;
inline constexpr std::uint64_t kMaxPieces = 512;

enum class LinkCode : std::uint16_t {
  kHello = 0x0F01,     // of a part: it knows nothing, and wants its base
  kCommand = 0x0F02,   // of the kingdom
  kQuestion = 0x0F03,  // of a part, before its answer
  kAnswer = 0x0F04,    // of the kingdom, to a question
  kDone = 0x0F05,      // of a part, to a command
  kFailed = 0x0F06,    // in the place of kAnswer and kDone: the bytes are an Error
  kDismiss = 0x0F07,   // of the kingdom: the world has ended
  kReplaced = 0x0F08,  // of the kingdom: another process has this part now
};

struct LinkMessage {
  LinkCode code = LinkCode::kHello;
  Digest session{};
  std::uint64_t number = 0;
  std::string bytes;
};

// A frame's body.
struct LinkBody {
  std::uint64_t protocol = kLinkProtocol;
  Digest session{};
  std::uint64_t number = 0;
  std::uint64_t piece = 0;
  std::uint64_t pieces = 1;
  Binary bytes;

  template <typename Self, typename Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("protocol", self.protocol);
    visit("session", self.session);
    visit("number", self.number);
    visit("piece", self.piece);
    visit("pieces", self.pieces);
    visit("bytes", self.bytes);
  }
};

// The one who signs for the kingdom (part 0) or a part.
Identity link_identity(std::uint64_t part, std::string_view secret);

std::vector<Frame> encode_link(const Identity& sender, const AgentId& receiver,
                               const LinkMessage& message, std::uint64_t attempt);

// Puts frames together again. One for each sender.
class LinkReader {
 public:
  LinkReader(const Identity& sender, const AgentId& receiver)
      : sender_(sender), receiver_(receiver) {}
  struct Taken {
    bool good = false;                   // a frame of this sender to this receiver, and well formed
    std::optional<LinkMessage> message;  // with its last piece
  };
  Taken take(std::string_view frame);

 private:
  Identity sender_;
  AgentId receiver_;
  LinkMessage whole_;
  std::uint64_t pieces_ = 0;
  std::map<std::uint64_t, std::string> held_;
};

std::string pack_error(const Error& error);
Error unpack_error(std::string_view bytes);

}  // namespace anima::world
