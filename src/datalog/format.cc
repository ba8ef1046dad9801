#include "datalog/format.h"

#include <algorithm>
#include <array>
#include <optional>

#include "datalog/value.h"

namespace anima::datalog {
namespace {

constexpr std::size_t kWidth = 100;

void append_term(const ast::Term& term, std::string& out);

void append_terms(const std::vector<ast::Term>& terms, std::string& out) {
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i > 0) out += ", ";
    append_term(terms[i], out);
  }
}

void append_entries(const ast::Term& term, char open, char close, std::string& out) {
  out += open;
  for (std::size_t i = 0; i + 1 < term.arguments.size(); i += 2) {
    if (i > 0) out += ", ";
    append_term(term.arguments[i], out);
    out += " : ";
    append_term(term.arguments[i + 1], out);
  }
  out += close;
}

void append_value(const ast::Term& term, std::string& out) {
  ValueTable table;
  Code code = table.nil();
  switch (term.kind) {
    case ast::TermKind::kString:
      code = table.string(term.text);
      break;
    case ast::TermKind::kBytes:
      code = table.bytes(term.text);
      break;
    case ast::TermKind::kFloat:
      code = table.real(term.real);
      break;
    default:
      code = table.integer(term.number);
      break;
  }
  table.append_text(code, out, std::size_t{1} << 32);
}

void append_application(const ast::Term& term, std::string& out) {
  if (term.text == "fn:list") {
    out += '[';
    append_terms(term.arguments, out);
    out += ']';
  } else if (term.text == "fn:map" && !term.arguments.empty() && term.arguments.size() % 2 == 0) {
    append_entries(term, '[', ']', out);
  } else if (term.text == "fn:struct" && term.arguments.size() % 2 == 0) {
    append_entries(term, '{', '}', out);
  } else {
    out += term.text;
    out += '(';
    append_terms(term.arguments, out);
    out += ')';
  }
}

void append_term(const ast::Term& term, std::string& out) {
  switch (term.kind) {
    case ast::TermKind::kVariable:
    case ast::TermKind::kName:
      out += term.text;
      break;
    case ast::TermKind::kApply:
      append_application(term, out);
      break;
    case ast::TermKind::kAtom:
      out += term.text;
      out += '(';
      append_terms(term.arguments, out);
      out += ')';
      break;
    case ast::TermKind::kType:
      out += '.';
      out += term.text;
      out += '<';
      append_terms(term.arguments, out);
      out += '>';
      break;
    case ast::TermKind::kMember:
    case ast::TermKind::kOptional:
      if (term.kind == ast::TermKind::kOptional) out += "opt ";
      append_term(term.arguments[0], out);
      out += " : ";
      append_term(term.arguments[1], out);
      break;
    default:
      append_value(term, out);
      break;
  }
}

void append_atom(const ast::Atom& atom, std::string& out) {
  out += atom.predicate;
  out += '(';
  append_terms(atom.arguments, out);
  out += ')';
}

void append_moment(std::int64_t nanoseconds, std::string& out) {
  ValueTable table;
  const std::string text = table.text(table.time(nanoseconds));
  const std::size_t from = text.find('"') + 1;
  out += text.substr(from, text.rfind('"') - from);
}

void append_source_duration(std::int64_t nanoseconds, std::string& out) {
  constexpr std::int64_t kDay = std::int64_t{86400} * 1'000'000'000;
  if (nanoseconds % kDay == 0) {
    out += std::to_string(nanoseconds / kDay) + "d";
    return;
  }
  struct Unit {
    std::int64_t length;
    const char* name;
  };
  constexpr std::array kUnits = {
      Unit{3'600'000'000'000, "h"}, Unit{60'000'000'000, "m"}, Unit{1'000'000'000, "s"},
      Unit{1'000'000, "ms"},        Unit{1000, "us"},          Unit{1, "ns"}};
  for (const Unit& unit : kUnits) {
    if (nanoseconds % unit.length != 0) continue;
    out += std::to_string(nanoseconds / unit.length) + unit.name;
    return;
  }
}

void append_bound(const ast::Bound& bound, std::string& out) {
  switch (bound.kind) {
    case ast::BoundKind::kOpen:
      out += '_';
      break;
    case ast::BoundKind::kTime:
      append_moment(bound.nanoseconds, out);
      break;
    case ast::BoundKind::kDuration:
      append_source_duration(bound.nanoseconds, out);
      break;
    case ast::BoundKind::kVariable:
      out += bound.variable;
      break;
    case ast::BoundKind::kNow:
      out += "now";
      break;
  }
}

void append_interval(const std::optional<ast::Interval>& interval, std::string& out) {
  if (!interval) return;
  out += "@[";
  append_bound(interval->start, out);
  if (interval->end) {
    out += ", ";
    append_bound(*interval->end, out);
  }
  out += ']';
}

