#include "world/transport/link_frame.h"

#include <algorithm>

namespace anima::world {
namespace {

struct PackedError {
  std::uint8_t code = 0;
  std::string message, where, hint;
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("code", self.code);
    visit("message", self.message);
    visit("where", self.where);
    visit("hint", self.hint);
  }
};

bool is_link_code(std::uint16_t code) {
  return code >= static_cast<std::uint16_t>(LinkCode::kHello) &&
         code <= static_cast<std::uint16_t>(LinkCode::kReplaced);
}

}  // namespace

Identity link_identity(std::uint64_t part, std::string_view secret) {
  return named_identity("KINGDOM_LINK:", part == 0 ? "KINGDOM" : "PART_" + std::to_string(part),
                        secret);
}

std::vector<Frame> encode_link(const Identity& sender, const AgentId& receiver,
                               const LinkMessage& message, std::uint64_t attempt) {
  std::vector<Frame> frames;
  LinkBody body{kLinkProtocol, message.session, message.number, 0, 1, {}};
  body.pieces = std::max<std::uint64_t>(1, (message.bytes.size() + kPieceBytes - 1) / kPieceBytes);
  for (; body.piece < body.pieces; ++body.piece) {
    body.bytes.bytes = message.bytes.substr(body.piece * kPieceBytes, kPieceBytes);
    auto frame =
        encode_envelope(sender, {static_cast<std::uint16_t>(message.code), receiver, message.number,
                                 attempt * kMaxPieces + body.piece, pack(body).encode()});
    ANIMA_CHECK(frame.has_value());  // a piece is half of what an envelope holds
    frames.push_back(*std::move(frame));
  }
  return frames;
}

LinkReader::Taken LinkReader::take(std::string_view frame) {
  // Numbers and sessions tell what is new, and a repeated message has to be answered again.
  ReplayGuard fresh;
  const KeyBook keys = [this](const AgentId& id) {
    return id == sender_.id ? std::optional(sender_.key.public_key) : std::nullopt;
  };
  const Opened opened = open_envelope(frame, receiver_, keys, fresh);
  if (!opened.envelope || !is_link_code(opened.envelope->type)) return {};
  auto body = unpack_bytes<LinkBody>(opened.envelope->body);
  if (!body || body->protocol != kLinkProtocol || body->pieces == 0 || body->pieces > kMaxPieces ||
      body->piece >= body->pieces || body->bytes.bytes.size() > kPieceBytes)
    return {};
  const auto code = static_cast<LinkCode>(opened.envelope->type);
  if (code != whole_.code || body->session != whole_.session || body->number != whole_.number ||
      body->pieces != pieces_) {
    held_.clear();
    whole_ = {code, body->session, body->number, {}};
    pieces_ = body->pieces;
  }
  held_[body->piece] = std::move(body->bytes.bytes);
  if (held_.size() < pieces_) return {true, std::nullopt};
  LinkMessage message{code, body->session, body->number, {}};
  for (const auto& piece : held_) message.bytes += piece.second;
  held_.clear();
  return {true, std::move(message)};
}

std::string pack_error(const Error& error) {
  return pack(PackedError{static_cast<std::uint8_t>(error.code), error.message, error.where,
                          error.hint})
      .encode();
}

Error unpack_error(std::string_view bytes) {
  auto packed = unpack_bytes<PackedError>(bytes);
  if (!packed || packed->code > static_cast<std::uint8_t>(ErrorCode::kNoSandbox))
    return {ErrorCode::kCorrupt, "the other side failed, and its error cannot be read", {}, {}};
  return {static_cast<ErrorCode>(packed->code), std::move(packed->message),
          std::move(packed->where), std::move(packed->hint)};
}

}  // namespace anima::world
