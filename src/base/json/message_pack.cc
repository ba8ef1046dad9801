#include "base/json/message_pack.h"

#include <algorithm>
#include <bit>

namespace anima {
namespace {

void big_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    out.push_back(static_cast<char>(value >> shift));
}

void tagged(std::string& out, unsigned tag, std::uint64_t value, int bytes) {
  out.push_back(static_cast<char>(tag));
  big_endian(out, value, bytes);
}

void encode_natural(std::string& out, std::uint64_t value) {
  if (value < 0x80) return out.push_back(static_cast<char>(value));
  if (value <= 0xff) return tagged(out, 0xcc, value, 1);
  if (value <= 0xffff) return tagged(out, 0xcd, value, 2);
  if (value <= 0xffffffff) return tagged(out, 0xce, value, 4);
  tagged(out, 0xcf, value, 8);
}

void encode_negative(std::string& out, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  if (value >= -32) return out.push_back(static_cast<char>(bits));
  if (value >= INT8_MIN) return tagged(out, 0xd0, bits & 0xff, 1);
  if (value >= INT16_MIN) return tagged(out, 0xd1, bits & 0xffff, 2);
  if (value >= INT32_MIN) return tagged(out, 0xd2, bits & 0xffffffff, 4);
  tagged(out, 0xd3, bits, 8);
}

// The head of a text, array or map: in the tag while it fits, else in 1 (texts alone), 2 or 4
// bytes, whose tags stand next to each other.
void encode_length(std::string& out, std::size_t size, unsigned fixed, std::size_t fits,
                   unsigned tag, bool has_byte_form) {
  if (size < fits) return out.push_back(static_cast<char>(fixed | size));
  if (has_byte_form && size <= 0xff) return tagged(out, tag, size, 1);
  if (size <= 0xffff) return tagged(out, tag + (has_byte_form ? 1U : 0U), size, 2);
  tagged(out, tag + (has_byte_form ? 2U : 1U), size, 4);
}

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : bytes_(bytes) {}

  Result<MessagePack> whole() {
    ANIMA_ASSIGN(MessagePack value, one(0));
    if (at_ != bytes_.size()) return wrong("bytes follow the value");
    return value;
  }

 private:
  Unexpected<Error> wrong(std::string what) const {
    return fail(ErrorCode::kSyntax, "this is no MessagePack: " + std::move(what),
                "byte " + std::to_string(at_));
  }

  Result<std::uint64_t> number(std::size_t size) {
    if (bytes_.size() - at_ < size) return wrong("it ends too early");
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value = value << 8 | static_cast<std::uint8_t>(bytes_[at_++]);
    return value;
  }

  Result<std::string> raw(std::uint64_t size) {
    if (bytes_.size() - at_ < size) return wrong("it ends too early");
    std::string out(bytes_.substr(at_, size));
    at_ += size;
    return out;
  }

  Result<MessagePack> text(std::uint64_t size) {
    ANIMA_ASSIGN(std::string out, raw(size));
    return MessagePack(std::move(out));
  }

  Result<MessagePack> binary(std::uint64_t size) {
    ANIMA_ASSIGN(std::string out, raw(size));
    return MessagePack(Binary{std::move(out)});
  }

