// Any declaration is read or refused and written as it is read; whatever results and arguments are
// given, no value of an argument is trusted more than where it came from.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "guard/argument_labels.h"
#include "guard/normal_value.h"

namespace {

using namespace anima;  // NOLINT: one file, one program

// Three lines: a declaration, a result, arguments.
std::string_view line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view first = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return first;
}

void check_values(const guard::LabelledArguments& labelled, const guard::SessionValues& values,
                  const guard::OwnerWords& words) {
  for (const govern::ArgumentValue& each : labelled.values) {
    if (each.source == "model") ANIMA_CHECK(each.trust == govern::Trust::kUntrusted);
    if (each.source == "message") ANIMA_CHECK(each.trust == govern::Trust::kOperator);
    if (each.source.starts_with("call")) ANIMA_CHECK(values.size() > 0);
    if (!each.said.empty()) ANIMA_CHECK(!words.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto declared = parse_json(line(rest));
  const auto result = parse_json(line(rest));
  const auto arguments = parse_json(line(rest));
  if (!declared) return 0;
  const auto tool = govern::ToolDeclaration::from_json(*declared);
  if (!tool) return 0;
  const auto again = govern::ToolDeclaration::from_json(tool->to_json());
  ANIMA_CHECK(again.has_value() && again->to_json() == tool->to_json());
  guard::SessionValues values;
  if (result) {
    const guard::GivenResult given{.call = 1, .tool = tool->name, .result = *result, .told = {}};
    (void)guard::seen_label(given, *tool);
    values.add(given, *tool);
  }
  if (!arguments) return 0;
  (void)tool->check_arguments(*arguments);
  guard::OwnerWords words;
  words.add(rest);
  const auto labelled = guard::label_arguments(
      *arguments, *tool,
      {values, words, govern::Trust::kOperator, govern::Trust::kUntrusted, nullptr});
  if (labelled) check_values(*labelled, values, words);
  return 0;
}
