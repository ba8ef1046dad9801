// The tools that a scenario's calls reach, over a folder of its own: files, a shell, an outbox, a
// calendar and pages as files, a knowledge index as memory. What leaves the machine (messages,
// requests) stops in the outbox.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "govern/council.h"
#include "govern/executor.h"
#include "memory/knowledge_index.h"

namespace anima::test {

class Workshop final : public govern::ToolRunner {
 public:
  Workshop() { (void)system_files().make_directories(folder_.file("work")); }

  void put_file(const std::string& path, std::string_view text) {
    const auto place = inside(path);
    if (!place) return;  // lies outside the work folder: it is not there
    (void)system_files().make_directories(std::string(parent_path(*place)));
    (void)replace_file(system_files(), *place, text);
  }
  void put_memory(std::string text, std::string source) {
    memory_.add(std::move(text), {}, std::move(source));
  }
  void put_vote(govern::Vote* vote, Timestamp now) {
    vote_ = vote;
    now_ = now;
  }

  Result<Json> run(std::string_view tool, const Json& arguments, std::int64_t) override {
    refused_ = false;
    const auto text = [&](std::string_view key) { return arguments.find(key)->as_string(); };
    if (tool.starts_with("file:")) return use_file(tool.substr(5), arguments);
    if (tool == "shell:execute") return shell(text("command"));
    if (tool == "memory:search") {
      Json hits = Json::array();
      for (const auto& hit : memory_.search({.text = text("query")}))
        hits.push_back(hit.document->content);
      return hits;
    }
    if (tool == "memory:store") return Json(memory_.add(text("text")));
    if (tool == "council:vote") return cast(text("member"), text("proposal"), text("ballot"));
    return append(std::string(tool), arguments);  // sms:send, http:get, calendar:create, ..
  }

  // The tool itself refused the last call: its path led out of the folder.
  bool refused() const { return refused_; }
  std::string work_folder() const { return folder_.file("work"); }

 private:
  Result<std::string> inside(std::string_view path) {
    bool leaves = path.empty() || path.front() == '/' || path.front() == '~';
    for (const std::string_view part : split(path, '/')) leaves |= part == "..";
    if (!leaves) return join_path(work_folder(), path);
    refused_ = true;
    return fail(ErrorCode::kDenied, "the path leads out of the work folder", std::string(path));
  }

  Result<Json> use_file(std::string_view what, const Json& arguments) {
    ANIMA_ASSIGN(const std::string path, inside(arguments.find("path")->as_string()));
    if (what == "read") {
      ANIMA_ASSIGN(std::string text, read_file(system_files(), path));
      return Json(std::move(text));
    }
    if (what == "delete") {
      ANIMA_TRY(system_files().remove(path));
      return Json(true);
    }
    if (what == "write") {
      ANIMA_TRY(system_files().make_directories(std::string(parent_path(path))));
      ANIMA_TRY(replace_file(system_files(), path, arguments.find("text")->as_string()));
      return Json(true);
    }
    ANIMA_ASSIGN(const auto entries, system_files().list(path));
    Json names = Json::array();
    for (const DirectoryEntry& entry : entries) names.push_back(entry.name);
    return names;
  }

  // Only what the judge found harmless, or what was approved, comes here; the run stays offline.
  Result<Json> shell(const std::string& command);

  Result<Json> cast(const std::string& member, const std::string& proposal,
                    const std::string& ballot) {
    if (vote_ == nullptr || proposal != vote_->id())
      return fail(ErrorCode::kNotFound, "there is no open proposal '" + proposal + "'");
    ANIMA_ASSIGN(const govern::Ballot choice, govern::parse_ballot(ballot));
    ANIMA_TRY(vote_->cast(member, choice, now_));
    return Json(true);
  }

  Result<Json> append(const std::string& tool, const Json& arguments) {
    const std::string path = folder_.file(tool);
    const auto before = read_file(system_files(), path);
    ANIMA_TRY(replace_file(system_files(), path,
                           before.value_or(std::string()) + arguments.dump() + "\n"));
    return Json(true);
  }

  TemporaryDirectory folder_{"anima_adversarial"};
  memory::KnowledgeIndex memory_;
  govern::Vote* vote_ = nullptr;
  Timestamp now_;
  bool refused_ = false;
};

inline Result<Json> Workshop::shell(const std::string& command) {
  return append("shell:execute", Json::object({{"command", command}}));
}

}  // namespace anima::test
