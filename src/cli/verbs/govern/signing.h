// Who signs what a verb does, where the space has approvers: a person at the terminal with the
// passphrase of a key file, or a process that holds the key (cli/verbs/govern/approver_socket.h).
// Thread-safety: belongs to one thread. The context outlives what is made here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/passphrase.h"
#include "base/terminal.h"
#include "cli/frame/context.h"
#include "cli/frame/options.h"
#include "govern/approve/approver_book.h"
#include "govern/approve/approver_pins.h"
#include "govern/approve/approvers.h"

namespace anima::cli {

// As the command line says.
struct SigningWishes {
  std::optional<std::string> approver;  // a name
  std::optional<std::string> key_file;
  std::optional<std::string> socket;
  void declare(Options& options);
};
inline constexpr std::string_view kSigningUsage = "[--by NAME | --key FILE | --socket PATH]";

// Where key files lie: $XDG_DATA_HOME/anima/approvers/NAME.key.
std::string approver_key_path(const Context& context, std::string_view name);

// Who signs, before anything is signed.
struct ChosenSigner {
  std::string name, role;  // empty: the space has no approvers, and nobody signs
  govern::Signer sign;
};
// What this account knows of the approvers of its spaces.
govern::ApproverPins pins_of(Context& context);
// `role`: who is wanted; empty: anybody. Errors: those of ApproverPins::check(), kNotFound (no key
// here, nobody listens), kDenied (another role), kInvalidArgument (several keys would do).
Result<ChosenSigner> choose_signer(Context& context, const govern::Approvers& approvers,
                                   const SigningWishes& wishes, std::string_view role);
// Who answers at a socket, with the role that they say they have.
Result<ChosenSigner> signer_at_socket(const std::string& path);

// A passphrase twice, at the terminal. Errors: kDenied (no terminal), kInvalidArgument (they
// differ), kCancelled.
Result<std::string> ask_new_passphrase(std::string_view name);
// The key of a file, with its passphrase from the terminal; three attempts. Who is given the key
// wipes it.
Result<SigningKey> unlock_at_terminal(Terminal& terminal, const std::string& file,
                                      const std::string& path, std::string_view name);
// Errors: kDenied: there is no terminal.
Result<std::unique_ptr<Terminal>> terminal_of_person();

}  // namespace anima::cli
