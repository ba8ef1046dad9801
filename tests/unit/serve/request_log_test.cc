// Lines of answered requests, and what happens to them when nobody reads.
#include "serve/request_log.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <string>

#include "base/json/json.h"

namespace anima::serve::request_log_test {
namespace {

http::Noted noted() {
  http::Noted each;
  each.request = "3f2a9c00aabbccdd";
  each.caller = "http:ada";
  each.method = "POST";
  each.path = "/v1/recall\n\x1b[31m\u202e";
  each.status = 200;
  each.bytes = 345;
  each.microseconds = 12'345;
  return each;
}

TEST(RequestLine, IsOneLineWhateverThePathHolds) {
  const Timestamp time = parse_timestamp("2026-11-29T10:00:00Z").value();
  EXPECT_EQ(
      request_line(noted(), time, LogForm::kText),
      "2026-11-29T10:00:00Z 3f2a9c00aabbccdd http:ada POST \"/v1/recall\\n\\u001b[31m\\u{202e}\" "
      "200 12.3 ms 345 B");
  const auto json = parse_json(request_line(noted(), time, LogForm::kJson));
  ASSERT_TRUE(json);
  EXPECT_EQ(json->find("path")->as_string(), noted().path);
  EXPECT_EQ(json->find("ms")->as_number(), 12.345);
  http::Noted nobody;
  nobody.status = 431;
  EXPECT_EQ(request_line(nobody, time, LogForm::kText),
            "2026-11-29T10:00:00Z - - - \"\" 431 0.0 ms 0 B");
}

TEST(RequestLog, WhoReadsSlowlyHoldsNobodyUp) {
  std::mutex gate;
  std::string text;
  {
    std::unique_lock held(gate);
    RequestLog log(LogForm::kText, [&](std::string_view line) {
      const std::lock_guard lock(gate);
      text += line;
    });
    for (int i = 0; i < 30'000; ++i) log.add(noted());
    held.unlock();
  }
  std::size_t lines = 0, left_out = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    if (line.ends_with("lines were left out")) {
      left_out += std::stoul(line);
    } else {
      ++lines;
    }
    at = end + 1;
  }
  EXPECT_EQ(lines + left_out, 30'000U);
  EXPECT_GT(left_out, 0U);
}

}  // namespace
}  // namespace anima::serve::request_log_test
