// A space as a door sees it: each snapshot and each write is judged as a call of that door
// (agent/house/gate.h), and in the writer's turn the line is looked at once more. Everything else
// is the space itself. Thread-safety: as the space. Errors: those of Gate::pass() too.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agent/house/gate.h"
#include "store/act.h"

namespace anima::agent::detail {

class GatedSpace final : public store::Space, public store::UndoingSpace {
 public:
  // What is read through it is a call of `reader`, what is written one of `writer`; where `writes`
  // is kReads nothing is written.
  GatedSpace(std::shared_ptr<Gate> gate, DoorCall reader, DoorCall writer, Judged how, Act writes);

  // Whether a write would be let through now.
  Status may_write();

  Result<store::Snapshot> snapshot() override;
  Result<store::Receipt> write(const store::Origin& origin,
                               const std::function<Status(store::Transaction&)>& change) override;
  store::SeriesResult write_series(const store::Origin& origin,
                                   const std::function<const store::Change*()>& next) override;
  Result<store::Receipt> write_sealed(
      const store::Origin& origin, const std::string& key,
      const std::function<Status(store::Transaction&)>& change) override;
  Result<store::SealedText> seal(const std::string& key, std::string_view text) override {
    return space_.seal(key, text);
  }
  Result<store::UnsealedText> unseal(const store::SealedText& sealed) override {
    return space_.unseal(sealed);
  }
  Status erase(const std::string& key) override;
  Result<std::vector<std::string>> keys() override { return space_.keys(); }
  std::unique_ptr<store::WhatIf> what_if(const store::Snapshot& from) override {
    return space_.what_if(from);
  }
  Result<store::Receipt> commit(const store::Origin& origin, store::WhatIf& branch) override;
  const store::UndoRules* rules() const override { return space_.rules(); }
  store::Log& log() override { return space_.log(); }
  Status changes(store::Sequence after,
                 const std::function<Status(const store::LogEntry&)>& visit) override;
  Status visit_written(store::Sequence after, store::Sequence last,
                       const std::function<Status(const store::WrittenKey&)>& visit) override {
    return space_.visit_written(after, last, visit);
  }
  Result<store::UndoReport> undo(const store::Origin& origin, store::Sequence first,
                                 store::Sequence last, bool cascade, bool dry_run) override;
  Result<std::pair<std::uint32_t, std::unique_ptr<store::ActUnderWay>>> mark_act() override;
  Result<store::UndoneActs> undo_entries(const store::Origin& origin,
                                         std::span<const store::Sequence> entries,
                                         const store::UndoActsOptions& options) override;
  Status checkpoint() override;
  store::SpaceStats stats() override { return space_.stats(); }
  std::vector<std::string> notes() override { return space_.notes(); }
  const std::string& folder() const override { return space_.folder(); }

 private:
  Status may_read() { return reads_freely_ ? Status() : may(reader_, Act::kReads); }
  Status may(const DoorCall& call, Act act);
  // Nothing is changed, and `stopped` is set, when the line was stopped before the turn came; then
  // the call is judged once more, and the audit tells of it.
  store::Change unless_stopped(const store::Change& change, bool& stopped);

  std::shared_ptr<Gate> gate_;
  store::Space& space_;
  const DoorCall reader_, writer_;
  const Judged how_;
  const Act writes_;
  const bool reads_freely_, writes_freely_;  // what is undeniable stays so
  std::atomic<bool> was_approved_ = false;
};

}  // namespace anima::agent::detail
