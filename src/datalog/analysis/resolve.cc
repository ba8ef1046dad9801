// Names of predicates in clauses: which of them each means, through packages.
#include <algorithm>
#include <set>
#include <string>

#include "datalog/analysis/context.h"
#include "datalog/values/signatures.h"

namespace anima::datalog::detail {
namespace {

using Place = Context::Place;

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
