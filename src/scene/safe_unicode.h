#pragma once

#include <string>
#include <string_view>

namespace rivulet {

/// toml++ 3.3 runs into undefined behaviour when it asks whether some characters from U+00A0 to U+FEFF are blanks (its
/// table of blanks has holes). It is therefore shown a text in which the characters from U+0080 to U+FEFF are moved to
/// the private plane 16, one for one, so that lines and columns stay; what it returns is moved back.
[[nodiscard]] std::string move_to_private_plane(std::string_view utf8);
[[nodiscard]] std::string move_from_private_plane(std::string_view utf8);

/// Whether the text has characters of plane 16 of its own, written out or as \U0010....: they would be taken for moved
/// ones.
[[nodiscard]] bool uses_private_plane(std::string_view utf8);

} // namespace rivulet
