#include "memory/grounds.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "govern/trust.h"

namespace anima::memory {

std::string assertion_text(const datalog::Assertion& assertion, std::string_view told) {
  return fmt::format("entry {} of {}, by {}{}{}{}, trust {}{}{}",
                     static_cast<std::uint64_t>(assertion.entry), format_timestamp(assertion.time),
                     assertion.author,
                     assertion.source.empty() ? "" : " (source given: ", assertion.source,
                     assertion.source.empty() ? "" : ")", govern::trust_name(assertion.trust),
                     told.empty() ? "" : ", ", told);
}

Json assertion_json(const datalog::Assertion& assertion, std::string_view told) {
  return Json::object({{"graph", assertion.graph},
                       {"confidence", assertion.confidence},
                       {"entry", static_cast<std::uint64_t>(assertion.entry)},
                       {"time", format_timestamp(assertion.time)},
                       {"author", assertion.author},
                       {"source", assertion.source},
                       {"trust", govern::trust_name(assertion.trust)},
                       {"provenance", told.empty() ? Json() : Json(told)}});
}

std::string grounds_text(const datalog::Grounds& grounds) {
  std::string text;
  for (const datalog::Premise& premise : grounds.premises) {
    text += "  " + premise.fact + "\n";
    for (const datalog::Assertion& assertion : premise.assertions) {
      text += "    " + assertion_text(assertion) + "\n";
    }
  }
  if (!text.empty()) text = "asserted by:\n" + text;
  if (!grounds.complete) text += "the proof was cut short: not every premise is listed\n";
  return text + fmt::format("trust: {}\n", govern::trust_name(grounds.trust));
}

Json premises_json(const datalog::Grounds& grounds) {
  Json list = Json::array();
  for (const datalog::Premise& premise : grounds.premises) {
    Json asserted = Json::array();
    for (const datalog::Assertion& assertion : premise.assertions) {
      asserted.push_back(assertion_json(assertion));
    }
    list.push_back(Json::object({{"fact", premise.fact}, {"asserted", std::move(asserted)}}));
  }
  return list;
}

}  // namespace anima::memory
