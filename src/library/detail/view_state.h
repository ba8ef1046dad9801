// What stands behind a View, its Rules and a ChangeFeed.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "anima/view.h"
#include "base/mutex.h"
#include "library/detail/memory_state.h"
#include "memory/compartments/reasoner.h"
#include "store/snapshot.h"

namespace anima {

struct Rules::State {
  std::shared_ptr<detail::OpenSpace> open;
  store::Snapshot snapshot;
  std::unique_ptr<memory::Reasoner> reasoner;  // at the snapshot
};

struct View::State {
  State(std::shared_ptr<detail::OpenSpace> space, store::Snapshot state)
      : open(std::move(space)), snapshot(std::move(state)) {}

  const std::shared_ptr<detail::OpenSpace> open;
  const store::Snapshot snapshot;
  Mutex mutex;
  std::optional<Rules> rules;  // of the loaded packs, run by the first why; under `mutex`
};

struct ChangeFeed::State {
  std::shared_ptr<detail::OpenSpace> open;
};

}  // namespace anima
