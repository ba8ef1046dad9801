// The guardian that the settings `guard.*` describe. Thread-safety: one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/context.h"
#include "govern/guardian.h"
#include "govern/pattern_set.h"
#include "govern/text_model.h"

namespace anima::cli {

using SharedModel = std::shared_ptr<const govern::TextModel>;

// "off" (null), "on" (the shipped model) or a file of `anima guard train`.
Result<SharedModel> make_model(Context& context, const std::string& name);

inline constexpr const char* kModelHelp =
    "the second stage: off (default), on (the shipped model), or a file that `anima guard train` "
    "made";

// With the shipped patterns where there is no file.
Result<govern::Guardian> make_guardian(Context& context,
                                       const std::optional<std::string>& pattern_file,
                                       const std::string& model_name = "off");

// What the settings name: guard.model, guard.patterns.
Result<SharedModel> model_in_use(Context& context);
Result<govern::PatternSet> patterns_in_use(Context& context);

}  // namespace anima::cli
