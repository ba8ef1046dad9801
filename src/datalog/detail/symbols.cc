// Declarations, definitions and packages: who is called what.
#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "datalog/detail/context.h"
#include "datalog/detail/scanner.h"
#include "datalog/detail/signatures.h"

namespace anima::datalog::detail {

LineIndex::LineIndex(std::shared_ptr<const Source> source) : source_(std::move(source)) {
  starts_.push_back(0);
  const std::string& text = source_->text;
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    starts_.push_back(static_cast<Offset>(at + 1));
  }
}

Position LineIndex::locate(Offset at) const {
  const auto line = std::upper_bound(starts_.begin(), starts_.end(), at) - 1;
  return {static_cast<std::uint32_t>(line - starts_.begin() + 1), at - *line + 1};
}

std::string LineIndex::where(Offset at) const {
  const Position position = locate(at);
  return source_->name + ":" + std::to_string(position.line) + ":" +
         std::to_string(position.column);
}

Diagnostic& Context::report(Problem problem, const Place& place, std::string message,
                            std::string hint) {
  Diagnostic diagnostic;
  diagnostic.problem = problem;
  const LineIndex& index = lines[place.unit];
  diagnostic.file = index.source().name;
  diagnostic.from = index.locate(place.at);
  diagnostic.to = index.locate(std::max(place.end, place.at));
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  diagnostic.clause = index.source().snippet(place.clause_at, place.clause_end);
  diagnostics.push_back(std::move(diagnostic));
  return diagnostics.back();
}

void Context::warn(Problem problem, const Place& place, std::string message, std::string hint) {
  Diagnostic& diagnostic = report(problem, place, std::move(message), std::move(hint));
  diagnostic.warning = true;
  program.warnings.push_back({diagnostic.where(), diagnostic.message});
}

PredicateId Context::add_predicate(Predicate predicate) {
  const auto id = static_cast<PredicateId>(program.predicates.size());
  program.by_name.emplace(predicate.name, id);
  program.predicates.push_back(std::move(predicate));
  open.push_back(false);
  mentions.push_back(0);
  return id;
}

PredicateId Context::add_internal(std::string name, std::uint32_t columns) {
  Predicate predicate;
  predicate.name = std::move(name);
  predicate.arity = predicate.columns = columns;
  predicate.internal = true;
  return add_predicate(std::move(predicate));
}

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

