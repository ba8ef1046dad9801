// anima approver: who may sign approvals of a space, and the process that holds a key.
#include <fmt/format.h>
#include <pwd.h>
#include <sys/types.h>

#include "base/json/json_member.h"
#include "base/passphrase.h"
#include "base/text/text.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "cli/render/statement_view.h"
#include "cli/render/table.h"
#include "cli/verbs/govern/approver_socket.h"
#include "cli/verbs/govern/signing.h"
#include "govern/approve/approver_book.h"
#include "govern/approve/approver_key.h"

namespace anima::cli {
namespace {

using govern::Approver;
using govern::ApproverBook;
using govern::ApproverCard;
using govern::PinnedApprovers;

std::string fingerprint(const PublicKey& key) { return to_hex(key).substr(0, 16); }

Json approver_json(const Approver& approver) {
  Json json = Json::object({{"name", approver.name},
                            {"role", approver.role},
                            {"key", to_hex(approver.key)},
                            {"registered", format_timestamp(approver.registered)},
                            {"entry", static_cast<std::int64_t>(approver.since)}});
  if (approver.until) json.set("removed", static_cast<std::int64_t>(*approver.until));
  return json;
}

struct OpenBook {
  explicit OpenBook(std::unique_ptr<Governance> opened)
      : governance(std::move(opened)), book(governance->ledger) {}

