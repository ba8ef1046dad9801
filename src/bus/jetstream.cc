#include "bus/jetstream.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "bus/detail/libnats.h"

namespace anima::bus {
namespace {

constexpr int kConnectMilliseconds = 5000;
constexpr int kReconnectMilliseconds = 250;
constexpr int kReconnectBufferBytes = 64 * 1024;  // what is not on the server is sent again by us
constexpr int kPingMilliseconds = 2000;           // a network that is cut is noticed by its silence
constexpr int kPingsOut = 2;
constexpr std::int64_t kWhoListensMilliseconds = 2000;
constexpr std::int64_t kPublishMilliseconds = 2000;
constexpr std::int64_t kNanoseconds = 1'000'000'000;
constexpr std::int64_t kDuplicateSeconds = 120;
constexpr std::int64_t kKeptSeconds = 7 * 86'400;  // of messages and readers that nobody wants
constexpr std::int64_t kPauseMilliseconds = 100;
constexpr std::string_view kAcknowledged = "+ACK";

struct FreeOptions {
  void operator()(natsOptions* options) const { libnats().options_destroy(options); }
};
struct FreeConnection {
  void operator()(natsConnection* connection) const { libnats().connection_destroy(connection); }
};
struct FreeContext {
  void operator()(jsCtx* context) const { libnats().context_destroy(context); }
};
struct FreeSubscription {
  void operator()(natsSubscription* subscription) const {
    libnats().subscription_destroy(subscription);
  }
};
struct FreeMessage {
  void operator()(natsMsg* message) const { libnats().message_destroy(message); }
};
using Connection = std::unique_ptr<natsConnection, FreeConnection>;
using Context = std::unique_ptr<jsCtx, FreeContext>;
using Subscription = std::unique_ptr<natsSubscription, FreeSubscription>;

void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(kPauseMilliseconds)); }

std::string text_of(natsStatus status) { return libnats().status_text(status); }

// libnats prints what goes wrong in the background to standard error unless somebody takes it. All
// of that comes back as a message that does not arrive, which is handled where it is waited for.
void take_error(natsConnection*, natsSubscription*, natsStatus, void*) {}

std::vector<std::string> servers_of(std::string_view address) {
  std::vector<std::string> servers;
  while (!address.empty()) {
    const std::size_t comma = std::min(address.find(','), address.size());
    if (comma > 0) servers.emplace_back(address.substr(0, comma));
    address.remove_prefix(std::min(comma + 1, address.size()));
  }
  return servers;
}

// What stands between "://" and the host, and what stands behind it.
std::pair<std::string_view, std::string_view> scheme_and_rest(std::string_view server) {
  const std::size_t end = server.find("://");
  if (end == std::string_view::npos) return {{}, server};
  return {server.substr(0, end), server.substr(end + 3)};
}

bool is_server(std::string_view server) {
  const auto [scheme, rest] = scheme_and_rest(server);
  const std::string_view host = rest.substr(rest.rfind('@') + 1);
  return (scheme == "nats" || scheme == "tls") && !host.empty() && host.front() != ':';
}

struct Answered {
  std::string bytes;
};

class NatsInbox final : public Inbox {
 public:
  NatsInbox(natsConnection* connection, jsCtx* context, std::string stream, std::string subject,
            std::string name, const JetStreamOptions& options)
      : connection_(connection),
        context_(context),
        stream_(std::move(stream)),
        subject_(std::move(subject)),
        name_(std::move(name)),
        options_(options) {}

  natsStatus subscribe() {
    jsSubOptions wanted;
    libnats().subscribe_options_init(&wanted);
    wanted.Stream = stream_.c_str();
    wanted.Config.AckPolicy = js_AckExplicit;
    wanted.Config.AckWait = kAckSeconds * kNanoseconds;
    wanted.Config.MaxDeliver = -1;
    wanted.Config.InactiveThreshold = kKeptSeconds * kNanoseconds;
    natsSubscription* made = nullptr;
    jsErrCode code{};
    const natsStatus status = libnats().pull_subscribe(&made, context_, subject_.c_str(),
                                                       name_.c_str(), nullptr, &wanted, &code);
    subscription_.reset(made);
    return status;
  }

