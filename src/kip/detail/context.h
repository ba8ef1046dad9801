// What a statement runs in: the state it sees, the transaction it writes to, its parameters and
// limits.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "kip/detail/bind.h"
#include "kip/detail/validity.h"
#include "query/derived.h"
#include "query/executor.h"
#include "store/fading.h"
#include "store/transaction.h"
#include "store/undo_rules.h"

namespace anima::kip::detail {

// What is left of the bytes that a request may answer.
class AnswerRoom {
 public:
  explicit AnswerRoom(std::uint64_t bytes) : bytes_(bytes), left_(bytes) {}
  // False, and nothing is taken, when there is not so much.
  bool take(std::uint64_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }
  Fault exceeded() const {
    return {Code::kResourceExhausted,
            "the request answers more than " + std::to_string(bytes_) + " bytes",
            "ask for single fields, set LIMIT, or send fewer commands at once"};
  }

 private:
  std::uint64_t bytes_, left_;
};

struct Context {
  store::Snapshot snapshot;                   // the state at the start of the statement
  store::Transaction* transaction = nullptr;  // null: reads only
  Binder binder{nullptr};
  query::RunOptions run;
  Clock* clock = nullptr;
  bool strict = true;
  bool rows_shape = false;
  bool define_on_use = false;  // UPSERT defines types and predicates that are not there
  bool keeps_words = false;    // (engine.h, Caller)
  bool short_hits = false;     // SEARCH (engine.h, Caller)
  // What rules derive from `snapshot`; null where it is no whole state of the space.
  query::DerivedRelations* derived = nullptr;
  bool privileged = false;    // genesis: protected nodes may be written, existing attributes stay
  store::Fading fading = {};  // FIND: of `_faded_confidence`
  std::optional<ValidTime> valid_at = {};    // FIND: only links that hold then
  std::optional<Timestamp> what_holds = {};  // FIND: the moment that patterns without a link ask of
  store::GraphId graph = store::GraphId::kDefault;
  const store::UndoRules* rules = nullptr;  // what follows a merge or a deletion; null: nothing
  // What all that the statement does may cost; `run` spends from it. Null: each query on its own.
  std::shared_ptr<query::Meter> meter = {};
  // How long the rest of the request's answer may be (engine.h, Caller); null: no limit.
  AnswerRoom* room = nullptr;
};

// What a statement answers.
struct Reply {
  Json result;
  std::string next_cursor;  // empty = none
  JsonObject extra;         // members beside `result`
};

Outcome<Reply> run_find(const Find& find, Context& context);
Outcome<std::string> explain_find(const Find& find, Context& context, bool analyze);
Outcome<Reply> run_upsert(const Upsert& upsert, Context& context);
Outcome<Reply> run_delete(const Delete& remove, Context& context);
Outcome<Reply> run_update(const Update& update, Context& context);
Outcome<Reply> run_merge(const Merge& merge, Context& context);
Outcome<Reply> run_describe(const Describe& describe, Context& context);
Outcome<Reply> run_search(const Search& search, Context& context);
Outcome<Reply> run_export(const Export& it, Context& context);

}  // namespace anima::kip::detail
