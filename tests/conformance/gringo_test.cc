// Random stratified programs against gringo: the same program in both languages must have the same
// model.
//
// Programs are made of layers: a predicate may use its own layer positively (recursion) and lower
// layers in any way (negation, aggregation), so every program is stratified by construction. Values
// stay small integers, since gringo has no others. 60 programs a run, 1,000 with ANIMA_TEST_FULL=1;
// ANIMA_TEST_SEED=n chooses others.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/process.h"
#include "datalog/analyze.h"
#include "datalog/engine.h"

namespace anima::datalog::gringo_test {
namespace {

struct Predicate {
  std::string name;
  int arity = 1;
  int layer = 0;
};

struct Pair {
  std::string mangle;
  std::string gringo;
};

constexpr int kValues = 7;  // 0 .. 6
const std::vector<std::string> kVariables = {"X", "Y", "Z", "W"};

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  Pair program();
  const std::vector<Predicate>& predicates() const { return predicates_; }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint32_t>(limit)); }
  bool chance(int percent) { return below(100) < percent; }
  const Predicate& pick(int max_layer, bool exact_allowed);
  std::string atom(const Predicate& predicate, std::set<std::string>& bound, bool negative);
  std::string atom_of(const Predicate& predicate, const std::vector<std::string>& arguments);
  void facts();
  void rule(const Predicate& head);
  void aggregate(const Predicate& head);
  void emit(const std::string& mangle, const std::string& gringo) {
    out_.mangle += mangle + "\n";
    out_.gringo += gringo + "\n";
  }

  std::mt19937 random_;
  std::vector<Predicate> predicates_;
  Pair out_;
};

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i > 0 ? separator : "") + parts[i];
  return text;
}

std::string Generator::atom_of(const Predicate& predicate,
                               const std::vector<std::string>& arguments) {
  return predicate.name + "(" + joined(arguments, ",") + ")";
}

// A predicate of at most this layer, of a lower one unless exact_allowed.
const Predicate& Generator::pick(int max_layer, bool exact_allowed) {
  for (;;) {
    const Predicate& one =
        predicates_[static_cast<std::size_t>(below(static_cast<int>(predicates_.size())))];
    if (one.layer < max_layer || (exact_allowed && one.layer == max_layer)) return one;
  }
}

std::string Generator::atom(const Predicate& predicate, std::set<std::string>& bound,
                            bool negative) {
  std::vector<std::string> arguments;
  for (int i = 0; i < predicate.arity; ++i) {
    const int kind = below(10);
    if (kind == 0) {
      arguments.push_back(std::to_string(below(kValues)));
    } else if (kind == 1) {
      arguments.push_back("_");
    } else if (negative) {
      auto one = bound.begin();
      std::advance(one, below(static_cast<int>(bound.size())));
      arguments.push_back(*one);
    } else {
      arguments.push_back(
          kVariables[static_cast<std::size_t>(below(static_cast<int>(kVariables.size())))]);
    }
  }
  if (!negative) {
    for (const std::string& argument : arguments) {
      if (std::isupper(argument[0]) != 0) bound.insert(argument);
    }
  }
  return atom_of(predicate, arguments);
}

void Generator::facts() {
  for (const Predicate& predicate : predicates_) {
    if (predicate.layer != 0) continue;
    for (int i = 3 + below(12); i > 0; --i) {
      std::vector<std::string> arguments;
      for (int k = 0; k < predicate.arity; ++k) arguments.push_back(std::to_string(below(kValues)));
      emit(atom_of(predicate, arguments) + ".", atom_of(predicate, arguments) + ".");
    }
  }
}

