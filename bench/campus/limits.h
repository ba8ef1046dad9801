// The floor: the campus questions as plans written by hand over sorted 32-bit columns, one forward
// and one backward adjacency a predicate. What an engine adds to these times is what it costs to be
// asked anything else. Values are compared as integers, titles where they lie in the file.
// Thread-safety: one thread.
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "campus/load.h"

namespace anima::campus {

class Limits {
 public:
  // `statements` point into text that outlives this.
  Limits(const std::vector<Statement>& statements, std::string_view department,
         std::string_view student) {
    terms_.emplace_back();
    triples_.reserve(statements.size());
    for (const Statement& it : statements) triples_.push_back({id(it.s), id(it.p), id(it.o)});
    std::sort(triples_.begin(), triples_.end());
    triples_.erase(std::unique(triples_.begin(), triples_.end()), triples_.end());
    bound_ = static_cast<std::uint32_t>(terms_.size());
    for (const char* name :
         {"memberOf", "name", "email", "advisor", "undergraduateDegreeFrom", "subOrganizationOf",
          "teacherOf", "takesCourse", "author", "worksFor", "year", "knows", "title"}) {
      const std::uint32_t predicate = id_of("<http://campus.bench/ns#" + std::string(name) + ">");
      forward_[name] = adjacency(predicate, true);
      backward_[name] = adjacency(predicate, false);
    }
    const std::uint32_t type = id_of("<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>");
    backward_["type"] = adjacency(type, false);
    graduate_ = id_of("<http://campus.bench/ns#GraduateStudent>");
    department_ = id_of(thing(department));
    student_ = id_of(thing(student));
    university_ = id_of(thing("u0"));
    read_numbers();
  }

  // What the question answers: its one number, or how many rows it has. Null: no such plan.
  std::function<std::uint64_t()> plan(std::string_view question) const {
    if (question == "q02_star") return [this] { return star(); };
    if (question == "q03_degree_triangle") return [this] { return degree_triangle(); };
    if (question == "q04_advisor_course") return [this] { return advisor_course(); };
    if (question == "q05_group") return [this] { return group(); };
    if (question == "q06_not_exists") return [this] { return not_exists(); };
    if (question == "q07_two_hop") return [this] { return two_hop(); };
    if (question == "q08_triangles") return [this] { return triangles(); };
    if (question == "q09_reach") return [this] { return reach(); };
    if (question == "q10_range_topk") return [this] { return range_top(); };
    if (question == "q11_contains") return [this] { return contains(); };
    if (question == "q12_optional") return [this] { return optional(); };
    if (question == "q13_chain") return [this] { return chain(); };
    if (question == "q14_scan_distinct") return [this] { return scan_distinct(); };
    return nullptr;
  }

 private:
  struct Triple {
    std::uint32_t s, p, o;
    auto operator<=>(const Triple&) const = default;
  };
  struct List {
    const std::uint32_t *first, *last;
    const std::uint32_t* begin() const { return first; }
    const std::uint32_t* end() const { return last; }
    std::size_t size() const { return static_cast<std::size_t>(last - first); }
  };
  struct Adjacency {
    std::vector<std::uint32_t> offsets, values;
    List of(std::uint32_t key) const {
      return {values.data() + offsets[key], values.data() + offsets[key + 1]};
    }
  };

  static std::string thing(std::string_view name) {
    return "<http://campus.bench/id/" + std::string(name) + ">";
  }
  std::uint32_t id(std::string_view term) {
    const auto [at, added] = ids_.try_emplace(term, static_cast<std::uint32_t>(terms_.size()));
    if (added) terms_.push_back(term);
    return at->second;
  }
  std::uint32_t id_of(const std::string& term) const {
    const auto known = ids_.find(term);
    return known == ids_.end() ? 0 : known->second;
  }

