#include "cli/frame/model_access.h"

#include <array>
#include <chrono>

#include "base/crypto.h"
#include "cli/frame/interrupt.h"

namespace anima::cli {
namespace {

constexpr std::chrono::milliseconds kLookEvery(50);

}  // namespace

StopOnInterrupt::StopOnInterrupt()
    : watcher_([this](const std::stop_token& done) {
        while (!done.stop_requested()) {
          if (interrupted()) {
            source_.request_stop();
            return;
          }
          std::this_thread::sleep_for(kLookEvery);
        }
      }) {}

Result<std::unique_ptr<ModelAccess>> open_models(Context& context, const ModelTapes& tapes,
                                                 llm::ExchangeKeeper* keeper) {
  auto access = std::make_unique<ModelAccess>();
  llm::ModelsOptions options{llm::read_models(context.config, context.environment),
                             llm::read_budget(context.config),
                             join_path(user_directories(context.environment).state, "models.json"),
                             context.environment,
                             context.files,
                             access->clock,
                             access->random,
                             keeper,
                             {}};
  if (tapes.record) {
    access->cassette = std::make_unique<llm::CassetteFile>(context.files, *tapes.record);
    options.keeper = access->cassette.get();
  }
  if (tapes.replay) {
    ANIMA_ASSIGN(options.played, llm::read_cassette(context.files, *tapes.replay));
  }
  access->models = std::make_unique<llm::Models>(std::move(options));
  return access;
}

Result<llm::Model*> named_model(llm::Models& models, const std::string& name) {
  return name == "auto" ? models.route({}) : models.find(name);
}

std::string fresh_conversation_id() {
  SystemRandom random;
  std::array<std::uint8_t, 8> bytes{};
  random.fill(bytes);
  return to_hex(bytes);
}

int fail_of_model(Context& context, const Error& error) {
  const int code = context.fail(error);
  return error.code == ErrorCode::kLimitExceeded ? kBudget : code;
}

}  // namespace anima::cli
