#include "io/descriptor.h"

#include "base/error.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace rivulet {

void throw_io_error(const char* action, const std::filesystem::path& path, int error)
{
    throw IoError(std::string(action) + " " + path.string() + ": " + std::generic_category().message(error));
}

Descriptor::Descriptor(const std::filesystem::path& path, int flags)
    : path_(path), descriptor_(::open(path.c_str(), flags | O_CLOEXEC))
{
    if (descriptor_ < 0) throw_io_error("cannot open", path, errno);
}

Descriptor::~Descriptor() { ::close(descriptor_); }

std::size_t Descriptor::size() const
{
    struct stat status = {};
    if (::fstat(descriptor_, &status) != 0) throw_io_error("cannot read", path_, errno);
    if (!S_ISREG(status.st_mode)) throw IoError("cannot read " + path_.string() + ": not a regular file");
    return static_cast<std::size_t>(status.st_size);
}

int write_fully(int descriptor, std::span<const std::byte> bytes) noexcept
{
    while (!bytes.empty()) {
        const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return 0;
}

void sync_folder(const std::filesystem::path& folder)
{
    const std::filesystem::path name = folder.empty() ? std::filesystem::path(".") : folder;
    const Descriptor descriptor(name, O_RDONLY | O_DIRECTORY);
    if (::fsync(descriptor.get()) != 0) throw_io_error("cannot sync the folder", name, errno);
}

} // namespace rivulet
