#include "cli/frame/vectors_access.h"

#include "agent/house/recall_vectors.h"

namespace anima::cli {

Result<std::shared_ptr<memory::TextVectors>> open_vectors(Context& context,
                                                          const store::Space& space) {
  return agent::open_vectors(context.config, context.files, context.environment, space.folder());
}

Status drop_vectors_of(Context& context, store::Space& space,
                       const std::set<store::EntityId>& things) {
  ANIMA_ASSIGN(const store::Snapshot now, space.snapshot());
  return memory::drop_vectors(context.files, space.folder(), now.with_books(), things)
      .map([](std::size_t) {});
}

}  // namespace anima::cli
