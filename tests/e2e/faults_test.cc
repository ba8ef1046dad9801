// What each verb does on a space in which one thing is wrong: the same as on a whole one, but for
// the verbs that work on what is wrong.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/process.h"
#include "cli/frame/exit_code.h"
#include "store/space.h"
#include "support/command.h"
#include "support/verb_lines.h"

namespace anima::faults_test {
namespace {

using test::Line;

struct Fault {
  std::string_view name;
  std::function<void(const std::string& space)> make;
  std::set<std::string_view> concerned = {};  // first words of lines that may end otherwise
};

std::vector<std::string> files_in(const std::string& folder, std::string_view beginning,
                                  std::string_view ending) {
  std::vector<std::string> found;
  const auto entries = system_files().list(folder);
  if (!entries) return found;
  for (const DirectoryEntry& entry : *entries) {
    if (entry.name.starts_with(beginning) && entry.name.ends_with(ending))
      found.push_back(join_path(folder, entry.name));
  }
  return found;
}

void lose_keys(const std::string& space) {
  for (const std::string& path : files_in(join_path(space, "keys"), "", ".seal"))
    ASSERT_TRUE(system_files().remove(path));
}

void damage_base(const std::string& space) {
  const auto bases = files_in(space, "base-", ".anima");
  ASSERT_FALSE(bases.empty());
  for (const std::string& path : bases) {
    std::string bytes = *read_file(system_files(), path);
    for (std::size_t at = bytes.size() / 2; at < bytes.size() / 2 + 64; ++at)
      bytes[at] = static_cast<char>(bytes[at] ^ 0x5a);
    ASSERT_TRUE(replace_file(system_files(), path, bytes));
  }
}

void leave_half_a_difference(const std::string& space) {
  const std::string half = join_path(space, "staged/0123456789abcdef0123456789abcdef");
  ASSERT_TRUE(system_files().make_directories(join_path(half, "new")));
  ASSERT_TRUE(replace_file(system_files(), join_path(half, "new/0"), "half"));
  ASSERT_TRUE(replace_file(system_files(), join_path(half, "record.json"), "{\"version\":1,\"no"));
  ASSERT_TRUE(system_files().make_directories(join_path(space, "staged/view-1234")));
  ASSERT_TRUE(system_files().make_directories(join_path(space, "acts")));
  ASSERT_TRUE(replace_file(system_files(), join_path(space, "acts/2-77.act"), ""));
}

// The concept of a SENSITIVE item without the record that holds its text.
void make_unreadable_item(const std::string& folder) {
  const auto space = store::Space::open(folder);
  ASSERT_TRUE(space) << space.error().describe();
  const store::Origin origin{"grace", "test", store::Trust::kOperator, store::Sequence::kNone};
  const auto written = (*space)->write(origin, [](store::Transaction& transaction) -> Status {
    store::AssertOptions place;
    place.graph = transaction.graph("urn:anima:memory");
    ANIMA_ASSIGN(const store::EntityId type, transaction.upsert_type("MemoryItem", place));
    ANIMA_ASSIGN(const store::EntityId item,
                 transaction.upsert_concept(type, "0f0f0f0f-0000-4000-8000-000000000001", place));
    const std::pair<std::string_view, std::string_view> texts[] = {
        {"kind", "knowledge"},   {"memory_type", "FACT"}, {"partition", "SENSITIVE"},
        {"created_by", "grace"}, {"source", "test"},      {"trust", "operator"}};
    for (const auto& [key, text] : texts) {
      ANIMA_ASSIGN(const store::Term term,
                   transaction.term(store::Value::string(std::string(text)).view()));
      ANIMA_TRY(transaction.set_attribute(item, key, std::span(&term, 1), place));
    }
    return {};
  });
  ASSERT_TRUE(written) << written.error().describe();
}

class Faults : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(replace_file(system_files(), folder_.file("FILE.csv"),
                             "subject,predicate,object\nmoon,is-a,satellite\n"));
    ASSERT_TRUE(replace_file(system_files(), folder_.file("FILE.psyche.toml"),
                             "[archetypes]\nhealer = 0.6\n"));
    test::init_space(folder_);
    const std::vector<Line> told = {
        {"import", folder_.file("FILE.csv")},
        {"memory", "add", "The tide follows the moon", "--partition", "PUBLIC"},
        {"memory", "add", "The key lies under the stone", "--partition", "SENSITIVE"},
        {"message", "remember that the moon is bright"},
        {"checkpoint"}};
    for (const Line& line : told) {
      const ProcessResult ran = run(line, folder_.file("space"));
      ASSERT_EQ(ran.exit_code, 0) << ran.err;
    }
    copy("space", "whole");
  }
  void copy(const std::string& from, const std::string& to) {
    ASSERT_EQ(test::run_command("rm -rf " + folder_.file(to) + " && cp -a " + folder_.file(from) +
                                " " + folder_.file(to))
                  .code,
              0);
  }
  ProcessResult run(Line line, const std::string& space) {
    for (std::string& word : line) {
      if (word.starts_with("FILE")) word = folder_.file(word);
    }
    ProcessOptions options;
    options.arguments = {std::string(ANIMA_BINARY_DIR) + "/anima", "--space", space};
    options.arguments.insert(options.arguments.end(), line.begin(), line.end());
    options.timeout_ms = 60'000;
    return run_process(options).value();
  }
  // What a line leaves outside of the space goes with it.
  ProcessResult run_on_copy(const Line& line, const std::string& of) {
    copy(of, "used");
    const ProcessResult ran = run(line, folder_.file("used"));
    for (const char* made : {"FILE.written.toml", "FILE.checkpoint", "FILE.backup", "FILE.archive"})
      (void)system_files().remove(folder_.file(made));
    return ran;
  }

  TemporaryDirectory folder_{"anima-faults"};
};

TEST_F(Faults, OfATableFailNoVerbButTheOneConcerned) {
  const std::vector<Fault> faults = {
      {"a key that is not here", lose_keys, {"doctor", "audit", "erase", "forget", "compact"}},
      {"an erased text",
       [this](const std::string& space) {
         EXPECT_EQ(run({"erase", "events", "--confirm"}, space).exit_code, 0);
       },
       {"erase"}},
      {"a damaged base", damage_base, {"doctor"}},
      {"a half made staged folder", leave_half_a_difference, {"doctor"}},
      {"an unreadable item", make_unreadable_item, {"doctor"}}};
  std::map<std::string, int> codes;
  const auto text_of = [](const Line& line) {
    std::string text;
    for (const std::string& word : line) text += word + " ";
    return text;
  };
  for (const Line& line : test::opening_lines()) {
    if (line.front() != "serve") codes[text_of(line)] = run_on_copy(line, "whole").exit_code;
  }
  for (const Fault& fault : faults) {
    copy("whole", "faulty");
    fault.make(folder_.file("faulty"));
    if (HasFatalFailure()) return;
    for (const Line& line : test::opening_lines()) {
      if (line.front() == "serve" || fault.concerned.contains(line.front())) continue;
      const ProcessResult ran = run_on_copy(line, "faulty");
      EXPECT_EQ(ran.exit_code, codes[text_of(line)]) << fault.name << ": " << text_of(line) << "\n"
                                                     << ran.err;
    }
  }
}

}  // namespace
}  // namespace anima::faults_test
