#include "sparql/detail/language_tag.h"

#include <algorithm>

#include "base/text/text.h"

namespace anima::sparql {
namespace {

constexpr std::size_t kRegion = 2, kScript = 4;  // letters

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

}  // namespace

std::string_view usual_language_tag(std::string_view tag, std::string& scratch) {
  std::string usual = to_lower(tag);
  bool after_singleton = false;
  for (std::size_t begin = 0; begin < usual.size();) {
    const std::size_t end = std::min(usual.find('-', begin), usual.size());
    const std::size_t letters = end - begin;
    if (begin > 0 && !after_singleton && letters == kRegion) {
      usual[begin] = upper(usual[begin]);
      usual[begin + 1] = upper(usual[begin + 1]);
    }
    if (begin > 0 && !after_singleton && letters == kScript) usual[begin] = upper(usual[begin]);
    if (letters == 1) after_singleton = true;
    begin = end + 1;
  }
  if (usual == tag) return tag;
  scratch = std::move(usual);
  return scratch;
}

}  // namespace anima::sparql
