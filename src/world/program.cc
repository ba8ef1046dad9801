#include "world/program.h"

#include <limits>
#include <vector>

#include "base/text/read_number.h"

namespace anima::world {
namespace {

struct Instruction {
  std::string_view name;
  std::string_view operand;
};

std::vector<Instruction> read_lines(std::string_view program) {
  std::vector<Instruction> lines;
  while (!program.empty()) {
    const std::size_t end = std::min(program.find('\n'), program.size());
    const std::string_view line = program.substr(0, end);
    program.remove_prefix(std::min(program.size(), end + 1));
    const std::size_t blank = std::min(line.find(' '), line.size());
    lines.push_back({line.substr(0, blank), line.substr(std::min(line.size(), blank + 1))});
  }
  return lines;
}

class Machine {
 public:
  Machine(std::vector<Instruction> lines, std::int64_t input)
      : lines_(std::move(lines)), input_(input) {}

  Execution run(std::uint64_t tick_limit) {
    Execution out;
    while (!halted_ && fault_ == Fault::kNone) {
      if (out.ticks == tick_limit) {
        fault_ = Fault::kTicks;
      } else if (at_ >= lines_.size()) {
        fault_ = Fault::kJump;
      } else {
        ++out.ticks;
        step(lines_[at_++]);
      }
    }
    out.fault = fault_;
    if (fault_ == Fault::kNone) out.result = stack_.empty() ? 0 : stack_.back();
    return out;
  }

 private:
  std::int64_t pop() {
    if (stack_.empty()) {
      fault_ = Fault::kStack;
      return 0;
    }
    const std::int64_t value = stack_.back();
    stack_.pop_back();
    return value;
  }

  void push(std::int64_t value) {
    if (stack_.size() == kMaxStack) {
      fault_ = Fault::kStack;
    } else {
      stack_.push_back(value);
    }
  }

  std::int64_t operand(std::string_view text) {
    const auto value = read_number<std::int64_t>(text);
    if (!value) fault_ = Fault::kInstruction;
    return value.value_or(0);
  }

  void jump(std::string_view text) {
    const std::int64_t line = operand(text);
    if (line < 0 || static_cast<std::uint64_t>(line) >= lines_.size()) {
      fault_ = Fault::kJump;
    } else {
      at_ = static_cast<std::size_t>(line);
    }
  }

  // Of two values, the upper one `b`.
  void arithmetic(std::string_view name) {
    const std::int64_t b = pop();
    const std::int64_t a = pop();
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    if (name == "add") return push(static_cast<std::int64_t>(x + y));
    if (name == "sub") return push(static_cast<std::int64_t>(x - y));
    if (name == "mul") return push(static_cast<std::int64_t>(x * y));
    if (name != "div" && name != "mod") {
      fault_ = Fault::kInstruction;
    } else if (b == 0 || (a == std::numeric_limits<std::int64_t>::min() && b == -1)) {
      fault_ = Fault::kDivision;
    } else {
      push(name == "div" ? a / b : a % b);
    }
  }

  void step(const Instruction& line) {
    if (line.name == "halt") {
      halted_ = true;
    } else if (line.name == "push") {
      push(operand(line.operand));
    } else if (line.name == "input") {
      push(input_);
    } else if (line.name == "drop") {
      pop();
    } else if (line.name == "dup") {
      const std::int64_t value = pop();
      push(value);
      push(value);
    } else if (line.name == "swap") {
      const std::int64_t b = pop();
      const std::int64_t a = pop();
      push(b);
      push(a);
    } else if (line.name == "jump") {
      jump(line.operand);
    } else if (line.name == "jumpz") {
      if (pop() == 0) jump(line.operand);
    } else {
      arithmetic(line.name);
    }
  }

  const std::vector<Instruction> lines_;
  const std::int64_t input_;
  std::vector<std::int64_t> stack_;
  std::size_t at_ = 0;
  Fault fault_ = Fault::kNone;
  bool halted_ = false;
};

}  // namespace

Execution run_program(std::string_view program, std::int64_t input, std::uint64_t tick_limit) {
  if (program.size() > kMaxProgramBytes) return {Fault::kInstruction, 0, 0};
  return Machine(read_lines(program), input).run(tick_limit);
}

}  // namespace anima::world
