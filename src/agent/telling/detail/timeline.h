// When what a subject has under a relation with room for one held, as people told it: each holds
// from its begin until the next one begins, or until an end that was told by itself. So no two
// whose begins are known overlap and none leaves a hole, in whatever order they were told. It is
// one layout of all that was told of the subject, by whomever, and laid out anew at each change
// from what each text said (told_times.h), in the order in which that was told, and from nothing
// else: what is taken back leaves what would be there if it had never been told, and what takes the
// place of an earlier text counts as told then.
//
// What nobody said the begin of lies before all, or where it took the place of another; an end
// without a time is the day of the words, or the next begin where that is earlier.
//
// Of one link only what the most trusted said of it counts; what is trusted less is kept, and
// counts when that is taken back. What somebody tells ends what he told and what people told who
// are trusted less; what somebody told who is trusted more stays as it is. What is trusted less
// counts for nothing in what he tells: it says not since when that holds, and where he does not
// either, it stands beside it. What two tell who are
// trusted alike contradicts, and each counts for nothing in what the other tells; of one link that
// both told of it holds as long as one of them says so. An end that is told ends a link on
// everybody's word who is trusted no more. Under a relation that has room for more only a move ends
// what held then; a link and its opposite (likes, dislikes) have room for one of them. A link that
// others changed since, or that is older than records of what was told, is taken as it stands.
// Thread-safety: that of the transaction. Errors: those of the space. Complexity: O(n^3) for n
// times of the subject under the relation, and the versions of the subject.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/telling/detail/told_times.h"
#include "agent/telling/detail/told_writer.h"
#include "store/holds.h"

namespace anima::agent::detail {

// Of some links: those that were stated before a change of the log, and those of which all that was
// known was told. Holds no state.
struct KnownBefore {
  std::set<store::Triple> stated = {}, told = {};
  bool things_return = false;  // behind it comes back what links are about: an undo
};

// What is laid out with the link, and the link: under a relation with room for one what else its
// subject has, or had, and the opposite of each; ascending.
std::vector<store::Triple> rivals_of(const store::Snapshot& now, const store::Triple& link);

class Timeline {
 public:
  // Of the link and of what may take its place.
  // `known`: how it was before something was taken from it by an undo or a forgetting; what was
  // laid out from what was told is so again, whatever times that left.
  Timeline(store::Transaction& transaction, const store::Triple& link, const ToldPlace& place,
           const KnownBefore* known = nullptr);
  // As the state says, which outlives it. Nothing can be told or written.
  Timeline(const store::Snapshot& state, const store::Triple& link, const ToldPlace& place);

  // Told now, of the link; which the transaction states, where it does not end.
  Status add(ToldTime time);
  // It was never told.
  Status drop(const ToldTime& time);
  // Of a link that stands without records: it never held, or not from this time on (false: no other
  // time of it is known); no end of it was told.
  void drop_all(const store::Triple& link);
  bool drop_time(const store::Triple& link, std::optional<Timestamp> begin);
  void open_end(const store::Triple& link);
  void add_to(KnownBefore& known) const;
  // What it says of the link is all told.
  bool is_told(const store::Triple& link) const;
  // Writes what changes. Gives what held at that time and holds no longer.
  Result<std::vector<store::Triple>> write(Timestamp at);