  Adjacency adjacency(std::uint32_t predicate, bool forward) const {
    Adjacency made;
    made.offsets.assign(bound_ + 1, 0);
    const auto each = [&](const auto& visit) {
      for (const Triple& it : triples_) {
        if (it.p == predicate) visit(forward ? it.s : it.o, forward ? it.o : it.s);
      }
    };
    each([&](std::uint32_t key, std::uint32_t) { ++made.offsets[key + 1]; });
    for (std::uint32_t i = 0; i < bound_; ++i) made.offsets[i + 1] += made.offsets[i];
    made.values.resize(made.offsets.back());
    std::vector<std::uint32_t> next = made.offsets;
    each([&](std::uint32_t key, std::uint32_t value) { made.values[next[key]++] = value; });
    return made;
  }

  void read_numbers() {
    numbers_.assign(bound_, -1);
    for (std::uint32_t i = 1; i < bound_; ++i) {
      const std::string_view term = terms_[i];
      if (term.size() < 3 || term.front() != '"' || term.back() != '>') continue;
      std::from_chars(term.data() + 1, term.data() + term.size(), numbers_[i]);
    }
  }

  const Adjacency& out(const char* name) const { return forward_.at(name); }
  const Adjacency& in(const char* name) const { return backward_.at(name); }

  std::uint64_t star() const {
    const Adjacency &advisor = out("advisor"), &name = out("name"), &email = out("email");
    std::uint64_t rows = 0;
    for (const std::uint32_t s : in("memberOf").of(department_)) {
      for (const std::uint32_t a : advisor.of(s))
        rows += name.of(s).size() * email.of(s).size() * name.of(a).size();
    }
    return rows;
  }

  std::uint64_t degree_triangle() const {
    const Adjacency &member = out("memberOf"), &degree = out("undergraduateDegreeFrom"),
                    &part = out("subOrganizationOf");
    std::uint64_t rows = 0;
    for (const std::uint32_t s : in("type").of(graduate_)) {
      for (const std::uint32_t d : member.of(s)) {
        for (const std::uint32_t u : part.of(d)) {
          for (const std::uint32_t other : degree.of(s)) rows += u == other ? 1 : 0;
        }
      }
    }
    return rows;
  }

  std::uint64_t advisor_course() const {
    const Adjacency &advisor = out("advisor"), &teaches = out("teacherOf"),
                    &takes = out("takesCourse");
    std::uint64_t rows = 0;
    for (std::uint32_t s = 1; s < bound_; ++s) {
      for (const std::uint32_t a : advisor.of(s)) {
        for (const std::uint32_t taught : teaches.of(a)) {
          for (const std::uint32_t taken : takes.of(s)) rows += taught == taken ? 1 : 0;
        }
      }
    }
    return rows;
  }

  std::uint64_t group() const {
    const Adjacency& works = out("worksFor");
    std::vector<std::uint32_t> counts(bound_, 0);
    for (const std::uint32_t author : out("author").values) {
      for (const std::uint32_t d : works.of(author)) ++counts[d];
    }
    std::uint64_t groups = 0;
    for (const std::uint32_t count : counts) groups += count > 0 ? 1 : 0;
    return std::min<std::uint64_t>(groups, 10);
  }

  std::uint64_t not_exists() const {
    const Adjacency &works = out("worksFor"), &writings = in("author"), &year = out("year");
    std::uint64_t rows = 0;
    for (std::uint32_t x = 1; x < bound_; ++x) {
      for (std::size_t i = 0; i < works.of(x).size(); ++i) {
        bool any = false;
        for (const std::uint32_t b : writings.of(x)) {
          for (const std::uint32_t y : year.of(b)) any = any || numbers_[y] >= 2021;
          if (any) break;
        }
        rows += any ? 0 : 1;
      }
    }
    return rows;
  }

  std::uint64_t two_hop() const {
    const Adjacency& knows = out("knows");
    std::vector<std::uint32_t> ends;
    for (const std::uint32_t y : knows.of(student_))
      ends.insert(ends.end(), knows.of(y).begin(), knows.of(y).end());
    std::sort(ends.begin(), ends.end());
    return static_cast<std::uint64_t>(std::unique(ends.begin(), ends.end()) - ends.begin());
  }

