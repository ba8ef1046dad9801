#include "memory/recall/detail/window_index.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "memory/recall/detail/weights.h"

namespace anima::memory::detail {
namespace {

constexpr std::array<float, 3> kBefore = {0.40F, 0.25F, 0.12F};  // weight of a neighbour before
constexpr std::array<float, 3> kAfter = {0.25F, 0.15F, 0.06F};
constexpr float kNearTerms = 40;      // a longer neighbour counts no more
constexpr std::uint8_t kIsFirst = 8;  // of several: a trait that the index knows itself
constexpr std::size_t kTraits = 16;

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(0x80 | (value & 0x7f)));
  out.push_back(static_cast<char>(value));
}

std::uint64_t read_varint(const char*& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) return value;
  }
}

double idf(double documents, double with_term) {
  return std::log(1 + (documents - with_term + 0.5) / (with_term + 0.5));
}

double best_fit(const std::vector<NamedDate>& wanted, DayRange days) {
  double best = 0;
  for (const NamedDate& date : wanted) best = std::max(best, date_fit(date, days));
  return best;
}

std::array<float, kTraits> trait_scores(const WindowQuery& query) {
  std::array<float, kTraits> scores{};
  if (!query.steps.small) return scores;
  for (std::size_t i = 0; i < kTraits; ++i) {
    double sum = 0;
    if ((i & kIsQuestion) != 0) sum += kQuestionMalus;
    if ((i & kHasName) != 0 && query.asks_name) sum += kNameBonus;
    if ((i & kHasTime) != 0 && query.asks_when) sum += kTimeBonus;
    if ((i & kIsFirst) != 0) sum += kFirstBonus;
    scores[i] = static_cast<float>(sum);
  }
  return scores;
}

}  // namespace

WindowIndex::WindowIndex() {
  sessions_.emplace_back();  // kGone
}

SessionNumber WindowIndex::add_session(std::uint32_t audience, SessionTime time) {
  Session session;
  session.audience = audience;
  session.time = time;
  if (audience >= sums_.size()) sums_.resize(audience + 1);
  ++sums_[audience].sessions;
  sessions_.push_back(session);
  return static_cast<SessionNumber>(sessions_.size() - 1);
}

float WindowIndex::near_length(ItemNumber item) const {
  return std::min(static_cast<float>(length_[item]), kNearTerms);
}

float WindowIndex::window_length_of(ItemNumber item) const {
  auto sum = static_cast<float>(length_[item]);
  ItemNumber at = before_[item];
  for (std::size_t i = 0; i < kReach && at != kNoNumber; ++i, at = before_[at])
    sum += kBefore[i] * near_length(at);
  at = after_[item];
  for (std::size_t i = 0; i < kReach && at != kNoNumber; ++i, at = after_[at])
    sum += kAfter[i] * near_length(at);
  return sum;
}

void WindowIndex::renew_window(ItemNumber item, std::uint32_t audience) {
  const float renewed = window_length_of(item);
  sums_[audience].window_length += static_cast<double>(renewed - window_length_[item]);
  window_length_[item] = renewed;
}

void WindowIndex::write_posting(TermReader::Term term, ItemNumber item, std::uint32_t times) {
  if (term >= postings_.size()) postings_.resize(term + 1);
  Postings& postings = postings_[term];
  const std::uint64_t gap = item - postings.next;
  append_varint(postings.bytes, gap << 1 | (times > 1 ? 1U : 0U));
  if (times > 1) append_varint(postings.bytes, times - 2);
  postings.next = item + 1;
}

ItemNumber WindowIndex::add(const WindowItem& item) {
  const auto number = static_cast<ItemNumber>(session_.size());
  std::vector<TermReader::Term> terms(item.terms.begin(), item.terms.end());
  std::erase(terms, TermReader::kDropped);
  const std::size_t length =
      std::min<std::size_t>(terms.size(), std::numeric_limits<std::uint16_t>::max());
  std::ranges::sort(terms);
  for (std::size_t i = 0; i < terms.size();) {
    std::size_t end = i;
    while (end < terms.size() && terms[end] == terms[i]) ++end;
    write_posting(terms[i], number, static_cast<std::uint32_t>(end - i));
    i = end;
  }
  Session& session = sessions_[item.session];
  length_.push_back(static_cast<std::uint16_t>(length));
  window_length_.push_back(0);
  before_.push_back(session.last);
  after_.push_back(kNoNumber);
  session_.push_back(item.session);
  speaker_.push_back(item.speaker);
  entity_.push_back(item.entity);
  traits_.push_back(item.traits);
  for (const DayRange& days : item.days) named_days_.push_back({number, days});
  if (session.items == 1) traits_[session.first] |= kIsFirst;
  if (session.items == 0) session.first = number;
  if (session.last != kNoNumber) after_[session.last] = number;
  session.last = number;
  ++session.items;
  session.length += static_cast<std::uint32_t>(length);
  Sums& sums = sums_[session.audience];
  ++sums.items;
  sums.length += length;
  ++live_;
  ItemNumber at = number;
  for (std::size_t i = 0; i <= kReach && at != kNoNumber; ++i, at = before_[at])
    renew_window(at, session.audience);
  return number;
}

