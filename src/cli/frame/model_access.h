// How verbs come to language models: those of the configuration, with the user's budget, stopped by
// Ctrl-C. Thread-safety: belongs to one thread.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/random.h"
#include "cli/frame/context.h"
#include "llm/cassette.h"
#include "llm/models.h"

namespace anima::cli {

// Asks to stop when the program is interrupted.
class StopOnInterrupt {
 public:
  StopOnInterrupt();
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread watcher_;
};

// The models with what they need; outlives what it gives.
struct ModelAccess {
  SystemClock clock;
  SystemRandom random;
  std::unique_ptr<llm::CassetteFile> cassette;
  std::unique_ptr<llm::Models> models;
};

struct ModelTapes {
  std::optional<std::string> record;  // a file that every exchange is added to
  std::optional<std::string> replay;  // a file that is played instead of calling anybody
};

// Errors: those of the cassette. A model that is configured wrongly is an error when it is asked
// for.
Result<std::unique_ptr<ModelAccess>> open_models(Context& context, const ModelTapes& tapes = {},
                                                 llm::ExchangeKeeper* keeper = nullptr);

// The model of that name; "auto" takes the one for ordinary work, by tier and budget.
Result<llm::Model*> named_model(llm::Models& models, const std::string& name);

// An id for what belongs together in the log: 16 hexadecimal digits.
std::string fresh_conversation_id();

// Reports the error like Context::fail(); what a budget or a limit stopped ends with kBudget.
int fail_of_model(Context& context, const Error& error);

}  // namespace anima::cli
