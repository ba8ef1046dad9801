// Random stratified programs and random transactions over their base facts, and thresholds of the
// engine that small programs reach too.
#pragma once

#include <random>
#include <set>
#include <string>
#include <vector>

#include "datalog/analyze.h"
#include "datalog/thresholds.h"

namespace anima::datalog {

class RandomProgram {
 public:
  struct Predicate {
    std::string name;
    int arity = 0;
    int level = 0;
  };

  // Values are those of [0, domain); in a large one a few far apart are most often picked, so that
  // atoms still meet.
  explicit RandomProgram(std::uint32_t seed, int domain = 6) : random_(seed), domain_(domain) {
    base_ = {{"e", 2, 0}, {"f", 2, 0}, {"g", 1, 0}, {"h", 3, 0}};
    all_ = base_;
    const int levels = pick(1, 4);
    for (int level = 1; level <= levels; ++level) add_level(level);
  }

  const std::vector<Predicate>& base() const { return base_; }
  const std::vector<Predicate>& predicates() const { return all_; }
  // Declarations and rules; facts are apart.
  const std::string& rules() const { return text_; }

  std::string random_fact() {
    const Predicate& p =
        base_[static_cast<std::size_t>(pick(0, static_cast<int>(base_.size()) - 1))];
    std::string out = p.name + "(";
    for (int i = 0; i < p.arity; ++i) {
      if (i > 0) out += ",";
      out += value();
    }
    return out + ")";
  }
  std::string value() {
    constexpr int kFew = 6;
    if (domain_ <= kFew) return std::to_string(pick(0, domain_ - 1));
    if (pick(0, 7) == 0) return std::to_string(pick(0, domain_ - 1));
    return std::to_string(pick(0, kFew - 1) * 1811 % domain_);
  }
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

 private:
  std::string variable(int v) const { return std::string(1, static_cast<char>('A' + v)); }

  void add_level(int level) {
    if (level > 1 && pick(0, 3) == 0) {
      add_group(level);
      return;
    }
    const int count = pick(1, 2);
    std::vector<Predicate> fresh;
    for (int i = 0; i < count; ++i) {
      fresh.push_back({"p" + std::to_string(level) + std::string(1, static_cast<char>('a' + i)),
                       pick(1, 2), level});
    }
    for (const Predicate& p : fresh) {
      // Every predicate has a rule without recursion, so that something is there to recur on.
      text_ += rule(p, all_, all_);
      std::vector<Predicate> with = all_;
      with.insert(with.end(), fresh.begin(), fresh.end());
      with.insert(with.end(), fresh.begin(), fresh.end());
      const int more = pick(1, 3);
      for (int i = 0; i < more; ++i) text_ += rule(p, with, all_);
    }
    all_.insert(all_.end(), fresh.begin(), fresh.end());
  }

  void add_group(int level) {
    static const char* const kReducers[] = {"fn:count()", "fn:sum(V)",     "fn:max(V)",
                                            "fn:min(V)",  "fn:collect(V)", "fn:count_distinct()"};
    const Predicate p{"n" + std::to_string(level), 2, level};
    const Predicate& source = of_arity(2, all_);
    const std::string reducer = kReducers[pick(0, 3)];
    std::string body = source.name + "(K, V)";
    if (pick(0, 1) == 0) body += ", " + of_arity(1, all_).name + "(V)";
    if (pick(0, 2) == 0) body += ", !" + of_arity(1, all_).name + "(K)";
    text_ += p.name + "(K, N) :- " + body + " |> do fn:group_by(K), let N = " + reducer + ".\n";
    all_.push_back(p);
  }

  const Predicate& of_arity(int arity, const std::vector<Predicate>& from) {
    std::vector<const Predicate*> fit;
    for (const Predicate& p : from) {
      if (p.arity == arity && p.name[0] != 'n') fit.push_back(&p);
    }
    return *fit[static_cast<std::size_t>(pick(0, static_cast<int>(fit.size()) - 1))];
  }

  std::string rule(const Predicate& head, const std::vector<Predicate>& positive,
                   const std::vector<Predicate>& negative) {
    const int atoms = pick(1, 3);
    int variables = 0;
    std::string body;
    for (int i = 0; i < atoms; ++i) {
      const Predicate& p =
          positive[static_cast<std::size_t>(pick(0, static_cast<int>(positive.size()) - 1))];
      if (i > 0) body += ", ";
      body += p.name + "(";
      for (int a = 0; a < p.arity; ++a) {
        if (a > 0) body += ", ";
        const int kind = pick(0, 9);
        if (kind == 0) {
          body += value();
        } else if (kind == 1) {
          body += "_";
        } else if (variables > 0 && kind < 6) {
          body += variable(pick(0, variables - 1));
        } else {
          body += variable(variables++);
        }
      }
      body += ")";
    }
    if (variables > 0 && pick(0, 2) == 0) {
      const Predicate& p =
          negative[static_cast<std::size_t>(pick(0, static_cast<int>(negative.size()) - 1))];
      body += ", !" + p.name + "(";
      for (int a = 0; a < p.arity; ++a) {
        if (a > 0) body += ", ";
        body += pick(0, 4) == 0 ? std::string("_") : variable(pick(0, variables - 1));
      }
      body += ")";
    }
    if (variables > 1 && pick(0, 3) == 0) {
      body += ", " + variable(pick(0, variables - 1)) + (pick(0, 1) == 0 ? " != " : " <= ") +
              variable(pick(0, variables - 1));
    }
    std::string out = head.name + "(";
    for (int a = 0; a < head.arity; ++a) {
      if (a > 0) out += ", ";
      out += variables > 0 ? variable(pick(0, variables - 1)) : value();
    }
    return out + ") :- " + body + ".\n";
  }

  std::mt19937 random_;
  int domain_;
  std::vector<Predicate> base_;
  std::vector<Predicate> all_;
  std::string text_;
};

// Of one to eight rows each, so that every means of the engine is used and changed.
inline Thresholds small_thresholds(std::uint32_t seed) {
  std::mt19937 random(seed * 7919U + 1);
  const auto few = [&] { return 1 + static_cast<std::uint32_t>(random() % 8); };
  Thresholds out;
  for (std::uint32_t* each :
       {&out.dense_rows, &out.dense_bytes_a_row, &out.dense_large_rows,
        &out.dense_bytes_a_large_row, &out.prefetch_rows, &out.chained_rows, &out.direct_codes,
        &out.dead_rows, &out.batch_rows, &out.selective_rows, &out.look_up_cost,
        &out.late_delta_rows, &out.check_rows, &out.sample_rows, &out.missed_rows}) {
    *each = few();
  }
  // What bounds an array by a domain: that of all values, of some, of hardly any.
  for (std::uint32_t* each : {&out.dense_free_bytes, &out.marked_codes, &out.group_codes}) {
    if (random() % 3 == 0) *each = few();
    if (random() % 3 == 0) *each = 3000;
  }
  return out;
}

inline AnalysisOptions base_of(const RandomProgram& random) {
  AnalysisOptions out;
  for (const auto& p : random.base()) {
    out.base.push_back({p.name, static_cast<std::uint32_t>(p.arity)});
  }
  return out;
}

// The question for all rows.
inline std::string pattern(const RandomProgram::Predicate& p) {
  std::string out = p.name + "(";
  for (int a = 0; a < p.arity; ++a) out += (a > 0 ? ", _" : "_");
  return out + ")";
}

}  // namespace anima::datalog
