// What stands behind a GovernedAgent, and how its words become those of the rooms. Thread-safety: a
// Turn is one thread's at a time; listeners from any thread.
#pragma once

#include <memory>
#include <mutex>

#include "agent/governed_house.h"
#include "anima/governed_agent.h"
#include "library/detail/listeners.h"

namespace anima {

inline TrustLevel level_of(govern::Trust trust) { return static_cast<TrustLevel>(trust); }
inline govern::Trust trust_of(TrustLevel level) { return static_cast<govern::Trust>(level); }
static_assert(static_cast<int>(TrustLevel::kHostile) == static_cast<int>(govern::Trust::kHostile));
static_assert(static_cast<int>(TrustLevel::kSystem) == static_cast<int>(govern::Trust::kSystem));
inline govern::Tier tier_of(ToolTier tier) { return static_cast<govern::Tier>(tier); }
inline ToolTier tier_of(govern::Tier tier) { return static_cast<ToolTier>(tier); }
static_assert(static_cast<int>(ToolTier::kReadOnly) == static_cast<int>(govern::Tier::kReadOnly));
static_assert(static_cast<int>(ToolTier::kAdmin) == static_cast<int>(govern::Tier::kAdmin));

struct GovernedAgent::State {
  SystemClock clock;
  SystemRandom random;
  std::shared_ptr<store::Space> space;
  detail::Listeners listeners;
  std::unique_ptr<agent::GovernedHouse> house;
  bus::Subscription hearing;  // of the house's events, for the listeners
  std::mutex mutex;

  // The house to oneself; what happened meanwhile is told when the turn is over.
  class Turn {
   public:
    explicit Turn(State& state) : state_(state), lock_(state.mutex) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      lock_.unlock();
      state_.listeners.tell();
    }

   private:
    State& state_;
    std::unique_lock<std::mutex> lock_;
  };
};

}  // namespace anima
