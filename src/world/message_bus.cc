#include "world/message_bus.h"

#include <algorithm>

namespace anima::world {
namespace {

class LocalBus final : public MessageBus {
 public:
  std::uint64_t parts() const override { return 1; }
  bool is_here(std::uint64_t) const override { return true; }

 protected:
  Result<std::string> command_there(std::uint64_t part, std::string_view) override {
    return fail(ErrorCode::kNotFound, "there is no part " + std::to_string(part));
  }
};

}  // namespace

bool is_world_name(std::string_view name) {
  return !name.empty() && name.size() <= 32 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

void MessageBus::attend(Commanded questions, Base base) {
  questions_ = std::move(questions);
  base_ = std::move(base);
}

Result<std::string> MessageBus::command(std::uint64_t part, std::string_view bytes) {
  const auto here = here_.find(part);
  if (here == here_.end()) return command_there(part, bytes);
  if (begun_.insert(part).second) {
    ANIMA_ASSIGN(const std::vector<std::string> base, base_of(part));
    for (const std::string& each : base) {
      ANIMA_ASSIGN(const std::string done, here->second(each));
      static_cast<void>(done);
    }
  }
  return here->second(bytes);
}

std::unique_ptr<MessageBus> make_local_bus() { return std::make_unique<LocalBus>(); }

}  // namespace anima::world
