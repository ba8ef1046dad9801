// The KIP engine over one space: execute_kip and execute_kip_readonly, in process.
//
// A request is {command | commands, parameters?, dry_run?, atomic?, shape?, strict?, graph?,
// as_of?, valid_at?, min_trust?, books?, full?} or the same inside {function: {name, arguments}}.
// The answer is {result, next_cursor?} or {error: {code, name, message, hint?, data?}}; a batch and
// a text of several statements answer a list of those and stop at the first error. What ran stays,
// unless `atomic` was asked for. Commands never throw and never abort; every fault is a value in
// the answer. Each writing statement is one transaction. Statements are parsed once and cached by
// their text. Where the caller may define on use, an UPSERT defines the types and predicates that
// it names and that are not there, in its own transaction, and answers them beside the result:
// {result, defined: [{type, name, near?}]}. Thread-safety: every function from any thread. Source:
// 001, section 5.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "kip/fault.h"
#include "query/derived.h"
#include "query/executor.h"
#include "store/space.h"

namespace anima::kip {

struct EngineOptions {
  std::shared_ptr<Clock> clock;  // default: SystemClock
  query::Budget budget;          // of each statement: its queries and the making of its answer
  std::size_t cached_statements = 4096;
  std::size_t max_batch = 256;
  bool strict = true;        // undefined types and predicates in KQL are KIP_2001
  bool load_genesis = true;  // bring in what packs/genesis/ holds and the space lacks
  // What rules derive: predicates of two arguments that FIND may name like any other. Null: none.
  std::shared_ptr<query::DerivedRelations> derived = {};
};

// Who asks.
struct Caller {
  store::Origin origin = {.source = {}, .trust = store::Trust::kUntrusted};
  bool readonly = false;
  bool define_on_use = false;  // an UPSERT defines unknown types and predicates
  // Maintenance: a link that it states again stays the word of who stated it (store/restate.h).
  bool keeps_words = false;
  // SEARCH answers ten hits unless LIMIT says otherwise, each as {id, type, name, score, about?}
  // (a link: {id, subject, predicate, object, score, about?}); `full` in the request asks for all.
  bool short_hits = false;
  // Of what a request answers, as JSON without blanks; 0: no limit. A FIND ends its page there and
  // answers `next_cursor`, with LIMIT or without; what cannot be paged is refused (KIP_4002). What
  // writes answers whole.
  std::uint64_t most_answer_bytes = 0;
  std::stop_token stop;  // ends what runs for them with an error; a write that is done stays
};

class Engine {
 public:
  static Result<std::shared_ptr<Engine>> open(std::shared_ptr<store::Space> space,
                                              EngineOptions options = {});
  ~Engine();

  Json execute(const Json& request, const Caller& caller = {});
  // One command text.
  Json execute(std::string_view command, const Json& parameters, const Caller& caller = {});

  // The plan of a FIND for people; with `analyze` it is run and measured.
  Outcome<std::string> explain(std::string_view command, const Json& parameters, bool analyze);

  store::Space& space();

 private:
  struct State;
  explicit Engine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// An error is told: by the answer itself or by one of its commands.
bool has_error(const Json& response);

// "KQL", "KML", "META" or "UNKNOWN": what a request's first command is.
std::string_view command_family(const Json& request);
// False: no command of the request changes anything. True also of what is not known: commands that
// cannot be read, or are longer than 64 KiB together. Complexity: O(length of those that are read).
bool may_change(const Json& request);

// The function definitions for a model's tool list. `form`: "openai" or "anthropic".
Json function_definitions(std::string_view form);

}  // namespace anima::kip
