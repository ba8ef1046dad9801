// Programs that write into one shared memory at once, while they are killed and the memory's server
// goes and comes back; and the questions that tell whether each acknowledged write is there once.
// A writer talks to `anima mcp`, as an agent does: one call at a time, and the next only when the
// one before was acknowledged. A write that failed, or was not answered, is sent again: the same
// statement a second time changes nothing. A command may begin with words of its own, such as
// {"ip", "netns", "exec", "host1"}.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/crypto.h"
#include "base/json/json.h"
#include "base/process.h"

namespace anima::test {

class MemoryWriter {
 public:
  // `command`: the program with all that comes before its verb. `name` is a word of its own.
  MemoryWriter(std::vector<std::string> command, std::string name, int writes)
      : command_(std::move(command)), name_(std::move(name)), writes_(writes) {}
  ~MemoryWriter() { join(); }
  MemoryWriter(const MemoryWriter&) = delete;
  MemoryWriter& operator=(const MemoryWriter&) = delete;

  // With kill -9 while the `number`th write is under way; then it is started again.
  void kill_at(int number) { kill_at_ = number; }
  void start() {
    thread_ = std::thread([this] { run(); });
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  int acknowledged() const { return acknowledged_; }
  int tried_again() const { return again_; }
  int killed() const { return killed_; }
  bool gave_up() const { return gave_up_; }
  const std::string& last_trouble() const { return trouble_; }  // after join()
  std::string thing(int number) const {
    std::string digits = std::to_string(number);
    return name_ + "-" + std::string(7 - std::min<std::size_t>(digits.size(), 6), '0') + digits;
  }

  static constexpr const char* kType = "Parcel";

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::minutes kPatience{5};

  void run() {
    for (int number = 1; number <= writes_; ++number) {
      const auto end = Clock::now() + kPatience;
      while (!write(number)) {
        ++again_;
        if (Clock::now() > end) {
          gave_up_ = true;
          child_.reset();
          return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
      ++acknowledged_;
    }
    child_->close_input();
    (void)child_->wait(20'000);
    child_.reset();
  }

  bool trouble(std::string what) {
    trouble_ = std::move(what);
    return false;
  }

  // True when it was acknowledged.
  bool write(int number) {
    if (child_ == nullptr && !start_program()) return false;
    const std::string statement = std::string("UPSERT { CONCEPT { {type: \"") + kType +
                                  "\", name: \"" + thing(number) +
                                  "\"} SET ATTRIBUTES {number: " + std::to_string(number) + "} } }";
    const Json call = Json::object(
        {{"name", "execute_kip"}, {"arguments", Json::object({{"command", statement}})}});
    const bool dies = kill_at_ == number && killed_ == 0;
    if (!send("tools/call", call)) return false;
    if (dies) {
      ++killed_;
      ::kill(child_->pid(), SIGKILL);
    }
    const auto answer = receive();
    if (!answer) return false;
    const Json* const result = answer->find("result");
    const Json* const failed = result == nullptr ? nullptr : result->find("isError");
    const std::string text = answer->dump();
    const bool bad = result == nullptr ||
                     (failed != nullptr && failed->is_bool() && failed->as_bool()) ||
                     text.find("\\\"error\\\"") != std::string::npos;
    return !bad || trouble(text);
  }

  bool start_program() {
    ProcessOptions options;
    options.arguments = command_;
    options.arguments.emplace_back("mcp");
    auto child = ChildProcess::start(options);
    if (!child) return trouble(child.error().describe());
    child_ = std::move(*child);
    const Json hello =
        Json::object({{"protocolVersion", "2025-11-25"},
                      {"capabilities", Json::object()},
                      {"clientInfo", Json::object({{"name", "writer"}, {"version", "1"}})}});
    if (!send("initialize", hello) || !receive()) return lost("it did not start");
    const std::string line =
        Json::object({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}}).dump() + "\n";
    return child_->write(line).has_value() || lost("it ended");
  }

  bool lost(const std::string& what) {
    if (child_ != nullptr) trouble(what + ": " + child_->take_error_output());
    child_.reset();
    return false;
  }

  bool send(const std::string& method, Json parameters) {
    const std::string line = Json::object({{"jsonrpc", "2.0"},
                                           {"id", ++id_},
                                           {"method", method},
                                           {"params", std::move(parameters)}})
                                 .dump() +
                             "\n";
    return child_->write(line).has_value() || lost("it ended");
  }

  // The answer to what was sent last.
  std::optional<Json> receive() {
    const auto end = Clock::now() + kPatience;
    while (Clock::now() < end) {
      const auto line = child_->read_line(60'000);
      if (!line) {
        lost("no answer");
        return std::nullopt;
      }
      auto json = parse_json(*line);
      if (!json) continue;
      const Json* const id = json->find("id");
      if (id != nullptr && id->is_integer() && id->as_integer() == id_) return *std::move(json);
    }
    lost("no answer");
    return std::nullopt;
  }

  const std::vector<std::string> command_;
  const std::string name_;
  const int writes_;
  int kill_at_ = 0;
  std::int64_t id_ = 0;
  std::unique_ptr<ChildProcess> child_;
  std::string trouble_;
  std::atomic<int> acknowledged_{0}, again_{0}, killed_{0};
  std::atomic<bool> gave_up_{false};
  std::thread thread_;
};

// What a program says, as `command` and the arguments call it.
inline ProcessResult say(std::vector<std::string> command, std::vector<std::string> arguments) {
  ProcessOptions options;
  options.arguments = std::move(command);
  for (std::string& each : arguments) options.arguments.push_back(std::move(each));
  options.timeout_ms = 300'000;
  auto result = run_process(options);
  EXPECT_TRUE(result) << result.error().describe();
  return result ? *std::move(result) : ProcessResult{};
}

// All things that were written, as the program's own query gives them.
inline std::string all_things(const std::vector<std::string>& command) {
  const ProcessResult said =
      say(command, {"kip", "--json",
                    std::string("FIND(?t.name, ?t.attributes.number) WHERE { ?t {type: \"") +
                        MemoryWriter::kType + "\"} } ORDER BY ?t.name ASC LIMIT 1000000"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  return said.out;
}

// How many entries of the exported log (`anima audit export`) hold each thing's name.
inline std::map<std::string, int> entries_by_thing(const std::string& exported,
                                                   const std::vector<std::string>& things) {
  std::map<std::string, int> count;
  std::map<std::string, std::string> by_code;
  std::set<std::size_t> lengths;
  for (const std::string& thing : things) {
    count[thing] = 0;
    by_code[to_hex(thing)] = thing;
    lengths.insert(to_hex(thing).size());
  }
  for (std::size_t at = 0; at < exported.size();) {
    const std::size_t end = std::min(exported.find('\n', at), exported.size());
    const auto line = parse_json(std::string_view(exported).substr(at, end - at));
    at = end + 1;
    const Json* const payload = line ? line->find("payload") : nullptr;
    if (payload == nullptr || !payload->is_string()) continue;
    const std::string& code = payload->as_string();
    std::set<std::string> here;
    for (const std::size_t length : lengths) {
      for (std::size_t i = 0; i + length <= code.size(); i += 2) {
        const auto found = by_code.find(code.substr(i, length));
        if (found != by_code.end()) here.insert(found->second);
      }
    }
    for (const std::string& thing : here) ++count[thing];
  }
  return count;
}

}  // namespace anima::test
