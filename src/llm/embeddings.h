// Embeddings: texts as vectors, from any server that speaks OpenAI's POST {url}/embeddings. Off
// unless `[embeddings]` says where the server is.
//
// Texts go in batches; an answer counts only when it has one vector of one size for each text. A
// call is tried again as calls of models are (retry.h). The key travels beside the request, as
// theirs do; plain http is for this machine. Errors of embed(): kInvalidArgument (the server does
// not take it), kDenied (key, certificate, plain http), kNotFound (no key), kBusy, kTimeout,
// kCancelled, kIo (an answer that cannot be used). Thread-safety: from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/result.h"
#include "llm/model.h"

namespace anima::llm {

struct EmbeddingsConfig {
  std::string url, model;
  KeySource key;
  bool allow_http = false;
  std::int64_t batch = 64;            // texts in a call
  std::int64_t idle_seconds = 30;     // without a byte
  std::int64_t timeout_seconds = 60;  // of a call
  std::int64_t attempts = 3;
};

// The rows for the program's list of settings (base/config.h).
std::span<const ConfigKey> embeddings_settings();
// Nothing when no url is set. Errors: kInvalidArgument with the place of the setting.
Result<std::optional<EmbeddingsConfig>> read_embeddings(const Config& config);

class Embeddings {
 public:
  // What the parts refer to outlives the object.
  Embeddings(EmbeddingsConfig config, ModelParts parts);
  ~Embeddings();
  const EmbeddingsConfig& config() const { return config_; }

  // One vector a text, all of one size, as the server gives them.
  Result<std::vector<std::vector<float>>> embed(std::span<const std::string> texts,
                                                const std::stop_token& stop = {});

 private:
  Result<std::vector<std::vector<float>>> embed_batch(std::span<const std::string> texts,
                                                      const std::stop_token& stop);
  Result<std::vector<std::vector<float>>> ask_for(std::span<const std::string> texts,
                                                  const std::stop_token& stop);
  Result<const Secret*> key();

  const EmbeddingsConfig config_;
  ModelParts parts_;
  std::mutex mutex_;
  std::optional<Secret> key_;
};

}  // namespace anima::llm
