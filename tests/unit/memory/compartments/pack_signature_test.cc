// Signed packs: what is checked, what trust follows, and that unloading takes nothing else along.
#include "memory/compartments/pack_signature.h"

#include <gtest/gtest.h>

#include "memory/compartments/compartments.h"
#include "memory/compartments/knowledge_digest.h"
#include "memory/names.h"
#include "store/symbols.h"
#include "support/links.h"

namespace anima::memory {
namespace {

class PackTest : public ::testing::Test {
 protected:
  void SetUp() override {
    space_ = *store::Space::in_memory();
    write("compartment.toml",
          "id = \"sky\"\nname = \"Sky\"\nkind = \"Core\"\ntriples_file = \"t.json\"\n");
    write("t.json", R"([{"subject": "Earth", "predicate": "orbits", "object": "Sun"}])");
    write("README", "about the sky\n");
  }
  void write(const std::string& name, std::string_view text) {
    const std::string path = folder_.file("sky/" + name);
    ASSERT_TRUE(system_files().make_directories(folder_.file("sky")).has_value());
    ASSERT_TRUE(replace_file(system_files(), path, text).has_value());
  }
  void sign() { ASSERT_TRUE(sign_pack(system_files(), folder_.file("sky"), key_).has_value()); }
  // Of a manager of its own, as a new process would have it.
  Status load(std::vector<PublicKey> accepted = {}) {
    CompartmentManager manager(*space_, system_files(), folder_.path());
    manager.accept_keys(std::move(accepted));
    ANIMA_TRY(manager.discover().map([](std::size_t) {}));
    store::Origin owner;
    owner.trust = store::Trust::kOperator;
    ANIMA_TRY(manager.load("sky", owner));
    signed_by_ = manager.find("sky")->manifest.signed_by;
    return {};
  }
  store::Trust trust() {
    const store::Snapshot view = space_->snapshot().value();
    const store::Triple triple{*store::find_symbol(view, "Earth"),
                               store::Predicate::link(*store::find_relation(view, "orbits")),
                               store::Term::entity(*store::find_symbol(view, "Sun"))};
    return view.entry(view.assertions(triple).front().born).trust;
  }
  void expect_refused(std::string_view named) {
    const Status loaded = load({key_.public_key});
    ASSERT_FALSE(loaded.has_value());
    EXPECT_EQ(fault_of(loaded.error()), CompartmentFault::kBadSignature);
    EXPECT_EQ(loaded.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(loaded.error().message.find(named), std::string::npos) << loaded.error().message;
    EXPECT_FALSE(store::find_symbol(space_->snapshot().value(), "Earth").has_value());
  }

  TemporaryDirectory folder_;
  std::shared_ptr<store::Space> space_;
  SeededRandom random_{5};
  SigningKey key_ = make_signing_key(random_);
  std::string signed_by_;
};

TEST_F(PackTest, TrustFollowsTheAcceptedKey) {
  sign();
  ASSERT_TRUE(load({key_.public_key}).has_value());
  EXPECT_EQ(trust(), store::Trust::kVerified);
  EXPECT_EQ(signed_by_, to_hex(key_.public_key) + " (accepted)");
}

TEST_F(PackTest, AnUnknownKeyIsStandard) {
  sign();
  ASSERT_TRUE(load({make_signing_key(random_).public_key}).has_value());
  EXPECT_EQ(trust(), store::Trust::kStandard);
  EXPECT_EQ(signed_by_, to_hex(key_.public_key));
}

TEST_F(PackTest, UnsignedIsStandard) {
  ASSERT_TRUE(load({key_.public_key}).has_value());
  EXPECT_EQ(trust(), store::Trust::kStandard);
  EXPECT_EQ(signed_by_, "");
}

TEST_F(PackTest, ChangedTriplesAreRefused) {
  sign();
  write("t.json", R"([{"subject": "Earth", "predicate": "orbits", "object": "Mars"}])");
  expect_refused("t.json is not what was signed");
}

TEST_F(PackTest, AChangedManifestIsRefused) {
  sign();
  write("compartment.toml",
        "id = \"sky\"\nname = \"Sky!\"\nkind = \"Core\"\ntriples_file = \"t.json\"\n");
  expect_refused("compartment.toml is not what was signed");
}

TEST_F(PackTest, AChangedBystanderIsRefused) {
  sign();
  write("README", "about something else\n");
  expect_refused("README is not what was signed");
}

// A psyche laid beside a signed Core compartment would take effect: it must have been signed.
TEST_F(PackTest, AnAddedPsycheIsRefused) {
  sign();
  write("psyche.toml", "[persona]\nname = \"Intruder\"\n");
  expect_refused("psyche.toml is not in it");
}

TEST_F(PackTest, AnotherKeysListIsRefused) {
  sign();
  const std::string path = folder_.file("sky/compartment.sig");
  std::string text = *read_file(system_files(), path);
  const std::string mine = to_hex(key_.public_key);
  text.replace(text.find(mine), mine.size(), to_hex(make_signing_key(random_).public_key));
  write("compartment.sig", text);
  expect_refused("not of this list of files by this key");
}

TEST_F(PackTest, EveryTruncationOfTheSignatureIsRefused) {
  sign();
  const std::string text = *read_file(system_files(), folder_.file("sky/compartment.sig"));
  for (std::size_t length = 0; length + 2 < text.size(); length += 7) {
    write("compartment.sig", text.substr(0, length));
    ASSERT_FALSE(load().has_value()) << length;
  }
}

TEST_F(PackTest, KeysAreKeptInFiles) {
  const std::string path = folder_.file("pack.key");
  const auto made = make_pack_key(system_files(), path, random_);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(read_pack_key(system_files(), path)->public_key, made->public_key);
  EXPECT_FALSE(make_pack_key(system_files(), path, random_).has_value());
  EXPECT_FALSE(read_pack_key(system_files(), folder_.file("sky/README")).has_value());
  ASSERT_TRUE(write_accepted_keys(system_files(), folder_.path(),
                                  {{made->public_key, "Ada"}, {key_.public_key, ""}})
                  .has_value());
  const auto keys = read_accepted_keys(system_files(), folder_.path());
  ASSERT_EQ(keys->size(), 2U);
  EXPECT_EQ((*keys)[0].key, made->public_key);
  EXPECT_EQ((*keys)[0].name, "Ada");
}

TEST_F(PackTest, UnloadingIsProvedExact) {
  test::link(*space_, {{"Earth", "orbits", "Sun"}});
  // Anima's own books, of what was loaded and why, go on.
  const std::string books[] = {std::string(kCompartmentsGraph), std::string(kAgentGraph)};
  const KnowledgeDigest before = knowledge_digest(space_->snapshot().value(), books);
  CompartmentManager manager(*space_, system_files(), folder_.path());
  ASSERT_TRUE(manager.discover().has_value());
  EXPECT_EQ(fault_of(manager.unload_proved("sky", {}, true).error()), CompartmentFault::kNotLoaded);
  ASSERT_TRUE(manager.load("sky", {}).has_value());
  EXPECT_NE(knowledge_digest(space_->snapshot().value(), books).digest, before.digest);
  const auto proof = manager.unload_proved("sky", {}, true);
  ASSERT_TRUE(proof.has_value()) << proof.error().describe();
  EXPECT_TRUE(proof->exact());
  EXPECT_EQ(knowledge_digest(space_->snapshot().value(), books).digest, before.digest);
}

}  // namespace
}  // namespace anima::memory
