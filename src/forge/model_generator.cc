#include "base/packs.h"
#include "base/text/text.h"
#include "forge/generator.h"
#include "forge/safety.h"

namespace anima::forge {
namespace {

constexpr std::string_view kPrompt = "packs/forge/prompt.txt";

std::string request_text(const Need& need, const std::optional<Feedback>& feedback) {
  std::string text = "The tool that is needed:\n" + need.to_json().dump(2) + "\n";
  if (!feedback) return text;
  return text + "\nYour version before was refused:\n" + feedback->violations +
         "\nThat version was:\n```cpp\n" + feedback->source +
         "\n```\nWrite the whole file again without these faults.\n";
}

class ModelGenerator final : public Generator {
 public:
  ModelGenerator(llm::Model& model, std::stop_token stop) : model_(model), stop_(std::move(stop)) {}

  Result<ToolSource> propose(const Need& need, const std::optional<Feedback>& feedback) override {
    llm::Request request;
    request.messages = {
        llm::system_message(std::string(pack_file(kPrompt).value_or("")) + "\n```cpp\n" +
                            std::string(pack_file(kToolInterface).value_or("")) + "```\n"),
        llm::user_message(request_text(need, feedback))};
    llm::CallOptions options;
    options.stop = stop_;
    ANIMA_ASSIGN(const llm::Reply reply, model_.complete(request, options));
    if (reply.stop == llm::StopReason::kRefused)
      return fail(ErrorCode::kDenied, "the model declines", model_.config().name);
    return ToolSource{source_in_answer(llm::text_of(reply.message)), need.purpose,
                      "model " + model_.config().name};
  }

 private:
  llm::Model& model_;
  std::stop_token stop_;
};

}  // namespace

std::unique_ptr<Generator> make_model_generator(llm::Model& model, std::stop_token stop) {
  return std::make_unique<ModelGenerator>(model, std::move(stop));
}

std::string source_in_answer(std::string_view answer) {
  constexpr std::string_view kFence = "```";
  const std::size_t open = answer.find(kFence);
  if (open == std::string_view::npos) return std::string(answer);
  const std::size_t begin = answer.find('\n', open);
  if (begin == std::string_view::npos) return std::string(answer);
  const std::size_t close = answer.find(kFence, begin);
  return std::string(
      answer.substr(begin + 1, close == std::string_view::npos ? close : close - begin - 1));
}

}  // namespace anima::forge
