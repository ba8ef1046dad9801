// Programs of a world: a stack machine that the forge runs and whose steps are counted, so that a
// program of anybody can do no more than count to a number. Text, one instruction a line:
//
//   push N   add   sub   mul   div   mod   dup   swap   drop   input   jump L   jumpz L   halt
//
// Values are 64-bit and wrap around; L is the number of a line from 0. `halt` ends with the top of
// the stack. Thread-safety: a function without state. O(steps).
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"

namespace anima::world {

inline constexpr std::size_t kMaxProgramBytes = 16'384;
inline constexpr std::size_t kMaxStack = 256;
inline constexpr std::uint64_t kDefaultProgramTicks = 10'000;

// On the wire, never renumber.
enum class Fault : std::uint8_t {
  kNone = 0x00,
  kTicks = 0x01,
  kStack = 0x02,
  kDivision = 0x03,
  kInstruction = 0x04,
  kJump = 0x05,
  kUser = 0xff,
};

struct Execution {
  Fault fault = Fault::kNone;  // kNone: it halted
  std::int64_t result = 0;
  std::uint64_t ticks = 0;
};
Execution run_program(std::string_view program, std::int64_t input, std::uint64_t tick_limit);

// Where programs run: in the sandbox (machine/sandboxed_machine.h), or here. Errors: it cannot be
// done now.
using ProgramRunner = std::function<Result<Execution>(std::string_view program, std::int64_t input,
                                                      std::uint64_t tick_limit)>;

}  // namespace anima::world
