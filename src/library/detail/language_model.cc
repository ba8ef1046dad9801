#include "library/detail/language_model.h"

#include <array>
#include <utility>

#include "base/config.h"
#include "base/crypto.h"
#include "base/files/file.h"

namespace anima::detail {
namespace {

constexpr const char* kModelName = "library";

Result<Config> config_of(const LanguageModel& wanted) {
  Config config(llm::model_settings());
  const auto set = [&](std::string_view key, const std::string& text) -> Status {
    if (text.empty()) return {};
    return config.set("llm." + std::string(kModelName) + "." + std::string(key), text,
                      "AgentOptions::model");
  };
  ANIMA_TRY(set("provider", wanted.provider));
  ANIMA_TRY(set("model", wanted.model));
  ANIMA_TRY(set("url", wanted.url));
  ANIMA_TRY(set("key_env", wanted.key_env));
  ANIMA_TRY(set("key_file", wanted.key_file));
  ANIMA_TRY(set("context_tokens", std::to_string(wanted.context_tokens)));
  ANIMA_TRY(set("max_tokens", std::to_string(wanted.max_tokens)));
  return config;
}

std::string fresh_session(Random& random) {
  std::array<std::uint8_t, 8> bytes{};
  random.fill(bytes);
  return "library-" + to_hex(bytes);
}

}  // namespace

AskedModel::AskedModel(std::shared_ptr<store::Space> space, const store::Origin& origin,
                       std::string session)
    : space_(std::move(space)), session_(std::move(session)), calls_(*space_, origin, session_) {}

Result<std::unique_ptr<AskedModel>> AskedModel::open(const LanguageModel& wanted,
                                                     std::shared_ptr<store::Space> space,
                                                     const store::Origin& origin) {
  SystemRandom random;
  std::unique_ptr<AskedModel> made(new AskedModel(std::move(space), origin, fresh_session(random)));
  const Environment environment = system_environment();
  ANIMA_ASSIGN(const Config config, config_of(wanted));
  llm::ModelsOptions options{llm::read_models(config, environment),
                             {},
                             join_path(user_directories(environment).state, "models.json"),
                             environment,
                             system_files(),
                             made->clock_,
                             made->random_,
                             &made->calls_,
                             {}};
  made->models_ = std::make_unique<llm::Models>(std::move(options));
  ANIMA_ASSIGN(made->model_, made->models_->find(kModelName));
  return made;
}

}  // namespace anima::detail
