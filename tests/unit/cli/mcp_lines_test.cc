// The lines of an MCP server through real pipes, with handlers of the test's own: what runs side by
// side, what does not wait, and what is taken back. No time decides: each call waits for what the
// test does next.
#include "cli/verbs/serve/mcp_lines.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <initializer_list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "cli/frame/exit_code.h"
#include "serve/mcp_protocol.h"

namespace anima::cli::mcp_lines_test {
namespace {

using Needs = serve::Needs;
constexpr std::chrono::minutes kPatience{2};

// What stands there; null: nothing.
Json in(const Json& message, std::initializer_list<std::string_view> path) {
  const Json* at = &message;
  for (const std::string_view name : path) {
    at = at->find(name);
    if (at == nullptr) return {};
  }
  return *at;
}

// Messages that the server wrote.
class Written final : public Stream {
 public:
  void write(std::string_view text) override {
    const std::lock_guard lock(mutex_);
    auto message = parse_json(text);
    EXPECT_TRUE(message && text.ends_with('\n')) << text;
    if (message) messages_.push_back(*std::move(message));
    changed_.notify_all();
  }
  int failure() const override { return 0; }
  // The first one that fits, which is taken out.
  template <typename Fits>
  Json next(const Fits& fits) {
    std::unique_lock lock(mutex_);
    for (const auto end = std::chrono::steady_clock::now() + kPatience;;) {
      for (auto at = messages_.begin(); at != messages_.end(); ++at) {
        if (!fits(*at)) continue;
        Json found = std::move(*at);
        messages_.erase(at);
        return found;
      }
      if (changed_.wait_until(lock, end) == std::cv_status::timeout) break;
    }
    ADD_FAILURE() << "it was not written";
    return {};
  }
  Json answer(const Json& id) {
    return next([&](const Json& each) {
      const Json* own = each.find("id");
      return each.find("method") == nullptr && own != nullptr && *own == id;
    });
  }
  Json said(std::string_view method) {
    return next([&](const Json& each) {
      const Json* own = each.find("method");
      return own != nullptr && *own == Json(method);
    });
  }
  std::size_t left() {
    const std::lock_guard lock(mutex_);
    return messages_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Json> messages_;
};

// Tools by the names of what they do: "read" and "write" wait until the test opens their gate,
// "quick" and "note" (which writes) do not, "ask" asks the client.
class McpLinesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> pipe = {};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    input_ = ::dup(STDIN_FILENO);
    ASSERT_EQ(::dup2(pipe[0], STDIN_FILENO), STDIN_FILENO);
    ::close(pipe[0]);
    to_server_ = pipe[1];
  }
  void TearDown() override {
    open_all();
    end_input();
    if (thread_.joinable()) thread_.join();
    ::dup2(input_, STDIN_FILENO);
    ::close(input_);
  }

  void start(McpLinesOptions options = {}) {
    lines_.emplace(out_, options);
    thread_ = std::thread([this] {
      code_ = lines_->serve({[this](const Json& message) { return protocol_.handle(message); },
                             [](const Json& message) { return needs_of(message); }});
    });
  }
  int ended() {
    end_input();
    thread_.join();
    return code_;
  }
  void send(const std::string& line) {
    const std::string bytes = line + "\n";
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t put = ::write(to_server_, bytes.data() + at, bytes.size() - at);
      ASSERT_GT(put, 0);
      at += static_cast<std::size_t>(put);
    }
  }
  void call(int id, const std::string& tool, const std::string& meta = "") {
    send(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"method":"tools/call","params":{"name":")" + tool + "\"" + meta + "}}");
  }
  void ping(int id) {
    send(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"ping"})");
  }
  void cancel(int id) {
    send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
         std::to_string(id) + "}}");
  }
  // Waits until the call runs.
  void begun(int id) {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, kPatience, [&] { return begun_.contains(id); }));
  }
  bool has_begun(int id) {
    const std::lock_guard lock(mutex_);
    return begun_.contains(id);
  }
  void open(int id) {
    const std::lock_guard lock(mutex_);
    open_.insert(id);
    changed_.notify_all();
  }
  void open_all() {
    const std::lock_guard lock(mutex_);
    all_open_ = true;
    changed_.notify_all();
  }
  void end_input() {
    if (to_server_ >= 0) ::close(to_server_);
    to_server_ = -1;
  }

  Written out_;
  std::optional<McpLines> lines_;

 private:
  static Needs needs_of(const Json& message) {
    return serve::mcp_needs(message, [](std::string_view tool, const Json&) {
      return Needs{tool == "write" || tool == "note" ? Needs::Order::kWrite : Needs::Order::kRead};
    });
  }
  Json dispatch(serve::McpCall& call) {
    const std::string tool = call.param("name")->as_string();
    const int id = static_cast<int>(call.id->as_integer());
    const std::stop_callback wake(call.stop, [this] {
      const std::lock_guard lock(mutex_);
      changed_.notify_all();
    });
    std::unique_lock lock(mutex_);
    begun_.insert(id);
    changed_.notify_all();
    if (tool == "read" || tool == "write") {
      changed_.wait(lock,
                    [&] { return all_open_ || open_.contains(id) || call.stop.stop_requested(); });
    }
    if (tool == "note") ++notes_;
    const int notes = notes_;
    lock.unlock();
    if (tool == "ask") {
      const auto told = lines_->ask("elicitation/create", Json::object({{"id", id}}), call.stop);
      return Json::object({{"told", told.value_or("nothing")}});
    }
    return Json::object({{"notes", notes}});
  }

  serve::McpProtocol protocol_{{.name = "t", .title = "t", .version = "1"},
                               [this](serve::McpCall& call) { return dispatch(call); }};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<int> begun_, open_;
  bool all_open_ = false;
  int notes_ = 0;
  std::thread thread_;
  int code_ = -1;
  int input_ = -1, to_server_ = -1;
};

