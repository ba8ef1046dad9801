#include "base/config.h"

#include <gtest/gtest.h>

#include "base/json/toml.h"

namespace anima {
namespace {

const std::vector<ConfigKey>& keys() {
  static const std::vector<ConfigKey> declared{
      {"log.level", "warning", "how much is told", {"debug", "info", "warning"}},
      {"store.cache_mb", 64, "memory for pages", {}, false, 0},
      {"agent.temperature", 0.5, "how bold"},
      {"serve.enabled", false, "listen at all"},
      {"serve.origins", Json::array(), "who may ask"},
      {"llm.api_key", "", "the key", {}, true}};
  return declared;
}

TEST(Toml, KeepsKindsOrderAndPlaces) {
  const auto document = parse_toml(
      "z = 1\na = 2.5\n[t]\nlist = [\"x\", true]\nwhen = 2026-11-21T04:08:26Z\n[[many]]\nq=1\n",
      "f.toml");
  ASSERT_TRUE(document) << document.error().describe();
  EXPECT_EQ(
      document->root.dump(),
      R"({"z":1,"a":2.5,"t":{"list":["x",true],"when":"2026-11-21T04:08:26Z"},"many":[{"q":1}]})");
  EXPECT_EQ(document->where("a"), "f.toml:2:1");
  EXPECT_EQ(document->where("t.list"), "f.toml:4:1");
  EXPECT_EQ(document->where("many[0].q"), "f.toml:7:1");
  EXPECT_EQ(document->where("nothing"), "f.toml");
}

TEST(Toml, NamesThePlaceOfAnError) {
  const auto broken = parse_toml("a = 1\nb = = 2\n", "f.toml");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::kSyntax);
  EXPECT_EQ(broken.error().where.substr(0, 9), "f.toml:2:");
  EXPECT_FALSE(parse_toml("a = 1\na = 2\n", "f.toml"));
}

TEST(Toml, FindsUnknownKeys) {
  const auto document = parse_toml("[pack]\nnmae = 1\nname = 2\n", "p.toml").value();
  const std::vector<std::string_view> known{"name", "version"};
  const auto errors = unknown_toml_keys(document, "pack", known);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].describe(), "p.toml:2:1: unknown key \"pack.nmae\" (did you mean \"name\"?)");
  EXPECT_TRUE(unknown_toml_keys(document, "nothing", known).empty());
  const std::vector<std::string_view> any{"*"};
  EXPECT_TRUE(unknown_toml_keys(document, "pack", any).empty());
}

TEST(Config, LaterLayersWinAndSayWhere) {
  Config config(keys());
  EXPECT_EQ(config.text("log.level"), "warning");
  EXPECT_EQ(config.find("log.level")->origin, "built-in");
  ASSERT_TRUE(config.add_toml("[log]\nlevel = 'info'\n[store]\ncache_mb = 128\n", "/etc/c.toml"));
  EXPECT_EQ(config.find("log.level")->origin, "/etc/c.toml:2:1");
  config.add_environment({{"ANIMA_LOG_LEVEL", "debug"},
                          {"ANIMA_SERVE_ENABLED", "yes"},
                          {"ANIMA_SERVE_ORIGINS", "a, b"},
                          {"PATH", "/bin"}});
  EXPECT_EQ(config.text("log.level"), "debug");
  EXPECT_EQ(config.find("log.level")->origin, "environment ANIMA_LOG_LEVEL");
  EXPECT_EQ(config.integer("store.cache_mb"), 128);
  EXPECT_TRUE(config.flag("serve.enabled"));
  EXPECT_EQ(config.value("serve.origins").dump(), R"(["a","b"])");
  ASSERT_TRUE(config.set("agent.temperature", "1", "flag --temperature"));
  EXPECT_EQ(config.number("agent.temperature"), 1.0);
  EXPECT_TRUE(config.problems().empty());
}

