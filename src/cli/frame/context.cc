#include "cli/frame/context.h"

#include <fmt/format.h>

#include <array>

#include "base/log.h"
#include "base/text/byte_order_mark.h"
#include "base/text/valid_text.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/settings.h"
#include "cli/frame/verb.h"
#include "store/space_place.h"
#include "tools/external.h"

namespace anima::cli {
namespace {

// Variables with a meaning of their own, which are no settings.
constexpr std::array<std::string_view, 4> kReservedVariables{"ANIMA_SPACE", "ANIMA_TEST_FULL",
                                                             "ANIMA_BENCH", "ANIMA_SOURCE_DIR"};

std::string_view escape_of(Paint paint) {
  switch (paint) {
    case Paint::kBold:
      return "\x1b[1m";
    case Paint::kDim:
      return "\x1b[2m";
    case Paint::kRed:
      return "\x1b[31m";
    case Paint::kGreen:
      return "\x1b[32m";
    case Paint::kYellow:
      return "\x1b[33m";
    case Paint::kCyan:
      return "\x1b[36m";
  }
  return "";
}

std::string speaker(const Verb* verb) {
  return verb == nullptr ? "anima" : fmt::format("anima {}", verb->name);
}

}  // namespace

Context::Context(Stream& standard_output, Stream& standard_error, FileSystem& file_system,
                 Environment variables)
    : out(standard_output),
      err(standard_error),
      files(file_system),
      environment(std::move(variables)),
      config(settings()) {
  const auto named = environment.find("ANIMA_SPACE");
  space = named != environment.end() && !named->second.empty()
              ? named->second
              : join_path(user_directories(environment).data, "default");
}

// An argument, a name of a file or an older log can hold bytes that are no text, JSON cannot.
void Context::print_json(const Json& value) {
  out.write(valid_text(value.dump(out.is_terminal() ? 2 : 0)));
  out.write("\n");
}

void Context::note(std::string_view message) {
  err.write(fmt::format("{}: {}\n", speaker(verb), message));
}

void Context::warn(std::string_view message) {
  err.write(fmt::format("{}: warning: {}\n", speaker(verb), message));
}

int Context::fail(const Error& failed) {
  Error error = failed;
  if (!cannot_write.empty() && error.message == store::kOpenedReadOnly)
    error.message = "the space cannot be written: " + cannot_write;
  out.flush();
  err.write(fmt::format("{}: error: {}\n", speaker(verb), error.describe()));
  if (json) print_json(Json::object({{"error", error_json(error)}}));
  return exit_code_for(error);
}

int Context::usage_error(std::string_view message, std::string_view hint) {
  const Error error{ErrorCode::kInvalidArgument, std::string(message), {}, std::string(hint)};
  fail(error);
  const std::string_view name = verb == nullptr ? std::string_view() : verb->name;
  err.write(fmt::format("Try: anima {}{}--help\n", name, name.empty() ? "" : " "));
  return kUsage;
}

std::string Context::paint(Paint paint, std::string_view text) const {
  return color ? fmt::format("{}{}\x1b[0m", escape_of(paint), text) : std::string(text);
}

Result<std::string> Context::read_input(const std::string& path, std::uint64_t max_bytes) {
  Result<std::string> text =
      path == "-" ? read_standard_input(max_bytes) : read_file(files, path, max_bytes);
  if (text) text->erase(0, text->size() - without_byte_order_mark(*text).size());
  return text;
}

std::vector<std::string> Context::config_files() const {
  return anima::config_files(environment, space);
}

Status Context::find_space() {
  const auto folder = store::space_folder(space, user_directories(environment).data);
  // What could not be read may hold a password.
  space = folder.value_or(std::string());
  return folder ? Status() : anima::fail(folder.error());
}

Result<Config> Context::read_config() const {
  Config read(settings());
  for (const std::string& path : config_files()) ANIMA_TRY(read.add_file(files, path));
  read.add_environment(environment, kReservedVariables);
  for (const std::string& setting : given_settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      return anima::fail(ErrorCode::kInvalidArgument,
                         fmt::format("--set wants KEY=VALUE, not \"{}\"", setting));
    }
    ANIMA_TRY(read.set(setting.substr(0, equals), setting.substr(equals + 1), "flag --set"));
  }
  return read;
}

Status Context::load_config(const std::vector<std::string>& settings_given, bool quiet) {
  given_settings = settings_given;
  ANIMA_ASSIGN(config, read_config());
  for (const Error& problem : config.problems()) {
    if (!quiet) warn(problem.describe());
  }
  ANIMA_ASSIGN(const LogLevel level, parse_log_level(config.text("log.level")));
  set_log_level(level);
  return {};
}

Json error_json(const Error& error) {
  const std::string_view approval = tools::approval_in(error.message);
  Json json =
      Json::object({{"code", approval.empty() ? to_string(error.code) : tools::kWaitingCode},
                    {"message", error.message}});
  if (!approval.empty()) json.set("approval", approval);
  if (!error.where.empty()) json.set("where", error.where);
  if (!error.hint.empty()) json.set("hint", error.hint);
  return json;
}

}  // namespace anima::cli
