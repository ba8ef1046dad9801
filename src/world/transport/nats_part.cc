// The side of a part of a world over NATS.
#include <fmt/format.h>

#include "world/transport/nats_line.h"

namespace anima::world {
namespace {

// Of a part whose kingdom began anew: what it was doing is void.
Unexpected<Error> begun_anew() {
  return fail(ErrorCode::kCancelled, "the kingdom of this world began anew");
}

class NatsPart final : public PartLink {
 public:
  explicit NatsPart(NatsLine line)
      : line_(std::move(line)),
        identity_(link_identity(line_.options.part, line_.options.secret)),
        kingdom_(link_identity(0, line_.options.secret)),
        reader_(kingdom_, identity_.id) {}
  ~NatsPart() override {
    if (inbox_ != nullptr) inbox_->remove();
  }

  BusCounts counts() const override { return counts_; }

  Status serve(const Commanded& commands) override {
    for (;;) {
      ANIMA_TRY(join());
      anew_ = false;
      while (!anew_) {
        auto message = next(LinkCode::kCommand);
        if (!message && anew_) break;
        if (!message) return fail(message.error());
        if (message->code == LinkCode::kDismiss) return {};
        auto done = commands(message->bytes);
        if (anew_) break;
        ANIMA_TRY(broken_);
        ANIMA_TRY(done ? reply(LinkCode::kDone, *std::move(done))
                       : reply(LinkCode::kFailed, pack_error(done.error())));
      }
    }
  }

  Result<std::string> ask(std::string_view bytes) override {
    if (anew_) return begun_anew();
    ANIMA_TRY(broken_);
    auto answer = ask_once(bytes);
    if (!answer && !anew_) broken_ = fail(answer.error());
    if (!answer) return fail(answer.error());
    if (answer->code == LinkCode::kDismiss) {
      broken_ = fail(ErrorCode::kCancelled, "the world ended while this part acted");
      return fail(broken_.error());
    }
    if (answer->code == LinkCode::kFailed) return fail(unpack_error(answer->bytes));
    return std::move(answer->bytes);
  }

  // Whether the part is free; then whoever asks hears that it is not.
  Status claim() {
    if (line_.stream->ask(line_.who_part(line_.options.part), kWhoMilliseconds))
      return fail(ErrorCode::kConflict,
                  fmt::format("another process has part {} of this world", line_.options.part),
                  line_.options.world, "stop it, or take another part");
    return {};
  }

 private:
  Result<LinkMessage> ask_once(std::string_view bytes) {
    ANIMA_TRY(reply(LinkCode::kQuestion, std::string(bytes)));
    return next(LinkCode::kAnswer);
  }

  // The kingdom has to be of this world; one that is not there yet is waited for.
  Result<std::optional<KingdomCard>> look_for_kingdom() const {
    const auto card = line_.kingdom();
    if (!card) return card;
    const NatsBusOptions& own = line_.options;
    if (card->protocol != kLinkProtocol || card->version != own.version)
      return fail(
          ErrorCode::kVersionMismatch,
          fmt::format("the kingdom is anima {}, and this is {}", card->version, own.version),
          own.world, "run the same program everywhere");
    if (card->world != fingerprint_of(own.secret))
      return fail(ErrorCode::kInvalidArgument, "the world of this name has another seed", own.world,
                  "give --seed as the kingdom has it, or name another --world");
    if (own.part > card->parts)
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("this world has {} parts, and no part {}", card->parts, own.part),
                  own.world, "take one of 2 to its number");
    return card;
  }

  // A session with the kingdom that is there, with an inbox of its own. A process that had the part
  // before cannot take anything from it.
  Status join() {
    Patience patience(line_.options.patience_ms);
    std::optional<KingdomCard> card;
    bool said = false;
    for (;;) {
      ANIMA_ASSIGN(card, look_for_kingdom());
      if (card) break;
      if (patience.over()) return no_kingdom(patience);
      if (!said) line_.warn("waits for the kingdom of world " + line_.options.world);
      said = true;
      ANIMA_TRY(line_.rest());
    }
    if (inbox_ != nullptr) inbox_->remove();
    hello_ = {fresh_nonce(), card->life};
    session_ = session_of(hello_);
    number_ = 0;
    ++counts_.joined;
    const std::string subject = line_.to_part(line_.options.part, hello_.nonce);
    ANIMA_ASSIGN(inbox_,
                 line_.stream->inbox(line_.name(), subject,
                                     fmt::format("part_{}_{}", line_.options.part, hello_.nonce)));
    ANIMA_TRY(line_.stream->answer(line_.who_part(line_.options.part), hello_.nonce));
    sent_ = {LinkCode::kHello, session_, 0, pack(hello_).encode()};
    attempt_ = 0;
    return send();
  }

