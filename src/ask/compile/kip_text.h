// The clauses of a KIP query for a set: what a variable must fulfil to be one of its members.
//
// Every name and value is written by the quoting of JSON, which is KIP's own. A writer is of one
// query. Errors: kUnsupported for what KIP cannot say. Thread-safety: one thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ask/parse/joins.h"

namespace anima::ask {

bool passes(Compare compare, double a, double b);

class KipText {
 public:
  explicit KipText(const Lexicon& lexicon)
      : lexicon_(lexicon), schema_(lexicon.schema()), joins_(lexicon) {}

  std::string new_variable() { return "?x" + std::to_string(++variables_); }
  // Clauses that bind the variable to the members of the set, without its superlative.
  // `bound`: a clause before it has bound it already.
  Result<std::string> members(const SetExpr& set, const std::string& variable, bool bound = false);
  // The clause of one step from one variable to another.
  // One link, or a chain of them. Errors: kUnsupported where rules derive the links: they are in no
  // graph, and the query would silently find none.
  Result<std::string> step(const Edge& edge, const std::string& from, const std::string& to) const;
  // What of an attribute is read: "?x.attributes.port". A link attribute's clause goes to
  // `clauses`.
  std::string value_of(int attribute, const std::string& variable, std::string& clauses);
  // The attribute's value is one that passes.
  std::string value_test(int attribute, const std::string& path, Compare compare,
                         const Constant& value) const;
  bool link_attribute(int attribute) const {
    return schema_.attributes[static_cast<std::size_t>(attribute)].link;
  }

 private:
  std::string thing(store::EntityId entity) const;
  std::string types(const TypeSet& types, const std::string& variable) const;
  bool implied(const SetExpr& set) const;
  Result<std::string> restriction(const Restriction& it, const std::string& variable);
  Result<std::string> all(const std::vector<Restriction>& list, const std::string& variable);
  Result<std::string> told_step(const Edge& edge, const std::vector<std::string>& nouns,
                                const std::string& from, const std::string& to);
  Result<std::string> relation(const Edge& edge, const SetExpr& target,
                               const std::vector<std::string>& nouns, const std::string& variable);
  std::string one_of(const std::vector<store::EntityId>& things, const std::string& variable) const;
  Result<std::string> at_least(const Restriction& it, int number, const std::string& variable);
  Result<std::string> any_value(const Restriction& it, const std::string& variable) const;
  std::string link_values(int attribute, const std::function<bool(std::string_view)>& keep) const;

  const Lexicon& lexicon_;
  const Schema& schema_;
  Joins joins_;
  int variables_ = 0;
};

}  // namespace anima::ask
