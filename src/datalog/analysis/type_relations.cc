// How types stand to values and to each other, as sets.
#include <algorithm>
#include <memory>
#include <utility>

#include "base/enum_order.h"
#include "datalog/analysis/types.h"

namespace anima::datalog::detail {
namespace {

static_assert(follow_each_other({TypeKind::kAny, TypeKind::kNothing, TypeKind::kName,
                                 TypeKind::kPrefix, TypeKind::kSingleton, TypeKind::kNumber,
                                 TypeKind::kFloat, TypeKind::kString, TypeKind::kBytes,
                                 TypeKind::kTime, TypeKind::kDuration, TypeKind::kPair}));

constexpr std::size_t kMaxAlternatives = 24;

bool is_scalar(TypeKind kind) { return kind >= TypeKind::kNumber && kind <= TypeKind::kDuration; }

bool under(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] == '/';
}

// The kinds of values that a type may hold, one bit a ValueKind.
std::uint32_t kinds_of(const Type& type) {
  const auto bit = [](ValueKind kind) { return 1U << static_cast<unsigned>(kind); };
  switch (type.kind) {
    case TypeKind::kAny:
      return ~0U;
    case TypeKind::kNothing:
      return 0;
    case TypeKind::kName:
    case TypeKind::kPrefix:
      return bit(ValueKind::kName);
    case TypeKind::kSingleton:
      return bit(type.value_kind);
    case TypeKind::kNumber:
      return bit(ValueKind::kInt);
    case TypeKind::kFloat:
      return bit(ValueKind::kFloat);
    case TypeKind::kString:
      return bit(ValueKind::kString);
    case TypeKind::kBytes:
      return bit(ValueKind::kBytes);
    case TypeKind::kTime:
      return bit(ValueKind::kTime);
    case TypeKind::kDuration:
      return bit(ValueKind::kDuration);
    case TypeKind::kPair:
      return bit(ValueKind::kPair);
    case TypeKind::kList:
      return bit(ValueKind::kNil) | bit(ValueKind::kCons);
    case TypeKind::kMap:
      return bit(ValueKind::kMap);
    case TypeKind::kStruct:
      return bit(ValueKind::kStruct);
    case TypeKind::kUnion: {
      std::uint32_t kinds = 0;
      for (const TypePtr& alternative : type.arguments) kinds |= kinds_of(*alternative);
      return kinds;
    }
  }
  return ~0U;
}

const TypeField* field_of(const Type& type, std::string_view label) {
  for (const TypeField& field : type.fields) {
    if (field.label == label) return &field;
  }
  return nullptr;
}

bool structs_disjoint(const Type& a, const Type& b) {
  for (const TypeField& field : a.fields) {
    const TypeField* other = field_of(b, field.label);
    if (other != nullptr && !field.optional && !other->optional &&
        disjoint(*field.type, *other->type)) {
      return true;
    }
  }
  return false;
}

bool struct_subtype(const Type& a, const Type& b) {
  for (const TypeField& field : b.fields) {
    const TypeField* mine = field_of(a, field.label);
    // A field that `a` does not name may be there with any value, since structs are open.
    if (mine == nullptr) return false;
    if ((mine->optional && !field.optional) || !subtype(*mine->type, *field.type)) return false;
  }
  return true;
}

}  // namespace

bool conforms(const ValueTable& values, Code code, const Type& type, bool closed) {
  if (type.kind == TypeKind::kAny) return true;
  if (type.kind == TypeKind::kNothing) return false;
  if (type.kind == TypeKind::kSingleton) return code == type.code;
  if (type.kind == TypeKind::kUnion) {
    return std::any_of(type.arguments.begin(), type.arguments.end(),
                       [&](const TypePtr& one) { return conforms(values, code, *one, closed); });
  }
  if (is_inline_int(code)) return type.kind == TypeKind::kNumber;
  const ValueView value = values.view(code);
  if ((kinds_of(type) & 1U << static_cast<unsigned>(value.kind)) == 0) return false;
  switch (type.kind) {
    case TypeKind::kPrefix:
      return under(value.text, type.text);
    case TypeKind::kPair:
      return conforms(values, value.first, *type.arguments[0], closed) &&
             conforms(values, value.second, *type.arguments[1], closed);
    case TypeKind::kList: {
      if (type.arguments[0]->kind == TypeKind::kAny) return true;
      const std::vector<Code> items = values.list_items(code);
      return std::all_of(items.begin(), items.end(), [&](Code item) {
        return conforms(values, item, *type.arguments[0], closed);
      });
    }
    case TypeKind::kMap:
      for (std::size_t i = 0; i + 1 < value.entries.size(); i += 2) {
        if (!conforms(values, value.entries[i], *type.arguments[0], closed) ||
            !conforms(values, value.entries[i + 1], *type.arguments[1], closed)) {
          return false;
        }
      }
      return true;
    case TypeKind::kStruct: {
      std::size_t needed = 0;
      for (std::size_t i = 0; i + 1 < value.entries.size(); i += 2) {
        const TypeField* field = field_of(type, values.view(value.entries[i]).text);
        if (field == nullptr) {
          if (closed && !type.fields.empty()) return false;
          continue;
        }
        if (!conforms(values, value.entries[i + 1], *field->type, closed)) return false;
        if (!field->optional) ++needed;
      }
      return needed == static_cast<std::size_t>(
                           std::count_if(type.fields.begin(), type.fields.end(),
                                         [](const TypeField& field) { return !field.optional; }));
    }
    default:
      return true;
  }
}

