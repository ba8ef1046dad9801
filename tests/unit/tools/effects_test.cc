// Commands over a view of a folder: the difference is what the command did, nothing changes before
// it is applied, and what is applied is what was kept. With layers and with a copy.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <thread>

#include "base/files/file.h"
#include "support/needs_sandbox.h"
#include "tools/effects/staging.h"
#include "tools/effects/text_diff.h"

namespace anima::tools::effects_test {
namespace {

using effects::Change;
using effects::Difference;
using effects::Effect;
using effects::EntryKind;
using effects::Staging;
using effects::Trial;
using effects::ViewKind;

class EffectsTest : public testing::TestWithParam<ViewKind> {
 protected:
  void SetUp() override {
    ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
    ASSERT_TRUE(system_files().make_directories(work_));
    give(".");
  }

  // Programs of the sandbox are this user.
  void give(const std::string& name) {
    ASSERT_EQ(lchown(path(name).c_str(), sandbox_user(), static_cast<gid_t>(-1)), 0) << name;
  }
  std::string path(const std::string& name) const { return work_ + "/" + name; }
  void put(const std::string& name, std::string_view text) {
    for (std::size_t slash = name.find('/'); slash != std::string::npos;
         slash = name.find('/', slash + 1)) {
      ASSERT_TRUE(system_files().make_directories(path(name.substr(0, slash))));
      give(name.substr(0, slash));
    }
    ASSERT_TRUE(replace_file(system_files(), path(name), text));
    give(name);
  }
  std::string text(const std::string& name) const {
    return read_file(system_files(), path(name)).value_or("(none)");
  }
  bool there(const std::string& name) const {
    struct stat info = {};
    return lstat(path(name).c_str(), &info) == 0;
  }
  unsigned mode(const std::string& name) const {
    struct stat info = {};
    return stat(path(name).c_str(), &info) == 0 ? info.st_mode & 0777U : 0;
  }

  static SandboxRequest shell(std::string script) {
    SandboxRequest request;
    request.arguments = {"/bin/sh", "-c", std::move(script)};
    request.environment = {{"PATH", "/usr/bin:/bin"}, {"HOME", "/tmp"}};
    request.limits.wall_ms = 20'000;
    return request;
  }
  Result<Trial> run(std::string script) { return staging_.run(shell(std::move(script))); }
  // "effect path" of each change, as far as the command ended well.
  std::vector<std::string> effects_of(std::string script) {
    const auto trial = run(std::move(script));
    if (!trial) return {trial.error().describe()};
    EXPECT_EQ(trial->view.kind(), GetParam());
    EXPECT_EQ(trial->run.process.exit_code, 0) << trial->run.process.err;
    std::vector<std::string> list;
    for (const Change& change : trial->difference.changes)
      list.push_back(std::string(to_string(change.effect())) + " " + change.path);
    return list;
  }
  std::string kept(std::string script) {
    auto trial = run(std::move(script));
    EXPECT_TRUE(trial.has_value()) << trial.error().describe();
    if (!trial) return {};
    EXPECT_EQ(trial->run.process.exit_code, 0) << trial->run.process.err;
    const auto id = staging_.keep(*trial, Json("a note"));
    EXPECT_TRUE(id.has_value()) << id.error().describe();
    return id.value_or("");
  }
  void apply(const std::string& id) {
    const Status applied = staging_.apply(id);
    ASSERT_TRUE(applied) << applied.error().describe();
  }
  ErrorCode refused(const std::string& id) {
    const Status applied = staging_.apply(id);
    return applied ? ErrorCode::kInternal : applied.error().code;
  }

