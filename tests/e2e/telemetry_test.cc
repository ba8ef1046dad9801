// Traces and metrics of `anima serve`, as a collector of OpenTelemetry reads them: its messages are
// those of opentelemetry-proto, from PyPI.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/json/json_member.h"
#include "base/text/text.h"
#include "support/background.h"
#include "support/http_client.h"
#include "support/model_server.h"
#include "support/needs.h"
#include "support/program_on_space.h"

namespace anima::telemetry_test {
namespace {

constexpr const char* kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr const char* kParent =
    "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n";
constexpr const char* kJson = "Content-Type: application/json\r\n";

class TelemetryOfServe : public test::ProgramOnSpace {
 protected:
  static constexpr const char* kPython = ANIMA_BINARY_DIR "/../mcp_clients/python/bin/python3";

  void SetUp() override {
    const std::string packages =
        ANIMA_BINARY_DIR "/../mcp_clients/python/lib/python3.11/site-packages/opentelemetry/proto";
    ANIMA_NEEDS(test::kPypi, file_exists(system_files(), packages));
    ProgramOnSpace::SetUp();
  }
  std::string text_of(const std::string& name) const {
    return read_file(system_files(), folder_.file(name), 1 << 24).value_or("");
  }
  void wait_for(const std::string& file, const std::string& text) const {
    for (int i = 0; i < 3000 && text_of(file).find(text) == std::string::npos; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  void collect(const std::string& status = "") {
    collector_ = test::Background(
        "exec " + std::string(kPython) + " " ANIMA_SOURCE_DIR "/tests/e2e/telemetry/collector.py " +
        status + " >" + folder_.file("told.jsonl") + " 2>" + folder_.file("told.err"));
    wait_for("told.jsonl", "\n");
    port_ = text_of("told.jsonl");
    port_ = port_.substr(0, port_.find('\n'));
    ASSERT_FALSE(port_.empty()) << text_of("told.err");
  }
  void serve(const std::string& variables, const std::string& options = "") {
    ASSERT_TRUE(replace_file(system_files(), folder_.file("out.txt"), ""));
    server_ =
        test::Background(variables + " OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:" + port_ +
                         " OTEL_BSP_SCHEDULE_DELAY=50 exec " ANIMA_BINARY_DIR "/anima --space " +
                         space_ + " serve --log off " + options + " >" + folder_.file("out.txt") +
                         " 2>" + folder_.file("err.txt"));
    wait_for("out.txt", "\n");
    ASSERT_TRUE(server_.runs()) << text_of("err.txt");
  }
  test::HttpAnswer ask(const char* method, const std::string& target, const std::string& headers,
                       const std::string& body = "") const {
    test::HttpClient client(space_ + "/serve.sock");
    return client.request(method, target, headers, body);
  }
  // What the collector was told, once the server has ended.
  std::vector<Json> told() {
    server_.end(SIGTERM);
    std::vector<Json> lines;
    const std::string text = text_of("told.jsonl");
    for (const std::string_view line : split(text, '\n')) {
      auto json = parse_json(line);
      if (!json || !json->is_object()) continue;
      EXPECT_EQ(json->find("fault"), nullptr) << line;
      lines.push_back(*std::move(json));
    }
    return lines;
  }
  static const Json* span_of(const std::vector<Json>& lines, std::string_view name) {
    for (const Json& each : lines) {
      if (text_member(each, "name") == name) return &each;
    }
    return nullptr;
  }
  static std::string attribute(const Json& span, std::string_view name) {
    const Json* value = span.find("attributes")->find(name);
    return value == nullptr ? "" : value->is_string() ? value->as_string() : value->dump();
  }
  static const Json* metric_of(const std::vector<Json>& lines, std::string_view name) {
    for (const Json& each : lines) {
      const Json* metric = each.find("metric");
      if (metric != nullptr && text_member(*metric, "name") == name) return metric;
    }
    return nullptr;
  }

  test::Background collector_, server_;
  std::string port_;
};

TEST_F(TelemetryOfServe, ARequestIsASpanWithinThatOfItsCaller) {
  collect();
  serve(
      "OTEL_SERVICE_NAME=memory OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=a%20test "
      "OTEL_EXPORTER_OTLP_HEADERS=api-key=secret-key");
  ASSERT_EQ(ask("POST", "/v1/memories", std::string(kJson) + kParent + "tracestate: a=1\r\n",
                R"({"text":"Zelda works at Initech"})")
                .status,
            201);
  // The entry says which trace it is of.
  const auto act = anima({"undo", "last", "--dry-run", "--json"});
  EXPECT_NE(act.out.find(std::string(", trace ") + kTrace), std::string::npos) << act.out;
  const auto lines = told();
  const Json* span = span_of(lines, "POST /v1/memories");
  ASSERT_NE(span, nullptr) << text_of("told.jsonl") << text_of("err.txt");
  EXPECT_EQ(text_member(*span, "trace"), kTrace);
  EXPECT_EQ(text_member(*span, "parent"), "00f067aa0ba902b7");
  EXPECT_EQ(text_member(*span, "state"), "a=1");
  EXPECT_EQ(text_member(*span, "key"), "secret-key");
  EXPECT_EQ(span->find("kind")->as_integer(), 2);
  EXPECT_EQ(text_member(*span->find("resource"), "service.name"), "memory");
  EXPECT_EQ(text_member(*span->find("resource"), "deployment.environment.name"), "a test");
  EXPECT_EQ(attribute(*span, "http.request.method"), "POST");
  EXPECT_EQ(attribute(*span, "http.route"), "/v1/memories");
  EXPECT_EQ(attribute(*span, "url.path"), "/v1/memories");
  EXPECT_EQ(attribute(*span, "http.response.status_code"), "201");
  const Json* metric = metric_of(lines, "http.server.request.duration");
  ASSERT_NE(metric, nullptr);
  EXPECT_EQ(text_member(*metric, "unit"), "s");
  EXPECT_NE(metric_of(lines, "anima.log.entries"), nullptr);
  // Nothing of what was said.
  EXPECT_EQ(text_of("told.jsonl").find("Zelda"), std::string::npos);
}

TEST_F(TelemetryOfServe, ARequestOfMcpIsWithinTheTraceOfItsMeta) {
  collect();
  serve("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true");
  const std::string headers =
      std::string(kJson) +
      "Accept: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: "
      "tools/call\r\nMcp-Name: ";
  const auto call = [&](const std::string& tool) {
    return ask(
        "POST", "/mcp", headers + tool + "\r\n",
        R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":")" + tool +
            R"(","arguments":{"text":"Zelda"},"_meta":{"traceparent":"00-)" + kTrace +
            R"(-00f067aa0ba902b7-01","io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
            R"("io.modelcontextprotocol/clientCapabilities":{}}}})");
  };
  EXPECT_EQ(call("remember").status, 200);
  EXPECT_EQ(call("no_such_tool").status, 200);
  const auto lines = told();
  const Json* span = span_of(lines, "tools/call remember");
  const Json* http = span_of(lines, "POST /mcp");
  ASSERT_NE(span, nullptr) << text_of("told.jsonl");
  ASSERT_NE(http, nullptr);
  EXPECT_EQ(text_member(*span, "trace"), kTrace);
  EXPECT_EQ(text_member(*span, "parent"), "00f067aa0ba902b7");
  EXPECT_NE(text_member(*http, "trace"), kTrace);
  EXPECT_EQ(span->find("links")->as_array().size(), 1U);
  EXPECT_EQ(attribute(*span, "mcp.method.name"), "tools/call");
  EXPECT_EQ(attribute(*span, "jsonrpc.request.id"), "7");
  EXPECT_EQ(attribute(*span, "mcp.protocol.version"), "2026-07-28");
  EXPECT_EQ(attribute(*span, "gen_ai.operation.name"), "execute_tool");
  EXPECT_EQ(attribute(*span, "gen_ai.tool.name"), "remember");
  EXPECT_EQ(attribute(*span, "network.transport"), "tcp");
  EXPECT_NE(attribute(*span, "gen_ai.tool.call.arguments").find("Zelda"), std::string::npos);
  // What a client makes up is no name of a span.
  const Json* other = span_of(lines, "tools/call");
  ASSERT_NE(other, nullptr);
  EXPECT_TRUE(other->find("failed")->as_bool());
  EXPECT_EQ(attribute(*other, "rpc.response.status_code"), "-32602");
  EXPECT_NE(metric_of(lines, "mcp.server.operation.duration"), nullptr);
}

TEST_F(TelemetryOfServe, ACallOfTheModelIsWithinTheRequestAndHandsTheTraceOn) {
  test::ModelServer model;
  for (int i = 0; i < 2; ++i) model.answer(test::json_answer(test::chat_reply("Zelda, perhaps")));
  ASSERT_TRUE(system_files().make_directories(folder_.file("config/anima")));
  ASSERT_TRUE(replace_file(system_files(), folder_.file("config/anima/config.toml"),
                           "[llm.local]\nprovider = \"openai\"\nmodel = \"scripted-1\"\n"
                           "attempts = 1\nurl = \"" +
                               model.url() + "\"\n"));
  const std::string home = "export XDG_CONFIG_HOME=" + folder_.file("config") + "; ";
  const std::string request =
      R"({"model":"local","messages":[{"role":"user","content":"Where is Zelda?"}]})";
  collect();
  serve(home, "--completions on");
  ASSERT_EQ(ask("POST", "/v1/chat/completions", std::string(kJson) + kParent, request).status, 200);
  auto lines = told();
  const Json* span = span_of(lines, "chat scripted-1");
  const Json* http = span_of(lines, "POST /v1/chat/completions");
  ASSERT_NE(span, nullptr) << text_of("told.jsonl") << text_of("err.txt");
  ASSERT_NE(http, nullptr);
  EXPECT_EQ(text_member(*span, "trace"), kTrace);
  EXPECT_EQ(text_member(*span, "parent"), text_member(*http, "span"));
  EXPECT_EQ(span->find("kind")->as_integer(), 3);
  EXPECT_EQ(attribute(*span, "gen_ai.operation.name"), "chat");
  EXPECT_EQ(attribute(*span, "gen_ai.provider.name"), "openai");
  EXPECT_EQ(attribute(*span, "gen_ai.request.model"), "scripted-1");
  EXPECT_EQ(attribute(*span, "gen_ai.response.finish_reasons"), R"(["stop"])");
  EXPECT_EQ(attribute(*span, "gen_ai.usage.input_tokens"), "12");
  EXPECT_EQ(attribute(*span, "gen_ai.usage.output_tokens"), "5");
  EXPECT_EQ(attribute(*span, "server.address"), "127.0.0.1");
  EXPECT_EQ(attribute(*span, "gen_ai.input.messages"), "") << "nobody asked for contents";
  EXPECT_EQ(text_of("told.jsonl").find("Zelda"), std::string::npos);
  EXPECT_EQ(model.requests().front().header("traceparent"),
            std::string("00-") + kTrace + "-" + text_member(*span, "span") + "-01");
  EXPECT_NE(metric_of(lines, "gen_ai.client.operation.duration"), nullptr);
  const Json* tokens = metric_of(lines, "gen_ai.client.token.usage");
  ASSERT_NE(tokens, nullptr);
  EXPECT_EQ(tokens->find("points")->as_array().size(), 2U);

  serve(home + "export OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true;",
        "--completions on");
  ASSERT_EQ(ask("POST", "/v1/chat/completions", std::string(kJson), request).status, 200);
  lines = told();
  const std::string all = text_of("told.jsonl");
  EXPECT_NE(all.find("Where is Zelda?"), std::string::npos);
  EXPECT_NE(all.find("Zelda, perhaps"), std::string::npos);
}

// A collector that fails costs spans, which are counted, and no request.
TEST_F(TelemetryOfServe, ACollectorThatRefusesIsCounted) {
  collect("400");
  serve("");
  ASSERT_EQ(ask("GET", "/v1/me", "").status, 200);
  std::string numbers;
  for (int i = 0; i < 500; ++i) {
    numbers = ask("GET", "/metrics", "").body;
    if (numbers.find("spans_total{outcome=\"dropped\"} 1") != std::string::npos) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_NE(numbers.find("anima_telemetry_spans_total{outcome=\"dropped\"} 1"), std::string::npos)
      << numbers;
  EXPECT_NE(numbers.find("anima_telemetry_spans_total{outcome=\"sent\"} 0"), std::string::npos);
}

TEST_F(TelemetryOfServe, AnotherMachineNeedsTheSetting) {
  collect();
  serve(
      "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://collector.example.org/v1/traces "
      "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=grpc");
  ASSERT_EQ(ask("GET", "/v1/me", "").status, 200);
  EXPECT_TRUE(told().empty());
  EXPECT_NE(text_of("err.txt").find("telemetry.remote true"), std::string::npos)
      << text_of("err.txt");
  EXPECT_NE(text_of("err.txt").find("gRPC"), std::string::npos);
}

}  // namespace
}  // namespace anima::telemetry_test
