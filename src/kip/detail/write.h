// Writing single things, idempotently: what is already so is not written again, so nothing's
// version moves. The state that a Writing sees includes its own writes. Thread-safety: one thread.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kip/detail/context.h"
#include "kip/detail/schema.h"
#include "store/holds.h"

namespace anima::kip::detail {

// A metadata key of a link that says when it holds.
bool bounds_period(std::string_view key);

struct Made {
  EntityId entity = EntityId::kNone;
  bool created = false;
  store::Sequence said = store::Sequence::kNone;  // whose word it stays; kNone: of the entry
};

// The members of an object as codes, to be written to many things.
struct Members {
  struct Member {
    std::string_view key;
    store::Predicate predicate;
    Term value;
  };
  const Json* object = nullptr;  // outlives this
  std::vector<Member> list;
  std::optional<double> confidence;  // metadata: what an assertion says of itself
};

class Writing {
 public:
  explicit Writing(Context& context) : context_(context), transaction_(*context.transaction) {}

  // Follows what is written: nothing read from it is kept across a write.
  const Snapshot& view() const { return transaction_.live(); }

  Outcome<EntityId> type(std::string_view name, Place place);
  // The same without a fault; kNone where there is none.
  EntityId known_type(std::string_view name);
  EntityId known_predicate(std::string_view name);
  Outcome<EntityId> predicate(std::string_view name, Place place);
  // What type() and predicate() defined because it was not there (Context::define_on_use): each
  // {type, name, near?}, in order.
  const JsonArray& defined() const { return defined_; }
  // The attributes that were written beside those of somebody trusted more, which hold: each {id,
  // key}, in order.
  const JsonArray& outranked() const { return outranked_; }
  // Refuses what stands in Anima's own books. O(1) in a space without any.
  Check may_write(EntityId entity, Place place);
  // `known`: what a look-up before has found, or kNone.
  Outcome<Made> create_concept(EntityId type, std::string_view name, Place place,
                               EntityId known = EntityId::kNone);
  // A new link, or the one that is there; a confidence becomes the assertion's, unless somebody
  // trusted more states it.
  Outcome<Made> assert_link(EntityId subject, EntityId predicate, Term object,
                            std::optional<double> confidence);

  // States `now` in the place of `old`, in each graph as the word of whoever stated that there;
  // what a graph says of it already stays, unless the old one is the word of somebody trusted more.
  Outcome<Made> move_link(const store::Triple& old, const store::Triple& now);

  // What attributes and metadata say of one thing or link is said of another one, too, in the same
  // graphs and as the word of who said it: what is wanted of it. Anima's own books are among the
  // graphs.
  Check say_of(EntityId from, EntityId to, const std::function<bool(const store::Triple&)>& wanted);

  // What an attribute of one thing says is said of another one, too, as if all of it had been said
  // of that: in each graph what was said later takes the place of what was said before it on no
  // higher trust. Of what KIP or one entry says of both on one level of trust, what that one has
  // stays.
  Check say_in_turn(EntityId from, EntityId to, store::Predicate attribute);

  // Each member replaces the key's value; true when something changed.
  Outcome<bool> set_attributes(const Made& made, const Json& object, Place place);
  Outcome<bool> set_metadata(const Made& made, const Json& object, Place place);
  Outcome<Members> prepare_metadata(const Json& object);
  Outcome<bool> set_metadata(const Made& made, const Members& members);
  // What one link says of when it holds is said of another one, too, that takes its place: times
  // that lie apart stand beside those that are known, and what is known wins where they overlap.
  Check take_times(EntityId from, const std::vector<store::Period>& times, EntityId to);
  Outcome<bool> remove_keys(EntityId entity, const std::vector<std::string>& keys, bool metadata);

  // The entries whose words an attribute of these things was before this one.
  std::vector<store::Sequence> words_on(std::initializer_list<EntityId> things,
                                        std::string_view attribute) const;
  // The most trusted that says that there is the thing.
  store::Sequence word_of_existence(EntityId thing) const;
  // Of these the one that is trusted least, and less than this entry; kNone: none is.
  store::Sequence least_trusted(std::span<const store::Sequence> words) const;

  // The links about it, those about these, and so on; each after what it stands on.
  std::vector<EntityId> links_upon(EntityId entity);
  // Withdraws a link wherever it is asserted, and everything said about it; counts the links that
  // went.
  Outcome<std::int64_t> remove_link(EntityId link);
  // Writes what follows from that, by the rules of the space.
  Check follow(std::span<const store::MovedStatement> moved);

  // Refuses where somebody who is trusted more states it, or a link that goes with it.
  Check may_remove(EntityId entity);
  Outcome<std::int64_t> remove_concept(EntityId entity);

  const std::string& now_text();

 private:
  // Names and keys that this statement has met.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  template <typename T>
  using Known = std::unordered_map<std::string, T, Hash, std::equal_to<>>;

  Outcome<EntityId> define(EntityId of_type, std::string_view name, Place place);
  Json absent(const Made& made, const Json& object, bool metadata);
  Outcome<bool> set_values(const Made& made, const Json& object, bool metadata);
  Outcome<Members::Member> member(std::string_view key, const Json& value, bool metadata);
  Outcome<bool> set_value(const Made& made, const Members::Member& member);
  Outcome<bool> restate_value(const Made& made, const Members::Member& member);
  store::Trust trust() const;  // of the entry
  // Refuses what somebody who is trusted more states (store/holds.h).
  Check may_withdraw(const store::Triple& statement, EntityId of) const;
  void note_outranked(EntityId entity, const Members::Member& member);
  std::vector<store::GraphId> graphs_of(const store::Triple& triple);
  std::vector<EntityId> links_about(EntityId entity);
  Outcome<std::int64_t> remove_links_upon(EntityId entity);
  Outcome<bool> retract_everywhere(EntityId link);
  Outcome<EntityId> restate(const store::Triple& statement, const store::Assertion& word);

  Context& context_;
  store::Transaction& transaction_;
  std::string now_;
  Known<EntityId> types_, predicates_;
  JsonArray defined_, outranked_;
  Known<Term> keys_;
  std::optional<Members::Member> created_at_;
  std::optional<bool> keeps_books_;  // the space has graphs of Anima's own
};

// The confidence that metadata gives to an assertion.
std::optional<double> confidence_of(const Json& metadata);
// Keys that start with _ are the engine's: KIP_2002.
Check refuse_reserved(const Json& metadata, Place place);

}  // namespace anima::kip::detail
