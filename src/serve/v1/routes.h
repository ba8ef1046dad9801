// The routes of /v1: one table, from which the router, /openapi.json and the rows of the gate's
// test are made, and which docs/serve.md repeats.
//
// A route is a door of the gate, "http:DOOR": what it reads or writes is judged under that name.
// Thread-safety: constant data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/house/gate.h"
#include "base/json/json.h"
#include "serve/http/message.h"

namespace anima::serve::v1 {

class Api;
struct Call;

enum class In : std::uint8_t { kPath, kQuery, kBody };

struct Parameter {
  std::string_view name;
  In in = In::kBody;
  std::string_view type;  // of JSON Schema
  std::string_view description;
  bool required = false;
  // Of an integer its bounds, of a text those of its length; a greatest of 0 is none.
  std::int64_t least = 0, most = 0;
};

struct Route {
  std::string_view method, path;  // "/v1/memories/{id}"
  std::string_view door;
  agent::Act act = agent::Act::kReads;
  std::string_view summary;
  std::vector<Parameter> parameters;
  std::string_view example;  // a body, or the query of the address
  http::Response (Api::*handler)(const Call&) = nullptr;
  bool open_body = false;  // members and their types are the handler's business
  bool streams = false;    // the answer goes on, as server-sent events
  // In the form of OpenAI, errors too; what it writes are acts of their own, and no key makes it
  // once.
  bool openai = false;
};

std::span<const Route> routes();

// Which route an address means; null: none. `others`: the methods that the path has.
struct Match {
  const Route* route = nullptr;
  std::string id;      // what stands for {id}
  std::string others;  // "GET, POST"
};
Match match(std::string_view method, std::string_view path);

// The document of OpenAPI 3.1.
Json openapi(std::string_view version);

}  // namespace anima::serve::v1
