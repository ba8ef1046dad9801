// The tools that a scenario's calls reach: the real ones over a folder of the scenario's own
// (files, calendar, pages, the shell in the sandbox), a knowledge index as memory, the council's
// ballot box. What would leave the machine (messages, requests) stops in an outbox.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "govern/council.h"
#include "govern/executor.h"
#include "memory/knowledge_index.h"
#include "tools/external.h"

namespace anima::test {

class Workshop final : public govern::ToolRunner {
 public:
  Workshop(Clock& clock, Random& random)
      : external_(clock, random, {.work_folder = folder_.file("work")}) {}

  // A file outside the work folder is not there.
  void put_file(const std::string& path, std::string_view text) {
    (void)external_.run("file:write",
                        Json::object({{"path", path}, {"content", std::string(text)}}), kShort);
  }
  void put_memory(std::string text, std::string source) {
    memory_.add(std::move(text), {}, std::move(source));
  }
  void put_vote(govern::Vote* vote, Timestamp now) {
    vote_ = vote;
    now_ = now;
  }

  Result<Json> run(std::string_view tool, const Json& arguments, std::int64_t) override {
    Result<Json> result = use(tool, arguments);
    refused_ = !result && result.error().code == ErrorCode::kDenied;
    return result;
  }

  // The tool itself refused the last call: its path led out of the folder.
  bool refused() const { return refused_; }

 private:
  static constexpr std::int64_t kShort = 2'000;  // milliseconds

  Result<Json> use(std::string_view tool, const Json& arguments) {
    const auto text = [&](std::string_view key) { return arguments.find(key)->as_string(); };
    if (tool == "file:write") {
      return external_.run(tool, Json::object({{"path", text("path")}, {"content", text("text")}}),
                           kShort);
    }
    if (tool == "http:fetch" || tool == "sms:send") return post(std::string(tool), arguments);
    if (tools::find_external_tool(tool) != nullptr) return external_.run(tool, arguments, kShort);
    if (tool == "memory:search") {
      Json hits = Json::array();
      for (const auto& hit : memory_.search({.text = text("query")}))
        hits.push_back(hit.document->content);
      return hits;
    }
    if (tool == "memory:store") return Json(memory_.add(text("text")));
    if (tool == "council:vote") return cast(text("member"), text("proposal"), text("ballot"));
    return fail(ErrorCode::kNotFound, "there is no tool '" + std::string(tool) + "'");
  }

  Result<Json> cast(const std::string& member, const std::string& proposal,
                    const std::string& ballot) {
    if (vote_ == nullptr || proposal != vote_->id())
      return fail(ErrorCode::kNotFound, "there is no open proposal '" + proposal + "'");
    ANIMA_ASSIGN(const govern::Ballot choice, govern::parse_ballot(ballot));
    ANIMA_TRY(vote_->cast(member, choice, now_));
    return Json(true);
  }

  Result<Json> post(const std::string& tool, const Json& arguments) {
    const std::string path = folder_.file(tool);
    const auto before = read_file(system_files(), path);
    ANIMA_TRY(replace_file(system_files(), path,
                           before.value_or(std::string()) + arguments.dump() + "\n"));
    return Json(true);
  }

  TemporaryDirectory folder_{"anima_adversarial"};
  tools::ExternalTools external_;
  memory::KnowledgeIndex memory_;
  govern::Vote* vote_ = nullptr;
  Timestamp now_;
  bool refused_ = false;
};

}  // namespace anima::test
