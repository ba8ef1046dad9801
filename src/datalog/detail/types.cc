#include "datalog/detail/types.h"

#include <algorithm>
#include <array>

#include "datalog/detail/constants.h"

namespace anima::datalog::detail {
namespace {

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

TypePtr prefix_type(std::string_view text) {
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kPrefix;
  type->text = text;
  return type;
}

TypePtr singleton(const ValueTable& values, Code code) {
  const ValueView view = values.view(code);
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kSingleton;
  type->code = code;
  type->value_kind = view.kind;
  if (view.kind == ValueKind::kName) type->text = view.text;
  return type;
}

}  // namespace

TypePtr make_type(TypeKind kind, std::vector<TypePtr> arguments) {
  auto type = std::make_shared<Type>();
  type->kind = kind;
  type->arguments = std::move(arguments);
  return type;
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

namespace {

TypePtr bad(TypeError& error, const ast::Term& term, std::string message, std::string hint = {}) {
  error = {term.at, std::move(message), std::move(hint)};
  return nullptr;
}

bool read_arguments(const ast::Term& term, std::size_t least, std::size_t most, ValueTable& values,
                    TypeError& error, std::vector<TypePtr>& out) {
  if (term.arguments.size() < least || term.arguments.size() > most) {
    bad(error, term, term.text + " takes another number of types");
    return false;
  }
  for (const ast::Term& argument : term.arguments) {
    TypePtr type = read_type(argument, values, error);
    if (!type) return false;
    out.push_back(std::move(type));
  }
  return true;
}

bool read_field(const ast::Term& label, const ast::Term& type, bool optional, ValueTable& values,
                TypeError& error, Type& out) {
  if (label.kind != ast::TermKind::kName) {
    bad(error, label, "the label of a field must be a name");
    return false;
  }
  TypePtr field = read_type(type, values, error);
  if (!field) return false;
  out.fields.push_back({label.text, optional, std::move(field)});
  return true;
}

// Both spellings: .Struct</a : T, opt /b : T> and fn:Struct(/a, T, fn:opt(/b, T)).
TypePtr read_struct(const ast::Term& term, std::size_t from, ValueTable& values, TypeError& error) {
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kStruct;
  for (std::size_t i = from; i < term.arguments.size(); ++i) {
    const ast::Term& member = term.arguments[i];
    const bool optional = member.kind == ast::TermKind::kOptional ||
                          (member.kind == ast::TermKind::kApply && member.text == "fn:opt");
    if (optional || member.kind == ast::TermKind::kMember) {
      if (member.arguments.size() != 2) return bad(error, member, "a field is a label and a type");
      if (!read_field(member.arguments[0], member.arguments[1], optional, values, error, *type)) {
        return nullptr;
      }
    } else if (i + 1 < term.arguments.size()) {
      if (!read_field(member, term.arguments[i + 1], false, values, error, *type)) return nullptr;
      ++i;
    } else {
      return bad(error, member, "a field is a label and a type", "write /label : type");
    }
  }
  return type;
}

// .TaggedUnion</tag, /v1 : .Struct<..>, ..>: structs whose field /tag says which they are.
TypePtr read_tagged(const ast::Term& term, ValueTable& values, TypeError& error) {
  if (term.arguments.size() < 2 || term.arguments[0].kind != ast::TermKind::kName) {
    return bad(error, term, "a tagged union is a tag and its variants",
               "write .TaggedUnion</tag, /v : .Struct<..>>");
  }
  std::vector<TypePtr> variants;
  for (std::size_t i = 1; i < term.arguments.size(); ++i) {
    const ast::Term* label = &term.arguments[i];
    const ast::Term* body = nullptr;
    if (label->kind == ast::TermKind::kMember) {
      body = &label->arguments[1];
      label = &label->arguments[0];
    } else if (i + 1 < term.arguments.size()) {
      body = &term.arguments[++i];
    }
    if (body == nullptr || label->kind != ast::TermKind::kName) {
      return bad(error, *label, "a variant is a name and a struct type");
    }
    const TypePtr fields = read_type(*body, values, error);
    if (!fields) return nullptr;
    if (fields->kind != TypeKind::kStruct) return bad(error, *body, "a variant must be a struct");
    auto variant = std::make_shared<Type>(*fields);
    variant->fields.push_back(
        {term.arguments[0].text, false, singleton(values, values.name(label->text))});
    variants.push_back(std::move(variant));
  }
  return make_type(TypeKind::kUnion, std::move(variants));
}

TypePtr read_constructor(const ast::Term& term, std::string_view name, ValueTable& values,
                         TypeError& error) {
  constexpr std::size_t kMany = 1000;
  std::vector<TypePtr> types;
  if (name == "Struct") return read_struct(term, 0, values, error);
  if (name == "TaggedUnion") return read_tagged(term, values, error);
  if (name == "Singleton") {
    Code code = 0;
    if (term.arguments.size() != 1 || !constant_code(term.arguments[0], values, code)) {
      return bad(error, term, "a singleton is one constant", "write .Singleton</red>");
    }
    return singleton(values, code);
  }
  if (name == "List") {
    if (!read_arguments(term, 1, 1, values, error, types)) return nullptr;
    return make_type(TypeKind::kList, std::move(types));
  }
  if (name == "Option") {
    if (!read_arguments(term, 1, 1, values, error, types)) return nullptr;
    return make_type(
        TypeKind::kUnion,
        {singleton(values, values.name("/none")),
         make_type(TypeKind::kPair, {singleton(values, values.name("/some")), types[0]})});
  }
  if (name == "Pair" || name == "Map") {
    if (!read_arguments(term, 2, 2, values, error, types)) return nullptr;
    return make_type(name == "Pair" ? TypeKind::kPair : TypeKind::kMap, std::move(types));
  }
  if (name == "Tuple") {
    if (!read_arguments(term, 1, kMany, values, error, types)) return nullptr;
    TypePtr result = types.back();
    for (std::size_t i = types.size() - 1; i > 0; --i) {
      result = make_type(TypeKind::kPair, {types[i - 1], result});
    }
    return result;
  }
  if (name == "Union") {
    if (!read_arguments(term, 1, kMany, values, error, types)) return nullptr;
    return make_type(TypeKind::kUnion, std::move(types));
  }
  if (name == "Fun" || name == "Rel") return any_type();
  return bad(error, term, "there is no type constructor '" + std::string(name) + "'",
             "List, Pair, Tuple, Map, Struct, Union, Singleton, Option, TaggedUnion");
}

}  // namespace

TypePtr read_type(const ast::Term& term, ValueTable& values, TypeError& error) {
  struct Base {
    std::string_view name;
    TypeKind kind;
  };
  constexpr std::array kBases = {
      Base{"/any", TypeKind::kAny},          Base{"/bot", TypeKind::kNothing},
      Base{"/name", TypeKind::kName},        Base{"/number", TypeKind::kNumber},
      Base{"/float64", TypeKind::kFloat},    Base{"/string", TypeKind::kString},
      Base{"/bytes", TypeKind::kBytes},      Base{"/time", TypeKind::kTime},
      Base{"/duration", TypeKind::kDuration}};
  switch (term.kind) {
    case ast::TermKind::kName:
      for (const Base& base : kBases) {
        if (base.name == term.text) return make_type(base.kind);
      }
      return prefix_type(term.text);
    case ast::TermKind::kVariable:
      return any_type();
    case ast::TermKind::kType:
      return read_constructor(term, term.text, values, error);
    case ast::TermKind::kApply:
      if (term.text.size() > 3 && term.text.starts_with("fn:")) {
        return read_constructor(term, std::string_view(term.text).substr(3), values, error);
      }
      break;
    default:
      break;
  }
  return bad(error, term, "this is not a type",
             "types are /any /name /number /float64 /string /bytes /time /duration, a name prefix, "
             "or constructors like .List</number>");
}

namespace {

void append_list(const std::vector<TypePtr>& types, const ValueTable& values, std::string& out);

void append_type(const Type& type, const ValueTable& values, std::string& out) {
  switch (type.kind) {
    case TypeKind::kAny:
      out += "/any";
      return;
    case TypeKind::kNothing:
      out += "/bot";
      return;
    case TypeKind::kName:
      out += "/name";
      return;
    case TypeKind::kPrefix:
      out += type.text;
      return;
    case TypeKind::kSingleton:
      out += ".Singleton<" + values.text(type.code) + ">";
      return;
    case TypeKind::kNumber:
      out += "/number";
      return;
    case TypeKind::kFloat:
      out += "/float64";
      return;
    case TypeKind::kString:
      out += "/string";
      return;
    case TypeKind::kBytes:
      out += "/bytes";
      return;
    case TypeKind::kTime:
      out += "/time";
      return;
    case TypeKind::kDuration:
      out += "/duration";
      return;
    case TypeKind::kPair:
      out += ".Pair<";
      break;
    case TypeKind::kList:
      out += ".List<";
      break;
    case TypeKind::kMap:
      out += ".Map<";
      break;
    case TypeKind::kUnion:
      out += ".Union<";
      break;
    case TypeKind::kStruct:
      out += ".Struct<";
      for (std::size_t i = 0; i < type.fields.size(); ++i) {
        if (i > 0) out += ", ";
        if (type.fields[i].optional) out += "opt ";
        out += type.fields[i].label + " : ";
        append_type(*type.fields[i].type, values, out);
      }
      break;
  }
  append_list(type.arguments, values, out);
  out += '>';
}

void append_list(const std::vector<TypePtr>& types, const ValueTable& values, std::string& out) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i > 0) out += ", ";
    append_type(*types[i], values, out);
  }
}

}  // namespace

std::string type_text(const Type& type, const ValueTable& values) {
  std::string out;
  append_type(type, values, out);
  return out;
}

}  // namespace anima::datalog::detail
