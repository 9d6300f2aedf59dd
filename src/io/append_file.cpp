#include "io/append_file.h"

#include "base/error.h"
#include "io/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace rivulet {

AppendFile::AppendFile(std::filesystem::path path, std::int64_t keep) : path_(std::move(path)), written_(keep)
{
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor_ < 0) throw_io_error("cannot open", path_, errno);
    struct stat status = {};
    const bool known = ::fstat(descriptor_, &status) == 0;
    if (!known || status.st_size < keep) {
        ::close(descriptor_);
        throw IoError("cannot continue " + path_.string() + ": it has lost rows that the checkpoint counts on");
    }
    if (::ftruncate(descriptor_, keep) != 0) {
        const int error = errno;
        ::close(descriptor_);
        throw_io_error("cannot cut", path_, error);
    }
}

AppendFile::~AppendFile()
{
    if (!waiting_.empty()) (void)write_fully(descriptor_, std::as_bytes(std::span(waiting_)));
    ::close(descriptor_);
}

void AppendFile::flush()
{
    const std::string text = std::move(waiting_);
    waiting_.clear();
    if (const int error = write_fully(descriptor_, std::as_bytes(std::span(text))))
        throw_io_error("cannot write", path_, error);
    written_ += static_cast<std::int64_t>(text.size());
}

void AppendFile::sync()
{
    flush();
    if (::fsync(descriptor_) != 0) throw_io_error("cannot write", path_, errno);
}

} // namespace rivulet
