#pragma once

#include "base/error.h"

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <utility>

namespace rivulet {

/// An HDF5 identifier with the function that closes it. For io/hdf5_*.cpp alone.
class Hdf5Handle {
public:
    using Close = herr_t (*)(hid_t);
    /// IoError "HDF5: <what>" when the id is negative, which is how HDF5 says no.
    Hdf5Handle(hid_t id, Close close, const std::string& what) : id_(id), close_(close)
    {
        if (id < 0) throw IoError("HDF5: cannot " + what);
    }
    ~Hdf5Handle()
    {
        if (id_ >= 0) close_(id_);
    }
    Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Hdf5Handle& operator=(Hdf5Handle&&) = delete;
    [[nodiscard]] hid_t get() const noexcept { return id_; }

private:
    hid_t id_;
    Close close_;
};

inline void hdf5_check(herr_t status, const std::string& what)
{
    if (status < 0) throw IoError("HDF5: cannot " + what);
}

/// HDF5 wants a name even for a file in memory, and minds if it exists or is open already: this one cannot be.
inline std::string hdf5_memory_name(const void* owner)
{
    return "/dev/null/rivulet-" + std::to_string(reinterpret_cast<std::uintptr_t>(owner));
}

/// HDF5 prints its error stack to stderr unless told not to; failures are reported by exceptions here.
inline void hdf5_silence() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

} // namespace rivulet
