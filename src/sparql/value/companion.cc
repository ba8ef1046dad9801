#include "sparql/value/companion.h"

namespace anima::sparql::value {

const Regex* Companion::regex(std::string_view pattern, std::string_view flags) {
  const auto is_it = [&](const Known& it) { return it.pattern == pattern && it.flags == flags; };
  if (last_regex_ < regexes_.size() && is_it(regexes_[last_regex_]))
    return regexes_[last_regex_].regex.get();
  for (last_regex_ = 0; last_regex_ < regexes_.size(); ++last_regex_) {
    if (is_it(regexes_[last_regex_])) return regexes_[last_regex_].regex.get();
  }
  if (regexes_.size() == kMostRegexes) regexes_.clear();
  last_regex_ = regexes_.size();
  regexes_.push_back({std::string(pattern), std::string(flags), Regex::compile(pattern, flags)});
  return regexes_.back().regex.get();
}

Companion& companion_of(query::Values& values) {
  auto* const known = dynamic_cast<Companion*>(values.companion.get());
  if (known != nullptr) return *known;
  auto made = std::make_shared<Companion>();
  Companion& companion = *made;
  values.companion = std::move(made);
  return companion;
}

}  // namespace anima::sparql::value