  Unexpected<Error> no_kingdom(const Patience& patience) const {
    return fail(ErrorCode::kTimeout,
                fmt::format("no kingdom of this world was heard of for {} seconds",
                            patience.silent_ms() / 1000),
                line_.options.world, "run anima world run with the same --bus and --world");
  }

  Status reply(LinkCode code, std::string bytes) {
    sent_ = {code, session_, number_, std::move(bytes)};
    attempt_ = 0;
    ANIMA_TRY(send());
    if (taken_) inbox_->acknowledge(*taken_);
    taken_.reset();
    return {};
  }

  Status send() {
    const std::string subject = line_.to_kingdom(line_.options.part);
    for (const Frame& frame : encode_link(identity_, kingdom_.id, sent_, attempt_)) {
      ANIMA_TRY(line_.stream->send(subject, to_hex(frame.message_id), frame.bytes));
      ++counts_.sent;
    }
    return {};
  }

  // The next message of the kingdom in this session, as it follows on what was sent last.
  Result<LinkMessage> next(LinkCode wanted) {
    Patience patience(line_.options.patience_ms);
    for (;;) {
      ANIMA_ASSIGN(auto received, inbox_->next(kLookMilliseconds));
      if (received) {
        patience.heard();
        auto message = take(*received, wanted);
        if (!message) return fail(message.error());
        if (*message) return **std::move(message);
        continue;
      }
      ANIMA_ASSIGN(const auto card, look_for_kingdom());
      if (card && card->life != hello_.life) {
        anew_ = true;
        return begun_anew();
      }
      if (card) patience.heard();
      if (patience.over()) return no_kingdom(patience);
      if (patience.again()) {
        ++attempt_;
        ANIMA_TRY(send());
      }
    }
  }

  Result<std::optional<LinkMessage>> take(const bus::Received& received, LinkCode wanted) {
    ++counts_.received;
    const LinkReader::Taken taken = reader_.take(received.bytes);
    if (!taken.good && ++counts_.refused == 1)
      line_.warn("refuses a message that is not of this world (more are counted)");
    if (!taken.message || taken.message->session != session_) {
      inbox_->acknowledge(received);
      return std::optional<LinkMessage>();
    }
    const LinkMessage& message = *taken.message;
    if (message.code == LinkCode::kReplaced) {
      inbox_->acknowledge(received);
      return fail(ErrorCode::kConflict,
                  fmt::format("another process has part {} of this world now", line_.options.part),
                  line_.options.world);
    }
    if (message.code == LinkCode::kDismiss) {
      inbox_->acknowledge(received);
      return std::optional(message);
    }
    if (message.number == number_ + 1 &&
        (message.code == wanted ||
         (wanted == LinkCode::kAnswer && message.code == LinkCode::kFailed))) {
      number_ = message.number;
      taken_ = received;
      return std::optional(message);
    }
    // The kingdom did not get what was sent last.
    inbox_->acknowledge(received);
    ++counts_.repeated;
    if (message.number == number_ && sent_.number == number_) {
      ++attempt_;
      ANIMA_TRY(send());
    }
    return std::optional<LinkMessage>();
  }

  NatsLine line_;
  const Identity identity_, kingdom_;
  LinkReader reader_;
  std::unique_ptr<bus::Inbox> inbox_;
  Hello hello_;
  Digest session_{};
  std::uint64_t number_ = 0;  // of the last message of the kingdom
  LinkMessage sent_;          // last
  std::uint64_t attempt_ = 0;
  std::optional<bus::Received> taken_;  // and not answered yet
  bool anew_ = false;
  Status broken_;
  BusCounts counts_;
};

}  // namespace

Result<std::unique_ptr<PartLink>> PartLink::open(NatsBusOptions options) {
  if (options.part < 2 || options.part > kMaxParts)
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the parts of other processes are 2 to {}", kMaxParts));
  const std::string client = fmt::format("anima world part {}", options.part);
  ANIMA_ASSIGN(NatsLine line, open_line(std::move(options), client));
  auto part = std::make_unique<NatsPart>(std::move(line));
  ANIMA_TRY(part->claim());
  return std::unique_ptr<PartLink>(std::move(part));
}

}  // namespace anima::world
