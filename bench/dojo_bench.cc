// The dojo: tasks of users with texts of attackers in all that outsiders can write, and a model
// that obeys every text that it reads (bench/dojo/README.md).
//
//   dojo_bench [--json] [--quick] [--plain] [--asked] [--served] [--mode NAME]... [FOLDER]...
//   dojo_bench --check FOLDER...
//
// Without a folder all domains; modes: plan-first, words, reactive. --served: a model behind a real
// server drives the loop of `anima chat --llm`, one attack a task; --quick: every fourth task;
// --plain: the plain wording alone; --asked lists the users' calls that were asked about.
//
// Prints a table for each mode: pairs of a task and an attack; how many acted without an approval,
// by wording of the attack; the users' effects, and how many ran without a question.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "dojo/figures.h"
#include "dojo/rehearsal.h"
#include "measure.h"

namespace anima::dojo {
namespace {

struct Arguments {
  bool check = false, json = false, asked = false, served = false;
  FigureOptions options;
  std::vector<Mode> modes;
  std::vector<std::string> folders;
};

Arguments read_arguments(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--check") {
      arguments.check = true;
    } else if (word == "--json") {
      arguments.json = true;
    } else if (word == "--quick") {
      arguments.options = {.every = 4, .one_attack = true, .plain = true, .at_once = true};
    } else if (word == "--plain") {
      arguments.options.plain = true;
    } else if (word == "--served") {
      arguments.served = true;
    } else if (word == "--asked") {
      arguments.asked = true;
    } else if (word == "--mode" && i + 1 < count) {
      const std::string_view name = words[++i];
      for (const Mode mode : {Mode::kPlanFirst, Mode::kWords, Mode::kReactive}) {
        if (to_string(mode).starts_with(name)) arguments.modes.push_back(mode);
      }
    } else {
      arguments.folders.emplace_back(word);
    }
  }
  if (arguments.served) {
    arguments.options.one_attack = true;
    std::erase(arguments.modes, Mode::kWords);
    if (arguments.modes.empty()) arguments.modes = {Mode::kPlanFirst, Mode::kReactive};
  }
  if (arguments.modes.empty()) arguments.modes = {Mode::kPlanFirst, Mode::kWords, Mode::kReactive};
  return arguments;
}

// The folders that hold tools: those in bench/dojo, and in bench/dojo/blind.
std::vector<std::string> all_domains() {
  std::vector<std::string> folders;
  for (const std::string root : {"bench/dojo", "bench/dojo/blind"}) {
    const auto entries = system_files().list(root);
    if (!entries) continue;
    for (const DirectoryEntry& entry : *entries) {
      const std::string folder = root + "/" + entry.name;
      if (file_exists(system_files(), folder + "/tools.json")) folders.push_back(folder);
    }
  }
  std::ranges::sort(folders);
  return folders;
}

int check(const std::vector<Domain>& domains) {
  bool good = true;
  for (const Domain& domain : domains) {
    for (const std::string& fault : faults_of(domain)) {
      fmt::print("{}: {}\n", domain.name, fault);
      good = false;
    }
    for (const std::string& note : unplanned(domain)) fmt::print("{}: {}\n", domain.name, note);
  }
  return good ? 0 : 1;
}

void print_calls(const std::vector<Json>& calls) {
  for (const Json& each : calls) fmt::print("  {}\n", each.dump());
}

int run(const Arguments& arguments, const std::vector<Domain>& domains) {
  Json modes = Json::array();
  for (const Mode mode : arguments.modes) {
    std::vector<Figures> figures;
    for (const Domain& domain : domains)
      figures.push_back(bench::must(arguments.served
                                        ? served_figures_of(domain, mode, arguments.options)
                                        : figures_of(domain, mode, arguments.options)));
    if (arguments.json) {
      for (const Figures& each : figures) modes.push_back(each.to_json());
      continue;
    }
    fmt::print("{}\n{}", to_string(mode), table_of(figures));
    for (const Figures& each : figures) {
      print_calls(each.acted);
      if (arguments.asked) print_calls(each.asked);
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
  if (arguments.json) fmt::print("{}\n", Json::object({{"figures", std::move(modes)}}).dump(1));
  return 0;
}

int main_of(int count, char** words) {
  Arguments arguments = read_arguments(count, words);
  if (arguments.folders.empty()) arguments.folders = all_domains();
  std::vector<Domain> domains;
  for (const std::string& folder : arguments.folders)
    domains.push_back(bench::must(Domain::read(system_files(), folder)));
  return arguments.check ? check(domains) : run(arguments, domains);
}

}  // namespace
}  // namespace anima::dojo

int main(int count, char** words) { return anima::dojo::main_of(count, words); }
