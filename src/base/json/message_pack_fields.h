// Structs as MessagePack: named fields in the order of their declaration.
//
//   struct Vote {
//     Digest proposal{};
//     bool yes = false;
//     template <typename Self, typename Visit>
//     static void fields(Self& self, Visit&& visit) {
//       visit("proposal_id", self.proposal);
//       visit("vote", self.yes);
//     }
//   };
//   MessagePack body = pack(vote);
//   Result<Vote> again = unpack<Vote>(body);
//
// Digests and keys (arrays of bytes) are `bin`, an optional is nil or its value, an ordered map is
// a map in the order of its keys. An enumeration says its names with `enum_names(E)`, found by its
// namespace; it is written as the name and read as the name in any case, as {name: nil} or as the
// number. A field that is missing stays as it is constructed when it is optional, else it is an
// error; unknown fields are ignored. Errors: kSyntax, with the field's path in `where`.
// Thread-safety: functions without state.
#pragma once

#include <array>
#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/json/message_pack.h"

namespace anima {

template <typename T>
MessagePack pack(const T& value);
template <typename T>
Status unpack_to(const MessagePack& from, T& value);

namespace pack_detail {

struct AnyVisitor {
  template <typename F>
  void operator()(std::string_view, F&&) const {}
};
template <typename T>
concept Fielded = requires(T& value, AnyVisitor visit) {
  T::fields(value, visit);
};
template <typename T>
concept Named = std::is_enum_v<T> && requires(T value) {
  { enum_names(value) } -> std::convertible_to<std::span<const std::string_view>>;
};

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <typename T>
inline constexpr bool kIsVector = false;
template <typename T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <typename T>
inline constexpr bool kIsMap = false;
template <typename K, typename V>
inline constexpr bool kIsMap<std::map<K, V>> = true;
template <typename T>
inline constexpr bool kIsBytes = false;
template <std::size_t N>
inline constexpr bool kIsBytes<std::array<std::uint8_t, N>> = true;

// "Active", "ACTIVE" and "active" are one name.
bool same_name(std::string_view left, std::string_view right);
Unexpected<Error> expected(std::string_view what);
Error below(Error error, std::string_view field);
Result<std::uint64_t> natural_up_to(const MessagePack& from, std::uint64_t most);
Result<std::int64_t> integer_between(const MessagePack& from, std::int64_t least,
                                     std::int64_t most);
Result<double> number(const MessagePack& from);
Result<std::string_view> exact_bytes(const MessagePack& from, std::size_t size);
Result<std::uint64_t> enum_value(const MessagePack& from, std::span<const std::string_view> names);

struct Packer {
  MessagePack& out;
  template <typename F>
  void operator()(std::string_view name, F& field) {
    out.set(name, pack(field));
  }
};

struct Unpacker {
  const MessagePack& from;
  Status status;
  template <typename F>
  void operator()(std::string_view name, F& field) {
    if (!status) return;
    const MessagePack* found = from.find(name);
    if (found == nullptr) {
      if constexpr (!kIsOptional<F>)
        status = fail(below(std::move(expected("a value").error()), name));
      return;
    }
    if (Status read = unpack_to(*found, field); !read)
      status = fail(below(std::move(read).error(), name));
  }
};

}  // namespace pack_detail

template <typename T>
MessagePack pack(const T& value) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, float> || std::is_same_v<T, double> ||
                std::is_same_v<T, std::string> || std::is_same_v<T, Binary> ||
                std::is_same_v<T, MessagePack>) {
    return MessagePack(value);
  } else if constexpr (pack_detail::Named<T>) {
    return MessagePack(enum_names(value)[static_cast<std::size_t>(value)]);
  } else if constexpr (std::is_enum_v<T>) {
    return MessagePack(static_cast<std::uint64_t>(value));
  } else if constexpr (std::unsigned_integral<T>) {
    return MessagePack(std::uint64_t{value});
  } else if constexpr (std::signed_integral<T>) {
    return MessagePack(std::int64_t{value});
  } else if constexpr (pack_detail::kIsBytes<T>) {
    return MessagePack(
        Binary{std::string(reinterpret_cast<const char*>(value.data()), value.size())});
  } else if constexpr (pack_detail::kIsOptional<T>) {
    return value ? pack(*value) : MessagePack();
  } else if constexpr (pack_detail::kIsVector<T>) {
    MessagePack::Array items;
    for (const auto& item : value) items.push_back(pack(item));
    return MessagePack(std::move(items));
  } else if constexpr (pack_detail::kIsMap<T>) {
    MessagePack::Map members;
    for (const auto& member : value) members.emplace_back(pack(member.first), pack(member.second));
    return MessagePack(std::move(members));
  } else {
    static_assert(pack_detail::Fielded<const T>, "this type has no fields()");
    MessagePack out{MessagePack::Map()};
    T::fields(value, pack_detail::Packer{out});
    return out;
  }
}

