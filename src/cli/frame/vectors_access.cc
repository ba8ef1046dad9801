#include "cli/frame/vectors_access.h"

#include <algorithm>

#include "llm/embeddings.h"

namespace anima::cli {
namespace {

// Somebody waits for the answer to a question.
constexpr std::int64_t kQuestionSeconds = 5;

struct EmbeddingsAccess {
  explicit EmbeddingsAccess(Context& context) : context(context) {}
  Context& context;
  SystemClock clock;
  SystemRandom random;
  llm::SystemWaiter waiter;
  std::unique_ptr<llm::HttpTransport> transport = llm::make_http_transport(clock);
  std::unique_ptr<llm::Embeddings> texts, question;
  std::unique_ptr<memory::TextVectors> vectors;

  std::unique_ptr<llm::Embeddings> server(llm::EmbeddingsConfig config) {
    llm::ModelParts parts{*transport, clock, random, waiter, {}, {}};
    parts.key = [this](const llm::KeySource& source) {
      return llm::read_key(source, context.environment, context.files);
    };
    return std::make_unique<llm::Embeddings>(std::move(config), std::move(parts));
  }
};

memory::Embed asks(llm::Embeddings& server) {
  return [&server](std::span<const std::string> texts, const std::stop_token& stop) {
    return server.embed(texts, stop);
  };
}

}  // namespace

Result<std::shared_ptr<memory::TextVectors>> open_vectors(Context& context,
                                                          const store::Space& space) {
  ANIMA_ASSIGN(std::optional<llm::EmbeddingsConfig> config, llm::read_embeddings(context.config));
  if (!config) return std::shared_ptr<memory::TextVectors>();
  auto access = std::make_shared<EmbeddingsAccess>(context);
  const std::string model = config->model;
  access->texts = access->server(*config);
  config->attempts = 1;
  config->timeout_seconds = std::min(config->timeout_seconds, kQuestionSeconds);
  config->idle_seconds = std::min(config->idle_seconds, kQuestionSeconds);
  access->question = access->server(*std::move(config));
  access->vectors = std::make_unique<memory::TextVectors>(
      memory::TextVectorsParts{context.files, access->clock, space.folder(), model,
                               asks(*access->texts), asks(*access->question)});
  return std::shared_ptr<memory::TextVectors>(access, access->vectors.get());
}

Status drop_vectors_of(Context& context, store::Space& space,
                       const std::set<store::EntityId>& things) {
  ANIMA_ASSIGN(const store::Snapshot now, space.snapshot());
  return memory::drop_vectors(context.files, space.folder(), now.with_books(), things)
      .map([](std::size_t) {});
}

}  // namespace anima::cli
