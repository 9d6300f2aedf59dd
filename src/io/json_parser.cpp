#include "base/error.h"
#include "io/json.h"

#include <charconv>
#include <cstring>

namespace rivulet {
namespace {

constexpr int kMaxDepth = 64;

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Json whole()
    {
        Json result = value(0);
        skip_space();
        if (at_ != text_.size()) fail("text after the value");
        return result;
    }

private:
    [[noreturn]] void fail(const char* what) const
    {
        throw InputError("JSON, byte " + std::to_string(at_) + ": " + what);
    }
    void skip_space()
    {
        while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_]) != nullptr) ++at_;
    }
    char peek()
    {
        skip_space();
        if (at_ == text_.size()) fail("unexpected end");
        return text_[at_];
    }
    bool take(std::string_view word)
    {
        skip_space();
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }
    void expect(std::string_view word)
    {
        if (!take(word)) fail("unexpected character");
    }

    Json value(int depth)
    {
        if (depth > kMaxDepth) fail("nested too deeply");
        const char c = peek();
        if (c == '{') return object(depth);
        if (c == '[') return array(depth);
        if (c == '"') return text();
        if (take("true")) return true;
        if (take("false")) return false;
        if (take("null")) return {};
        return number();
    }

    Json object(int depth)
    {
        Json::Object members;
        expect("{");
        if (take("}")) return members;
        do {
            if (peek() != '"') fail("a name is due");
            std::string name = text();
            expect(":");
            members.emplace_back(std::move(name), value(depth + 1));
        } while (take(","));
        expect("}");
        return members;
    }

    Json array(int depth)
    {
        Json::Array items;
        expect("[");
        if (take("]")) return items;
        do {
            items.push_back(value(depth + 1));
        } while (take(","));
        expect("]");
        return items;
    }

    Json number()
    {
        const char* begin = text_.data() + at_;
        const char* end = text_.data() + text_.size();
        std::int64_t integer = 0;
        double real = 0;
        const auto as_integer = std::from_chars(begin, end, integer);
        const auto as_real = std::from_chars(begin, end, real);
        if (as_real.ec != std::errc()) fail("a value is due");
        at_ += static_cast<std::size_t>(as_real.ptr - begin);
        if (as_integer.ec == std::errc() && as_integer.ptr == as_real.ptr) return integer;
        return real;
    }

    std::string text()
    {
        expect("\"");
        std::string out;
        for (; at_ < text_.size() && text_[at_] != '"'; ++at_) out += text_[at_] == '\\' ? escaped() : text_[at_];
        if (at_ == text_.size()) fail("text without an end");
        ++at_;
        return out;
    }

    // The writer escapes only ASCII; other \u escapes do not occur in our files.
    char escaped()
    {
        if (++at_ >= text_.size()) fail("text without an end");
        switch (text_[at_]) {
        case 'n':
            return '\n';
        case 't':
            return '\t';
        case 'r':
            return '\r';
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'u': {
            unsigned code = 0;
            const std::string_view digits = text_.substr(at_ + 1, 4);
            const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
            if (read.ptr != digits.data() + 4 || code > 0x7f) fail("unsupported \\u escape");
            at_ += 4;
            return static_cast<char>(code);
        }
        default:
            return text_[at_];
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace

Json parse_json(std::string_view text) { return Parser(text).whole(); }

} // namespace rivulet
