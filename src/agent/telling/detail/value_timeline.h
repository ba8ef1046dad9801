// Which values of an attribute a thing has, by what was told of them one after the other, as
// timeline.h lays out links. It is laid out anew at each change from what each text said
// (told_times.h) and from what stood there besides: what is taken back leaves what would be there
// if it had never been told.
//
// A value that is told takes the place of what the graph of what is told says on no higher trust.
// So it does in the default graph where a value stands there, unless a compartment that is trusted
// as far, or somebody who is trusted more, states one: else it stands beside that. What another
// compartment states never moves. An end counts where nobody who is trusted more, and no
// compartment that is trusted as far, states the value. Other names, and what a thing is said to
// be, are many: none takes the place of another. What others wrote since replaces what was told
// before it, and is taken as it stands where that is not all. Thread-safety: that of the
// transaction. Errors: those of the space. Complexity: O(n^2) for n values that were told of the
// attribute.
#pragma once

#include <optional>
#include <vector>

#include "agent/telling/detail/told_times.h"
#include "agent/telling/detail/told_writer.h"

namespace anima::agent::detail {

class ValueTimeline {
 public:
  // Of what the transaction has written so far. `undone`: the transaction undid something, so that
  // what stands there and was told counts by its record alone.
  ValueTimeline(store::Transaction& transaction, store::EntityId thing, store::Predicate attribute,
                const ToldPlace& place, bool undone = false);
  // As the state says, which outlives it. Nothing can be told or written.
  ValueTimeline(const store::Snapshot& state, store::EntityId thing, store::Predicate attribute,
                const ToldPlace& place);

  // Told now.
  Status add(ToldTime time);
  // It was never told.
  Status drop(const ToldTime& time);
  // It stood there, and its record went with what the transaction undid.
  void stood(ToldTime time);
  // Writes what changes.
  Status write();
  // Others changed it: what was told does not say what stands.
  bool is_changed() const { return changed_; }

 private:
  // Whose word a value is in a graph.
  struct Word {
    store::GraphId graph = store::GraphId::kDefault;
    ToldTime time;
    store::Term value() const { return time.fact.object; }
  };

  void gather(bool undone);
  void take_as_it_stands();
  bool is_managed(store::GraphId graph) const;
  bool has_record(const Word& word) const;
  bool was_told(const Word& word) const;
  bool differs() const;
  void stand_before(const ToldTime& time);
  void replay();
  void begin(const Word& told);
  void stand(const Word& stood);
  void end(const ToldTime& time);
  std::vector<Word> holding() const;

  store::Transaction* const transaction_ = nullptr;
  const store::Snapshot& now_;  // follows the transaction
  const ToldPlace& place_;
  const store::EntityId thing_;
  const store::Predicate attribute_;
  bool has_many_ = false;
  bool changed_ = false;
  std::vector<Word> told_;       // records
  std::vector<Word> standing_;   // what stands without one
  std::vector<Word> others_;     // what other compartments state
  std::vector<ToldTime> stale_;  // records that say no more what stands
  std::vector<Word> words_;      // what follows from all of these
};

}  // namespace anima::agent::detail