  Result<std::optional<Received>> next(std::int64_t timeout_ms) override {
    SystemClock clock;
    const std::int64_t end = clock.monotonic_nanoseconds() + timeout_ms * 1'000'000;
    for (;;) {
      if (options_.stopped && options_.stopped())
        return fail(ErrorCode::kCancelled, "stopped while it waited for a message");
      const std::int64_t left = (end - clock.monotonic_nanoseconds()) / 1'000'000;
      if (left <= 0) return std::optional<Received>();
      if (auto taken = fetch(std::min<std::int64_t>(left, 1000))) return taken;
    }
  }

  void acknowledge(const Received& message) override {
    // Not waited for: what is lost comes again, and its reader knows it.
    static_cast<void>(libnats().publish(connection_, message.token.c_str(), kAcknowledged.data(),
                                        static_cast<int>(kAcknowledged.size())));
  }

  void remove() override {
    subscription_.reset();
    jsErrCode code{};
    static_cast<void>(
        libnats().delete_consumer(context_, stream_.c_str(), name_.c_str(), nullptr, &code));
  }

 private:
  std::optional<Received> fetch(std::int64_t timeout_ms) {
    // A server that forgot its readers, or a connection that is not back yet.
    if (subscription_ == nullptr && subscribe() != NATS_OK) {
      pause();
      return std::nullopt;
    }
    natsMsgList list{};
    jsErrCode code{};
    const natsStatus status = libnats().fetch(&list, subscription_.get(), 1, timeout_ms, &code);
    if (status != NATS_OK) {
      if (status != NATS_TIMEOUT) {
        subscription_.reset();
        pause();
      }
      return std::nullopt;
    }
    std::optional<Received> taken;
    if (list.Count > 0) {
      const natsMsg* const message = list.Msgs[0];
      const char* const reply = libnats().reply(message);
      taken = Received{
          libnats().subject(message),
          {libnats().data(message), static_cast<std::size_t>(libnats().data_length(message))},
          reply == nullptr ? "" : reply};
    }
    libnats().list_destroy(&list);
    return taken;
  }

  natsConnection* connection_;
  jsCtx* context_;
  const std::string stream_, subject_, name_;
  const JetStreamOptions& options_;
  Subscription subscription_;
};

class NatsJetStream final : public JetStream {
 public:
  NatsJetStream(Connection connection, Context context, JetStreamOptions options)
      : connection_(std::move(connection)),
        context_(std::move(context)),
        options_(std::move(options)) {}

  Status keep(const std::string& stream, const std::string& prefix) override {
    stream_ = stream;
    subjects_ = prefix + ".>";
    const std::int64_t end = SystemClock().monotonic_nanoseconds() + patience();
    for (;;) {
      jsErrCode code{};
      const natsStatus status = make_stream(code);
      if (status == NATS_OK) return {};
      if (status == NATS_NO_RESPONDERS || code == JSNotEnabledErr ||
          code == JSNotEnabledForAccountErr)
        return fail(ErrorCode::kUnsupported, "the NATS server keeps no streams",
                    shown_nats_address(options_.servers),
                    "start it with JetStream: nats-server -js -sd FOLDER");
      if (code == JSStreamSubjectOverlapErr)
        return fail(ErrorCode::kConflict, "another stream of this server has these subjects",
                    subjects_, "name the world otherwise, or remove that stream");
      if (status != NATS_TIMEOUT && code != JSClusterNotAvailErr)
        return fail(ErrorCode::kIo, "the NATS server cannot make a stream: " + text_of(status),
                    shown_nats_address(options_.servers));
      ANIMA_TRY(may_try_again(end));
    }
  }

  Result<std::unique_ptr<Inbox>> inbox(const std::string& stream, const std::string& subject,
                                       const std::string& name) override {
    auto made = std::make_unique<NatsInbox>(connection_.get(), context_.get(), stream, subject,
                                            name, options_);
    const natsStatus status = made->subscribe();
    if (status != NATS_OK && status != NATS_TIMEOUT)
      return fail(ErrorCode::kIo, "the NATS server gives no inbox: " + text_of(status),
                  shown_nats_address(options_.servers));
    return std::unique_ptr<Inbox>(std::move(made));
  }