void append_operator(const ast::TemporalOperator& op, std::string& out) {
  if (op.kind == ast::TemporalKind::kNone) return;
  constexpr std::array kMarks = {"", "<-", "[-", "<+", "[+"};
  out += kMarks[static_cast<std::size_t>(op.kind)];
  out += '[';
  append_bound(op.near, out);
  out += ", ";
  append_bound(op.far, out);
  out += "] ";
}

std::string literal_text(const ast::Literal& literal) {
  constexpr std::array kSymbols = {" = ", " != ", " < ", " <= ", " > ", " >= "};
  std::string out;
  if (literal.kind == ast::LiteralKind::kComparison) {
    append_term(literal.left, out);
    out += kSymbols[static_cast<std::size_t>(literal.comparison)];
    append_term(literal.right, out);
    return out;
  }
  if (literal.kind == ast::LiteralKind::kNegated) out += '!';
  append_operator(literal.temporal, out);
  append_atom(literal.atom, out);
  append_interval(literal.when, out);
  return out;
}

std::string let_text(const ast::Let& let) {
  std::string out = "let " + let.variable + " = ";
  append_term(let.value, out);
  return out;
}

// The dot of a clause would belong to a name right before it.
void append_dot(std::string& text) {
  std::size_t at = text.size();
  while (at > 0 && text[at - 1] != ' ' && text[at - 1] != ',' && text[at - 1] != '(') --at;
  const bool quoted = !text.empty() && (text.back() == '"' || text.back() == ')');
  text += !quoted && text.find('/', at) != std::string::npos && text.back() != ']' &&
                  text.back() != '}' && text.back() != '>'
              ? " ."
              : ".";
}

// A part of a clause with the comments that stand before it.
struct FormatPart {
  std::string text;
  std::vector<std::string> comments;
};

// Hands out the comments of a unit in the order of the text.
class Comments {
 public:
  explicit Comments(const Unit& unit) : unit_(unit) {}

  std::vector<std::string> before(Offset at) {
    std::vector<std::string> result;
    while (next_ < unit_.comments.size() && unit_.comments[next_].at < at) {
      result.push_back(unit_.comments[next_++].text);
    }
    return result;
  }
  // The comment that begins on the line of `end`, behind it.
  std::string trailing(Offset end) {
    if (next_ >= unit_.comments.size()) return {};
    const ast::Comment& comment = unit_.comments[next_];
    const std::string& text = unit_.source->text;
    if (comment.at < end ||
        text.substr(end, comment.at - end).find_first_not_of(" \t") != std::string::npos) {
      return {};
    }
    ++next_;
    return comment.text;
  }
  bool blank_line_before(Offset at) const {
    const std::string& text = unit_.source->text;
    std::size_t lines = 0;
    while (at > 0) {
      const char c = text[--at];
      if (c == '\n')
        ++lines;
      else if (c != ' ' && c != '\t' && c != '\r')
        break;
    }
    return lines > 1;
  }
  Offset next_at() const {
    return next_ < unit_.comments.size() ? unit_.comments[next_].at : 0xFFFFFFFFU;
  }

 private:
  const Unit& unit_;
  std::size_t next_ = 0;
};

void append_broken(const std::string& head, const std::vector<FormatPart>& parts,
                   std::string& out) {
  out += head;
  for (const FormatPart& part : parts) {
    out += '\n';
    for (const std::string& comment : part.comments) out += "    " + comment + "\n";
    out += "    " + part.text;
  }
}

// The parts of a clause behind its head, each with the separator that follows it.
std::vector<FormatPart> clause_parts(const ast::Clause& clause, Comments* comments) {
  std::vector<FormatPart> parts;
  const auto add = [&](std::string text, Offset at) {
    parts.push_back(
        {std::move(text), comments != nullptr ? comments->before(at) : std::vector<std::string>()});
  };
  for (std::size_t i = 0; i < clause.body.size(); ++i) {
    add(literal_text(clause.body[i]), clause.body[i].at);
    if (i + 1 < clause.body.size()) parts.back().text += ',';
  }
  for (const ast::Transform& transform : clause.transforms) {
    std::string lead = "|> ";
    if (transform.group) {
      std::string text = lead + "do ";
      append_term(*transform.group, text);
      if (!transform.lets.empty()) text += ',';
      add(std::move(text), transform.at);
      lead = "   ";
    }
    for (std::size_t i = 0; i < transform.lets.size(); ++i) {
      std::string text =
          (i == 0 && !transform.group ? lead : std::string("   ")) + let_text(transform.lets[i]);
      if (i + 1 < transform.lets.size()) text += ',';
      add(std::move(text), transform.lets[i].at);
    }
  }
  return parts;
}