void WindowIndex::remove(ItemNumber item) {
  Session& session = sessions_[session_[item]];
  const ItemNumber before = before_[item], after = after_[item];
  Sums& sums = sums_[session.audience];
  --sums.items;
  sums.length -= length_[item];
  sums.window_length -= static_cast<double>(window_length_[item]);
  session.length -= length_[item];
  if (--session.items == 0) --sums.sessions;
  if (before != kNoNumber) after_[before] = after;
  if (after != kNoNumber) before_[after] = before;
  if (session.first == item) session.first = after;
  if (session.last == item) session.last = before;
  if (session.first != kNoNumber) {
    const bool several = session.items > 1;
    traits_[session.first] =
        static_cast<std::uint8_t>((traits_[session.first] & ~kIsFirst) | (several ? kIsFirst : 0));
  }
  ItemNumber at = before;
  for (std::size_t i = 0; i < kReach && at != kNoNumber; ++i, at = before_[at])
    renew_window(at, session.audience);
  at = after;
  for (std::size_t i = 0; i < kReach && at != kNoNumber; ++i, at = after_[at])
    renew_window(at, session.audience);
  session_[item] = kGone;
  --live_;
}

WindowIndex::Statistics WindowIndex::statistics_of(const WindowQuery& query) const {
  double items = 0, sessions = 0, length = 0, window_length = 0;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    if (i >= query.seen.size() || !query.seen[i]) continue;
    items += static_cast<double>(sums_[i].items);
    sessions += static_cast<double>(sums_[i].sessions);
    length += static_cast<double>(sums_[i].length);
    window_length += sums_[i].window_length;
  }
  Statistics statistics;
  statistics.items = items;
  statistics.sessions = sessions;
  statistics.mean_length =
      items == 0 ? 1 : std::max(1.0, (query.steps.windows ? window_length : length) / items);
  statistics.mean_session = sessions == 0 ? 1 : std::max(1.0, length / sessions);
  return statistics;
}

void WindowIndex::spread(ItemNumber item, float times) {
  bump(item, times);
  const auto length = static_cast<float>(length_[item]);
  const float scaled = length > kNearTerms ? times * kNearTerms / length : times;
  // It is before those that come after it, and the other way round.
  ItemNumber at = after_[item];
  for (std::size_t i = 0; i < kReach && at != kNoNumber; ++i, at = after_[at])
    bump(at, kBefore[i] * scaled);
  at = before_[item];
  for (std::size_t i = 0; i < kReach && at != kNoNumber; ++i, at = before_[at])
    bump(at, kAfter[i] * scaled);
}

template <typename Visit>
void WindowIndex::each_posting(TermReader::Term term, const Visit& visit) const {
  if (term >= postings_.size()) return;
  const std::string& bytes = postings_[term].bytes;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  for (ItemNumber next = 0; at != end;) {
    const std::uint64_t gap = read_varint(at);
    const auto item = next + static_cast<ItemNumber>(gap >> 1);
    const auto times = static_cast<float>((gap & 1) != 0 ? read_varint(at) + 2 : 1);
    next = item + 1;
    visit(Posting{item, times});
  }
}

// Of the items that have all terms, how often they have the rarest.
std::vector<WindowIndex::Posting> WindowIndex::postings_of(const QueryForm& form) const {
  std::vector<Posting> common;
  each_posting(form.all[0], [&](const Posting& posting) { common.push_back(posting); });
  for (const TermReader::Term term : std::span(form.all).subspan(1)) {
    std::vector<Posting> both;
    auto at = common.begin();
    each_posting(term, [&](const Posting& posting) {
      while (at != common.end() && at->item < posting.item) ++at;
      if (at != common.end() && at->item == posting.item)
        both.push_back({posting.item, std::min(at->times, posting.times)});
    });
    common = std::move(both);
  }
  for (Posting& posting : common) posting.times *= form.weight;
  return common;
}

