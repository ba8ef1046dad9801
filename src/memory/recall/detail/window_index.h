// WindowIndex: items of sessions, ranked by BM25 over windows of neighbours, in one weighted sum
// with the score of the session and what else speaks for an item.
//
// Within a session, an item counts with its own terms and those of three neighbours on either side:
// before it .40, .25, .12, after it .25, .15, .06, each scaled by min(1, 40 / its terms). What is
// kept are plain postings; the sums are made when asked. Of the lengths, which need no terms, the
// sums are kept, so adding and removing an item touches its neighbours only. What another reader
// may not see is another audience: sessions are of one audience, and what is hidden counts for no
// sum, length or frequency of what is seen.
//
// Not thread-safe. Complexity: adding O(terms); ranking O(postings of the terms x 7 + items +
// sessions). Memory: some 35 bytes an item, two a term of it, beside the terms themselves.
// Source: recall study, sections 2 and 3; BM25 as Robertson and Zaragoza (2009), 3.3.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "memory/recall/detail/dates.h"
#include "memory/recall/detail/question.h"
#include "memory/recall/detail/terms.h"
#include "memory/recall/recall_steps.h"

namespace anima::memory::detail {

using ItemNumber = std::uint32_t;
using SessionNumber = std::uint32_t;
inline constexpr std::uint32_t kNoNumber = 0xffffffff;

// When a session was. Of a time that is told by UTC alone the day depends on who asks: `second` of
// the day is kept then; else the day is that of who spoke.
struct SessionTime {
  static constexpr std::int32_t kWholeDay = -1;
  Day day = kNoDay;
  std::int32_t second = kWholeDay;
  Day by(std::int64_t offset_seconds) const {
    if (day == kNoDay || second == kWholeDay) return day;
    return day_at_second(day * kSecondsPerDay + second + offset_seconds);
  }
  bool operator==(const SessionTime&) const = default;
};

struct WindowItem {
  SessionNumber session = 0;
  std::uint32_t entity = 0;  // the caller's own
  std::uint32_t speaker = kNoNumber;
  std::uint8_t traits = 0;  // ItemTrait
  std::span<const TermReader::Term> terms = {};
  std::span<const DayRange> days = {};  // that its text names
};

// What else speaks for an item, by its vector.
struct NearItem {
  ItemNumber item = 0;
  float score = 0;
};

// A word of the question: an item has it that has all terms of one of these; `weight` is what once
// of it counts.
struct QueryForm {
  std::vector<TermReader::Term> all;
  float weight = 1;
};
struct QueryTerm {
  std::vector<QueryForm> any;
  bool apart = false;  // of one term each, and no item has two of them
};

struct WindowQuery {
  std::vector<QueryTerm> terms;         // each once
  std::vector<bool> seen;               // by audience
  std::vector<std::uint32_t> speakers;  // whose items get the bonus
  double speaker_bonus = 0;
  bool asks_name = false, asks_when = false;
  std::vector<NamedDate> dates;
  std::int64_t offset_seconds = 0;  // of the asker's clock from UTC
  std::size_t limit = 0;
  RecallSteps steps;
  std::vector<NearItem> near;
};

struct RankedItem {
  ItemNumber item = 0;
  double score = 0;
  double words = 0, session = 0, speaker = 0, date = 0, traits = 0;
  double meaning = 0;  // what it is the sum of
};

struct WindowRanking {
  std::vector<RankedItem> items;   // best first, ties by number
  std::size_t with_words = 0;      // items in whose window a term stands
  std::vector<ItemNumber> hidden;  // with a term, of audiences that are not seen; rising
  // Of what is seen: for who scores other texts against these.
  double documents = 0, mean_length = 0;
  std::vector<double> frequencies;  // windows with each of the terms
};

class WindowIndex {
 public:
  WindowIndex();

  SessionNumber add_session(std::uint32_t audience, SessionTime time);
  ItemNumber add(const WindowItem& item);
  void remove(ItemNumber item);  // it keeps its number, which is given to no other

  WindowRanking rank(const WindowQuery& query);

  std::size_t size() const { return live_; }
  std::uint32_t entity(ItemNumber item) const { return entity_[item]; }
  std::uint32_t speaker(ItemNumber item) const { return speaker_[item]; }
  SessionNumber session(ItemNumber item) const { return session_[item]; }
  SessionTime time(SessionNumber session) const { return sessions_[session].time; }
  std::uint32_t audience(SessionNumber session) const { return sessions_[session].audience; }
  std::size_t heap_bytes() const;

 private:
  static constexpr std::size_t kReach = 3;
  static constexpr SessionNumber kGone = 0;  // the session of removed items

  struct Postings {
    std::string bytes;  // varint (gap << 1 | more), then varint (times - 2)
    ItemNumber next = 0;
  };
  struct Session {
    std::uint32_t audience = 0;
    ItemNumber first = kNoNumber, last = kNoNumber;
    std::uint32_t items = 0;
    std::uint32_t length = 0;
    SessionTime time;
  };
  struct Sums {  // of an audience
    std::uint64_t items = 0, sessions = 0, length = 0;
    double window_length = 0;
  };
  struct NamedDays {
    ItemNumber item = 0;
    DayRange days;
  };
  struct Statistics {
    double items = 0, sessions = 0, mean_length = 0, mean_session = 0;
  };

  void write_posting(TermReader::Term term, ItemNumber item, std::uint32_t times);
  float near_length(ItemNumber item) const;
  float window_length_of(ItemNumber item) const;
  void renew_window(ItemNumber item, std::uint32_t audience);

  Statistics statistics_of(const WindowQuery& query) const;
  void bump(ItemNumber item, float count) {
    if (sum_[item] == 0) touched_.push_back(item);
    sum_[item] += count;
  }
  void spread(ItemNumber item, float times);
  struct Posting {
    ItemNumber item;
    float times;
  };
  template <typename Visit>
  void each_posting(TermReader::Term term, const Visit& visit) const;
  std::vector<Posting> postings_of(const QueryForm& form) const;
  std::vector<Posting> postings_of(const QueryTerm& term) const;
  void collect(const QueryTerm& term, const WindowQuery& query, WindowRanking& ranking);
  double add_windows(const WindowQuery& query, const Statistics& statistics);
  void add_sessions(const Statistics& statistics);
  void add_dates(const WindowQuery& query);
  void choose(const WindowQuery& query, WindowRanking& ranking) const;

  // By item.
  std::vector<std::uint16_t> length_;
  std::vector<float> window_length_;
  std::vector<ItemNumber> before_, after_;
  std::vector<SessionNumber> session_;
  std::vector<std::uint32_t> speaker_, entity_;
  std::vector<std::uint8_t> traits_;
  std::vector<NamedDays> named_days_;  // rising by item

  std::vector<Session> sessions_;
  std::vector<Sums> sums_;          // by audience
  std::vector<Postings> postings_;  // by term
  std::size_t live_ = 0;

  // Room for ranking, all zero between two calls but `score_` and what is by session.
  std::vector<float> near_;  // empty where the question has no vector
  std::vector<float> sum_, score_, session_sum_, session_score_, session_date_;
  std::vector<float> session_base_;  // of both; minus infinity where nothing is seen
  std::vector<ItemNumber> touched_;
  std::vector<SessionNumber> touched_sessions_;
};

}  // namespace anima::memory::detail