 private:
  using Authors = std::set<std::string>;
  struct Span {
    store::Triple fact;
    Authors authors = {};                 // on whose word it holds
    std::optional<Timestamp> from = {};   // as it was told
    std::optional<Timestamp> start = {};  // `from`, or when it took the place of another
    Timestamp told = {};                  // it held then
    std::optional<Timestamp> end = {};    // told by itself
    bool end_is_dated = true;
    std::optional<Timestamp> to = {};  // by itself or by what begins then
    std::string newer = {}, newer_of_end = {};
    store::Trust trust = store::Trust::kHostile, end_trust = store::Trust::kHostile;
    bool named = true;          // a text names its begin
    bool leaves = false;        // somebody moved there
    bool ended_before = false;  // it ended before it was told to hold
    std::size_t order = 0;      // in which it was told
    // The words by which it began and ended; none of a time that is taken as it stands.
    std::optional<ToldWord> begun_by = {}, end_by = {}, ended_by = {};
    bool holds_at(Timestamp time) const {
      return (!start || *start <= time) && (!to || time < *to);
    }
    bool never_held() const { return start && to && *to <= *start; }
    bool never_began() const { return start && end && *end <= *start && !ended_before; }
  };
  // What is known of a link, in the order of telling.
  struct Line {
    store::Triple link;
    // Of what is taken as it stands: who states it, of those who are trusted most.
    Authors authors = {};
    store::Trust trust = store::Trust::kHostile;
    Timestamp seen = {};
    store::Sequence asserted = store::Sequence::kNone;
    std::vector<ToldTime> told = {};
    std::vector<Span> stands = {};          // it is taken as it stands
    std::vector<ToldTime> stale = {};       // records that say it no more
    std::vector<store::Period> known = {};  // as it was laid out before anything changed
  };

  void gather_all(const store::Triple& link);
  void gather(const store::Triple& link);
  static bool is_told(const Line& line);
  static store::Trust trust_of(const Line& line);
  bool may_be_told(const store::Triple& link) const;
  bool was_told(const store::Triple& link) const;
  void find_authors(Line& line, bool of_all) const;
  static bool is_stated_by_others(const Line& line);
  static bool is_told_by_mover(const Line& one, const Line& older);
  void take_as_it_stands(Line& line);
  void stand_before(const ToldTime& time);
  void find_starts();
  std::optional<Timestamp> told_place_taken(const Line& line) const;
  void forget_made_ends();
  bool differs(const Line& line) const;
  void replay();
  void begin(const ToldTime& time, std::size_t order);
  void end(const ToldTime& time);
  void end(const ToldTime& time, const Authors& authors);
  static bool may_move(const Span& other, const Span& one);
  static bool counts_for(const Span& one, const ToldTime& time);
  bool is_rival(const Span& one, const ToldTime& time) const;
  bool are_rivals(const store::Triple& one, const store::Triple& other) const;
  bool is_over_since(const ToldTime& time) const;
  bool is_outranked(const ToldTime& time, Timestamp from) const;
  bool began_between(const ToldTime& time, Timestamp first, const Span& last) const;
  std::optional<Timestamp> told_end_before(const ToldTime& time) const;
  std::string id_of(const store::Triple& fact) const;
  static std::optional<Timestamp> begin_for(const Span& other, const Span& one);
  bool ends(const Span& other, const Span& one) const;
  void lay_out();
  void end_by_others(Span& one) const;
  std::vector<Span>::iterator meant_at(const ToldTime& time, Timestamp from);
  Line* line_of(const store::Triple& link);
  // Of each link its times in order.
  std::vector<Span> joined(const store::Triple& fact) const;
  static std::vector<Span> joined_of_one(std::vector<Span> spans);
  static std::vector<Span> joined_of_all(std::vector<Span> spans);
  static std::vector<store::Period> periods_of(const std::vector<Span>& spans);
  Status keep_what_stands(Line& line);
  Status write_word(const Line& line);
  Status write(const Line& line, const std::vector<Span>& spans);
  bool may_stand(const store::Triple& link) const;
  Status drop_unfounded(const Line& line);
  Status withdraw(const Line& line);
  bool is_said_alone(store::EntityId link, std::string_view key,
                     const std::vector<std::string>& texts) const;
  Status clear_key(store::EntityId link, std::string_view key,
                   const std::vector<std::string>& texts, store::GraphId graph);
  Status write_key(const store::Triple& fact, store::EntityId link, std::string_view key,
                   const std::vector<std::string>& texts, const std::optional<ToldWord>& word);

  store::Transaction* const transaction_ = nullptr;
  const store::Snapshot& now_;  // follows the transaction
  const ToldPlace& place_;
  const KnownBefore* const known_ = nullptr;
  bool one_valued_ = false;
  std::vector<Line> lines_;
  std::vector<Span> spans_;
};

}  // namespace anima::agent::detail
