#pragma once

#include "scene/nesting.h"

#include <optional>
#include <string>
#include <string_view>

namespace rivulet {

/// toml++ 3.3 runs into undefined behaviour when it asks whether some characters from U+00A0 to U+FEFF are blanks (its
/// table of blanks has holes). It is therefore shown a text in which the characters from U+0080 to U+FEFF are moved to
/// the private plane 16, one for one, so that lines and columns stay; what it returns is moved back.
[[nodiscard]] std::string move_to_private_plane(std::string_view utf8);
[[nodiscard]] std::string move_from_private_plane(std::string_view utf8);

/// Where the text first has a character of plane 16 of its own, written out or as \U0010....: it would be taken for a
/// moved one.
[[nodiscard]] std::optional<TextPosition> find_private_plane(std::string_view utf8);

} // namespace rivulet