// fundep([K], [V]): with merge([V], "pred") a lattice, without a constraint.
void Collector::read_lattice(std::uint32_t unit, const ast::Declaration& declaration,
                             PredicateId id) {
  Lattice lattice;
  std::vector<Dependency> dependencies;
  const Predicate& predicate = context_.predicate(id);
  for (const ast::Atom& item : declaration.description) {
    const Place place = place_of(unit, declaration, item.at);
    if (item.predicate == "fundep") {
      if (item.arguments.size() != 2) {
        context_.report(Problem::kDeclaration, place, "fundep takes two lists");
        return;
      }
      Dependency dependency;
      if (!columns_of(place, item.arguments[0], predicate, dependency.keys) ||
          !columns_of(place, item.arguments[1], predicate, dependency.values)) {
        return;
      }
      lattice.keys = dependency.keys;
      dependencies.push_back(std::move(dependency));
    }
    if (item.predicate != "merge") continue;
    Lattice::Merge merge;
    if (item.arguments.size() != 2 || item.arguments[1].kind != ast::TermKind::kString) {
      context_.report(Problem::kDeclaration, place,
                      "merge takes a list and the name of a predicate");
      return;
    }
    if (!columns_of(place, item.arguments[0], predicate, merge.columns)) return;
    merge.function = context_.program.find(full_name(unit, item.arguments[1].text));
    if (merge.function == kNone) merge.function = context_.program.find(item.arguments[1].text);
    if (merge.function == kNone) {
      context_.report(Problem::kUndefined, place,
                      "the merge predicate " + item.arguments[1].text + " is not declared",
                      predicate_hint(context_, item.arguments[1].text));
      return;
    }
    const Predicate& function = context_.predicate(merge.function);
    if (!function.deferred || function.arity != 3 * merge.columns.size()) {
      context_.report(Problem::kDeclaration, place,
                      function.name + " cannot merge: it must be deferred() and have " +
                          std::to_string(3 * merge.columns.size()) +
                          " arguments (old, new, result)");
      return;
    }
    lattice.merges.push_back(std::move(merge));
  }
  if (lattice.merges.empty()) {
    context_.predicate(id).dependencies = std::move(dependencies);
    return;
  }
  std::vector<bool> covered(predicate.columns, false);
  for (const std::uint32_t key : lattice.keys) covered[key] = true;
  for (const auto& merge : lattice.merges) {
    for (const std::uint32_t column : merge.columns) covered[column] = true;
  }
  if (std::find(covered.begin(), covered.begin() + predicate.arity, false) !=
      covered.begin() + predicate.arity) {
    context_.report(Problem::kDeclaration, place_of(unit, declaration, declaration.atom.at),
                    "an argument of " + predicate.name + " is neither a key nor merged",
                    "name every argument in fundep's first list or in a merge");
    return;
  }
  context_.predicate(id).lattice = std::move(lattice);
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

std::string predicate_hint(const Context& context, std::string_view wanted) {
  std::vector<std::string> names;
  for (const Predicate& predicate : context.program.predicates) {
    if (!predicate.internal) names.push_back(predicate.name);
  }
  if (wanted.starts_with(":")) {
    for (const Signature& builtin : builtins()) names.emplace_back(builtin.name);
  }
  std::sort(names.begin(), names.end());
  const std::vector<std::string> near = nearest_names(wanted, std::span<const std::string>(names));
  return near.empty() ? "declare it: Decl " + std::string(wanted) + "(..)." : did_you_mean(near);
}

void collect_symbols(Context& context, const AnalysisOptions& options) {
  Collector(context, options).run();
}

namespace {

class Resolver {
 public:
  explicit Resolver(Context& context) : context_(context) {
    for (const Unit& unit : context.units) {
      if (unit.package) packages_.insert(unit.package->name);
    }
  }

  void run() {
    for (unit_ = 0; unit_ < context_.units.size(); ++unit_) {
      Unit& unit = context_.units[unit_];
      for (const ast::PackageMention& use : unit.uses) {
        if (packages_.count(use.name) == 0) {
          context_.report(Problem::kPackage, {unit_, use.at, use.at + 1, use.at, use.at},
                          "there is no package " + use.name,
                          "load the file that begins with Package " + use.name + "!");
        }
      }
      for (ast::Clause& clause : unit.clauses) {
        if (unit.package) clause.head.predicate = unit.package->name + "." + clause.head.predicate;
        for (ast::Literal& literal : clause.body) {
          if (literal.kind != ast::LiteralKind::kComparison) resolve(clause, literal);
        }
      }
      for (ast::Declaration& declaration : unit.declarations) {
        if (unit.package) {
          declaration.atom.predicate = unit.package->name + "." + declaration.atom.predicate;
        }
        for (ast::Atom& atom : declaration.inclusion) {
          resolve_atom({unit_, atom.at, atom.at + 1, declaration.at, declaration.end}, atom);
        }
      }
    }
  }

 private:
  void resolve(const ast::Clause& clause, ast::Literal& literal) {
    resolve_atom({unit_, literal.atom.at, literal.end, clause.at, clause.end}, literal.atom);
  }

  void resolve_atom(const Place& place, ast::Atom& atom) {
    Builtin builtin{};
    if (atom.predicate.starts_with(":")) {
      if (find_builtin(atom.predicate, builtin) == nullptr) {
        context_.report(Problem::kUndefined, place,
                        "there is no builtin predicate " + atom.predicate,
                        predicate_hint(context_, atom.predicate));
        atom.predicate.clear();
      }
      return;
    }
    const Unit& unit = context_.units[unit_];
    PredicateId id = kNone;
    if (unit.package) id = context_.program.find(unit.package->name + "." + atom.predicate);
    if (id == kNone) id = context_.program.find(atom.predicate);
    if (id == kNone) {
      context_.report(Problem::kUndefined, place, "there is no predicate " + atom.predicate,
                      predicate_hint(context_, atom.predicate));
      atom.predicate.clear();
      return;
    }
    const Predicate& predicate = context_.predicate(id);
    atom.predicate = predicate.name;
    check_package(place, unit, predicate);
    if (atom.arguments.size() != predicate.arity) {
      context_.report(Problem::kArity, place,
                      predicate.name + " has " + std::to_string(predicate.arity) +
                          " arguments, here are " + std::to_string(atom.arguments.size()),
                      predicate.where.empty() ? "" : "see " + predicate.where);
      atom.predicate.clear();
    }
  }

  void check_package(const Place& place, const Unit& unit, const Predicate& predicate) {
    if (predicate.package.empty()) return;
    if (unit.package && unit.package->name == predicate.package) return;
    if (predicate.is_private) {
      context_.report(Problem::kPackage, place,
                      predicate.name + " is private to the package " + predicate.package);
      return;
    }
    const bool used = std::any_of(unit.uses.begin(), unit.uses.end(),
                                  [&](const auto& use) { return use.name == predicate.package; });
    if (!used) {
      context_.report(Problem::kPackage, place,
                      predicate.name + " belongs to the package " + predicate.package,
                      "write Use " + predicate.package + "! at the beginning");
    }
  }

  Context& context_;
  std::set<std::string> packages_;
  std::uint32_t unit_ = 0;
};

}  // namespace

void resolve_names(Context& context) { Resolver(context).run(); }

}  // namespace anima::datalog::detail
