// The known-answer vectors of governance specification 1.4; table rows 35-41.
#include "govern/ledger/audit_chain.h"

#include <gtest/gtest.h>

namespace anima::govern::audit_chain_test {
namespace {

std::vector<AuditEntry> vectors() {
  AuditEntry e1{.id = "00000000-0000-4000-8000-000000000001",
                .timestamp = "2026-01-01T00:00:00.000Z",
                .action = "gateway_started",
                .actor = "system",
                .trust_level = "system",
                .details = Json::object({{"host", "127.0.0.1"}, {"port", 3141}}),
                .previous_hash = std::string(64, '0'),
                .hash = "6b43e136416a17f4b07240ace4c7996f16503a68be1c5c73d9ad031659d37690"};
  AuditEntry e2{.id = "00000000-0000-4000-8000-000000000002",
                .timestamp = "2026-01-01T00:00:01.000Z",
                .action = "message_received",
                .actor = "untrusted",
                .trust_level = "untrusted",
                .details = Json::object({{"messageId", "m1"}, {"contentLength", 5}}),
                .previous_hash = e1.hash,
                .hash = "87af85028505a4ae8d8a05b96be638e1b816a2e79171760da82b7009697bc939"};
  AuditEntry e3{.id = "00000000-0000-4000-8000-000000000003",
                .timestamp = "2026-01-01T00:00:02.000Z",
                .action = "no_details",
                .actor = "core",
                .trust_level = "system",
                .details = std::nullopt,
                .previous_hash = e2.hash,
                .hash = "5ae413fa03f0f6ecc33524e35fd5f2453b703c3e7a1f2d6b5f203c5e6e42acf5"};
  return {e1, e2, e3};
}

TEST(AuditChain, Row35KnownAnswerVectors) {
  for (const AuditEntry& entry : vectors()) EXPECT_EQ(audit_hash(entry), entry.hash) << entry.id;
  EXPECT_TRUE(verify_audit(vectors()).valid);
  EXPECT_EQ(verify_audit(vectors()).details, "3 events");
}

TEST(AuditChain, Row36TamperedContentIsNamed) {
  auto entries = vectors();
  entries[1].details->set("contentLength", 6);
  const auto verdict = verify_audit(entries);
  EXPECT_FALSE(verdict.valid);
  EXPECT_EQ(verdict.broken_at, 1u);
}

TEST(AuditChain, Row37RemovedEntryIsNamed) {
  auto entries = vectors();
  entries.erase(entries.begin() + 1);
  const auto verdict = verify_audit(entries);
  EXPECT_FALSE(verdict.valid);
  EXPECT_EQ(verdict.broken_at, 1u);
}

TEST(AuditChain, Row38GenesisIsSixtyFourZeros) {
  ManualClock clock;
  SeededRandom random(1);
  AuditChain chain(clock, random);
  EXPECT_EQ(chain.append("a", "core", Trust::kSystem).previous_hash, std::string(64, '0'));
  auto entries = vectors();
  entries[0].previous_hash[0] = '1';
  EXPECT_FALSE(verify_audit(entries).valid);
  EXPECT_EQ(verify_audit(entries).broken_at, 0u);
}

TEST(AuditChain, Row39EmptyChainIsValid) {
  EXPECT_TRUE(verify_audit({}).valid);
  EXPECT_EQ(verify_audit({}).details, "0 events");
}

TEST(AuditChain, Row41VerifiesAfterReload) {
  ManualClock clock(Timestamp{1'767'225'600'000'000}, 1'500'000);
  SeededRandom random(7);
  AuditChain chain(clock, random);
  chain.append("gateway_started", "system", Trust::kSystem, Json::object({{"port", 3141}}));
  chain.append("message_received", "untrusted", Trust::kUntrusted);
  EXPECT_EQ(chain.entries()[1].timestamp, "2026-01-01T00:00:01.500Z");
  EXPECT_EQ(chain.entries()[0].id.size(), 36u);
  EXPECT_EQ(chain.entries()[0].id[14], '4');
  auto read = AuditChain::read_lines(chain.write_lines(), "audit.jsonl");
  ASSERT_TRUE(read) << read.error().describe();
  AuditChain again(clock, random);
  ASSERT_TRUE(again.restore(*read));
  again.append("gateway_stopped", "system", Trust::kSystem);
  EXPECT_TRUE(verify_audit(again.entries()).valid);
  EXPECT_EQ(again.entries().size(), 3u);
}

TEST(AuditChain, TruncatedLineIsACorruptFileWithItsLine) {
  const auto read = AuditChain::read_lines("{\"id\":\"x\"", "audit.jsonl");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(read.error().where, "audit.jsonl:1");
}

TEST(AuditChain, WhatTheHashDoesNotCoverIsRefused) {
  ManualClock clock;
  SeededRandom random(1);
  AuditChain chain(clock, random);
  const AuditEntry entry = chain.append("a", "core", Trust::kSystem);
  Json line = entry.to_json();
  ASSERT_TRUE(AuditChain::read_lines(line.dump(), "audit.jsonl"));
  line.set("approvedBy", "operator");
  EXPECT_EQ(AuditChain::read_lines(line.dump(), "audit.jsonl").error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace anima::govern::audit_chain_test
