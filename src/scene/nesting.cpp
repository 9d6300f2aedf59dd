#include "scene/nesting.h"

namespace rivulet {
namespace {

/// Walks over TOML text, knowing strings and comments and nothing else.
class NestingScanner {
public:
    explicit NestingScanner(std::string_view text) : text_(text) {}

    std::optional<TextPosition> run()
    {
        while (position_ < text_.size()) {
            const char c = text_[position_];
            if (c == '"' || c == '\'') {
                skip_string(c);
            } else if (c == '#') {
                skip_comment();
            } else {
                count(c);
                if (brackets_ > kMaxNesting || dots_ > kMaxNesting) return place();
                ++position_;
            }
        }
        return std::nullopt;
    }

private:
    void count(char c)
    {
        if (c == '.') ++dots_;
        if (c == '[' || c == '{') ++brackets_;
        if ((c == ']' || c == '}') && brackets_ > 0) --brackets_;
        if (c == ',' || c == '=' || c == '\n' || c == '[' || c == '{' || c == ']' || c == '}') dots_ = 0;
    }

    void skip_string(char quote)
    {
        const bool is_long = starts_long(quote);
        position_ += is_long ? 3 : 1;
        while (position_ < text_.size()) {
            const char c = text_[position_];
            if (c == quote && (!is_long || starts_long(quote))) {
                position_ += is_long ? 3 : 1;
                // Long strings may end in one or two quotes of their own.
                for (int own = 0; is_long && own < 2 && text_.substr(position_).starts_with(quote); ++own) ++position_;
                return;
            }
            if (c == '\n' && !is_long) return;
            position_ += c == '\\' && quote == '"' ? 2 : 1;
        }
        position_ = text_.size();
    }
    [[nodiscard]] bool starts_long(char quote) const
    {
        const std::string_view rest = text_.substr(position_);
        return rest.size() >= 3 && rest[0] == quote && rest[1] == quote && rest[2] == quote;
    }
    void skip_comment()
    {
        while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    }
    [[nodiscard]] TextPosition place() const
    {
        TextPosition at;
        for (const char c : text_.substr(0, position_)) {
            at.column = c == '\n' ? 1 : at.column + 1;
            at.line += c == '\n';
        }
        return at;
    }

    std::string_view text_;
    std::size_t position_ = 0;
    int brackets_ = 0;
    int dots_ = 0;
};

} // namespace

std::optional<TextPosition> find_deep_nesting(std::string_view text) { return NestingScanner(text).run(); }

} // namespace rivulet
