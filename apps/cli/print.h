#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

/// Formats and writes, and leaves a failure to the stream's error flag, which main() judges: unlike fmt::print it does
/// not end a run whose reader has gone.
template <class... Arguments>
void print(std::FILE* file, fmt::format_string<Arguments...> format, Arguments&&... arguments)
{
    const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
    std::fputs(text.c_str(), file);
}
