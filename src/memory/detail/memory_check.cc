#include "memory/detail/memory_check.h"

#include "base/text/white_space.h"
#include "memory/detail/audience.h"

namespace anima::memory::detail {

using govern::Trust;

Status check_memory(const NewMemory& memory) {
  if (is_only_white_space(memory.content))
    return fail(ErrorCode::kInvalidArgument, "there is nothing to remember: the text is blank");
  if (!(memory.confidence >= 0 && memory.confidence <= 1))
    return fail(ErrorCode::kInvalidArgument, "a confidence is between 0 and 1");
  if (memory.kind == ItemKind::kSession && memory.session.empty())
    return fail(ErrorCode::kInvalidArgument, "a session item names its session");
  return check_audience({memory.partition, memory.readers});
}

std::string reason_to_quarantine(const govern::Guardian& guardian, const NewMemory& memory) {
  if (memory.trust <= Trust::kUntrusted) {
    if (memory.type == ItemType::kDecision) return "an untrusted source decides nothing";
    if (memory.partition == Partition::kSensitive)
      return "an untrusted source writes nothing sensitive";
  }
  if (govern::at_least(memory.trust, Trust::kOperator)) return {};
  const govern::Assessment assessment = guardian.assess(memory.content, memory.trust);
  for (const govern::Finding& finding : assessment.findings) {
    for (const govern::Pattern& pattern : guardian.patterns().patterns()) {
      if (pattern.id == finding.id && !pattern.weak && !(memory.told && pattern.spelling))
        return "the content matches the injection pattern " + finding.id + " (" + finding.family +
               ")";
    }
  }
  return {};
}

std::string trust_that_keeps(const govern::Guardian& guardian, NewMemory memory) {
  for (const Trust trust : {Trust::kStandard, Trust::kVerified}) {
    memory.trust = trust;
    if (reason_to_quarantine(guardian, memory).empty())
      return "a source of at least " + std::string(govern::trust_name(trust)) + " trust";
  }
  return "a source of at least operator trust";
}

}  // namespace anima::memory::detail
