#include "forge/example.h"

#include <fmt/format.h>

#include <utility>

#include "base/json/text_array.h"

namespace anima::forge {
namespace {

constexpr const char* kShape =
    R"(for example [{"input": "a b", "args": [], "output": "2"}, {"input": "", "fails": true}])";

Error wrong(std::size_t place, std::string_view what) {
  return {ErrorCode::kInvalidArgument, std::string(what), fmt::format("examples[{}]", place),
          kShape};
}

Result<Example> example_from(const Json& json, std::size_t place) {
  if (!json.is_object()) return fail(wrong(place, "an example is one JSON object"));
  Example example;
  bool ends = false;
  for (const auto& [name, value] : json.as_object()) {
    if (name == "input" && value.is_string()) {
      example.input = value.as_string();
    } else if (name == "output" && value.is_string()) {
      example.output = value.as_string();
      ends = true;
    } else if (name == "fails" && value.is_bool()) {
      example.fails = value.as_bool();
    } else if (name == "args" && value.is_array()) {
      for (const Json& each : value.as_array()) {
        if (!each.is_string()) return fail(wrong(place, "`args` is a list of texts"));
        example.args.push_back(each.as_string());
      }
    } else {
      return fail(wrong(place, "an example has `input`, `args` and `output` or `fails`, not `" +
                                   name + "` like this"));
    }
  }
  if (ends == example.fails)
    return fail(wrong(place, "an example has an `output`, or `fails` is true"));
  return example;
}

}  // namespace

Json Example::arguments() const {
  return Json::object({{"input", input}, {"args", text_array(args)}});
}

Json Example::to_json() const {
  Json json = arguments();
  if (fails) {
    json.set("fails", true);
  } else {
    json.set("output", output);
  }
  return json;
}

Result<std::vector<Example>> examples_from_json(const Json& json) {
  if (!json.is_array() || json.as_array().size() > kMostExamples) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("examples are a list of at most {}", kMostExamples), "examples",
                kShape);
  }
  std::vector<Example> examples;
  for (const Json& each : json.as_array()) {
    ANIMA_ASSIGN(Example example, example_from(each, examples.size()));
    examples.push_back(std::move(example));
  }
  return examples;
}

Json to_json(const std::vector<Example>& examples) {
  Json list = Json::array();
  for (const Example& each : examples) list.push_back(each.to_json());
  return list;
}

}  // namespace anima::forge
