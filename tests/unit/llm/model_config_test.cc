#include "llm/model_config.h"

#include <gtest/gtest.h>

#include <string>

namespace anima::llm::model_config_test {
namespace {

ModelConfigs read(std::string_view toml, const Environment& environment = {}) {
  Config config(model_settings());
  const Status added = config.add_toml(toml, "c.toml");
  EXPECT_TRUE(added) << added.error().describe();
  config.add_environment(environment);
  for (const Error& problem : config.problems()) ADD_FAILURE() << problem.describe();
  return read_models(config, environment);
}

std::string fault(std::string_view toml) {
  const ModelConfigs configs = read(toml);
  return configs.faults.empty() ? std::string() : configs.faults[0].describe();
}

TEST(ModelConfig, ReadsATable) {
  const ModelConfigs configs = read(
      "[llm.local]\nprovider='openai'\nurl='http://127.0.0.1:8080/v1/'\nmodel='tiny'\ntier=3\n"
      "max_tokens=256\nprice_in=1\nprice_out=2.5\ntemperature=0\n"
      "[llm.claude]\nprovider='anthropic'\nmodel='c'\nkey_file='/k'\n");
  ASSERT_TRUE(configs.faults.empty()) << configs.faults[0].describe();
  ASSERT_EQ(configs.models.size(), 2U);
  const ModelConfig& claude = configs.models[0];
  EXPECT_EQ(claude.name, "claude");
  EXPECT_EQ(claude.url, "https://api.anthropic.com");
  EXPECT_EQ(claude.key.describe(), "the file /k");
  EXPECT_FALSE(claude.temperature);
  const ModelConfig& local = configs.models[1];
  EXPECT_EQ(local.url, "http://127.0.0.1:8080/v1");
  EXPECT_EQ(local.key.kind, KeySource::Kind::kNone);
  EXPECT_EQ(local.tier, 3);
  EXPECT_EQ(local.max_tokens, 256);
  EXPECT_EQ(local.price_in, 1.0);
  EXPECT_EQ(local.temperature, 0.0);
}

TEST(ModelConfig, AKeyGoesOnlyWhereItBelongs) {
  const std::string_view plain = "[llm.a]\nprovider='openai'\nmodel='m'\n";
  EXPECT_EQ(read(plain).models[0].key.name, "OPENAI_API_KEY");
  EXPECT_EQ(read(plain).models[0].url, "https://api.openai.com/v1");
  EXPECT_EQ(read(plain, {{"OPENAI_BASE_URL", "https://mine.example/v1"}}).models[0].url,
            "https://mine.example/v1");
  const ModelConfigs other =
      read("[llm.a]\nprovider='openai'\nmodel='m'\nurl='https://other.example/v1'\n");
  EXPECT_EQ(other.models[0].key.kind, KeySource::Kind::kNone);
}

TEST(ModelConfig, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(fault("[llm.a]\nmodel='m'\n"),
            "c.toml:2:1: the setting \"llm.a.provider\" is missing (choose one of openai, "
            "openai-responses, anthropic)");
  EXPECT_EQ(fault("[llm.a]\nprovider='openai'\n"),
            "c.toml:2:1: the setting \"llm.a.model\" is missing (name the model as its provider "
            "does)");
  const std::string start = "[llm.a]\nprovider='openai'\nmodel='m'\n";
  EXPECT_EQ(fault(start + "url='http://example.org/v1'\n"),
            "c.toml:4:1: the setting \"llm.a.url\" leads to another machine without https (use "
            "https, or set allow_http = true where the network is yours)");
  EXPECT_EQ(fault(start + "url='http://example.org/v1'\nallow_http=true\n"), "");
  EXPECT_EQ(fault(start + "url='http://[::1]:80/v1'\n"), "");
  EXPECT_EQ(fault(start + "url='http://127.9.9.9/v1'\n"), "");
  const std::string password = fault(start + "url='https://me:geheim@example.org'\n");
  EXPECT_NE(password, "");
  EXPECT_EQ(password.find("geheim"), std::string::npos);
  for (const char* bad :
       {"url='ftp://e.org'", "url='https://e.org/?key=1'", "tier=4", "temperature=3.0",
        "key_env='A'\nkey_file='/b'", "key_file='b'", "price_in=-1.0", "max_tokens=50000",
        "url='http://127.0.0.1.evil.example/'", "url='http://0.0.0.0/'"})
    EXPECT_NE(fault(start + bad + "\n"), "") << bad;
}

TEST(ModelConfig, FindsByNameOrSaysWhatThereIs) {
  const ModelConfigs configs =
      read("[llm.fast]\nprovider='openai'\nmodel='m'\n[llm.bad]\nprovider='openai'\n");
  EXPECT_TRUE(find_model(configs, "fast"));
  EXPECT_EQ(find_model(configs, "bad").error().message, "the setting \"llm.bad.model\" is missing");
  EXPECT_EQ(find_model(configs, "fsat").error().hint, "did you mean \"fast\"?");
  EXPECT_NE(find_model({}, "x").error().hint.find("[llm.x]"), std::string::npos);
}

TEST(ModelConfig, VariablesSetWhatFilesSet) {
  const ModelConfigs configs =
      read("[llm.my-own]\nprovider='openai'\nmodel='m'\n", {{"ANIMA_LLM_MY_OWN_MODEL", "other"},
                                                            {"ANIMA_LLM_NEW_PROVIDER", "anthropic"},
                                                            {"ANIMA_LLM_NEW_MODEL", "c"},
                                                            {"ANIMA_LLM_NEW_KEY_FILE", "/k"},
                                                            {"ANIMA_MODELS_BUDGET_TOKENS", "5"}});
  ASSERT_EQ(configs.models.size(), 2U);
  EXPECT_EQ(configs.models[0].model, "other");
  EXPECT_EQ(configs.models[1].name, "new");
  EXPECT_EQ(configs.models[1].key.name, "/k");
}

}  // namespace
}  // namespace anima::llm::model_config_test
