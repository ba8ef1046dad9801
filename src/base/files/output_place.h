// Where an output that a user named must not go: over the files of a space, and over what the same
// command reads.
//
// A folder is a space's where it has a log, or the head, the address or the writers' lock of one
// (docs/formats.md); all that lies below it is the space's own. A path is followed through links
// and "..", and every place on the way counts. OutputFile::open() and check_replaceable()
// (output_file.h) ask this of each output; a verb asks it of all that it is to write before it does
// anything. Thread-safety: a function without state.
#pragma once

#include <span>
#include <string>

#include "base/result.h"

namespace anima {

// `space`: a folder that is one, or is to become one; empty: none. `inputs`: files that the command
// reads. Errors: kInvalidArgument. A few looks a folder above the path; one a file of `space` for a
// path that has several names.
Status check_output_place(const std::string& path, const std::string& space = {},
                          std::span<const std::string> inputs = {});

}  // namespace anima
