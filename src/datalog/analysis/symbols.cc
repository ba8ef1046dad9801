// Declarations, definitions and packages: who is called what.
#include <algorithm>
#include <string>
#include <utility>

#include "datalog/analysis/context.h"
#include "datalog/syntax/scanner.h"

namespace anima::datalog::detail {
namespace {

using Place = Context::Place;

Place place_of(std::uint32_t unit, const ast::Declaration& declaration, Offset at) {
  return {unit, at, at + 1, declaration.at, declaration.end};
}

class Collector {
 public:
  Collector(Context& context, const AnalysisOptions& options)
      : context_(context), options_(options) {}

  void run() {
    for (std::uint32_t unit = 0; unit < context_.units.size(); ++unit) {
      for (const ast::Declaration& declaration : context_.units[unit].declarations) {
        declare(unit, declaration);
      }
    }
    for (const BasePredicate& base : options_.base) {
      const PredicateId id = define(base.name, base.arity);
      context_.open[id] = true;
    }
    for (std::uint32_t unit = 0; unit < context_.units.size(); ++unit) definitions(unit);
    for (std::uint32_t unit = 0; unit < context_.units.size(); ++unit) {
      for (const ast::Declaration& declaration : context_.units[unit].declarations) {
        describe(unit, declaration);
      }
    }
    for (std::uint32_t unit = 0; unit < context_.units.size(); ++unit) {
      for (const ast::Declaration& declaration : context_.units[unit].declarations) {
        const PredicateId id = context_.program.find(full_name(unit, declaration.atom.predicate));
        if (id != kNone) read_lattice(unit, declaration, id);
      }
    }
  }

 private:
  std::string full_name(std::uint32_t unit, std::string_view name) const {
    const auto& package = context_.units[unit].package;
    return package ? package->name + "." + std::string(name) : std::string(name);
  }

  void declare(std::uint32_t unit, const ast::Declaration& declaration);
  bool read_arguments(std::uint32_t unit, const ast::Declaration& declaration,
                      Predicate& predicate);
  void read_bounds(std::uint32_t unit, const ast::Declaration& declaration, Predicate& predicate);
  void describe(std::uint32_t unit, const ast::Declaration& declaration);
  void read_item(const Place& place, const ast::Atom& item, Predicate& predicate);
  void read_modes(const Place& place, const ast::Atom& item, Predicate& predicate);
  bool read_dependency(const Place& place, const ast::Atom& item, const Predicate& predicate,
                       Dependency& dependency);
  bool read_merge(std::uint32_t unit, const Place& place, const ast::Atom& item,
                  const Predicate& predicate, Lattice::Merge& merge);
  static bool covers(const Lattice& lattice, const Predicate& predicate);
  void read_lattice(std::uint32_t unit, const ast::Declaration& declaration, PredicateId id);
  bool columns_of(const Place& place, const ast::Term& list, const Predicate& predicate,
                  std::vector<std::uint32_t>& columns);
  PredicateId define(const std::string& name, std::uint32_t arity);
  void arity_conflict(const Place& place, const Predicate& predicate, std::uint32_t arity);
  void definitions(std::uint32_t unit);
  void define_head(std::uint32_t unit, const ast::Clause& clause);