  Status send(const std::string& subject, const std::string& id, std::string_view bytes) override {
    if (const std::int64_t most = libnats().max_payload(connection_.get());
        most > 0 && bytes.size() > static_cast<std::uint64_t>(most))
      return fail(ErrorCode::kLimitExceeded,
                  "the NATS server takes messages of " + std::to_string(most) +
                      " bytes; this one has " + std::to_string(bytes.size()),
                  shown_nats_address(options_.servers), "raise its max_payload to 1 MB or more");
    jsPubOptions wanted;
    libnats().publish_options_init(&wanted);
    wanted.MsgId = id.c_str();
    wanted.MaxWait = kPublishMilliseconds;
    const std::int64_t end = SystemClock().monotonic_nanoseconds() + patience();
    for (;;) {
      jsPubAck* taken = nullptr;
      jsErrCode code{};
      const natsStatus status =
          libnats().stream_publish(&taken, context_.get(), subject.c_str(), bytes.data(),
                                   static_cast<int>(bytes.size()), &wanted, &code);
      libnats().acknowledgement_destroy(taken);
      if (status == NATS_OK) return {};
      if (status == NATS_CONNECTION_CLOSED || status == NATS_INVALID_ARG)
        return fail(ErrorCode::kIo, "the NATS server cannot be spoken to: " + text_of(status),
                    shown_nats_address(options_.servers));
      // The server is back, and not with what it had.
      if (status == NATS_NO_RESPONDERS && !stream_.empty()) static_cast<void>(make_stream(code));
      ANIMA_TRY(may_try_again(end));
    }
  }

  Status answer(const std::string& subject, std::string bytes) override {
    auto answered = std::make_unique<Answered>(Answered{std::move(bytes)});
    natsSubscription* made = nullptr;
    const natsStatus status = libnats().subscribe(&made, connection_.get(), subject.c_str(),
                                                  &NatsJetStream::give_answer, answered.get());
    if (status != NATS_OK)
      return fail(ErrorCode::kIo, "the NATS server cannot be spoken to: " + text_of(status),
                  shown_nats_address(options_.servers));
    // The former subscription dies before the bytes that it answers with.
    answers_[subject].reset(made);
    answered_[subject] = std::move(answered);
    // So that the server knows it from here on; where it cannot be asked just now it will be told.
    static_cast<void>(libnats().flush(connection_.get(), kWhoListensMilliseconds));
    return {};
  }

  std::optional<std::string> ask(const std::string& subject, std::int64_t timeout_ms) override {
    natsMsg* reply = nullptr;
    const natsStatus status =
        libnats().request(&reply, connection_.get(), subject.c_str(), nullptr, 0, timeout_ms);
    const std::unique_ptr<natsMsg, FreeMessage> owned(reply);
    if (status != NATS_OK) return std::nullopt;
    return std::string(libnats().data(reply),
                       static_cast<std::size_t>(libnats().data_length(reply)));
  }

  bool connected() const override {
    return libnats().connection_status(connection_.get()) == NATS_CONN_STATUS_CONNECTED;
  }

 private:
  static void give_answer(natsConnection* connection, natsSubscription*, natsMsg* question,
                          void* closure) {
    const auto* const answered = static_cast<const Answered*>(closure);
    if (const char* const reply = libnats().reply(question); reply != nullptr)
      static_cast<void>(libnats().publish(connection, reply, answered->bytes.data(),
                                          static_cast<int>(answered->bytes.size())));
    libnats().message_destroy(question);
  }

  std::int64_t patience() const { return options_.patience_ms * 1'000'000; }

  natsStatus make_stream(jsErrCode& code) {
    const char* subjects[] = {subjects_.c_str()};
    jsStreamConfig config;
    libnats().stream_config_init(&config);
    config.Name = stream_.c_str();
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    config.Retention = js_WorkQueuePolicy;
    config.Storage = js_FileStorage;
    config.MaxAge = kKeptSeconds * kNanoseconds;
    config.Duplicates = kDuplicateSeconds * kNanoseconds;
    jsStreamInfo* info = nullptr;
    natsStatus status =
        libnats().stream_info(&info, context_.get(), stream_.c_str(), nullptr, &code);
    if (status == NATS_NOT_FOUND)
      status = libnats().add_stream(&info, context_.get(), &config, nullptr, &code);
    libnats().stream_info_destroy(info);
    return status;
  }

  Status may_try_again(std::int64_t end) {
    if (options_.stopped && options_.stopped())
      return fail(ErrorCode::kCancelled, "stopped while it waited for the NATS server");
    if (SystemClock().monotonic_nanoseconds() >= end)
      return fail(ErrorCode::kTimeout, "the NATS server does not answer",
                  shown_nats_address(options_.servers), "the same command goes on when it is back");
    pause();
    return {};
  }

