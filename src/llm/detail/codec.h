// What the providers differ in: how a request is written and how an answer is read. One codec a
// provider; the rest of a call (detail/http_model.cc) is the same for all. Thread-safety: codecs
// are constant; a StreamReader belongs to one thread.
#pragma once

#include <memory>
#include <string>

#include "base/json/json.h"
#include "base/result.h"
#include "llm/http.h"
#include "llm/message.h"
#include "llm/model_config.h"
#include "llm/sse.h"

namespace anima::llm::detail {

struct EncodedRequest {
  std::string path;  // behind the model's url
  HttpHeaders headers;
  Json body;
};

// What a server says is wrong, in an answer of its own or inside a stream.
struct ServerFault {
  std::string type;  // "overloaded_error", "insufficient_quota"
  std::string message;
};

// Reads a stream of events. An answer is whole when its end was said, not when the bytes end.
class StreamReader {
 public:
  virtual ~StreamReader() = default;
  // Errors: kBusy for a fault that may pass (the call can be made again), kIo for what cannot be
  // read, which is the same to the caller; kDenied, kInvalidArgument and kLimitExceeded for faults
  // that stay.
  virtual Status take(const SseEvent& event, const StreamSink& sink) = 0;
  virtual bool whole() const = 0;
  // Requires whole().
  virtual Result<Reply> reply() = 0;
};

class Codec {
 public:
  virtual ~Codec() = default;
  // The header of the key, and what stands before the key in it.
  virtual std::pair<std::string, std::string> key_header() const = 0;
  // Errors: kInvalidArgument, kUnsupported for what the provider does not know.
  virtual Result<EncodedRequest> encode(const ModelConfig& model, const Request& request,
                                        bool stream) const = 0;
  // Errors: as StreamReader::take().
  virtual Result<Reply> decode(const Json& body, const Request& request) const = 0;
  virtual std::unique_ptr<StreamReader> reader(const Request& request) const = 0;
};

const Codec& openai_chat_codec();
const Codec& openai_responses_codec();
const Codec& anthropic_codec();
const Codec& codec_of(Provider provider);

// --- what codecs share ---------------------------------------------------------------------------

// Members that may be missing or of another type: empty then.
const Json& member(const Json& json, std::string_view name);
std::string text_at(const Json& json, std::string_view name);
std::int64_t count_at(const Json& json, std::string_view name);

// {"error":{"type"|"code","message"}} of any provider; empty texts when it is none.
ServerFault fault_of(const Json& body);
// The error for a fault inside an answer that began well.
Error error_of(const ServerFault& fault);

// The arguments of a call as the model wrote them: an object, or ToolCall::unreadable.
void read_arguments(std::string_view text, ToolCall& call);
std::string arguments_text(const ToolCall& call);
// What a result says to the model.
std::string result_text(const ToolResult& result);
// The words that hold a model to a schema where its server does not.
std::string schema_instruction(const OutputSchema& output);
// The usage by estimate, when the server told none.
void estimate_usage(const Request& request, Reply& reply);

}  // namespace anima::llm::detail
