#include "io/usda_spool.h"

#include "base/error.h"

#include <cerrno>
#include <cstring>
#include <system_error>

namespace rivulet {

UsdaSpool::UsdaSpool(std::filesystem::path path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "w+be"))
{
    if (!file_) fail("create");
    std::error_code ignored; // without a name it is gone with the process, however that ends
    std::filesystem::remove(path_, ignored);
}

UsdaSpool::~UsdaSpool() { std::fclose(file_); }

UsdaSpool::Segment UsdaSpool::put(std::string_view text)
{
    const Segment segment{end_, text.size()};
    if (fseeko(file_, end_, SEEK_SET) != 0 || std::fwrite(text.data(), 1, text.size(), file_) != text.size())
        fail("write");
    end_ += static_cast<std::int64_t>(text.size());
    return segment;
}

std::string UsdaSpool::get(const Segment& segment)
{
    std::string text(segment.size, '\0');
    if (fseeko(file_, segment.offset, SEEK_SET) != 0 || std::fread(text.data(), 1, text.size(), file_) != text.size())
        fail("read");
    return text;
}

void UsdaSpool::fail(const char* action) const
{
    throw IoError(path_.string() + ": cannot " + action + ": " + std::strerror(errno));
}

} // namespace rivulet
