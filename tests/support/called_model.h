// A model that calls a scripted server (model_server.h): everything real but the waiting between
// attempts, which is only written down. Thread-safety: from one thread.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "llm/cassette.h"
#include "llm/model.h"
#include "support/model_server.h"

namespace anima::test {

inline constexpr const char* kTestKey = "sk-test-4f9a8b7c6d5e4f3a2b1c";

class WrittenWaits final : public llm::Waiter {
 public:
  Status wait_ms(std::int64_t milliseconds, const std::stop_token& stop) override {
    waits.push_back(milliseconds);
    if (stop.stop_requested()) return fail(ErrorCode::kCancelled, "stopped");
    return {};
  }
  std::vector<std::int64_t> waits;
};

struct CalledModel {
  explicit CalledModel(llm::Provider provider = llm::Provider::kOpenAiChat) {
    config.name = "scripted";
    config.provider = provider;
    config.url = server.url();
    config.model = "scripted-1";
    config.idle_seconds = 5;
  }

  llm::Model& model() {
    if (made == nullptr) {
      transport = llm::make_http_transport(clock);
      llm::HttpTransport* used = transport.get();
      if (keeper != nullptr) {
        recording = llm::make_recording_transport(*transport, *keeper, clock);
        used = recording.get();
      }
      made = llm::make_model(
          config, {*used,
                   clock,
                   random,
                   waiter,
                   [](const llm::KeySource&) { return Result<llm::Secret>(llm::Secret(kTestKey)); },
                   {}});
    }
    return *made;
  }
  Result<llm::Reply> ask(std::string text) {
    llm::Request request;
    request.messages.push_back(llm::user_message(std::move(text)));
    return model().complete(request);
  }
  // Streamed: what was told, "[again]" where it was taken back and "[call NAME]".
  Result<llm::Reply> ask_streamed(std::string text, std::string& told) {
    llm::Request request;
    request.messages.push_back(llm::user_message(std::move(text)));
    llm::CallOptions options;
    options.sink = [&](const llm::StreamEvent& event) {
      if (event.kind == llm::StreamEvent::Kind::kText) told += event.text;
      if (event.kind == llm::StreamEvent::Kind::kToolCall) told += "[call " + event.text + "]";
      if (event.kind == llm::StreamEvent::Kind::kRestart) told += "[again]";
    };
    return model().complete(request, options);
  }

  ModelServer server;
  SystemClock clock;
  SeededRandom random{7};
  WrittenWaits waiter;
  llm::ModelConfig config;
  llm::ExchangeKeeper* keeper = nullptr;
  std::unique_ptr<llm::HttpTransport> transport, recording;
  std::unique_ptr<llm::Model> made;
};

class KeptExchanges final : public llm::ExchangeKeeper {
 public:
  Status keep(const llm::Exchange& exchange) override {
    exchanges.push_back(exchange);
    return {};
  }
  std::vector<llm::Exchange> exchanges;
};

}  // namespace anima::test
