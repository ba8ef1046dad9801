// Questions about what is known: why, since when, from whom, and what if.
#include <algorithm>

#include "ask/parse/parser.h"

namespace anima::ask {

void Parser::special_questions(std::size_t at) {
  why_questions(at);
  what_if_questions(at);
  source_questions(at);
  history_questions(at);
}

void Parser::why_questions(std::size_t at) {
  for (const std::size_t why : after(at, WordClass::kWhy)) {
    const std::size_t before = found_.size();
    do_questions(why);
    be_questions(why);
    for (std::size_t i = before; i < found_.size(); ++i) {
      if (found_[i].form == Reading::Form::kExists) found_[i].form = Reading::Form::kWhy;
    }
  }
}

// "what breaks if X is removed", "what happens if I remove X"
void Parser::what_if_questions(std::size_t at) {
  const auto removed = [&](std::size_t from,
                           const std::function<void(const SetRef&, double, std::size_t)>& found) {
    for (const std::size_t word : after(from, WordClass::kIf)) {
      for (const std::size_t verb : after(word, WordClass::kRemoved)) {
        for (const Noun& noun : nouns(verb)) {
          if (!noun.phrase.set->names.empty()) found(noun.phrase.set, noun.cost, noun.end);
        }
      }
      for (const Noun& noun : nouns(word)) {
        if (noun.phrase.set->names.empty() || !noun.phrase.set->restrictions.empty()) continue;
        for (const std::size_t end : after(noun.end, WordClass::kRemoved))
          found(noun.phrase.set, noun.cost, end);
        for (const std::size_t be : after(noun.end, WordClass::kBe)) {
          for (const std::size_t end : after(be, WordClass::kRemoved))
            found(noun.phrase.set, noun.cost, end);
        }
      }
    }
  };
  for (const std::size_t what : after(at, WordClass::kWho)) {
    for (const std::size_t breaks : after(what, WordClass::kBreak)) {
      removed(breaks, [&](const SetRef& without, double cost, std::size_t end) {
        Reading reading;
        reading.form = Reading::Form::kWhatIf;
        reading.without = without;
        reading.cost = cost;
        add(std::move(reading), end);
      });
    }
    for (const std::size_t be : after(what, WordClass::kBe)) {
      for (const std::size_t no : after(be, WordClass::kNoLonger)) {
        for (const Mod& mod : complements(no)) {
          for (auto& [set, more] : mod.apply(joins_.of_types(schema_.all_types(), true))) {
            removed(mod.end, [&, set = set, more = more](const SetRef& without, double cost,
                                                         std::size_t end) {
              Reading reading;
              reading.form = Reading::Form::kWhatIf;
              reading.set = set;
              reading.without = without;
              reading.cost = cost + mod.cost + more;
              add(std::move(reading), end);
            });
          }
        }
      }
    }
  }
}

// "who said that X has port 9090", "where does the port of X come from", "how sure is .."
void Parser::source_questions(std::size_t at) {
  const auto ask = [&](Reading::Form form, std::size_t start) {
    for (const Property& one : properties(start)) {
      if (one.of == nullptr || one.fold) continue;
      std::vector<std::size_t> ends{one.end};
      for (const std::size_t end : ends) {
        Reading reading;
        reading.form = form;
        reading.set = one.of;
        reading.attribute = one.attribute;
        reading.cost = one.cost;
        std::size_t last = end;
        if (form == Reading::Form::kSource) last = std::max(skip(end, WordClass::kComeFrom), end);
        add(std::move(reading), last);
      }
    }
    // A statement: "metrics has port 9090", "X needs Y"
    for (const Noun& noun : nouns(start)) {
      if (noun.phrase.set->names.empty()) continue;
      for (const Mod& mod : verbs(noun.end)) {
        for (auto& [set, cost] : mod.apply(noun.phrase.set)) {
          if (set->restrictions.size() != noun.phrase.set->restrictions.size() + 1) continue;
          Reading reading;
          reading.form = form;
          reading.set = set;
          const Restriction& said = set->restrictions.back();
          if (said.kind == Restriction::Kind::kAttribute) reading.attribute = said.attribute;
          if (said.kind == Restriction::Kind::kRelation) {
            reading.fact = said.edge;
            reading.other = said.target;
          }
          if (reading.attribute < 0 && reading.other == nullptr) continue;
          reading.cost = noun.cost + mod.cost + cost;
          add(std::move(reading), mod.end);
        }
      }
    }
  };
  for (const std::size_t who : after(at, WordClass::kWho)) {
    for (const std::size_t said : after(who, WordClass::kSaid)) {
      for (const std::size_t that : after(said, WordClass::kRelative))
        ask(Reading::Form::kSource, that);
      ask(Reading::Form::kSource, said);
    }
    for (const std::size_t be : after(who, WordClass::kBe)) {
      for (const std::size_t source : after(skip_article(be), WordClass::kSource)) {
        for (const std::size_t of : after(source, WordClass::kOf)) ask(Reading::Form::kSource, of);
      }
    }
  }
  for (const std::size_t source : after(skip_article(at), WordClass::kSource)) {
    for (const std::size_t of : after(source, WordClass::kOf)) ask(Reading::Form::kSource, of);
  }
  for (const std::size_t where : after(at, WordClass::kWhere)) {
    for (const std::size_t helper : after(where, WordClass::kDo)) {
      for (const Property& one : properties(helper)) {
        if (one.of != nullptr && !after(one.end, WordClass::kComeFrom).empty()) {
          Reading reading;
          reading.form = Reading::Form::kSource;
          reading.set = one.of;
          reading.attribute = one.attribute;
          reading.cost = one.cost;
          add(std::move(reading), after(one.end, WordClass::kComeFrom).front());
        }
      }
    }
  }
  for (const std::size_t how : after(at, WordClass::kHow)) {
    for (const std::size_t sure : after(how, WordClass::kSure)) {
      ask(Reading::Form::kSure, sure);
      for (const std::size_t be : after(sure, WordClass::kBe)) ask(Reading::Form::kSure, be);
    }
  }
}

// "what changed about X since Monday", "what did we know about X on 1 January 2020"
void Parser::history_questions(std::size_t at) {
  for (const std::size_t what : after(at, WordClass::kWho)) {
    for (const std::size_t changed : after(what, WordClass::kChanged)) {
      for (const std::size_t since : after(changed, WordClass::kSinceTime)) {
        for (const TimeRange& time : read_days(pieces_, since, pack_, context_.now)) {
          Reading reading;
          reading.form = Reading::Form::kHistory;
          auto all = std::make_shared<SetExpr>();
          all->anything = true;
          reading.set = std::move(all);
          reading.since = time.from;
          add(std::move(reading), time.end);
        }
      }
      for (const std::size_t about : after(changed, WordClass::kAbout)) {
        for (const Noun& noun : nouns(about)) {
          if (noun.phrase.set->names.empty() || !noun.phrase.set->restrictions.empty()) continue;
          Reading reading;
          reading.form = Reading::Form::kHistory;
          reading.set = noun.phrase.set;
          reading.cost = noun.cost;
          add(reading, noun.end);
          for (const std::size_t since : after(noun.end, WordClass::kSinceTime)) {
            for (const TimeRange& time : read_days(pieces_, since, pack_, context_.now)) {
              reading.since = time.from;
              add(reading, time.end);
            }
          }
        }
      }
    }
    for (const std::size_t helper : after(what, WordClass::kDo)) {
      // The person who asks is no part of the question.
      for (const std::size_t know : after(skip(helper, WordClass::kAsker), WordClass::kKnow)) {
        for (const std::size_t about : after(know, WordClass::kAbout)) {
          for (const Noun& noun : nouns(about)) {
            if (noun.phrase.set->names.empty()) continue;
            for (const std::size_t on : after(noun.end, WordClass::kInTime)) {
              for (const TimeRange& time : read_days(pieces_, on, pack_, context_.now)) {
                Reading reading;
                reading.form = Reading::Form::kHistory;
                reading.set = noun.phrase.set;
                reading.cost = noun.cost;
                as_of_time_ = time.from;
                add(std::move(reading), time.end);
                as_of_time_.clear();
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace anima::ask
