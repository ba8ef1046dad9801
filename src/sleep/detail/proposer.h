// Proposer: asks a language model, where one is configured, about what the rules of a phase leave
// open, and hands its answers on as proposals. It decides and writes nothing: the phases check each
// proposal as they check themselves.
//
// Candidates are told as numbered JSON, a few at a time, never of two levels of trust in one call,
// so that a text from outside can at most speak about what is trusted as little. An answer is JSON
// of a schema; what does not fit, or is about no candidate, does not count. The calls are bounded
// by tokens; after a failure nothing more is asked in this cycle. The same state and model give the
// same requests, byte for byte. Thread-safety: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "sleep/cycle_record.h"
#include "store/ids.h"

namespace anima::llm {
class Model;
}

namespace anima::sleep::detail {

struct Candidate {
  Json shown;  // an object; its number is put in front
  store::Trust trust = store::Trust::kUntrusted;
};

struct Question {
  std::string_view task;  // what the model is told to do
  Json members;           // of one proposal beside its number: name -> schema
  std::function<Json(store::Trust)> context = {};  // what all of a call are told, at their trust
  std::size_t answers = 1;                         // at most so many a candidate
};

struct Proposal {
  std::size_t candidate = 0;
  Json said;  // as the schema wants it
};

class Proposer {
 public:
  // `model` null: there is none, and nothing is ever proposed. It outlives the proposer.
  Proposer(llm::Model* model, std::int64_t tokens, std::stop_token stop);

  // A model is there, has not failed in this cycle, and has tokens left.
  bool may_ask() const;
  // Proposals in the order of the candidates, which are told least trusted first.
  std::vector<Proposal> ask(const Question& question, const std::vector<Candidate>& candidates);
  // `proposed by the model "tiny": they share a phone number`.
  std::string evidence(const Json& reason) const;
  void took() { ++record_.taken; }
  // Set when it has failed and nobody has been told yet.
  std::string take_failure();
  const ModelRecord& record() const { return record_; }

 private:
  void ask_some(const Question& question, const std::vector<Candidate>& candidates,
                std::span<const std::size_t> told, std::vector<Proposal>& proposals);
  void fail_with(std::string why);

  llm::Model* model_;
  const std::int64_t tokens_;
  const std::stop_token stop_;
  std::string untold_;
  ModelRecord record_;
};

}  // namespace anima::sleep::detail
