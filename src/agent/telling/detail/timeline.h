// When what a subject has under a relation with room for one held, as one person told it: each
// holds from its begin until the next one begins, or until an end that was told by itself. So no
// two whose begins are known overlap and none leaves a hole, in whatever order they were told, and
// what is taken back of these leaves what would be there if it had never been told. What nobody
// said the begin of lies before all, or where it took the place of another.
//
// What the author told and what somebody who is trusted less told moves. What somebody told who is
// trusted more, or since the text that is replaced, ends what begins before it, and stays as it is.
// What somebody else told who is trusted as far contradicts it, and counts for nothing here. Under
// a relation that has room for more only a move ends what held then, and else nothing.
// Thread-safety: that of the transaction. Errors: those of the space. Complexity: O(n^2) for n
// times of the subject under the relation.
#pragma once

#include <optional>
#include <vector>

#include "agent/telling/detail/told_writer.h"
#include "store/holds.h"

namespace anima::agent::detail {

class Timeline {
 public:
  // `moves`: what is added takes the place of what held, also where the relation has room for more.
  // `since`: the time of the text that this one takes the place of.
  Timeline(store::Transaction& transaction, store::EntityId subject, store::Predicate relation,
           const ToldPlace& place, bool moves = false,
           std::optional<Timestamp> since = std::nullopt);

  // The link, which the transaction states, holds from then on. `dated`: that was told; else it is
  // only known that it holds then.
  void add(const store::Triple& link, Timestamp from, bool dated,
           EarlierBegin earlier = EarlierBegin::kStands);
  // It never held.
  void drop(const store::Triple& link);
  // It held, but not from this time on. False: no other time of it is known.
  bool drop_time(const store::Triple& link, Timestamp begin);
  // Of its last time: it began then, or nobody says when; no end of it is told.
  void begin_at(const store::Triple& link, std::optional<Timestamp> begin);
  void open_end(const store::Triple& link);
  // Writes what changes. Gives what held at `told` and holds no longer.
  Result<std::vector<store::Triple>> write(Timestamp told);

 private:
  struct Span {
    store::Triple fact;
    std::optional<Timestamp> from;   // as it was told
    std::optional<Timestamp> start;  // `from`, or when it took the place of another
    std::optional<Timestamp> end;    // told by itself
    std::optional<Timestamp> to;     // by itself or by what begins then
    std::optional<store::EntityId> newer = {};
    std::optional<Timestamp> seen = {};  // when the link was told last; nullopt: now
    store::Trust trust = store::Trust::kHostile;
    bool moves = false;
    bool told_since = false;  // since the text that is replaced
    bool is_new = false;      // added now
    bool holds_at(Timestamp time) const {
      return (!start || *start <= time) && (!to || time < *to);
    }
    bool never_held() const { return start && to && *to <= *start; }
  };

  void gather(const store::Triple& fact, store::EntityId link);
  void find_starts();
  // What ended because another one began has no end of its own.
  void forget_made_ends(const Span& beginning);
  bool may_end(const Span& other, const Span& one) const;
  bool ends(const Span& other, const Span& one) const;
  void lay_out();
  bool is_known(const store::Triple& link) const;
  std::vector<Span>::iterator meant_at(const store::Triple& link, Timestamp from);
  std::vector<Span>::iterator last_of(const store::Triple& link);
  // Of each link its times in order.
  std::vector<Span> joined(const store::Triple& fact) const;
  Status write(const store::Triple& fact, const std::vector<Span>& spans);
  Status write_key(const store::Triple& fact, store::EntityId link, std::string_view key,
                   const std::vector<std::string>& texts);

  store::Transaction& transaction_;
  const ToldPlace& place_;
  const std::optional<Timestamp> since_;
  const bool moves_;
  bool one_valued_ = false;
  std::vector<Span> spans_;
};

}  // namespace anima::agent::detail