// Rising by item, each once with its most.
std::vector<WindowIndex::Posting> WindowIndex::postings_of(const QueryTerm& term) const {
  std::vector<Posting> postings;
  for (const QueryForm& form : term.any)
    for (const Posting& posting : postings_of(form)) postings.push_back(posting);
  std::ranges::sort(postings, [](const Posting& a, const Posting& b) {
    return a.item != b.item ? a.item < b.item : a.times > b.times;
  });
  postings.erase(std::unique(postings.begin(), postings.end(),
                             [](const Posting& a, const Posting& b) { return a.item == b.item; }),
                 postings.end());
  return postings;
}

void WindowIndex::collect(const QueryTerm& term, const WindowQuery& query, WindowRanking& ranking) {
  const auto count = [&](const Posting& posting) {
    const auto [item, times] = posting;
    const SessionNumber session = session_[item];
    if (session == kGone) return;
    if (!query.seen[sessions_[session].audience]) {
      ranking.hidden.push_back(item);
      return;
    }
    if (session_sum_[session] == 0) touched_sessions_.push_back(session);
    session_sum_[session] += times;
    if (query.steps.windows) {
      spread(item, times);
    } else {
      bump(item, times);
    }
  };
  if (term.apart) {
    for (const QueryForm& form : term.any) each_posting(form.all[0], count);
  } else {
    for (const Posting& posting : postings_of(term)) count(posting);
  }
}

double WindowIndex::add_windows(const WindowQuery& query, const Statistics& statistics) {
  const auto frequency = static_cast<double>(touched_.size());
  const auto weight = static_cast<float>(idf(statistics.items, frequency) * (kSaturation + 1));
  const auto base = static_cast<float>(kSaturation * (1 - kLengthInfluence));
  const auto slope = static_cast<float>(kSaturation * kLengthInfluence / statistics.mean_length);
  for (const ItemNumber item : touched_) {
    const float count = sum_[item];
    sum_[item] = 0;
    const float length =
        query.steps.windows ? window_length_[item] : static_cast<float>(length_[item]);
    score_[item] += weight * count / (count + base + slope * length);
  }
  touched_.clear();
  return frequency;
}

void WindowIndex::add_sessions(const Statistics& statistics) {
  const double weight = kSessionWeight * (kSaturation + 1) *
                        idf(statistics.sessions, static_cast<double>(touched_sessions_.size()));
  for (const SessionNumber session : touched_sessions_) {
    const auto count = static_cast<double>(session_sum_[session]);
    session_sum_[session] = 0;
    const double length = sessions_[session].length / statistics.mean_session;
    const double norm =
        kSaturation * (1 - kSessionLengthInfluence + kSessionLengthInfluence * length);
    session_score_[session] += static_cast<float>(weight * count / (count + norm));
  }
  touched_sessions_.clear();
}

// What the session's day adds to each of its items, and what days add that an item names itself.
void WindowIndex::add_dates(const WindowQuery& query) {
  Day known = kNoDay;
  double fit = 0;
  for (std::size_t i = 1; i < sessions_.size(); ++i) {
    const Session& session = sessions_[i];
    const Day day = session.time.by(query.offset_seconds);
    if (day == kNoDay || session.items == 0) continue;
    if (day != known) {
      known = day;
      fit = best_fit(query.dates, {known, known});
    }
    session_date_[i] = static_cast<float>(kDateBonus * fit);
  }
  for (const NamedDays& named : named_days_) {
    const SessionNumber session = session_[named.item];
    const auto more = static_cast<float>(kDateBonus * best_fit(query.dates, named.days));
    if (session != kGone && more > session_date_[session])
      score_[named.item] += more - session_date_[session];
  }
}

