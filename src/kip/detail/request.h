// A request object, checked. Thread-safety: plain values; views point into the request.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "kip/detail/validity.h"
#include "kip/fault.h"
#include "store/fading.h"
#include "store/ids.h"

namespace anima::kip::detail {

struct Command {
  std::string_view text;
  Json parameters;  // merged; used when `own` is set
  bool own = false;
  const Json* shared = nullptr;  // else these
  const Json* bound() const { return own ? &parameters : shared; }
};

struct Request {
  std::vector<Command> commands;
  bool batch = false;
  bool dry_run = false;
  bool atomic = false;
  bool readonly = false;
  bool rows_shape = false;
  bool full = false;   // hits of SEARCH whole, whatever the caller likes
  bool books = false;  // reads Anima's own books too (store/own_graphs.h)
  std::optional<bool> strict;
  std::string_view graph;
  std::optional<Json> as_of;  // a sequence number or a time
  std::optional<ValidTime> valid_at;
  bool any_time = false;                      // what has ended and what has not begun, too
  std::optional<store::Trust> min_trust;      // reads what is stated with this trust at least
  double decay_factor = store::kDecayFactor;  // of `_faded_confidence`
};

// KIP_1001 for anything that is not as it should be. `json` must outlive the result.
Outcome<Request> read_request(const Json& json, std::size_t max_batch);

}  // namespace anima::kip::detail
