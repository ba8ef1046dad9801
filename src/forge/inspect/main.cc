// anima-inspect: reads the program of one generated tool with libclang and prints what it does, as
// facts. It runs in the sandbox: the text is hostile until proven otherwise, and the parser is
// large.
//
//   anima-inspect ARGUMENT..
//   {"facts": [["ast_call", "run", "std::abort", 12], ..], "errors": [[3, "expected ';'"], ..]}
//
// The arguments are those of the compiler (forge/compiler.h), for a text that the preprocessor has
// been through: what is read here is what is compiled, token by token.
//
// Each fact is a name and its arguments as safety.mg (packs/forge) declares them. What cannot be
// told for sure is told as the worse of the two. Source: learning_and_psyche 1.14.
#include <clang-c/Index.h>

#include <cstdio>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"

namespace {

using anima::Json;

constexpr std::size_t kMostFacts = 20'001;  // one more than the policy takes
constexpr int kMostDepth = 400;
constexpr unsigned kNoLine = ~0U;  // of a fact that says none

std::string taken(CXString text) {
  const char* const characters = clang_getCString(text);
  std::string copy = characters == nullptr ? "" : characters;
  clang_disposeString(text);
  return copy;
}

struct Place {
  bool in_file = false;
  unsigned line = 0;
  unsigned offset = 0;
};

Place place_of(CXSourceLocation location) {
  Place place;
  clang_getExpansionLocation(location, nullptr, &place.line, nullptr, &place.offset);
  place.in_file = clang_Location_isFromMainFile(location) != 0;
  return place;
}

bool is_function(CXCursorKind kind) {
  return kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod ||
         kind == CXCursor_Constructor || kind == CXCursor_Destructor ||
         kind == CXCursor_ConversionFunction || kind == CXCursor_FunctionTemplate;
}

// Without inline name spaces and those of no name.
std::string qualified_name(CXCursor cursor) {
  std::string name = taken(clang_getCursorSpelling(cursor));
  for (CXCursor at = clang_getCursorSemanticParent(cursor);
       clang_Cursor_isNull(at) == 0 && clang_getCursorKind(at) != CXCursor_TranslationUnit;
       at = clang_getCursorSemanticParent(at)) {
    if (clang_isInvalid(clang_getCursorKind(at)) != 0) break;
    if (clang_getCursorKind(at) == CXCursor_Namespace && clang_Cursor_isInlineNamespace(at) != 0)
      continue;
    if (clang_getCursorKind(at) == CXCursor_LinkageSpec) continue;
    const std::string outer = taken(clang_getCursorSpelling(at));
    if (!outer.empty()) name = outer + "::" + name;
  }
  return name;
}

std::vector<CXCursor> children_of(CXCursor cursor) {
  std::vector<CXCursor> children;
  clang_visitChildren(
      cursor,
      [](CXCursor child, CXCursor, CXClientData data) {
        static_cast<std::vector<CXCursor>*>(data)->push_back(child);
        return CXChildVisit_Continue;
      },
      &children);
  return children;
}

bool any_beneath(CXCursor cursor, const std::function<bool(CXCursor)>& holds, int depth = 0) {
  if (depth > kMostDepth) return false;
  for (const CXCursor child : children_of(cursor)) {
    if (holds(child) || any_beneath(child, holds, depth + 1)) return true;
  }
  return false;
}

bool is_pointer(CXType type) {
  const CXTypeKind kind = clang_getCanonicalType(type).kind;
  return kind == CXType_Pointer || kind == CXType_NullPtr;
}

bool names_a_stop(std::string_view text) {
  return text.find("stop_token") != std::string_view::npos ||
         text.find("tool::Cancel") != std::string_view::npos;
}

class Inspector {
 public:
  explicit Inspector(CXTranslationUnit unit) : unit_(unit) {}

  void inspect() {
    look_at_tokens();
    for (const CXCursor child : children_of(clang_getTranslationUnitCursor(unit_))) {
      if (clang_Location_isFromMainFile(clang_getCursorLocation(child)) != 0)
        visit(child, "<global init>", 0);
    }
  }

