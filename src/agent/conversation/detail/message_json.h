// Messages of a conversation with a language model, parts of a prompt and outcomes of calls, as the
// log keeps them. Thread-safety: pure functions. Errors: kCorrupt.
#pragma once

#include <vector>

#include "agent/conversation/model_context.h"
#include "base/json/json.h"
#include "govern/decide/executor.h"
#include "llm/message.h"

namespace anima::agent::detail {

Json messages_to_json(const std::vector<llm::Message>& messages);
Result<std::vector<llm::Message>> messages_from_json(const Json* json);

Json to_json(const PromptPart& part);
Result<PromptPart> prompt_part_from_json(const Json& json);
Json to_json(const std::vector<PromptPart>& parts);
Result<std::vector<PromptPart>> prompt_parts_from_json(const Json* json);

// Without the decision, which the ledger has.
Json to_json(const govern::Outcome& outcome);
Result<govern::Outcome> outcome_from_json(const Json& json);

// A level that this program does not know is no reason to trust.
govern::Trust trust_from(const Json& json, std::string_view key);

}  // namespace anima::agent::detail
