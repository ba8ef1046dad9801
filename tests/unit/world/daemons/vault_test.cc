// The vault: objects by their hash, and who may write what where.
#include "world/daemons/vault.h"

#include "support/daemon_test.h"

namespace anima::world::vault_test {
namespace {

class VaultTest : public test::DaemonTest {
 protected:
  Digest repository(std::size_t agent, std::string_view name) {
    return ask(agents_[agent], Message::kRepoCreate, {{"name", name}}).id("repo_id");
  }
  std::string chain(std::size_t agent, const Digest& repo, std::string_view name,
                    const Digest& head) {
    return ask(agents_[agent], Message::kChainCreate,
               {{"repo", pack(repo)}, {"name", name}, {"from_snap", pack(head)}})
        .refusal();
  }
  std::string advance(std::size_t agent, const Digest& repo, std::string_view name,
                      const Digest& head) {
    return refused(agents_[agent], Message::kChainAdvance,
                   {{"repo", pack(repo)}, {"chain_name", name}, {"new_head", pack(head)}});
  }
  const Identity& me_ = agents_[0];
};

TEST_F(VaultTest, ObjectsAreTheirHashAndHaveATypeAndASize) {
  const Digest id = object("a program");
  EXPECT_EQ(id, Sha256().update(std::string_view("\x01", 1)).update("a program").finish());
  EXPECT_EQ(object("a program"), id);
  EXPECT_EQ(told(EventKind::kObjectStored), 1U) << "it was there already";
  EXPECT_EQ(ask(me_, Message::kObjectGet, {{"object_id", pack(id)}}).data("data").binary()->bytes,
            "a program");
  for (const int type : {0, 8})
    EXPECT_EQ(refused(me_, Message::kObjectPut, {{"type_tag", type}, {"data", Binary{"x"}}}),
              "InvalidRequest: the types of objects are 1 to 7");
  EXPECT_TRUE(ask(me_, Message::kObjectPut, {{"type_tag", 7}, {"data", Binary{"x"}}}).good());
  EXPECT_TRUE(ask(me_, Message::kObjectPut,
                  {{"type_tag", 1}, {"data", Binary{std::string(1'000'000, 'x')}}})
                  .good());
  EXPECT_EQ(refused(me_, Message::kObjectPut,
                    {{"type_tag", 1}, {"data", Binary{std::string(1'000'001, 'x')}}}),
            "QuotaExceeded: an object takes 1,000,000 bytes at most");
}

TEST_F(VaultTest, FindsNothingThatIsNotThere) {
  const MessagePack none = pack(sha256("none"));
  EXPECT_EQ(refused(me_, Message::kObjectGet, {{"object_id", none}}),
            "NotFound: there is no such object");
  EXPECT_EQ(refused(me_, Message::kSnapGet, {{"snap_id", none}}),
            "NotFound: there is no such snapshot");
  const MessagePack there = pack(snap(me_, "there"));
  for (const auto& each : {std::array{none, there, there}, std::array{there, none, there},
                           std::array{there, there, none}})
    EXPECT_EQ(
        refused(me_, Message::kMerge, {{"base", each[0]}, {"left", each[1]}, {"right", each[2]}}),
        "NotFound: there is no such snapshot");
}

TEST_F(VaultTest, ASnapshotHasItsAuthorRootAndParent) {
  const MessagePack root = pack(object("root")), author = pack(me_.id);
  EXPECT_EQ(refused(me_, Message::kSnapCreate,
                    {{"root", root}, {"author", pack(agents_[1].id)}, {"message", "m"}}),
            "Unauthorized: the author is not the sender");
  EXPECT_EQ(refused(me_, Message::kSnapCreate,
                    {{"root", pack(sha256("none"))}, {"author", author}, {"message", "m"}}),
            "NotFound: the root is not there");
  EXPECT_EQ(
      refused(
          me_, Message::kSnapCreate,
          {{"root", root}, {"author", author}, {"message", "m"}, {"parent", pack(sha256("none"))}}),
      "NotFound: the parent is not there");
  const Digest first =
      ask(me_, Message::kSnapCreate, {{"root", root}, {"author", author}, {"message", "m"}})
          .id("snap_id");
  const auto second =
      ask(me_, Message::kSnapCreate,
          {{"root", root}, {"author", author}, {"message", "m"}, {"parent", pack(first)}});
  EXPECT_EQ(world_.vault.snap(second.id("snap_id"))->parent, first);
}

TEST_F(VaultTest, WhoChangedNothingGivesWayInAMerge) {
  const Digest base = snap(me_, "a"), same = snap(agents_[1], "a"), left = snap(me_, "b"),
               right = snap(me_, "c");
  const auto merged = [&](const Digest& ours, const Digest& theirs) {
    const auto answer = ask(me_, Message::kMerge,
                            {{"base", pack(base)}, {"left", pack(ours)}, {"right", pack(theirs)}});
    Digest result{};
    EXPECT_TRUE(unpack_to(answer.data("result"), result));
    return std::pair(result, *answer.data("conflicts").natural());
  };
  EXPECT_EQ(merged(left, same), std::pair(left, std::uint64_t{0}));
  EXPECT_EQ(merged(same, right), std::pair(right, std::uint64_t{0}));
  EXPECT_EQ(merged(left, right), std::pair(base, std::uint64_t{1}));
}

TEST_F(VaultTest, ARepositoryIsItsOwners) {
  const Digest repo = repository(0, "tools"), head = snap(me_, "x"), none = sha256("none");
  EXPECT_EQ(refused(me_, Message::kRepoCreate, {{"name", "tools"}}),
            "Conflict: this agent has a repository of that name");
  repository(1, "tools");  // of another agent
  EXPECT_EQ(chain(0, none, "main", head), "NotFound: there is no such repository");
  EXPECT_EQ(chain(1, repo, "main", head), "Unauthorized: only its owner may write to it");
  EXPECT_EQ(chain(0, repo, "main", none), "NotFound: there is no such snapshot");
  EXPECT_EQ(advance(0, repo, "main", head), "NotFound: there is no such chain");
  EXPECT_EQ(chain(0, repo, "main", head), "granted");
  EXPECT_EQ(chain(0, repo, "main", head), "Conflict: there is a chain of that name");
  EXPECT_EQ(advance(0, none, "main", head), "NotFound: there is no such repository");
  EXPECT_EQ(advance(1, repo, "main", head), "Unauthorized: only its owner may write to it");
  EXPECT_EQ(advance(0, repo, "main", none), "NotFound: there is no such snapshot");
  EXPECT_TRUE(ask(me_, Message::kChainAdvance,
                  {{"repo", pack(repo)}, {"chain_name", "main"}, {"new_head", pack(head)}})
                  .good());
}

TEST_F(VaultTest, TagsStayAndTellWhoDependsOnThem) {
  const Digest repo = repository(0, "library"), user = repository(1, "user"),
               target = snap(me_, "x"), none = sha256("none");
  const auto tag = [&](std::size_t agent, const Digest& of, const Digest& at) {
    return refused(agents_[agent], Message::kTagCreate,
                   {{"repo", pack(of)}, {"name", "v1"}, {"target", pack(at)}});
  };
  const auto depend = [&](std::size_t agent, const Digest& from, const Digest& on) {
    return refused(agents_[agent], Message::kDependencyAdd,
                   {{"repo", pack(from)}, {"on", pack(on)}});
  };
  EXPECT_EQ(depend(1, none, repo), "NotFound: there is no such repository");
  EXPECT_EQ(depend(0, user, repo), "Unauthorized: only its owner may write to it");
  EXPECT_EQ(depend(1, user, none), "NotFound: no such repository");
  EXPECT_EQ(depend(1, user, user), "Conflict: it depends on that already");
  ASSERT_TRUE(
      ask(agents_[1], Message::kDependencyAdd, {{"repo", pack(user)}, {"on", pack(repo)}}).good());
  EXPECT_EQ(depend(1, user, repo), "Conflict: it depends on that already");

  EXPECT_EQ(tag(0, none, target), "NotFound: there is no such repository");
  EXPECT_EQ(tag(1, repo, target), "Unauthorized: only its owner may write to it");
  EXPECT_EQ(tag(0, repo, none), "NotFound: there is no such snapshot");
  EXPECT_TRUE(ask(me_, Message::kRegistryQuery, {}).data("entries").array()->empty());
  world_.frames.clear();
  ASSERT_TRUE(ask(me_, Message::kTagCreate,
                  {{"repo", pack(repo)}, {"name", "v1"}, {"target", pack(target)}})
                  .good());
  ASSERT_EQ(world_.frames.size(), 1U);
  EXPECT_EQ(read(world_.frames[0], agents_[1].id).type, Message::kDependencyNotify);
  EXPECT_EQ(tag(0, repo, target), "Conflict: a tag never moves");
  const auto found = [&](const char* text) {
    return ask(me_, Message::kRegistryQuery, {{"text_match", text}})
        .data("entries")
        .array()
        ->size();
  };
  EXPECT_EQ(found("libr"), 1U);
  EXPECT_EQ(found("user"), 0U) << "it has no tag";
  EXPECT_EQ(ask(me_, Message::kRegistryQuery, {{"limit", 0}}).data("entries").array()->size(), 0U);
}

TEST_F(VaultTest, WhatWasAddedIsKeptBesideTheState) {
  const Digest first = snap(me_, "one");
  const MessagePack one = world_.vault.additions();
  world_.vault.settle();
  EXPECT_TRUE(world_.vault.additions().is_nil());
  object("one");
  EXPECT_TRUE(world_.vault.additions().is_nil()) << "it was there already";
  const Digest second = object("two");
  const MessagePack two = world_.vault.additions();
  ASSERT_EQ(two.array()->size(), 1U) << "nothing twice";
  const auto restored = [&](std::initializer_list<MessagePack> additions) {
    Vault other(realm_, {});
    for (const MessagePack& each : additions) EXPECT_TRUE(other.add_back(each).has_value());
    const Status done = other.restore(world_.vault.state());
    if (!done) return std::string(done.error().message);
    EXPECT_EQ(other.state_hash(), world_.vault.state_hash());
    EXPECT_EQ(*other.object(second), "two");
    EXPECT_EQ(other.snap(first)->author, me_.id);
    EXPECT_TRUE(other.additions().is_nil());
    return std::string("restored");
  };
  EXPECT_EQ(restored({one, two}), "restored");
  const std::string missing = "the objects of the vault are not those that were written";
  EXPECT_EQ(restored({one}), missing);
  EXPECT_EQ(restored({two, one}), missing);
  MessagePack changed;
  changed.push_back(body_of({{"id", pack(second)}, {"object", Binary{"too"}}}));
  EXPECT_EQ(restored({one, changed}), missing);
  EXPECT_EQ(Vault(realm_, {}).add_back(MessagePack(7)).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(world_.mint.add_back(two).error().code, ErrorCode::kCorrupt) << "it has no additions";
}

}  // namespace
}  // namespace anima::world::vault_test
