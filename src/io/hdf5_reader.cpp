#include "io/hdf5_file.h"
#include "io/hdf5_handle.h"
#include "io/sealed_file.h"

#include <algorithm>
#include <array>
#include <optional>

namespace rivulet {
namespace {

constexpr std::array<std::pair<Hdf5Type, const char*>, 5> kTypes{{{Hdf5Type::Float64, "float64"},
                                                                  {Hdf5Type::Float32, "float32"},
                                                                  {Hdf5Type::Int64, "int64"},
                                                                  {Hdf5Type::Int32, "int32"},
                                                                  {Hdf5Type::UInt8, "uint8"}}};

hid_t memory_type(Hdf5Type type)
{
    switch (type) {
    case Hdf5Type::Float64:
        return H5T_NATIVE_DOUBLE;
    case Hdf5Type::Float32:
        return H5T_NATIVE_FLOAT;
    case Hdf5Type::Int64:
        return H5T_NATIVE_INT64;
    case Hdf5Type::Int32:
        return H5T_NATIVE_INT32;
    case Hdf5Type::UInt8:
        return H5T_NATIVE_UINT8;
    }
    return -1;
}

std::optional<Hdf5Type> known_type(hid_t type)
{
    for (const auto& [known, name] : kTypes)
        if (H5Tequal(type, memory_type(known)) > 0) return known;
    return std::nullopt;
}

herr_t collect_name(hid_t, const char* name, const H5L_info_t*, void* names)
{
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
}

std::string without_padding(std::string text)
{
    text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
    return text;
}

} // namespace

Hdf5Reader::Hdf5Reader(const std::filesystem::path& path) : path_(path), image_(read_sealed(path))
{
    hdf5_silence();
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make a property list");
    hdf5_check(H5Pset_fapl_core(access.get(), 1 << 16, false), "work in memory");
    hdf5_check(H5Pset_file_image(access.get(), image_.data(), image_.size()), "open a file in memory");
    file_ = H5Fopen(hdf5_memory_name(this).c_str(), H5F_ACC_RDONLY, access.get());
    image_ = {};
    if (file_ < 0) throw IoError(path_.string() + ": not an HDF5 file");
}

Hdf5Reader::~Hdf5Reader() { H5Fclose(file_); }

void Hdf5Reader::refuse(const std::string& name, const std::string& reason) const
{
    throw IoError(path_.string() + ": " + name + ": " + reason);
}

bool Hdf5Reader::has(const std::string& name) const
{
    for (std::size_t slash = name.find('/', 1); slash != std::string::npos; slash = name.find('/', slash + 1))
        if (H5Lexists(file_, name.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
    return H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0;
}

bool Hdf5Reader::is_group(const std::string& name) const
{
    if (!has(name)) return false;
    const Hdf5Handle object(H5Oopen(file_, name.c_str(), H5P_DEFAULT), H5Oclose, "open " + name);
    return H5Iget_type(object.get()) == H5I_GROUP;
}

std::vector<std::string> Hdf5Reader::list(const std::string& group) const
{
    const Hdf5Handle handle(H5Gopen2(file_, group.c_str(), H5P_DEFAULT), H5Gclose, "open the group " + group);
    std::vector<std::string> names;
    hdf5_check(H5Literate(handle.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name, &names), "list " + group);
    return names;
}

Hdf5Shape Hdf5Reader::shape(const std::string& name) const
{
    if (!has(name)) refuse(name, "is missing");
    const Hdf5Handle set(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose, "open the dataset " + name);
    const Hdf5Handle type(H5Dget_type(set.get()), H5Tclose, "read the type of " + name);
    const Hdf5Handle space(H5Dget_space(set.get()), H5Sclose, "read the shape of " + name);
    const int rank = H5Sget_simple_extent_ndims(space.get());
    if (rank < 1 || rank > 2) refuse(name, "has rank " + std::to_string(rank) + ", expected 1 or 2");
    std::array<hsize_t, 2> dims{0, 1};
    H5Sget_simple_extent_dims(space.get(), dims.data(), nullptr);
    const std::optional<Hdf5Type> known = known_type(type.get());
    if (!known) refuse(name, "has a type that is none of float64, float32, int64, int32, uint8");
    if (dims[0] > hsize_t{1} << 40 || dims[1] > 1 << 16) refuse(name, "has an absurd size");
    return {*known, static_cast<std::int64_t>(dims[0]), static_cast<int>(dims[1])};
}

void Hdf5Reader::read(const std::string& name, const Hdf5Shape& expected, void* data) const
{
    const Hdf5Shape found = shape(name);
    if (found.type != expected.type) refuse(name, "has another type than expected");
    if (found.count != expected.count || found.components != expected.components)
        refuse(name, "holds " + std::to_string(found.count) + " x " + std::to_string(found.components) +
                         " values, expected " + std::to_string(expected.count) + " x " +
                         std::to_string(expected.components));
    if (found.count == 0) return;
    const Hdf5Handle set(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose, "open the dataset " + name);
    if (H5Dread(set.get(), memory_type(expected.type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
        refuse(name, "cannot be read");
}

std::vector<std::string> Hdf5Reader::strings(const std::string& name) const
{
    if (!has(name)) refuse(name, "is missing");
    const Hdf5Handle set(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose, "open the dataset " + name);
    const Hdf5Handle type(H5Dget_type(set.get()), H5Tclose, "read the type of " + name);
    const Hdf5Handle space(H5Dget_space(set.get()), H5Sclose, "read the shape of " + name);
    if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0) refuse(name, "is not text");
    const std::size_t length = H5Tget_size(type.get());
    const auto count = static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space.get()), 0));
    std::string flat(length * count, '\0');
    if (count > 0 && H5Dread(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, flat.data()) < 0)
        refuse(name, "cannot be read");
    std::vector<std::string> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(without_padding(flat.substr(i * length, length)));
    return values;
}

bool Hdf5Reader::has_attribute(const std::string& object, const std::string& name) const
{
    return (object == "/" || has(object)) && H5Aexists_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

double Hdf5Reader::number(const std::string& object, const std::string& name) const
{
    double value = 0;
    const Hdf5Handle attribute(H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                               "find the attribute " + name + " in " + path_.string());
    hdf5_check(H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &value), "read the attribute " + name);
    return value;
}

std::int64_t Hdf5Reader::integer(const std::string& object, const std::string& name) const
{
    std::int64_t value = 0;
    const Hdf5Handle attribute(H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                               "find the attribute " + name + " in " + path_.string());
    hdf5_check(H5Aread(attribute.get(), H5T_NATIVE_INT64, &value), "read the attribute " + name);
    return value;
}

std::string Hdf5Reader::text(const std::string& object, const std::string& name) const
{
    const Hdf5Handle attribute(H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                               "find the attribute " + name + " in " + path_.string());
    const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose, "read the type of " + name);
    if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0) refuse(name, "is not text");
    std::string value(H5Tget_size(type.get()), '\0');
    hdf5_check(H5Aread(attribute.get(), type.get(), value.data()), "read the attribute " + name);
    return without_padding(std::move(value));
}

} // namespace rivulet
