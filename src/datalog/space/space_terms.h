// The dictionary of a space as the parent of a value table, and the way between its terms and
// codes of values.
//
// A string, a large integer or a float of the space is the code that the store gave it. A boolean
// is /true or /false, null is /null, every other literal (dates, decimals, strings with a language,
// JSON, IRIs ..) is the string of its text; several terms may thus be one value. A proposition is
// the name /link/N. What a concept is depends on the others (SpaceLabels).
//
// Thread-safety: advance() by one thread at a time; everything else from any. Texts of view() live
// as long as a pin() that was taken before they were asked for.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "datalog/value.h"
#include "store/snapshot.h"

namespace anima::datalog {

class SpaceTerms final : public ParentDictionary {
 public:
  explicit SpaceTerms(const store::Snapshot& snapshot);
  ~SpaceTerms() override;
  SpaceTerms(const SpaceTerms&) = delete;
  SpaceTerms& operator=(const SpaceTerms&) = delete;

  std::optional<Code> find(const ValueView& value) const override;
  ValueView view(Code code) const override;

  // Takes in the literals that a newer snapshot (or the first one) has beyond the last. O(them).
  void advance(const store::Snapshot& next, ValueTable& values);
  // Keeps alive what texts lie in, of now and of every later state.
  std::shared_ptr<const void> pin() const;

  // The value of a literal or an integer.
  Code literal(store::Term term) const;
  // Appends the literals and integers of a value, the store's own term for it first.
  void literals_of(Code code, std::vector<store::Term>& out) const;
  // Does the value belong to more terms than the one that has its code?
  bool has_others(Code code) const;

 private:
  struct Epoch {
    explicit Epoch(const store::Snapshot& at) : snapshot(at) {}
    ~Epoch();
    store::Snapshot snapshot;
    std::shared_ptr<Epoch> next;
  };
  static constexpr std::uint32_t kSegmentBits = 14;
  static constexpr std::size_t kSegments = std::size_t{1} << (store::kTagShift - kSegmentBits);

  void set_code(store::Term term, Code code);

  mutable Mutex epoch_mutex_;
  std::shared_ptr<Epoch> epoch_ ANIMA_GUARDED_BY(epoch_mutex_);
  std::atomic<const Epoch*> now_;
  std::uint32_t bound_ = 1;  // literals below it were taken in
  // By place: the code of a literal whose value has another one; null and 0: its own.
  std::unique_ptr<std::atomic<std::atomic<Code>*>[]> segments_;
  mutable std::shared_mutex others_mutex_;
  std::unordered_map<Code, std::vector<store::Term>> others_;  // literals with another code
  std::atomic<bool> any_others_{false};
  mutable Mutex names_mutex_;
  mutable std::unordered_map<std::uint32_t, std::string> names_
      ANIMA_GUARDED_BY(names_mutex_);  // of propositions, as asked for
};

}  // namespace anima::datalog
