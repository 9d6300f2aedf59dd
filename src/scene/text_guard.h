#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rivulet {

/// Brackets inside brackets, or dots in one key, that a scene may have.
inline constexpr int kMaxNesting = 32;

struct TextProblem {
    int line = 1;
    int column = 1;
    std::string what;
};

/// The first place of a TOML text that the TOML parser must not see. It recurses without a limit over dotted keys and
/// would run out of stack, and where it looks for blanks (outside of strings and comments, and after a backslash at
/// the end of a line) characters beyond ASCII lead it into undefined behaviour.
[[nodiscard]] std::optional<TextProblem> find_unsafe_text(std::string_view text);

} // namespace rivulet
