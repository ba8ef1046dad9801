// A person's consent at the prompt, for conversations: the call that waits is shown and asked for.
// Thread-safety: belongs to one thread. What is passed in outlives it.
#pragma once

#include <optional>
#include <string>

#include "cli/frame/context.h"
#include "cli/terminal/line_reader.h"
#include "govern/approve/approvals.h"
#include "govern/ledger/ledger.h"

namespace anima::cli {

class ConsentPrompt {
 public:
  ConsentPrompt(Context& context, LineReader& input, govern::Approvals& approvals,
                govern::Ledger& ledger)
      : context_(context), input_(input), approvals_(approvals), ledger_(ledger) {}

  // The next line that is said; absent at the end of the input.
  std::optional<std::string> next(const std::string& prompt);
  // Grants or rejects the approval, as the person says. Without a yes it is denied: a line that is
  // neither yes nor no is the next thing said. "n because TEXT" says why. Errors: those of the
  // approvals.
  Result<bool> ask(const std::string& approval_id);

 private:
  Context& context_;
  LineReader& input_;
  Status grant(const std::string& approval_id);

  govern::Approvals& approvals_;
  govern::Ledger& ledger_;
  std::string put_back_;
};

}  // namespace anima::cli
