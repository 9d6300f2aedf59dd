#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rivulet {

enum class Hdf5Type { Float64, Float32, Int64, Int32, UInt8 };
[[nodiscard]] std::size_t size_of(Hdf5Type type) noexcept;

/// What a dataset is: `count` entries of `components` scalars (rank 1 when components is 1, else rank 2).
struct Hdf5Shape {
    Hdf5Type type = Hdf5Type::Float64;
    std::int64_t count = 0;
    int components = 1;
    [[nodiscard]] std::size_t bytes() const noexcept;
};

/// Builds an HDF5 file in memory: chunked datasets with Fletcher32 checksums, no time stamps, so the same content
/// gives the same bytes. save() seals it and writes it atomically. Use from one thread at a time.
class Hdf5Writer {
public:
    /// `expected_bytes` spares reallocations; any value works.
    explicit Hdf5Writer(std::size_t expected_bytes = 1 << 20);
    ~Hdf5Writer();
    Hdf5Writer(const Hdf5Writer&) = delete;
    Hdf5Writer& operator=(const Hdf5Writer&) = delete;

    /// Missing groups of `name` ("liquid/position") are made. `unit` becomes the attribute "unit" unless empty.
    void dataset(const std::string& name, const Hdf5Shape& shape, const void* data, std::string_view unit = {});
    /// One string per entry.
    void strings(const std::string& name, const std::vector<std::string>& values);
    /// Attributes of the object called `object`; "/" is the file itself.
    void attribute(const std::string& object, const std::string& name, double value);
    void attribute(const std::string& object, const std::string& name, std::int64_t value);
    void attribute(const std::string& object, const std::string& name, std::string_view value);

    /// The file so far; valid until the next call.
    [[nodiscard]] std::span<const std::byte> image();
    void save(const std::filesystem::path& path) { save_image(path, image()); }

private:
    static void save_image(const std::filesystem::path& path, std::span<const std::byte> image);
    std::int64_t file_ = -1;
};

/// Reads a file made by Hdf5Writer::save. Everything that is asked for is checked (presence, type, shape) and refused
/// by an IoError with path and name; a damaged file does not get past the seal.
class Hdf5Reader {
public:
    explicit Hdf5Reader(const std::filesystem::path& path);
    ~Hdf5Reader();
    Hdf5Reader(const Hdf5Reader&) = delete;
    Hdf5Reader& operator=(const Hdf5Reader&) = delete;

    [[nodiscard]] bool has(const std::string& name) const;
    [[nodiscard]] bool is_group(const std::string& name) const;
    /// Names of the datasets and groups directly inside a group, sorted.
    [[nodiscard]] std::vector<std::string> list(const std::string& group) const;
    [[nodiscard]] Hdf5Shape shape(const std::string& name) const;
    /// Fills `data`, which holds shape.bytes(); the dataset must have exactly this shape.
    void read(const std::string& name, const Hdf5Shape& shape, void* data) const;
    [[nodiscard]] std::vector<std::string> strings(const std::string& name) const;
    [[nodiscard]] double number(const std::string& object, const std::string& name) const;
    [[nodiscard]] std::int64_t integer(const std::string& object, const std::string& name) const;
    [[nodiscard]] std::string text(const std::string& object, const std::string& name) const;
    [[nodiscard]] bool has_attribute(const std::string& object, const std::string& name) const;

private:
    [[noreturn]] void refuse(const std::string& name, const std::string& reason) const;
    std::filesystem::path path_;
    std::vector<std::byte> image_;
    std::int64_t file_ = -1;
};

} // namespace rivulet
