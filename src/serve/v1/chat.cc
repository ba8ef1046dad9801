// The routes in the form of OpenAI.
#include <algorithm>
#include <string>
#include <utility>

#include "serve/completions/guarded_chat.h"
#include "serve/http/server.h"
#include "serve/v1/answers.h"
#include "serve/v1/api.h"

namespace anima::serve::v1 {
namespace {

using completions::ChatAnswer;
using completions::ChatHead;
using completions::GuardedChat;
using http::Response;

constexpr std::size_t kLongestSession = 64;
constexpr std::int64_t kMicroseconds = 1'000'000;

Response off() {
  return http::problem(404, "chat completions are off", "anima serve --completions on");
}

// Of an error of the model or on the way to it.
unsigned status_of_chat(ErrorCode code) {
  return code == ErrorCode::kIo              ? 502
         : code == ErrorCode::kTimeout       ? 504
         : code == ErrorCode::kLimitExceeded ? 429
                                             : http::status_of(code);
}

bool is_session_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestSession &&
         std::ranges::all_of(name, [](char c) { return c > ' ' && c < 0x7f; });
}

std::string event_of(const Json& json) { return http::sse_event({}, {}, json.dump()); }

std::string event_of(const Error& error) {
  const unsigned status = status_of_chat(error.code);
  return event_of(completions::openai_error(status, error.describe(), to_string(error.code)));
}

// One answer as it is made.
struct Streamed {
  GuardedChat& chat;
  GuardedChat::Asked asked;
  ChatHead head;
  std::shared_ptr<http::Outlet> outlet;
  std::stop_token server;

  void put(const Json& json) const { outlet->put(event_of(json)); }
  void run() {
    std::stop_source stop;
    const std::stop_callback ends(server, [&stop] { stop.request_stop(); });
    const bool include_usage = asked.chat.include_usage;
    put(completions::chat_chunk(head, Json::object({{"role", "assistant"}, {"content", ""}})));
    bool told = false, broken = false;
    const auto hear = [&](const llm::StreamEvent& event) {
      using Kind = llm::StreamEvent::Kind;
      // What was told cannot be taken back in this form.
      broken = broken || (event.kind == Kind::kRestart && told);
      told = told || event.kind == Kind::kText;
      if (event.kind == Kind::kText && !broken)
        put(completions::chat_chunk(head, Json::object({{"content", event.text}})));
      if (broken || outlet->is_over()) stop.request_stop();
    };
    const auto answer = chat.answer(std::move(asked), hear, stop.get_token());
    if (broken) {
      outlet->put(event_of(Error{ErrorCode::kIo, "the model's answer broke off", {}, "ask again"}));
    } else if (!answer) {
      outlet->put(event_of(answer.error()));
    } else {
      for (const Json& each : completions::last_chunks(head, *answer, include_usage)) put(each);
      outlet->put("data: [DONE]\n\n");
    }
    outlet->end();
  }
};

}  // namespace

Response Api::chat_completion(const Call& call) {
  if (chat_ == nullptr) return off();
  auto chat = completions::read_chat_request(call.body);
  if (!chat) return problem_of(chat.error());
  const auto model = chat_->model(chat->model);
  if (!model) return http::problem(status_of_chat(model.error().code), model.error());
  if (const Status declared = chat_->check_tools(chat->request); !declared)
    return problem_of(declared.error());
  const std::string* session = call.request.header("x-anima-session");
  if (session != nullptr && !is_session_name(*session))
    return http::problem(400, "X-Anima-Session is a word of at most 64 signs");
  const ChatHead head{"chatcmpl-" + call.request.id, chat->model,
                      parts_.gate->clock().now().microseconds / kMicroseconds};
  const bool stream = chat->stream;
  GuardedChat::Asked asked{call.request.caller, session == nullptr ? "" : *session, call.request.id,
                           *std::move(chat)};
  if (!stream) {
    const auto answer = chat_->answer(std::move(asked), nullptr, options_.stop);
    if (!answer) return http::problem(status_of_chat(answer.error().code), answer.error());
    return json_answer(completions::chat_completion(head, *answer));
  }
  Response response{200, "text/event-stream", {}, {}};
  response.outlet = std::make_shared<http::Outlet>([](std::string_view reason) {
    return event_of(Error{ErrorCode::kBusy, std::string(reason), {}, "ask again"});
  });
  keeper_.add(response.outlet);
  const auto streamed = std::make_shared<Streamed>(
      Streamed{*chat_, std::move(asked), head, response.outlet, options_.stop});
  response.rest = [streamed] { streamed->run(); };
  return response;
}

Response Api::models(const Call&) {
  if (chat_ == nullptr) return off();
  Json list = Json::array();
  for (const llm::ModelConfig& each : chat_->models().router().models()) {
    list.push_back(Json::object({{"id", each.name},
                                 {"object", "model"},
                                 {"created", 0},
                                 {"owned_by", llm::to_string(each.provider)}}));
  }
  return json_answer(Json::object({{"object", "list"}, {"data", std::move(list)}}));
}

}  // namespace anima::serve::v1
