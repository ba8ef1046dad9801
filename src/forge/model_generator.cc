#include "base/json/json.h"
#include "base/packs.h"
#include "base/text/text.h"
#include "forge/compiler.h"
#include "forge/generator.h"

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

// What stands between fences.
std::vector<std::string_view> blocks_of(std::string_view text) {
  constexpr std::string_view kFence = "```";
  std::vector<std::string_view> blocks;
  while (true) {
    const std::size_t open = text.find(kFence);
    const std::size_t begin = open == std::string_view::npos ? open : text.find('\n', open);
    if (begin == std::string_view::npos) return blocks;
    const std::size_t close = text.find(kFence, begin);
    blocks.push_back(
        text.substr(begin + 1, close == std::string_view::npos ? close : close - begin - 1));
    if (close == std::string_view::npos) return blocks;
    text.remove_prefix(close + kFence.size());
  }
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
    ANIMA_ASSIGN(ToolSource proposal, proposal_in_answer(llm::text_of(reply.message)));
    proposal.description = need.purpose;
    proposal.made_by = "model " + model_.config().name;
    return proposal;
  }

 private:
  llm::Model& model_;
  std::stop_token stop_;
};

}  // namespace

std::unique_ptr<Generator> make_model_generator(llm::Model& model, std::stop_token stop) {
  return std::make_unique<ModelGenerator>(model, std::move(stop));
}

Result<ToolSource> proposal_in_answer(std::string_view answer) {
  ToolSource proposal;
  const std::vector<std::string_view> blocks = blocks_of(answer);
  proposal.source = std::string(blocks.empty() ? answer : blocks[0]);
  if (blocks.size() < 2) return proposal;
  ANIMA_ASSIGN(const Json json, parse_json(blocks[1], {.max_depth = 8}));
  ANIMA_ASSIGN(proposal.examples, examples_from_json(json));
  return proposal;
}

}  // namespace anima::forge
