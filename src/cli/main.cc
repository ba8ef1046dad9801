#include "cli/interrupt.h"
#include "cli/program.h"

int main(int count, char** values) {
  using namespace anima::cli;
  install_interrupt_handler();
  FileStream out(stdout);
  FileStream err(stderr);
  Context context(out, err, anima::system_files(), anima::system_environment());
  return run_program(context, {values + 1, values + count});
}
