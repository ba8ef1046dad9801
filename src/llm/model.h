// A language model behind one door, whoever provides it: complete() says the messages of a request
// and brings the reply, streamed or not.
//
// A call is tried again where that may help (429, 5xx, broken connections, cut streams, unreadable
// answers), with exponential back-off and jitter, as long as the attempts and the time of its
// configuration last; no turn is lost by it, for an answer counts only when it is whole. What was
// streamed of an answer that is then begun anew is taken back by StreamEvent::kRestart.
//
// Errors of complete(): kInvalidArgument (the request, or the server does not take it), kDenied
// (key refused, certificate, plain http, redirect, a key inside the messages), kNotFound (no key;
// the server knows no such model), kBusy (temporary to the end), kTimeout, kCancelled,
// kLimitExceeded (budget, answer too long, context), kIo (unreadable answers), kUnsupported. No
// error, log line or event holds the key. Thread-safety: complete() from any thread.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "llm/http.h"
#include "llm/message.h"
#include "llm/model_config.h"
#include "llm/retry.h"
#include "llm/secret.h"
#include "llm/waiter.h"

namespace anima::llm {

class Budget;

struct CallOptions {
  StreamSink sink;  // given: the answer is streamed
  std::stop_token stop;
};

class Model {
 public:
  virtual ~Model() = default;
  virtual const ModelConfig& config() const = 0;
  virtual Result<Reply> complete(const Request& request, const CallOptions& options = {}) = 0;
};

// What a model works with; all of it outlives the model.
struct ModelParts {
  HttpTransport& transport;
  Clock& clock;
  Random& random;  // used under a lock
  Waiter& waiter;
  // Reads the key, when the first call is made. Empty: calls go without one (a replay).
  std::function<Result<Secret>(const KeySource&)> key;
  BackOff back_off = {};
};
std::unique_ptr<Model> make_model(ModelConfig config, ModelParts parts);

// The same model, whose calls the budget admits and counts. Both outlive it.
std::unique_ptr<Model> make_budgeted_model(Model& model, Budget& budget);

}  // namespace anima::llm
