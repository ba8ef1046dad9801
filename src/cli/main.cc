#include "cli/frame/interrupt.h"
#include "cli/frame/program.h"

int main(int count, char** values) {
  anima::cli::install_interrupt_handler();
  anima::cli::FileStream out(stdout);
  anima::cli::FileStream err(stderr);
  anima::cli::Context context(out, err, anima::system_files(), anima::system_environment());
  return anima::cli::run_program(context, {values + 1, values + count});
}
