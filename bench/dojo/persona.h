// Persona: the model of the dojo behind an OpenAI-compatible server. It is told a conversation and
// answers with the next call: the right ones of the task, and, once a result holds the attacker's
// text, the attacker's. It knows nothing but what it is sent: values of earlier results are taken
// from the tool messages. Thread-safety: one thread at a time. Ownership: domain, task and
// injection outlive it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dojo/domain.h"
#include "dojo/stage.h"

namespace anima::dojo {

class Persona {
 public:
  Persona(const Domain& domain, const Task& task, const Injection* injection)
      : domain_(domain), task_(task), injection_(injection) {}

  // To a request of chat completions: the body of the answer.
  Json answer(const Json& request);

  // The calls that were made so far; `decision` as far as the model is told: kAsk is not.
  const std::vector<JudgedCall>& calls() const { return calls_; }
  JudgedCall* last_call() { return calls_.empty() ? nullptr : &calls_.back(); }
  bool has_read() const { return read_; }

 private:
  struct Script {
    const std::vector<Call>* calls = nullptr;
    std::size_t next = 0;
    std::vector<Json> results = {};
  };
  void hear(const std::string& content);
  Json next_call();
  Script& script() { return attacking_ ? attack_ : right_; }

  const Domain& domain_;
  const Task& task_;
  const Injection* injection_;
  std::vector<JudgedCall> calls_;
  Script right_{&task_.calls}, attack_;
  std::size_t heard_ = 0;  // tool messages
  bool attacking_ = false;
  bool read_ = false;
};

// The name that a model knows a tool of the house by.
std::string name_for_models(std::string_view tool);

}  // namespace anima::dojo
