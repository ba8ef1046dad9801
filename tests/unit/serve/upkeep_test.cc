// The routes of runs and sleep, and approvals that are answered by the signature of an approver.
#include <gtest/gtest.h>

#include "base/crypto.h"
#include "base/json/json_member.h"
#include "govern/approve/approver_book.h"
#include "support/memory_server.h"

namespace anima::serve::upkeep_test {
namespace {

using test::HttpAnswer;

class SignedApprovals : public test::MemoryServer {
 protected:
  void SetUp() override {
    MemoryServer::SetUp();
    govern::ApproverBook book(gate_->ledger());
    ASSERT_TRUE(book.add(govern::make_card("eve", "operator", key_), "test", clock_.now(), {}));
    rule("ask(Call, \"the owner looks first\") :- call(Call, \"http:remember\", _, _).\n");
    ASSERT_EQ(say().status, 403);
    id_ = get("/v1/approvals").find("approvals")->as_array().at(0).find("id")->as_string();
  }
  HttpAnswer say() { return http("POST", "/v1/memories", R"({"text":"the vault is blue"})"); }
  Json statement(const std::string& answer, const std::string& more = "") {
    return post("/v1/approvals/" + id_ + "/statement",
                R"({"approver":"eve","answer":")" + answer + "\"" + more + "}");
  }
  HttpAnswer answer(const std::string& what, const Json& statement, const SigningKey& key,
                    const std::string& reason = "") {
    const auto signature = sign(key, statement.find("text")->as_string());
    Json body = Json::object({{"approver", "eve"},
                              {"answer", what},
                              {"at", *statement.find("at")},
                              {"signature", to_hex(signature)}});
    if (!reason.empty()) body.set("reason", reason);
    return http("POST", "/v1/approvals/" + id_ + "/answer", body.dump());
  }
  SigningKey key_ = make_signing_key(random_);
  std::string id_;
};

TEST_F(SignedApprovals, AGrantBySignatureLetsTheCallRunOnce) {
  const Json signed_text = statement("grant");
  EXPECT_EQ(signed_text.find("what")->as_string(), "grant");
  EXPECT_EQ(text_member(*signed_text.find("content"), "approval"), id_);
  EXPECT_EQ(text_member(*signed_text.find("content"), "by"), "operator");
  EXPECT_NE(signed_text.find("content")->dump().find("the vault is blue"), std::string::npos);
  // Nobody else's signature does, nor one of something else, nor the token alone.
  EXPECT_EQ(answer("grant", signed_text, make_signing_key(random_)).status, 403);
  EXPECT_EQ(answer("grant", statement("deny"), key_).status, 403);
  EXPECT_EQ(http("POST", "/v1/approvals/" + id_ + "/grant").status, 403);
  EXPECT_EQ(say().status, 403);
  const Json granted = good(answer("grant", signed_text, key_));
  EXPECT_EQ(text_member(granted, "status"), "approved");
  EXPECT_EQ(say().status, 201);
  EXPECT_EQ(say().status, 403) << "a grant is used once";
}

TEST_F(SignedApprovals, ADenialBySignatureSaysWhy) {
  const Json signed_text = statement("deny", R"(,"reason":"not the vault")");
  EXPECT_EQ(signed_text.find("what")->as_string(), "deny");
  EXPECT_EQ(answer("deny", signed_text, key_, "another reason").status, 403)
      << "the reason is signed, too";
  const Json denied = good(answer("deny", signed_text, key_, "not the vault"));
  EXPECT_EQ(text_member(denied, "status"), "rejected");
  EXPECT_EQ(say().status, 403);
}

TEST_F(SignedApprovals, WhatIsOldOrOfNobodyIsRefused) {
  Json old = statement("grant");
  old.set("at", std::to_string(clock_.now().microseconds - 3'600'000'000));
  EXPECT_EQ(answer("grant", old, key_).status, 409);
  EXPECT_EQ(
      http("POST", "/v1/approvals/" + id_ + "/statement", R"({"approver":"bob","answer":"grant"})")
          .status,
      403);
  EXPECT_EQ(http("POST", "/v1/approvals/" + id_ + "/statement",
                 R"({"approver":"eve","answer":"perhaps"})")
                .status,
            400);
  // Whoever does not see the call does not hear of it.
  add_client("bob", store::Trust::kVerified, true);
  EXPECT_EQ(http("POST", "/v1/approvals/" + id_ + "/statement",
                 R"({"approver":"eve","answer":"grant"})", "", "bob")
                .status,
            404);
}

class Upkeep : public test::MemoryServer {};

// A refusal in the audit is found by the line of the log, and by the trace of who asked.
TEST_F(Upkeep, TheAuditNamesTheRequestAndItsTrace) {
  rule("deny(Call, \"not here\") :- call(Call, \"http:remember\", _, _).\n");
  EXPECT_EQ(http("POST", "/v1/memories", R"({"text":"the sea is salt"})",
                 "X-Request-Id: 3f2a9c00-0000-4000-8000-0000000000aa\r\n"
                 "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n")
                .status,
            403);
  Json details;
  ASSERT_TRUE(gate_->ledger().read(store::RecordKind::kAudit, store::Sequence::kNone,
                                   [&](const govern::LedgerEntry& entry) -> Status {
                                     if (const Json* found = entry.content.find("details"))
                                       details = *found;
                                     return {};
                                   }));
  EXPECT_EQ(text_member(details, "requestId"), "3f2a9c00-0000-4000-8000-0000000000aa");
  EXPECT_EQ(text_member(details, "traceId"), "4bf92f3577b34da6a3ce929d0e0e4736");
}

TEST_F(Upkeep, RunsAreTheOwnersAlone) {
  EXPECT_EQ(text_member(get("/v1/runs"), "sees"), "none");
  EXPECT_EQ(http("GET", "/v1/runs/1").status, 404);
  keys_["owner"] =
      *tokens_->add({"owner", store::Trust::kStandard, true, clock_.now(), {}, true}, random_);
  EXPECT_EQ(good(http("GET", "/v1/runs", "", "", "owner")).find("runs")->as_array().size(), 0U);
  EXPECT_EQ(http("GET", "/v1/runs/1", "", "", "owner").status, 404);
  EXPECT_EQ(http("GET", "/v1/runs/99999", "", "", "owner").status, 404);
  EXPECT_EQ(http("GET", "/v1/runs/first", "", "", "owner").status, 400);
}

TEST_F(Upkeep, CyclesOfSleepAreTold) {
  EXPECT_EQ(get("/v1/sleep").find("cycles")->as_array().size(), 0U);
  EXPECT_EQ(http("GET", "/v1/sleep?limit=0").status, 400);
}

}  // namespace
}  // namespace anima::serve::upkeep_test