  Json report() {
    Json errors = Json::array();
    for (unsigned i = 0; i < clang_getNumDiagnostics(unit_); ++i) {
      CXDiagnostic diagnostic = clang_getDiagnostic(unit_, i);
      if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
        const Place place = place_of(clang_getDiagnosticLocation(diagnostic));
        errors.push_back(Json::array({Json(std::uint64_t{place.in_file ? place.line : 0}),
                                      Json(taken(clang_getDiagnosticSpelling(diagnostic)))}));
      }
      clang_disposeDiagnostic(diagnostic);
    }
    return Json::object({{"facts", std::move(facts_)}, {"errors", std::move(errors)}});
  }

 private:
  // Nothing of the preprocessor is left: a # would begin a directive that nobody has judged.
  void look_at_tokens() {
    CXToken* tokens = nullptr;
    unsigned count = 0;
    const CXCursor whole = clang_getTranslationUnitCursor(unit_);
    clang_tokenize(unit_, clang_getCursorExtent(whole), &tokens, &count);
    for (unsigned i = 0; i < count; ++i) {
      const std::string text = taken(clang_getTokenSpelling(unit_, tokens[i]));
      const unsigned line = place_of(clang_getTokenLocation(unit_, tokens[i])).line;
      const CXTokenKind kind = clang_getTokenKind(tokens[i]);
      if (kind == CXToken_Punctuation) {
        if (text.starts_with('#') || text.starts_with("%:")) fact("ast_directive", {}, line);
      } else if (kind != CXToken_Literal && is_special(text)) {
        fact("ast_name", {text}, line);
      }
    }
    if (tokens != nullptr) clang_disposeTokens(unit_, tokens, count);
  }

