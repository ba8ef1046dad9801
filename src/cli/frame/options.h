// The options of one verb: declared, parsed, explained by --help, listed for completion. CLI11 is
// behind this door.
//
// Every verb also takes the options that all share: --space, --json, --progress, --color,
// --no-color, --set, --help. The variables given must outlive parse(); they keep their value when
// the option does not occur. Thread-safety: belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/verb.h"

namespace anima::cli {

class Options {
 public:
  // What can be said about an option after declaring it.
  class Option {
   public:
    Option& required();
    Option& choices(std::vector<std::string> allowed);
    // This option cannot be given together with that one, which was declared before.
    Option& excludes(std::string_view other);
    // Its value is the path of a file that the verb writes: parse() refuses one that lies in a
    // space, or that an input is (base/files/output_place.h). "-" is no path.
    Option& output();
    // Its value is the path of a file that the verb reads.
    Option& input();

   private:
    friend class Options;
    Option(Options& owner, std::size_t index) : owner_(owner), index_(index) {}
    Options& owner_;
    std::size_t index_;
  };

  Options();
  ~Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  // `name` is "NAME" for help.
  Option positional(std::string_view name, std::string& value, std::string_view help);
  Option positional(std::string_view name, std::optional<std::string>& value,
                    std::string_view help);
  Option positional(std::string_view name, std::vector<std::string>& values, std::string_view help);
  // `names` is "--long VALUE" or "-s,--long VALUE".
  Option value(std::string_view names, std::string& value, std::string_view help);
  Option value(std::string_view names, std::optional<std::string>& value, std::string_view help);
  Option value(std::string_view names, std::int64_t& value, std::string_view help);
  Option value(std::string_view names, std::optional<std::int64_t>& value, std::string_view help);
  Option value(std::string_view names, std::uint64_t& value, std::string_view help);
  Option value(std::string_view names, double& value, std::string_view help);
  // Each occurrence adds one.
  Option values(std::string_view names, std::vector<std::string>& values, std::string_view help);
  Option flag(std::string_view names, bool& value, std::string_view help);
  // Text of the verb's own that --help shows below the options.
  void epilogue(std::string_view text);
  // The configuration is not read: for verbs that must work with a broken one.
  void without_config();

  // Fills the variables and the context. Returns the exit code when there is nothing left to do:
  // --help was printed, the command line is wrong, the configuration cannot be read, or only the
  // options were asked for.
  std::optional<int> parse(Context& context, Arguments arguments);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace anima::cli
