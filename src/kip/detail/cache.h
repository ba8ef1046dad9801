// Parsed statements by their text, in two generations: what was not used while a generation filled
// up is dropped. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "kip/fault.h"
#include "kip/syntax.h"

namespace anima::kip::detail {

class StatementCache {
 public:
  explicit StatementCache(std::size_t capacity) : capacity_(capacity / 2 + 1) {}
  // Faults are not cached.
  Outcome<std::shared_ptr<const Script>> get(std::string_view text);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using Map = std::unordered_map<std::string, std::shared_ptr<const Script>, Hash, std::equal_to<>>;
  void keep(std::string_view text, std::shared_ptr<const Script> script);
  std::mutex mutex_;
  std::size_t capacity_;
  Map young_, old_;
};

}  // namespace anima::kip::detail
