#include "datalog/analysis/types.h"

#include <utility>

namespace anima::datalog::detail {

TypePtr make_type(TypeKind kind, std::vector<TypePtr> arguments) {
  auto type = std::make_shared<Type>();
  type->kind = kind;
  type->arguments = std::move(arguments);
  return type;
}

TypePtr tuple_type(const std::vector<TypePtr>& types) {
  TypePtr result = types.back();
  for (std::size_t i = types.size() - 1; i > 0; --i) {
    result = make_type(TypeKind::kPair, {types[i - 1], result});
  }
  return result;
}

TypePtr any_type() {
  static const TypePtr type = make_type(TypeKind::kAny);
  return type;
}

TypePtr nothing_type() {
  static const TypePtr type = make_type(TypeKind::kNothing);
  return type;
}

TypePtr numeric_type() {
  static const TypePtr type =
      make_type(TypeKind::kUnion, {make_type(TypeKind::kNumber), make_type(TypeKind::kFloat)});
  return type;
}

TypePtr letter_type(char letter) {
  switch (letter) {
    case 'i':
      return make_type(TypeKind::kNumber);
    case 'f':
      return make_type(TypeKind::kFloat);
    case 'u':
      return numeric_type();
    case 's':
      return make_type(TypeKind::kString);
    case 'n':
    case 'B':
      return make_type(TypeKind::kName);
    case 'b':
      return make_type(TypeKind::kBytes);
    case 't':
      return make_type(TypeKind::kTime);
    case 'd':
      return make_type(TypeKind::kDuration);
    case 'l':
      return make_type(TypeKind::kList, {any_type()});
    case 'p':
      return make_type(TypeKind::kPair, {any_type(), any_type()});
    case 'm':
      return make_type(TypeKind::kMap, {any_type(), any_type()});
    case 'S':
      return make_type(TypeKind::kStruct);
    case 'o':
      return make_type(TypeKind::kUnion,
                       {make_type(TypeKind::kString), make_type(TypeKind::kName),
                        make_type(TypeKind::kNumber), make_type(TypeKind::kFloat)});
    default:
      return any_type();
  }
}

std::string_view letter_text(char letter) {
  switch (letter) {
    case 'i':
      return "an integer";
    case 'f':
      return "a float64";
    case 'u':
      return "a number";
    case 's':
      return "a string";
    case 'n':
      return "a name";
    case 't':
      return "a time";
    case 'd':
      return "a duration";
    case 'l':
      return "a list";
    case 'p':
      return "a pair";
    case 'm':
      return "a map";
    case 'S':
      return "a struct";
    default:
      return "a string, name or number";
  }
}

TypePtr kind_type(ValueKind kind) {
  switch (kind) {
    case ValueKind::kName:
      return make_type(TypeKind::kName);
    case ValueKind::kString:
      return make_type(TypeKind::kString);
    case ValueKind::kBytes:
      return make_type(TypeKind::kBytes);
    case ValueKind::kInt:
      return make_type(TypeKind::kNumber);
    case ValueKind::kFloat:
      return make_type(TypeKind::kFloat);
    case ValueKind::kTime:
      return make_type(TypeKind::kTime);
    case ValueKind::kDuration:
      return make_type(TypeKind::kDuration);
    case ValueKind::kPair:
      return letter_type('p');
    case ValueKind::kNil:
    case ValueKind::kCons:
      return letter_type('l');
    case ValueKind::kMap:
      return letter_type('m');
    case ValueKind::kStruct:
      return letter_type('S');
  }
  return any_type();
}

TypePtr type_of(const ValueTable& values, Code code, int depth) {
  const ValueView value = values.view(code);
  if (depth == 0) return kind_type(value.kind);
  switch (value.kind) {
    case ValueKind::kPair:
      return make_type(TypeKind::kPair, {type_of(values, value.first, depth - 1),
                                         type_of(values, value.second, depth - 1)});
    case ValueKind::kNil:
      return make_type(TypeKind::kList, {nothing_type()});
    case ValueKind::kCons: {
      TypePtr element = nothing_type();
      for (const Code item : values.list_items(code)) {
        element = join(element, type_of(values, item, depth - 1));
        if (element->kind == TypeKind::kAny) break;
      }
      return make_type(TypeKind::kList, {element});
    }
    case ValueKind::kMap: {
      TypePtr key = nothing_type();
      TypePtr mapped = nothing_type();
      for (std::size_t i = 0; i + 1 < value.entries.size(); i += 2) {
        key = join(key, type_of(values, value.entries[i], depth - 1));
        mapped = join(mapped, type_of(values, value.entries[i + 1], depth - 1));
      }
      return make_type(TypeKind::kMap, {key, mapped});
    }
    case ValueKind::kStruct: {
      auto type = std::make_shared<Type>();
      type->kind = TypeKind::kStruct;
      for (std::size_t i = 0; i + 1 < value.entries.size(); i += 2) {
        type->fields.push_back({std::string(values.view(value.entries[i]).text), false,
                                type_of(values, value.entries[i + 1], depth - 1)});
      }
      return type;
    }
    default:
      return kind_type(value.kind);
  }
}

}  // namespace anima::datalog::detail
