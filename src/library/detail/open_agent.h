// What stands behind an Agent, and how its words become those of the rooms. Thread-safety: a
// Turn is one thread's at a time; listeners and the brake from any thread.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agent/house/governed_house.h"
#include "agent/telling/space_asker.h"
#include "anima/agent.h"
#include "base/files/file.h"
#include "library/detail/language_model.h"
#include "library/detail/listeners.h"
#include "library/detail/memory_state.h"
#include "store/act.h"

namespace anima {

inline TrustLevel level_of(govern::Trust trust) { return static_cast<TrustLevel>(trust); }
inline govern::Trust trust_of(TrustLevel level) { return static_cast<govern::Trust>(level); }
static_assert(static_cast<int>(TrustLevel::kHostile) == static_cast<int>(govern::Trust::kHostile));
static_assert(static_cast<int>(TrustLevel::kSystem) == static_cast<int>(govern::Trust::kSystem));
inline govern::Tier tier_of(ToolTier tier) { return static_cast<govern::Tier>(tier); }
inline ToolTier tier_of(govern::Tier tier) { return static_cast<ToolTier>(tier); }
static_assert(static_cast<int>(ToolTier::kReadOnly) == static_cast<int>(govern::Tier::kReadOnly));
static_assert(static_cast<int>(ToolTier::kAdmin) == static_cast<int>(govern::Tier::kAdmin));

// Stops the line without a turn, for the turn may be that of the tool which is to be the last: by
// the log, as another process would. What it tells is kept until nobody has the turn. Ownership:
// all that it is given outlives it. Thread-safety: from any thread.
class Brake {
 public:
  Brake(store::Space& space, Clock& clock, Random& random)
      : events_([this](const bus::Event& event) { keep(event); }),
        ledger_(space, clock, random, &events_),
        line_(ledger_, &events_) {}
  govern::StopSwitch& line() { return line_; }
  std::vector<bus::Event> take_events() {
    const std::lock_guard lock(mutex_);
    return std::exchange(kept_, {});
  }
  bool has_events() const {
    const std::lock_guard lock(mutex_);
    return !kept_.empty();
  }

 private:
  void keep(const bus::Event& event) {
    const std::lock_guard lock(mutex_);
    kept_.push_back(event);
  }

  mutable std::mutex mutex_;
  std::vector<bus::Event> kept_;
  bus::EventBus events_;
  govern::Ledger ledger_;
  govern::StopSwitch line_;
};

namespace detail {

class AgentLoop;

struct OpenAgent {
  SystemClock clock;
  SystemRandom random;
  std::shared_ptr<OpenSpace> memory;    // whose gate the space asks; goes last
  std::shared_ptr<store::Space> space;  // as the library sees it
  Listeners listeners;
  std::unique_ptr<agent::GovernedHouse> house;
  bus::Subscription hearing;  // of the house's events, for the listeners
  std::unique_ptr<Brake> brake;
  std::string name;                          // whose goals and psyche the loop has
  std::unique_ptr<AskedModel> model;         // of the loop, where there is one
  std::unique_ptr<agent::SpaceAsker> asker;  // made by the first question
  std::map<std::string, ask::Conversation, std::less<>> talks;  // of ask(), by talk_of()
  std::shared_ptr<AgentLoop> loop;                              // made by the first goal or line
  std::mutex mutex;
  std::atomic<std::thread::id> has_turn = {};  // whose thread it is

  // Once an event of the brake is kept, whoever finds the turn free tells it: who keeps one looks
  // after that, and who ends a turn looks after it has ended.
  void tell_of_brake() {
    while (brake->has_events()) {
      const std::unique_lock lock(mutex, std::try_to_lock);
      if (!lock) return;
      for (bus::Event& event : brake->take_events()) house->events().emit(std::move(event));
    }
  }

  // The house to oneself; what happened meanwhile is told when the turn is over. False where the
  // thread has the turn already, as within a tool that the agent runs: waiting for it would never
  // end.
  class Turn {
   public:
    explicit Turn(OpenAgent& state) : state_(state) {
      if (state.has_turn == std::this_thread::get_id()) return;
      lock_ = std::unique_lock(state.mutex);
      state.has_turn = std::this_thread::get_id();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      if (!lock_) return;
      state_.has_turn = std::thread::id();
      lock_.unlock();
      state_.tell_of_brake();
      state_.listeners.tell();
    }
    explicit operator bool() const { return lock_.owns_lock(); }
    static Unexpected<Error> refused() {
      return fail(ErrorCode::kUnsupported, "a tool cannot use the agent that runs it", {},
                  "give it what it needs, or let it use the memory");
    }

   private:
    OpenAgent& state_;
    std::unique_lock<std::mutex> lock_;
  };

  // Of what was written in the act that runs (store/act.h); 0: nothing was. A space without a
  // folder is known by itself alone, not by what stands before it.
  std::uint64_t first_entry() const {
    return static_cast<std::uint64_t>(
        store::ActScope::current(*memory->gate->shared_space()).first);
  }

  // Requires the turn.
  Result<agent::SpaceAsker*> asking() {
    if (asker == nullptr) {
      ANIMA_ASSIGN(asker, agent::SpaceAsker::open(space, system_files()));
    }
    return asker.get();
  }
};

}  // namespace detail

struct Agent::State : detail::OpenAgent {
  explicit State(const Memory& given) : knowledge(given) {}
  Memory knowledge;
};

}  // namespace anima