bool disjoint(const Type& a, const Type& b) {
  if (a.kind == TypeKind::kUnion) {
    return std::all_of(a.arguments.begin(), a.arguments.end(),
                       [&](const TypePtr& one) { return disjoint(*one, b); });
  }
  if (b.kind == TypeKind::kUnion) return disjoint(b, a);
  if ((kinds_of(a) & kinds_of(b)) == 0) return true;
  if (a.kind == TypeKind::kAny || b.kind == TypeKind::kAny) return false;
  if (a.kind == TypeKind::kSingleton && b.kind == TypeKind::kSingleton) return a.code != b.code;
  if (a.kind == TypeKind::kPrefix && b.kind == TypeKind::kPrefix) {
    return a.text != b.text && !under(a.text, b.text) && !under(b.text, a.text);
  }
  if (a.kind == TypeKind::kSingleton && b.kind == TypeKind::kPrefix) return !under(a.text, b.text);
  if (a.kind == TypeKind::kPrefix && b.kind == TypeKind::kSingleton) return disjoint(b, a);
  if (a.kind != b.kind) return false;
  if (a.kind == TypeKind::kPair) {
    return disjoint(*a.arguments[0], *b.arguments[0]) || disjoint(*a.arguments[1], *b.arguments[1]);
  }
  // Lists and maps always share the empty one.
  return a.kind == TypeKind::kStruct && structs_disjoint(a, b);
}

bool subtype(const Type& a, const Type& b) {
  if (b.kind == TypeKind::kAny || a.kind == TypeKind::kNothing) return true;
  if (a.kind == TypeKind::kUnion) {
    return std::all_of(a.arguments.begin(), a.arguments.end(),
                       [&](const TypePtr& one) { return subtype(*one, b); });
  }
  if (b.kind == TypeKind::kUnion) {
    return std::any_of(b.arguments.begin(), b.arguments.end(),
                       [&](const TypePtr& one) { return subtype(a, *one); });
  }
  if (a.kind == TypeKind::kAny || b.kind == TypeKind::kNothing) return false;
  if (a.kind == TypeKind::kSingleton) {
    if (b.kind == TypeKind::kSingleton) return a.code == b.code;
    if (b.kind == TypeKind::kPrefix) return under(a.text, b.text);
    return subtype(*kind_type(a.value_kind), b);
  }
  if (a.kind == TypeKind::kPrefix) {
    return b.kind == TypeKind::kName ||
           (b.kind == TypeKind::kPrefix && (a.text == b.text || under(a.text, b.text)));
  }
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case TypeKind::kPair:
    case TypeKind::kMap:
      return subtype(*a.arguments[0], *b.arguments[0]) && subtype(*a.arguments[1], *b.arguments[1]);
    case TypeKind::kList:
      return subtype(*a.arguments[0], *b.arguments[0]);
    case TypeKind::kStruct:
      return struct_subtype(a, b);
    default:
      return true;
  }
}

TypePtr meet(const TypePtr& a, const TypePtr& b) {
  if (subtype(*a, *b)) return a;
  if (subtype(*b, *a)) return b;
  if (disjoint(*a, *b)) return nothing_type();
  const TypePtr& wide = a->kind == TypeKind::kUnion ? a : b;
  const TypePtr& other = a->kind == TypeKind::kUnion ? b : a;
  if (wide->kind != TypeKind::kUnion) return a;
  TypePtr result = nothing_type();
  for (const TypePtr& one : wide->arguments) {
    if (!disjoint(*one, *other)) result = join(result, meet(one, other));
  }
  return result;
}

TypePtr join(const TypePtr& a, const TypePtr& b) {
  if (subtype(*a, *b)) return b;
  if (subtype(*b, *a)) return a;
  std::vector<TypePtr> alternatives;
  for (const TypePtr& side : {a, b}) {
    const bool flat = side->kind != TypeKind::kUnion;
    const std::vector<TypePtr> parts = flat ? std::vector<TypePtr>{side} : side->arguments;
    for (const TypePtr& part : parts) {
      const bool known = std::any_of(alternatives.begin(), alternatives.end(),
                                     [&](const TypePtr& other) { return subtype(*part, *other); });
      if (!known) alternatives.push_back(part);
    }
  }
  if (alternatives.size() > kMaxAlternatives) return any_type();
  if (alternatives.size() == 1) return alternatives[0];
  return make_type(TypeKind::kUnion, std::move(alternatives));
}

TypePtr widen(const TypePtr& type, int depth) {
  if (is_scalar(type->kind) || type->kind <= TypeKind::kSingleton) return type;
  if (depth <= 0) {
    return type->kind == TypeKind::kPair     ? letter_type('p')
           : type->kind == TypeKind::kList   ? letter_type('l')
           : type->kind == TypeKind::kMap    ? letter_type('m')
           : type->kind == TypeKind::kStruct ? letter_type('S')
                                             : any_type();
  }
  auto result = std::make_shared<Type>(*type);
  const int next = type->kind == TypeKind::kUnion ? depth : depth - 1;
  for (TypePtr& argument : result->arguments) argument = widen(argument, next);
  for (TypeField& field : result->fields) field.type = widen(field.type, depth - 1);
  return result;
}

}  // namespace anima::datalog::detail
