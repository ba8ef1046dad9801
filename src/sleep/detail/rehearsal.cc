#include "sleep/detail/rehearsal.h"

namespace anima::sleep::detail {
namespace {

using store::Origin;
using store::Receipt;
using store::Sequence;

class Rehearsal final : public store::Space {
 public:
  Rehearsal(std::shared_ptr<store::Space> space, const store::Snapshot& from,
            std::vector<Origin>* written)
      : space_(std::move(space)), branch_(space_->what_if(from)), written_(written) {}

  Result<store::Snapshot> snapshot() override { return branch_->view(); }
  const store::UndoRules* rules() const override { return space_->rules(); }

  // Tried on a branch of the branch first: a change that fails half-way leaves nothing.
  Result<Receipt> write(const Origin& origin, const store::Change& change) override {
    const std::unique_ptr<store::WhatIf> trial = space_->what_if(branch_->view());
    ANIMA_TRY(change(trial->transaction()));
    ANIMA_TRY(change(branch_->transaction()));
    if (written_ != nullptr) written_->push_back(origin);
    return Receipt{};
  }
  store::SeriesResult write_series(const Origin& origin,
                                   const std::function<const store::Change*()>& next) override {
    store::SeriesResult result;
    while (const store::Change* change = next()) {
      const auto receipt = write(origin, *change);
      if (!receipt) {
        result.status = fail(receipt.error());
        break;
      }
      result.receipts.push_back(*receipt);
    }
    return result;
  }

  std::unique_ptr<store::WhatIf> what_if(const store::Snapshot& from) override {
    return space_->what_if(from);
  }
  store::Log& log() override { return space_->log(); }
  Status changes(Sequence after,
                 const std::function<Status(const store::LogEntry&)>& visit) override {
    return space_->changes(after, visit);
  }
  Status visit_written(Sequence after, Sequence last,
                       const std::function<Status(const store::WrittenKey&)>& visit) override {
    return space_->visit_written(after, last, visit);
  }
  Result<std::vector<std::string>> keys() override { return space_->keys(); }
  Result<store::UnsealedText> unseal(const store::SealedText& sealed) override {
    return space_->unseal(sealed);
  }
  store::SpaceStats stats() override { return space_->stats(); }
  std::vector<std::string> notes() override { return space_->notes(); }
  const std::string& folder() const override { return space_->folder(); }

  Result<Receipt> write_sealed(const Origin&, const std::string&, const store::Change&) override {
    return fail(refused());
  }
  Result<store::SealedText> seal(const std::string&, std::string_view) override {
    return fail(refused());
  }
  Status erase(const std::string&) override { return fail(refused()); }
  Result<Receipt> commit(const Origin&, store::WhatIf&) override { return fail(refused()); }
  Result<store::UndoReport> undo(const Origin&, Sequence, Sequence, bool, bool) override {
    return fail(refused());
  }
  Status checkpoint() override { return fail(refused()); }

 private:
  static Error refused() {
    return {ErrorCode::kUnsupported, "this is not done in a dry run", {}, {}};
  }

  std::shared_ptr<store::Space> space_;
  std::unique_ptr<store::WhatIf> branch_;
  std::vector<Origin>* written_;
};

}  // namespace

std::shared_ptr<store::Space> rehearsal_of(std::shared_ptr<store::Space> space,
                                           const store::Snapshot& from,
                                           std::vector<store::Origin>* written) {
  return std::make_shared<Rehearsal>(std::move(space), from, written);
}

}  // namespace anima::sleep::detail
