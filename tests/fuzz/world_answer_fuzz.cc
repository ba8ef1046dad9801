// Any bytes as what a model answers to an agent, up to three answers with a zero byte between them:
// it acts, plans or does nothing, each time for exactly one tick, and keeps within its bounds.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "support/small_world.h"

namespace {

using namespace anima;
using namespace anima::world;

class FuzzedMind final : public Mind {
 public:
  explicit FuzzedMind(std::string_view bytes) : rest_(bytes) {}
  Result<std::string> think(const ThinkRequest& request) override {
    std::size_t size = 0;
    for (const PromptSection& section : request.prompt()) size += section.text.size();
    ANIMA_CHECK(size < 64'000);
    const std::string_view now = rest_.substr(0, rest_.find('\0'));
    if (now.size() < rest_.size()) rest_.remove_prefix(now.size() + 1);
    return std::string(now);
  }

 private:
  std::string_view rest_;
};

void live(std::string_view bytes) {
  FuzzedMind mind(bytes);
  test::SmallWorld world(mind);
  const AgentId id =
      *world.runtime->spawn(identity_from_seed(sha256("fuzz")), seed_genome(0), kGrant);
  world.begin_cycle(1);
  for (std::uint64_t ticks = 1; ticks <= 3; ++ticks) {
    const auto done = world.runtime->tick(id);
    ANIMA_CHECK(done.has_value());
    const Citizen& citizen = *world.runtime->find(id);
    ANIMA_CHECK(citizen.state.tick_budget == kBaseTickBudget - ticks);
    ANIMA_CHECK(citizen.memory.experiences.size() == ticks);
    ANIMA_CHECK(citizen.memory.working.size() <= kWorkingMemoryMax);
    ANIMA_CHECK(citizen.goals.objectives.size() <= kMaxObjectives);
    ANIMA_CHECK(!citizen.memory.active_plan ||
                citizen.memory.active_plan->steps.size() <= kMaxPlanSteps);
    const auto again = unpack_bytes<RuntimeState>(pack(citizen.state).encode());
    ANIMA_CHECK(again && pack(*again) == pack(citizen.state));
    ++world.realm.tick;
  }
  ANIMA_CHECK(world.mint.total() == static_cast<std::int64_t>(world.mint.supply()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto action = parse_action(bytes);
  ANIMA_CHECK(action || !action.error().message.empty());
  if (action || data[0] % 4 == 0) live(bytes);
  return 0;
}
