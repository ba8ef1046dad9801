// Files in another user's folder.
//
// A process that may give files away (root's) would leave files that lock the folder's owner out.
// Thread-safety: from any thread.
#pragma once

#include <string>

namespace anima {

// From now on what this process makes below `folder` through system_files() belongs to the owner of
// the folder; what lies in it, and in its folders, and belongs to this process's user is given to
// him now. Does nothing where that is the same user, or the process is not root's.
void follow_owner(const std::string& folder);

}  // namespace anima
