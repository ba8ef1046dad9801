// The list of all verbs. A new one is a file verb_<name>.cc and one row here.
#include "cli/frame/verb.h"

#define ANIMA_VERBS(VERB)      \
  VERB(kInit)                  \
  VERB(kKip)                   \
  VERB(kKipFmt)                \
  VERB(kSparql)                \
  VERB(kMcp)                   \
  VERB(kMcpAdd)                \
  VERB(kMcpList)               \
  VERB(kMcpCheck)              \
  VERB(kMcpAccept)             \
  VERB(kMcpRemove)             \
  VERB(kServe)                 \
  VERB(kLoad)                  \
  VERB(kImport)                \
  VERB(kExport)                \
  VERB(kAsk)                   \
  VERB(kSearch)                \
  VERB(kCompartmentList)       \
  VERB(kCompartmentInfo)       \
  VERB(kCompartmentDiscover)   \
  VERB(kCompartmentCreate)     \
  VERB(kCompartmentLoad)       \
  VERB(kCompartmentUnload)     \
  VERB(kCompartmentActivate)   \
  VERB(kCompartmentDeactivate) \
  VERB(kCompartmentQuery)      \
  VERB(kCompartmentSign)       \
  VERB(kCompartmentVerify)     \
  VERB(kCompartmentAccept)     \
  VERB(kCompartmentKeys)       \
  VERB(kSkillList)             \
  VERB(kSkillInfo)             \
  VERB(kSkillLoad)             \
  VERB(kSkillUnload)           \
  VERB(kSkillScaffold)         \
  VERB(kWhy)                   \
  VERB(kWhyNot)                \
  VERB(kContradictions)        \
  VERB(kProvenance)            \
  VERB(kAgentGoals)            \
  VERB(kAgentPlan)             \
  VERB(kAgentCycle)            \
  VERB(kAgentResume)           \
  VERB(kAgentReflect)          \
  VERB(kAgentConsolidate)      \
  VERB(kAgentRecall)           \
  VERB(kAgentTools)            \
  VERB(kAgentPrune)            \
  VERB(kAgentGaps)             \
  VERB(kAgentInfer)            \
  VERB(kAgentDocument)         \
  VERB(kAgentSchema)           \
  VERB(kAgentRepl)             \
  VERB(kAgentChat)             \
  VERB(kAgentContext)          \
  VERB(kAgentMemory)           \
  VERB(kGrammarList)           \
  VERB(kGrammarParse)          \
  VERB(kGrammarLinearize)      \
  VERB(kGrammarCompare)        \
  VERB(kGrammarLoad)           \
  VERB(kGrammarRender)         \
  VERB(kPsycheShow)            \
  VERB(kPsycheExport)          \
  VERB(kPsycheSet)             \
  VERB(kPsycheReset)           \
  VERB(kRun)                   \
  VERB(kChat)                  \
  VERB(kReplay)                \
  VERB(kLlmList)               \
  VERB(kLlmCheck)              \
  VERB(kLlmAsk)                \
  VERB(kHistory)               \
  VERB(kChanges)               \
  VERB(kUndo)                  \
  VERB(kSleep)                 \
  VERB(kSleepList)             \
  VERB(kSleepStatus)           \
  VERB(kSleepMetrics)          \
  VERB(kSleepReport)           \
  VERB(kSleepUndo)             \
  VERB(kAsOf)                  \
  VERB(kAuditLog)              \
  VERB(kAuditVerify)           \
  VERB(kAuditProve)            \
  VERB(kAuditCheckpoint)       \
  VERB(kAuditExport)           \
  VERB(kBackup)                \
  VERB(kRestore)               \
  VERB(kErase)                 \
  VERB(kArchive)               \
  VERB(kCheckpoint)            \
  VERB(kMigrate)               \
  VERB(kDoctor)                \
  VERB(kStats)                 \
  VERB(kConfigShow)            \
  VERB(kConfigCheck)           \
  VERB(kCompletion)            \
  VERB(kCompletionWords)       \
  VERB(kDatalogRun)            \
  VERB(kDatalogCheck)          \
  VERB(kDatalogFmt)            \
  VERB(kDatalogRepl)           \
  VERB(kGuardAssess)           \
  VERB(kGuardPatterns)         \
  VERB(kGuardEval)             \
  VERB(kGuardPolicy)           \
  VERB(kGuardCall)             \
  VERB(kGuardTrain)            \
  VERB(kGuardHalt)             \
  VERB(kGuardResume)           \
  VERB(kGuardLine)             \
  VERB(kToolList)              \
  VERB(kToolInfo)              \
  VERB(kToolRun)               \
  VERB(kToolUndo)              \
  VERB(kToolAdd)               \
  VERB(kToolCheck)             \
  VERB(kToolRemove)            \
  VERB(kWhyDenied)             \
  VERB(kWhatWouldAllow)        \
  VERB(kApproveList)           \
  VERB(kApproveShow)           \
  VERB(kApproveGrant)          \
  VERB(kApproveDeny)           \
  VERB(kPlanList)              \
  VERB(kPlanShow)              \
  VERB(kPlanContinue)          \
  VERB(kPlanAbandon)           \
  VERB(kCouncilPropose)        \
  VERB(kCouncilVote)           \
  VERB(kCouncilVeto)           \
  VERB(kCouncilTally)          \
  VERB(kCouncilJudge)          \
  VERB(kCouncilGates)          \
  VERB(kCouncilShow)           \
  VERB(kMemoryAdd)             \
  VERB(kMemorySearch)          \
  VERB(kMemoryContext)         \
  VERB(kMemoryShow)            \
  VERB(kMemoryVerify)          \
  VERB(kMemoryForget)          \
  VERB(kMemoryCards)           \
  VERB(kMemoryReview)          \
  VERB(kMemoryEval)            \
  VERB(kMemoryIngest)          \
  VERB(kMessage)               \
  VERB(kEvents)                \
  VERB(kVersion)               \
  VERB(kHelp)

namespace anima::cli {

#define ANIMA_DECLARE_VERB(name) extern const Verb name;
ANIMA_VERBS(ANIMA_DECLARE_VERB)

std::span<const Verb* const> all_verbs() {
#define ANIMA_VERB_ADDRESS(name) &name,
  static const Verb* const verbs[] = {ANIMA_VERBS(ANIMA_VERB_ADDRESS)};
  return verbs;
}

}  // namespace anima::cli
