#include "kip/detail/text_writer.h"

#include <charconv>
#include <optional>

#include "base/enum_order.h"
#include "kip/filter_functions.h"
#include "kip/parser.h"

namespace anima::kip::detail {
namespace {

static_assert(follow_each_other({Condition::Kind::kContains, Condition::Kind::kStartsWith,
                                 Condition::Kind::kEndsWith, Condition::Kind::kRegex,
                                 Condition::Kind::kIn, Condition::Kind::kIsNull,
                                 Condition::Kind::kIsNotNull, Condition::Kind::kOperand}));

constexpr std::size_t kLineWidth = 96;

int strength(const Condition& condition) {
  return condition.kind == Condition::Kind::kOr    ? 0
         : condition.kind == Condition::Kind::kAnd ? 1
                                                   : 2;
}

}  // namespace

void TextWriter::line() {
  out_ += '\n';
  out_.append(indent_ * 2, ' ');
}

std::size_t TextWriter::column() const {
  const std::size_t start = out_.rfind('\n');
  return out_.size() - (start == std::string::npos ? 0 : start + 1);
}

void TextWriter::text(std::string_view value) { append_quoted_json(out_, value); }

void TextWriter::atom(const Atom& atom, bool is_count) {
  if (atom.placeholder) {
    out_ += ':' + atom.text;
  } else if (is_count) {
    out_ += std::to_string(atom.count);
  } else {
    text(atom.text);
  }
}

void TextWriter::key(const std::string& key) {
  if (is_identifier(key)) {
    out_ += key;
  } else {
    text(key);
  }
}

void TextWriter::path(const DotPath& path) {
  out_ += '?' + path.variable;
  for (const std::string& field : path.fields) {
    out_ += '.';
    key(field);
  }
}

void TextWriter::number(double value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  const std::string_view digits(buffer, static_cast<std::size_t>(result.ptr - buffer));
  out_ += digits;
  if (digits.find_first_of(".e") == std::string_view::npos) out_ += ".0";
}

void TextWriter::value(const Value& value, bool flat) {
  switch (value.kind) {
    case Value::Kind::kNull:
      out_ += "null";
      break;
    case Value::Kind::kBool:
      out_ += value.boolean ? "true" : "false";
      break;
    case Value::Kind::kInteger:
      out_ += value.text.empty() ? std::to_string(value.integer) : value.text;
      break;
    case Value::Kind::kDouble:
      number(value.number);
      break;
    case Value::Kind::kString:
      text(value.text);
      break;
    case Value::Kind::kPlaceholder:
      out_ += ':' + value.text;
      break;
    case Value::Kind::kPath:
      path(value.path);
      break;
    case Value::Kind::kCall:
      out_ += value.text;
      list(value, '(', ')', true);
      break;
    case Value::Kind::kArray:
      collection(value, '[', ']', flat);
      break;
    case Value::Kind::kObject:
      collection(value, '{', '}', flat);
      break;
  }
}

void TextWriter::list(const Value& value, char open, char close, bool flat) {
  const bool braces = open == '{' && !value.items.empty();
  out_ += open;
  if (!flat) ++indent_;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (i > 0) out_ += ',';
    if (!flat) {
      line();
    } else if (i > 0 || braces) {
      out_ += ' ';
    }
    if (value.kind == Value::Kind::kObject) {
      key(value.keys[i]);
      out_ += ": ";
    }
    this->value(value.items[i], flat);
  }
  if (!flat) {
    --indent_;
    line();
  } else if (braces) {
    out_ += ' ';
  }
  out_ += close;
}

// On one line when it fits there, else one element a line.
void TextWriter::collection(const Value& value, char open, char close, bool flat) {
  const std::size_t start = out_.size();
  const std::size_t before = column();
  list(value, open, close, true);
  if (flat || value.items.empty() || before + (out_.size() - start) <= kLineWidth) return;
  out_.resize(start);
  list(value, open, close, false);
}

void TextWriter::concept_match(const ConceptMatch& match) {
  const char* separator = "{";
  const auto field = [&](const char* name, const std::optional<Atom>& value) {
    if (!value) return;
    out_ += separator;
    separator = ", ";
    out_ += name;
    atom(*value, false);
  };
  field("id: ", match.id);
  field("type: ", match.type);
  field("name: ", match.name);
  out_ += *separator == '{' ? "{}" : "}";
}

void TextWriter::endpoint(const Endpoint& end) {
  switch (end.kind) {
    case Endpoint::Kind::kVariable:
      out_ += '?' + end.variable;
      break;
    case Endpoint::Kind::kConcept:
      concept_match(end.concept_match);
      break;
    case Endpoint::Kind::kLink:
      link_match(end.link.front());
      break;
  }
}

