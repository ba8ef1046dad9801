// The kingdom's side of a world over NATS.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "world/transport/nats_line.h"

namespace anima::world {
namespace {

constexpr std::int64_t kSayWaiting = 3000;           // milliseconds of silence, then it is said
constexpr std::int64_t kDismissMilliseconds = 2500;  // for those that look for the kingdom just now

// A message to a part, and what came back: kept until the part's base holds it.
struct Exchange {
  LinkCode code = LinkCode::kCommand;
  std::string bytes;
  std::optional<Digest> reply;
};

Digest digest_of(const LinkMessage& reply) {
  return Sha256()
      .update(big_endian(static_cast<std::uint64_t>(reply.code), 2))
      .update(reply.bytes)
      .finish();
}

struct RemotePart {
  std::uint64_t number = 0;
  Identity identity;
  LinkReader reader;
  std::string nonce;                // of the process that has it; empty: nobody yet
  std::optional<std::string> next;  // of one that said hello since
  Digest session{};
  std::uint64_t messages = 0;  // of this session
  std::vector<Exchange> since_base;
};

class NatsBus final : public MessageBus {
 public:
  NatsBus(NatsLine line, std::unique_ptr<bus::Inbox> inbox, std::string life)
      : line_(std::move(line)),
        inbox_(std::move(inbox)),
        life_(std::move(life)),
        identity_(link_identity(0, line_.options.secret)) {
    for (std::uint64_t number = 2; number <= line_.options.parts; ++number) {
      const Identity part = link_identity(number, line_.options.secret);
      parts_.emplace(number,
                     RemotePart{number, part, LinkReader(part, identity_.id), {}, {}, {}, 0, {}});
    }
  }

  std::uint64_t parts() const override { return line_.options.parts; }
  bool is_here(std::uint64_t part) const override { return part == 1; }
  BusCounts counts() const override { return counts_; }

  void settled() override {
    for (auto& part : parts_) part.second.since_base.clear();
  }

  void dismiss() override {
    // A world that had ended before: nobody was needed, and those that wait have not been heard.
    if (counts_.joined == 0 && !parts_.empty()) {
      Patience wait(kDismissMilliseconds);
      while (!wait.over() && take_one(nullptr).has_value()) continue;
    }
    for (auto& each : parts_) {
      RemotePart& part = each.second;
      if (part.next) adopt(part);
      if (!part.nonce.empty())
        static_cast<void>(send(part, {LinkCode::kDismiss, part.session, 0, {}}, 0));
    }
  }

 protected:
  Result<std::string> command_there(std::uint64_t number, std::string_view bytes) override {
    const auto found = parts_.find(number);
    if (found == parts_.end())
      return fail(ErrorCode::kNotFound, fmt::format("there is no part {}", number));
    RemotePart& part = found->second;
    part.since_base.push_back({LinkCode::kCommand, std::string(bytes), {}});
    for (;;) {
      ANIMA_ASSIGN(const LinkMessage reply, advance(part));
      part.since_base.back().reply = digest_of(reply);
      if (reply.code == LinkCode::kDone) return reply.bytes;
      if (reply.code == LinkCode::kFailed) return fail(unpack_error(reply.bytes));
      part.since_base.push_back(answer_to(reply));
    }
  }

 private:
  Exchange answer_to(const LinkMessage& question) const {
    auto answer = questions()(question.bytes);
    if (!answer) return {LinkCode::kFailed, pack_error(answer.error()), {}};
    return {LinkCode::kAnswer, *std::move(answer), {}};
  }

  // The reply to the newest exchange, from whichever process has the part by then.
  Result<LinkMessage> advance(RemotePart& part) {
    for (;;) {
      if (part.next || part.nonce.empty()) {
        ANIMA_ASSIGN(const bool ready, begin(part));
        if (!ready) continue;
      }
      ANIMA_ASSIGN(std::optional<LinkMessage> reply, exchange(part, part.since_base.back()));
      if (reply) return *std::move(reply);
    }
  }

  // Brings the process that says it has the part to where the part was. False: another one came.
  Result<bool> begin(RemotePart& part) {
    ANIMA_TRY(await_hello(part));
    adopt(part);
    ++counts_.joined;
    ANIMA_ASSIGN(const std::vector<std::string> base, base_of(part.number));
    for (const std::string& command : base) {
      ANIMA_ASSIGN(const bool done, give(part, {LinkCode::kCommand, command, {}}));
      if (!done) return false;
    }
    for (std::size_t i = 0; i + 1 < part.since_base.size(); ++i) {
      const Exchange& before = part.since_base[i];
      ANIMA_ASSIGN(const std::optional<LinkMessage> reply, exchange(part, before));
      if (!reply) return false;
      if (digest_of(*reply) != before.reply)
        return fail(ErrorCode::kConflict,
                    fmt::format("part {} came back and did otherwise than before", part.number),
                    line_.options.world, "run the same program everywhere");
    }
    return true;
  }

  // A command with all the questions that it brings, none of which is kept.
  Result<bool> give(RemotePart& part, Exchange message) {
    for (;;) {
      ANIMA_ASSIGN(const std::optional<LinkMessage> reply, exchange(part, message));
      if (!reply) return false;
      if (reply->code == LinkCode::kDone) return true;
      if (reply->code == LinkCode::kFailed) return fail(unpack_error(reply->bytes));
      message = answer_to(*reply);
    }
  }

