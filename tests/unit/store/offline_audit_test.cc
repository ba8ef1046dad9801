// Exports, proofs and checkpoints verified without the space.
#include "store/verify/offline_audit.h"

#include <gtest/gtest.h>

namespace anima::store::offline_audit_test {
namespace {

class OfflineAudit : public ::testing::Test {
 protected:
  void SetUp() override {
    space_ = Space::open(folder_.file("space"), {.create = true}).value();
    for (int i = 0; i < 7; ++i) {
      ASSERT_TRUE(space_->write({}, [&](Transaction& transaction) {
        return transaction.record(RecordKind::kEvent, "event " + std::to_string(i));
      }));
    }
    SeededRandom random(1);
    key_ = obtain_signing_key(*space_, {}, system_files(), random).value();
    checkpoint_ = make_checkpoint(space_->log(), key_).value();
    ASSERT_TRUE(space_->log().read(Sequence{1}, [&](const LogEntry& entry) -> Status {
      lines_.push_back(entry_to_json(entry).dump());
      return {};
    }));
  }
  std::string text() const {
    std::string text;
    for (const std::string& line : lines_) text += line + "\n";
    return text;
  }

  TemporaryDirectory folder_{"anima-offline"};
  std::shared_ptr<Space> space_;
  SigningKey key_;
  Checkpoint checkpoint_;
  std::vector<std::string> lines_;
};

TEST_F(OfflineAudit, AnExportedLogVerifiesWithFilesAndKeyAlone) {
  EXPECT_TRUE(verify_signature(checkpoint_, key_.public_key));
  const auto report = verify_exported_log(text(), "log.jsonl", checkpoint_);
  ASSERT_TRUE(report) << report.error().describe();
  EXPECT_EQ(report->entries, lines_.size());
  EXPECT_EQ(report->root, checkpoint_.root);
  PublicKey other = key_.public_key;
  other[0] ^= 1;
  EXPECT_FALSE(verify_signature(checkpoint_, other));
  Checkpoint forged = checkpoint_;
  forged.root[0] ^= 1;
  EXPECT_FALSE(verify_signature(forged, key_.public_key));
}

TEST_F(OfflineAudit, EveryChangeIsFoundAtItsLine) {
  const std::vector<std::string> whole = lines_;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    lines_ = whole;
    Json entry = parse_json(lines_[i]).value();
    entry.set("author", "mallory");
    lines_[i] = entry.dump();
    const auto changed = verify_exported_log(text(), "log.jsonl", std::nullopt);
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error().where, "log.jsonl:" + std::to_string(i + 1));
    lines_ = whole;
    lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(verify_exported_log(text(), "log.jsonl", checkpoint_));
  }
}

TEST_F(OfflineAudit, TimeThatGoesBackIsFound) {
  LogEntry last = entry_from_json(parse_json(lines_.back()).value(), "log.jsonl").value();
  last.time.microseconds -= 3'600'000'000;
  last.hash = entry_hash(last);
  lines_.back() = entry_to_json(last).dump();
  const auto report = verify_exported_log(text(), "log.jsonl", std::nullopt);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().where, "log.jsonl:" + std::to_string(lines_.size()));
}

TEST_F(OfflineAudit, WhatTheHashDoesNotCoverIsRefused) {
  const Json plain = parse_json(lines_[2]).value();
  ASSERT_TRUE(entry_from_json(plain, "log.jsonl:3"));
  Json added = plain, format = plain, upper = plain;
  added.set("approved_by", "operator");
  format.set("format", (std::int64_t{1} << 32) + plain.find("format")->as_integer());
  std::string hex = plain.find("payload")->as_string();
  for (char& c : hex) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  upper.set("payload", hex);
  for (const Json& changed : {added, format, upper}) {
    lines_[2] = changed.dump();
    const auto report = verify_exported_log(text(), "log.jsonl", std::nullopt);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::kCorrupt);
    EXPECT_EQ(report.error().where, "log.jsonl:3");
  }
}

// Who wrote an entry may have been named by somebody outside.
TEST_F(OfflineAudit, AnAuthorThatIsNoTextIsExportedAsText) {
  Origin origin;
  origin.author = "e\xff";
  origin.source = "\xfe";
  ASSERT_TRUE(space_->write(origin, [](Transaction& transaction) {
    return transaction.record(RecordKind::kEvent, "event");
  }));
  const LogEntry entry = space_->log().entry(space_->log().head()->sequence).value();
  EXPECT_EQ(entry.origin.author, "e\xef\xbf\xbd");
  lines_.push_back(entry_to_json(entry).dump());
  const auto report = verify_exported_log(text(), "log.jsonl", std::nullopt);
  EXPECT_TRUE(report) << report.error().describe();
}

TEST_F(OfflineAudit, AnEmptyFileIsNoLog) {
  for (const char* nothing : {"", "\n\n"})
    EXPECT_EQ(verify_exported_log(nothing, "log.jsonl", std::nullopt).error().code,
              ErrorCode::kCorrupt);
}

TEST_F(OfflineAudit, AProofShowsOneEntry) {
  for (std::uint64_t sequence = 1; sequence <= lines_.size(); ++sequence) {
    const auto made = prove_entry(space_->log(), Sequence{sequence});
    ASSERT_TRUE(made);
    const auto proof = inclusion_proof_from_json(made->to_json(), "proof.json");
    ASSERT_TRUE(proof) << proof.error().describe();
    const auto entry = entry_from_json(parse_json(lines_[sequence - 1]).value(), "entry.json");
    ASSERT_TRUE(entry) << entry.error().describe();
    EXPECT_TRUE(verify_exported_proof(*proof, checkpoint_, *entry));
    LogEntry other = *entry;
    other.origin.author = "mallory";
    EXPECT_FALSE(verify_exported_proof(*proof, checkpoint_, other));
    InclusionProof cut = *proof;
    cut.path.pop_back();
    EXPECT_FALSE(verify_exported_proof(cut, checkpoint_, *entry));
  }
}

}  // namespace
}  // namespace anima::store::offline_audit_test
