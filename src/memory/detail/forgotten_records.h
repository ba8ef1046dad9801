// What becomes of the records of the log when something is forgotten (memory/forgetting.h).
//
// Texts of provenance, also of a memory that goes, and what models, tools, events, calls and runs
// have recorded, go where they name it. A record that is evidence of a decision stays, without the
// name. The record of a closed memory goes with the memory, never alone. What lies sealed inside a
// record is opened, and sealed again without the name. Thread-safety: a judge belongs to one
// thread.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "memory/detail/forgotten_names.h"
#include "store/forget.h"
#include "store/space.h"

namespace anima::memory::detail {

class RecordJudge {
 public:
  // `items`: the ids of memories that go. A dry run seals nothing.
  RecordJudge(store::Space& space, const ForgottenNames& names, std::set<std::string> items,
              bool dry)
      : space_(space), names_(names), items_(std::move(items)), dry_(dry) {}

  // As store::JudgeRecord. Errors: those of opening and sealing.
  Result<store::RecordFate> judge(store::RecordKind kind, std::string_view payload,
                                  const store::IsForgotten& gone, bool whole) const;

 private:
  // Whether the record names one of them, in what is sealed in it, too.
  Result<Naming> naming(std::string_view payload) const;
  struct Opened {
    Json json;
    bool named = false, sealed_away = false;
  };
  Result<Opened> without_names(const Json& record) const;
  Status open_sealed(Json& value, Opened& opened) const;
  Result<store::RecordFate> judge_evidence(std::string_view payload) const;
  Result<store::RecordFate> judge_closed(std::string_view payload) const;

  store::Space& space_;
  const ForgottenNames& names_;
  std::set<std::string> items_;
  bool dry_;
};

}  // namespace anima::memory::detail
