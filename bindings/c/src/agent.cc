#include <algorithm>
#include <limits>
#include <optional>

#include "handles.h"
#include "request.h"
#include "values.h"

namespace anima::c {
namespace {

template <typename Work>
int call(const anima_agent* agent, const char* request, char** answer, Work work) noexcept {
  return run(answer, [&]() -> Result<Json> {
    if (agent == nullptr) return fail(ErrorCode::kInvalidArgument, "no agent was given");
    Request given(request);
    auto act = work(given);
    ANIMA_TRY(given.checked());
    return act(Agent(agent->agent));
  });
}

template <typename T>
Result<Json> told(const Result<T>& result) {
  if (!result) return fail(result.error());
  return json_of(*result);
}

Result<Json> facts(const Result<std::vector<std::string>>& result) {
  if (!result) return fail(result.error());
  Json list = Json::array();
  for (const std::string& fact : *result) list.push_back(fact);
  return Json::object({{"taken_back", std::move(list)}});
}

Limits limits_of(Request& given, const anima_stop* stop, std::uint64_t cycles) {
  const CallLimits limits = given.limits(stop);
  return {.stop = limits.stop, .time = limits.time, .cycles = cycles};
}

std::int64_t tokens_or(Request& given, std::string_view name, std::int64_t otherwise) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(
      std::min(kMost, given.count_or(name, static_cast<std::uint64_t>(otherwise))));
}

Result<LanguageModel> model_from(const Json& json) {
  Request given(json.dump().c_str());
  LanguageModel model;
  model.provider = given.text_or("provider", model.provider);
  model.url = given.text_or("url");
  model.model = given.text_or("model");
  model.key_env = given.text_or("key_env");
  model.key_file = given.text_or("key_file");
  model.context_tokens = tokens_or(given, "context_tokens", model.context_tokens);
  model.max_tokens = tokens_or(given, "max_tokens", model.max_tokens);
  ANIMA_TRY(given.checked());
  return model;
}

Result<std::vector<ArgumentLabel>> labels_from(const Json& json) {
  std::vector<ArgumentLabel> labels;
  for (const JsonMember& each : json.as_object()) {
    Request given(each.second.dump().c_str());
    labels.push_back({.argument = each.first,
                      .trust = given.trust_or("trust", TrustLevel::kUntrusted),
                      .source = given.text_or("source", "caller")});
    ANIMA_TRY(given.checked());
  }
  return labels;
}

}  // namespace
}  // namespace anima::c

using namespace anima;
using namespace anima::c;