template <typename T>
Status unpack_to(const MessagePack& from, T& value) {
  if constexpr (std::is_same_v<T, MessagePack>) {
    value = from;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (from.boolean() == nullptr) return pack_detail::expected("true or false");
    value = *from.boolean();
  } else if constexpr (std::floating_point<T>) {
    ANIMA_ASSIGN(const double read, pack_detail::number(from));
    value = static_cast<T>(read);
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (from.text() == nullptr) return pack_detail::expected("a text");
    value = *from.text();
  } else if constexpr (std::is_same_v<T, Binary>) {
    if (from.binary() == nullptr) return pack_detail::expected("bytes");
    value = *from.binary();
  } else if constexpr (pack_detail::Named<T>) {
    ANIMA_ASSIGN(const std::uint64_t read, pack_detail::enum_value(from, enum_names(value)));
    value = static_cast<T>(read);
  } else if constexpr (std::is_enum_v<T>) {
    using Number = std::underlying_type_t<T>;
    ANIMA_ASSIGN(const std::uint64_t read,
                 pack_detail::natural_up_to(from, std::numeric_limits<Number>::max()));
    value = static_cast<T>(read);
  } else if constexpr (std::unsigned_integral<T>) {
    ANIMA_ASSIGN(const std::uint64_t read,
                 pack_detail::natural_up_to(from, std::numeric_limits<T>::max()));
    value = static_cast<T>(read);
  } else if constexpr (std::signed_integral<T>) {
    ANIMA_ASSIGN(const std::int64_t read,
                 pack_detail::integer_between(from, std::numeric_limits<T>::min(),
                                              std::numeric_limits<T>::max()));
    value = static_cast<T>(read);
  } else if constexpr (pack_detail::kIsBytes<T>) {
    ANIMA_ASSIGN(const std::string_view read, pack_detail::exact_bytes(from, value.size()));
    for (std::size_t i = 0; i < read.size(); ++i) value[i] = static_cast<std::uint8_t>(read[i]);
  } else if constexpr (pack_detail::kIsOptional<T>) {
    value.reset();
    if (!from.is_nil()) return unpack_to(from, value.emplace());
  } else if constexpr (pack_detail::kIsVector<T>) {
    if (from.array() == nullptr) return pack_detail::expected("a list");
    value.clear();
    for (const MessagePack& item : *from.array()) {
      if (Status read = unpack_to(item, value.emplace_back()); !read)
        return fail(pack_detail::below(std::move(read).error(), std::to_string(value.size() - 1)));
    }
  } else if constexpr (pack_detail::kIsMap<T>) {
    if (from.map() == nullptr) return pack_detail::expected("a map");
    value.clear();
    for (const auto& member : *from.map()) {
      typename T::key_type key{};
      ANIMA_TRY(unpack_to(member.first, key));
      ANIMA_TRY(unpack_to(member.second, value[std::move(key)]));
    }
  } else {
    static_assert(pack_detail::Fielded<T>, "this type has no fields()");
    if (from.map() == nullptr) return pack_detail::expected("a map of fields");
    pack_detail::Unpacker visit{from, {}};
    T::fields(value, visit);
    return visit.status;
  }
  return {};
}

template <typename T>
Result<T> unpack(const MessagePack& from) {
  T value{};
  ANIMA_TRY(unpack_to(from, value));
  return value;
}

template <typename T>
Result<T> unpack_bytes(std::string_view bytes) {
  ANIMA_ASSIGN(const MessagePack from, decode_message_pack(bytes));
  return unpack<T>(from);
}

}  // namespace anima