std::string clause_text(const ast::Clause& clause, Comments* comments) {
  std::string head;
  append_atom(clause.head, head);
  append_interval(clause.when, head);
  if (clause.is_fact()) return head + ".";
  head += " :-";
  std::vector<FormatPart> parts = clause_parts(clause, comments);
  std::vector<std::string> last =
      comments != nullptr ? comments->before(clause.end) : std::vector<std::string>();
  append_dot(parts.back().text);
  std::string line = head;
  bool commented = false;
  for (const FormatPart& part : parts) {
    line += ' ';
    line += std::string_view(part.text).substr(
        std::min(part.text.find_first_not_of(' '), part.text.size()));
    commented = commented || !part.comments.empty();
  }
  std::string out;
  for (const std::string& comment : last) out += comment + "\n";
  if (!commented && line.size() <= kWidth) return out + line;
  append_broken(head, parts, out);
  return out;
}

void append_atoms(const std::vector<ast::Atom>& atoms, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    if (i > 0) out += ", ";
    append_atom(atoms[i], out);
  }
  out += ']';
}

std::string declaration_text(const ast::Declaration& declaration) {
  std::string head = "Decl ";
  append_atom(declaration.atom, head);
  if (declaration.temporal) head += " temporal";
  std::vector<FormatPart> parts;
  if (!declaration.description.empty()) {
    parts.push_back({"descr ", {}});
    append_atoms(declaration.description, parts.back().text);
  }
  for (const ast::BoundRow& row : declaration.bounds) {
    parts.push_back({"bound [", {}});
    append_terms(row.types, parts.back().text);
    parts.back().text += ']';
  }
  if (!declaration.inclusion.empty()) {
    parts.push_back({"inclusion ", {}});
    append_atoms(declaration.inclusion, parts.back().text);
  }
  if (parts.empty()) return head + ".";
  parts.back().text += '.';
  std::string line = head;
  for (const FormatPart& part : parts) line += " " + part.text;
  if (line.size() <= kWidth) return line;
  std::string out;
  append_broken(head, parts, out);
  return out;
}

void append_mention(const char* word, const ast::PackageMention& mention, std::string& out) {
  out += word;
  out += mention.name;
  if (!mention.atoms.empty()) {
    out += ' ';
    append_atoms(mention.atoms, out);
  }
  out += '!';
}

class UnitFormatter {
 public:
  explicit UnitFormatter(const Unit& unit) : unit_(unit), comments_(unit) {}

  std::string run() {
    if (unit_.package) {
      std::string text;
      append_mention("Package ", *unit_.package, text);
      item(unit_.package->at, text, unit_.package->at);
    }
    for (const ast::PackageMention& use : unit_.uses) {
      std::string text;
      append_mention("Use ", use, text);
      item(use.at, text, use.at);
    }
    for (const ast::Item& one : unit_.order) {
      if (one.kind == ast::ItemKind::kDeclaration) {
        const ast::Declaration& declaration = unit_.declarations[one.index];
        lead(declaration.at);
        inner(declaration.end);
        finish(declaration_text(declaration), declaration.end);
      } else {
        const ast::Clause& clause = unit_.clauses[one.index];
        lead(clause.at);
        finish(clause_text(clause, &comments_), clause.end);
      }
    }
    inner(0xFFFFFFFFU);
    return std::move(out_);
  }

 private:
  // Comments above, and one blank line where the text had some.
  void lead(Offset at) {
    while (comments_.next_at() < at) {
      const Offset comment = comments_.next_at();
      if (!out_.empty() && comments_.blank_line_before(comment)) out_ += '\n';
      for (const std::string& text : comments_.before(comment + 1)) out_ += text + "\n";
    }
    if (!out_.empty() && comments_.blank_line_before(at)) out_ += '\n';
  }
  void inner(Offset end) {
    while (comments_.next_at() < end) {
      const Offset comment = comments_.next_at();
      if (!out_.empty() && comments_.blank_line_before(comment)) out_ += '\n';
      for (const std::string& text : comments_.before(comment + 1)) out_ += text + "\n";
    }
  }
  void finish(const std::string& text, Offset end) {
    out_ += text;
    if (const std::string comment = comments_.trailing(end); !comment.empty())
      out_ += "  " + comment;
    out_ += '\n';
  }
  void item(Offset at, const std::string& text, Offset mention) {
    lead(at);
    const std::size_t end = unit_.source->text.find('!', mention);
    finish(text, end == std::string::npos ? at : static_cast<Offset>(end + 1));
  }

  const Unit& unit_;
  Comments comments_;
  std::string out_;
};

}  // namespace

std::string format_unit(const Unit& unit) { return UnitFormatter(unit).run(); }

}  // namespace anima::datalog
