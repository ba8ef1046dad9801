// The types of terms and reductions, and whether computing a term can fail.
#include <algorithm>
#include <memory>

#include "datalog/analysis/inference.h"
#include "datalog/values/signatures.h"

namespace anima::datalog::detail {

TypePtr Inference::term(Scope& scope, const Term& from) {
  switch (from.kind) {
    case Term::Kind::kConstant:
      return type_of(context_.values, from.value);
    case Term::Kind::kVariable:
      return scope.variables[from.value];
    default:
      return application(scope, from);
  }
}

TypePtr Inference::application(Scope& scope, const Term& from) {
  const Signature& known = signature(from.function);
  std::vector<TypePtr> types;
  for (std::size_t i = 0; i < from.arguments.size(); ++i) {
    types.push_back(term(scope, from.arguments[i]));
    const char letter = type_letter(known, i);
    if (impossible(*types.back(), *letter_type(letter))) {
      const bool let_form =
          from.function >= Function::kIntPlus && from.function <= Function::kIntMod;
      error(scope,
            std::string(known.name) + ": argument " + std::to_string(i + 1) + " is " +
                type_text(*types.back(), context_.values) + ", not " +
                std::string(letter_text(letter)),
            let_form ? "in a let " + std::string(known.name) +
                           " takes integers; use fn:float:.. or compute in the body"
                     : "");
    }
  }
  return result_type(from, types);
}

TypePtr element_of(const Type& list) {
  if (list.kind == TypeKind::kList) return list.arguments[0];
  if (list.kind != TypeKind::kUnion) return any_type();
  TypePtr element = nothing_type();
  for (const TypePtr& one : list.arguments) {
    if (one->kind == TypeKind::kList) element = join(element, one->arguments[0]);
    if (one->kind == TypeKind::kAny) return any_type();
  }
  return element;
}

TypePtr part_of(const Type& type, TypeKind kind, std::size_t index) {
  return type.kind == kind ? type.arguments[index] : any_type();
}

TypePtr field_type(const Type& type, const ValueTable& values, const Argument& label) {
  if (type.kind != TypeKind::kStruct || !label.constant) return any_type();
  const std::string_view text = values.view(label.value).text;
  for (const TypeField& field : type.fields) {
    if (field.label == text) return field.type;
  }
  return any_type();
}

TypePtr Inference::result_type(const Term& from, const std::vector<TypePtr>& types) const {
  const auto all_of = [&](const Type& type) {
    return std::all_of(types.begin(), types.end(),
                       [&](const TypePtr& one) { return subtype(*one, type); });
  };
  const auto joined = [&](std::size_t first, std::size_t step) {
    TypePtr result = nothing_type();
    for (std::size_t i = first; i < types.size(); i += step) result = join(result, types[i]);
    return result;
  };
  switch (from.function) {
    case Function::kPlus:
    case Function::kMinus:
    case Function::kMult:
    case Function::kDiv:
    case Function::kMod:
      if (all_of(*letter_type('i'))) return letter_type('i');
      for (const TypePtr& one : types) {
        if (one->kind == TypeKind::kFloat) return letter_type('f');
      }
      return numeric_type();
    case Function::kList:
      return make_type(TypeKind::kList, {joined(0, 1)});
    case Function::kCons:
      return make_type(TypeKind::kList, {join(types[0], element_of(*types[1]))});
    case Function::kAppend:
      return make_type(TypeKind::kList, {join(element_of(*types[0]), types[1])});
    case Function::kListGet:
      return element_of(*types[0]);
    case Function::kNameList:
      return make_type(TypeKind::kList, {make_type(TypeKind::kName)});
    case Function::kSplit:
      return make_type(TypeKind::kList, {make_type(TypeKind::kString)});
    case Function::kPair:
      return make_type(TypeKind::kPair, {types[0], types[1]});
    case Function::kFirst:
      return part_of(*types[0], TypeKind::kPair, 0);
    case Function::kSecond:
      return part_of(*types[0], TypeKind::kPair, 1);
    case Function::kTuple:
      return tuple_type(types);
    case Function::kMap:
      return make_type(TypeKind::kMap, {joined(0, 2), joined(1, 2)});
    case Function::kMapGet:
      return part_of(*types[0], TypeKind::kMap, 1);
    case Function::kStruct: {
      auto type = std::make_shared<Type>();
      type->kind = TypeKind::kStruct;
      for (std::size_t i = 0; i + 1 < from.arguments.size(); i += 2) {
        if (from.arguments[i].kind != Term::Kind::kConstant) return letter_type('S');
        type->fields.push_back(
            {std::string(context_.values.view(from.arguments[i].value).text), false, types[i + 1]});
      }
      return type;
    }
    case Function::kStructGet:
      return from.arguments[1].kind == Term::Kind::kConstant
                 ? field_type(*types[0], context_.values, Argument::code(from.arguments[1].value))
                 : any_type();
    case Function::kSome: {
      Term name;
      name.value = context_.values.name("/some");
      return make_type(TypeKind::kPair, {type_of(context_.values, name.value), types[0]});
    }
    default:
      return letter_type(signature(from.function).result);
  }
}

// Only integer arithmetic and constructors are free of errors.
bool Inference::cannot_fail(Scope& scope, const Term& from) {
  if (from.kind != Term::Kind::kApply) return true;
  for (const Term& part : from.arguments) {
    if (!cannot_fail(scope, part)) return false;
  }
  if (!may_fail(from.function)) return true;
  switch (from.function) {
    case Function::kPlus:
    case Function::kMinus:
    case Function::kMult:
    case Function::kIntPlus:
    case Function::kIntMinus:
    case Function::kIntMult: {
      const bool before = report_;
      report_ = false;
      const bool integers = std::all_of(
          from.arguments.begin(), from.arguments.end(),
          [&](const Term& part) { return subtype(*term(scope, part), *letter_type('i')); });
      report_ = before;
      return integers;
    }
    default:
      return false;
  }
}

TypePtr Inference::reduction(Scope& scope, const Reduction& reduction) {
  const Signature& known = signature(reduction.reducer);
  std::vector<TypePtr> types;
  for (std::size_t i = 0; i < reduction.arguments.size(); ++i) {
    types.push_back(scope.variables[reduction.arguments[i]]);
    const char letter = type_letter(known, i);
    if (impossible(*types.back(), *letter_type(letter))) {
      const bool other = letter == 'i' && types.back()->kind == TypeKind::kFloat;
      error(scope,
            std::string(known.name) + " takes " + std::string(letter_text(letter)) + ", this is " +
                type_text(*types.back(), context_.values),
            other ? "use fn:float:" + std::string(known.name.substr(3)) : "");
    }
  }
  switch (reduction.reducer) {
    case Reducer::kCollect:
    case Reducer::kCollectDistinct:
      return make_type(TypeKind::kList, {tuple_type(types)});
    case Reducer::kCollectToMap:
      return make_type(TypeKind::kMap, {types[0], types[1]});
    case Reducer::kPickAny:
      return types[0];
    default:
      return letter_type(known.result);
  }
}

}  // namespace anima::datalog::detail
