#include "agent/detail/json_difference.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"

namespace anima::agent::detail {
namespace {

constexpr std::size_t kShownBytes = 80;

std::string shown_json(const Json* json) {
  if (json == nullptr) return "nothing";
  const std::string text = json->dump();
  const std::string_view cut = beginning_of(text, kShownBytes);
  return std::string(cut) + (cut.size() < text.size() ? ".." : "");
}

}  // namespace

std::string first_difference(const Json* then, const Json* now, const std::string& path) {
  if (then != nullptr && now != nullptr && then->kind() == now->kind()) {
    if (then->is_object()) {
      for (const auto& [key, value] : then->as_object()) {
        const std::string inner =
            first_difference(&value, now->find(key), path.empty() ? key : path + "." + key);
        if (!inner.empty()) return inner;
      }
      for (const auto& [key, value] : now->as_object()) {
        if (then->find(key) == nullptr) return path + "." + key + " is new";
      }
      return {};
    }
    if (then->is_array()) {
      const JsonArray &a = then->as_array(), &b = now->as_array();
      for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        const std::string inner =
            first_difference(i < a.size() ? &a[i] : nullptr, i < b.size() ? &b[i] : nullptr,
                             fmt::format("{}[{}]", path, i));
        if (!inner.empty()) return inner;
      }
      return {};
    }
    if (*then == *now) return {};
  }
  return fmt::format("{}: {}, recorded {}", path, shown_json(now), shown_json(then));
}

}  // namespace anima::agent::detail
