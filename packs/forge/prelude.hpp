// What comes before each source of a made tool, for its check and for its compilation alike: the
// headers that most tools include. They are read once on a machine and kept in a form that is ready
// to use.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
