// The key of an approver as a file that only its passphrase opens: Ed25519, sealed with
// XChaCha20-Poly1305 under a key that Argon2id makes of the passphrase. Who can read the file, but
// does not know the passphrase, has to guess it at that cost.
// On disk: docs/formats.md. Thread-safety: functions without state.
#pragma once

#include <string>
#include <string_view>

#include "base/passphrase.h"
#include "base/random.h"
#include "base/result.h"
#include "govern/approve/approvers.h"

namespace anima::govern {

inline constexpr std::size_t kLeastPassphraseCharacters = 12;

// A new key. Errors: kInvalidArgument (name, role, a passphrase of fewer characters), those of the
// cost.
struct NewApproverKey {
  std::string file;
  ApproverCard card;
};
Result<NewApproverKey> make_approver_key(std::string_view name, std::string_view role,
                                         std::string_view passphrase, const PassphraseCost& cost,
                                         Random& random);

// What a key file says without its passphrase. Errors: kCorrupt, with `where`.
Result<ApproverCard> card_of_key(std::string_view file, std::string_view where);
// Errors: kCorrupt (no such file), kDenied (another passphrase), kLimitExceeded (no memory).
// Who is given the key wipes it.
Result<SigningKey> open_approver_key(std::string_view file, std::string_view passphrase,
                                     std::string_view where);

// Signs, once asked.
StatementSignature sign_statement(const Statement& statement, std::string_view approver,
                                  const SigningKey& key);

}  // namespace anima::govern
