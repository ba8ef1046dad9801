#include "sparql/rdf/turtle_reader.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/text/text.h"
#include "sparql/detail/rdf_chars.h"
#include "sparql/detail/text_place.h"
#include "sparql/iri.h"
#include "sparql/rdf/blank_labels.h"
#include "sparql/rdf/emitter.h"
#include "sparql/rdf/term_arena.h"
#include "sparql/rdf/vocabulary.h"

namespace anima::sparql::rdf {
namespace {

using detail::is;

constexpr RdfTerm iri_term(std::string_view iri) { return {RdfKind::kIri, iri, {}}; }

class TurtleReader {
 public:
  TurtleReader(TurtleDialect dialect, std::string_view text, const RdfReadOptions& options,
               const QuadSink& sink)
      : trig_(dialect == TurtleDialect::kTriG),
        text_(text),
        options_(options),
        at_(text.data()),
        end_(text.data() + text.size()),
        base_(options.base_iri),
        emitter_(options, sink) {
    const std::size_t invalid = invalid_utf8_at(text);
    if (invalid == kValidUtf8) return;
    invalid_utf8_ = true;
    end_ = text.data() + invalid;
  }

  Result<std::uint64_t> run() {
    for (;;) {
      arena_.release({});
      skip_space();
      if (at_ == end_) break;
      if (!statement()) return fail(error());
    }
    if (invalid_utf8_) {
      fault(end_, "");
      return fail(error());
    }
    return emitter_.count();
  }

 private:
  struct Verb {
    RdfTerm subject, predicate;
  };

  bool statement();
  bool directive();
  bool prefix_directive();
  bool base_directive();
  bool triples_or_graph();
  bool graph_block(const RdfTerm* graph);
  bool triples();
  bool subject_triples(const RdfTerm& subject);
  bool label_or_subject(RdfTerm& out);
  bool predicate_objects(const RdfTerm& subject, std::size_t depth);
  bool verb(RdfTerm& out);
  bool object(const Verb& verb, std::size_t depth);
  bool bracketed_object(const Verb& verb, std::size_t depth);
  bool items(std::string cell, std::size_t depth);
  bool simple_term(RdfTerm& out);
  bool iri(RdfTerm& out);
  bool iri_reference(std::string_view& out);
  bool prefixed_name(std::string_view& out);
  bool local_name();
  bool plain_local_end(const char*& at) const;
  bool blank_label(RdfTerm& out);
  bool literal(RdfTerm& out);
  bool quoted(std::string_view& out);
  bool number(RdfTerm& out);
  bool escape(const char*& at, const char* stop, bool in_iri);

