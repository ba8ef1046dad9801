// The form of OpenAI's chat completions, as a server speaks it: what a client asks, and what it is
// answered, whole or as a stream.
//
// What would change the answer and cannot be passed on (pictures, several choices, probabilities)
// is refused and named, not left out. Thread-safety: pure functions. Errors: kInvalidArgument,
// kUnsupported. Source: OpenAI API reference, "Chat Completions" and its streaming events.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"
#include "llm/message.h"
#include "serve/http/message.h"

namespace anima::serve::completions {

struct ChatRequest {
  std::string model;  // as the client names it
  llm::Request request;
  bool stream = false;
  bool include_usage = false;  // in the stream
};
Result<ChatRequest> read_chat_request(const Json& body);

// A call of the model that the client does not see, and why.
struct StoppedCall {
  std::string tool, outcome, reason;
  std::vector<std::string> because;
  std::string approval;  // what the owner is asked by
  Json to_json() const;
};

struct ChatAnswer {
  llm::Reply reply;
  std::vector<StoppedCall> stopped;
};

// What all pieces of one answer share.
struct ChatHead {
  std::string id, model;
  std::int64_t created = 0;  // in seconds since 1970
};

// The whole answer. Calls that were stopped stand in its member `anima`.
Json chat_completion(const ChatHead& head, const ChatAnswer& answer);
// A piece of a stream.
Json chat_chunk(const ChatHead& head, Json delta, Json finish_reason = {});
// The pieces behind the text: the calls, the end, and what was used where that is asked for.
std::vector<Json> last_chunks(const ChatHead& head, const ChatAnswer& answer, bool include_usage);

// {"error":{"message","type","param","code"}}.
Json openai_error(unsigned status, std::string message, std::string_view code);
// A problem (RFC 9457) in that form; what is none stays as it is.
http::Response as_openai_error(http::Response response);

}  // namespace anima::serve::completions
