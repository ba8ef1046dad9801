// Branch: a private delta over a snapshot, and what it takes to replay it on the newest state.
// Thread-safety: one thread at a time.
#pragma once

#include <memory>

#include "store/space.h"
#include "store/state/writer.h"

namespace anima::store::detail {

class Branch final : public WhatIf {
 public:
  Branch(std::shared_ptr<const SnapshotState> from, const WriterLimits& limits);
  Transaction& transaction() override { return transaction_; }
  Snapshot view() const override;  // in the scope of what it started from

  const SnapshotState& from() const { return *from_; }
  const Writer& writer() const { return writer_; }

 private:
  std::shared_ptr<const SnapshotState> from_;
  Writer writer_;
  Transaction transaction_;
};

// Does in `target` what the branch did, finding or making its ids anew. kConflict when a key that
// the branch wrote differs between the state it started from and the target's; then the target
// holds a part and must be rolled back.
Status merge_branch(const Branch& branch, Writer& target);

}  // namespace anima::store::detail
