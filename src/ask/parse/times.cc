#include "ask/parse/times.h"

#include <fmt/format.h>

#include <chrono>

namespace anima::ask {
namespace {

using std::chrono::day;
using std::chrono::days;
using std::chrono::month;
using std::chrono::months;
using std::chrono::sys_days;
using std::chrono::year;
using std::chrono::year_month_day;
using std::chrono::years;

std::string text_of(sys_days at) {
  const year_month_day date(at);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

sys_days parse_day(const std::string& text) {
  return sys_days(year(std::stoi(text.substr(0, 4))) / std::stoi(text.substr(5, 2)) /
                  std::stoi(text.substr(8, 2)));
}

class TimeReader {
 public:
  TimeReader(const std::vector<Piece>& pieces, std::size_t at, const Pack& pack, Timestamp now)
      : pieces_(pieces), at_(at), pack_(pack), today_(parse_day(day_of(now))) {}

  std::vector<TimeRange> run() {
    if (at_ >= pieces_.size()) return {};
    const Piece& first = pieces_[at_];
    if (first.kind == Piece::Kind::kDate) {
      const sys_days from = parse_day(first.folded);
      add(1, from, from + days(1));
    }
    if (first.kind == Piece::Kind::kNumber) number(first);
    if (first.kind == Piece::Kind::kWord) word();
    return std::move(found_);
  }

 private:
  void add(std::size_t pieces, sys_days from, sys_days until) {
    found_.push_back({at_ + pieces, text_of(from), text_of(until)});
  }

  std::optional<int> use(std::size_t at, PackUse::Kind kind) const {
    if (at >= pieces_.size() || pieces_[at].kind != Piece::Kind::kWord) return std::nullopt;
    const auto* uses = pack_.uses(pieces_[at].folded);
    // Units are also said in the plural.
    if (uses == nullptr && kind == PackUse::Kind::kTimeUnit)
      uses = pack_.uses(pack_.stem(pieces_[at].folded));
    if (uses == nullptr) return std::nullopt;
    for (const PackUse& one : *uses) {
      if (one.kind == kind) return one.number;
    }
    return std::nullopt;
  }

  std::optional<int> year_at(std::size_t at) const {
    if (at >= pieces_.size() || pieces_[at].kind != Piece::Kind::kNumber) return std::nullopt;
    const double value = pieces_[at].number;
    if (pieces_[at].folded.size() != 4 || value < 1000 || value > 2999) return std::nullopt;
    return static_cast<int>(value);
  }

  void number(const Piece& first) {
    if (const auto one = year_at(at_)) {
      add(1, sys_days(year(*one) / 1 / 1), sys_days(year(*one + 1) / 1 / 1));
    }
    // 1 June 2026
    const auto in_month = use(at_ + 1, PackUse::Kind::kMonth);
    if (!in_month || first.number < 1 || first.number > 31) return;
    const auto in_year = year_at(at_ + 2);
    const year_month_day date =
        year(in_year.value_or(static_cast<int>(year_month_day(today_).year()))) / *in_month /
        static_cast<int>(first.number);
    if (!date.ok()) return;
    add(in_year ? 3 : 2, sys_days(date), sys_days(date) + days(1));
    found_.back().any_year = !in_year;
  }

  void word() {
    if (const auto offset = use(at_, PackUse::Kind::kDay)) {
      add(1, today_ + days(*offset), today_ + days(*offset + 1));
    }
    if (const auto named = use(at_, PackUse::Kind::kMonth)) month_of(*named);
    if (const auto named = use(at_, PackUse::Kind::kWeekday)) weekday(*named);
    if (const auto offset = use(at_, PackUse::Kind::kRelativeTime)) {
      if (const auto unit = use(at_ + 1, PackUse::Kind::kTimeUnit)) relative(*offset, *unit);
      if (const auto named = use(at_ + 1, PackUse::Kind::kWeekday)) weekday(*named, *offset);
    }
  }

  // Monday: the newest one, today included; last Monday: one before today; next Monday: after it.
  void weekday(int number) {
    const int back = (today_number() - number + 7) % 7;
    add(1, today_ - days(back), today_ - days(back - 1));
  }
  void weekday(int number, int offset) {
    int back = (today_number() - number + 7) % 7;
    if (offset < 0 && back == 0) back = 7;
    if (offset > 0) back -= 7;
    add(2, today_ - days(back), today_ - days(back - 1));
  }
  int today_number() const { return static_cast<int>(std::chrono::weekday(today_).iso_encoding()); }

  // May, May 2026, May 1 2026
  void month_of(int number) {
    const auto span = [&](std::size_t pieces, int in_year) {
      const auto first = year(in_year) / number / 1;
      add(pieces, sys_days(first), sys_days(first + months(1)));
    };
    if (const auto in_year = year_at(at_ + 1)) span(2, *in_year);
    span(1, static_cast<int>(year_month_day(today_).year()));
    found_.back().any_year = true;
    if (at_ + 1 < pieces_.size() && pieces_[at_ + 1].kind == Piece::Kind::kNumber) {
      const auto in_year = year_at(at_ + 2);
      const double value = pieces_[at_ + 1].number;
      if (!in_year || value < 1 || value > 31) return;
      const year_month_day date = year(*in_year) / number / static_cast<int>(value);
      if (date.ok()) add(3, sys_days(date), sys_days(date) + days(1));
    }
  }

  void relative(int offset, int unit) {
    const year_month_day date(today_);
    switch (unit) {
      case 1:
        add(2, today_ + days(offset), today_ + days(offset + 1));
        break;
      case 2: {
        const unsigned weekday = std::chrono::weekday(today_).iso_encoding();
        const sys_days monday = today_ - days(weekday - 1) + days(7 * offset);
        add(2, monday, monday + days(7));
        break;
      }
      case 3: {
        const auto first = date.year() / date.month() / day(1);
        add(2, sys_days(first + months(offset)), sys_days(first + months(offset + 1)));
        break;
      }
      default: {
        const auto first = date.year() / month(1) / day(1);
        add(2, sys_days(first + years(offset)), sys_days(first + years(offset + 1)));
      }
    }
  }

  const std::vector<Piece>& pieces_;
  std::size_t at_;
  const Pack& pack_;
  sys_days today_;
  std::vector<TimeRange> found_;
};

}  // namespace

std::vector<TimeRange> read_time(const std::vector<Piece>& pieces, std::size_t at, const Pack& pack,
                                 Timestamp now) {
  return TimeReader(pieces, at, pack, now).run();
}

std::string day_after(const std::string& day, int count) {
  return text_of(parse_day(day) + days(count));
}

std::string day_of(Timestamp time) { return format_timestamp(time).substr(0, 10); }

}  // namespace anima::ask
