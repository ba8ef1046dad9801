#include "world/transport/nats_line.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "base/clock.h"
#include "base/random.h"

namespace anima::world {
namespace {

constexpr std::int64_t kSliceMilliseconds = 100;

std::int64_t now_ms() { return SystemClock().monotonic_nanoseconds() / 1'000'000; }

}  // namespace

std::string fresh_nonce() {
  std::array<std::uint8_t, kNonceBytes> bytes{};
  SystemRandom().fill(bytes);
  return to_hex(bytes);
}

bool is_nonce(std::string_view text) {
  return text.size() == 2 * kNonceBytes && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Digest session_of(const Hello& hello) { return sha256(hello.nonce + ":" + hello.life); }

Digest fingerprint_of(std::string_view secret) {
  return Sha256().update("ANIMA_WORLD_FINGERPRINT:").update(secret).finish();
}

void Patience::heard() { heard_ = now_ms(); }
bool Patience::over() const { return silent_ms() > most_ms_; }
std::int64_t Patience::silent_ms() const { return now_ms() - heard_; }

bool Patience::again() {
  const std::int64_t now = now_ms();
  if (again_at_ == 0) again_at_ = now + pause_ms_;
  if (now < again_at_) return false;
  pause_ms_ = std::min(2 * pause_ms_, kLastAgainMilliseconds);
  again_at_ = now + pause_ms_;
  return true;
}

std::optional<KingdomCard> NatsLine::kingdom() const {
  const auto bytes = stream->ask(below("who.kingdom"), kWhoMilliseconds);
  if (!bytes) return std::nullopt;
  auto card = unpack_bytes<KingdomCard>(*bytes);
  if (!card) return std::nullopt;
  return *std::move(card);
}

Status NatsLine::rest() const {
  for (std::int64_t slept = 0; slept < kLookMilliseconds; slept += kSliceMilliseconds) {
    if (options.stopped && options.stopped())
      return fail(ErrorCode::kCancelled, "stopped while it waited for the kingdom");
    std::this_thread::sleep_for(std::chrono::milliseconds(kSliceMilliseconds));
  }
  return {};
}

Result<NatsLine> open_line(NatsBusOptions options, std::string client) {
  if (!is_world_name(options.world))
    return fail(ErrorCode::kInvalidArgument, "this is no name of a world on a bus", {},
                "use up to 32 letters, digits, '-' and '_'");
  NatsLine line{std::move(options), nullptr};
  ANIMA_ASSIGN(line.stream, bus::JetStream::open({line.options.servers, std::move(client),
                                                  line.options.stopped, line.options.patience_ms}));
  ANIMA_TRY(line.stream->keep(line.name(), line.below("to")));
  return line;
}

}  // namespace anima::world
