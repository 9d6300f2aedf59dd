#include "io/hdf5_file.h"
#include "io/hdf5_handle.h"
#include "io/sealed_file.h"

#include <algorithm>
#include <array>

namespace rivulet {
namespace {

constexpr hsize_t kChunkBytes = 1 << 20;

hid_t file_type(Hdf5Type type)
{
    switch (type) {
    case Hdf5Type::Float64:
        return H5T_IEEE_F64LE;
    case Hdf5Type::Float32:
        return H5T_IEEE_F32LE;
    case Hdf5Type::Int64:
        return H5T_STD_I64LE;
    case Hdf5Type::Int32:
        return H5T_STD_I32LE;
    case Hdf5Type::UInt8:
        return H5T_STD_U8LE;
    }
    return -1;
}

Hdf5Handle string_type(std::size_t length)
{
    Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "make a string type");
    hdf5_check(H5Tset_size(type.get(), std::max<std::size_t>(length, 1)), "size a string type");
    hdf5_check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "pad a string type");
    hdf5_check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "set UTF-8");
    return type;
}

// Chunked with a checksum; an empty dataset has no chunk to check.
Hdf5Handle creation_list(std::span<const hsize_t> dims, std::size_t entry_bytes)
{
    Hdf5Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make a property list");
    hdf5_check(H5Pset_obj_track_times(list.get(), false), "leave out time stamps");
    if (dims[0] == 0) return list;
    // Equal chunks of at most about kChunkBytes: the last one is stored whole, however little of it is used.
    const hsize_t n_chunks = (dims[0] * entry_bytes + kChunkBytes - 1) / kChunkBytes;
    const std::array<hsize_t, 2> chunk{(dims[0] + n_chunks - 1) / n_chunks, dims.size() > 1 ? dims[1] : 1};
    hdf5_check(H5Pset_chunk(list.get(), static_cast<int>(dims.size()), chunk.data()), "set the chunk size");
    hdf5_check(H5Pset_fletcher32(list.get()), "switch checksums on");
    return list;
}

void make_dataset(hid_t file, const std::string& name, hid_t type, std::span<const hsize_t> dims,
                  std::size_t entry_bytes, const void* data)
{
    const Hdf5Handle space(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr), H5Sclose,
                           "make a shape");
    const Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "make a property list");
    hdf5_check(H5Pset_create_intermediate_group(links.get(), 1), "make groups");
    const Hdf5Handle creation = creation_list(dims, entry_bytes);
    const Hdf5Handle set(H5Dcreate2(file, name.c_str(), type, space.get(), links.get(), creation.get(), H5P_DEFAULT),
                         H5Dclose, "make the dataset " + name);
    if (dims[0] > 0)
        hdf5_check(H5Dwrite(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "write the dataset " + name);
}

void make_attribute(hid_t file, const std::string& object, const std::string& name, hid_t type, const void* data)
{
    const Hdf5Handle owner(H5Oopen(file, object.c_str(), H5P_DEFAULT), H5Oclose, "open " + object);
    const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, "make a shape");
    const Hdf5Handle attribute(H5Acreate2(owner.get(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT),
                               H5Aclose, "make the attribute " + name);
    hdf5_check(H5Awrite(attribute.get(), type, data), "write the attribute " + name);
}

} // namespace

std::size_t size_of(Hdf5Type type) noexcept
{
    switch (type) {
    case Hdf5Type::Float64:
    case Hdf5Type::Int64:
        return 8;
    case Hdf5Type::Float32:
    case Hdf5Type::Int32:
        return 4;
    case Hdf5Type::UInt8:
        return 1;
    }
    return 0;
}

std::size_t Hdf5Shape::bytes() const noexcept
{
    return static_cast<std::size_t>(count) * static_cast<std::size_t>(components) * size_of(type);
}

Hdf5Writer::Hdf5Writer(std::size_t expected_bytes)
{
    hdf5_silence();
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make a property list");
    // The driver grows its buffer by this much at a time.
    const std::size_t increment = std::clamp<std::size_t>(expected_bytes, 1 << 16, std::size_t{1} << 30);
    hdf5_check(H5Pset_fapl_core(access.get(), increment, false), "work in memory");
    const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "make a property list");
    hdf5_check(H5Pset_obj_track_times(creation.get(), false), "leave out time stamps");
    file_ = H5Fcreate(hdf5_memory_name(this).c_str(), H5F_ACC_TRUNC, creation.get(), access.get());
    if (file_ < 0) throw IoError("HDF5: cannot make a file in memory");
}

Hdf5Writer::~Hdf5Writer() { H5Fclose(file_); }

void Hdf5Writer::dataset(const std::string& name, const Hdf5Shape& shape, const void* data, std::string_view unit)
{
    const std::array<hsize_t, 2> dims{static_cast<hsize_t>(shape.count), static_cast<hsize_t>(shape.components)};
    make_dataset(file_, name, file_type(shape.type), std::span(dims).first(shape.components > 1 ? 2 : 1),
                 static_cast<std::size_t>(shape.components) * size_of(shape.type), data);
    if (!unit.empty()) attribute(name, "unit", unit);
}

void Hdf5Writer::strings(const std::string& name, const std::vector<std::string>& values)
{
    std::size_t length = 1;
    for (const std::string& value : values) length = std::max(length, value.size());
    std::string flat;
    for (const std::string& value : values) flat += value + std::string(length - value.size(), '\0');
    const std::array<hsize_t, 1> dims{values.size()};
    make_dataset(file_, name, string_type(length).get(), dims, length, flat.data());
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name, double value)
{
    make_attribute(file_, object, name, H5T_IEEE_F64LE, &value);
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name, std::int64_t value)
{
    make_attribute(file_, object, name, H5T_STD_I64LE, &value);
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name, std::string_view value)
{
    const std::string padded(value.empty() ? std::string_view("\0", 1) : value);
    make_attribute(file_, object, name, string_type(padded.size()).get(), padded.data());
}

std::span<const std::byte> Hdf5Writer::image()
{
    hdf5_check(H5Fflush(file_, H5F_SCOPE_GLOBAL), "flush a file in memory");
    const ssize_t size = H5Fget_file_image(file_, nullptr, 0); // without the slack at the end of the driver's buffer
    if (size < 0) throw IoError("HDF5: cannot size a file in memory");
    void* where = nullptr; // the driver's handle is the address of its buffer
    hdf5_check(H5Fget_vfd_handle(file_, H5P_DEFAULT, &where), "reach a file in memory");
    return {*static_cast<std::byte**>(where), static_cast<std::size_t>(size)};
}

void Hdf5Writer::save_image(const std::filesystem::path& path, std::span<const std::byte> image)
{
    write_sealed(path, image);
}

} // namespace rivulet