int number_in(const Json& message, std::initializer_list<std::string_view> path) {
  const Json number = in(message, path);
  return number.is_integer() ? static_cast<int>(number.as_integer()) : -1;
}
int notes_in(const Json& answer) { return number_in(answer, {"result", "notes"}); }
int error_in(const Json& answer) {
  return answer.find("error") == nullptr ? 0 : number_in(answer, {"error", "code"});
}

TEST_F(McpLinesTest, CallsThatReadRunSideBySideAndAreAnsweredInAnyOrder) {
  start();
  call(1, "read");
  call(2, "read");
  begun(1);
  begun(2);
  call(3, "quick");
  out_.answer(3);
  open(2);
  out_.answer(2);
  open(1);
  out_.answer(1);
  EXPECT_EQ(ended(), kDone);
}

TEST_F(McpLinesTest, APingIsAnsweredAlsoWhenAllWorkersAreBusy) {
  start();
  const int more = static_cast<int>(McpLines::kWorkers) + 3;
  for (int id = 1; id <= more; ++id) call(id, "read");
  for (int id = 1; id <= static_cast<int>(McpLines::kWorkers); ++id) begun(id);
  ping(100);
  EXPECT_NE(out_.answer(100).find("result"), nullptr);
  // So is a cancellation, and the place of what it ended is another's.
  cancel(1);
  begun(static_cast<int>(McpLines::kWorkers) + 1);
  open_all();
  for (int id = 2; id <= more; ++id) out_.answer(id);
  EXPECT_EQ(ended(), kDone);
  EXPECT_EQ(out_.left(), 0u) << "the one that was taken back is not answered";
}

TEST_F(McpLinesTest, APingIsAnsweredWhileAQuestionWaits) {
  start();
  call(1, "ask");
  const Json question = out_.said("elicitation/create");
  ping(2);
  out_.answer(2);
  send(Json::object({{"jsonrpc", "2.0"}, {"id", in(question, {"id"})}, {"result", "yes"}}).dump());
  EXPECT_EQ(in(out_.answer(1), {"result", "told"}), Json("yes"));
  EXPECT_EQ(ended(), kDone);
}

TEST_F(McpLinesTest, QuestionsOfTwoCallsAreToldApart) {
  start();
  call(1, "ask");
  call(2, "ask");
  const Json first = out_.said("elicitation/create"), second = out_.said("elicitation/create");
  for (const Json* each : {&second, &first}) {
    send(Json::object({{"jsonrpc", "2.0"},
                       {"id", in(*each, {"id"})},
                       {"result", in(*each, {"params", "id"})}})
             .dump());
  }
  for (const int id : {1, 2}) EXPECT_EQ(in(out_.answer(id), {"result", "told"}), Json(id));
}

TEST_F(McpLinesTest, ACancellationReachesAWaitingQuestion) {
  start();
  call(1, "ask");
  const Json question = out_.said("elicitation/create");
  cancel(1);
  const Json taken = out_.said("notifications/cancelled");
  EXPECT_EQ(in(taken, {"params", "requestId"}), in(question, {"id"}));
  // What the person says after all is nobody's.
  send(Json::object({{"jsonrpc", "2.0"}, {"id", in(question, {"id"})}, {"result", "yes"}}).dump());
  call(2, "quick");
  out_.answer(2);
  EXPECT_EQ(ended(), kDone);
  EXPECT_EQ(out_.left(), 0u);
}

TEST_F(McpLinesTest, AQuestionThatNobodyAnswersEnds) {
  start({.question_time = std::chrono::milliseconds(30)});
  call(1, "ask");
  const Json question = out_.said("elicitation/create");
  EXPECT_EQ(in(out_.answer(1), {"result", "told"}), Json("nothing"));
  EXPECT_EQ(in(out_.said("notifications/cancelled"), {"params", "requestId"}),
            in(question, {"id"}));
}

TEST_F(McpLinesTest, ARefusalOfAQuestionEndsIt) {
  start();
  call(1, "ask");
  const Json question = out_.said("elicitation/create");
  send(Json::object({{"jsonrpc", "2.0"},
                     {"id", in(question, {"id"})},
                     {"error", Json::object({{"code", -1}, {"message", "no"}})}})
           .dump());
  EXPECT_EQ(in(out_.answer(1), {"result", "told"}), Json("nothing"));
  EXPECT_EQ(out_.left(), 0u);
}