void Generator::rule(const Predicate& head) {
  std::vector<std::string> mangle;
  std::vector<std::string> gringo;
  std::set<std::string> bound;
  for (int i = 1 + below(3); i > 0; --i) {
    mangle.push_back(atom(pick(head.layer, true), bound, false));
    gringo.push_back(mangle.back());
  }
  if (bound.empty()) return;
  const auto any = [&] {
    auto one = bound.begin();
    std::advance(one, below(static_cast<int>(bound.size())));
    return *one;
  };
  if (chance(40)) {
    const std::string text = atom(pick(head.layer, false), bound, true);
    // A negated atom may stand anywhere: it waits for its variables.
    const auto place = static_cast<std::ptrdiff_t>(below(static_cast<int>(mangle.size()) + 1));
    mangle.insert(mangle.begin() + place, "!" + text);
    gringo.push_back("not " + text);
  }
  if (chance(35)) {
    constexpr std::array kSymbols = {"<", "<=", ">", ">=", "!=", "="};
    const std::string text = any() + " " + kSymbols[static_cast<std::size_t>(below(6))] + " " +
                             (chance(50) ? any() : std::to_string(below(kValues)));
    mangle.push_back(text);
    gringo.push_back(text);
  }
  if (chance(30)) {  // arithmetic, kept within the values
    struct Form {
      const char* function;
      const char* symbol;
    };
    constexpr std::array kForms = {Form{"fn:plus", "+"}, Form{"fn:minus", "-"},
                                   Form{"fn:mult", "*"}};
    const Form& form = kForms[static_cast<std::size_t>(below(3))];
    const std::string left = any();
    const std::string right = chance(50) ? any() : std::to_string(below(3));
    mangle.push_back("V = " + std::string(form.function) + "(" + left + ", " + right + ")");
    gringo.push_back("V = " + left + form.symbol + right);
    for (const char* limit : {"V >= 0", "V < 7"}) {
      mangle.emplace_back(limit);
      gringo.emplace_back(limit);
    }
    bound.insert("V");
  }
  std::vector<std::string> arguments;
  for (int i = 0; i < head.arity; ++i)
    arguments.push_back(chance(8) ? std::to_string(below(kValues)) : any());
  const std::string text = atom_of(head, arguments);
  emit(text + " :- " + joined(mangle, ", ") + ".", text + " :- " + joined(gringo, ", ") + ".");
}

// One key and one result; a single atom counts facts, more atoms count bindings of the named
// variables.
void Generator::aggregate(const Predicate& head) {
  const bool single = chance(50);
  std::vector<std::string> body;
  std::vector<std::string> tuple;
  std::string key;
  std::string value;
  if (single) {
    const Predicate& from = pick(head.layer, false);
    std::vector<std::string> arguments;
    for (int i = 0; i < from.arity; ++i)
      arguments.push_back(kVariables[static_cast<std::size_t>(i)]);
    key = arguments.front();
    value = arguments.back();
    tuple = arguments;
    std::vector<std::string> written = arguments;
    if (from.arity == 3 && chance(50)) written[1] = "_";
    body.push_back(atom_of(from, written));
    const std::string whole = atom_of(from, arguments);
    const int which = below(4);
    constexpr std::array kFunctions = {"fn:count()", "fn:sum(", "fn:min(", "fn:max("};
    constexpr std::array kAggregates = {"#count", "#sum", "#min", "#max"};
    const auto index = static_cast<std::size_t>(which);
    const std::string reducer = which == 0 ? kFunctions[0] : kFunctions[index] + value + ")";
    std::vector<std::string> weighted = tuple;
    weighted.insert(weighted.begin(), value);
    const std::string result = head.arity == 1 ? "(N)" : "(" + key + ",N)";
    const std::string group = head.arity == 1 ? "" : key;
    const std::string outside =
        head.arity == 1 ? atom_of(from, std::vector<std::string>(arguments.size(), "_")) : [&] {
          std::vector<std::string> only(arguments.size(), "_");
          only[0] = key;
          return atom_of(from, only);
        }();
    if (head.arity > 2) return;
    emit(head.name + result + " :- " + body[0] + " |> do fn:group_by(" + group +
             "), let N = " + reducer + ".",
         head.name + result + " :- " + outside + ", N = " + kAggregates[index] + " { " +
             joined(weighted, ",") + " : " + whole + " }.");
    return;
  }
  if (head.arity > 2) return;
  std::set<std::string> bound;
  body.push_back(atom(pick(head.layer, false), bound, false));
  body.push_back(atom(pick(head.layer, false), bound, false));
  if (bound.empty()) return;
  key = *bound.begin();
  tuple.assign(bound.begin(), bound.end());
  value = *bound.rbegin();
  const int which = below(4);
  constexpr std::array kFunctions = {"fn:count()", "fn:sum(", "fn:min(", "fn:max("};
  constexpr std::array kAggregates = {"#count", "#sum", "#min", "#max"};
  const auto index = static_cast<std::size_t>(which);
  const std::string reducer = which == 0 ? kFunctions[0] : kFunctions[index] + value + ")";
  const std::string result = head.arity == 1 ? "(N)" : "(" + key + ",N)";
  // In gringo the key of the group is global: bound outside by the same body with other names.
  const auto renamed = [&](const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      out += text[i];
      if (std::isupper(text[i]) != 0 && (head.arity == 1 || text.substr(i, 1) != key)) out += '1';
    }
    return out;
  };
  std::vector<std::string> weighted = tuple;
  weighted.insert(weighted.begin(), value);
  emit(head.name + result + " :- " + joined(body, ", ") + " |> do fn:group_by(" +
           (head.arity == 1 ? "" : key) + "), let N = " + reducer + ".",
       head.name + result + " :- " + renamed(body[0]) + ", " + renamed(body[1]) + ", N = " +
           kAggregates[index] + " { " + joined(weighted, ",") + " : " + joined(body, ", ") + " }.");
}

