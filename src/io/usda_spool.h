#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace rivulet {

/// A temporary file that texts are put into and read back from; gone when it is destroyed.
class UsdaSpool {
public:
    struct Segment {
        std::int64_t offset = 0;
        std::size_t size = 0;
    };

    explicit UsdaSpool(std::filesystem::path path);
    ~UsdaSpool();
    UsdaSpool(const UsdaSpool&) = delete;
    UsdaSpool& operator=(const UsdaSpool&) = delete;

    [[nodiscard]] Segment put(std::string_view text);
    [[nodiscard]] std::string get(const Segment& segment);

private:
    [[noreturn]] void fail(const char* action) const;

    std::filesystem::path path_;
    std::FILE* file_;
    std::int64_t end_ = 0;
};

} // namespace rivulet
