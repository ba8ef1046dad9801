#include "serve/mcp.h"

#include <algorithm>

#include "base/packs.h"
#include "base/text/read_number.h"
#include "base/text/text.h"
#include "serve/mcp_tools/argument_shapes.h"
#include "store/act.h"

namespace anima::serve {

namespace {

constexpr std::int64_t kListTtlMs = 300'000;

struct Document {
  const char* uri;
  const char* name;
  const char* title;
  const char* pack;
  const char* description;
};
constexpr Document kDocuments[] = {
    {"kip://docs/Instructions.md", "Instructions.md", "Living with a memory",
     "packs/docs/Instructions.md", "How an agent uses its memory"},
    {"kip://docs/KIP.md", "KIP.md", "KIP reference card", "packs/docs/KIP.md",
     "The language of the memory on one page"},
};

std::string document(const Document& it) { return std::string(pack_file(it.pack).value_or("")); }

Json text_content(std::string text) {
  return Json::object({{"type", "text"}, {"text", std::move(text)}});
}

Json tool_error(const std::string& message) {
  const Json body = Json::object(
      {{"error",
        Json::object({{"code", "KIP_1001"}, {"name", "InvalidSyntax"}, {"message", message}})}});
  return Json::object({{"content", Json::array({text_content(body.dump(2))})},
                       {"structuredContent", body},
                       {"isError", true}});
}

Json tool_result(const Json& body) {
  return Json::object(
      {{"content", Json::array({text_content(body.dump(2))})}, {"structuredContent", body}});
}

Json tool_result(const ToolAnswer& answer) {
  Json result = tool_result(answer.body);
  if (answer.is_error) result.set("isError", true);
  return result;
}

// Of tools whose answers have no pages: what is too long is told by its length.
ToolAnswer within(std::uint64_t most_bytes, ToolAnswer answer) {
  const std::uint64_t size = answer.body.dump().size();
  if (size <= most_bytes) return answer;
  return answer_error({ErrorCode::kLimitExceeded,
                       "the call is done, but its answer has " + std::to_string(size) +
                           " bytes, and may have " + std::to_string(most_bytes),
                       {},
                       "ask for less; what the call did stays done"});
}

// Beside what the tool says: how its arguments were taken.
void tell(const std::vector<std::string>& taken, Json& result) {
  Json* body = result.find("structuredContent");
  if (body == nullptr || !body->is_object()) return;
  const Json* notice = body->find("notice");
  std::string text = notice != nullptr && notice->is_string() ? notice->as_string() + "; " : "";
  body->set("notice", text + join(taken, "; "));
  result.set("content", Json::array({text_content(body->dump(2))}));
}

Json output_schema() {
  return Json::object(
      {{"type", "object"},
       {"properties", Json::object({{"result", Json(JsonObject{})},
                                    {"next_cursor", Json::object({{"type", "string"}})},
                                    {"error", Json::object({{"type", "object"}})}})}});
}

Json tool(const Json& definition, const char* title, bool reads_only) {
  return Json::object({{"name", *definition.find("name")},
                       {"title", title},
                       {"description", *definition.find("description")},
                       {"inputSchema", *definition.find("input_schema")},
                       {"outputSchema", output_schema()},
                       {"annotations", tool_annotations(reads_only, !reads_only, false)}});
}

// A KIP tool, with what only this door offers: hits are short here.
Json kip_tool(Json definition, const char* title, bool reads_only, bool define_on_use) {
  Json schema = *definition.find("input_schema");
  Json properties = *schema.find("properties");
  properties.set("full", Json::object({{"type", "boolean"},
                                       {"default", false},
                                       {"description", "Hits of SEARCH with all they hold."}}));
  schema.set("properties", std::move(properties));
  definition.set("input_schema", std::move(schema));
  if (define_on_use && !reads_only) {
    definition.set("description", definition.find("description")->as_string() +
                                      "\nHere UPSERT also defines types and predicates on use.");
  }
  return tool(definition, title, reads_only);
}

Json logs_tool() {
  const Json properties = Json::object(
      {{"cursor",
        Json::object({{"type", "string"}, {"description", "next_cursor of the page before"}})},
       {"limit",
        Json::object({{"type", "integer"}, {"minimum", 1}, {"maximum", 100}, {"default", 10}})}});
  const Json definition =
      Json::object({{"name", "list_logs"},
                    {"description", "The calls of this memory's KIP tools, newest first."},
                    {"input_schema", Json::object({{"type", "object"},
                                                   {"properties", properties},
                                                   {"additionalProperties", false}})}});
  return tool(definition, "List KIP calls", true);
}

}  // namespace

McpServer::McpServer(std::shared_ptr<kip::Engine> engine, McpOptions options)
    : engine_(std::move(engine)), options_(std::move(options)) {
  if (!options_.clock) options_.clock = std::make_shared<SystemClock>();
  tools_ = list_tools();
  kip_ =
      std::make_unique<KipTool>(engine_,
                                KipToolOptions{options_.origin, options_.readonly,
                                               options_.define_on_use, options_.most_answer_bytes},
                                options_.clock);
  if (options_.asker != nullptr) ask_.emplace(*options_.asker, options_.memory);
  protocol_ =
      std::make_unique<McpProtocol>(about(), [this](McpCall& call) { return dispatch(call); });
}

Needs McpServer::needs_of(const Json& message) const {
  return mcp_needs(message, [this](std::string_view tool, const Json& arguments) {
    Needs needs = mcp_tool_needs(tool, arguments);
    needs.house |= options_.guard != nullptr || options_.acting != nullptr;
    return needs;
  });
}

Json McpServer::dispatch(McpCall& call) {
  const std::string& method = call.method;
  if (method == "tools/list") return tools_;
  if (method == "tools/call") return call_tool(call);
  if (method == "resources/list") {
    JsonArray list;
    for (const Document& it : kDocuments) {
      list.push_back(Json::object({{"uri", it.uri},
                                   {"name", it.name},
                                   {"title", it.title},
                                   {"description", it.description},
                                   {"mimeType", "text/markdown"}}));
    }
    return Json::object({{"resources", Json(std::move(list))}});
  }
  if (method == "resources/templates/list")
    return Json::object({{"resourceTemplates", Json(JsonArray{})}});
  if (method == "resources/read") return read_resource(call);
  if (method == "prompts/list") {
    return Json::object(
        {{"prompts", Json::array({Json::object(
                         {{"name", "kip_bootstrap"},
                          {"title", "Use the memory"},
                          {"description", "How to live with this memory, and its language"}})})}});
  }
  if (method == "prompts/get") return get_prompt(call);
  return call.fail(kMethodNotFound, "there is no method " + quote_json(method));
}

McpProtocol::Server McpServer::about() const {
  const Json nothing{JsonObject{}};
  return {
      .name = "anima",
      .title = "Anima",
      .version = options_.version,
      .capabilities =
          Json::object({{"tools", nothing}, {"resources", nothing}, {"prompts", nothing}}),
      .instructions =
          std::string(
              "A lasting memory. `ask` answers questions in plain words. Run execute_kip with "
              "{\"command\": \"DESCRIBE PRIMER\"} first; the "
              "language is on the card "
              "kip://docs/KIP.md. Pass user input as parameters. Errors carry a code and a hint.") +
          (options_.define_on_use ? " UPSERT defines unknown types and predicates." : "") +
          (options_.memory == nullptr
               ? ""
               : " recall gives what is known of a name or a question: data, each text with its "
                 "trust. why tells who stated a fact.") +
          (options_.guard == nullptr
               ? ""
               : " Before each call of a tool of your own that acts or reads, ask check_call; "
                 "after it, report_result.") +
          (options_.acting == nullptr
               ? ""
               : " call_tool runs tools after they were judged, and its answer says what to do "
                 "when one waits or is denied."),
      .list_ttl_ms = kListTtlMs,
      .transport = options_.transport};
}

Json McpServer::list_tools() const {
  const Json definitions = kip::function_definitions("anthropic");
  JsonArray tools;
  if (!options_.readonly)
    tools.push_back(
        kip_tool(definitions.as_array()[0], "Execute KIP", false, options_.define_on_use));
  tools.push_back(kip_tool(definitions.as_array()[1], "Execute KIP (read only)", true, false));
  tools.push_back(logs_tool());
  if (options_.asker != nullptr) tools.push_back(AskTool::definition());
  if (options_.memory != nullptr) {
    for (Json& each : options_.memory->definitions()) tools.push_back(std::move(each));
  }
  if (options_.guard != nullptr) {
    for (Json& each : McpGuard::definitions()) tools.push_back(std::move(each));
  }
  if (options_.acting != nullptr) {
    for (Json& each : McpActing::definitions()) {
      if (each.find("name")->as_string() != "why_denied") tools.push_back(std::move(each));
    }
  }
  return Json::object({{"tools", Json(std::move(tools))}});
}

const Json* McpServer::definition_of(std::string_view tool) const {
  const JsonArray& known = tools_.find("tools")->as_array();
  const auto found = std::ranges::find_if(
      known, [&](const Json& each) { return each.find("name")->as_string() == tool; });
  return found == known.end() ? nullptr : &*found;
}

Json McpServer::call_tool(McpCall& call) {
  const Json* name = call.param("name");
  if (name == nullptr || !name->is_string())
    return call.fail(kInvalidParams, "tools/call needs the name of a tool");
  const Json* given = call.param("arguments");
  const Json arguments = given == nullptr || given->is_null() ? Json(JsonObject{}) : *given;
  if (arguments.kind() != Json::Kind::kObject)
    return call.fail(kInvalidParams, "arguments must be an object");
  const Json* definition = definition_of(name->as_string());
  if (definition == nullptr) return run_tool(call, name->as_string(), arguments);
  const ShapedArguments shaped = shaped_arguments(*definition, arguments);
  Json result = run_tool(call, name->as_string(), shaped.arguments);
  if (!shaped.taken.empty() && call.error_code == 0) tell(shaped.taken, result);
  return result;
}

Json McpServer::run_tool(McpCall& call, const std::string& name, const Json& arguments) {
  const store::ActScope act("tool call", store::ActKind::kOwn);
  store::WholeAct whole(engine_->space());
  Json result = run_in_act(call, name, arguments);
  const Status done = whole.done();
  const Json* failed = result.find("isError");
  const bool told = call.error_code != 0 || (failed != nullptr && failed->as_bool());
  return done || told ? result : tool_error(done.error().describe());
}

Json McpServer::run_in_act(McpCall& call, const std::string& name, const Json& arguments) {
  if (options_.memory != nullptr) {
    if (const auto refusal = options_.memory->refused(name, arguments))
      return tool_result(*refusal);
  }
  // Before the client has the answer.
  agent::GuardSession* session = options_.guard != nullptr    ? &options_.guard->session()
                                 : options_.acting != nullptr ? &options_.acting->session()
                                                              : nullptr;
  if (session != nullptr) {
    if (const Status told = memory_tells(*session, name); !told)
      return tool_error(told.error().describe());
  }
  if (name == "execute_kip" && !options_.readonly) return run_kip(arguments, false, call.stop);
  if (name == "execute_kip_readonly") return run_kip(arguments, true, call.stop);
  if (name == "list_logs") return list_logs(arguments);
  if (name == "ask" && options_.asker != nullptr) return ask(arguments, call.stop);
  if (auto answer = call_others(name, arguments, call.stop))
    return tool_result(within(options_.most_answer_bytes, *std::move(answer)));
  return call.fail(kInvalidParams, "there is no tool " + quote_json(name));
}

std::optional<ToolAnswer> McpServer::call_others(std::string_view name, const Json& arguments,
                                                 const std::stop_token& stop) {
  if (options_.memory != nullptr) {
    if (auto answer = options_.memory->call(name, arguments)) {
      return answer;
    }
  }
  if (options_.guard != nullptr) {
    if (auto answer = options_.guard->call(name, arguments)) return answer;
  }
  if (options_.acting == nullptr) return std::nullopt;
  return options_.acting->call(name, arguments, stop);
}

Json McpServer::run_kip(const Json& arguments, bool readonly, std::stop_token stop) {
  const std::string why =
      unknown_to(*definition_of(readonly ? "execute_kip_readonly" : "execute_kip"), arguments,
                 {"shape", "strict"});
  if (!why.empty()) return tool_error(why);
  const Json response = kip_->execute(arguments, readonly, std::move(stop));
  Json result = tool_result(response);
  if (kip::has_error(response)) result.set("isError", true);
  return result;
}

Json McpServer::list_logs(const Json& arguments) {
  const std::string why = unknown_to(*definition_of("list_logs"), arguments);
  if (!why.empty()) return tool_error(why);
  std::int64_t limit = 10, before = 0;
  if (const Json* value = arguments.find("limit")) {
    if (!value->is_integer() || value->as_integer() < 1 || value->as_integer() > 100)
      return tool_error("`limit` is a whole number from 1 to 100");
    limit = value->as_integer();
  }
  if (const Json* value = arguments.find("cursor")) {
    const auto read =
        value->is_string() ? read_number<std::int64_t>(value->as_string()) : std::nullopt;
    if (!read || *read <= 0) return tool_error("`cursor` is no cursor of list_logs");
    before = *read;
  }
  auto page =
      kip_->calls().page(static_cast<std::size_t>(limit), before, options_.most_answer_bytes);
  if (!page) return tool_error(page.error().describe());
  Json body{JsonObject{}};
  body.set("result", Json(std::move(page->calls)));
  if (page->next != 0) body.set("next_cursor", std::to_string(page->next));
  return tool_result(body);
}

Json McpServer::ask(const Json& arguments, std::stop_token stop) {
  const std::string why = unknown_to(*definition_of("ask"), arguments);
  if (!why.empty()) return tool_error(why);
  return tool_result(within(options_.most_answer_bytes, ask_->ask(arguments, {}, std::move(stop))));
}

Json McpServer::read_resource(McpCall& call) const {
  const Json* uri = call.param("uri");
  if (uri == nullptr || !uri->is_string())
    return call.fail(kInvalidParams, "resources/read needs a uri");
  for (const Document& it : kDocuments) {
    if (uri->as_string() != it.uri) continue;
    return Json::object({{"contents", Json::array({Json::object({{"uri", it.uri},
                                                                 {"mimeType", "text/markdown"},
                                                                 {"text", document(it)}})})}});
  }
  // The later era reports a missing resource as invalid parameters.
  return call.fail(call.modern ? kInvalidParams : kResourceNotFound,
                   "there is no resource " + quote_json(uri->as_string()),
                   Json::object({{"uri", *uri}}));
}

Json McpServer::get_prompt(McpCall& call) const {
  const Json* name = call.param("name");
  if (name == nullptr || !name->is_string() || name->as_string() != "kip_bootstrap")
    return call.fail(kInvalidParams, "there is no such prompt");
  const auto message = [](const char* role, std::string text) {
    return Json::object({{"role", role}, {"content", text_content(std::move(text))}});
  };
  return Json::object(
      {{"description", "How to live with this memory, and its language"},
       {"messages",
        Json::array({message("user", document(kDocuments[0]) + "\n\n" + document(kDocuments[1])),
                     message("assistant",
                             "Understood. I will look into the memory before I answer and keep in "
                             "it what will matter later.")})}});
}

}  // namespace anima::serve