  // Of the compiler, or a word that reaches outside of C++.
  static bool is_special(std::string_view name) {
    if (name == "asm" || name == "import" || name == "module" || name == "export") return true;
    return name.size() > 1 && name[0] == '_' &&
           (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
  }

  // What libclang shows nothing of, but of which there is something.
  bool is_opaque(CXCursor cursor) const {
    if (!children_of(cursor).empty()) return false;
    return tokens_of(clang_getCursorExtent(cursor)).size() > 1;
  }

  void fact(std::string_view name, std::initializer_list<std::string> texts) {
    fact(name, texts, kNoLine);
  }
  void fact(std::string_view name, std::initializer_list<std::string> texts, unsigned line) {
    Json row = Json::array({Json(std::string(name))});
    for (const std::string& text : texts) row.push_back(text);
    if (line != kNoLine) row.push_back(std::uint64_t{line});
    std::string key = row.dump();
    if (facts_.as_array().size() < kMostFacts && told_.insert(std::move(key)).second)
      facts_.push_back(std::move(row));
  }

  void visit(CXCursor cursor, const std::string& outer, int depth) {
    const CXCursorKind kind = clang_getCursorKind(cursor);
    const unsigned line = place_of(clang_getCursorLocation(cursor)).line;
    if (depth > kMostDepth) return fact("too_deep", {outer}, line);
    std::string inside = outer;
    if (is_function(kind)) {
      inside = qualified_name(cursor);
      declared(cursor, inside, line);
    }
    look_at(cursor, kind, inside, line);
    for (const CXCursor child : children_of(cursor)) visit(child, inside, depth + 1);
  }

  void look_at(CXCursor cursor, CXCursorKind kind, const std::string& inside, unsigned line) {
    if (clang_isAttribute(kind) != 0 && kind != CXCursor_CXXFinalAttr &&
        kind != CXCursor_CXXOverrideAttr)
      return fact("ast_attr", {inside}, line);
    switch (kind) {
      case CXCursor_UnexposedDecl:
        if (is_opaque(cursor)) fact("ast_opaque", {inside}, line);
        return;
      case CXCursor_CallExpr:
        refers(cursor, inside, line);
        return threads(cursor, line);
      case CXCursor_DeclRefExpr:
      case CXCursor_MemberRefExpr:
        return refers(cursor, inside, line);
      case CXCursor_OverloadedDeclRef:
        return refers_to_several(cursor, inside, line);
      case CXCursor_CXXNewExpr:
        return fact("ast_raw_memory", {inside, "new"}, line);
      case CXCursor_CXXDeleteExpr:
        return fact("ast_raw_memory", {inside, "delete"}, line);
      case CXCursor_UnionDecl:
        return fact("ast_raw_memory", {inside, "union"}, line);
      case CXCursor_ArraySubscriptExpr:
        if (steps_a_pointer(cursor)) fact("ast_raw_memory", {inside, "pointer index"}, line);
        return;
      case CXCursor_BinaryOperator:
      case CXCursor_CompoundAssignOperator:
      case CXCursor_UnaryOperator:
        if (computes_pointer(cursor, kind))
          fact("ast_raw_memory", {inside, "pointer arithmetic"}, line);
        return;
      case CXCursor_CXXReinterpretCastExpr:
        return fact("ast_cast", {inside, "reinterpret_cast"}, line);
      case CXCursor_CXXConstCastExpr:
        return fact("ast_cast", {inside, "const_cast"}, line);
      case CXCursor_CStyleCastExpr:
      case CXCursor_CXXFunctionalCastExpr:
        if (casts_pointer(cursor)) fact("ast_cast", {inside, "pointer cast"}, line);
        return;
      case CXCursor_CXXTypeidExpr:
        return fact("ast_rtti", {inside, "typeid"}, line);
      case CXCursor_CXXDynamicCastExpr:
        return fact("ast_rtti", {inside, "dynamic_cast"}, line);
      case CXCursor_CXXThrowExpr:
        return fact("ast_throw", {inside}, line);
      case CXCursor_GCCAsmStmt:
      case CXCursor_MSAsmStmt:
        return fact("ast_asm", {}, line);
      case CXCursor_GotoStmt:
      case CXCursor_IndirectGotoStmt:
        return fact("ast_goto", {inside}, line);
      case CXCursor_WhileStmt:
      case CXCursor_DoStmt:
      case CXCursor_ForStmt:
        if (is_unbounded(cursor, kind)) fact("ast_loop_unbounded", {inside}, line);
        return;
      case CXCursor_TypeRef:
      case CXCursor_TemplateRef:
        return fact("ast_type", {inside, qualified_name(clang_getCursorReferenced(cursor))}, line);
      default:
        return;
    }
  }

  void declared(CXCursor cursor, const std::string& name, unsigned line) {
    const bool defined = clang_isCursorDefinition(cursor) != 0;
    const std::string spelling = taken(clang_getCursorSpelling(cursor));
    if (name == "main") fact("ast_defines_main", {}, line);
    const bool foreign_name = clang_getCursorKind(cursor) == CXCursor_FunctionDecl &&
                              name != "main" && taken(clang_Cursor_getMangling(cursor)) == spelling;
    const bool missing = clang_Cursor_isNull(clang_getCursorDefinition(cursor)) != 0 &&
                         clang_CXXMethod_isPureVirtual(cursor) == 0 &&
                         clang_CXXMethod_isDefaulted(cursor) == 0;
    if (foreign_name || missing) fact("ast_foreign", {name}, line);
    if (!defined) return;
    fact("ast_defined", {name});
    if (name == "run" && clang_getCursorKind(cursor) == CXCursor_FunctionDecl) {
      const std::string type =
          taken(clang_getTypeSpelling(clang_getCanonicalType(clang_getCursorType(cursor))));
      if (type == "tool::Result (const tool::Input &, tool::Cancel)")
        fact("ast_entry", {name}, line);
    }
    CXCursor* overridden = nullptr;
    unsigned count = 0;
    clang_getOverriddenCursors(cursor, &overridden, &count);
    for (unsigned i = 0; i < count; ++i)
      fact("ast_overrides", {name, qualified_name(overridden[i])});
    if (overridden != nullptr) clang_disposeOverriddenCursors(overridden);
  }

  void refers(CXCursor cursor, const std::string& inside, unsigned line) {
    const CXCursor target = clang_getCursorReferenced(cursor);
    if (clang_Cursor_isNull(target) != 0) {
      const std::string name = taken(clang_getCursorSpelling(cursor));
      if (!name.empty()) fact("ast_call", {inside, name}, line);
      return;
    }
    names_function(target, inside, line);
  }

  void refers_to_several(CXCursor cursor, const std::string& inside, unsigned line) {
    fact("ast_call", {inside, taken(clang_getCursorSpelling(cursor))}, line);
    for (unsigned i = 0; i < clang_getNumOverloadedDecls(cursor); ++i)
      names_function(clang_getOverloadedDecl(cursor, i), inside, line);
  }

  void names_function(CXCursor target, const std::string& inside, unsigned line) {
    if (!is_function(clang_getCursorKind(target))) return;
    const std::string name = qualified_name(target);
    fact("ast_call", {inside, name}, line);
    const bool ours = clang_Location_isFromMainFile(clang_getCursorLocation(target)) != 0;
    if (ours || clang_getCursorKind(target) != CXCursor_FunctionDecl) return;
    if (taken(clang_Cursor_getMangling(target)) == taken(clang_getCursorSpelling(target)))
      fact("ast_c_function", {name});
  }

  // A thread is begun where one is constructed from something.
  void threads(CXCursor cursor, unsigned line) {
    const CXCursor target = clang_getCursorReferenced(cursor);
    if (clang_Cursor_isNull(target) != 0) return;
    const std::string owner = qualified_name(clang_getCursorSemanticParent(target));
    const bool thread = owner == "std::thread", joined = owner == "std::jthread";
    const CXCursorKind kind = clang_getCursorKind(target);
    if ((!thread && !joined) || kind == CXCursor_CXXMethod || kind == CXCursor_Destructor) return;
    if (clang_Cursor_getNumArguments(cursor) == 0) return;
    fact("ast_goroutine_spawn", {owner}, line);
    const bool stops = any_beneath(cursor, [](CXCursor each) {
      if (clang_getCursorKind(each) == CXCursor_LambdaExpr) {
        for (const CXCursor child : children_of(each)) {
          if (clang_getCursorKind(child) == CXCursor_ParmDecl)
            return names_a_stop(taken(clang_getTypeSpelling(clang_getCursorType(child))));
        }
        return false;
      }
      if (clang_getCursorKind(each) != CXCursor_DeclRefExpr) return false;
      const CXCursor named = clang_getCursorReferenced(each);
      return is_function(clang_getCursorKind(named)) && clang_Cursor_getNumArguments(named) > 0 &&
             names_a_stop(taken(
                 clang_getTypeSpelling(clang_getCursorType(clang_Cursor_getArgument(named, 0)))));
    });
    if (stops) fact("ast_uses_context_cancellation", {}, line);
  }

  // Through the conversion of an array into a pointer.
  static bool steps_a_pointer(CXCursor cursor) {
    const auto children = children_of(cursor);
    if (children.empty()) return true;
    CXCursor base = children[0];
    while (true) {
      const CXTypeKind type = clang_getCanonicalType(clang_getCursorType(base)).kind;
      if (type == CXType_ConstantArray) return false;
      if (type == CXType_Dependent || type == CXType_Unexposed || type == CXType_Record)
        return false;
      const auto beneath = children_of(base);
      const CXCursorKind kind = clang_getCursorKind(base);
      if ((kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr) || beneath.size() != 1)
        return true;
      base = beneath[0];
    }
  }

  static bool casts_pointer(CXCursor cursor) {
    if (is_pointer(clang_getCursorType(cursor))) return true;
    const auto children = children_of(cursor);
    return !children.empty() && is_pointer(clang_getCursorType(children.back()));
  }

  // The tokens of a cursor between two places of the file.
  std::vector<std::string> tokens_of(CXSourceRange range) const {
    CXToken* tokens = nullptr;
    unsigned count = 0;
    clang_tokenize(unit_, range, &tokens, &count);
    std::vector<std::string> list;
    for (unsigned i = 0; i < count; ++i)
      list.push_back(taken(clang_getTokenSpelling(unit_, tokens[i])));
    if (tokens != nullptr) clang_disposeTokens(unit_, tokens, count);
    return list;
  }

  // The operator between two operands, or around the one; empty when a macro hides it.
  std::string operator_of(CXCursor cursor) const {
    const auto children = children_of(cursor);
    if (children.empty()) return {};
    const CXSourceRange whole = clang_getCursorExtent(cursor);
    const CXSourceRange first = clang_getCursorExtent(children[0]);
    CXSourceRange between;
    if (children.size() == 2) {
      between = clang_getRange(clang_getRangeEnd(first),
                               clang_getRangeStart(clang_getCursorExtent(children[1])));
    } else if (place_of(clang_getRangeStart(whole)).offset <
               place_of(clang_getRangeStart(first)).offset) {
      between = clang_getRange(clang_getRangeStart(whole), clang_getRangeStart(first));
    } else {
      between = clang_getRange(clang_getRangeEnd(first), clang_getRangeEnd(whole));
    }
    const auto tokens = tokens_of(between);
    return tokens.empty() ? std::string() : tokens[0];
  }

  bool computes_pointer(CXCursor cursor, CXCursorKind kind) const {
    const auto children = children_of(cursor);
    const bool result = is_pointer(clang_getCursorType(cursor));
    const bool operand = !children.empty() && is_pointer(clang_getCursorType(children[0]));
    if (kind == CXCursor_CompoundAssignOperator) return result;
    if (!result && !operand) return false;
    const std::string sign = operator_of(cursor);
    if (sign == "+" || sign == "-" || sign == "++" || sign == "--") return true;
    return sign.empty() && result && kind == CXCursor_BinaryOperator;
  }

  // Whether it can only be left from inside, and nothing inside leaves it or asks to be stopped.
  bool is_unbounded(CXCursor cursor, CXCursorKind kind) const {
    const auto children = children_of(cursor);
    if (children.empty()) return true;
    const CXCursor body = kind == CXCursor_DoStmt ? children.front() : children.back();
    const bool endless =
        kind == CXCursor_ForStmt
            ? has_no_condition(cursor, children)
            : is_constant(kind == CXCursor_DoStmt ? children.back() : children.front());
    return endless && !leaves(body, true, 0);
  }

  bool has_no_condition(CXCursor cursor, const std::vector<CXCursor>& children) const {
    const auto tokens = tokens_of(clang_getCursorExtent(cursor));
    int depth = 0, parts = 0;
    bool any = false;
    for (const std::string& token : tokens) {
      if (token == ")" && depth == 1) break;
      if (token == "(" || token == "[" || token == "{") ++depth;
      if (token == ")" || token == "]" || token == "}") --depth;
      if (token == ";" && depth == 1) {
        ++parts;
      } else if (parts == 1) {
        any = true;
      }
    }
    if (parts < 2 || !any) return true;  // none, or a macro hides it
    // The condition is the first part that has the type of one.
    for (std::size_t i = 0; i + 1 < children.size(); ++i) {
      if (clang_isExpression(clang_getCursorKind(children[i])) != 0 && is_constant(children[i]))
        return true;
    }
    return false;
  }

  static bool is_constant(CXCursor condition) {
    CXEvalResult value = clang_Cursor_Evaluate(condition);
    if (value == nullptr) return false;
    const bool constant =
        clang_EvalResult_getKind(value) == CXEval_Int && clang_EvalResult_getAsLongLong(value) != 0;
    clang_EvalResult_dispose(value);
    return constant;
  }

  static bool leaves(CXCursor cursor, bool own_break, int depth) {
    if (depth > kMostDepth) return false;
    const CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_ReturnStmt || (kind == CXCursor_BreakStmt && own_break)) return true;
    if (kind == CXCursor_LambdaExpr) return false;
    if (kind == CXCursor_CallExpr) {
      const std::string name = qualified_name(clang_getCursorReferenced(cursor));
      if (name == "tool::Cancel::requested" || name == "std::stop_token::stop_requested")
        return true;
    }
    const bool loop = kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt ||
                      kind == CXCursor_DoStmt || kind == CXCursor_SwitchStmt ||
                      kind == CXCursor_CXXForRangeStmt;
    for (const CXCursor child : children_of(cursor)) {
      if (leaves(child, own_break && !loop, depth + 1)) return true;
    }
    return false;
  }

  CXTranslationUnit unit_;
  Json facts_ = Json::array();
  std::set<std::string> told_;
};

int print(const Json& report) {
  const std::string text = report.dump() + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fputs("usage: anima-inspect ARGUMENT..\n", stderr);
    return 2;
  }
  CXIndex index = clang_createIndex(0, 0);
  CXTranslationUnit unit = nullptr;
  const CXErrorCode failed = clang_parseTranslationUnit2(
      index, nullptr, arguments + 1, count - 1, nullptr, 0, CXTranslationUnit_KeepGoing, &unit);
  if (failed != CXError_Success || unit == nullptr) {
    std::fputs("the program could not be read\n", stderr);
    return 1;
  }
  // Without an end: it would only take time, and the program ends next.
  Inspector inspector(unit);
  inspector.inspect();
  return print(inspector.report());
}
