// A bound on the memory that a program and everything it starts take together.
//
// The kernel holds it where a cgroup of version 2 beside our own may be made (as root, and in what
// a service manager delegated to the user): the cgroup's memory.max, all of the tree ended at once.
// What a killed process left empty the next one removes.
// Elsewhere the tree is looked at: the private and shared memory of each process from /proc, and
// when that sum is over the bound, its proportional share, which counts a page that several have
// once. A look costs a few reads a process; between two looks a program may go over.
// Thread-safety: one thread. Errors: none; what cannot be read counts as nothing.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace anima::tools::detail {

// Tried once: may a cgroup with a limit be made? Empty: yes; else why not.
const std::string& cgroup_problem();

// The processor time that the process, all that descend from it, and those of them that have ended
// took together. A few reads a process. What nobody waited for yet counts, what was never a
// descendant does not.
std::uint64_t processor_milliseconds(pid_t root);

// How many processes these are.
std::size_t processes_of(pid_t root);

class MemoryBound {
 public:
  // Before the child is let go. The child is the first of a process name space, or starts none.
  MemoryBound(pid_t child, std::uint64_t bytes);
  ~MemoryBound();  // removes the cgroup
  MemoryBound(const MemoryBound&) = delete;
  MemoryBound& operator=(const MemoryBound&) = delete;

  bool held_by_kernel() const { return !cgroup_.empty(); }
  // Is the tree over its bound now? Of a cgroup: was it ever.
  bool exceeded() const;

 private:
  pid_t child_;
  std::uint64_t bytes_;
  std::string cgroup_;  // its folder
};

}  // namespace anima::tools::detail