extern "C" {

int anima_agent_open(anima_memory* memory, const char* options, anima_agent** agent, char** error) {
  if (agent != nullptr) *agent = nullptr;
  return open(error, [&]() -> Result<Json> {
    if (memory == nullptr || agent == nullptr)
      return fail(ErrorCode::kInvalidArgument, "no memory, or no place for the agent");
    Request given(options);
    AgentOptions how{.name = given.text_or("name", "main"),
                     .work_folder = given.text_or("work_folder"),
                     .readable = given.texts("readable"),
                     .rules = given.texts("rules"),
                     .fetcher = given.text_or("fetcher")};
    const Json model = given.json("model");
    ANIMA_TRY(given.checked());
    if (!model.is_null()) {
      ANIMA_ASSIGN(how.model, model_from(model));
    }
    ANIMA_ASSIGN(Agent made, Agent::over(memory->memory, how));
    *agent = new anima_agent{std::move(made)};
    return Json::object({{"done", true}});
  });
}

void anima_agent_close(anima_agent* agent) { delete agent; }

int anima_agent_remember(anima_agent* agent, const char* request, const anima_stop* /*stop*/,
                         char** answer) {
  return call(agent, request, answer, [](Request& given) {
    return [text = given.text("text"),
            keeping = Keeping{.trust = given.trust_or("trust", TrustLevel::kOperator),
                              .source = given.text_or("source", "library"),
                              .speaker = given.text_if_any("speaker"),
                              .author = given.text_or("author")}](Agent to) {
      return told(to.remember(text, keeping));
    };
  });
}

int anima_agent_recall(anima_agent* agent, const char* request, const anima_stop* /*stop*/,
                       char** answer) {
  return call(agent, request, answer, [](Request& given) {
    return [question = given.text("question"),
            settings = RecallSettings{.budget_tokens = given.count_or("budget", 1500),
                                      .speaker = given.text_if_any("speaker")}](Agent of) {
      return told(of.recall(question, settings));
    };
  });
}

int anima_agent_memories(anima_agent* agent, const char* request, const anima_stop* /*stop*/,
                         char** answer) {
  return call(agent, request, answer, [](Request& given) {
    return [query = MemoryQuery{.text = given.text_or("query"),
                                .kind = given.text_or("kind", "knowledge"),
                                .reader = given.text_or("reader", "operator"),
                                .limit = given.count_or("limit", 20),
                                .speaker = given.text_if_any("speaker")}](Agent of) {
      return told(of.memories(query));
    };
  });
}

int anima_agent_update_memory(anima_agent* agent, const char* request, const anima_stop* /*stop*/,
                              char** answer) {
  return call(agent, request, answer, [](Request& given) {
    return [id = given.text("id"), text = given.text("text"),
            speaker = given.text_if_any("speaker"), author = given.text_or("author")](Agent to) {
      return told(to.update_memory(id, text, speaker, author));
    };
  });
}

int anima_agent_forget_memory(anima_agent* agent, const char* request, const anima_stop* /*stop*/,
                              char** answer) {
  return call(agent, request, answer, [](Request& given) {
    return [id = given.text("id"), dry_run = given.flag("dry_run")](Agent to) {
      return facts(dry_run ? to.would_forget(id) : to.forget_memory(id));
    };
  });
}

int anima_agent_questions(anima_agent* agent, const char* request, const anima_stop* /*stop*/,
                          char** answer) {
  return call(agent, request, answer,
              [](Request&) { return [](Agent of) { return told(of.questions()); }; });
}

int anima_agent_answer(anima_agent* agent, const char* request, const anima_stop* /*stop*/,
                       char** answer) {
  return call(agent, request, answer, [](Request& given) {
    return [question = given.text("question"), said = given.text("answer")](Agent to) {
      return told(to.answer(question, said));
    };
  });
}

int anima_agent_ask(anima_agent* agent, const char* request, const anima_stop* /*stop*/,
                    char** answer) {
  return call(agent, request, answer, [](Request& given) {
    return [question = given.text("question"), session = given.text_or("session", "default"),
            speaker = given.text_if_any("speaker")](Agent of) {
      return told(of.ask(question, session, speaker));
    };
  });
}

int anima_agent_run(anima_agent* agent, const char* request, const anima_stop* stop,
                    char** answer) {
  return call(agent, request, answer, [&](Request& given) {
    const std::uint64_t cycles = given.count_or("cycles", 10);
    return [goal = given.text("goal"), limits = limits_of(given, stop, cycles)](Agent to) {
      return told(to.run(goal, limits));
    };
  });
}

int anima_agent_chat(anima_agent* agent, const char* request, const anima_stop* stop,
                     char** answer) {
  return call(agent, request, answer, [&](Request& given) {
    return [line = given.text("line"), session = given.text_or("session", "default"),
            limits = limits_of(given, stop, 10)](Agent to) {
      return told(to.chat(line, session, limits));
    };
  });
}

int anima_agent_call(anima_agent* agent, const char* request, const anima_stop* /*stop*/,
                     char** answer) {
  return call(agent, request, answer, [](Request& given) {
    ToolCall wanted{.tool = given.text("tool"),
                    .arguments = given.object("arguments"),
                    .caller = given.trust_or("caller", TrustLevel::kStandard),
                    .label = given.trust_or("label", TrustLevel::kUntrusted)};
    return [wanted = std::move(wanted),
            labels = given.object("labels")](Agent to) mutable -> Result<Json> {
      ANIMA_ASSIGN(wanted.labels, labels_from(labels));
      return told(to.call(wanted));
    };
  });
}

int anima_agent_waiting(anima_agent* agent, const char* request, const anima_stop* /*stop*/,
                        char** answer) {
  return call(agent, request, answer,
              [](Request&) { return [](Agent of) { return told(of.waiting()); }; });
}

int anima_agent_grant(anima_agent* agent, const char* request, const anima_stop* /*stop*/,
                      char** answer) {
  return call(agent, request, answer, [](Request& given) {
    return [id = given.text("id")](Agent to) -> Result<Json> {
      ANIMA_TRY(to.grant(id));
      return Json::object({{"done", true}});
    };
  });
}

int anima_agent_deny(anima_agent* agent, const char* request, const anima_stop* /*stop*/,
                     char** answer) {
  return call(agent, request, answer, [](Request& given) {
    return
        [id = given.text("id"), reason = given.text_or("reason", "no")](Agent to) -> Result<Json> {
          ANIMA_TRY(to.deny(id, reason));
          return Json::object({{"done", true}});
        };
  });
}

int anima_agent_why(anima_agent* agent, const char* request, const anima_stop* /*stop*/,
                    char** answer) {
  return call(agent, request, answer, [](Request& given) {
    return [id = given.text("id")](Agent of) { return told(of.why(id)); };
  });
}
}
