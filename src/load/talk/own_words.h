// What the writer of a mail says himself: without the mail that he answers or forwards, and
// without his signature.
//
// Left out are lines with ">" and the line above them ("On 8 May Ada wrote:"), and all below the
// mark of a whole mail: a separator ("-----Original Message-----"), a block of From, Sent and
// Subject, or such a line with a date and an address and no ">" below it. The words are those of
// file_words.h. Thread-safety: pure. Complexity: O(bytes).
#pragma once

#include <string>
#include <string_view>

namespace anima::load {

std::string own_words(std::string_view body);

}  // namespace anima::load
