#include "store/state/versions.h"

#include <algorithm>
#include <atomic>

namespace anima::store::detail {
namespace {

class Reader {
 public:
  Reader(const SnapshotState& state, const VisitVersion& visit)
      : state_(state), base_(*state.base), visit_(visit) {}

  void base_row(std::uint32_t row) {
    Version version;
    version.triple = {
        static_cast<EntityId>(base_.spo_s[row]), {base_.spo_p[row]}, {base_.spo_o[row]}};
    version.proposition = base_.spo_proposition[row];
    version.set = base_.spo_set[row];
    version.born = base_.spo_born[row];
    version.died = killed_from(0, row);
    if (version.born <= state_.sequence) visit_(version);
  }

  void retired_row(std::uint32_t row) {
    Version version;
    version.triple = {static_cast<EntityId>(base_.retired_s[row]),
                      {base_.retired_p[row]},
                      {base_.retired_o[row]}};
    version.proposition = base_.retired_proposition[row];
    version.set = base_.retired_set[row];
    version.born = base_.retired_born[row];
    version.died = base_.retired_died[row];
    if (version.born == 0) {
      version.born = kQuotedBorn;
      version.died = kAlive;
    } else if (version.born > state_.sequence) {
      return;
    } else if (version.died > state_.sequence) {
      version.died = kAlive;
    }
    visit_(version);
  }

  // The rows of a chain of every layer.
  void chain(Chain which, SubjectCode s, PredicateCode p, ObjectCode o) {
    for (std::size_t k = 0; k < state_.layers.size(); ++k) {
      const Delta& delta = *state_.layers[k].delta;
      for (std::uint32_t at = delta.head(which, s, p, o); at != kNoRow;
           at = delta.row(at).next[static_cast<int>(which)]) {
        delta_row(k, at);
      }
    }
  }

 private:
  // When a row of the layers below `first` died, by the layers from there on. An earlier state
  // than the base's marks what it takes back with 0: that is no death.
  std::uint64_t killed_from(std::size_t first, std::uint32_t address) const {
    std::uint64_t died = kAlive;
    for (std::size_t k = first; k < state_.layers.size(); ++k) {
      const LayerView& layer = state_.layers[k];
      layer.delta->deaths_below(Range{address, address + 1}, [&](std::uint64_t at) {
        if (at != 0 && at <= layer.sequence) died = std::min(died, at);
      });
    }
    return died;
  }

  void delta_row(std::size_t k, std::uint32_t at) {
    const LayerView& layer = state_.layers[k];
    const DeltaRow& row = layer.delta->row(at);
    Version version;
    version.triple = {row.s.typed(), row.p.typed(), row.o.typed()};
    version.proposition = row.proposition;
    version.set = row.set;
    version.born = row.born.load(std::memory_order_relaxed);
    version.died = row.died.load(std::memory_order_relaxed);
    if (version.born == 0 || version.born == kNever) return;  // of the base, or rolled back
    if (!version.quoted()) {
      if (version.born > layer.sequence || version.died == version.born) return;
      if (version.died > layer.sequence) {
        version.died = killed_from(k + 1, layer.delta->firsts().row + at);
      }
    } else if (version.proposition >= state_.entity_bound) {
      return;
    }
    visit_(version);
  }

  const SnapshotState& state_;
  const Base& base_;
  const VisitVersion& visit_;
};

}  // namespace

void visit_versions(const SnapshotState& state, SubjectCode subject, PredicateCode predicate,
                    ObjectCode object, const VisitVersion& visit) {
  const Base& base = *state.base;
  Reader reader(state, visit);
  Range rows = base.of_subject(subject);
  Range retired = base.retired_of_subject(subject);
  Chain chain = Chain::kS;
  if (predicate != 0) {
    chain = object == 0 ? Chain::kSP : Chain::kSPO;
    rows = Base::narrow(base.spo_p, rows, predicate);
    retired = Base::narrow(base.retired_p, retired, predicate);
    if (object != 0) {
      rows = Base::narrow(base.spo_o, rows, object);
      retired = Base::narrow(base.retired_o, retired, object);
    }
  }
  for (std::uint32_t at = rows.begin; at < rows.end; ++at) reader.base_row(at);
  for (std::uint32_t at = retired.begin; at < retired.end; ++at) reader.retired_row(at);
  reader.chain(chain, subject, predicate, object);
}

void visit_versions_of_object(const SnapshotState& state, ObjectCode object,
                              const VisitVersion& visit) {
  const Base& base = *state.base;
  Reader reader(state, visit);
  const Range rows = base.of_object(object);
  for (std::uint32_t at = rows.begin; at < rows.end; ++at) {
    reader.base_row(base.find(SubjectCode{base.ops_s[at]}, PredicateCode{base.ops_p[at]}, object));
  }
  const Range retired = base.retired_of_object(object);
  for (std::uint32_t at = retired.begin; at < retired.end; ++at) {
    reader.retired_row(base.retired_by_object[at]);
  }
  reader.chain(Chain::kO, {}, {}, object);
}

std::vector<Word> words_of(const SnapshotState& state, const WrittenKey& key) {
  std::vector<Word> words;
  visit_versions(state, key.subject, key.predicate, key.object, [&](const Version& version) {
    if (version.quoted()) return;
    state.each_context(version.set, [&](std::uint32_t, const Context& context) {
      if (context.graph != static_cast<std::uint32_t>(key.graph)) return;
      words.push_back({version.triple.object, context, version.born, version.died});
    });
  });
  std::sort(words.begin(), words.end(), [](const Word& a, const Word& b) {
    return a.object != b.object ? a.object < b.object : a.from < b.from;
  });
  return words;
}

std::vector<Sequence> writers_of(const std::vector<Word>& words) {
  std::vector<Sequence> writers;
  const auto add = [&](std::uint64_t sequence) { writers.push_back(Sequence{sequence}); };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    add(word.context.born);
    // Where the graph's next version begins at once, that one names who changed it, if anybody.
    const bool goes_on =
        i + 1 < words.size() && words[i + 1].object == word.object && words[i + 1].from == word.to;
    if (word.to != kAlive && !goes_on) add(word.to);
  }
  std::sort(writers.begin(), writers.end());
  writers.erase(std::unique(writers.begin(), writers.end()), writers.end());
  return writers;
}

}  // namespace anima::store::detail
