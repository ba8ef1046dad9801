// anima serve token add, list, remove: who may come in at an address that `anima serve` listens on.
#include <string>

#include "base/text/shown_text.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "govern/trust.h"
#include "serve/tokens.h"

namespace anima::cli {
namespace {

int run_add(Context& context, Arguments arguments) {
  serve::AccessToken token;
  std::string trust = "standard";
  bool readonly = false;
  Options options;
  options
      .positional("NAME", token.name, "who gets it; what is written with it has author http:NAME")
      .required();
  options.value("--trust LEVEL", trust, "of what is written with it (default: standard)")
      .choices({"untrusted", "standard", "verified"});
  options.flag("--readonly", readonly, "it may only read");
  options.flag("--approvals", token.sees_approvals,
               "it sees all calls that wait for the owner, not its own alone; it answers none");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kWrite);
  if (!space) return context.fail(space.error());
  token.trust = govern::parse_trust(trust).value_or(govern::Trust::kUntrusted);
  token.may_write = !readonly;
  token.made = context.gate->clock().now();
  serve::TokenBook book(context.files, (*space)->folder());
  const std::string name = token.name;
  const auto secret = book.add(std::move(token), context.gate->random());
  if (!secret) return context.fail(secret.error());
  if (context.json) {
    context.print_json(Json::object({{"name", name}, {"token", *secret}}));
  } else {
    context.print(*secret + "\n");
    context.note("it is shown this once; send it as Authorization: Bearer TOKEN");
  }
  return kDone;
}

int run_list(Context& context, Arguments arguments) {
  Options options;
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  serve::TokenBook book(context.files, (*space)->folder());
  const auto tokens = book.list();
  if (!tokens) return context.fail(tokens.error());
  Json list = Json::array();
  Table table({"token", "trust", "may", "made"});
  for (const serve::AccessToken& each : *tokens) {
    const std::string trust(govern::trust_name(each.trust)), made = format_timestamp(each.made);
    list.push_back(Json::object({{"name", each.name},
                                 {"trust", trust},
                                 {"may_write", each.may_write},
                                 {"sees_approvals", each.sees_approvals},
                                 {"made", made}}));
    const std::string may = each.may_write ? "read and write" : "read";
    table.add({each.name, trust, may + (each.sees_approvals ? ", see approvals" : ""), made});
  }
  if (context.json) {
    context.print_json(Json::object({{"tokens", std::move(list)}}));
  } else if (table.empty()) {
    context.print("There is no token yet. Make one: anima serve token add NAME\n");
  } else {
    context.print(terminal_text(table.render(context)));
  }
  return kDone;
}

int run_remove(Context& context, Arguments arguments) {
  std::string name;
  Options options;
  options.positional("NAME", name, "the token; a running server takes it no more").required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kWrite);
  if (!space) return context.fail(space.error());
  serve::TokenBook book(context.files, (*space)->folder());
  if (const Status removed = book.remove(name); !removed) return context.fail(removed.error());
  if (context.json) context.print_json(Json::object({{"removed", name}}));
  return kDone;
}

}  // namespace

extern const Verb kServeTokenAdd;
const Verb kServeTokenAdd{"serve token add",
                          Group::kKeeping,
                          "makes a token that lets a program in at `anima serve --listen`",
                          "NAME [--trust LEVEL] [--readonly] [--approvals] [--json]",
                          "anima serve token add dashboard --readonly",
                          run_add};

extern const Verb kServeTokenList;
const Verb kServeTokenList{
    "serve token list", Group::kKeeping,          "the tokens of the space, without their secrets",
    "[--json]",         "anima serve token list", run_list};

extern const Verb kServeTokenRemove;
const Verb kServeTokenRemove{"serve token remove",
                             Group::kKeeping,
                             "takes a token back, at running servers too",
                             "NAME [--json]",
                             "anima serve token remove dashboard",
                             run_remove};

}  // namespace anima::cli
