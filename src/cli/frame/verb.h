// A verb of the program: one row of data and one function, in src/cli/verbs/<name>.cc, listed in
// verbs.cc.
//
//   int run_greet(Context& context, Arguments arguments) {
//     std::string who;
//     Options options;
//     options.positional("NAME", who, "whom to greet").required();
//     if (const auto exit = options.parse(context, arguments)) return *exit;
//     context.print("hello " + who + "\n");
//     return kDone;
//   }
//   const Verb kGreet{"greet", Group::kHelp, "greets somebody", "NAME", "anima greet Ada",
//   run_greet};
//
// A name of two or three words ("audit verify") makes a verb below common ones. options.parse comes
// before anything that has an effect: it also answers --help and lists the options for completion.
// Thread-safety: constants.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cli/frame/context.h"

namespace anima::cli {

using Arguments = std::span<const std::string>;

enum class Group : std::uint8_t { kKnowledge, kActing, kKeeping, kHelp };

struct Verb {
  std::string_view name;
  Group group;
  std::string_view summary;  // a phrase: lower case, no full stop
  std::string_view usage;    // what follows the name: "FILE... [--format F]"
  std::string_view example;  // one or more whole command lines
  int (*run)(Context&, Arguments);
  bool past = false;    // reads what space_snapshot() gives, so `anima as-of` may run it
  bool hidden = false;  // not in the overview
};

std::span<const Verb* const> all_verbs();  // in the order of verbs.cc

}  // namespace anima::cli
