#include "cli/govern_access.h"

namespace anima::cli {

Result<std::unique_ptr<Governance>> open_governance(Context& context, Access access) {
  ANIMA_ASSIGN(auto space, open_space(context, access));
  return std::make_unique<Governance>(std::move(space), local_origin(context, "").author);
}

}  // namespace anima::cli
