// What is said to a language model and what it says: messages of parts, tools that it may call, the
// reply with why it ended and what it used. The same for every provider; a codec of the room turns
// it into a provider's own form.
//
// A tool call is an assistant's part, its result a part of the user's message that follows.
// Thread-safety: plain values. Sources: OpenAI API reference (chat completions, responses),
// Anthropic API reference (messages).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"

namespace anima::llm {

enum class Role : std::uint8_t { kSystem, kUser, kAssistant };
std::string_view to_string(Role role);

struct ToolCall {
  std::string id;  // given by the provider; the result names it
  std::string name;
  Json arguments = Json::object();
  // What the model wrote, when that is no JSON object: `arguments` is empty then, and the call must
  // be answered with what is wrong instead of being run.
  std::string unreadable;
};

struct ToolResult {
  std::string call;  // ToolCall::id
  std::string text;
  bool failed = false;
};

// What a provider wants back as it sent it and nobody here reads: its thinking.
struct Opaque {
  Json content;
};

using Part = std::variant<std::string, ToolCall, ToolResult, Opaque>;

struct Message {
  Role role = Role::kUser;
  std::vector<Part> parts;
};
Message system_message(std::string text);
Message user_message(std::string text);
Message assistant_message(std::string text);
Message result_message(std::vector<ToolResult> results);
// All text of the message, part after part.
std::string text_of(const Message& message);
std::vector<ToolCall> calls_of(const Message& message);

struct ToolDefinition {
  std::string name;  // [A-Za-z0-9_-], at most 64: what every provider takes
  std::string description;
  Json parameters = Json::object();  // a JSON schema of an object (json_schema.h)
};

struct ToolChoice {
  enum class Kind : std::uint8_t { kAuto, kNone, kRequired, kNamed };
  Kind kind = Kind::kAuto;
  std::string name;  // of kNamed
};

// An answer that is one JSON value of this schema; see structured_reply.h for one that is checked.
struct OutputSchema {
  std::string name = "answer";  // as ToolDefinition::name
  Json schema;
};

struct Request {
  std::vector<Message> messages;
  std::vector<ToolDefinition> tools;
  ToolChoice tool_choice;
  std::optional<OutputSchema> output;
  std::optional<std::int64_t> max_tokens;  // of the answer; unset: the model's
  std::optional<double> temperature;       // unset: the model's
  std::vector<std::string> stop;           // texts that end the answer
};
// Errors: kInvalidArgument for what no provider takes: no message, a name with other characters, a
// result without its call.
Status check(const Request& request);

enum class StopReason : std::uint8_t {
  kEnd,
  kToolCalls,  // its calls want results
  kLength,     // max_tokens, or the context is full
  kStopText,   // one of Request::stop
  kRefused,    // the model or its provider declines
  kPaused,     // the provider wants to be asked again with what it said so far
  kOther,
};
std::string_view to_string(StopReason reason);

struct Usage {
  std::int64_t input_tokens = 0;  // all, those from a cache too
  std::int64_t output_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t reasoning_tokens = 0;  // of the output
  bool estimated = false;             // the provider did not say: a quarter of the bytes
};

struct Reply {
  Message message{Role::kAssistant, {}};
  StopReason stop = StopReason::kEnd;
  Usage usage;
  std::string model;  // as the provider calls it
  std::string id;     // of the provider
  std::int64_t attempts = 1;
};
Usage sum(const Usage& a, const Usage& b);
Json to_json(const Usage& usage);
Json to_json(const Reply& reply);  // text, tool_calls, stop, usage, model, id, attempts

// What comes while an answer is made; the reply holds all of it again.
struct StreamEvent {
  enum class Kind : std::uint8_t {
    kText,      // a further piece of the text
    kToolCall,  // a call begins; `text` is its name
    kRestart,   // what came so far does not count: the call is made again
  };
  Kind kind = Kind::kText;
  std::string text;
};
using StreamSink = std::function<void(const StreamEvent&)>;

// A guess at how many tokens a text is: its bytes divided by four, rounded up. O(1).
std::int64_t estimate_tokens(std::string_view text);
std::int64_t estimate_tokens(const Request& request);

}  // namespace anima::llm
