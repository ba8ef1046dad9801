// What a running `anima serve` takes of its settings when it is told to look again (SIGHUP), and
// what waits for the next start. Thread-safety: one thread. Ownership: what is passed in outlives
// it.
#pragma once

#include <string>
#include <vector>

#include "base/config.h"
#include "cli/frame/context.h"
#include "serve/tokens.h"

namespace anima::cli {

class Reload {
 public:
  // `tokens` null: a socket, which needs none.
  Reload(Context& context, serve::TokenBook* tokens);

  // Reads the files of the configuration, the tokens and the rules again, and says on standard
  // error what was taken. What cannot be read leaves what was in force.
  void run();

 private:
  std::string settings_taken();
  std::string tokens_now() const;
  std::string rules_now() const;

  Context& context_;
  serve::TokenBook* tokens_;
  Config current_;
};

}  // namespace anima::cli
