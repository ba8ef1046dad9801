// Fault: what a KIP command answers instead of a result: a stable code, a sentence, what to do
// about it, and where.
//
// Inside the room functions return Outcome<T> = Expected<T, Fault>; errors of lower rooms
// become faults on the way (a limit is KIP_4002, a time-out KIP_4001, anything unforeseen
// KIP_4003). Thread-safety: plain values. Source: 001, section 5; codes as in the conformance
// cases.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "base/result.h"

namespace anima::kip {

// Printed in responses, never renumber.
enum class Code : std::uint16_t {
  kInvalidSyntax = 1001,
  kInvalidIdentifier = 1002,
  kUndefinedName = 2001,
  kConstraintViolation = 2002,
  kInvalidValueType = 2003,
  kUnboundReference = 3001,
  kNotFound = 3002,
  kAmbiguous = 3003,
  kImmutableTarget = 3004,
  kVersionConflict = 3005,
  kTimeout = 4001,
  kResourceExhausted = 4002,
  kInternal = 4003,
};

std::string_view name_of(Code code);  // "InvalidSyntax"

struct Fault {
  Code code = Code::kInternal;
  std::string message;
  std::string hint;
  std::uint32_t line = 0;  // 1-based; 0 = nowhere in particular
  std::uint32_t column = 0;
  // Place in the command text, until the executor turns it into line and column.
  static constexpr std::uint32_t kNowhere = ~0u;
  std::uint32_t offset = kNowhere;

  Fault() = default;
  Fault(Code c, std::string m, std::string h = {}, std::uint32_t at = kNowhere)
      : code(c), message(std::move(m)), hint(std::move(h)), offset(at) {}
  Fault(const Error& error);  // NOLINT: an error of a lower room is a fault here

  // Fills line and column from `offset`. Columns count characters, not bytes.
  void locate(std::string_view text);
  Json to_json() const;
};

}  // namespace anima::kip

namespace anima {
extern template struct ErrorHeap<kip::Fault>;
}  // namespace anima

namespace anima::kip {

template <typename T>
using Outcome = Expected<T, Fault>;
using Check = Expected<void, Fault>;

Unexpected<Fault> refuse(Code code, ErrorText message, ErrorText hint = {},
                         std::uint32_t offset = Fault::kNowhere);

}  // namespace anima::kip

namespace anima {
Unexpected<kip::Fault> fail(kip::Fault fault);
}  // namespace anima
