// The language model of an Agent, with what it works with: its settings are read as those of the
// configuration are (docs/models.md), and its exchanges are kept on the log of the space.
// Thread-safety: as llm::Models. Ownership: shares the space.
#pragma once

#include <memory>
#include <string>

#include "agent/conversation/recorded_calls.h"
#include "anima/agent.h"
#include "base/clock.h"
#include "base/random.h"
#include "llm/models.h"

namespace anima::detail {

class AskedModel {
 public:
  // Errors: kInvalidArgument with the setting that is wrong.
  static Result<std::unique_ptr<AskedModel>> open(const LanguageModel& wanted,
                                                  std::shared_ptr<store::Space> space,
                                                  const store::Origin& origin);
  llm::Model& model() { return *model_; }
  const std::string& session() const { return session_; }

 private:
  AskedModel(std::shared_ptr<store::Space> space, const store::Origin& origin, std::string session);

  std::shared_ptr<store::Space> space_;
  const std::string session_;
  SystemClock clock_;
  SystemRandom random_;
  agent::RecordedCalls calls_;
  std::unique_ptr<llm::Models> models_;
  llm::Model* model_ = nullptr;
};

}  // namespace anima::detail