  Context& context_;
  const AnalysisOptions& options_;
};

bool Collector::read_arguments(std::uint32_t unit, const ast::Declaration& declaration,
                               Predicate& predicate) {
  for (const ast::Term& argument : declaration.atom.arguments) {
    const Place place = place_of(unit, declaration, argument.at);
    if (argument.kind != ast::TermKind::kVariable) {
      context_.report(Problem::kDeclaration, place, "the arguments of a declaration are variables",
                      "write Decl " + declaration.atom.predicate + "(X, ..)");
      return false;
    }
    const auto& names = predicate.argument_names;
    if (argument.text != "_" &&
        std::find(names.begin(), names.end(), argument.text) != names.end()) {
      context_.report(Problem::kDeclaration, place,
                      "the argument " + argument.text + " is declared twice",
                      "give each argument its own name");
      return false;
    }
    predicate.argument_names.push_back(argument.text);
  }
  return true;
}

void Collector::read_bounds(std::uint32_t unit, const ast::Declaration& declaration,
                            Predicate& predicate) {
  for (const ast::BoundRow& row : declaration.bounds) {
    if (row.types.size() != predicate.arity) {
      context_.report(Problem::kDeclaration, place_of(unit, declaration, row.at),
                      "the bound has " + std::to_string(row.types.size()) + " types, " +
                          predicate.name + " has " + std::to_string(predicate.arity) + " arguments",
                      "give one type for each argument");
      return;
    }
    std::vector<TypePtr> types;
    for (const ast::Term& term : row.types) {
      TypeError error;
      TypePtr type = read_type(term, context_.values, error);
      if (!type) {
        context_.report(Problem::kDeclaration, place_of(unit, declaration, error.at), error.message,
                        error.hint);
        return;
      }
      types.push_back(std::move(type));
    }
    predicate.bounds.push_back(std::move(types));
  }
}

void Collector::declare(std::uint32_t unit, const ast::Declaration& declaration) {
  Predicate predicate;
  predicate.name = full_name(unit, declaration.atom.predicate);
  predicate.arity = static_cast<std::uint32_t>(declaration.atom.arguments.size());
  predicate.declared = true;
  predicate.where = context_.lines[unit].where(declaration.at);
  if (context_.units[unit].package) predicate.package = context_.units[unit].package->name;
  const Place place = place_of(unit, declaration, declaration.atom.at);
  if (const PredicateId known = context_.program.find(predicate.name); known != kNone) {
    context_.report(Problem::kDeclaration, place,
                    predicate.name + " is declared already, at " + context_.predicate(known).where,
                    "keep one Decl a predicate");
    return;
  }
  if (declaration.atom.predicate.starts_with(":")) {
    context_.report(Problem::kDeclaration, place, "names that begin with ':' are builtin");
    return;
  }
  if (!read_arguments(unit, declaration, predicate)) return;
  read_bounds(unit, declaration, predicate);
  predicate.temporal = declaration.temporal;
  for (const ast::Atom& item : declaration.description) {
    if (item.predicate == "temporal") predicate.temporal = true;
  }
  predicate.columns = predicate.arity + (predicate.temporal ? 2 : 0);
  context_.add_predicate(std::move(predicate));
}

void Collector::read_modes(const Place& place, const ast::Atom& item, Predicate& predicate) {
  if (item.arguments.size() != predicate.arity) {
    context_.report(Problem::kDeclaration, place,
                    "the mode has " + std::to_string(item.arguments.size()) + " places, " +
                        predicate.name + " has " + std::to_string(predicate.arity) + " arguments");
    return;
  }
  std::vector<Mode> modes;
  for (const ast::Term& argument : item.arguments) {
    const bool text = argument.kind == ast::TermKind::kString;
    if (text && argument.text == "+") {
      modes.push_back(Mode::kInput);
    } else if (text && argument.text == "-") {
      modes.push_back(Mode::kOutput);
    } else if (text && argument.text == "?") {
      modes.push_back(Mode::kEither);
    } else {
      context_.report(Problem::kDeclaration, place, "a mode is made of '+', '-' and '?'");
      return;
    }
  }
  predicate.modes.push_back(std::move(modes));
}

void Collector::read_item(const Place& place, const ast::Atom& item, Predicate& predicate) {
  const auto& names = predicate.argument_names;
  if (item.predicate == "doc") {
    for (const ast::Term& text : item.arguments) {
      if (!predicate.documentation.empty()) predicate.documentation += '\n';
      predicate.documentation += text.text;
    }
  } else if (item.predicate == "arg") {
    if (item.arguments.empty() || item.arguments[0].kind != ast::TermKind::kVariable ||
        std::find(names.begin(), names.end(), item.arguments[0].text) == names.end()) {
      context_.report(Problem::kDeclaration, place,
                      "arg describes no argument of " + predicate.name,
                      "its first place is one of the declaration's variables");
    }
  } else if (item.predicate == "mode") {
    read_modes(place, item, predicate);
  } else if (item.predicate == "extensional") {
    predicate.extensional = true;
  } else if (item.predicate == "external") {
    predicate.external = true;
  } else if (item.predicate == "deferred") {
    predicate.deferred = true;
  } else if (item.predicate == "private") {
    predicate.is_private = true;
  } else if (item.predicate == "reflects") {
    if (item.arguments.size() != 1 || item.arguments[0].kind != ast::TermKind::kName ||
        predicate.arity != 1) {
      context_.report(Problem::kDeclaration, place,
                      "reflects takes one name, of a predicate of one argument");
    } else {
      predicate.reflects = item.arguments[0].text;
    }
  }
}

bool Collector::columns_of(const Place& place, const ast::Term& list, const Predicate& predicate,
                           std::vector<std::uint32_t>& columns) {
  if (list.kind == ast::TermKind::kApply && list.text == "fn:list") {
    for (const ast::Term& variable : list.arguments) {
      const auto& names = predicate.argument_names;
      const auto found = std::find(names.begin(), names.end(), variable.text);
      if (variable.kind != ast::TermKind::kVariable || found == names.end()) break;
      columns.push_back(static_cast<std::uint32_t>(found - names.begin()));
    }
    if (columns.size() == list.arguments.size()) return true;
  }
  context_.report(
      Problem::kDeclaration, place, "this is no list of arguments of " + predicate.name,
      "write fundep([K], [V]) and merge([V], \"pred\") with the declaration's variables");
  return false;
}

bool Collector::read_dependency(const Place& place, const ast::Atom& item,
                                const Predicate& predicate, Dependency& dependency) {
  if (item.arguments.size() != 2) {
    context_.report(Problem::kDeclaration, place, "fundep takes two lists");
    return false;
  }
  return columns_of(place, item.arguments[0], predicate, dependency.keys) &&
         columns_of(place, item.arguments[1], predicate, dependency.values);
}

bool Collector::read_merge(std::uint32_t unit, const Place& place, const ast::Atom& item,
                           const Predicate& predicate, Lattice::Merge& merge) {
  if (item.arguments.size() != 2 || item.arguments[1].kind != ast::TermKind::kString) {
    context_.report(Problem::kDeclaration, place, "merge takes a list and the name of a predicate");
    return false;
  }
  if (!columns_of(place, item.arguments[0], predicate, merge.columns)) return false;
  const std::string& name = item.arguments[1].text;
  merge.function = context_.program.find(full_name(unit, name));
  if (merge.function == kNone) merge.function = context_.program.find(name);
  if (merge.function == kNone) {
    context_.report(Problem::kUndefined, place, "the merge predicate " + name + " is not declared",
                    predicate_hint(context_, name));
    return false;
  }
  const Predicate& function = context_.predicate(merge.function);
  if (function.deferred && function.arity == 3 * merge.columns.size()) return true;
  context_.report(Problem::kDeclaration, place,
                  function.name + " cannot merge: it must be deferred() and have " +
                      std::to_string(3 * merge.columns.size()) + " arguments (old, new, result)");
  return false;
}

bool Collector::covers(const Lattice& lattice, const Predicate& predicate) {
  std::vector<bool> covered(predicate.columns, false);
  for (const std::uint32_t key : lattice.keys) covered[key] = true;
  for (const auto& merge : lattice.merges) {
    for (const std::uint32_t column : merge.columns) covered[column] = true;
  }
  const auto end = covered.begin() + predicate.arity;
  return std::find(covered.begin(), end, false) == end;
}

// fundep([K], [V]): with merge([V], "pred") a lattice, without a constraint.
void Collector::read_lattice(std::uint32_t unit, const ast::Declaration& declaration,
                             PredicateId id) {
  Lattice lattice;
  std::vector<Dependency> dependencies;
  const Predicate& predicate = context_.predicate(id);
  for (const ast::Atom& item : declaration.description) {
    const Place place = place_of(unit, declaration, item.at);
    if (item.predicate == "fundep") {
      Dependency dependency;
      if (!read_dependency(place, item, predicate, dependency)) return;
      lattice.keys = dependency.keys;
      dependencies.push_back(std::move(dependency));
    } else if (item.predicate == "merge") {
      Lattice::Merge merge;
      if (!read_merge(unit, place, item, predicate, merge)) return;
      lattice.merges.push_back(std::move(merge));
    }
  }
  if (lattice.merges.empty()) {
    context_.predicate(id).dependencies = std::move(dependencies);
  } else if (covers(lattice, predicate)) {
    context_.predicate(id).lattice = std::move(lattice);
  } else {
    context_.report(Problem::kDeclaration, place_of(unit, declaration, declaration.atom.at),
                    "an argument of " + predicate.name + " is neither a key nor merged",
                    "name every argument in fundep's first list or in a merge");
  }
}

void Collector::describe(std::uint32_t unit, const ast::Declaration& declaration) {
  const PredicateId id = context_.program.find(full_name(unit, declaration.atom.predicate));
  if (id == kNone) return;
  std::size_t described = 0;
  for (const ast::Atom& item : declaration.description) {
    read_item(place_of(unit, declaration, item.at), item, context_.predicate(id));
    if (item.predicate == "arg") ++described;
  }
  const Predicate& predicate = context_.predicate(id);
  const Place place = place_of(unit, declaration, declaration.atom.at);
  if (described != 0 && described != predicate.arity) {
    context_.report(Problem::kDeclaration, place,
                    "arg describes " + std::to_string(described) + " of " +
                        std::to_string(predicate.arity) + " arguments",
                    "describe all of them or none");
  }
  if (predicate.external && predicate.modes.size() != 1) {
    context_.report(Problem::kDeclaration, place, "an external predicate needs exactly one mode",
                    "add mode('+', '-') to descr");
  }
  if (predicate.temporal && (predicate.external || predicate.deferred)) {
    context_.report(Problem::kDeclaration, place,
                    "a temporal predicate can be neither external nor deferred");
  }
}

void Collector::arity_conflict(const Place& place, const Predicate& predicate,
                               std::uint32_t arity) {
  context_.report(Problem::kArity, place,
                  predicate.name + " has " + std::to_string(arity) + " arguments here and " +
                      std::to_string(predicate.arity) + " at " +
                      (predicate.where.empty() ? "its facts" : predicate.where),
                  "a predicate has one arity; give one of them another name");
}

PredicateId Collector::define(const std::string& name, std::uint32_t arity) {
  if (const PredicateId known = context_.program.find(name); known != kNone) return known;
  Predicate predicate;
  predicate.name = name;
  predicate.arity = predicate.columns = arity;
  return context_.add_predicate(std::move(predicate));
}

void Collector::define_head(std::uint32_t unit, const ast::Clause& clause) {
  const Place place{unit, clause.head.at,
                    clause.head.at + static_cast<Offset>(clause.head.predicate.size()), clause.at,
                    clause.end};
  if (clause.head.predicate.starts_with(":")) {
    context_.report(Problem::kDeclaration, place,
                    "'" + clause.head.predicate + "' is builtin and cannot be defined");
    return;
  }
  const auto arity = static_cast<std::uint32_t>(clause.head.arguments.size());
  const PredicateId id = define(full_name(unit, clause.head.predicate), arity);
  Predicate& predicate = context_.predicate(id);
  ++context_.mentions[id];
  if (context_.units[unit].package) predicate.package = context_.units[unit].package->name;
  if (predicate.where.empty()) predicate.where = context_.lines[unit].where(clause.at);
  if (predicate.arity != arity) {
    arity_conflict(place, predicate, arity);
    return;
  }
  if (clause.when && !predicate.temporal) {
    if (predicate.declared) {
      context_.report(Problem::kTemporal, place, predicate.name + " is not declared temporal",
                      "write Decl " + clause.head.predicate + "(..) temporal");
      return;
    }
    predicate.temporal = true;
    predicate.columns = predicate.arity + 2;
  }
}

void Collector::definitions(std::uint32_t unit) {
  for (const ast::Clause& clause : context_.units[unit].clauses) define_head(unit, clause);
  for (FactBlock& block : context_.units[unit].facts) {
    const PredicateId id = define(full_name(unit, block.predicate), block.arity);
    Predicate& predicate = context_.predicate(id);
    if (context_.units[unit].package) predicate.package = context_.units[unit].package->name;
    ++context_.mentions[id];
    block.predicate = predicate.name;
    if (predicate.where.empty()) predicate.where = context_.lines[unit].where(block.at);
    if (predicate.arity == block.arity) continue;
    Scanner scanner(context_.lines[unit].source().text);
    scanner.seek(block.at);
    scanner.skip_clause();
    arity_conflict({unit, block.at, scanner.at(), block.at, scanner.at()}, predicate, block.arity);
  }
}

}  // namespace

void collect_symbols(Context& context, const AnalysisOptions& options) {
  Collector(context, options).run();
}

}  // namespace anima::datalog::detail