void TextWriter::predicate(const PredicateMatch& match) {
  if (match.names.empty()) out_ += '?' + match.variable;
  for (std::size_t i = 0; i < match.names.size(); ++i) {
    if (i > 0) out_ += " | ";
    atom(match.names[i], false);
  }
  if (!match.hops) return;
  out_ += '{' + std::to_string(match.hops->minimum);
  if (!match.hops->maximum) {
    out_ += ',';
  } else if (*match.hops->maximum != match.hops->minimum) {
    out_ += ',' + std::to_string(*match.hops->maximum);
  }
  out_ += '}';
}

void TextWriter::link_match(const LinkMatch& match) {
  out_ += '(';
  if (match.id) {
    out_ += "id: ";
    atom(*match.id, false);
  } else {
    endpoint(match.subject);
    out_ += ", ";
    predicate(match.predicate);
    out_ += ", ";
    endpoint(match.object);
  }
  out_ += ')';
}

void TextWriter::condition(const Condition& it, int minimum) {
  const bool parentheses = strength(it) < minimum;
  if (parentheses) out_ += '(';
  bare_condition(it);
  if (parentheses) out_ += ')';
}

void TextWriter::infix(const Condition& it, const char* mark, int minimum) {
  for (std::size_t i = 0; i < it.parts.size(); ++i) {
    if (i > 0) out_ += mark;
    condition(it.parts[i], minimum);
  }
}

void TextWriter::call(std::string_view name, const Condition& it) {
  out_ += name;
  out_ += '(';
  infix(it, ", ", 2);
  out_ += ')';
}

void TextWriter::bare_condition(const Condition& it) {
  switch (it.kind) {
    case Condition::Kind::kOr:
      infix(it, " || ", 1);
      break;
    case Condition::Kind::kAnd:
      infix(it, " && ", 2);
      break;
    case Condition::Kind::kNot: {
      const Condition& inner = it.parts.front();
      const bool bare = strength(inner) == 2 && (inner.kind == Condition::Kind::kNot ||
                                                 inner.kind >= Condition::Kind::kContains);
      out_ += bare ? "!" : "!(";
      condition(inner, 0);
      if (!bare) out_ += ')';
      break;
    }
    case Condition::Kind::kEqual:
      infix(it, " == ", 2);
      break;
    case Condition::Kind::kNotEqual:
      infix(it, " != ", 2);
      break;
    case Condition::Kind::kLess:
      infix(it, " < ", 2);
      break;
    case Condition::Kind::kLessEqual:
      infix(it, " <= ", 2);
      break;
    case Condition::Kind::kGreater:
      infix(it, " > ", 2);
      break;
    case Condition::Kind::kGreaterEqual:
      infix(it, " >= ", 2);
      break;
    case Condition::Kind::kContains:
    case Condition::Kind::kStartsWith:
    case Condition::Kind::kEndsWith:
    case Condition::Kind::kRegex:
    case Condition::Kind::kIsNull:
    case Condition::Kind::kIsNotNull:
      call(find_filter_function(it.kind)->name, it);
      break;
    case Condition::Kind::kOperand:
      value(it.operand, true);
      break;
    case Condition::Kind::kIn:
      membership(it);
      break;
  }
}

void TextWriter::membership(const Condition& it) {
  out_ += "IN(";
  condition(it.parts[0], 2);
  out_ += ", ";
  const bool placeholder = it.whole_list;
  if (!placeholder) out_ += '[';
  for (std::size_t i = 1; i < it.parts.size(); ++i) {
    if (i > 1) out_ += ", ";
    condition(it.parts[i], 2);
  }
  out_ += placeholder ? ")" : "])";
}

void TextWriter::clause(const Clause& it) {
  switch (it.kind) {
    case Clause::Kind::kConcept:
      out_ += '?' + it.variable + ' ';
      concept_match(it.concept_match);
      return;
    case Clause::Kind::kLink:
      if (!it.variable.empty()) out_ += '?' + it.variable + ' ';
      link_match(it.link);
      return;
    case Clause::Kind::kFilter:
      out_ += "FILTER(";
      condition(it.condition, 0);
      out_ += ')';
      return;
    case Clause::Kind::kNot:
      out_ += "NOT ";
      break;
    case Clause::Kind::kOptional:
      out_ += "OPTIONAL ";
      break;
    case Clause::Kind::kUnion:
      out_ += "UNION ";
      break;
  }
  block(it.block);
}

void TextWriter::block(const std::vector<Clause>& clauses) {
  out_ += '{';
  ++indent_;
  for (const Clause& it : clauses) {
    line();
    clause(it);
  }
  --indent_;
  line();
  out_ += '}';
}

void TextWriter::where(const std::vector<Clause>& clauses) {
  line();
  out_ += "WHERE ";
  block(clauses);
}

}  // namespace anima::kip::detail
