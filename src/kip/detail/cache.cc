#include "kip/detail/cache.h"

#include "kip/parser.h"

namespace anima::kip::detail {

Outcome<std::shared_ptr<const Script>> StatementCache::get(std::string_view text) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = young_.find(text); found != young_.end()) return found->second;
    if (const auto found = old_.find(text); found != old_.end()) {
      std::shared_ptr<const Script> script = found->second;
      keep(text, script);
      return script;
    }
  }
  auto parsed = parse(text);
  if (!parsed) return fail(std::move(parsed).error());
  auto script = std::make_shared<const Script>(std::move(*parsed));
  // A statement of many kilobytes is data, and comes once.
  if (text.size() <= 16 * 1024) {
    const std::lock_guard lock(mutex_);
    keep(text, script);
  }
  return script;
}

void StatementCache::keep(std::string_view text, std::shared_ptr<const Script> script) {
  if (young_.size() >= capacity_) {
    old_ = std::move(young_);
    young_.clear();
  }
  young_.emplace(text, std::move(script));
}

}  // namespace anima::kip::detail
