#include "cli/frame/left_lines.h"

#include "agent/conversation/unlearnt_lines.h"
#include "agent/telling/space_asker.h"
#include "base/random.h"
#include "cli/frame/access.h"
#include "store/act.h"

namespace anima::cli {
namespace {

Status learn_left(Context& context, agent::GovernedHouse& house,
                  const std::shared_ptr<store::Space>& space) {
  SystemRandom random;
  agent::UnlearntLines lines(house.space(), random);
  ANIMA_ASSIGN(const auto left, lines.all());
  if (left.empty()) return {};
  const store::ActScope act("learning", store::ActKind::kOwn);
  ANIMA_ASSIGN(const auto asker, agent::SpaceAsker::open(space, context.files));
  ANIMA_ASSIGN(const auto learnt,
               agent::learn_left_lines(house, *asker, lines, local_origin(context, "anima chat")));
  for (const agent::LearntFact& each : learnt) {
    if (each.kept) context.note("learnt of what was said before: " + each.fact.text);
  }
  return {};
}

}  // namespace

void learn_what_was_left(Context& context, agent::GovernedHouse& house,
                         const std::shared_ptr<store::Space>& space) {
  if (const Status learnt = learn_left(context, house, space); !learnt)
    context.warn("what was said before is not learnt from yet: " + learnt.error().describe());
}

}  // namespace anima::cli
