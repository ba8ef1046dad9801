// A server of a space in a folder, with all its routes, at a free port; and its clients by token.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/files/file.h"
#include "base/json/json.h"
#include "serve/space_server.h"
#include "support/http_client.h"
#include "support/memory_parts.h"

namespace anima::test {

class MemoryServer : public testing::Test {
 protected:
  void SetUp() override {
    add_client("ada", store::Trust::kStandard, true);
    start();
  }
  void start(bool readonly = false) {
    stop();
    store::SpaceOptions options;
    options.create = !readonly;
    space_ = store::Space::open(folder_.file("space"), options).value();
    gate_ = agent::Gate::open(space_, clock_, random_).value();
    parts_ = memory_parts(gate_, readonly, folder_.file("work"));
    ASSERT_NE(parts_, nullptr);
    options_.port = 0;
    options_.tokens = tokens_;
    options_.readonly = readonly;
    options_.memory = parts_;
    auto server = serve::SpaceServer::start(gate_, options_);
    ASSERT_TRUE(server.has_value()) << server.error().describe();
    server_ = *std::move(server);
  }
  // As a process that ends: nothing of it is left but the folder.
  void stop() {
    server_.reset();
    parts_.reset();
    options_.memory.reset();
    gate_.reset();
    space_.reset();
  }
  void add_client(const std::string& name, store::Trust trust, bool may_write) {
    keys_[name] = *tokens_->add({name, trust, may_write, clock_.now(), {}}, random_);
  }
  std::string authorization(const std::string& client) const {
    return "Authorization: Bearer " + keys_.at(client) + "\r\n";
  }
  HttpAnswer http(std::string_view method, std::string_view target, std::string_view body = "",
                  std::string_view headers = "", const std::string& client = "ada") {
    const std::string type = body.empty() ? "" : "Content-Type: application/json\r\n";
    return test::http(server_->port(), method, target,
                      authorization(client) + type + std::string(headers), body);
  }
  // The body of an answer that is to be good.
  Json good(const HttpAnswer& answer) {
    EXPECT_EQ(answer.status / 100, 2) << answer.body;
    const auto json = parse_json(answer.body);
    EXPECT_TRUE(json) << answer.body;
    return json ? *json : Json();
  }
  Json get(std::string_view target) { return good(http("GET", target)); }
  Json post(std::string_view target, std::string_view body) {
    return good(http("POST", target, body));
  }
  std::string remember(const std::string& text) {
    const Json answer = post("/v1/memories", Json::object({{"text", text}}).dump());
    const Json* id = answer.find("id");
    return id == nullptr ? "" : id->as_string();
  }
  void rule(const std::string& text) {
    const std::string policy = folder_.file("space/policy");
    ASSERT_TRUE(system_files().make_directories(policy, 0700));
    ASSERT_TRUE(replace_file(system_files(), policy + "/own.mg", text));
  }
  store::EntryInfo newest_entry() {
    last_ = space_->snapshot().value();
    return last_->entry(last_->sequence());
  }

  const TemporaryDirectory folder_{"anima-server"};
  SystemClock clock_;
  SystemRandom random_;
  std::shared_ptr<serve::TokenBook> tokens_ =
      std::make_shared<serve::TokenBook>(system_files(), folder_.path());
  std::map<std::string, std::string> keys_;
  serve::SpaceServerOptions options_;
  std::shared_ptr<store::Space> space_;
  std::optional<store::Snapshot> last_;
  std::shared_ptr<agent::Gate> gate_;
  std::shared_ptr<serve::MemoryParts> parts_;
  std::unique_ptr<serve::SpaceServer> server_;
};

}  // namespace anima::test
