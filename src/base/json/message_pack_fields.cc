#include "base/json/message_pack_fields.h"

#include <algorithm>

namespace anima::pack_detail {
namespace {

// Letters and digits in lower case: "CompilerSmith" and "COMPILER_SMITH" are one name.
std::string plain_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '_') continue;
    out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  return out;
}

}  // namespace

bool same_name(std::string_view left, std::string_view right) {
  return plain_name(left) == plain_name(right);
}

Unexpected<Error> expected(std::string_view what) {
  return fail(ErrorCode::kSyntax, "here must be " + std::string(what));
}

Error below(Error error, std::string_view field) {
  error.where = error.where.empty() ? std::string(field) : std::string(field) + "." + error.where;
  return error;
}

Result<std::uint64_t> natural_up_to(const MessagePack& from, std::uint64_t most) {
  const std::uint64_t* value = from.natural();
  if (value == nullptr || *value > most)
    return expected("a number from 0 to " + std::to_string(most));
  return *value;
}

Result<std::int64_t> integer_between(const MessagePack& from, std::int64_t least,
                                     std::int64_t most) {
  if (const std::uint64_t* value = from.natural();
      value != nullptr && *value <= static_cast<std::uint64_t>(most))
    return static_cast<std::int64_t>(*value);
  if (const std::int64_t* value = from.negative(); value != nullptr && *value >= least)
    return *value;
  return expected("a number from " + std::to_string(least) + " to " + std::to_string(most));
}

Result<double> number(const MessagePack& from) {
  if (from.float32() != nullptr) return static_cast<double>(*from.float32());
  if (from.float64() != nullptr) return *from.float64();
  if (from.natural() != nullptr) return static_cast<double>(*from.natural());
  if (from.negative() != nullptr) return static_cast<double>(*from.negative());
  return expected("a number");
}

Result<std::string_view> exact_bytes(const MessagePack& from, std::size_t size) {
  if (from.binary() == nullptr || from.binary()->bytes.size() != size)
    return expected(std::to_string(size) + " bytes");
  return std::string_view(from.binary()->bytes);
}

Result<std::uint64_t> enum_value(const MessagePack& from, std::span<const std::string_view> names) {
  if (const std::uint64_t* value = from.natural(); value != nullptr && *value < names.size())
    return *value;
  const std::string* name = from.text();
  if (const MessagePack::Map* map = from.map(); map != nullptr && map->size() == 1)
    name = map->front().first.text();
  if (name != nullptr) {
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](std::string_view each) { return same_name(each, *name); });
    if (found != names.end()) return static_cast<std::uint64_t>(found - names.begin());
  }
  std::string all;
  for (const std::string_view each : names) all += (all.empty() ? "" : ", ") + std::string(each);
  return expected("one of " + all);
}

}  // namespace anima::pack_detail
