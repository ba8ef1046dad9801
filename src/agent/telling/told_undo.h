// What an undo leaves of when links hold. It puts back keys, each as it was before; when a link
// holds follows from all that is told of it and of what may take its place (detail/timeline.h). So
// it is laid out anew in the entry of the undo, and so are values: as if what was undone had never
// been told.
#pragma once

#include "store/undo_rules.h"

namespace anima::agent {

// For store::SpaceOptions::undo, of each space that people tell something to. Links that others
// changed since, or that are older than records of what was told, stay as the undo leaves them. A
// link or a thing that the undone text brought and that another one tells of, too, stays as the
// word of that one. Thread-safety: that of the transaction. Errors: those of the space. O(links
// that the undone entries wrote x what their subjects have).
store::UndoRules told_undo_rules();

}  // namespace anima::agent