  std::uint64_t triangles() const {
    const Adjacency &knows = out("knows"), &known_by = in("knows");
    std::uint64_t rows = 0;
    for (std::uint32_t a = 1; a < bound_; ++a) {
      const List back = known_by.of(a);
      if (back.size() == 0) continue;
      for (const std::uint32_t b : knows.of(a)) {
        const List next = knows.of(b);
        if (back.size() > 16 * next.size()) {
          for (const std::uint32_t c : next)
            rows += std::binary_search(back.begin(), back.end(), c) ? 1 : 0;
          continue;
        }
        const std::uint32_t *i = next.begin(), *j = back.begin();
        while (i < next.end() && j < back.end()) {
          if (*i < *j) {
            ++i;
          } else if (*j < *i) {
            ++j;
          } else {
            ++rows;
            ++i;
            ++j;
          }
        }
      }
    }
    return rows;
  }

  std::uint64_t reach() const {
    const Adjacency& knows = out("knows");
    std::vector<std::uint64_t> seen(bound_ / 64 + 1, 0);
    std::vector<std::uint32_t> queue;
    const auto add = [&](std::uint32_t v) {
      const std::uint64_t bit = std::uint64_t{1} << (v % 64);
      if ((seen[v / 64] & bit) != 0) return;
      seen[v / 64] |= bit;
      queue.push_back(v);
    };
    for (const std::uint32_t y : knows.of(student_)) add(y);
    for (std::size_t head = 0; head < queue.size(); ++head) {
      for (const std::uint32_t y : knows.of(queue[head])) add(y);
    }
    return queue.size();
  }

  std::uint64_t range_top() const {
    const Adjacency &year = out("year"), &title = out("title");
    std::vector<std::pair<int, std::string_view>> rows;
    for (std::uint32_t b = 1; b < bound_; ++b) {
      for (const std::uint32_t y : year.of(b)) {
        if (numbers_[y] < 2010 || numbers_[y] >= 2015) continue;
        for (const std::uint32_t t : title.of(b)) rows.emplace_back(-numbers_[y], terms_[t]);
      }
    }
    const std::size_t wanted = std::min<std::size_t>(rows.size(), 20);
    std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(wanted), rows.end());
    return wanted;
  }

  std::uint64_t contains() const {
    std::uint64_t rows = 0;
    std::string lower;
    for (const std::uint32_t t : out("title").values) {
      lower.assign(terms_[t]);
      for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      rows += lower.find("graph") != std::string::npos ? 1 : 0;
    }
    return rows;
  }

  std::uint64_t optional() const {
    const Adjacency& advisor = out("advisor");
    std::uint64_t rows = 0;
    for (const std::uint32_t s : in("memberOf").of(department_))
      rows += std::max<std::size_t>(1, advisor.of(s).size());
    return rows;
  }

  std::uint64_t chain() const {
    const Adjacency &works = in("worksFor"), &advises = in("advisor"), &writings = in("author"),
                    &year = out("year");
    std::uint64_t rows = 0;
    for (const std::uint32_t d : in("subOrganizationOf").of(university_)) {
      for (const std::uint32_t p : works.of(d)) {
        for (const std::uint32_t s : advises.of(p)) {
          for (const std::uint32_t b : writings.of(s)) {
            for (const std::uint32_t y : year.of(b)) rows += numbers_[y] == 2020 ? 1 : 0;
          }
        }
      }
    }
    return rows;
  }

  std::uint64_t scan_distinct() const {
    std::vector<std::uint32_t> counts(bound_, 0);
    for (const Triple& it : triples_) ++counts[it.p];
    std::uint64_t predicates = 0;
    for (const std::uint32_t count : counts) predicates += count > 0 ? 1 : 0;
    return predicates;
  }

  std::unordered_map<std::string_view, std::uint32_t> ids_;
  std::vector<std::string_view> terms_;
  std::vector<Triple> triples_;
  std::vector<int> numbers_;
  std::uint32_t bound_ = 0, graduate_ = 0, department_ = 0, student_ = 0, university_ = 0;
  std::unordered_map<std::string, Adjacency> forward_, backward_;
};

}  // namespace anima::campus
