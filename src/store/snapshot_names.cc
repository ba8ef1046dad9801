// Finding many concepts by their names at once.
//
// One name leads through six or seven places in memory, each known only when the one before has
// arrived: the slot of its hash, the term, the term's bytes, the list of what is named so, and the
// entity. For a group of names each step is taken for all of them before the next one, so that the
// waits overlap.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "store/base/value_code.h"
#include "store/snapshot.h"
#include "store/state/state.h"

namespace anima::store {

using detail::SnapshotState;

namespace {

class NameGroup {
 public:
  static constexpr std::size_t kMost = 32;

  explicit NameGroup(const SnapshotState& state) : state_(state) {}

  void find(const Snapshot& snapshot, std::span<const ConceptName> names,
            std::span<EntityId> found) {
    encode(names);
    each([this](Look& look) { state_.prefetch_term_place(look.hash); });
    each([this](Look& look) { state_.prefetch_term(look.hash); });
    each([this](Look& look) { state_.prefetch_term_bytes(look.hash); });
    each([this](Look& look) {
      look.term = state_.find_stored(look.stored, look.hash);
      if (look.term != 0) state_.prefetch_object_place(Term::literal(look.term));
    });
    each([this](Look& look) {
      if (look.term != 0) state_.prefetch_object_list(Term::literal(look.term));
    });
    ids_.clear();
    each([&](Look& look) { list_named(snapshot, look); });
    for (std::size_t i = 0; i < count_; ++i) found[i] = of_type(looks_[i], names[i].type);
  }

 private:
  struct Look {
    std::string_view stored;
    std::uint32_t hash = 0, term = 0;
    std::size_t first = 0, last = 0;  // what is named so, in ids_
  };

  template <typename Visit>
  void each(const Visit& visit) {
    for (std::size_t i = 0; i < count_; ++i) visit(looks_[i]);
  }

  void encode(std::span<const ConceptName> names) {
    count_ = names.size();
    bytes_.clear();
    std::array<std::size_t, kMost> ends{};
    for (std::size_t i = 0; i < count_; ++i) {
      ValueView value;
      value.kind = ValueKind::kString;
      value.text = names[i].name;
      detail::encode_value(value, bytes_);
      ends[i] = bytes_.size();
    }
    std::size_t start = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      looks_[i].stored = std::string_view(bytes_).substr(start, ends[i] - start);
      looks_[i].hash = detail::hash_term(looks_[i].stored);
      start = ends[i];
    }
  }

  void list_named(const Snapshot& snapshot, Look& look) {
    look.first = ids_.size();
    if (look.term != 0) {
      const auto ids = snapshot.subjects(kNamePredicate, Term::literal(look.term), scratch_);
      for (const std::uint32_t id : ids) state_.prefetch_entity(id);
      ids_.insert(ids_.end(), ids.begin(), ids.end());
    }
    look.last = ids_.size();
  }

  EntityId of_type(const Look& look, EntityId type) const {
    if (type == EntityId::kNone) return EntityId::kNone;
    for (std::size_t i = look.first; i < look.last; ++i) {
      if (state_.entity(ids_[i]).a == static_cast<std::uint32_t>(type))
        return static_cast<EntityId>(ids_[i]);
    }
    return EntityId::kNone;
  }

  const SnapshotState& state_;
  std::size_t count_ = 0;
  std::array<Look, kMost> looks_;
  std::string bytes_;
  std::vector<std::uint32_t> ids_;
  Scratch scratch_;
};

}  // namespace

void Snapshot::find_concepts(std::span<const ConceptName> names, std::span<EntityId> found) const {
  NameGroup group(*state_);
  for (std::size_t at = 0; at < names.size(); at += NameGroup::kMost) {
    const std::size_t count = std::min(NameGroup::kMost, names.size() - at);
    group.find(*this, names.subspan(at, count), found.subspan(at, count));
  }
}

void Snapshot::prefetch_link(const Triple& link) const {
  state_->prefetch_statement(link.subject, link.predicate, link.object);
}

}  // namespace anima::store
