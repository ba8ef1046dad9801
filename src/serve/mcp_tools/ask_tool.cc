#include "serve/mcp_tools/ask_tool.h"

#include <string_view>
#include <utility>

namespace anima::serve {
namespace {

constexpr std::size_t kMostSessions = 64;

}  // namespace

Json AskTool::definition() {
  Json definition = tool_definition(
      "ask", "Ask in plain words",
      "Answers a question from what the memory holds, with the query that was run and its proof; "
      "or says which word it does not know.",
      true, false,
      {{"question", "string", "in the words of the memory"},
       {"session", "string", "its questions may follow up", false},
       {"language", "string", "en, or another pack", false},
       {"speaker", "string", "who \"I\" is", false}});
  // Its answers have no envelope.
  std::erase_if(definition.as_object(),
                [](const JsonMember& member) { return member.first == "outputSchema"; });
  return definition;
}

ToolAnswer AskTool::ask(const Json& arguments, std::optional<Json> as_of, std::stop_token stop) {
  for (const char* name : {"question", "session", "language", "speaker"}) {
    const Json* value = arguments.find(name);
    if (value == nullptr && std::string_view(name) == "question")
      return answer_wrong("`question` is missing");
    if (value != nullptr && !value->is_string())
      return answer_wrong("`" + std::string(name) + "` must be a string");
  }
  ask::AskOptions options;
  options.as_of = std::move(as_of);
  options.stop = std::move(stop);
  if (const Json* language = arguments.find("language")) options.language = language->as_string();
  if (const Status known = ask::check_language(options.language); !known)
    return answer_error(known.error());
  if (const Json* speaker = arguments.find("speaker")) {
    auto name = memory::speaker_given(speaker->as_string());
    if (!name) return answer_error(name.error());
    options.speaker = *std::move(name);
    options.own_texts = !options.speaker.empty();
  }
  ask::Conversation* talk = nullptr;
  if (const Json* session = arguments.find("session")) {
    const std::string key = options.speaker + '\n' + session->as_string();
    // Another client's newest session is worth no more than this one's.
    if (talks_.size() >= kMostSessions && !talks_.contains(key)) talks_.clear();
    talk = &talks_[key];
  }
  const ask::Answer answer = asker_.ask(arguments.find("question")->as_string(), options, talk);
  if (memory_ != nullptr) memory_->answered(answer.facts, options.speaker);
  return {answer.to_json(), false};
}

}  // namespace anima::serve
