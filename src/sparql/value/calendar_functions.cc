// Functions of dates and times, and hashes: 17.4.5 and 17.4.6 of the recommendation.
#include "base/crypto.h"
#include "sparql/value/scalar.h"
#include "sparql/value/term_codes.h"

namespace anima::sparql::value {
namespace {

// The moment, where the field that is asked for is one of its own.
std::optional<Moment> moment_of(const Call& call, bool time_field) {
  const Value value = read_briefly(call.values, call.cells[0]);
  if (value.kind != Kind::kMoment) return std::nullopt;
  const MomentKind kind = value.moment.kind;
  const bool has =
      kind == MomentKind::kDateTime || kind == (time_field ? MomentKind::kTime : MomentKind::kDate);
  return has ? std::optional(value.moment) : std::nullopt;
}

std::uint32_t field(const Call& call, bool time_field, std::int64_t (*read)(const Moment&)) {
  const auto moment = moment_of(call, time_field);
  return moment ? call.values.integer(read(*moment)).code : 0;
}

std::uint32_t year(const Call& call) {
  return field(call, false, [](const Moment& it) { return it.year; });
}
std::uint32_t month(const Call& call) {
  return field(call, false, [](const Moment& it) { return std::int64_t{it.month}; });
}
std::uint32_t day(const Call& call) {
  return field(call, false, [](const Moment& it) { return std::int64_t{it.day}; });
}
std::uint32_t hours(const Call& call) {
  return field(call, true, [](const Moment& it) { return std::int64_t{it.hour}; });
}
std::uint32_t minutes(const Call& call) {
  return field(call, true, [](const Moment& it) { return std::int64_t{it.minute}; });
}
std::uint32_t seconds(const Call& call) {
  const auto moment = moment_of(call, true);
  return moment ? write(call.values, exact(Kind::kDecimal, moment->seconds())) : 0;
}

std::optional<Moment> zoned(const Call& call) {
  const Value value = read_briefly(call.values, call.cells[0]);
  return value.kind == Kind::kMoment ? std::optional(value.moment) : std::nullopt;
}
std::uint32_t time_zone(const Call& call) {
  const auto moment = zoned(call);
  if (!moment || !moment->zone) return 0;
  return write_typed(call.values, day_time_text(*moment->zone * std::int64_t{60}),
                     kXsdDayTimeDuration);
}
std::uint32_t zone_as_text(const Call& call) {
  const auto moment = zoned(call);
  if (!moment) return 0;
  if (!moment->zone) return write_string(call.values, {});
  std::string scratch;
  const std::string_view text = term_of(call.values, call.cells[0], scratch).text;
  constexpr std::size_t kOffset = 6;  // "+01:00"
  return write_string(call.values, text.ends_with('Z') ? "Z" : text.substr(text.size() - kOffset));
}

std::uint32_t now(const Call& call) {
  return write_typed(call.values, format_timestamp(call.context.now),
                     "http://www.w3.org/2001/XMLSchema#dateTime");
}

std::uint32_t hash(const Call& call, HashAlgorithm algorithm) {
  const Value text = read_briefly(call.values, call.cells[0]);
  if (text.kind != Kind::kString) return 0;
  return write_string(call.values, hash_hex(algorithm, text.text));
}
std::uint32_t md5(const Call& call) { return hash(call, HashAlgorithm::kMd5); }
std::uint32_t sha1(const Call& call) { return hash(call, HashAlgorithm::kSha1); }
std::uint32_t sha256_of(const Call& call) { return hash(call, HashAlgorithm::kSha256); }
std::uint32_t sha384(const Call& call) { return hash(call, HashAlgorithm::kSha384); }
std::uint32_t sha512(const Call& call) { return hash(call, HashAlgorithm::kSha512); }

}  // namespace

std::span<const ScalarEntry> calendar_functions() {
  static constexpr ScalarEntry kEntries[] = {
      {"NOW", now},         {"YEAR", year},          {"MONTH", month},
      {"DAY", day},         {"HOURS", hours},        {"MINUTES", minutes},
      {"SECONDS", seconds}, {"TIMEZONE", time_zone}, {"TZ", zone_as_text},
  };
  return kEntries;
}

std::span<const ScalarEntry> hash_functions() {
  static constexpr ScalarEntry kEntries[] = {
      {"MD5", md5}, {"SHA1", sha1}, {"SHA256", sha256_of}, {"SHA384", sha384}, {"SHA512", sha512},
  };
  return kEntries;
}

}  // namespace anima::sparql::value