  void adopt(RemotePart& part) {
    if (!part.nonce.empty())
      static_cast<void>(send(part, {LinkCode::kReplaced, part.session, 0, {}}, 0));
    part.nonce = *part.next;
    part.next.reset();
    part.session = session_of({part.nonce, life_});
    part.messages = 0;
  }

  Status await_hello(RemotePart& part) {
    Patience patience(line_.options.patience_ms);
    bool said = false;
    while (!part.next) {
      ANIMA_TRY(take_one(nullptr));
      ANIMA_TRY(check(part, patience, said));
    }
    return {};
  }

  Status check(const RemotePart& part, const Patience& patience, bool& said) const {
    if (patience.over())
      return fail(ErrorCode::kTimeout,
                  fmt::format("part {} of the world was not heard of for {} seconds", part.number,
                              patience.silent_ms() / 1000),
                  line_.options.world,
                  fmt::format("run anima world join --part {}; then the same command goes on",
                              part.number));
    if (!said && patience.silent_ms() > kSayWaiting) {
      said = true;
      line_.warn(fmt::format("waits for part {} of world {}", part.number, line_.options.world));
    }
    return {};
  }

  // Sends until the reply is there. Nothing: another process has the part now.
  Result<std::optional<LinkMessage>> exchange(RemotePart& part, const Exchange& what) {
    const LinkMessage message{what.code, part.session, ++part.messages, what.bytes};
    std::uint64_t attempt = 0;
    ANIMA_TRY(send(part, message, attempt));
    Patience patience(line_.options.patience_ms);
    bool said = false;
    for (;;) {
      ANIMA_ASSIGN(const std::optional<LinkMessage> reply, take_one(&part));
      if (part.next) return std::optional<LinkMessage>();
      if (reply && reply->number == message.number) return reply;
      if (reply) {
        ++counts_.repeated;
        patience.heard();
        continue;
      }
      if (is_alive(part)) patience.heard();
      ANIMA_TRY(check(part, patience, said));
      if (patience.again()) ANIMA_TRY(send(part, message, ++attempt));
    }
  }

  bool is_alive(const RemotePart& part) const {
    return line_.stream->ask(line_.who_part(part.number), kWhoMilliseconds) == part.nonce;
  }

  Status send(const RemotePart& part, const LinkMessage& message, std::uint64_t attempt) {
    const std::string subject = line_.to_part(part.number, part.nonce);
    for (const Frame& frame : encode_link(identity_, part.identity.id, message, attempt)) {
      ANIMA_TRY(line_.stream->send(subject, to_hex(frame.message_id), frame.bytes));
      ++counts_.sent;
    }
    return {};
  }

  // The next frame from anybody: hellos are noted, a whole reply of `wanted` in its session is
  // given back. Nothing: there was none in a while, or it was a hello.
  Result<std::optional<LinkMessage>> take_one(const RemotePart* wanted) {
    for (;;) {
      ANIMA_ASSIGN(const auto received, inbox_->next(kLookMilliseconds));
      if (!received) return std::optional<LinkMessage>();
      inbox_->acknowledge(*received);
      ++counts_.received;
      RemotePart* const sender = sender_of(received->subject);
      LinkReader::Taken taken =
          sender == nullptr ? LinkReader::Taken{} : sender->reader.take(received->bytes);
      if (!taken.good && ++counts_.refused == 1)
        line_.warn("refuses a message that is not of this world (more are counted)");
      if (!taken.message) continue;
      if (taken.message->code == LinkCode::kHello) {
        hear_hello(*sender, *taken.message);
        return std::optional<LinkMessage>();
      }
      if (sender == wanted && taken.message->session == sender->session)
        return std::move(taken.message);
      ++counts_.repeated;
    }
  }

  RemotePart* sender_of(std::string_view subject) {
    for (auto& part : parts_) {
      if (line_.to_kingdom(part.first) == subject) return &part.second;
    }
    return nullptr;
  }

  void hear_hello(RemotePart& part, const LinkMessage& message) {
    const auto hello = unpack_bytes<Hello>(message.bytes);
    if (!hello || !is_nonce(hello->nonce)) {
      ++counts_.refused;
    } else if (hello->life != life_ || hello->nonce == part.nonce) {
      ++counts_.repeated;
    } else {
      part.next = hello->nonce;
    }
  }

  NatsLine line_;
  std::unique_ptr<bus::Inbox> inbox_;
  const std::string life_;
  const Identity identity_;
  std::map<std::uint64_t, RemotePart> parts_;
  BusCounts counts_;
};

}  // namespace

Result<std::unique_ptr<MessageBus>> open_nats_bus(NatsBusOptions options) {
  if (options.parts == 0 || options.parts > kMaxParts)
    return fail(ErrorCode::kInvalidArgument, fmt::format("a world has 1 to {} parts", kMaxParts));
  ANIMA_ASSIGN(NatsLine line, open_line(std::move(options), "anima world kingdom"));
  if (line.kingdom())
    return fail(ErrorCode::kConflict, "another process runs this world on the bus",
                line.options.world, "stop it, or name this world otherwise with --world");
  KingdomCard card{kLinkProtocol, line.options.version, fingerprint_of(line.options.secret),
                   line.options.parts, fresh_nonce()};
  ANIMA_ASSIGN(auto inbox, line.stream->inbox(line.name(), line.below("to.kingdom.*"), "kingdom"));
  ANIMA_TRY(line.stream->answer(line.below("who.kingdom"), pack(card).encode()));
  return std::unique_ptr<MessageBus>(
      std::make_unique<NatsBus>(std::move(line), std::move(inbox), card.life));
}

}  // namespace anima::world
