#include "agent/house/recall_vectors.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/random.h"
#include "llm/embeddings.h"

namespace anima::agent {
namespace {

// Somebody waits for the answer to a question.
constexpr std::int64_t kQuestionSeconds = 5;

// All that the vectors use; it lives as long as they do.
struct EmbeddingsAccess {
  EmbeddingsAccess(FileSystem& file_system, Environment variables)
      : files(file_system), environment(std::move(variables)) {}

  FileSystem& files;
  const Environment environment;
  SystemClock clock;
  SystemRandom random;
  llm::SystemWaiter waiter;
  std::unique_ptr<llm::HttpTransport> transport = llm::make_http_transport(clock);
  std::unique_ptr<llm::Embeddings> texts, question;
  std::unique_ptr<memory::TextVectors> vectors;

  std::unique_ptr<llm::Embeddings> server(llm::EmbeddingsConfig config) {
    llm::ModelParts parts{*transport, clock, random, waiter, {}, {}};
    parts.key = [this](const llm::KeySource& source) {
      return llm::read_key(source, environment, files);
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

Result<std::shared_ptr<memory::TextVectors>> open_vectors(const Config& config, FileSystem& files,
                                                          const Environment& environment,
                                                          const std::string& folder) {
  ANIMA_ASSIGN(std::optional<llm::EmbeddingsConfig> wanted, llm::read_embeddings(config));
  if (!wanted) return std::shared_ptr<memory::TextVectors>();
  auto access = std::make_shared<EmbeddingsAccess>(files, environment);
  const std::string model = wanted->model;
  access->texts = access->server(*wanted);
  wanted->attempts = 1;
  wanted->timeout_seconds = std::min(wanted->timeout_seconds, kQuestionSeconds);
  wanted->idle_seconds = std::min(wanted->idle_seconds, kQuestionSeconds);
  access->question = access->server(*std::move(wanted));
  access->vectors = std::make_unique<memory::TextVectors>(memory::TextVectorsParts{
      files, access->clock, folder, model, asks(*access->texts), asks(*access->question)});
  return std::shared_ptr<memory::TextVectors>(access, access->vectors.get());
}

Result<std::shared_ptr<memory::TextVectors>> configured_vectors(FileSystem& files,
                                                                const Environment& environment,
                                                                const std::string& folder) {
  if (folder.empty()) return std::shared_ptr<memory::TextVectors>();
  Config config(llm::embeddings_settings());
  for (const std::string& path : config_files(environment, folder))
    ANIMA_TRY(config.add_file(files, path));
  config.add_environment(environment);
  // Settings of others are unknown here; of these, one that cannot be used is an error.
  for (const Error& problem : config.problems()) {
    if (problem.code != ErrorCode::kNotFound) return fail(problem);
  }
  return open_vectors(config, files, environment, folder);
}

}  // namespace anima::agent
