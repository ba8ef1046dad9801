#include "cli/frame/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <limits>

#include "base/files/output_place.h"
#include "base/text/read_number.h"
#include "base/text/text.h"
#include "cli/frame/verb.h"

namespace anima::cli {
namespace {

using Texts = std::vector<std::string>;

// CLI11 takes a word in brackets for a list; a guard in front keeps it whole.
constexpr char kGuard = '\x01';

struct Spec {
  Texts names;  // "-f", "--format"; empty for a positional
  std::string value_name;
  std::string help;
  bool many = false;
  bool required = false;
  bool shared = false;
  bool output = false, input = false;  // a path of a file that is written, or read
  Texts choices;
  Texts excludes;
  std::function<Status(const Texts&)> store;
  Texts given;
  std::size_t times = 0;

  bool positional() const { return names.empty(); }
  bool flag() const { return !positional() && value_name.empty(); }
  const std::string& label() const { return positional() ? value_name : names.back(); }
  std::string usage() const {
    std::string text = fmt::format("{}", fmt::join(names, ", "));
    if (!value_name.empty()) text += (text.empty() ? "" : " ") + value_name;
    return many && positional() ? text + "..." : text;
  }
};

// "-f,--format FORM" -> names and value name.
Spec spec_of(std::string_view names, std::string_view help) {
  Spec spec;
  spec.help = help;
  const std::size_t blank = names.find(' ');
  if (blank != std::string_view::npos) spec.value_name = names.substr(blank + 1);
  for (const std::string_view name : split(names.substr(0, blank), ',')) {
    spec.names.emplace_back(name);
  }
  return spec;
}

template <typename Number>
Result<Number> to_number(const std::string& text, std::string_view wanted) {
  if (const auto value = read_number<Number>(text)) return *value;
  return fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" is not {}", text, wanted));
}

Status read_text(const std::string& text, std::string& out) {
  out = text;
  return {};
}
Status read_text(const std::string& text, std::int64_t& out) {
  ANIMA_ASSIGN(out, to_number<std::int64_t>(text, "a whole number"));
  return {};
}
Status read_text(const std::string& text, std::uint64_t& out) {
  ANIMA_ASSIGN(out, to_number<std::uint64_t>(text, "a whole number of 0 or more"));
  return {};
}
Status read_text(const std::string& text, double& out) {
  ANIMA_ASSIGN(out, to_number<double>(text, "a number"));
  return {};
}

// The last occurrence counts.
template <typename T>
std::function<Status(const Texts&)> store_in(T& value) {
  return [&value](const Texts& given) -> Status { return read_text(given.back(), value); };
}
template <typename T>
std::function<Status(const Texts&)> store_in(std::optional<T>& value) {
  return
      [&value](const Texts& given) -> Status { return read_text(given.back(), value.emplace()); };
}
std::function<Status(const Texts&)> store_in(Texts& values) {
  return [&values](const Texts& given) -> Status {
    values = given;
    return {};
  };
}

void append_section(std::string& text, const Context& context, std::string_view title,
                    const std::vector<const Spec*>& specs) {
  if (specs.empty()) return;
  text += '\n' + context.paint(Paint::kBold, title) + '\n';
  std::size_t width = 0;
  for (const Spec* spec : specs) width = std::max(width, display_width(spec->usage()));
  width = std::min<std::size_t>(width, 30);
  for (const Spec* spec : specs) {
    const std::string usage = spec->usage();
    const std::size_t used = display_width(usage);
    text += "  " + usage;
    text += used > width ? "\n" + std::string(width + 4, ' ') : std::string(width - used + 2, ' ');
    text += spec->help;
    if (!spec->choices.empty()) text += fmt::format(" ({})", fmt::join(spec->choices, ", "));
    text += '\n';
  }
}

}  // namespace

struct Options::State {
  std::vector<Spec> specs;
  std::string epilogue;
  bool reads_config = true;

  // What all verbs share.
  std::optional<std::string> space;
  std::string progress;
  std::string color;
  bool no_color = false;
  bool json = false;
  bool salvage = false;
  bool books = false;
  Texts settings;

  std::size_t add(Spec spec) {
    specs.push_back(std::move(spec));
    return specs.size() - 1;
  }

