// The ranking over windows, against sums that are written down plainly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/random.h"
#include "memory/recall/detail/window_index.h"

namespace anima::memory::recall_window_test {
namespace {

using namespace detail;
using Term = TermReader::Term;

struct PlainItem {
  std::size_t session = 0;
  bool seen = true;
  std::vector<Term> terms;
};

// Each window as a bag of weighted terms, made anew for every question.
class Plain {
 public:
  std::vector<PlainItem> items;

  std::map<std::size_t, double> scores(const std::vector<Term>& query) const {
    std::map<std::size_t, std::map<Term, double>> windows;
    std::map<std::size_t, double> lengths;
    double all = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!items[i].seen) continue;
      for (const auto& [other, weight] : neighbours(i)) {
        const double length = static_cast<double>(items[other].terms.size());
        const double scale = other == i ? 1 : std::min(1.0, 40 / length);
        for (const Term term : items[other].terms) windows[i][term] += weight * scale;
        lengths[i] += weight * scale * length;
      }
      all += lengths[i];
    }
    const double documents = static_cast<double>(lengths.size());
    std::map<std::size_t, double> sums;
    for (const Term term : query) {
      double with = 0;
      for (const auto& [i, window] : windows) with += window.contains(term) ? 1 : 0;
      const double idf = std::log(1 + (documents - with + 0.5) / (with + 0.5));
      for (const auto& [i, window] : windows) {
        const auto found = window.find(term);
        if (found == window.end()) continue;
        const double norm = 1.2 * (0.25 + 0.75 * lengths[i] * documents / all);
        sums[i] += idf * found->second * 2.2 / (found->second + norm);
      }
    }
    return sums;
  }

 private:
  std::map<std::size_t, double> neighbours(std::size_t item) const {
    std::map<std::size_t, double> found = {{item, 1.0}};
    const double before[] = {.40, .25, .12}, after[] = {.25, .15, .06};
    std::size_t n = 0;
    for (std::size_t i = item; i-- > 0 && n < 3;)
      if (items[i].session == items[item].session) found[i] = before[n++];
    n = 0;
    for (std::size_t i = item + 1; i < items.size() && n < 3; ++i)
      if (items[i].session == items[item].session) found[i] = after[n++];
    return found;
  }
};

WindowQuery query_of(std::vector<Term> terms) {
  WindowQuery query;
  for (const Term term : terms) query.terms.push_back({{QueryForm{{term}}}});
  query.seen = {true, false};
  query.limit = 1000;
  return query;
}

TEST(RecallWindows, TheSumsAreThoseOfTheWindows) {
  SeededRandom random(5);
  WindowIndex index;
  Plain plain;
  std::vector<SessionNumber> sessions;
  for (std::uint32_t i = 0; i < 12; ++i)
    sessions.push_back(index.add_session(i % 4 == 3, {kNoDay}));
  std::vector<ItemNumber> added;
  for (std::size_t i = 0; i < 300; ++i) {
    PlainItem item;
    item.session = random.below(sessions.size());
    item.seen = item.session % 4 != 3;
    const std::size_t length = random.below(20) == 0 ? 90 : 1 + random.below(12);
    for (std::size_t t = 0; t < length; ++t)
      item.terms.push_back(static_cast<Term>(1 + random.below(60)));
    added.push_back(index.add({.session = sessions[item.session], .terms = item.terms}));
    plain.items.push_back(std::move(item));
  }
  // Those that go leave no trace.
  for (const std::size_t gone : {299u, 150u, 151u, 7u, 0u}) {
    index.remove(added[gone]);
    added.erase(added.begin() + static_cast<std::ptrdiff_t>(gone));
    plain.items.erase(plain.items.begin() + static_cast<std::ptrdiff_t>(gone));
  }
  EXPECT_EQ(index.size(), plain.items.size());
  for (const std::vector<Term>& terms : {std::vector<Term>{3}, {1, 17, 59}, {60, 61, 0xffffffff}}) {
    const auto expected = plain.scores(terms);
    const WindowRanking ranking = index.rank(query_of(terms));
    std::size_t with_words = 0;
    for (const RankedItem& item : ranking.items) {
      const auto at = static_cast<std::size_t>(std::ranges::find(added, item.item) - added.begin());
      ASSERT_LT(at, added.size());
      const auto found = expected.find(at);
      EXPECT_NEAR(item.words, found == expected.end() ? 0 : found->second, 1e-3);
      if (item.words > 0) ++with_words;
    }
    EXPECT_EQ(with_words, expected.size());
    EXPECT_EQ(ranking.with_words, expected.size());
    EXPECT_TRUE(std::ranges::is_sorted(ranking.items, std::ranges::greater{}, &RankedItem::score));
    for (const ItemNumber hidden : ranking.hidden)
      EXPECT_EQ(index.audience(index.session(hidden)), 1u);
  }
}

TEST(RecallWindows, TheLimitKeepsTheBest) {
  WindowIndex index;
  const SessionNumber session = index.add_session(0, {kNoDay});
  for (Term i = 0; i < 50; ++i) {
    std::vector<Term> terms(1 + i % 7, 2);
    terms[0] = 1;
    index.add({.session = i % 2 == 0 ? session : index.add_session(0, {kNoDay}), .terms = terms});
  }
  WindowQuery query = query_of({1, 2});
  const auto all = index.rank(query).items;
  query.limit = 5;
  const auto best = index.rank(query).items;
  ASSERT_EQ(best.size(), 5u);
  for (std::size_t i = 0; i < best.size(); ++i) EXPECT_EQ(best[i].item, all[i].item);
}

TEST(RecallWindows, WhatElseSpeaksForAnItemIsAdded) {
  const Day day = day_of(parse_timestamp("2023-05-08").value());
  WindowIndex index;
  const SessionNumber first = index.add_session(0, {day});
  const SessionNumber second = index.add_session(0, {day + 400});
  const std::vector<Term> terms = {1};
  const std::vector<DayRange> named = {{day, day}};
  index.add({.session = first, .speaker = 0, .terms = terms});
  index.add({.session = first, .speaker = 1, .traits = kHasTime, .terms = terms});
  index.add({.session = second, .speaker = 0, .traits = kIsQuestion, .terms = terms});
  index.add({.session = second, .speaker = 1, .terms = terms, .days = named});
  WindowQuery query = query_of({1});
  query.speakers = {1};
  query.speaker_bonus = 2.5;
  query.asks_when = true;
  query.dates = {{.year = 2023, .month = 5}};
  std::map<ItemNumber, RankedItem> items;
  for (const RankedItem& item : index.rank(query).items) items[item.item] = item;
  ASSERT_EQ(items.size(), 4u);
  EXPECT_NEAR(items[0].traits, 0.5, 1e-6);  // the first of its session
  EXPECT_NEAR(items[1].traits, 0.5, 1e-6);  // a time, and when is asked
  EXPECT_NEAR(items[2].traits, 0.5 - 0.6, 1e-6);
  EXPECT_NEAR(items[0].speaker, 0, 1e-6);
  EXPECT_NEAR(items[1].speaker, 2.5, 1e-6);
  EXPECT_NEAR(items[0].date, 3 * 1.3, 1e-5);
  EXPECT_NEAR(items[2].date, 0, 1e-6);
  EXPECT_GT(items[3].score, items[2].score + 3);  // it names the day itself
  query.steps.small = query.steps.dates = query.steps.participants = query.steps.sessions = false;
  for (const RankedItem& item : index.rank(query).items) EXPECT_NEAR(item.score, item.words, 1e-6);
}

}  // namespace
}  // namespace anima::memory::recall_window_test