  using Lines = std::vector<std::string>;
  TemporaryDirectory folder_;
  const std::string work_ = folder_.file("work");
  const std::string state_ = folder_.file("state");
  SystemClock clock_;
  SystemRandom random_;
  Staging staging_{work_, state_, clock_, random_, {.only = GetParam(), .limits = {}}};
};

TEST_P(EffectsTest, TheDifferenceIsWhatTheCommandDid) {
  put("edited", "one\n");
  put("removed", "two\n");
  put("same", "three\n");
  put("mode", "four\n");
  put("dir/inside", "five\n");
  put("gone/a", "six\n");
  put("gone/deep/b", "seven\n");
  EXPECT_EQ(
      effects_of("echo more >> edited; rm removed; cat same > /dev/null; chmod 700 mode;"
                 "mkdir -p new/deep; echo x > new/deep/file; ln -s file new/deep/link;"
                 "rm -r gone; echo y > dir/other; touch -d 2020-01-01 dir/inside"),
      (Lines{"touched dir/inside", "added dir/other", "edited edited", "deleted gone",
             "deleted gone/a", "deleted gone/deep", "deleted gone/deep/b", "mode mode", "added new",
             "added new/deep", "added new/deep/file", "added new/deep/link", "deleted removed"}));
  // Nothing changed here.
  EXPECT_EQ(text("edited"), "one\n");
  EXPECT_EQ(text("removed"), "two\n");
  EXPECT_TRUE(there("gone/deep/b"));
  EXPECT_FALSE(there("new"));
}

TEST_P(EffectsTest, WhatEndsAsItBeganIsNoDifference) {
  put("a", "one\n");
  put("d/b", "two\n");
  EXPECT_EQ(effects_of("cat a d/b; ls -R"), Lines{});
  EXPECT_EQ(effects_of("echo x > t; rm t; mkdir e; rmdir e; exec 3>>a; chmod 600 a; chmod 644 a"),
            Lines{});
}

TEST_P(EffectsTest, AFolderThatIsMadeAnewHidesWhatItHeld) {
  put("d/old", "one\n");
  put("d/kept", "two\n");
  EXPECT_EQ(
      effects_of("cp d/kept k; touch -r d/kept k; rm -r d; mkdir d; mv k d/kept; echo n > d/new"),
      (Lines{"added d/new", "deleted d/old"}));
  EXPECT_EQ(effects_of("rm -r d; echo file > d"),
            (Lines{"replaced d", "deleted d/kept", "deleted d/old"}));
  put("f", "three\n");
  EXPECT_EQ(effects_of("rm f; mkdir f; echo x > f/x"), (Lines{"replaced f", "added f/x"}));
  EXPECT_EQ(effects_of("rm f; ln -s d/old f"), Lines{"replaced f"});
}

TEST_P(EffectsTest, WhatIsElsewhereAfterwardsIsNotLost) {
  put("a", "one\n");
  put("b", "two\n");
  put("dir/c", "three\n");
  put("dir/e/f", "four\n");
  const auto trial = run("mv a z; rm b; mv dir other");
  ASSERT_TRUE(trial.has_value());
  std::vector<std::string> moved;
  for (const Change& change : trial->difference.changes) {
    if (change.effect() == Effect::kMoved) moved.push_back(change.path + " " + change.moved_to);
  }
  EXPECT_EQ(moved,
            (Lines{"a z", "dir other/c", "dir/c other/c", "dir/e other/e/f", "dir/e/f other/e/f"}));
  EXPECT_EQ(summary(trial->difference), "5 added, 5 moved, 1 deleted");
}

TEST_P(EffectsTest, IsAppliedAsItWasSeenAndUndone) {
  put("edited", "one\n");
  put("removed", "two\n");
  put("gone/deep/b", "seven\n");
  put("kind", "file\n");
  ASSERT_EQ(chmod(path("removed").c_str(), 0640), 0);
  const std::string id = kept(
      "echo more >> edited; rm removed; rm -r gone; mkdir -m 750 new; echo x > new/file;"
      "chmod 755 new/file; ln -s new/file link; rm kind; mkdir kind; echo in > kind/in;"
      "ln new/file new/second");
  apply(id);
  EXPECT_EQ(text("edited"), "one\nmore\n");
  EXPECT_FALSE(there("removed"));
  EXPECT_FALSE(there("gone"));
  EXPECT_EQ(text("new/file"), "x\n");
  EXPECT_EQ(text("new/second"), "x\n");
  EXPECT_EQ(mode("new/file"), 0755U);
  EXPECT_EQ(mode("new"), 0750U);
  EXPECT_EQ(text("link"), "x\n");
  EXPECT_EQ(text("kind/in"), "in\n");
  struct stat info = {};
  ASSERT_EQ(stat(path("new/file").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, sandbox_user());
  EXPECT_EQ(info.st_nlink, 1U);
  EXPECT_EQ(refused(id), ErrorCode::kConflict) << "twice";
  const Status undone = staging_.undo(id);
  ASSERT_TRUE(undone) << undone.error().describe();
  EXPECT_EQ(text("edited"), "one\n");
  EXPECT_EQ(text("removed"), "two\n");
  EXPECT_EQ(mode("removed"), 0640U);
  EXPECT_EQ(text("gone/deep/b"), "seven\n");
  EXPECT_EQ(text("kind"), "file\n");
  for (const char* name : {"new", "link"}) EXPECT_FALSE(there(name)) << name;
  EXPECT_EQ(staging_.undo(id).error().code, ErrorCode::kConflict);
}

TEST_P(EffectsTest, AClosedFolderIsWrittenBeforeItIsClosed) {
  put("d/a", "one\n");
  const std::string id =
      kept("echo two > d/a; echo new > d/b; chmod 555 d; mkdir c; echo x > c/x; chmod 500 c");
  apply(id);
  EXPECT_EQ(mode("d"), 0555U);
  EXPECT_EQ(mode("c"), 0500U);
  EXPECT_EQ(text("d/b"), "new\n");
  ASSERT_TRUE(staging_.undo(id));
  EXPECT_EQ(text("d/a"), "one\n");
  EXPECT_FALSE(there("d/b"));
  EXPECT_FALSE(there("c"));
  EXPECT_EQ(mode("d"), 0755U);
}

// Somebody gives the name of a file and of a folder to links that lead out, as fast as they can.
class Swapper {
 public:
  Swapper(std::string name, std::string target)
      : name_(std::move(name)), target_(std::move(target)), thread_([this] { swap(); }) {}
  ~Swapper() {
    stop_ = true;
    thread_.join();
  }
  Swapper(const Swapper&) = delete;
  Swapper& operator=(const Swapper&) = delete;

 private:
  void swap() const {
    const std::string aside = name_ + ".aside", link = name_ + ".link";
    (void)symlink(target_.c_str(), link.c_str());
    while (!stop_) {
      if (rename(name_.c_str(), aside.c_str()) != 0) continue;
      (void)rename(link.c_str(), name_.c_str());
      (void)rename(name_.c_str(), link.c_str());
      (void)rename(aside.c_str(), name_.c_str());
    }
    (void)unlink(link.c_str());
  }

  const std::string name_, target_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

TEST_P(EffectsTest, NothingOutsideChangesWhenLinksAreSwapped) {
  const std::string secret = folder_.file("secret"), vault = folder_.file("vault");
  ASSERT_TRUE(replace_file(system_files(), secret, "kept", 0600));
  ASSERT_TRUE(system_files().make_directories(vault, 0700));
  struct stat before = {}, vault_before = {};
  ASSERT_EQ(stat(secret.c_str(), &before), 0);
  ASSERT_EQ(stat(vault.c_str(), &vault_before), 0);
  put("file", "mine");
  put("dir/inside", "mine");
  const std::vector<effects::Step> steps = [] {
    effects::Entry file, folder;
    file.kind = EntryKind::kFile;
    file.mode = 0644;
    folder.kind = EntryKind::kFolder;
    folder.mode = 0755;
    effects::Step folder_step{"dir", folder, folder, {}}, file_step{"file", file, file, {}};
    folder_step.to.mode = file_step.to.mode = 0777;
    file_step.to.modified_ns = 1'000'000'000;
    return std::vector<effects::Step>{folder_step, file_step};
  }();
  {
    const Swapper files(path("file"), secret), folders(path("dir"), vault);
    const int root = open(work_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ASSERT_GE(root, 0);
    int taken = 0;
    for (int i = 0; i < 1'000; ++i)
      taken += effects::take_steps(root, steps, "test").has_value() ? 1 : 0;
    close(root);
    std::printf("%d of 1000 applications went through\n", taken);
  }
  struct stat after = {}, vault_after = {};
  ASSERT_EQ(stat(secret.c_str(), &after), 0);
  ASSERT_EQ(stat(vault.c_str(), &vault_after), 0);
  EXPECT_EQ(after.st_mode, before.st_mode);
  EXPECT_EQ(after.st_uid, before.st_uid);
  EXPECT_EQ(after.st_mtim.tv_sec, before.st_mtim.tv_sec);
  EXPECT_EQ(vault_after.st_mode, vault_before.st_mode);
  EXPECT_EQ(vault_after.st_uid, vault_before.st_uid);
}

TEST_P(EffectsTest, AttributesStayAndNewOnesAreLeftOut) {
  put("file", "old");
  put("same", "same");
  ASSERT_EQ(setxattr(path("file").c_str(), "user.owner", "me", 2, 0), 0);
  const auto id = kept("echo new > file; echo x > added");
  EXPECT_EQ(text("file"), "old");
  apply(id);
  EXPECT_EQ(text("file"), "new\n");
  char value[8] = {};
  ASSERT_EQ(getxattr(path("file").c_str(), "user.owner", value, sizeof value), 2);
  EXPECT_EQ(std::string(value, 2), "me");
  ASSERT_TRUE(staging_.undo(id));
  EXPECT_EQ(text("file"), "old");
  EXPECT_EQ(getxattr(path("file").c_str(), "user.owner", value, sizeof value), 2);

  // What a command sets, as far as it gets to set any.
  auto view = effects::View::make(GetParam(), work_, state_ + "/view-by-hand");
  ASSERT_TRUE(view.has_value()) << view.error().describe();
  const std::string inside = view->content_of("added-by-hand");
  ASSERT_TRUE(replace_file(system_files(), inside, "x"));
  ASSERT_EQ(setxattr(inside.c_str(), "user.note", "x", 1, 0), 0);
  ASSERT_EQ(setxattr(inside.c_str(), "user.overlay.redirect", "x", 1, 0), 0);
  auto difference = view->difference({});
  ASSERT_TRUE(difference.has_value()) << difference.error().describe();
  EXPECT_EQ(difference->left_out, (Lines{"added-by-hand (user.note)"}));
  Trial trial{*std::move(view), {}, *std::move(difference)};
  const auto by_hand = staging_.keep(trial, Json("a note"));
  ASSERT_TRUE(by_hand.has_value()) << by_hand.error().describe();
  apply(*by_hand);
  EXPECT_EQ(text("added-by-hand"), "x");
  EXPECT_EQ(getxattr(path("added-by-hand").c_str(), "user.note", value, sizeof value), -1);
  EXPECT_EQ(getxattr(path("added-by-hand").c_str(), "user.overlay.redirect", value, sizeof value),
            -1);
}

TEST_P(EffectsTest, ModesAndTimesAreAsTheRecordSays) {
  const auto bits = [this](const char* name) {
    struct stat info = {};
    return stat(path(name).c_str(), &info) == 0 ? info.st_mode & 07777U : 0U;
  };
  put("dir/inside", "x");
  put("old", "x");
  ASSERT_EQ(chmod(path("dir").c_str(), 02775), 0);
  ASSERT_EQ(chmod(work_.c_str(), 02775), 0);
  EXPECT_EQ(effects_of("true"), Lines{});
  const std::string id = kept("touch -d 1960-02-03T04:05:06.5Z old; umask 022; mkdir dir/deep");
  apply(id);
  struct stat info = {};
  ASSERT_EQ(stat(path("old").c_str(), &info), 0);
  EXPECT_EQ(info.st_mtim.tv_sec, -312'753'294);
  EXPECT_EQ(info.st_mtim.tv_nsec, 500'000'000);
  EXPECT_EQ(bits("dir/deep"), 02755U);  // the kernel hands the bit on
  EXPECT_EQ(bits("dir"), 02775U);
  EXPECT_EQ(bits("."), 02775U);
  ASSERT_TRUE(staging_.undo(id));
  EXPECT_EQ(bits("dir"), 02775U);
  EXPECT_FALSE(there("dir/deep"));
}

TEST_P(EffectsTest, AChangeWithinATickOfTheClockIsFound) {
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(replace_file(system_files(), path("file"), "one"));
    auto view = effects::View::make(GetParam(), work_, state_ + "/view-" + std::to_string(i));
    ASSERT_TRUE(view.has_value()) << view.error().describe();
    ASSERT_TRUE(replace_file(system_files(), view->content_of("file"), "two"));
    {
      std::ofstream other(path("file"), std::ios::in | std::ios::out);
      other << "six";
    }
    const auto difference = view->difference({});
    ASSERT_FALSE(difference.has_value()) << i;
    EXPECT_EQ(difference.error().code, ErrorCode::kConflict);
  }
}

TEST_P(EffectsTest, IsRefusedWhenTheFolderIsNotAsItWas) {
  put("a", "one\n");
  put("d/x", "two\n");
  const std::string edits = kept("echo more >> a");
  put("a", "other\n");
  EXPECT_EQ(refused(edits), ErrorCode::kConflict);
  EXPECT_EQ(text("a"), "other\n");
  const std::string adds = kept("echo more > new; echo b > b");
  put("new", "mine\n");
  EXPECT_EQ(refused(adds), ErrorCode::kConflict);
  EXPECT_FALSE(there("b"));
  const std::string removes = kept("rm -r d");
  put("d/y", "came later\n");
  EXPECT_EQ(refused(removes), ErrorCode::kConflict);
  EXPECT_EQ(text("d/x"), "two\n");
  // A link in place of a folder leads nowhere.
  put("e/f", "three\n");
  const std::string through = kept("echo more >> e/f; echo g > e/g");
  const TemporaryDirectory outside;
  ASSERT_EQ(rename(path("e").c_str(), outside.file("e").c_str()), 0);
  ASSERT_EQ(symlink(outside.file("e").c_str(), path("e").c_str()), 0);
  EXPECT_EQ(refused(through), ErrorCode::kConflict);
  EXPECT_FALSE(file_exists(system_files(), outside.file("e/g")));
}

TEST_P(EffectsTest, WhatChangesWhileTheCommandRunsIsNotOverwritten) {
  put("a", "one\n");
  std::thread writer([&] {
    usleep(400'000);
    std::ofstream(path("a"), std::ios::app) << "somebody else\n";
  });
  const auto trial = run("sleep 1; echo more >> a");
  writer.join();
  ASSERT_FALSE(trial.has_value());
  EXPECT_EQ(trial.error().code, ErrorCode::kConflict);
  EXPECT_EQ(text("a"), "one\nsomebody else\n");
}

TEST_P(EffectsTest, WhatWasKeptIsWhatIsApplied) {
  const std::string id = kept("echo seen > a; echo other > b");
  const std::string content = state_ + "/" + id + "/new/0";
  ASSERT_TRUE(replace_file(system_files(), content, "not seen\n"));
  EXPECT_EQ(refused(id), ErrorCode::kCorrupt);
  EXPECT_FALSE(there("a"));
  const std::string second = kept("echo seen > c");
  const std::string record = state_ + "/" + second + "/record.json";
  std::string changed = *read_file(system_files(), record);
  changed.replace(changed.find("63"), 2, "64");  // "c", in hex
  ASSERT_TRUE(replace_file(system_files(), record, changed));
  EXPECT_EQ(refused(second), ErrorCode::kCorrupt);
  EXPECT_EQ(refused(std::string(32, '0')), ErrorCode::kNotFound);
  EXPECT_EQ(refused("../../etc"), ErrorCode::kInvalidArgument);
}

TEST_P(EffectsTest, UndoingLeavesWhatWasChangedSince) {
  put("a", "one\n");
  const std::string id = kept("echo two > a; echo n > n");
  apply(id);
  put("a", "three\n");
  EXPECT_EQ(staging_.undo(id).error().code, ErrorCode::kConflict);
  EXPECT_EQ(text("a"), "three\n");
  EXPECT_TRUE(there("n"));
}

TEST_P(EffectsTest, LinksThatLeadOutAreKnown) {
  put("d/e/f", "x");
  const auto trial =
      run("ln -s /etc/passwd a; ln -s ../../x d/b; ln -s ../d c; ln -s ../f d/e/g;"
          "ln -s e/../../x d/h; ln -s $PWD/d i; ln -s $PWD/../x j; ln -s ${PWD}x k");
  ASSERT_TRUE(trial.has_value()) << trial.error().describe();
  Lines out;
  for (const Change& change : trial->difference.changes) {
    if (change.leads_out(work_)) out.push_back(change.path);
  }
  EXPECT_EQ(out, (Lines{"a", "c", "d/b", "d/h", "j", "k"}));
}

// None can be made in the sandbox; one that was there before is not part of a difference.
TEST_P(EffectsTest, PipesAndTheLikeStay) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  give("pipe");
  EXPECT_EQ(effects_of("! mkfifo other && echo x > a"), Lines{"added a"});
  const auto trial = run("rm -f pipe; echo x > a");
  const bool has_it = GetParam() == ViewKind::kLayers;  // no copy has it
  ASSERT_EQ(trial.has_value(), !has_it);
  EXPECT_TRUE(trial.has_value() || trial.error().code == ErrorCode::kUnsupported);
  EXPECT_TRUE(there("pipe"));
}

TEST_P(EffectsTest, ATreeThatIsTooDeepIsRefusedAndRemoved) {
  const auto trial = run("i=0; while [ $i -lt 300 ]; do mkdir d && cd d && i=$((i+1)); done");
  ASSERT_FALSE(trial.has_value());
  EXPECT_EQ(trial.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(system_files().list(state_)->size(), 0U);
}

TEST_P(EffectsTest, WhatIsClosedToUsIsReadAllTheSame) {
  const std::string id = kept("mkdir d; echo x > d/f; chmod 0 d/f; chmod 0 d");
  apply(id);
  EXPECT_EQ(mode("d"), 0U);
  ASSERT_TRUE(staging_.undo(id));
  EXPECT_FALSE(there("d"));
}

TEST_P(EffectsTest, WhoFillsTheDiskIsEnded) {
  SandboxRequest request = shell(
      "for i in 1 2 3 4 5 6 7 8 9; do head -c 4000000 /dev/zero > f$i;"
      " sleep 0.1; done; sleep 5");
  request.limits.disk_bytes = 10'000'000;
  request.limits.disk_entries = 1000;
  const auto trial = staging_.run(request);
  ASSERT_TRUE(trial.has_value()) << trial.error().describe();
  EXPECT_TRUE(trial->run.out_of_disk);
  request = shell("i=0; while [ $i -lt 4000 ]; do : > f$i; i=$((i+1)); done; sleep 5");
  request.limits.disk_bytes = 10'000'000;
  request.limits.disk_entries = 1000;
  const auto many = staging_.run(request);
  ASSERT_TRUE(many.has_value()) << many.error().describe();
  EXPECT_TRUE(many->run.out_of_disk);
}

TEST_P(EffectsTest, NamesOfAnyBytesAreKept) {
  const std::string id =
      kept("echo x > \"$(printf 'a\\377b')\"; echo y > 'new\nline'; echo z > ' '");
  const auto staged = staging_.find(id);
  ASSERT_TRUE(staged.has_value()) << staged.error().describe();
  EXPECT_EQ(effects::shown_path(staged->difference.changes[1].path), "a\\xffb");
  apply(id);
  EXPECT_EQ(text("a\xff"
                 "b"),
            "x\n");
  EXPECT_EQ(text("new\nline"), "y\n");
}

TEST_P(EffectsTest, TheTextShowsWhatIsLostFirst) {
  put("a.txt", "one\ntwo\nthree\n");
  put("z.txt", "old\n");
  const std::string id = kept("sed -i s/two/2/ a.txt; rm z.txt; echo n > n.txt");
  const auto staged = staging_.find(id);
  ASSERT_TRUE(staged.has_value());
  EXPECT_EQ(difference_text(staging_, *staged, 10'000),
            "deleted  z.txt (4 bytes)\n"
            "edited   a.txt (12 bytes)\n"
            "@@ -1 +1 @@\n one\n-two\n+2\n three\n"
            "added    n.txt (2 bytes)\n"
            "@@ -1 +1 @@\n+n\n");
  const Json json = to_json(staged->difference, work_, 2);
  EXPECT_EQ(json.find("deleted")->as_integer(), 1);
  EXPECT_EQ(json.find("more")->as_integer(), 1);
  EXPECT_EQ(json.find("changes")->as_array()[0].find("path")->as_string(), "z.txt");
}

INSTANTIATE_TEST_SUITE_P(Views, EffectsTest, testing::Values(ViewKind::kLayers, ViewKind::kCopy),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST(TextDiff, IsTheShortestAndStopsAtItsLimit) {
  using effects::text_diff;
  EXPECT_EQ(text_diff("a\nb\n", "a\nb\n", 10), "");
  EXPECT_EQ(text_diff("", "a\n", 10), "@@ -1 +1 @@\n+a\n");
  EXPECT_EQ(text_diff("a\nb\nc\nd\ne\nf\ng\nh\ni\n", "a\nb\nc\nd\nE\nf\ng\nh\ni\n", 10),
            "@@ -2 +2 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n");
  EXPECT_EQ(text_diff("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n", 100),
            "@@ -1 +1 @@\n-a\n-b\n c\n+b\n a\n b\n-b\n a\n+c\n");
  std::string before, after;
  for (int i = 0; i < 3000; ++i) {
    before += "x" + std::to_string(i) + "\n";
    after += "y" + std::to_string(i) + "\n";
  }
  const std::string many = text_diff(before, after, 5);
  EXPECT_EQ(std::ranges::count(many, '\n'), 7);
  EXPECT_NE(many.find("(5995 more lines)"), std::string::npos) << many;
}

}  // namespace
}  // namespace anima::tools::effects_test
