// The statements of a request's commands, one by one.
//
// A command is parsed when its turn comes; a long one while those before it run. Thread-safety: one
// thread.
#pragma once

#include <future>
#include <memory>
#include <optional>

#include "kip/detail/cache.h"
#include "kip/detail/request.h"

namespace anima::kip::detail {

struct Step {
  const Command* command = nullptr;
  std::size_t number = 0;  // of the command
  std::shared_ptr<const Script> script;
  const Statement* statement = nullptr;  // null: the command holds none
  bool alone = true;                     // no other statement stands in the command
  std::optional<Fault> fault;            // the command cannot be parsed
};

class Steps {
 public:
  Steps(StatementCache& cache, const Request& request) : cache_(cache), request_(request) {}

  // The next one; null at the end. Valid until pop().
  const Step* peek();
  void pop() { step_.reset(); }

 private:
  using Parsed = Outcome<std::shared_ptr<const Script>>;
  static constexpr std::size_t kLong = std::size_t{16} << 10;  // worth a thread

  bool open_command();
  Parsed parse(std::size_t number);

  StatementCache& cache_;
  const Request& request_;
  std::size_t next_command_ = 0;
  std::shared_ptr<const Script> script_;  // of the command before next_command_
  std::size_t next_statement_ = 0;
  std::optional<Step> step_;
  std::future<Parsed> ahead_;  // of next_command_
};

}  // namespace anima::kip::detail
