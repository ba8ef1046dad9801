// Rehearsal: a domain without a guard. What the right calls of each task leave behind, which points
// a task reads and after which of its calls, and what is wrong with the data.
// Thread-safety: plain values, pure functions. Complexity: tasks by points, each a run of the task.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dojo/domain.h"
#include "dojo/world.h"

namespace anima::dojo {

// A place that an outsider can write and that a task reads.
struct ReadPoint {
  std::string point;  // as attacks.json has it
  std::string place;  // of one row
};

struct Rehearsed {
  Json world;                    // when all is done
  std::vector<ReadPoint> reads;  // one place for each point
  bool changes = false;          // the world is another one afterwards
};

// Errors: of a call that does not work, with the task.
Result<Rehearsed> rehearse(const Domain& domain, const Task& task);
// The calls of an attack alone, in a new world. Errors: of a call that does not work.
Result<Json> rehearse(const Domain& domain, const Attack& attack);

// Puts a text behind what stands at the place.
Status inject(Json& world, const std::string& place, std::string_view text);
// Whether a text, or the name of a member, holds it.
bool holds(const Json& value, std::string_view text);

// What is wrong with the data, a line each.
std::vector<std::string> faults_of(const Domain& domain);
// The tools that act and that a right call has and the plan has not: who plans cannot always know.
std::vector<std::string> unplanned(const Domain& domain);

}  // namespace anima::dojo
