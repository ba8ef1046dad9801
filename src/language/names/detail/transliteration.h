// ICU's transliteration into Latin letters: pinyin of Han, Hepburn of kana, and one way of writing
// every other script. Marks stay ("wáng xiǎo míng", "kōhī"). Thread-safety: from any thread.
// Complexity: O(text), and once a thread some tens of milliseconds for the rules.
#pragma once

#include <string>
#include <string_view>

namespace anima::language::detail {

// In NFD and lower case. Empty where ICU's data is not there.
std::string transliterated(std::string_view text);

}  // namespace anima::language::detail