TEST_F(McpLinesTest, ReadsWaitForTheWriteThatCameBeforeThem) {
  start();
  call(1, "write");
  call(2, "note");
  call(3, "quick");
  call(4, "note");
  call(5, "quick");
  begun(1);
  ping(6);
  out_.answer(6);
  for (const int id : {2, 3, 4, 5}) EXPECT_FALSE(has_begun(id));
  open(1);
  EXPECT_EQ(notes_in(out_.answer(2)), 1);
  EXPECT_EQ(notes_in(out_.answer(3)), 1);
  EXPECT_EQ(notes_in(out_.answer(4)), 2);
  EXPECT_EQ(notes_in(out_.answer(5)), 2);
}

TEST_F(McpLinesTest, ARequestThatIsTakenBackBeforeItBeganIsNeverRun) {
  start();
  call(1, "write");
  call(2, "note");
  call(3, "quick");
  begun(1);
  cancel(2);
  ping(4);
  out_.answer(4);
  open(1);
  EXPECT_EQ(notes_in(out_.answer(3)), 0);
  EXPECT_EQ(ended(), kDone);
  EXPECT_FALSE(has_begun(2));
}

TEST_F(McpLinesTest, WhatIsTooMuchIsRefusedWithItsId) {
  start({.waiting = {.requests = 2, .bytes = 1 << 20}});
  call(1, "write");
  begun(1);
  for (const int id : {2, 3, 4}) call(id, "note");
  EXPECT_EQ(error_in(out_.answer(4)), serve::kServerBusy);
  cancel(2);
  call(5, "note");  // in its place
  ping(6);
  out_.answer(6);
  open(1);
  EXPECT_EQ(notes_in(out_.answer(5)), 2);
  call(7, "quick");
  EXPECT_EQ(notes_in(out_.answer(7)), 2);
}

TEST_F(McpLinesTest, WhatCameBeforeTheInputEndedIsAnswered) {
  start();
  for (int id = 1; id <= 6; ++id) call(id, "read");
  call(7, "note");
  call(8, "ask");  // nobody is there who would answer
  begun(1);
  end_input();
  open_all();
  for (int id = 1; id <= 7; ++id) EXPECT_EQ(error_in(out_.answer(id)), 0);
  EXPECT_EQ(in(out_.answer(8), {"result", "told"}), Json("nothing"));
  EXPECT_EQ(ended(), kDone);
}

TEST_F(McpLinesTest, TwoHundredRequestsAtOnceAreAllAnswered) {
  start();
  for (int id = 1; id <= 200; ++id) call(id, id % 4 == 0 ? "note" : "quick");
  for (int id = 1; id <= 200; ++id) EXPECT_EQ(notes_in(out_.answer(id)), id / 4) << id;
  EXPECT_EQ(ended(), kDone);
}

TEST_F(McpLinesTest, ProgressIsOfTheCallThatAskedForIt) {
  start({.progress = std::chrono::milliseconds(1)});
  call(1, "read", R"(,"_meta":{"progressToken":"a"})");
  call(2, "read");
  call(3, "read", R"(,"_meta":{"progressToken":"b"})");
  std::map<std::string, int> told;
  while (told["a"] < 3 || told["b"] < 3) {
    const Json progress = out_.said("notifications/progress");
    const Json token = in(progress, {"params", "progressToken"});
    ASSERT_TRUE(token.is_string());
    EXPECT_EQ(number_in(progress, {"params", "progress"}), ++told[token.as_string()]) << "it grows";
  }
  EXPECT_EQ(told.size(), 2u);
  open(1);
  out_.answer(1);
  open(3);
  out_.answer(3);
}

TEST_F(McpLinesTest, WhatIsNoRequestIsRefusedAtOnce) {
  start();
  call(1, "write");
  begun(1);
  send("{");
  EXPECT_EQ(error_in(out_.answer(Json())), serve::kParseError);
  send("  ");
  send("{}");
  EXPECT_EQ(error_in(out_.answer(Json())), serve::kInvalidRequest);
  send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  send(R"({"jsonrpc":"2.0","id":"anima-99","result":{}})");
  open(1);
  out_.answer(1);
  EXPECT_EQ(ended(), kDone);
  EXPECT_EQ(out_.left(), 0u);
}

TEST_F(McpLinesTest, ALineThatIsTooLongIsRefusedWithItsIdDuringACall) {
  start();
  call(1, "write");
  begun(1);
  const std::string much(std::size_t{17} << 20, 'x');
  send(R"({"jsonrpc":"2.0","params":{"x":")" + much + R"("},"id":"long"})");
  EXPECT_EQ(error_in(out_.answer("long")), serve::kInvalidRequest);
  send(much);
  EXPECT_EQ(error_in(out_.answer(Json())), serve::kInvalidRequest);
  open(1);
  out_.answer(1);
  EXPECT_EQ(ended(), kDone);
}

}  // namespace
}  // namespace anima::cli::mcp_lines_test