  bool emit(const Verb& verb, const RdfTerm& object) {
    return emitter_.emit({verb.subject, verb.predicate, object}, graph_,
                         static_cast<std::uint64_t>(at_ - text_.data()));
  }
  RdfTerm blank(std::string_view label) const { return {RdfKind::kBlank, label, {}}; }
  std::string new_label() {
    std::string label;
    labels_.append_new(label);
    return label;
  }

  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  bool next_is(char c) const { return at_ != end_ && *at_ == c; }
  std::string_view word() const {
    const std::string_view ahead = rest();
    const std::size_t size = detail::prefix_end(ahead);
    if (size < ahead.size() && ahead[size] == ':') return {};  // the prefix of a name
    return ahead.substr(0, size);
  }
  bool keyword(std::string_view wanted) {
    if (!equals_ignoring_ascii_case(word(), wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  void skip_space() {
    while (at_ != end_) {
      if (*at_ == '#') {
        while (at_ != end_ && *at_ != '\n' && *at_ != '\r') ++at_;
      } else if (is(*at_, detail::kSpace)) {
        ++at_;
      } else {
        return;
      }
    }
  }
  bool expect(char c, const char* message) {
    skip_space();
    if (!next_is(c)) return fault(at_, message);
    ++at_;
    return true;
  }
  bool fault(const char* at, std::string message) {
    fault_at_ = at;
    fault_ = std::move(message);
    return false;
  }
  bool too_deep() {
    too_deep_ = true;
    return fault(at_,
                 "brackets nest deeper than " + std::to_string(options_.max_depth) + " levels");
  }
  Error error();

  bool trig_;
  std::string_view text_;
  const RdfReadOptions& options_;
  const char* at_;
  const char* end_;  // of what is UTF-8
  bool invalid_utf8_ = false;
  IriBase base_;
  std::unordered_map<std::string, std::string> prefixes_;
  Emitter emitter_;
  BlankLabels labels_;
  TermArena arena_;
  std::string scratch_, resolved_;
  const RdfTerm* graph_ = nullptr;  // null: the default graph
  const char* fault_at_ = nullptr;  // null: the emitter failed
  std::string fault_;
  bool too_deep_ = false;
};

Error TurtleReader::error() {
  if (fault_at_ == nullptr) return std::move(emitter_).failed();
  if (invalid_utf8_ && fault_at_ == end_) fault_ = "the bytes are no UTF-8";
  const auto offset = static_cast<std::size_t>(fault_at_ - text_.data());
  return Error{too_deep_ ? ErrorCode::kLimitExceeded : ErrorCode::kSyntax,
               fault_,
               detail::text_place(text_, offset, options_.file_name),
               {}};
}

bool TurtleReader::statement() {
  if (*at_ == '@') return directive();
  if (keyword("PREFIX")) return prefix_directive();
  if (keyword("BASE")) return base_directive();
  return trig_ ? triples_or_graph()
               : triples() && expect('.',
                                     "expected the full stop that ends "
                                     "a statement");
}

bool TurtleReader::directive() {
  const char* const begin = at_++;
  const std::string_view name = rest().substr(0, detail::prefix_end(rest()));
  at_ += name.size();
  const bool prefix = name == "prefix";
  if (!prefix && name != "base") return fault(begin, "expected @prefix or @base");
  if (!(prefix ? prefix_directive() : base_directive())) return false;
  return expect('.', "expected the full stop that ends a directive");
}

bool TurtleReader::prefix_directive() {
  skip_space();
  const std::string_view name = rest().substr(0, detail::prefix_end(rest()));
  at_ += name.size();
  if (!next_is(':')) return fault(at_, "expected a prefix and \":\"");
  ++at_;
  skip_space();
  std::string_view iri;
  if (!iri_reference(iri)) return false;
  prefixes_[std::string(name)] = std::string(iri);
  return true;
}

bool TurtleReader::base_directive() {
  skip_space();
  std::string_view iri;
  if (!iri_reference(iri)) return false;
  base_ = IriBase(std::string(iri));
  return true;
}

// TriG [3g], [4g]: what begins with a name may be a triple or the label of a graph.
bool TurtleReader::triples_or_graph() {
  if (next_is('{')) return graph_block(nullptr);
  if (keyword("GRAPH")) {
    skip_space();
    RdfTerm label;
    if (!label_or_subject(label)) return false;
    skip_space();
    if (!next_is('{')) return fault(at_, "expected \"{\" after the name of a graph");
    return graph_block(&label);
  }
  if (next_is('(')) {
    return triples() && expect('.', "expected the full stop that ends a statement");
  }
  const char* const begin = at_;
  if (next_is('[')) {
    ++at_;
    skip_space();
    const bool anonymous = next_is(']');
    at_ = begin;
    if (!anonymous) {
      return triples() && expect('.', "expected the full stop that ends a statement");
    }
  }
  RdfTerm subject;
  if (!label_or_subject(subject)) return false;
  skip_space();
  if (next_is('{')) return graph_block(&subject);
  return predicate_objects(subject, 0) &&
         expect('.', "expected the full stop that ends a statement");
}

bool TurtleReader::graph_block(const RdfTerm* graph) {
  ++at_;
  graph_ = graph;
  for (;;) {
    skip_space();
    if (next_is('}')) break;
    const TermArena::Mark mark = arena_.mark();
    if (!triples()) return false;
    arena_.release(mark);
    skip_space();
    if (next_is('.')) {
      ++at_;
    } else if (!next_is('}')) {
      return fault(at_, "expected a full stop or the \"}\" that ends the graph");
    }
  }
  ++at_;
  graph_ = nullptr;
  return true;
}

// Turtle [6]: one subject with what is said about it, without the full stop.
bool TurtleReader::triples() {
  if (next_is('(')) {
    ++at_;
    skip_space();
    if (next_is(')')) {
      ++at_;
      return predicate_objects(iri_term(kNil), 0);
    }
    const std::string head = new_label();
    return items(head, 1) && predicate_objects(blank(head), 0);
  }
  if (next_is('[')) {
    ++at_;
    skip_space();
    const std::string label = new_label();
    const bool anonymous = next_is(']');
    if (!anonymous && !predicate_objects(blank(label), 1)) return false;
    if (!expect(']', "expected the \"]\" that ends a blank node")) return false;
    skip_space();
    // Only a blank node of which something is said inside may stand alone.
    if (!anonymous && (next_is('.') || next_is('}'))) return true;
    return predicate_objects(blank(label), 0);
  }
  RdfTerm subject;
  return label_or_subject(subject) && predicate_objects(subject, 0);
}

// An IRI, a blank node label or [].
bool TurtleReader::label_or_subject(RdfTerm& out) {
  if (next_is('[')) {
    ++at_;
    if (!expect(']', "expected \"]\": the name of a graph is an IRI, a label or []")) return false;
    out = blank(arena_.keep(new_label()));
    return true;
  }
  if (next_is('_')) return blank_label(out);
  if (at_ == end_ || *at_ == '"' || *at_ == '\'') {
    return fault(at_, "expected an IRI or a blank node as the subject");
  }
  return iri(out);
}

bool TurtleReader::predicate_objects(const RdfTerm& subject, std::size_t depth) {
  for (;;) {
    skip_space();
    const TermArena::Mark mark = arena_.mark();
    Verb said{subject, {}};
    if (!verb(said.predicate)) return false;
    for (;;) {
      skip_space();
      if (!object(said, depth)) return false;
      skip_space();
      if (!next_is(',')) break;
      ++at_;
    }
    arena_.release(mark);
    if (!next_is(';')) return true;
    while (next_is(';')) {
      ++at_;
      skip_space();
    }
    if (next_is('.') || next_is(']') || next_is('}')) return true;
  }
}

bool TurtleReader::verb(RdfTerm& out) {
  if (word() == "a") {
    ++at_;
    out = iri_term(kType);
    return true;
  }
  if (at_ == end_ || *at_ == '_' || *at_ == '"' || *at_ == '[' || *at_ == '(') {
    return fault(at_, "expected the IRI of a predicate, or \"a\"");
  }
  return iri(out);
}

bool TurtleReader::object(const Verb& verb, std::size_t depth) {
  if (next_is('[') || next_is('(')) return bracketed_object(verb, depth + 1);
  const TermArena::Mark mark = arena_.mark();
  RdfTerm term;
  if (!simple_term(term) || !emit(verb, term)) return false;
  arena_.release(mark);
  return true;
}

// The node is handed out first, then what is said about it.
bool TurtleReader::bracketed_object(const Verb& verb, std::size_t depth) {
  if (depth > options_.max_depth) return too_deep();
  const bool list = *at_ == '(';
  ++at_;
  skip_space();
  if (list && next_is(')')) {
    ++at_;
    return emit(verb, iri_term(kNil));
  }
  std::string label = new_label();
  if (!emit(verb, blank(label))) return false;
  if (list) return items(std::move(label), depth);
  if (!next_is(']') && !predicate_objects(blank(label), depth)) return false;
  return expect(']', "expected the \"]\" that ends a blank node");
}

// The items of a collection up to its ")"; there is at least one, and `cell` is its first cell.
bool TurtleReader::items(std::string cell, std::size_t depth) {
  for (;;) {
    if (!object({blank(cell), iri_term(kFirst)}, depth)) return false;
    skip_space();
    const Verb rest{blank(cell), iri_term(kRest)};
    if (next_is(')')) {
      ++at_;
      return emit(rest, iri_term(kNil));
    }
    std::string next = new_label();
    if (!emit(rest, blank(next))) return false;
    cell = std::move(next);
  }
}

bool TurtleReader::simple_term(RdfTerm& out) {
  if (at_ == end_) return fault(at_, "expected an object");
  switch (*at_) {
    case '<':
      return iri(out);
    case '_':
      return blank_label(out);
    case '"':
    case '\'':
      return literal(out);
    default:
      break;
  }
  const char c = *at_;
  if ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.') return number(out);
  if (c == 't' || c == 'f') {
    const std::string_view name = word();
    if (name == "true" || name == "false") {
      at_ += name.size();
      out = {RdfKind::kTyped, name, kBooleanType};
      return true;
    }
  }
  return iri(out);
}

bool TurtleReader::iri(RdfTerm& out) {
  out = iri_term({});
  return next_is('<') ? iri_reference(out.text) : prefixed_name(out.text);
}

bool TurtleReader::iri_reference(std::string_view& out) {
  if (!next_is('<')) return fault(at_, "expected an IRI between < and >");
  const char* const open = at_;
  const char* at = at_ + 1;
  while (at != end_ && is(*at, detail::kIriByte)) ++at;
  out = {open + 1, static_cast<std::size_t>(at - open - 1)};
  if (at != end_ && *at == '\\') {
    scratch_.assign(out);
    while (at != end_ && *at != '>') {
      if (*at == '\\') {
        if (!escape(at, end_, true)) return false;
      } else if (is(*at, detail::kIriByte)) {
        scratch_.push_back(*at++);
      } else {
        return fault(at, "this character cannot stand in an IRI");
      }
    }
    out = scratch_;
  }
  if (at == end_) return fault(at, "the IRI has no closing \">\"");
  if (*at != '>') return fault(at, "this character cannot stand in an IRI");
  if (detail::scheme_size(out) == 0) {
    if (!base_.resolve(out, resolved_)) {
      return fault(open, "the IRI is relative, and the document has no base IRI");
    }
    out = arena_.keep(resolved_);
  } else if (out.data() == scratch_.data()) {
    out = arena_.keep(out);
  }
  at_ = at + 1;
  return true;
}

// Moves behind a local name of ASCII without dots and escapes. False: it takes more than that.
bool TurtleReader::plain_local_end(const char*& at) const {
  const char* const begin = at;
  while (at != end_ && (is(*at, detail::kNameByte) || *at == ':')) ++at;
  if (at != begin && *begin == '-') return false;
  return at == end_ || (*at != '.' && *at != '%' && *at != '\\' && !is(*at, detail::kNameByte) &&
                        static_cast<unsigned char>(*at) < 0x80);
}

bool TurtleReader::prefixed_name(std::string_view& out) {
  const char* const begin = at_;
  const std::size_t size = detail::prefix_end(rest());
  at_ += size;
  if (!next_is(':')) return fault(begin, "expected a term: an IRI, a name with a prefix, or such");
  scratch_.assign(begin, size);
  const auto found = prefixes_.find(scratch_);
  if (found == prefixes_.end()) {
    return fault(begin, "the prefix \"" + scratch_ + ":\" is not declared");
  }
  ++at_;
  const char* end = at_;
  if (plain_local_end(end)) {
    out = arena_.join(found->second, {at_, static_cast<std::size_t>(end - at_)});
    at_ = end;
    return true;
  }
  if (!local_name()) return false;
  out = arena_.join(found->second, scratch_);
  return true;
}

// PN_LOCAL into the scratch, with dots, escapes and letters beyond ASCII.
bool TurtleReader::local_name() {
  scratch_.clear();
  bool first = true;
  const auto goes_on = [&](std::string_view ahead) {
    if (ahead.empty()) return false;
    if (ahead[0] == ':' || ahead[0] == '%' || ahead[0] == '\\') return true;
    if (static_cast<unsigned char>(ahead[0]) < 0x80) {
      return is(ahead[0], first ? detail::kNameStart : detail::kNameByte);
    }
    const char32_t c = decode_utf8(ahead, 0).value;
    return first ? detail::is_name_start(c) : detail::is_name_inside(c);
  };
  for (;; first = false) {
    if (!first && next_is('.')) {
      const std::size_t dots = std::min(rest().find_first_not_of('.'), rest().size());
      if (!goes_on(rest().substr(dots))) return true;
      scratch_.append(dots, '.');
      at_ += dots;
    }
    if (!goes_on(rest())) return true;
    if (*at_ == '%') {
      const bool digits = end_ - at_ >= 3 && detail::escaped_character({at_ + 1, 2}) <= 0xFF;
      if (!digits) return fault(at_, "expected two hexadecimal digits after \"%\"");
      scratch_.append(at_, 3);
      at_ += 3;
    } else if (*at_ == '\\') {
      constexpr std::string_view kEscapable = "_~.-!$&'()*+,;=/?#@%";
      const char escaped = end_ - at_ < 2 ? '\0' : at_[1];
      if (escaped == '\0' || kEscapable.find(escaped) == std::string_view::npos) {
        return fault(at_, "there is no such escape in a name");
      }
      scratch_.push_back(escaped);
      at_ += 2;
    } else {
      const std::size_t size = decode_utf8(rest(), 0).size;
      scratch_.append(at_, size);
      at_ += size;
    }
  }
}

bool TurtleReader::blank_label(RdfTerm& out) {
  if (end_ - at_ < 2 || at_[1] != ':') return fault(at_, "expected \"_:\" and a label");
  at_ += 2;
  const std::string_view label = rest().substr(0, detail::label_end(rest(), false));
  if (label.empty()) return fault(at_, "expected the label of a blank node");
  at_ += label.size();
  out = blank(label);
  if (BlankLabels::looks_made(label)) {
    scratch_.clear();
    BlankLabels::append_given(scratch_, label);
    out.text = arena_.keep(scratch_);
  }
  return true;
}

bool TurtleReader::literal(RdfTerm& out) {
  out = {RdfKind::kString, {}, {}};
  if (!quoted(out.text)) return false;
  if (next_is('@')) {
    ++at_;
    const std::size_t size = detail::language_end(rest());
    if (size == 0) return fault(at_, "expected a language tag after \"@\"");
    out.kind = RdfKind::kLanguageString;
    out.extra = rest().substr(0, size);
    at_ += size;
  } else if (rest().starts_with("^^")) {
    at_ += 2;
    skip_space();
    RdfTerm datatype;
    if (!iri(datatype)) return false;
    if (datatype.text != kStringType) {
      out.kind = RdfKind::kTyped;
      out.extra = datatype.text;
    }
  }
  return true;
}

// A string in one quote or in three of a kind; without escapes it is a view of the document.
bool TurtleReader::quoted(std::string_view& out) {
  const char quote = *at_;
  const char* const open = at_;
  const bool is_long = end_ - at_ >= 3 && at_[1] == quote && at_[2] == quote;
  const char* at = at_ + (is_long ? 3 : 1);
  const char* const begin = at;
  bool escaped = false;
  const auto closes = [&] {
    return *at == quote && (!is_long || (end_ - at >= 3 && at[1] == quote && at[2] == quote));
  };
  for (; at != end_ && !closes();) {
    if (!is_long && (*at == '\n' || *at == '\r')) break;
    if (*at == '\\') {
      if (!escaped) scratch_.assign(begin, at);
      escaped = true;
      if (!escape(at, end_, false)) return false;
    } else {
      if (escaped) scratch_.push_back(*at);
      ++at;
    }
  }
  if (at == end_ || !closes()) {
    return fault(at == end_ && invalid_utf8_ ? at : open, "the string has no closing quote");
  }
  out = escaped ? arena_.keep(scratch_)
                : std::string_view(begin, static_cast<std::size_t>(at - begin));
  at_ = at + (is_long ? 3 : 1);
  return true;
}

// One escape at `at` into the scratch.
bool TurtleReader::escape(const char*& at, const char* stop, bool in_iri) {
  const char kind = stop - at < 2 ? '\0' : at[1];
  if (kind == 'u' || kind == 'U') {
    const std::ptrdiff_t digits = kind == 'u' ? 4 : 8;
    if (stop - at < 2 + digits) return fault(at, "the escape has too few digits");
    const std::uint32_t value =
        detail::escaped_character({at + 2, static_cast<std::size_t>(digits)});
    if (value == detail::kNoCharacter) {
      return fault(at, "the escape has too few digits, or names no character");
    }
    if (in_iri && value < 0x80 && !is(static_cast<char>(value), detail::kIriByte)) {
      return fault(at, "this character cannot stand in an IRI, escaped or not");
    }
    append_utf8(scratch_, value);
    at += 2 + digits;
    return true;
  }
  const char meant = in_iri || kind == '\0' ? '\0' : detail::escaped_letter(kind);
  if (meant == '\0') return fault(at, "there is no such escape here");
  scratch_.push_back(meant);
  at += 2;
  return true;
}

// INTEGER, DECIMAL or DOUBLE; a full stop that no digit or exponent follows ends the statement.
bool TurtleReader::number(RdfTerm& out) {
  const char* at = at_;
  const auto digits = [&] {
    const char* const begin = at;
    while (at != end_ && *at >= '0' && *at <= '9') ++at;
    return at != begin;
  };
  const auto exponent = [&] {
    const char* const begin = at;
    if (at == end_ || (*at != 'e' && *at != 'E')) return false;
    ++at;
    if (at != end_ && (*at == '+' || *at == '-')) ++at;
    if (digits()) return true;
    at = begin;
    return false;
  };
  if (*at == '+' || *at == '-') ++at;
  bool some = digits();
  std::string_view type = kIntegerType;
  if (at != end_ && *at == '.') {
    const char* const dot = at++;
    if (digits()) {
      some = true;
      type = kDecimalType;
    } else if (!some || at == end_ || (*at != 'e' && *at != 'E')) {
      at = dot;
    }
  }
  if (some && exponent()) {
    type = kDoubleType;
  } else if (some && type == kIntegerType && at[-1] == '.') {
    --at;
  }
  if (!some) return fault(at_, "expected a number or another object");
  out = {RdfKind::kTyped, {at_, static_cast<std::size_t>(at - at_)}, type};
  at_ = at;
  return true;
}

}  // namespace

Result<std::uint64_t> read_turtle(TurtleDialect dialect, std::string_view text,
                                  const RdfReadOptions& options, const QuadSink& sink) {
  return TurtleReader(dialect, text, options, sink).run();
}

}  // namespace anima::sparql::rdf