  // In this order: subscriptions die before their connection, and that before what it answers with.
  std::map<std::string, std::unique_ptr<Answered>> answered_;
  Connection connection_;
  Context context_;
  std::map<std::string, Subscription> answers_;
  const JetStreamOptions options_;
  std::string stream_, subjects_;  // of the last keep()
};

Result<Connection> connect_to(const JetStreamOptions& wanted) {
  const Libnats& nats = libnats();
  natsOptions* made = nullptr;
  natsStatus status = nats.options_create(&made);
  const std::unique_ptr<natsOptions, FreeOptions> options(made);
  const std::vector<std::string> servers = servers_of(wanted.servers);
  std::vector<const char*> names;
  for (const std::string& server : servers) names.push_back(server.c_str());
  const auto set = [&](natsStatus next) {
    if (status == NATS_OK) status = next;
  };
  set(nats.set_servers(made, names.data(), static_cast<int>(names.size())));
  set(nats.set_name(made, wanted.client.c_str()));
  set(nats.set_timeout(made, kConnectMilliseconds));
  set(nats.set_max_reconnect(made, -1));
  set(nats.set_reconnect_wait(made, kReconnectMilliseconds));
  set(nats.set_reconnect_buffer(made, kReconnectBufferBytes));
  set(nats.set_ping_interval(made, kPingMilliseconds));
  set(nats.set_max_pings_out(made, kPingsOut));
  set(nats.set_send_asap(made, true));
  set(nats.set_error_handler(made, &take_error, nullptr));
  if (wanted.servers.starts_with("tls://")) set(nats.set_secure(made, true));
  if (status != NATS_OK)
    return fail(ErrorCode::kInvalidArgument, "this address of a NATS server cannot be used",
                shown_nats_address(wanted.servers), "write nats://host:4222");
  natsConnection* connection = nullptr;
  status = nats.connect(&connection, made);
  if (status == NATS_OK) return Connection(connection);
  if (status == NATS_CONNECTION_AUTH_FAILED || status == NATS_NOT_PERMITTED)
    return fail(ErrorCode::kDenied, "the NATS server refuses this user",
                shown_nats_address(wanted.servers),
                "give its name and password in the address, in the settings");
  if (status == NATS_SSL_ERROR)
    return fail(ErrorCode::kDenied, "the NATS server's certificate is not trusted",
                shown_nats_address(wanted.servers),
                "name the host as the certificate does, and its authority in SSL_CERT_FILE");
  return fail(ErrorCode::kBusy, "the NATS server cannot be reached: " + text_of(status),
              shown_nats_address(wanted.servers), "start it: nats-server -js -sd FOLDER");
}

}  // namespace

bool is_nats_address(std::string_view address) {
  const std::vector<std::string> servers = servers_of(address);
  return !servers.empty() && std::ranges::all_of(servers, is_server);
}

std::string shown_nats_address(std::string_view address) {
  std::string shown;
  for (const std::string& server : servers_of(address)) {
    const auto [scheme, rest] = scheme_and_rest(server);
    if (!shown.empty()) shown += ',';
    if (!scheme.empty()) shown += std::string(scheme) + "://";
    shown += rest.substr(rest.rfind('@') + 1);
  }
  return shown;
}

Status nats_is_there() {
  if (libnats().problem.empty()) return {};
  return fail(ErrorCode::kUnsupported, "libnats cannot be used: " + libnats().problem, {},
              "install the package libnats3.4");
}

Result<std::unique_ptr<JetStream>> JetStream::open(JetStreamOptions options) {
  if (!is_nats_address(options.servers))
    return fail(ErrorCode::kInvalidArgument, "this is no address of a NATS server",
                shown_nats_address(options.servers), "write nats://host:4222");
  ANIMA_TRY(nats_is_there());
  ANIMA_ASSIGN(Connection connection, connect_to(options));
  jsCtx* context = nullptr;
  if (const natsStatus status = libnats().jetstream(&context, connection.get(), nullptr);
      status != NATS_OK)
    return fail(ErrorCode::kIo, "the NATS server cannot be spoken to: " + text_of(status),
                shown_nats_address(options.servers));
  return std::unique_ptr<JetStream>(
      new NatsJetStream(std::move(connection), Context(context), std::move(options)));
}

}  // namespace anima::bus