  Result<MessagePack> array(std::uint64_t count, std::size_t depth) {
    if (count > bytes_.size() - at_) return wrong("it ends too early");
    MessagePack::Array items;
    items.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      ANIMA_ASSIGN(MessagePack item, one(depth + 1));
      items.push_back(std::move(item));
    }
    return MessagePack(std::move(items));
  }

  Result<MessagePack> map(std::uint64_t count, std::size_t depth) {
    if (count > (bytes_.size() - at_) / 2) return wrong("it ends too early");
    MessagePack::Map members;
    members.reserve(count);
    std::vector<std::string> keys;
    for (std::uint64_t i = 0; i < count; ++i) {
      ANIMA_ASSIGN(MessagePack key, one(depth + 1));
      keys.push_back(key.encode());
      ANIMA_ASSIGN(MessagePack value, one(depth + 1));
      members.emplace_back(std::move(key), std::move(value));
    }
    std::sort(keys.begin(), keys.end());
    if (std::adjacent_find(keys.begin(), keys.end()) != keys.end())
      return wrong("a map has a key twice");
    return MessagePack(std::move(members));
  }

  Result<MessagePack> natural(std::size_t size) {
    ANIMA_ASSIGN(const std::uint64_t value, number(size));
    return MessagePack(value);
  }

  Result<MessagePack> integer(std::size_t size) {
    ANIMA_ASSIGN(const std::uint64_t value, number(size));
    const unsigned unused = static_cast<unsigned>(64 - 8 * size);
    return MessagePack(static_cast<std::int64_t>(value << unused) >> unused);
  }

  Result<MessagePack> sized(Result<MessagePack> (Decoder::*make)(std::uint64_t), std::size_t size) {
    ANIMA_ASSIGN(const std::uint64_t length, number(size));
    return (this->*make)(length);
  }

  Result<MessagePack> sized(Result<MessagePack> (Decoder::*make)(std::uint64_t, std::size_t),
                            std::size_t size, std::size_t depth) {
    ANIMA_ASSIGN(const std::uint64_t length, number(size));
    return (this->*make)(length, depth);
  }

  Result<MessagePack> one(std::size_t depth) {
    if (depth > kMaxMessagePackDepth) return wrong("it is nested too deep");
    if (at_ == bytes_.size()) return wrong("it ends too early");
    const auto tag = static_cast<std::uint8_t>(bytes_[at_++]);
    if (tag < 0x80) return MessagePack(std::uint64_t{tag});
    if (tag < 0x90) return map(tag & 0x0f, depth);
    if (tag < 0xa0) return array(tag & 0x0f, depth);
    if (tag < 0xc0) return text(tag & 0x1f);
    if (tag >= 0xe0) return MessagePack(std::int64_t{static_cast<std::int8_t>(tag)});
    return long_form(tag, depth);
  }

  Result<MessagePack> long_form(std::uint8_t tag, std::size_t depth) {
    switch (tag) {
      case 0xc0:
        return MessagePack();
      case 0xc2:
      case 0xc3:
        return MessagePack(tag == 0xc3);
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return sized(&Decoder::binary, std::size_t{1} << (tag - 0xc4));
      case 0xca: {
        ANIMA_ASSIGN(const std::uint64_t bits, number(4));
        return MessagePack(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
      }
      case 0xcb: {
        ANIMA_ASSIGN(const std::uint64_t bits, number(8));
        return MessagePack(std::bit_cast<double>(bits));
      }
      case 0xcc:
      case 0xcd:
      case 0xce:
      case 0xcf:
        return natural(std::size_t{1} << (tag - 0xcc));
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3:
        return integer(std::size_t{1} << (tag - 0xd0));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return sized(&Decoder::text, std::size_t{1} << (tag - 0xd9));
      case 0xdc:
      case 0xdd:
        return sized(&Decoder::array, std::size_t{2} << (tag - 0xdc), depth);
      case 0xde:
      case 0xdf:
        return sized(&Decoder::map, std::size_t{2} << (tag - 0xde), depth);
      case 0xc1:
        return wrong("the byte 0xc1 means nothing");
      default:
        return fail(ErrorCode::kUnsupported, "an extension of MessagePack is not read here",
                    "byte " + std::to_string(at_ - 1));
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace

const MessagePack* MessagePack::find(std::string_view key) const {
  const Map* members = map();
  if (members == nullptr) return nullptr;
  for (const auto& member : *members) {
    const std::string* name = member.first.text();
    if (name != nullptr && *name == key) return &member.second;
  }
  return nullptr;
}

MessagePack& MessagePack::set(std::string_view key, MessagePack value) {
  if (map() == nullptr) value_ = Map();
  std::get<Map>(value_).emplace_back(MessagePack(key), std::move(value));
  return *this;
}

void MessagePack::push_back(MessagePack value) {
  if (array() == nullptr) value_ = Array();
  std::get<Array>(value_).push_back(std::move(value));
}

std::string MessagePack::encode() const {
  std::string out;
  encode_to(out);
  return out;
}

void MessagePack::encode_to(std::string& out) const {
  switch (kind()) {
    case Kind::kNil:
      return out.push_back(static_cast<char>(0xc0));
    case Kind::kBool:
      return out.push_back(static_cast<char>(*boolean() ? 0xc3 : 0xc2));
    case Kind::kUnsigned:
      return encode_natural(out, *natural());
    case Kind::kNegative:
      return encode_negative(out, *negative());
    case Kind::kFloat32:
      return tagged(out, 0xca, std::bit_cast<std::uint32_t>(*float32()), 4);
    case Kind::kFloat64:
      return tagged(out, 0xcb, std::bit_cast<std::uint64_t>(*float64()), 8);
    case Kind::kText:
      encode_length(out, text()->size(), 0xa0, 32, 0xd9, true);
      out += *text();
      return;
    case Kind::kBinary:
      encode_length(out, binary()->bytes.size(), 0, 0, 0xc4, true);
      out += binary()->bytes;
      return;
    case Kind::kArray:
      encode_length(out, array()->size(), 0x90, 16, 0xdc, false);
      for (const MessagePack& item : *array()) item.encode_to(out);
      return;
    case Kind::kMap:
      encode_length(out, map()->size(), 0x80, 16, 0xde, false);
      for (const auto& member : *map()) {
        member.first.encode_to(out);
        member.second.encode_to(out);
      }
  }
}

Result<MessagePack> decode_message_pack(std::string_view bytes) { return Decoder(bytes).whole(); }

}  // namespace anima
