#include "world/envelope.h"

#include "base/json/message_pack_fields.h"

namespace anima::world {
namespace {

constexpr std::string_view kMagic = "KDOM";
constexpr std::size_t kPrefixBytes = 6;

struct Header {
  std::uint8_t version = kEnvelopeVersion;
  std::uint16_t type = 0;
  Digest message_id{};
  AgentId source{};
  AgentId target{};
  std::uint64_t timestamp = 0;
  std::uint32_t body_length = 0;
  Digest body_hash{};
  std::optional<Signature> signature;  // missing only in what is signed

  template <typename Self, typename Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("version", self.version);
    visit("msg_type", self.type);
    visit("msg_id", self.message_id);
    visit("source", self.source);
    visit("target", self.target);
    visit("timestamp", self.timestamp);
    visit("body_len", self.body_length);
    visit("body_hash", self.body_hash);
    if (self.signature || !std::is_const_v<Self>) visit("signature", self.signature);
  }
};

std::string signed_bytes(Header header) {
  header.signature.reset();
  return pack(header).encode();
}

Opened refused(EnvelopeFault fault) { return {std::nullopt, fault}; }

}  // namespace

std::string_view to_string(EnvelopeFault fault) {
  static constexpr std::string_view kNames[] = {
      "TooShort",        "BadMagic",         "BadHeader",     "BadVersion",   "TooLarge",
      "BodyLenMismatch", "BodyHashMismatch", "UnknownSource", "BadSignature", "Replayed"};
  return kNames[static_cast<std::size_t>(fault)];
}

Result<Frame> encode_envelope(const Identity& sender, Outgoing message) {
  Header header;
  header.type = message.type;
  header.source = sender.id;
  header.target = message.target;
  header.timestamp = message.timestamp;
  header.body_length = static_cast<std::uint32_t>(message.body.size());
  header.body_hash = sha256(message.body);
  header.message_id = Sha256()
                          .update(bytes_of(header.source))
                          .update(bytes_of(header.target))
                          .update(big_endian(header.type, 2))
                          .update(big_endian(header.timestamp, 8))
                          .update(big_endian(message.sequence, 8))
                          .update(bytes_of(header.body_hash))
                          .finish();
  header.signature = sign(sender.key, signed_bytes(header));
  const std::string packed = pack(header).encode();
  if (packed.size() + message.body.size() > kMaxEnvelopeBytes)
    return fail(ErrorCode::kLimitExceeded,
                "a message and its header may take " + std::to_string(kMaxEnvelopeBytes) +
                    " bytes; this one takes " + std::to_string(packed.size() + message.body.size()),
                {}, "send it in parts");
  Frame frame;
  frame.message_id = header.message_id;
  frame.bytes.reserve(kPrefixBytes + packed.size() + message.body.size());
  frame.bytes += kMagic;
  frame.bytes += big_endian(packed.size(), 2);
  frame.bytes += packed;
  frame.bytes += message.body;
  return frame;
}

bool ReplayGuard::accept(const Envelope& envelope) {
  Heard& heard = heard_[envelope.source];
  if (envelope.timestamp < heard.timestamp) return false;
  if (envelope.timestamp > heard.timestamp) {
    heard.timestamp = envelope.timestamp;
    heard.messages.clear();
  }
  return heard.messages.emplace(envelope.message_id, true).second;
}

Opened open_envelope(std::string_view frame, const AgentId& receiver, const KeyBook& keys,
                     ReplayGuard& replays) {
  if (frame.size() < kPrefixBytes) return refused(EnvelopeFault::kTooShort);
  if (!frame.starts_with(kMagic)) return refused(EnvelopeFault::kBadMagic);
  const std::size_t header_size = static_cast<std::size_t>(static_cast<std::uint8_t>(frame[4]))
                                      << 8 |
                                  static_cast<std::uint8_t>(frame[5]);
  if (frame.size() - kPrefixBytes < header_size) return refused(EnvelopeFault::kTooShort);
  const auto header = unpack_bytes<Header>(frame.substr(kPrefixBytes, header_size));
  if (!header || !header->signature) return refused(EnvelopeFault::kBadHeader);
  if (header->version != kEnvelopeVersion) return refused(EnvelopeFault::kBadVersion);
  if (frame.size() - kPrefixBytes > kMaxEnvelopeBytes) return refused(EnvelopeFault::kTooLarge);
  const std::string_view body = frame.substr(kPrefixBytes + header_size);
  if (body.size() != header->body_length) return refused(EnvelopeFault::kBodyLengthMismatch);
  if (sha256(body) != header->body_hash) return refused(EnvelopeFault::kBodyHashMismatch);
  if (header->target != receiver && header->target != kBroadcast) return {};
  const std::optional<PublicKey> key = keys(header->source);
  if (!key || agent_id_of(*key) != header->source) return refused(EnvelopeFault::kUnknownSource);
  if (!verify(*key, signed_bytes(*header), *header->signature))
    return refused(EnvelopeFault::kBadSignature);
  Envelope envelope{header->type,      header->message_id, header->source,     header->target,
                    header->timestamp, header->body_hash,  *header->signature, std::string(body)};
  if (!replays.accept(envelope)) return refused(EnvelopeFault::kReplayed);
  return {std::move(envelope), std::nullopt};
}

}  // namespace anima::world
