// anima-machine: runs the programs of a world (world/program.h), alone in the sandbox: it is linked
// statically, sees no file, starts no process and opens no socket. Each line on standard input is
// "INPUT TICKS LENGTH", followed by so many bytes of a program; each answer is the line
// "FAULT RESULT TICKS" on standard output. It ends when its input does, and with 1 when a line
// cannot be read.
#include <cinttypes>
#include <cstdio>
#include <string>

#include "world/program.h"

int main() {
  std::int64_t input = 0;
  std::uint64_t ticks = 0;
  std::size_t length = 0;
  std::string program;
  for (;;) {
    const int read = std::scanf("%" SCNd64 " %" SCNu64 " %zu", &input, &ticks, &length);
    if (read == EOF) return 0;
    if (read != 3 || length > anima::world::kMaxProgramBytes || std::getchar() != '\n') return 1;
    program.resize(length);
    if (std::fread(program.data(), 1, length, stdin) != length) return 1;
    const anima::world::Execution run = anima::world::run_program(program, input, ticks);
    std::printf("%d %" PRId64 " %" PRIu64 "\n", static_cast<int>(run.fault), run.result, run.ticks);
    std::fflush(stdout);
  }
}
