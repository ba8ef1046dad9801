// What follows a conversation: a cycle of sleep, where the setting sleep.after_conversation asks
// for it. Thread-safety: as the context.
#pragma once

#include <memory>

#include "cli/frame/context.h"
#include "store/space.h"

namespace anima::cli {

// A cycle when one is due; what goes wrong is only said, the conversation is over.
void sleep_after_conversation(Context& context, const std::shared_ptr<store::Space>& space);

}  // namespace anima::cli
