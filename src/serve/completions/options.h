// What /v1/chat/completions works with. Plain values.
#pragma once

#include <cstddef>
#include <memory>

namespace anima::llm {
class Models;
}

namespace anima::serve::completions {

struct CompletionsOptions {
  std::shared_ptr<llm::Models> models = {};  // null: there are no completions
  bool learn = false;                        // facts that a message of the user states are kept
  std::size_t recall_tokens = 1500;          // of what memory says to the model
  std::size_t max_steps = 8;                 // calls of the model for one request
};

}  // namespace anima::serve::completions
