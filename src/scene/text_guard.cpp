#include "scene/text_guard.h"

#include <fmt/format.h>

namespace rivulet {
namespace {

/// Walks over TOML text, knowing strings and comments and nothing else.
class TextScanner {
public:
    explicit TextScanner(std::string_view text) : text_(text) {}

    std::optional<TextProblem> run()
    {
        if (text_.starts_with("\xef\xbb\xbf")) position_ = 3; // byte order mark
        while (position_ < text_.size() && !problem_) {
            const char c = text_[position_];
            if (c == '"' || c == '\'')
                skip_string(c);
            else if (c == '#')
                skip_comment();
            else
                plain(c);
        }
        return problem_;
    }

private:
    void plain(char c)
    {
        if (is_beyond_ascii(c)) report("characters beyond ASCII belong into quotes");
        count(c);
        if (brackets_ > kMaxNesting || dots_ > kMaxNesting)
            report(fmt::format("nested deeper than {} levels", kMaxNesting));
        ++position_;
    }

    void count(char c)
    {
        if (c == '.') ++dots_;
        if (c == '[' || c == '{') ++brackets_;
        if ((c == ']' || c == '}') && brackets_ > 0) --brackets_;
        if (c == ',' || c == '=' || c == '\n' || c == '[' || c == '{' || c == ']' || c == '}') dots_ = 0;
    }

    void skip_string(char quote)
    {
        const std::string_view rest = text_.substr(position_);
        const bool is_long = rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
        position_ += is_long ? 3 : 1;
        while (position_ < text_.size()) {
            const char c = text_[position_];
            if (c == '\\' && quote == '"') {
                skip_escape();
            } else if (c == quote && (!is_long || closes_long(quote))) {
                position_ += is_long ? 3 : 1;
                // Long strings may end in one or two quotes of their own.
                for (int own = 0; is_long && own < 2 && text_.substr(position_).starts_with(quote); ++own) ++position_;
                return;
            } else if (c == '\n' && !is_long) {
                return;
            } else {
                ++position_;
            }
        }
    }
    [[nodiscard]] bool closes_long(char quote) const
    {
        const std::string_view rest = text_.substr(position_);
        return rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
    }
    void skip_comment()
    {
        while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    }
    /// The character after a backslash; when that is a blank, all blanks that follow.
    void skip_escape()
    {
        const auto is_blank = [&] {
            return position_ < text_.size() &&
                   std::string_view(" \t\r\n").find(text_[position_]) != std::string_view::npos;
        };
        ++position_;
        const bool ends_line = is_blank();
        while (is_blank()) ++position_;
        if (position_ < text_.size() && is_beyond_ascii(text_[position_]))
            report("a backslash must not come before a character beyond ASCII");
        if (!ends_line) ++position_;
    }

    [[nodiscard]] static bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }

    void report(std::string what)
    {
        if (problem_) return;
        TextProblem problem{1, 1, std::move(what)};
        for (const char c : text_.substr(0, position_)) {
            problem.column = c == '\n' ? 1 : problem.column + 1;
            problem.line += c == '\n';
        }
        problem_ = std::move(problem);
    }

    std::string_view text_;
    std::size_t position_ = 0;
    int brackets_ = 0;
    int dots_ = 0;
    std::optional<TextProblem> problem_;
};

} // namespace

std::optional<TextProblem> find_unsafe_text(std::string_view text) { return TextScanner(text).run(); }

} // namespace rivulet