  void add_shared() {
    const auto shared = [&](std::string_view names, std::string_view help) -> Spec& {
      Spec spec = spec_of(names, help);
      spec.shared = true;
      return specs[add(std::move(spec))];
    };
    shared("--space DIR", "the folder of the space, or postgresql://user@host/database").store =
        store_in(space);
    shared("--json", "print the result as JSON").store = [this](const Texts&) -> Status {
      json = true;
      return {};
    };
    shared("--salvage", "read a damaged space up to its damage").store =
        [this](const Texts&) -> Status {
      salvage = true;
      return {};
    };
    shared("--books", "show Anima's own books too: goals, episodes, memories ..").store =
        [this](const Texts&) -> Status {
      books = true;
      return {};
    };
    Spec& bar = shared("--progress MODE", "how progress is shown");
    bar.store = store_in(progress);
    bar.choices = {"auto", "plain", "json", "none"};
    Spec& paint = shared("--color WHEN", "colour of results");
    paint.store = store_in(color);
    paint.choices = {"auto", "always", "never"};
    shared("--no-color", "the same as --color never").store = [this](const Texts&) -> Status {
      no_color = true;
      return {};
    };
    Spec& set = shared("--set KEY=VALUE", "a setting of the configuration, for this run");
    set.store = store_in(settings);
    set.many = true;
  }

  std::string help(const Context& context) const {
    const Verb& verb = *context.verb;
    std::string text = fmt::format("anima {}: {}\n\n{} anima {}{}{}\n", verb.name, verb.summary,
                                   context.paint(Paint::kBold, "Usage:"), verb.name,
                                   verb.usage.empty() ? "" : " ", verb.usage);
    std::vector<const Spec*> positionals;
    std::vector<const Spec*> own;
    std::vector<const Spec*> shared;
    for (const Spec& spec : specs) {
      (spec.shared ? shared : spec.positional() ? positionals : own).push_back(&spec);
    }
    append_section(text, context, "Arguments:", positionals);
    append_section(text, context, "Options:", own);
    append_section(text, context, "Options of every verb:", shared);
    if (!epilogue.empty()) text += '\n' + epilogue + '\n';
    text += '\n' + context.paint(Paint::kBold, "Example:") + '\n';
    for (const std::string_view line : split(verb.example, '\n'))
      text += fmt::format("  {}\n", line);
    return text;
  }

  void describe(std::vector<OptionInfo>& infos) const {
    for (const Spec& spec : specs) {
      if (spec.positional())
        infos.push_back({spec.value_name, spec.value_name, spec.help, spec.choices});
      for (const std::string& name : spec.names) {
        infos.push_back({name, spec.value_name, spec.help, spec.choices});
      }
    }
    infos.push_back({"--help", "", "explain this verb", {}});
  }

