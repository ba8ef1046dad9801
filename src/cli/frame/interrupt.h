// Ctrl-C and SIGTERM: the first asks the running verb to stop where it can be resumed (it polls
// interrupted() between steps and returns kInterrupted), the second ends the program at once.
// A file that is cut while it is mapped into memory ends the program with kIntegrity, not with a
// signal. Thread-safety: interrupted() from any thread and from signal handlers.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace anima::cli {

void install_interrupt_handler();
bool interrupted();
// From here on SIGHUP asks for a reload and ends nothing, but where it came because the terminal of
// the program is gone: then it is an interrupt.
void take_hangups();
// Whether one came since this was asked last.
bool take_hangup();
// For a prompt: true when it was Ctrl-C (SIGINT), which is forgotten then; a SIGTERM stays.
bool take_interrupt();
// For functions of lower rooms that take a flag to poll; lives as long as the program.
const std::atomic<bool>& interrupt_flag();
// Waits for standard input; false when interrupted before there is any, whichever thread took the
// signal and however near to the wait it came, and when the terminal's window changed.
bool wait_for_input();
// Standard input to its end. Errors: kCancelled when interrupted meanwhile, kLimitExceeded, kIo.
Result<std::string> read_standard_input(std::uint64_t max_bytes);

}  // namespace anima::cli
