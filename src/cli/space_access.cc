#include "cli/space_access.h"

#include <charconv>

#include "cli/interrupt.h"

namespace anima::cli {
namespace {

using store::EntityId;
using store::EntityKind;
using store::Sequence;
using store::Snapshot;

bool parse_number(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

tl::unexpected<Error> ambiguous(const std::vector<EntityId>& found, std::string_view text) {
  std::string hint = "say which: ";
  for (std::size_t i = 0; i < found.size() && i < 8; ++i) {
    hint += (i == 0 ? "" : ", ") + ("C:" + std::to_string(static_cast<std::uint32_t>(found[i])));
  }
  if (found.size() > 8) hint += ", ...";
  return anima::fail(ErrorCode::kInvalidArgument,
                     std::to_string(found.size()) + " entities have this name", std::string(text),
                     std::move(hint));
}

}  // namespace

Result<std::shared_ptr<store::Space>> open_space(Context& context, Access access) {
  if (!context.as_of.empty() && access != Access::kRead) {
    return anima::fail(ErrorCode::kDenied, "the past cannot be changed", {}, "leave out `as-of`");
  }
  if (context.salvage && access != Access::kRead) {
    return anima::fail(ErrorCode::kDenied, "what is salvaged can only be read", {},
                       "`anima --salvage backup FILE`, then restore it into another folder");
  }
  store::SpaceOptions options;
  options.salvage = context.salvage;
  options.files = &context.files;
  options.create = access == Access::kCreate;
  options.read_only = access == Access::kRead;
  options.stop = &interrupt_flag();
  if (access == Access::kCheckpoint) options.checkpoint_after_rows = 0;
  if (context.config.find("store.max_log_bytes") != nullptr) {
    const std::int64_t quota = context.config.integer("store.max_log_bytes");
    if (quota > 0) options.max_log_bytes = static_cast<std::uint64_t>(quota);
  }
  auto space = store::Space::open(context.space, options);
  if (space) {
    for (const std::string& note : (*space)->notes()) context.warn(note);
  }
  return space;
}

std::string open_to_others(FileSystem& files, const std::string& space) {
  const auto info = files.info(space);
  if (!info || (info->permissions & 077) == 0) return {};
  return "other accounts of this machine can enter " + space + ": chmod 700, unless you share it";
}

Result<Snapshot> space_snapshot(const Context& context, store::Space& space) {
  ANIMA_ASSIGN(Snapshot now, space.snapshot());
  if (context.books) now = now.with_books();
  if (context.as_of.empty()) return now;
  std::uint64_t number = 0;
  if (parse_number(context.as_of, number)) return now.as_of(Sequence{number});
  ANIMA_ASSIGN(const Timestamp time, parse_timestamp(context.as_of));
  return now.as_of(time);
}

store::Origin local_origin(const Context& context, std::string_view source) {
  store::Origin origin;
  const auto user = context.environment.find("USER");
  if (user != context.environment.end() && !user->second.empty()) origin.author = user->second;
  origin.source = source;
  origin.trust = store::Trust::kOperator;
  return origin;
}

Result<EntityId> find_entity(const Snapshot& snapshot, std::string_view text) {
  std::string_view digits = text;
  for (const std::string_view prefix : {"C:", "P:", "sym:"}) {
    if (digits.starts_with(prefix)) {
      digits.remove_prefix(prefix.size());
      break;
    }
  }
  std::uint64_t number = 0;
  if (parse_number(digits, number)) {
    if (number > 0 && number < snapshot.entity_bound()) {
      const EntityId entity{static_cast<std::uint32_t>(number)};
      if (snapshot.kind(entity) != EntityKind::kNone) return entity;
    }
    if (digits.size() != text.size()) {
      return anima::fail(ErrorCode::kNotFound, "there is no such entity", std::string(text));
    }
  }
  std::vector<EntityId> found = snapshot.concepts_named(text);
  if (found.empty()) found = snapshot.concepts_labelled(text);
  if (found.empty()) {
    return anima::fail(ErrorCode::kNotFound, "there is no such entity", std::string(text));
  }
  if (found.size() > 1) return ambiguous(found, text);
  return found.front();
}

Result<Sequence> parse_sequence(std::string_view text) {
  std::uint64_t number = 0;
  if (!parse_number(text, number) || number == 0) {
    return anima::fail(ErrorCode::kInvalidArgument, "this is no number of a log entry",
                       std::string(text));
  }
  return Sequence{number};
}

}  // namespace anima::cli
