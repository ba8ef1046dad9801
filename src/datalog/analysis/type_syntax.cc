// Types as they are written in a program: read from terms, and put back into text.
#include <array>
#include <memory>
#include <utility>

#include "datalog/analysis/constants.h"
#include "datalog/analysis/types.h"

namespace anima::datalog::detail {
namespace {

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
    return tuple_type(types);
  }
  if (name == "Union") {
    if (!read_arguments(term, 1, kMany, values, error, types)) return nullptr;
    return make_type(TypeKind::kUnion, std::move(types));
  }
  if (name == "Fun" || name == "Rel") return any_type();
  return bad(error, term, "there is no type constructor '" + std::string(name) + "'",
             "List, Pair, Tuple, Map, Struct, Union, Singleton, Option, TaggedUnion");
}

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

std::string type_text(const Type& type, const ValueTable& values) {
  std::string out;
  append_type(type, values, out);
  return out;
}

}  // namespace anima::datalog::detail
