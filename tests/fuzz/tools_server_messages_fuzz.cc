// Any bytes as what an MCP server sends: lines however they are cut, messages, lists of tools and
// answers of calls. All of it ends with a value or an error that says something.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "llm/json_schema.h"
#include "tools/mcp/detail/message.h"

namespace {

using namespace anima;
using namespace anima::tools;

std::vector<std::string> lines_of(std::string_view bytes, std::size_t piece) {
  mcp::MessageLines lines;
  std::vector<std::string> found;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    if (!lines.feed(bytes.substr(at, piece))) break;
    while (auto line = lines.next()) found.push_back(*std::move(line));
  }
  return found;
}

void tool(const ServerTool& each, const Json& arguments) {
  const auto again = ServerTool::from_json(each.to_json());
  ANIMA_CHECK(again && hash_of_tool(*again) == hash_of_tool(each));
  const Json schema = checkable_schema(each.input_schema);
  ANIMA_CHECK(llm::check_schema(schema).has_value());
  static_cast<void>(llm::describe(llm::validate(schema, arguments)));
}

void body(const Json& json) {
  const auto page = mcp::read_tool_page(json);
  ANIMA_CHECK(page || !page.error().message.empty());
  if (page) {
    for (const ServerTool& each : page->tools) tool(each, json);
    ANIMA_CHECK(difference_of_tools(page->tools, page->tools).empty());
    static_cast<void>(difference_of_tools({}, page->tools));
  }
  const auto result = mcp::read_call_result(json);
  ANIMA_CHECK(result || !result.error().message.empty());
  ANIMA_CHECK(!mcp::server_error(json).message.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto whole = lines_of(bytes, size + 1);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{5}})
    ANIMA_CHECK(lines_of(bytes, piece) == whole);
  for (const std::string& line : whole) {
    const auto message = mcp::read_message(line);
    ANIMA_CHECK(message || !message.error().message.empty());
    if (message) body(message->body);
  }
  if (const auto json = parse_json(bytes)) body(*json);
  return 0;
}