  void declare(CLI::App& app, Spec& spec) {
    const std::string names =
        spec.positional() ? spec.value_name : fmt::format("{}", fmt::join(spec.names, ","));
    if (spec.flag()) {
      app.add_flag_function(
          names, [&spec](std::int64_t count) { spec.times = static_cast<std::size_t>(count); });
      return;
    }
    CLI::Option* option = app.add_option(names, [&spec](const Texts& given) {
      spec.given = given;
      for (std::string& text : spec.given) text.erase(0, text.starts_with(kGuard) ? 1 : 0);
      spec.times = given.size();
      return true;
    });
    option->type_size(1);
    option->expected(1, spec.many ? std::numeric_limits<int>::max() / 2 : 1);
    if (spec.many) {
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    } else if (!spec.positional()) {
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
    // An option takes one word at each occurrence, never the words after it.
    option->allow_extra_args(spec.many && spec.positional());
  }

  struct Mistake {
    std::string message;
    std::string hint;
  };

  Mistake explain_extra(const std::string& extra) const {
    if (extra.size() < 2 || extra[0] != '-') {
      return {fmt::format("unexpected argument \"{}\"", extra), {}};
    }
    Texts names{"--help"};
    for (const Spec& spec : specs) names.insert(names.end(), spec.names.begin(), spec.names.end());
    const std::string name = extra.substr(0, extra.find('='));
    return {fmt::format("unknown option {}", name),
            did_you_mean(nearest_names(name, std::span<const std::string>(names)))};
  }

  // "--force=no" asks for the opposite of what the flag does.
  std::optional<Mistake> value_of_a_flag(Arguments arguments) const {
    for (const std::string& argument : arguments) {
      if (argument == "--") break;
      const std::size_t equals = argument.find('=');
      if (equals == std::string::npos || !argument.starts_with('-')) continue;
      const std::string name = argument.substr(0, equals);
      for (const Spec& spec : specs) {
        if (!spec.flag() || std::ranges::find(spec.names, name) == spec.names.end()) continue;
        return Mistake{fmt::format("{} takes no value", name),
                       "leave it out where it is not meant"};
      }
    }
    return std::nullopt;
  }

  std::optional<Mistake> read(Arguments arguments) {
    CLI::App app;
    app.set_help_flag("");
    for (Spec& spec : specs) declare(app, spec);
    if (auto mistake = value_of_a_flag(arguments)) return mistake;
    Texts reversed(arguments.rbegin(), arguments.rend());
    for (std::string& text : reversed) {
      if (text.starts_with('[')) text.insert(text.begin(), kGuard);
    }
    try {
      app.parse(std::move(reversed));
    } catch (const CLI::ExtrasError&) {
      const Texts extras = app.remaining();
      return explain_extra(extras.empty() ? "" : extras.front());
    } catch (const CLI::ParseError& error) {
      return Mistake{error.what(), {}};
    }
    return std::nullopt;
  }

  std::optional<Mistake> check(const Spec& spec) const {
    if (spec.required && spec.times == 0) {
      return Mistake{fmt::format("{} is missing", spec.label()), {}};
    }
    for (const std::string& text : spec.given) {
      if (spec.choices.empty() ||
          std::find(spec.choices.begin(), spec.choices.end(), text) != spec.choices.end()) {
        continue;
      }
      return Mistake{fmt::format("{} cannot be \"{}\"", spec.label(), text),
                     fmt::format("choose one of {}", fmt::join(spec.choices, ", "))};
    }
    for (const Spec& other : specs) {
      const bool clash = spec.times > 0 && other.times > 0 &&
                         std::find(spec.excludes.begin(), spec.excludes.end(), other.label()) !=
                             spec.excludes.end();
      if (clash) {
        return Mistake{fmt::format("{} and {} exclude each other", other.label(), spec.label()),
                       {}};
      }
    }
    return std::nullopt;
  }

  std::optional<Mistake> store_all() {
    for (const Spec& spec : specs) {
      if (auto mistake = check(spec)) return mistake;
    }
    for (const Spec& spec : specs) {
      if (spec.times == 0) continue;
      if (const Status status = spec.store(spec.given); !status) {
        return Mistake{fmt::format("{}: {}", spec.label(), status.error().message), {}};
      }
    }
    return std::nullopt;
  }

  // Before anything is done: what is written must not be what is kept, or read.
  Status check_outputs(const std::string& space) const {
    Texts inputs;
    for (const Spec& spec : specs)
      if (spec.input) inputs.insert(inputs.end(), spec.given.begin(), spec.given.end());
    for (const Spec& spec : specs) {
      if (!spec.output) continue;
      for (const std::string& path : spec.given)
        if (!path.empty() && path != "-") ANIMA_TRY(check_output_place(path, space, inputs));
    }
    return {};
  }

  void apply_to(Context& context) const {
    context.json = json;
    context.salvage = salvage;
    context.books = books;
    if (space) {
      context.space = *space;
      context.space_was_named = true;
    }
  }

  void apply_looks(Context& context) const {
    const std::string mode =
        !progress.empty() || !reads_config ? progress : context.config.text("cli.progress");
    context.progress = mode == "plain"  ? ProgressMode::kPlain
                       : mode == "json" ? ProgressMode::kJson
                       : mode == "none" ? ProgressMode::kNone
                                        : ProgressMode::kAuto;
    const std::string when = no_color         ? "never"
                             : !color.empty() ? color
                             : !reads_config  ? "auto"
                                              : context.config.text("cli.color");
    const auto variable = context.environment.find("NO_COLOR");
    const bool refused = variable != context.environment.end() && !variable->second.empty();
    context.color = when == "always" || (when == "auto" && !refused && context.out.is_terminal());
  }
};

Options::Option& Options::Option::required() {
  owner_.state_->specs[index_].required = true;
  return *this;
}

Options::Option& Options::Option::choices(std::vector<std::string> allowed) {
  owner_.state_->specs[index_].choices = std::move(allowed);
  return *this;
}

Options::Option& Options::Option::excludes(std::string_view other) {
  owner_.state_->specs[index_].excludes.emplace_back(other);
  return *this;
}

Options::Option& Options::Option::output() {
  owner_.state_->specs[index_].output = true;
  return *this;
}

Options::Option& Options::Option::input() {
  owner_.state_->specs[index_].input = true;
  return *this;
}

Options::Options() : state_(std::make_unique<State>()) {}
Options::~Options() = default;

namespace {

template <typename T>
Spec positional_spec(std::string_view name, T& value, std::string_view help) {
  Spec spec;
  spec.value_name = name;
  spec.help = help;
  spec.many = std::is_same_v<T, Texts>;
  spec.store = store_in(value);
  return spec;
}

template <typename T>
Spec value_spec(std::string_view names, T& value, std::string_view help) {
  Spec spec = spec_of(names, help);
  ANIMA_CHECK(!spec.value_name.empty());
  spec.store = store_in(value);
  return spec;
}

}  // namespace

Options::Option Options::positional(std::string_view name, std::string& value,
                                    std::string_view help) {
  return {*this, state_->add(positional_spec(name, value, help))};
}
Options::Option Options::positional(std::string_view name, std::optional<std::string>& value,
                                    std::string_view help) {
  return {*this, state_->add(positional_spec(name, value, help))};
}
Options::Option Options::positional(std::string_view name, std::vector<std::string>& values,
                                    std::string_view help) {
  return {*this, state_->add(positional_spec(name, values, help))};
}
Options::Option Options::value(std::string_view names, std::string& value, std::string_view help) {
  return {*this, state_->add(value_spec(names, value, help))};
}
Options::Option Options::value(std::string_view names, std::optional<std::string>& value,
                               std::string_view help) {
  return {*this, state_->add(value_spec(names, value, help))};
}
Options::Option Options::value(std::string_view names, std::int64_t& value, std::string_view help) {
  return {*this, state_->add(value_spec(names, value, help))};
}
Options::Option Options::value(std::string_view names, std::optional<std::int64_t>& value,
                               std::string_view help) {
  return {*this, state_->add(value_spec(names, value, help))};
}
Options::Option Options::value(std::string_view names, std::uint64_t& value,
                               std::string_view help) {
  return {*this, state_->add(value_spec(names, value, help))};
}
Options::Option Options::value(std::string_view names, double& value, std::string_view help) {
  return {*this, state_->add(value_spec(names, value, help))};
}

Options::Option Options::values(std::string_view names, std::vector<std::string>& values,
                                std::string_view help) {
  Spec spec = value_spec(names, values, help);
  spec.many = true;
  return {*this, state_->add(std::move(spec))};
}

Options::Option Options::flag(std::string_view names, bool& value, std::string_view help) {
  Spec spec = spec_of(names, help);
  ANIMA_CHECK(spec.value_name.empty());
  spec.store = [&value](const Texts&) -> Status {
    value = true;
    return {};
  };
  return {*this, state_->add(std::move(spec))};
}

void Options::epilogue(std::string_view text) { state_->epilogue = text; }
void Options::without_config() { state_->reads_config = false; }

std::optional<int> Options::parse(Context& context, Arguments arguments) {
  state_->add_shared();
  if (context.describe != nullptr) {
    state_->describe(*context.describe);
    return kDone;
  }
  const auto end_of_options = std::find(arguments.begin(), arguments.end(), "--");
  if (std::any_of(arguments.begin(), end_of_options,
                  [](const std::string& a) { return a == "--help" || a == "-h"; })) {
    state_->apply_looks(context);
    context.print(state_->help(context));
    return kDone;
  }
  auto mistake = state_->read(arguments);
  if (!mistake) mistake = state_->store_all();
  if (mistake) return context.usage_error(mistake->message, mistake->hint);
  state_->apply_to(context);
  if (const Status found = context.find_space(); !found) return context.fail(found.error());
  const bool passes_on = context.verb != nullptr && context.verb->name == "as-of";
  if (context.books && context.verb != nullptr && !context.verb->past && !passes_on) {
    return context.usage_error("this verb does not show Anima's own books", "leave out --books");
  }
  if (state_->reads_config) {
    if (const Status status = context.load_config(state_->settings, false); !status) {
      return context.fail(status.error());
    }
  }
  state_->apply_looks(context);
  if (const Status places = state_->check_outputs(context.space); !places)
    return context.fail(places.error());
  return std::nullopt;
}

}  // namespace anima::cli
