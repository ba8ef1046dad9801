// Gateway: where every message comes in. It gives the message its trust by the channel, counts it,
// lets the guardian judge it, writes that down and announces it; only then may anything route it.
//
// A sender may claim less trust than its channel has, never more; a message whose channel is not
// known has no trust level and is refused (rule 5). A peer that is not 127.0.0.1 is refused (rule
// 1). Nothing is rewritten, and the content decides nothing but its own risk.
//
// A source is a sender on a channel. With a Ledger each message that was judged is a record of the
// log beside its audit entry, and rate and behaviour are counted over the last 1,000 of them,
// whichever process took them in. Thread-safety: one thread at a time. Ownership: what is passed in
// outlives it. Source: governance specification 1.2, 1.3 (order of events), 1.5; DATA.md 14; table
// rows 20-31.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "bus/event_bus.h"
#include "govern/detect/behaviour.h"
#include "govern/detect/guardian.h"
#include "govern/ledger/audit_chain.h"
#include "store/transaction.h"

namespace anima::govern {

class Ledger;
struct LedgerEntry;

// 127.0.0.1 and nothing else: not a name, not 0.0.0.0, not ::1. Errors: kDenied.
Status require_loopback(std::string_view address);

struct IncomingMessage {
  std::string content;
  std::string channel = "http";  // "terminal", "agent_key", "http", "mcp", "email", "file"
  std::optional<std::string> source = {};  // the trust level that the sender claims
  std::string sender = "anonymous";        // whose behaviour is counted
  std::string peer = "127.0.0.1";          // its address, where it came over a network
  std::string session = "default";
};

// The most that messages of a channel are trusted; empty for an unknown channel.
std::optional<Trust> channel_trust(std::string_view channel);

struct Admission {
  int status = 200;  // 200; 400 no content or no such level; 403 refused; 429 too many
  std::string message_id;
  Timestamp time;
  Trust trust = Trust::kUntrusted;
  Assessment assessment;
  std::string reason;    // when not 200
  std::string audit_id;  // of the refusal
  bool accepted() const { return status == 200; }
  // {"accepted","id","timestamp"} or {"error","threats","riskScore"}.
};

struct GatewayOptions {
  bool text_detection = true;     // false: the guardian's text analysis is left out
  int messages_per_minute = 100;  // of one source; 0 = any number
};

class Gateway {
 public:
  // `ledger` null: messages are counted in memory, for as long as this object lives.
  Gateway(const Guardian& guardian, AuditLog& audit, bus::EventBus& events, Clock& clock,
          Random& random, GatewayOptions options = {}, Ledger* ledger = nullptr);

  // Errors: the audit log cannot be read or written; then nothing is admitted.
  Result<Admission> admit(const IncomingMessage& message);

 private:
  struct Bucket {
    double tokens = 0;
    Timestamp filled;
    bool told = false;  // that it is empty
  };
  // What one message is for the counting.
  struct Counted {
    std::string source;
    std::size_t length = 0;
    bool hit = false;
    Timestamp at;
  };
  static Result<Counted> counted_from(const LedgerEntry& entry);
  Status catch_up();
  void count(const Counted& message);
  Status write_down(const IncomingMessage& message, const Admission& admission);
  double tokens(const std::string& source, Timestamp now) const;
  void spend(const std::string& source, Timestamp now);
  Result<Admission> refuse_the_many(const IncomingMessage& message, Admission admission);
  Result<Admission> refuse(Admission admission, int status, std::string reason);
  Result<Admission> break_rule(Admission admission, int rule, std::string reason);
  Assessment assess(const IncomingMessage& message, const Admission& admission);
  Status announce(const IncomingMessage& message, Admission& admission);
  Result<Admission> refuse_unjudged(const IncomingMessage& message, Admission admission);

  const Guardian& guardian_;
  AuditLog& audit_;
  bus::EventBus& events_;
  Clock& clock_;
  Random& random_;
  GatewayOptions options_;
  Ledger* ledger_;
  std::optional<store::Sequence> read_ = {};  // the last entry whose messages are counted
  Behaviour behaviour_;
  std::map<std::string, Bucket, std::less<>> buckets_;
};

}  // namespace anima::govern
