// Base relations in a plan: look-ups that somebody else answers, a batch at a time.
#include "datalog/engine/database.h"
#include "datalog/engine/stage.h"

namespace anima::datalog {

// The rows live only as long as the call that hands them over, so what they gave goes on before it
// returns.
Status Executor::probe_foreign(std::size_t number, Batch& in) {
  const Access& access = plan_.ops[number].access[0];
  const Lookup& lookup = lookups_[number][0];
  Stage& stage = *stages_[number];
  stage.count = 0;
  class Receive : public BaseRelation::Receiver {
   public:
    Receive(Executor& executor, std::size_t number, Batch& in)
        : executor_(executor), number_(number), in_(in) {}
    Status take(const std::uint32_t* keys, const Code* rows, std::size_t count) override {
      const Access& access = executor_.plan_.ops[number_].access[0];
      Stage& stage = *executor_.stages_[number_];
      for (std::size_t r = 0; r < count; ++r) {
        const Code* row = rows + r * access.columns;
        const std::uint32_t binding = fixed != kNone ? fixed : keys[r];
        if (!executor_.row_fits(access, in_, binding, row)) continue;
        stage.from[stage.count] = binding;
        stage.row[stage.count] = row;
        stage.height[stage.count] = 0;
        if (++stage.count == executor_.full_batch_) ANIMA_TRY(executor_.flush(number_, in_));
      }
      return executor_.flush(number_, in_);
    }
    std::uint32_t fixed = kNone;  // the binding that every row answers

   private:
    Executor& executor_;
    std::size_t number_;
    Batch& in_;
  };
  Receive receiver(*this, number, in);
  if (access.key.empty()) {
    for (receiver.fixed = 0; receiver.fixed < in.size; ++receiver.fixed) {
      ANIMA_TRY(lookup.foreign.probe({}, {}, 1, receiver));
    }
    return {};
  }
  std::vector<Code> keys(std::size_t{in.size} * access.key.size());
  for (std::uint32_t i = 0; i < in.size; ++i) {
    keys_of(access, in, i, keys.data() + std::size_t{i} * access.key.size());
  }
  return lookup.foreign.probe(access.key_columns, keys, in.size, receiver);
}

// Bindings that the relation's own rows did not answer.
Status Executor::exists_foreign(const Access& access, const Lookup& lookup, Batch& in,
                                std::uint8_t* answer) {
  const std::size_t width = access.key.size();
  std::vector<std::uint32_t> open;
  std::vector<Code> keys;
  for (std::uint32_t i = 0; i < in.size; ++i) {
    if (answer[i] != 0) continue;
    open.push_back(i);
    keys.resize(open.size() * width);
    keys_of(access, in, i, keys.data() + (open.size() - 1) * width);
  }
  if (open.empty()) return {};
  if (access.full()) {
    std::vector<std::uint8_t> there(open.size(), 0);
    ANIMA_TRY(lookup.foreign.contains(keys, open.size(), there.data()));
    for (std::size_t k = 0; k < open.size(); ++k) answer[open[k]] = there[k];
    return {};
  }
  RowReceiver receiver(access.columns, [&](std::uint32_t key, const Code* row) -> Status {
    if (!access.key.empty()) {
      if (row_fits(access, in, open[key], row)) answer[open[key]] = 1;
      return {};
    }
    for (const std::uint32_t i : open) {
      if (row_fits(access, in, i, row)) answer[i] = 1;
    }
    return {};
  });
  return lookup.foreign.probe(access.key_columns, keys, access.key.empty() ? 1 : open.size(),
                              receiver);
}

}  // namespace anima::datalog
