// `faded_confidence(Relation, S, O, C)`: what is left now of the confidence of a link of the space
// (store/fading.h), for programs that declare it: external(), mode('+', '+', '+', '-').
//
// Answered from the state of the facts at the time of the question. The engine keeps what it was
// told, so a program that asks is evaluated anew when links or metadata have changed
// (SpaceFacts::needs_evaluation). Thread-safety: any thread.
#pragma once

#include <functional>
#include <memory>

#include "base/clock.h"
#include "datalog/program.h"
#include "datalog/space/space_state.h"
#include "datalog/virtual_predicate.h"

namespace anima::datalog {

bool asks_for_faded_links(const Predicate& predicate);

class FadedLinks final : public VirtualPredicate {
 public:
  using StateOf = std::function<std::shared_ptr<const SpaceState>()>;
  FadedLinks(StateOf state, std::shared_ptr<Clock> clock)
      : state_(std::move(state)), clock_(std::move(clock)) {}

  Status answer(std::span<const std::uint32_t> columns, std::span<const Code> inputs,
                std::size_t count, ValueTable& values, std::vector<Code>& rows) override;

 private:
  const StateOf state_;
  const std::shared_ptr<Clock> clock_;
};

}  // namespace anima::datalog