  std::unique_ptr<Governance> governance;
  ApproverBook book;
  const govern::Approvers* approvers = nullptr;  // as the log was when it was opened
};
Result<std::unique_ptr<OpenBook>> open_book(Context& context, Access access) {
  ANIMA_ASSIGN(auto governance, open_governance(context, access));
  auto open = std::make_unique<OpenBook>(std::move(governance));
  ANIMA_ASSIGN(open->approvers, open->book.now());
  return open;
}

Status remember_approvers(Context& context, ApproverBook& book) {
  ANIMA_ASSIGN(const govern::Approvers* approvers, book.now());
  return pins_of(context).check(context.space, *approvers);
}

// Registers a card; whoever is an operator already signs it.
int register_card(Context& context, const ApproverCard& card, const SigningWishes& wishes) {
  const auto open = open_book(context, Access::kWrite);
  if (!open) return context.fail(open.error());
  auto& [governance, book, approvers] = **open;
  const bool first = !approvers->any();
  const auto signer = choose_signer(context, *approvers, wishes, "operator");
  if (!signer) return context.fail(signer.error());
  const Status added =
      book.add(card, local_origin(context, "").author, governance->clock.now(), signer->sign);
  if (!added) return context.fail(added.error());
  if (const Status known = remember_approvers(context, book); !known)
    context.warn(known.error().describe());
  if (context.json) {
    context.print_json(card.to_json());
    return kDone;
  }
  context.print(fmt::format("{} approves here from now on, as {} (key {})\n", card.name, card.role,
                            fingerprint(card.key)));
  if (first)
    context.note(
        "approvals of this space need a signature now; keep a copy of the key, or register "
        "a second approver: without any nothing is approved again");
  return kDone;
}

// Where nothing is yet. Errors: kAlreadyExists.
Status write_new_key(Context& context, const std::string& path, const std::string& file) {
  if (file_exists(context.files, path)) {
    return fail(ErrorCode::kAlreadyExists, "there is a file already", path,
                "a key is never replaced: name another file with --file");
  }
  ANIMA_TRY(context.files.make_directories(std::string(parent_path(path)), 0700));
  return replace_file(context.files, path, file, 0600);
}

Result<ApproverCard> make_key(Context& context, const std::string& name, const std::string& role,
                              const std::string& path) {
  ANIMA_TRY(govern::check_approver(name, role));
  if (file_exists(context.files, path)) {
    return fail(ErrorCode::kAlreadyExists, "there is a key already", path,
                "`anima approver add " + path + "` registers it");
  }
  const Uninspected uninspected;
  ANIMA_ASSIGN(std::string passphrase, ask_new_passphrase(name));
  SystemRandom random;
  auto made = govern::make_approver_key(name, role, passphrase, PassphraseCost{}, random);
  wipe(passphrase);
  if (!made) return fail(made.error());
  ANIMA_TRY(write_new_key(context, path, made->file));
  context.note("the key of " + name + " is " + path);
  return std::move(made->card);
}

int run_approver_init(Context& context, Arguments arguments) {
  std::string name;
  std::string role = "operator";
  std::optional<std::string> file;
  bool key_only = false;
  SigningWishes wishes;
  Options options;
  options.positional("NAME", name, "who it is: a-z, 0-9, '.', '-', '_'").required();
  options.value("--role ROLE", role, "what they answer as")
      .choices({"operator", "arbiter", "overseer"});
  options.value("--file FILE", file, "the key file (default: in the folder of your data)").output();
  options.flag("--key-only", key_only,
               "makes the key and prints its card, which `anima approver add` registers");
  wishes.declare(options);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  // A space that is not there, or whose approvers are not at hand, is told before a key is made.
  if (!key_only) {
    const auto governance = open_governance(context, Access::kWrite);
    if (!governance) return context.fail(governance.error());
  }
  const auto card = make_key(context, name, role, file.value_or(approver_key_path(context, name)));
  if (!card) return context.fail(card.error());
  if (!key_only) return register_card(context, *card, wishes);
  context.print_json(card->to_json());
  return kDone;
}

int run_approver_add(Context& context, Arguments arguments) {
  std::string path;
  SigningWishes wishes;
  Options options;
  options.positional("FILE", path, "a card or a key file; - reads standard input").required();
  wishes.declare(options);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (const auto governance = open_governance(context, Access::kWrite); !governance)
    return context.fail(governance.error());
  const auto text = context.read_input(path, 16384);
  if (!text) return context.fail(text.error());
  const auto json = parse_json(*text);
  if (!json) return context.fail(json.error());
  const auto card = ApproverCard::from_json(*json);
  if (!card) return context.fail(card.error());
  return register_card(context, *card, wishes);
}

int run_approver_list(Context& context, Arguments arguments) {
  bool all = false;
  Options options;
  options.flag("--all", all, "those that were taken out too");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto open = open_book(context, Access::kRead);
  if (!open) return context.fail(open.error());
  if (const Status same = pins_of(context).check(context.space, *(*open)->approvers); !same)
    context.warn(same.error().describe());
  Json list = Json::array();
  Table table({"name", "role", "key", "since", "entry"});
  for (const Approver& each : (*open)->approvers->all()) {
    if (each.until && !all) continue;
    list.push_back(approver_json(each));
    const std::string until =
        each.until ? fmt::format(" to {}", static_cast<std::uint64_t>(*each.until)) : "";
    table.add({each.name, each.role, fingerprint(each.key), format_timestamp(each.registered),
               fmt::format("{}{}", static_cast<std::uint64_t>(each.since), until)});
  }
  if (context.json) {
    context.print_json(Json::object({{"approvers", std::move(list)}}));
  } else if (table.empty()) {
    context.print("There is no approver: approvals need no key.\n");
  } else {
    context.print(table.render(context));
  }
  return kDone;
}

int run_approver_remove(Context& context, Arguments arguments) {
  std::string name;
  SigningWishes wishes;
  Options options;
  options.positional("NAME", name, "the approver").required();
  wishes.declare(options);
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto open = open_book(context, Access::kWrite);
  if (!open) return context.fail(open.error());
  auto& [governance, book, approvers] = **open;
  // Who goes signs for themselves, an operator for everybody.
  const std::string_view role = wishes.approver && *wishes.approver == name ? "" : "operator";
  const auto signer = choose_signer(context, *approvers, wishes, role);
  if (!signer) return context.fail(signer.error());
  const Status removed =
      book.remove(name, local_origin(context, "").author, governance->clock.now(), signer->sign);
  if (!removed) return context.fail(removed.error());
  if (const Status known = remember_approvers(context, book); !known)
    context.warn(known.error().describe());
  context.print(name + " approves nothing here any more\n");
  const auto left = book.now();
  if (left && !(*left)->any()) context.note("there is no approver left: approvals need no key");
  return kDone;
}

// --- pin -----------------------------------------------------------------------------------------

Json persons_json(const PinnedApprovers& list) {
  Json persons = Json::array();
  for (const auto& [name, role, key, removed] : list.persons) {
    persons.push_back(
        Json::object({{"name", name}, {"role", role}, {"key", to_hex(key)}, {"removed", removed}}));
  }
  return persons;
}

std::string persons_text(const PinnedApprovers& list) {
  std::string text;
  for (const auto& [name, role, key, removed] : list.persons) {
    text += fmt::format("  {} ({}, key {}){}\n", visible_text(name), visible_text(role),
                        fingerprint(key), removed ? ", taken out" : "");
  }
  return text.empty() ? "  nobody\n" : text;
}

Status renew_pins(Context& context, const govern::Approvers& approvers) {
  ANIMA_ASSIGN(const auto terminal, terminal_of_person());
  ANIMA_TRY(terminal->write("the approvers of this space:\n" + persons_text(pinned(approvers))));
  ANIMA_ASSIGN(const std::string said, terminal->ask("are these right? [y/N] "));
  const std::string folded = to_lower(trim(said));
  if (folded != "y" && folded != "yes")
    return fail(ErrorCode::kDenied, "what is known stays as it is");
  return pins_of(context).renew(context.space, approvers);
}

int run_approver_pin(Context& context, Arguments arguments) {
  bool renew = false;
  Options options;
  options.flag("--renew", renew, "believes the list of the space, after you said so at a terminal");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto open = open_book(context, Access::kRead);
  if (!open) return context.fail(open.error());
  const govern::Approvers& approvers = *(*open)->approvers;
  if (renew) {
    if (const Status renewed = renew_pins(context, approvers); !renewed)
      return context.fail(renewed.error());
  }
  // Read before the check, which remembers a list that goes on from the known one.
  const auto known = pins_of(context).known(context.space);
  if (!known) return context.fail(known.error());
  const Status same = pins_of(context).check(context.space, approvers);
  const PinnedApprovers in_space = pinned(approvers);
  if (context.json) {
    context.print_json(Json::object({{"same", same.has_value()},
                                     {"known", *known ? persons_json(**known) : Json()},
                                     {"space", persons_json(in_space)}}));
    return same ? static_cast<int>(kDone) : exit_code_for(same.error());
  }
  context.print("known to this account:\n" +
                (*known ? persons_text(**known) : std::string("  nothing yet\n")) +
                "in the space:\n" + persons_text(in_space));
  if (!same) return context.fail(same.error());
  if (!(*known == in_space) && !in_space.persons.empty())
    context.note("this account knows the list of the space from now on");
  return kDone;
}

// --- serve ---------------------------------------------------------------------------------------

std::string account_of(unsigned user) {
  passwd entry{};
  passwd* found = nullptr;
  char buffer[4096];
  if (getpwuid_r(user, &entry, buffer, sizeof buffer, &found) == 0 && found != nullptr)
    return fmt::format("{} ({})", visible_text(found->pw_name), user);
  return std::to_string(user);
}

// One question: shown, and signed with a yes.
Result<govern::StatementSignature> ask_at_terminal(Terminal& terminal, const std::string& name,
                                                   const SigningKey& key,
                                                   const govern::Statement& statement,
                                                   const Asker& asker) {
  ANIMA_TRY(
      terminal.write(fmt::format("\nasked by account {}, process {}\n{}", account_of(asker.user),
                                 asker.process, statement_text(statement))));
  ANIMA_ASSIGN(const std::string said, terminal.ask("sign it? [y/N] "));
  const std::string folded = to_lower(trim(said));
  if (folded != "y" && folded != "yes") return fail(ErrorCode::kDenied, "it was not signed");
  return govern::sign_statement(statement, name, key);
}

Status serve_questions(Context& context, const std::string& key_path, const std::string& socket,
                       bool others) {
  const Uninspected uninspected;
  ANIMA_ASSIGN(const auto terminal, terminal_of_person());
  ANIMA_ASSIGN(const std::string file, read_file(context.files, key_path, 16384));
  ANIMA_ASSIGN(const ApproverCard card, govern::card_of_key(file, key_path));
  ANIMA_ASSIGN(SigningKey key, unlock_at_terminal(*terminal, file, key_path, card.name));
  auto server = ApproverServer::listen(socket, others, interrupt_flag());
  Status served = server ? Status() : Status(fail(server.error()));
  if (served) {
    served = terminal->write(
        fmt::format("{} ({}) answers at {}; Ctrl-C ends it\n", card.name, card.role, socket));
  }
  const auto tell = [&](const Error& error) { (void)terminal->write(error.describe() + "\n"); };
  while (served) {
    served = (*server)->answer_next(
        card,
        [&](const govern::Statement& statement, const Asker& asker) {
          return ask_at_terminal(*terminal, card.name, key, statement, asker);
        },
        tell);
  }
  wipe(key);
  return served;
}

int run_approver_serve(Context& context, Arguments arguments) {
  std::optional<std::string> name;
  std::optional<std::string> key_file;
  std::optional<std::string> socket;
  bool others = false;
  Options options;
  options.positional("NAME", name, "whose key, of those in the folder of your data");
  options.value("--key FILE", key_file, "the key file");
  options.value("--socket PATH", socket,
                "where it listens (approvals.socket, else approver.sock in the runtime folder)");
  options.flag("--others", others, "accounts other than yours may ask");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (name.has_value() == key_file.has_value())
    return context.usage_error("say whose key: NAME or --key FILE");
  std::string path = socket.value_or(context.config.text("approvals.socket"));
  if (path.empty()) {
    const std::string folder = user_directories(context.environment).runtime;
    if (const Status made = context.files.make_directories(folder, 0700); !made)
      return context.fail(made.error());
    path = join_path(folder, "approver.sock");
  }
  const Status served = serve_questions(
      context, key_file ? *key_file : approver_key_path(context, *name), path, others);
  return served ? static_cast<int>(kDone) : context.fail(served.error());
}

}  // namespace

extern const Verb kApproverInit, kApproverAdd, kApproverList, kApproverPin, kApproverRemove,
    kApproverServe;
const Verb kApproverInit{
    "approver init",
    Group::kActing,
    "makes a key that only its passphrase opens, and registers its owner: approvals need one then",
    "NAME [--role operator|arbiter|overseer] [--file FILE] [--key-only] [--by NAME | --key FILE | "
    "--socket PATH] [--json]",
    "anima approver init ada\n"
    "anima approver init grace --role arbiter --by ada",
    run_approver_init};
const Verb kApproverAdd{"approver add",
                        Group::kActing,
                        "registers who made a key elsewhere, by its card",
                        "FILE|- [--by NAME | --key FILE | --socket PATH] [--json]",
                        "anima approver add grace.json --by ada",
                        run_approver_add};
const Verb kApproverList{
    "approver list",    Group::kActing,        "who may sign approvals of the space",
    "[--all] [--json]", "anima approver list", run_approver_list};
const Verb kApproverPin{"approver pin",
                        Group::kActing,
                        "the approvers that this account knows of the space, and whether it has "
                        "them still",
                        "[--renew] [--json]",
                        "anima approver pin",
                        run_approver_pin};
const Verb kApproverRemove{"approver remove",
                           Group::kActing,
                           "takes an approver out; an operator signs it, or who goes",
                           "NAME [--by NAME | --key FILE | --socket PATH]",
                           "anima approver remove grace --by ada",
                           run_approver_remove};
const Verb kApproverServe{
    "approver serve",
    Group::kActing,
    "holds a key and asks at this terminal before it signs, for processes that have no key",
    "NAME | --key FILE [--socket PATH] [--others]",
    "anima approver serve ada\n"
    "anima approver serve --key ada.key --socket /run/approver/sock --others",
    run_approver_serve};

}  // namespace anima::cli