void WindowIndex::choose(const WindowQuery& query, WindowRanking& ranking) const {
  const std::array<float, kTraits> trait_score = trait_scores(query);
  const float by_speaker = query.steps.participants ? static_cast<float>(query.speaker_bonus) : 0;
  std::vector<bool> speaks(by_speaker > 0 ? 1 : 0);
  for (const std::uint32_t speaker : query.speakers) {
    if (by_speaker <= 0) break;
    if (speaker >= speaks.size()) speaks.resize(speaker + 1);
    speaks[speaker] = true;
  }
  const auto of_speaker = [&](ItemNumber item) {
    const std::uint32_t who = speaker_[item];
    return who < speaks.size() && speaks[who] ? by_speaker : 0;
  };
  const bool compares = !near_.empty();
  const auto of_traits = [&](ItemNumber item) {
    return trait_score[traits_[item] & (kTraits - 1)];
  };
  // The best come first, and of equals the earlier: the top of the heap is the worst of the chosen.
  struct Chosen {
    float score;
    ItemNumber item;
  };
  const auto better = [](const Chosen& a, const Chosen& b) {
    return a.score != b.score ? a.score > b.score : a.item < b.item;
  };
  std::vector<Chosen> chosen;
  const auto items = static_cast<ItemNumber>(session_.size());
  for (ItemNumber item = 0; item < items; ++item) {
    const float of_words = score_[item];
    // What has nothing but a trait is no answer; of who cannot be seen the session has minus
    // infinity.
    float fits = of_words + session_base_[session_[item]] + of_speaker(item);
    if (compares) fits += near_[item];
    if (!(fits > 0)) continue;
    if (of_words > 0) ++ranking.with_words;
    const Chosen one{fits + of_traits(item), item};
    if (chosen.size() < query.limit) {
      chosen.push_back(one);
      std::ranges::push_heap(chosen, better);
    } else if (one.score > chosen.front().score) {  // an equal one is later
      std::ranges::pop_heap(chosen, better);
      chosen.back() = one;
      std::ranges::push_heap(chosen, better);
    }
  }
  std::ranges::sort_heap(chosen, better);
  for (const auto& [score, item] : chosen) {
    const SessionNumber session = session_[item];
    RankedItem one;
    one.item = item;
    one.score = static_cast<double>(score);
    one.words = static_cast<double>(score_[item]);
    one.session = static_cast<double>(session_score_[session]);
    one.date = static_cast<double>(session_date_[session]);
    one.speaker = static_cast<double>(of_speaker(item));
    one.traits = static_cast<double>(of_traits(item));
    one.meaning = compares ? static_cast<double>(near_[item]) : 0;
    ranking.items.push_back(one);
  }
}

WindowRanking WindowIndex::rank(const WindowQuery& query) {
  WindowRanking ranking;
  const Statistics statistics = statistics_of(query);
  ranking.documents = statistics.items;
  ranking.mean_length = statistics.mean_length;
  sum_.resize(session_.size(), 0);
  score_.assign(session_.size(), 0);
  session_sum_.resize(sessions_.size(), 0);
  session_score_.assign(sessions_.size(), 0);
  session_date_.assign(sessions_.size(), 0);
  for (const QueryTerm& term : query.terms) {
    collect(term, query, ranking);
    ranking.frequencies.push_back(add_windows(query, statistics));
    add_sessions(statistics);
  }
  if (!query.steps.sessions) std::ranges::fill(session_score_, 0);
  if (query.steps.dates && !query.dates.empty()) add_dates(query);
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  session_base_.resize(sessions_.size());
  session_base_[kGone] = kNever;
  for (std::size_t i = 1; i < sessions_.size(); ++i) {
    const bool seen = query.seen[sessions_[i].audience];
    session_base_[i] = seen ? session_score_[i] + session_date_[i] : kNever;
  }
  near_.assign(query.near.empty() ? 0 : session_.size(), 0);
  for (const NearItem& near : query.near) near_[near.item] = near.score;
  if (query.limit > 0) choose(query, ranking);
  std::ranges::sort(ranking.hidden);
  ranking.hidden.erase(std::unique(ranking.hidden.begin(), ranking.hidden.end()),
                       ranking.hidden.end());
  return ranking;
}

std::size_t WindowIndex::heap_bytes() const {
  const auto bytes_of = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
  std::size_t bytes = bytes_of(length_) + bytes_of(window_length_) + bytes_of(before_) +
                      bytes_of(after_) + bytes_of(session_) + bytes_of(speaker_) +
                      bytes_of(entity_) + bytes_of(traits_) + bytes_of(named_days_) +
                      bytes_of(sessions_) + bytes_of(postings_) + bytes_of(sum_) +
                      bytes_of(score_) + bytes_of(session_sum_) + bytes_of(session_score_) +
                      bytes_of(session_date_) + bytes_of(session_base_) + bytes_of(touched_);
  for (const Postings& postings : postings_) bytes += postings.bytes.capacity();
  return bytes;
}

}  // namespace anima::memory::detail
