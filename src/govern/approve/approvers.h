// Approvers: the persons of a space whose signature is asked for, what they sign, and what of it
// counts.
//
// Once an approver is registered, a grant counts only with the signature of one, and so do the end
// of a halt and the lifting of an emergency stop: a role that is only claimed, a record that was
// only written, and a key that was never registered are worth nothing. The first approver of a
// space is whoever registers first, as an operator; from then on an operator's key signs who comes
// and who goes. When the last one is taken out, no keys are needed any more.
//
// A signature covers a Statement: what is answered and all that it rests on (tool, arguments,
// values, the difference that was seen, the time until which it counts, the space), by the SHA-256
// of its sorted JSON. Events of the log: docs/formats.md, kind 5.
// Thread-safety: plain values; an Approvers belongs to one thread.
// Source: governance specification 1.7, table rows 54-59, 97; RFC 8032.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/json/json.h"
#include "base/result.h"
#include "store/ids.h"

namespace anima::govern {

class Ledger;

// What somebody signs. `what` is "grant", "resume", "lift", "register" or "remove".
struct Statement {
  std::string what;
  Json content;  // all that it says, as the signer is shown it
};
std::string digest_of(const Json& content);  // SHA-256 of its sorted JSON, lower-case hex
// The bytes under a signature.
std::string signed_text(std::string_view what, std::string_view approver, std::string_view digest);

struct StatementSignature {
  std::string approver;  // a name
  Signature signature{};
};
// Asks somebody to sign. Errors: kDenied (they do not), kCancelled, those of the way to ask.
using Signer = std::function<Result<StatementSignature>(const Statement&)>;

// Who wants to become an approver: signed by their own key, which shows that they have it.
struct ApproverCard {
  std::string name;  // 1 to 64 of a-z, 0-9, ".", "-" and "_"
  std::string role;  // "operator", "arbiter" or "overseer"
  PublicKey key{};
  Signature signature{};

  Json to_json() const;
  // Errors: kInvalidArgument (not a card; a name or role that cannot be; not signed by its key).
  static Result<ApproverCard> from_json(const Json& json);
};
Status check_approver(std::string_view name, std::string_view role);
ApproverCard make_card(std::string_view name, std::string_view role, const SigningKey& key);

struct Approver {
  std::string name, role;
  PublicKey key{};
  Timestamp registered;                            // of the log
  store::Sequence since = store::Sequence::kNone;  // the entry that registered them
  std::optional<store::Sequence> until;            // the one that took them out
};

// As of now, whatever the log says later.
inline constexpr store::Sequence kNewest{~std::uint64_t{0}};

// The fold of the events.
class Approvers {
 public:
  // Which space it is: signatures for another one do not count. Empty: nothing can be registered.
  void of_space(std::string id) { space_ = std::move(id); }
  const std::string& space() const { return space_; }

  // An event of the log; one that is no approver's, or does not count, changes nothing.
  void apply(const Json& event, Timestamp logged, store::Sequence entry);

  // Whether there is an approver behind the entries before `at`.
  bool any(store::Sequence at = kNewest) const;
  const Approver* find(std::string_view name, store::Sequence at = kNewest) const;
  const std::vector<Approver>& all() const { return all_; }  // in the order registered

  // Whose signature it is, when it counts at that entry, for somebody of this role (empty: any).
  // Errors: kDenied.
  Result<const Approver*> check(std::string_view what, std::string_view digest,
                                const StatementSignature& signature, std::string_view role,
                                store::Sequence at = kNewest) const;

  Statement registration(const ApproverCard& card, std::int64_t at) const;
  Statement removal(const Approver& approver, std::int64_t at) const;

 private:
  void add(const Json& event, Timestamp logged, store::Sequence entry);
  void remove(const Json& event, store::Sequence entry);

  std::string space_;
  std::vector<Approver> all_;
};

// What an event says of its signature: members "approver" and "signature".
void put_signature(const StatementSignature& signature, Json& event);
Result<StatementSignature> signature_in(const Json& event);

// The id of a space: the hash of its first entry. Errors: kConflict (it has none yet).
Result<std::string> space_id(Ledger& ledger);

}  // namespace anima::govern