Pair Generator::program() {
  out_ = {};
  predicates_ = {{"e0", 1, 0}, {"e1", 2, 0}, {"e2", 2, 0}, {"e3", 3, 0}};
  const int layers = 2 + below(3);
  for (int layer = 1; layer <= layers; ++layer) {
    for (int i = 1 + below(3); i > 0; --i) {
      predicates_.push_back({"p" + std::to_string(predicates_.size()), 1 + below(3), layer});
    }
  }
  facts();
  for (const Predicate& predicate : std::vector<Predicate>(predicates_)) {
    if (predicate.layer == 0) continue;
    out_.mangle += "Decl " + predicate.name + "(" +
                   joined({kVariables.begin(), kVariables.begin() + predicate.arity}, ",") + ").\n";
    if (chance(25) && predicate.arity <= 2) {
      aggregate(predicate);
    } else {
      for (int i = 1 + below(3); i > 0; --i) rule(predicate);
    }
  }
  return out_;
}

std::set<std::string> run_gringo(const std::string& program, const std::string& folder) {
  const std::string path = folder + "/program.lp";
  std::ofstream(path) << program;
  std::set<std::string> facts;
  ProcessOptions options;
  options.arguments = {"gringo", "--text", "--warn=none", path};
  const auto ran = run_process(options);
  if (!ran || !ran->ok()) return {"gringo failed"};
  const std::string& output = ran->out;
  std::size_t at = 0;
  while (at < output.size()) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    std::string line = output.substr(at, end - at);
    at = end + 1;
    if (line.empty() || line[0] == '#') continue;
    line.pop_back();  // the dot
    facts.insert(std::move(line));
  }
  return facts;
}

Result<std::set<std::string>> run_mangle(const std::string& text) {
  auto values = std::make_shared<ValueTable>();
  ANIMA_ASSIGN(Program program, compile(text, *values));
  auto shared = std::make_shared<const Program>(std::move(program));
  ANIMA_ASSIGN(const auto engine, Engine::create(shared, values));
  std::set<std::string> facts;
  for (PredicateId id = 0; id < shared->predicates.size(); ++id) {
    const Rows rows = *engine->snapshot()->all(id);
    for (std::size_t i = 0; i < rows.count; ++i)
      facts.insert(print_fact(shared->predicates[id], rows.row(i), *values));
  }
  return facts;
}

std::string difference(const std::set<std::string>& ours, const std::set<std::string>& theirs) {
  std::string text;
  for (const std::string& fact : ours) {
    if (theirs.count(fact) == 0) text += "only here:   " + fact + "\n";
  }
  for (const std::string& fact : theirs) {
    if (ours.count(fact) == 0) text += "only gringo: " + fact + "\n";
  }
  return text;
}

TEST(Gringo, RandomProgramsHaveTheSameModel) {
  ASSERT_EQ(std::system("gringo --version >/dev/null 2>&1"), 0)
      << "gringo is needed: apt-get install gringo";
  const bool full = std::getenv("ANIMA_TEST_FULL") != nullptr;
  const char* const chosen = std::getenv("ANIMA_TEST_SEED");
  const std::uint32_t first = chosen == nullptr ? 1 : static_cast<std::uint32_t>(std::atoi(chosen));
  const std::uint32_t count = full ? 1000 : 60;
  const TemporaryDirectory folder;
  std::size_t derived = 0;
  for (std::uint32_t seed = first; seed < first + count; ++seed) {
    Generator generator(seed);
    const Pair program = generator.program();
    const auto theirs = run_gringo(program.gringo, folder.path());
    const auto ours = run_mangle(program.mangle);
    ASSERT_TRUE(ours.has_value()) << "seed " << seed << ": " << ours.error().describe() << "\n"
                                  << program.mangle;
    ASSERT_TRUE(*ours == theirs) << "seed " << seed << "\n"
                                 << program.mangle << "\n"
                                 << program.gringo << "\n"
                                 << difference(*ours, theirs);
    derived += ours->size();
  }
  // The programs are not trivial.
  EXPECT_GT(derived, std::size_t{count} * 40);
}

}  // namespace
}  // namespace anima::datalog::gringo_test
