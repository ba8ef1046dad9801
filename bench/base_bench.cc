// The base room under load: JSON in and out (beside Boost.JSON's own tree, parsed and converted),
// hashing, checksums, UTF-8 and words. Prints one line a measurement: the best of several runs.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <functional>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/json/json.h"
#include "base/text/text.h"

namespace {

constexpr int kRuns = 7;

// The shape of a list of facts as tools exchange them.
std::string facts_as_json(int count) {
  anima::SeededRandom random(1);
  anima::Json list = anima::Json::array();
  for (int i = 0; i < count; ++i) {
    anima::Json fact = anima::Json::object();
    fact.set("id", i);
    fact.set("subject", fmt::format("package-{}", random.below(5000)));
    fact.set("predicate", "depends_on");
    fact.set("object",
             fmt::format("lib{} with a longer description \"quoted\"", random.below(5000)));
    fact.set("confidence", random.uniform());
    fact.set("tags", anima::Json::array({"a", "b", true, nullptr, 42}));
    list.push_back(std::move(fact));
  }
  return list.dump();
}

// What one would write first: Boost.JSON's tree, then a copy of every node.
anima::Json converted(const boost::json::value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return nullptr;
    case boost::json::kind::bool_:
      return value.get_bool();
    case boost::json::kind::int64:
      return value.get_int64();
    case boost::json::kind::uint64:
      return static_cast<double>(value.get_uint64());
    case boost::json::kind::double_:
      return value.get_double();
    case boost::json::kind::string:
      return std::string(value.get_string());
    case boost::json::kind::array: {
      anima::Json array = anima::Json::array();
      for (const auto& item : value.get_array()) array.push_back(converted(item));
      return array;
    }
    case boost::json::kind::object: {
      anima::Json object = anima::Json::object();
      for (const auto& member : value.get_object()) {
        object.set(std::string_view(member.key().data(), member.key().size()),
                   converted(member.value()));
      }
      return object;
    }
  }
  return nullptr;
}

void measure(std::string_view what, std::size_t bytes, const std::function<void()>& work) {
  anima::SystemClock clock;
  double best = 1e300;
  for (int run = 0; run < kRuns; ++run) {
    const std::int64_t start = clock.monotonic_nanoseconds();
    work();
    best = std::min(best, static_cast<double>(clock.monotonic_nanoseconds() - start));
  }
  fmt::print("{:<44} {:>9.1f} MB/s {:>9.3f} ms\n", what, static_cast<double>(bytes) * 1e3 / best,
             best * 1e-6);
}

}  // namespace

int main() {
  const std::string text = facts_as_json(50'000);
  const anima::Json value = anima::parse_json(text).value();
  // The doubles may differ in their last bits (Boost.JSON 1.81 rounds twice); the shape may not.
  if (converted(boost::json::parse(text)).as_array().size() != value.as_array().size()) return 1;
  fmt::print("{} bytes of JSON, best of {} runs\n", text.size(), kRuns);
  measure("parse_json", text.size(), [&] { (void)anima::parse_json(text); });
  measure("Boost.JSON tree, converted", text.size(),
          [&] { (void)converted(boost::json::parse(text)); });
  measure("Boost.JSON tree alone", text.size(), [&] { (void)boost::json::parse(text); });
  measure("dump", text.size(), [&] { (void)value.dump(); });
  measure("sha256", text.size(), [&] { (void)anima::sha256(text); });
  measure("checksum64", text.size(), [&] { (void)anima::checksum64(text); });
  measure("invalid_utf8_at (ASCII)", text.size(), [&] { (void)anima::invalid_utf8_at(text); });
  const std::string small(64, 'x');
  measure("sha256 of 64 bytes, 100,000 times", 6'400'000, [&] {
    for (int i = 0; i < 100'000; ++i) (void)anima::sha256(small);
  });
  return 0;
}
