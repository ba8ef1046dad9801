// Any bytes as what is said and asked: turns are kept or counted, a prompt keeps its budget, its
// fences and its order, and reading the same again writes nothing.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/text/text.h"
#include "memory/ingest.h"
#include "memory/recall/recall_context.h"

namespace {

using namespace anima;

const govern::Guardian& guardian() {
  static const govern::Guardian kGuardian(govern::PatternSet::shipped().value());
  return kGuardian;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 2'048) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t middle = size / 2;
  const auto space = store::Space::in_memory().value();
  ManualClock clock(Timestamp{1'767'225'600'000'000});
  SeededRandom random(9);
  bus::EventBus events;
  govern::Ledger ledger(*space, clock, random);
  memory::MemoryManager manager(*space, ledger, guardian(), events, clock, random);
  std::vector<memory::Turn> turns;
  for (const std::string_view line : split(bytes.substr(0, middle), '\n')) {
    memory::Turn turn;
    turn.session = "s" + std::to_string(line.size() % 3);
    turn.id = std::to_string(turns.size());
    turn.speaker = std::string(beginning_of(line, 4));
    turn.text = std::string(line);
    turn.time = Timestamp{static_cast<std::int64_t>(line.size()) * 100'000'000'000};
    turns.push_back(std::move(turn));
  }
  const memory::IngestOptions options;
  const auto first = memory::ingest_turns(manager, *space, guardian(), turns, options);
  if (!first) std::abort();
  if (first->turns + first->known + first->repeated + first->empty + first->quarantined !=
      turns.size())
    std::abort();
  const std::string_view question = bytes.substr(middle);
  const auto now = space->snapshot().value();
  const auto context = memory::recall_context(manager, now, question, {.budget_tokens = 200});
  if (!context) return 0;
  if (context->tokens() > 200) std::abort();
  for (const std::string_view line : split(context->text, '\n')) {
    const bool ours = line.starts_with("[[" + context->fence) || line.starts_with("What follows") ||
                      line.starts_with("On ") || line.starts_with("(cut: ");
    if (!line.empty() && !ours && !line.starts_with("| ")) std::abort();
  }
  const auto again = memory::ingest_turns(manager, *space, guardian(), turns, options);
  if (!again || again->turns != 0) std::abort();
  return 0;
}
