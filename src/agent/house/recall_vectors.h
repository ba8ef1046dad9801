// The vectors that recall compares, as the settings say: the server of `[embeddings]`, and the view
// of the space that is made with it (memory/recall/text_vectors.h).
//
// The server is asked for a question's vector once and for five seconds at most, because somebody
// waits. Thread-safety: what is given may be used from any thread.
#pragma once

#include <memory>
#include <string>

#include "base/config.h"
#include "base/files/file.h"
#include "base/result.h"
#include "memory/recall/text_vectors.h"

namespace anima::agent {

// Null where no server is configured. `files` outlives it. `folder`: of the space. Errors: a
// setting that is wrong.
Result<std::shared_ptr<memory::TextVectors>> open_vectors(const Config& config, FileSystem& files,
                                                          const Environment& environment,
                                                          const std::string& folder);

// For who has no program around him: the same layers as the program reads, without flags, of which
// only `[embeddings]` counts. Null for a space without a folder. Errors: a file that cannot be
// read, a setting that is wrong.
Result<std::shared_ptr<memory::TextVectors>> configured_vectors(FileSystem& files,
                                                                const Environment& environment,
                                                                const std::string& folder);

}  // namespace anima::agent
