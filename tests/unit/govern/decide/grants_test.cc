// What would allow a refused call, by property: all the grants together do, and no part of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "govern/decide/executor.h"
#include "govern/rules/policy.h"

namespace anima::govern::grants_test {
namespace {

constexpr int kCalls = 3000;
constexpr std::array<Trust, 6> kLevels = {Trust::kHostile,  Trust::kUntrusted, Trust::kStandard,
                                          Trust::kVerified, Trust::kOperator,  Trust::kSystem};

class Tools : public ToolRunner {
 public:
  Result<Json> run(std::string_view, const Json&, std::int64_t) override { return Json("done"); }
};

// A call and the table that it is judged by, changed as a grant in words says.
struct World {
  PermissionTable table;
  CallRequest request;
};

Trust level_in(const std::string& grant) {
  const std::size_t at = grant.find("at least ") + 9;
  return parse_trust(grant.substr(at, grant.find(' ', at) - at)).value();
}

std::string between(const std::string& text, std::string_view from, std::string_view to) {
  const std::size_t begin = text.find(from) + from.size();
  return text.substr(begin, text.find(to, begin) - begin);
}

void apply(World& world, const std::string& grant) {
  CallRequest& request = world.request;
  if (grant.starts_with("an approval of exactly")) {
    request.confirmed = true;
  } else if (grant.starts_with("a caller of at least")) {
    request.trust = std::max(request.trust, level_in(grant));
  } else if (grant.starts_with("a source of at least")) {
    for (Trust& label : request.argument_labels) label = std::max(label, level_in(grant));
  } else if (grant.starts_with("the argument '")) {
    const std::string argument = between(grant, "the argument '", "'");
    const std::string source = between(grant, "it was made from '", "'");
    for (ArgumentOrigin& origin : request.origins) {
      if (origin.argument == argument && origin.source == source)
        origin.trust = std::max(origin.trust, level_in(grant));
    }
  } else if (grant.starts_with("put '")) {
    ToolPolicy policy = *world.table.find(request.tool);
    policy.agents.push_back(request.agent);
    world.table.set(std::move(policy));
  } else {
    FAIL() << "a grant that nobody can give: " << grant;
  }
}

class GrantsTest : public ::testing::Test {
 protected:
  PermissionTable table() {
    PermissionTable table = PermissionTable::of_the_source();
    table.set({.tool = "any:send", .tier = Tier::kReadOnly, .agents = {"*"}, .carried = {"text"}});
    table.set({.tool = "own:write", .tier = Tier::kWriteSafe, .agents = {"librarian"}});
    table.set({.tool = "own:delete", .tier = Tier::kWriteDestructive, .agents = {}});
    return table;
  }

  CallRequest random_call() {
    const std::array<const char*, 9> tools = {"file:read",   "file:write",    "sms:send",
                                              "file:delete", "config:modify", "any:send",
                                              "own:write",   "own:delete",    "calendar:create"};
    const std::array<const char*, 5> names = {"to", "path", "text", "url", "title"};
    CallRequest request;
    request.tool = tools[random_.below(tools.size())];
    request.agent = random_.below(2) == 0 ? "planner" : "librarian";
    request.trust = kLevels[random_.below(6)];
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (random_.below(2) == 0) continue;
      request.arguments.set(names[i], "x");
      for (std::uint64_t sources = random_.below(3); sources > 0; --sources) {
        request.origins.push_back({names[i], "source" + std::to_string(request.origins.size()),
                                   kLevels[random_.below(6)]});
      }
    }
    if (random_.below(4) == 0) request.argument_labels = {kLevels[random_.below(6)]};
    return request;
  }

  bool allowed(const World& world) {
    Executor executor(world.table, tools_, audit_, line_, events_, clock_, random_,
                      {.policy = policy_.get()});
    return executor.decide(world.request).permission == Permission::kAllowed;
  }

  std::vector<std::string> grants_for(const World& world) {
    Executor executor(world.table, tools_, audit_, line_, events_, clock_, random_,
                      {.policy = policy_.get()});
    return executor.what_would_allow(world.request);
  }

  void check() {
    int with_several = 0;
    for (int i = 0; i < kCalls; ++i) {
      const World world{table(), random_call()};
      const std::vector<std::string> grants = grants_for(world);
      if (allowed(world)) {
        EXPECT_TRUE(grants.empty());
        continue;
      }
      ASSERT_LT(grants.size(), 16u);
      with_several += grants.size() > 1 ? 1 : 0;
      const std::size_t all = (std::size_t{1} << grants.size()) - 1;
      for (std::size_t some = 0; some <= all; ++some) {
        World changed = world;
        for (std::size_t g = 0; g < grants.size(); ++g) {
          if ((some >> g & 1) != 0) apply(changed, grants[g]);
        }
        if (allowed(changed) == (some == all)) continue;
        std::string said;
        for (std::size_t g = 0; g < grants.size(); ++g)
          said += ((some >> g & 1) != 0 ? "\n+ " : "\n- ") + grants[g];
        std::string origins;
        for (const ArgumentOrigin& origin : world.request.origins)
          origins += " " + origin.argument + "=" + std::string(trust_name(origin.trust));
        for (const Trust label : world.request.argument_labels)
          origins += " label=" + std::string(trust_name(label));
        ADD_FAILURE() << world.request.tool << " by " << world.request.agent << " "
                      << trust_name(world.request.trust) << origins << said;
        return;
      }
    }
    EXPECT_GT(with_several, kCalls / 10);
  }

  ManualClock clock_;
  SeededRandom random_{11};
  Tools tools_;
  AuditChain audit_{clock_, random_};
  StopSwitch line_;
  bus::EventBus events_;
  std::unique_ptr<Policy> policy_;
};

TEST_F(GrantsTest, TheThreeLayersAlone) { check(); }

TEST_F(GrantsTest, WithTheShippedPolicy) {
  policy_ = Policy::create(Policy::shipped_sources()).value();
  check();
}

// Rules that look at one argument, at two, and at the caller.
TEST_F(GrantsTest, WithRulesOfOnesOwn) {
  policy_ = Policy::create(
                {{"mine.mg",
                  "deny(Call, \"paths\") :- made_from(Call, \"path\", _, Trust), outside(Trust).\n"
                  "deny(Call, \"both\") :- made_from(Call, \"to\", _, A), outside(A), "
                  "made_from(Call, \"text\", _, B), outside(B).\n"
                  "deny(Call, \"caller\") :- call(Call, \"any:send\", _, Trust), outside(Trust).\n"
                  "ask(Call, \"titles\") :- argument(Call, \"title\", _).\n"}})
                .value();
  check();
}

}  // namespace
}  // namespace anima::govern::grants_test
