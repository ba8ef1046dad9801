// Messages between processes that must not be lost: streams of a NATS server (JetStream).
//
// A stream keeps every message on the server's disk until a reader acknowledges it. send() returns
// when the server has the message, and tries again as long as it may: the same id again within two
// minutes is one message. An inbox is one durable reader: what it took and did not acknowledge
// comes again after kAckSeconds, to it or to whoever opens the inbox next. So a message arrives at
// least once; a reader that must see it once knows it by its id. A lost connection comes back by
// itself, and so do inboxes. Beside the streams, presence: who is there answers a question at once
// with fixed bytes (answer(), ask()); nothing of that is kept.
//
// libnats is loaded when the first server is opened (docs/decisions/012-loaded-curl.md).
// Thread-safety: a JetStream and its inboxes belong to one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace anima::bus {

inline constexpr std::int64_t kAckSeconds = 30;

// nats:// or tls://, [user[:password]@]host[:port]; several servers of one cluster with commas.
bool is_nats_address(std::string_view address);
// As it may be shown: hosts and ports, never a user, a password or a token.
std::string shown_nats_address(std::string_view address);
// Whether libnats can be loaded on this machine. Errors: kUnsupported.
Status nats_is_there();

struct JetStreamOptions {
  std::string servers;
  std::string client;                  // how the server's lists name this process
  std::function<bool()> stopped = {};  // looked at while it waits; true: give up (kCancelled)
  std::int64_t patience_ms = 60'000;   // how long a send() tries again
};

struct Received {
  std::string subject;
  std::string bytes;
  std::string token;  // for acknowledge()
};

// A durable reader of one subject. Lives no longer than its JetStream.
class Inbox {
 public:
  virtual ~Inbox() = default;
  // The next message, in the order in which they were sent; nothing when none came in that time,
  // also while the connection is lost. Errors: kCancelled.
  virtual Result<std::optional<Received>> next(std::int64_t timeout_ms) = 0;
  // It is done: it will not come again, unless the server crashes before it notes that.
  virtual void acknowledge(const Received& message) = 0;
  // The server forgets the reader.
  virtual void remove() = 0;
};

class JetStream {
 public:
  virtual ~JetStream() = default;
  // Errors: kInvalidArgument (the address), kUnsupported (no libnats), kDenied (the server refuses
  // the user), kBusy (no server answers).
  static Result<std::unique_ptr<JetStream>> open(JetStreamOptions options);

  // Makes the stream when it is missing: every subject below `prefix`; also later, when the server
  // has lost it. Errors: kUnsupported (the
  // server has no JetStream), kConflict (its subjects are another stream's), kBusy, kIo.
  virtual Status keep(const std::string& stream, const std::string& prefix) = 0;
  virtual Result<std::unique_ptr<Inbox>> inbox(const std::string& stream,
                                               const std::string& subject,
                                               const std::string& name) = 0;
  // Errors: kTimeout (the server did not take it in time; it may have), kLimitExceeded (larger than
  // the server takes), kCancelled, kIo.
  virtual Status send(const std::string& subject, const std::string& id,
                      std::string_view bytes) = 0;

  // From now on whoever asks `subject` gets these bytes and no former ones, from a thread of the
  // library's own: also while this process is busy with something else.
  virtual Status answer(const std::string& subject, std::string bytes) = 0;
  // Nothing: nobody answers there in that time.
  virtual std::optional<std::string> ask(const std::string& subject, std::int64_t timeout_ms) = 0;
  virtual bool connected() const = 0;
};

}  // namespace anima::bus