TEST(Config, AStarStandsForNamesOfTheUser) {
  const std::vector<ConfigKey> declared{{"llm.*.url", "", "where"},
                                        {"llm.*.key_file", "", "the key"},
                                        {"llm.*.tier", std::int64_t{2}, "which", {}, false, 1},
                                        {"log.level", "warning", "how much"}};
  Config config(declared);
  ASSERT_TRUE(
      config.add_toml("[llm.fast]\nurl='a'\n[llm.My-own]\nurl='b'\ntier=0\n[llm.fast2]\nulr='c'\n"
                      "[llm.'not a name']\nurl='d'\n",
                      "c.toml"));
  config.add_environment({{"ANIMA_LLM_MY_OWN_URL", "e"},
                          {"ANIMA_LLM_X_KEY_FILE", "/k"},
                          {"ANIMA_LLM_NOTHING", "1"},
                          {"ANIMA_LOG_LEVEL", "info"}});
  EXPECT_EQ(config.names_in("llm"), (std::vector<std::string>{"My-own", "fast", "x"}));
  EXPECT_TRUE(config.names_in("log").empty());
  EXPECT_EQ(config.text("llm.fast.url"), "a");
  EXPECT_EQ(config.find("llm.fast.url")->origin, "c.toml:2:1");
  EXPECT_EQ(config.text("llm.My-own.url"), "e");
  EXPECT_EQ(config.text("llm.x.key_file"), "/k");
  EXPECT_EQ(config.text("log.level"), "info");
  EXPECT_EQ(config.find("llm.fast.tier"), nullptr);
  EXPECT_EQ(config.find("llm.*.url"), nullptr);
  ASSERT_TRUE(config.set("llm.new.tier", "3", "flag --set"));
  EXPECT_EQ(config.integer("llm.new.tier"), 3);
  ASSERT_EQ(config.problems().size(), 4U);
  EXPECT_EQ(config.problems()[0].describe(),
            "c.toml:5:1: the setting \"llm.My-own.tier\" must be 1 or more");
  EXPECT_EQ(config.problems()[1].describe(),
            "c.toml:7:1: unknown setting \"llm.fast2.ulr\" (did you mean \"llm.fast2.url\"?)");
  EXPECT_NE(config.problems()[2].message.find("not a name"), std::string::npos);
  EXPECT_NE(config.problems()[3].message.find("ANIMA_LLM_NOTHING"), std::string::npos);
}

TEST(Config, ReportsWhatIsWrongAndKeepsTheLayerBelow) {
  Config config(keys());
  ASSERT_TRUE(config.add_toml(
      "[log]\nlvel = 'info'\nlevel = 'loud'\n[store]\ncache_mb = 'big'\n[nonsense]\nx = 1\n",
      "c.toml"));
  ASSERT_EQ(config.problems().size(), 4U);
  EXPECT_EQ(config.problems()[0].describe(),
            "c.toml:2:1: unknown setting \"log.lvel\" (did you mean \"log.level\"?)");
  EXPECT_EQ(config.problems()[1].hint, "choose one of debug, info, warning");
  EXPECT_EQ(config.problems()[2].where, "c.toml:5:1");
  EXPECT_EQ(config.integer("store.cache_mb"), 64);
  config.add_environment({{"ANIMA_LOG_LEVL", "info"}, {"ANIMA_SPACE", "/s"}},
                         std::vector<std::string_view>{"ANIMA_SPACE"});
  ASSERT_EQ(config.problems().size(), 5U);
  EXPECT_EQ(config.problems()[4].hint, "did you mean \"ANIMA_LOG_LEVEL\"?");
  EXPECT_EQ(config.set("log.levle", "info", "flag").error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(config.set("store.cache_mb", "12x", "flag"));
  EXPECT_FALSE(config.set("store.cache_mb", "-1", "flag"));  // where 0 is the least
  EXPECT_TRUE(config.set("store.cache_mb", "0", "flag"));
  EXPECT_TRUE(config.set("store.cache_mb", "64", "flag"));
  EXPECT_EQ(config.add_toml("x = ", "c.toml").error().code, ErrorCode::kSyntax);
}

TEST(Config, ReadsFilesAndIgnoresMissingOnes) {
  const TemporaryDirectory folder;
  ASSERT_TRUE(replace_file(system_files(), folder.file("c.toml"), "[serve]\nenabled = true\n"));
  Config config(keys());
  EXPECT_TRUE(config.add_file(system_files(), folder.file("none.toml")));
  EXPECT_TRUE(config.add_file(system_files(), folder.file("c.toml")));
  EXPECT_TRUE(config.flag("serve.enabled"));
}

TEST(UserDirectories, FollowXdg) {
  const auto plain = user_directories({{"HOME", "/home/u"}});
  EXPECT_EQ(plain.config, "/home/u/.config/anima");
  EXPECT_EQ(plain.data, "/home/u/.local/share/anima");
  EXPECT_EQ(plain.runtime, plain.state);
  const auto set = user_directories({{"HOME", "/home/u"},
                                     {"XDG_DATA_HOME", "/d"},
                                     {"XDG_CONFIG_HOME", "relative"},
                                     {"XDG_RUNTIME_DIR", "/run/user/1"}});
  EXPECT_EQ(set.data, "/d/anima");
  EXPECT_EQ(set.config, "/home/u/.config/anima");
  EXPECT_EQ(set.runtime, "/run/user/1/anima");
}

}  // namespace
}  // namespace anima
