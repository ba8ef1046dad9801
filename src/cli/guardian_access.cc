#include "cli/guardian_access.h"

namespace anima::cli {

Result<SharedModel> make_model(Context& context, const std::string& name) {
  if (name == "off") return SharedModel();
  auto model = govern::TextModel::shipped();
  if (name != "on") {
    ANIMA_ASSIGN(const std::string bytes, context.read_input(name));
    model = govern::TextModel::load(bytes, name);
  }
  if (!model) return fail(model.error());
  return std::make_shared<const govern::TextModel>(*std::move(model));
}

Result<govern::Guardian> make_guardian(Context& context,
                                       const std::optional<std::string>& pattern_file,
                                       const std::string& model_name) {
  ANIMA_ASSIGN(SharedModel model, make_model(context, model_name));
  if (!pattern_file) {
    ANIMA_ASSIGN(auto patterns, govern::PatternSet::shipped());
    return govern::Guardian(std::move(patterns), std::move(model));
  }
  ANIMA_ASSIGN(const std::string text, context.read_input(*pattern_file));
  ANIMA_ASSIGN(auto patterns, govern::PatternSet::load(text, *pattern_file));
  return govern::Guardian(std::move(patterns), std::move(model));
}

Result<SharedModel> model_in_use(Context& context) {
  return make_model(context, context.config.text("guard.model"));
}

Result<govern::PatternSet> patterns_in_use(Context& context) {
  const std::string path = context.config.text("guard.patterns");
  if (path.empty()) return govern::PatternSet::shipped();
  ANIMA_ASSIGN(const std::string text, context.read_input(path));
  return govern::PatternSet::load(text, path);
}

}  // namespace anima::cli
