// What a forgetting for good leaves of when links hold, and of which value a thing has. It takes
// statements, wherever they are; what somebody told is laid out anew from what is left of that
// (detail/timeline.h, detail/value_timeline.h): as if what was forgotten had never been told.
// Thread-safety: functions without state. Errors: those of the space.
#pragma once

#include <memory>

#include "base/result.h"
#include "store/space.h"

namespace anima::agent {

// What was told so far, and nothing else says. Holds no state of the space, so that nothing of it
// is kept that is forgotten meanwhile.
class ToldLayout {
 public:
  // O(what was told x what its subjects have).
  explicit ToldLayout(const store::Snapshot& now);
  ~ToldLayout();
  // Lays out the same again, in one entry; none where nothing changes. O(the same).
  Status lay_out_again(store::Space& space, const store::Origin& by) const;

 private:
  struct Told;
  std::unique_ptr<const Told> told_;
};

}  // namespace anima::agent
