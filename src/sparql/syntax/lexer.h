// Characters to tokens of SPARQL.
//
// Tokens are the longest that the grammar allows, so `<a>` is an IRI and `?a < ?b` a comparison.
// Escapes are decoded here: those of code points (\u, \U) in the whole text before anything else.
// At a fault the lexer keeps the error and says that the text ends. Thread-safety: one thread.
// Source: SPARQL 1.1 Query Language, sections 19.2, 19.8 rules 139 to 173.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sparql/syntax/ast.h"

namespace anima::sparql::syntax {

struct Token {
  enum class Kind : std::uint8_t {
    kEnd,
    kWord,      // keyword, or any other name without a colon; text as written
    kIri,       // text between < and >
    kName,      // prefix and text: a prefixed name, escapes of the local part decoded
    kBlank,     // text: label without "_:"
    kVariable,  // text: without ? or $
    kInteger,   // unsigned, text as written; so the next two
    kDecimal,
    kDouble,
    kString,    // text decoded
    kLanguage,  // text: tag without @
    kMark,      // text: punctuation
  };
  Kind kind = Kind::kEnd;
  std::string text;
  std::string prefix;
  ast::Place place;
  std::size_t begin = 0, end = 0;  // in the text that the lexer reads
};

class Lexer {
 public:
  // `text` must outlive the lexer.
  explicit Lexer(std::string_view text);

  // Replaces the token by the next one.
  void next(Token& token);

  bool failed() const { return error_.has_value(); }
  const Error& error() const { return *error_; }
  // Keeps the first one; from then on the text has ended.
  void fail(const ast::Place& place, std::string message, std::string hint = {});
  // A short piece of the text for messages.
  std::string shown(const Token& token) const;

 private:
  void decode_code_points();
  void skip_blanks();
  char32_t peek(std::size_t at, std::size_t* size) const;
  char at(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  ast::Place place_of(std::size_t offset);

  bool iri(Token& token);
  void number(Token& token);
  void variable(Token& token);
  void blank_label(Token& token);
  void language(Token& token);
  void string(Token& token);
  bool string_escape(Token& token);
  void name_or_word(Token& token);
  void local_name(Token& token);
  bool local_escape(Token& token);
  void mark(Token& token);

  std::string decoded_;  // when the text has escapes of code points
  std::string_view text_;
  std::size_t at_ = 0;
  // Where places are counted from: monotonous, so a text is counted once.
  std::size_t counted_ = 0;
  ast::Place counted_place_{1, 1};
  std::optional<Error> error_;
};

std::string text_of(const ast::Place& place);  // "line:column"

}  // namespace anima::sparql::syntax
