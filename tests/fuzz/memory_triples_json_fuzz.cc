// Any bytes as triples.json: accepted exactly when they are valid JSON of the right shape (judged
// by the JSON parser of base, independently), with the same labels.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/json/json.h"
#include "base/text/text.h"
#include "memory/formats/triples_json.h"

namespace {

using namespace anima;

bool good_label(const Json& element, std::string_view key) {
  const Json* label = element.find(key);
  if (label == nullptr || !label->is_string()) return false;
  const std::string_view text = trim(label->as_string());
  return !text.empty() && text.size() <= memory::kMaxLabelBytes;
}

bool good_element(const Json& element) {
  if (!element.is_object() || !good_label(element, "subject") ||
      !good_label(element, "predicate") || !good_label(element, "object")) {
    return false;
  }
  const Json* confidence = element.find("confidence");
  return confidence == nullptr ||
         (confidence->is_number() && confidence->as_number() >= 0 && confidence->as_number() <= 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  JsonArray read;
  const auto count =
      memory::read_triples_json(text, "f", [&](const memory::TripleElement& element) -> Status {
        if (element.index != read.size()) std::abort();
        if (!(element.confidence >= 0 && element.confidence <= 1)) std::abort();
        read.push_back(Json::object({{"subject", element.subject},
                                     {"predicate", element.predicate},
                                     {"object", element.object}}));
        return {};
      });
  if (!count && count.error().where.empty()) std::abort();
  const auto json = parse_json(text);
  if (!json) {
    // In what is read over, only the parser of base looks for repeated keys, numbers that no double
    // holds and too deep nesting.
    if (count && text.find_first_of("{eE[", text.find('{') + 1) == std::string::npos) std::abort();
    return 0;
  }
  bool good = json->is_array();
  for (std::size_t i = 0; good && i < json->as_array().size(); ++i)
    good = good_element(json->as_array()[i]);
  if (good != count.has_value()) std::abort();
  if (!good) return 0;
  if (*count != json->as_array().size() || read.size() != *count) std::abort();
  for (std::size_t i = 0; i < read.size(); ++i) {
    for (const char* key : {"subject", "predicate", "object"}) {
      if (trim(json->as_array()[i].find(key)->as_string()) != read[i].find(key)->as_string())
        std::abort();
    }
  }
  return 0;
}
