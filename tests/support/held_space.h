// A space with something that keeps every act from happening, and what its audit says of it: an
// emergency stop, a rule that denies every call, approvals that need a key, approvers that the
// account does not know.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "govern/approve/approver_key.h"
#include "govern/approve/approver_pins.h"
#include "support/cli_run.h"

namespace anima::test {

struct Hold {
  std::string name, reason;  // of the refusals
};
inline std::ostream& operator<<(std::ostream& out, const Hold& hold) { return out << hold.name; }

inline const std::vector<Hold>& holds() {
  static const std::vector<Hold> all = {{"Emergency", "the line is stopped"},
                                        {"DenyAll", "everything is closed"},
                                        {"KeyedApprovals", "ask me"},
                                        {"PinnedApprovers", "approver"}};
  return all;
}

class HeldSpace : public testing::TestWithParam<Hold> {
 protected:
  void SetUp() override {
    // What has no command line reads the environment of the process.
    ::setenv("HOME", folder_.path().c_str(), 1);
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_STATE_HOME"}) ::unsetenv(name);
    ASSERT_EQ(run({"init"}).code, 0);
    ASSERT_EQ(run({"kip", "UPSERT { CONCEPT { {type: \"Domain\", name: \"moon\"} } }"}).code, 0);
  }
  CliRun run(const std::vector<std::string>& line) { return run_cli(line, environment_); }
  void hold() { hold(GetParam().name); }
  void hold(std::string_view name) {
    if (name == "Emergency") {
      ASSERT_EQ(run({"guard", "halt", "--emergency", "--reason", "smoke"}).code, 0);
    } else if (name == "DenyAll") {
      rule("deny", "everything is closed");
    } else if (name == "KeyedApprovals") {
      rule("ask", "ask me");
      ASSERT_TRUE(
          replace_file(system_files(), space_ + "/config.toml", "[approvals]\nneed = \"key\"\n"));
    } else {
      pin_somebody();
    }
  }
  // Of every call.
  void rule(const std::string& verdict, const std::string& reason) {
    ASSERT_TRUE(system_files().make_directories(space_ + "/policy"));
    ASSERT_TRUE(replace_file(system_files(), space_ + "/policy/" + verdict + ".mg",
                             verdict + "(Call, \"" + reason + "\") :- call(Call, _, _, _).\n"));
  }
  // The account knows an approver of this space, of whom the space tells nothing.
  void pin_somebody() {
    SeededRandom random(1);
    govern::Approvers approvers;
    approvers.of_space("another");
    Json event = govern::make_card("ada", "operator", make_signing_key(random)).to_json();
    event.set("event", "approver_registered");
    event.set("at", 1);
    approvers.apply(event, Timestamp{1}, store::Sequence{1});
    const std::string pins = folder_.file(".local/state/anima/approvers");
    ASSERT_TRUE(govern::ApproverPins(system_files(), pins).renew(space_, approvers));
  }
  // What the audit says was refused, and why. What waits is told by the approval that it waits for.
  std::vector<std::string> refusals() {
    const bool waits = GetParam().name == "KeyedApprovals";
    const auto told = parse_json(waits ? run({"approve", "list", "--all", "--json"}).out
                                       : run({"audit", "log", "--json", "--limit", "100000",
                                              "--action", "permission_denied"})
                                             .out);
    std::vector<std::string> each;
    if (!told) return each;
    const Json* entries = told->is_array() ? &*told : told->find(waits ? "approvals" : "entries");
    if (entries == nullptr) return each;
    for (const Json& entry : entries->as_array()) each.push_back(entry.dump());
    return each;
  }
  // Whether there is one of this door that gives the reason.
  bool told(const std::string& door) { return told(door, refusals()); }
  bool told(const std::string& door, const std::vector<std::string>& refusals) {
    const auto tells = [&](const std::string& entry) {
      return entry.find("\"" + door + "\"") != std::string::npos &&
             entry.find(GetParam().reason) != std::string::npos;
    };
    return std::ranges::any_of(refusals, tells);
  }

  TemporaryDirectory folder_{"anima-held"};
  std::string space_ = folder_.file("space");
  Environment environment_{{"HOME", folder_.path()}, {"USER", "grace"}, {"ANIMA_SPACE", space_}};
};

}  // namespace anima::test
