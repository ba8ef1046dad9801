#include "cli/verbs/govern/signing.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/files/file.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/render/statement_view.h"
#include "cli/verbs/govern/approver_socket.h"
#include "govern/approve/approver_key.h"

namespace anima::cli {
namespace {

constexpr std::uint64_t kMostKeyBytes = 16384;
constexpr int kAttempts = 3;

struct KeyFile {
  std::string path, file;
  govern::ApproverCard card;
};

Result<KeyFile> read_key_file(Context& context, const std::string& path) {
  auto file = read_file(context.files, path, kMostKeyBytes);
  if (!file) {
    return fail(ErrorCode::kNotFound, "there is no key of an approver", path,
                "`anima approver init NAME` makes one; --key FILE, --socket PATH name another");
  }
  ANIMA_ASSIGN(govern::ApproverCard card, govern::card_of_key(*file, path));
  return KeyFile{path, *std::move(file), std::move(card)};
}

// Those in the folder whose owners are approvers here.
std::vector<KeyFile> keys_at_hand(Context& context, const govern::Approvers& approvers,
                                  std::string_view role) {
  std::vector<KeyFile> found;
  const std::string folder(parent_path(approver_key_path(context, "any")));
  const auto entries = context.files.list(folder);
  if (!entries) return found;
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.name.ends_with(".key")) continue;
    auto key = read_key_file(context, join_path(folder, entry.name));
    if (!key) continue;
    const govern::Approver* approver = approvers.find(key->card.name);
    if (approver == nullptr || approver->key != key->card.key) continue;
    if (role.empty() || approver->role == role) found.push_back(*std::move(key));
  }
  return found;
}

Result<KeyFile> choose_key(Context& context, const govern::Approvers& approvers,
                           const SigningWishes& wishes, std::string_view role) {
  if (wishes.key_file) return read_key_file(context, *wishes.key_file);
  if (wishes.approver) return read_key_file(context, approver_key_path(context, *wishes.approver));
  std::vector<KeyFile> keys = keys_at_hand(context, approvers, role);
  if (keys.size() == 1) return std::move(keys.front());
  std::string names;
  for (const KeyFile& each : keys) names += (names.empty() ? "" : ", ") + each.card.name;
  if (!keys.empty()) {
    return fail(ErrorCode::kInvalidArgument, "several keys would do: " + names, {},
                "say whose: --by NAME");
  }
  return fail(ErrorCode::kNotFound,
              role.empty() ? "no key of an approver of this space is here"
                           : "no key of an approver who is " + std::string(role) + " is here",
              std::string(parent_path(approver_key_path(context, "any"))),
              "name it with --key FILE, or who holds it with --socket PATH");
}

Result<govern::StatementSignature> sign_at_terminal(const KeyFile& key,
                                                    const govern::Statement& statement) {
  const Uninspected uninspected;
  ANIMA_ASSIGN(const auto terminal, terminal_of_person());
  ANIMA_TRY(terminal->write(statement_text(statement)));
  ANIMA_ASSIGN(SigningKey opened, unlock_at_terminal(*terminal, key.file, key.path, key.card.name));
  const govern::StatementSignature signature =
      govern::sign_statement(statement, key.card.name, opened);
  wipe(opened);
  return signature;
}

}  // namespace

void SigningWishes::declare(Options& options) {
  options.value("--by NAME", approver, "the approver who signs; the passphrase is asked for");
  options.value("--key FILE", key_file, "the approver's key file").excludes("--by");
  options.value("--socket PATH", socket, "where `anima approver serve` listens")
      .excludes("--by")
      .excludes("--key");
}

std::string approver_key_path(const Context& context, std::string_view name) {
  return join_path(user_directories(context.environment).data,
                   "approvers/" + std::string(name) + ".key");
}

Result<std::unique_ptr<Terminal>> terminal_of_person() {
  auto terminal = Terminal::open(&interrupt_flag());
  if (terminal) return terminal;
  return fail(ErrorCode::kDenied, "the passphrase of an approver is asked for at a terminal only",
              terminal.error().where, "run it at a terminal of your own, or see --socket");
}

Result<std::string> ask_new_passphrase(std::string_view name) {
  ANIMA_ASSIGN(const auto terminal, terminal_of_person());
  ANIMA_ASSIGN(std::string first,
               terminal->ask_secretly(fmt::format("New passphrase of {}: ", name)));
  ANIMA_ASSIGN(std::string second, terminal->ask_secretly("Once more: "));
  const bool same = first == second;
  wipe(second);
  if (same) return first;
  wipe(first);
  return fail(ErrorCode::kInvalidArgument, "the two passphrases differ");
}

Result<SigningKey> unlock_at_terminal(Terminal& terminal, const std::string& file,
                                      const std::string& path, std::string_view name) {
  for (int attempt = 1;; ++attempt) {
    ANIMA_ASSIGN(std::string passphrase,
                 terminal.ask_secretly(fmt::format("Passphrase of {} (empty: no): ", name)));
    if (passphrase.empty()) return fail(ErrorCode::kDenied, "it was not signed");
    auto key = govern::open_approver_key(file, passphrase, path);
    wipe(passphrase);
    if (key || key.error().code != ErrorCode::kDenied || attempt == kAttempts) return key;
    ANIMA_TRY(terminal.write("That is not the passphrase.\n"));
  }
}

Result<ChosenSigner> signer_at_socket(const std::string& path) {
  ANIMA_ASSIGN(auto made, ApproverClient::connect(path, interrupt_flag()));
  const std::shared_ptr<ApproverClient> client = std::move(made);
  return ChosenSigner{client->name(), client->role(), [client](const govern::Statement& statement) {
                        return client->sign(statement);
                      }};
}

govern::ApproverPins pins_of(Context& context) {
  return {context.files, approver_pin_folder(context)};
}

Result<ChosenSigner> choose_signer(Context& context, const govern::Approvers& approvers,
                                   const SigningWishes& wishes, std::string_view role) {
  ANIMA_TRY(pins_of(context).check(context.space, approvers));
  if (!approvers.any()) return ChosenSigner{};
  ChosenSigner chosen;
  const std::string& configured = context.config.text("approvals.socket");
  const bool at_hand = wishes.approver || wishes.key_file;
  if (wishes.socket || (!at_hand && !configured.empty())) {
    ANIMA_ASSIGN(chosen, signer_at_socket(wishes.socket.value_or(configured)));
  } else {
    ANIMA_ASSIGN(KeyFile key, choose_key(context, approvers, wishes, role));
    chosen.name = key.card.name;
    chosen.sign = [key = std::move(key)](const govern::Statement& statement) {
      return sign_at_terminal(key, statement);
    };
  }
  const govern::Approver* approver = approvers.find(chosen.name);
  if (approver == nullptr) {
    return fail(ErrorCode::kDenied, "'" + chosen.name + "' is no approver of this space", {},
                "`anima approver list` shows who is");
  }
  chosen.role = approver->role;
  if (role.empty() || role == chosen.role) return chosen;
  return fail(ErrorCode::kDenied,
              "'" + chosen.name + "' is " + chosen.role + " here, not " + std::string(role));
}

}  // namespace anima::cli
