// Any bytes as a stream of events and as what servers of models send. The same bytes give the same
// events however they are cut, and every codec ends with a reply or an error that says something.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "llm/cassette.h"
#include "llm/json_schema.h"
#include "llm/model.h"
#include "llm/sse.h"
#include "llm/structured_reply.h"

namespace {

using namespace anima;
using namespace anima::llm;

std::vector<std::string> events_of(std::string_view bytes, std::size_t piece) {
  SseParser parser(1 << 16);
  std::vector<std::string> events;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const Status status = parser.feed(bytes.substr(at, piece), [&](const SseEvent& event) {
      events.push_back(event.type + '\x01' + event.data + '\x01' + event.id);
      return Status();
    });
    ANIMA_CHECK(status || !status.error().message.empty());
    if (!status) break;
  }
  return events;
}

void stream(std::string_view bytes) {
  const auto whole = events_of(bytes, bytes.size() + 1);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{7}})
    ANIMA_CHECK(events_of(bytes, piece) == whole);
}

// The bytes as the answer of a server, through the whole of a model.
void answer(Provider provider, bool streamed, std::string_view bytes) {
  Exchange exchange;
  ModelConfig config;
  config.provider = provider;
  config.url = "http://127.0.0.1:1";
  config.model = "m";
  config.attempts = 1;
  exchange.url = config.url + (provider == Provider::kAnthropic         ? "/v1/messages"
                               : provider == Provider::kOpenAiResponses ? "/responses"
                                                                        : "/chat/completions");
  if (provider == Provider::kAnthropic)
    exchange.headers.emplace_back("anthropic-version", "2023-06-01");
  const std::string type = streamed ? "text/event-stream" : "application/json";
  exchange.headers.emplace_back("content-type", "application/json");
  exchange.headers.emplace_back("accept", type);
  exchange.head = {200, {{"content-type", type}}};
  exchange.pieces.push_back({0, std::string(bytes)});

  // What the request says is not of interest: it is taken from the call itself.
  class AnyRequest final : public HttpTransport {
   public:
    explicit AnyRequest(Exchange given) : exchange_(std::move(given)) {}
    HttpOutcome post(const HttpRequest& request, const HttpHandlers& handlers,
                     const std::stop_token& stop) override {
      exchange_.body = request.body;
      PlayingTransport playing({exchange_});
      return playing.post(request, handlers, stop);
    }

   private:
    Exchange exchange_;
  };
  AnyRequest transport(std::move(exchange));
  ManualClock clock;
  SeededRandom random(1);
  NoWaiter waiter;
  const auto model = make_model(config, {transport, clock, random, waiter, {}, {}});
  Request request;
  request.messages.push_back(user_message("?"));
  CallOptions options;
  if (streamed) options.sink = [](const StreamEvent&) {};
  const auto reply = model->complete(request, options);
  ANIMA_CHECK(reply || !reply.error().message.empty());
  if (reply) ANIMA_CHECK(parse_json(to_json(*reply).dump()) || !reply->message.parts.empty());
}

// Bytes as a schema and a value.
void schema(std::string_view bytes) {
  const std::size_t half = bytes.find('\n');
  const auto text = parse_json(bytes.substr(0, half));
  if (!text || !check_schema(*text)) return;
  const auto value = parse_json(half == std::string_view::npos ? "{}" : bytes.substr(half));
  if (value) static_cast<void>(describe(validate(*text, *value)));
  static_cast<void>(is_strict(*text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 9) {
    case 0:
      stream(bytes);
      break;
    case 1:
    case 2:
      answer(Provider::kOpenAiChat, data[0] % 9 == 1, bytes);
      break;
    case 3:
    case 4:
      answer(Provider::kOpenAiResponses, data[0] % 9 == 3, bytes);
      break;
    case 5:
    case 6:
      answer(Provider::kAnthropic, data[0] % 9 == 5, bytes);
      break;
    case 7:
      schema(bytes);
      break;
    default:
      static_cast<void>(read_answer_json(bytes));
      static_cast<void>(scrub_key_shapes(bytes));
  }
  return 0;
}
