#include "io/image.h"

#include "base/assert.h"
#include "base/error.h"
#include "io/atomic_file.h"

#include <png.h>

namespace rivulet {
namespace {

/// Frees what libpng holds, whichever way a function ends.
struct PngImage {
    png_image data{};
    PngImage() { data.version = PNG_IMAGE_VERSION; }
    ~PngImage() { png_image_free(&data); }
    PngImage(const PngImage&) = delete;
    PngImage& operator=(const PngImage&) = delete;
};

std::size_t n_bytes(int width, int height)
{
    return 3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
}

} // namespace

Image::Image(int width_pixels, int height_pixels) : width(width_pixels), height(height_pixels)
{
    RIVULET_VERIFY(width > 0 && height > 0);
    pixels.assign(n_bytes(width, height), 0);
}

std::array<std::uint8_t, 3> Image::pixel(int x, int y) const
{
    RIVULET_ASSERT(x >= 0 && x < width && y >= 0 && y < height);
    const std::size_t i = n_bytes(width, y) + 3 * static_cast<std::size_t>(x);
    return {pixels[i], pixels[i + 1], pixels[i + 2]};
}

void Image::set_pixel(int x, int y, const std::array<std::uint8_t, 3>& rgb)
{
    RIVULET_ASSERT(x >= 0 && x < width && y >= 0 && y < height);
    const std::size_t i = n_bytes(width, y) + 3 * static_cast<std::size_t>(x);
    for (std::size_t c = 0; c < 3; ++c) pixels[i + c] = rgb[c];
}

std::vector<std::byte> encode_png(const Image& image)
{
    RIVULET_VERIFY(image.width > 0 && image.height > 0 && image.pixels.size() == n_bytes(image.width, image.height));
    PngImage png;
    png.data.width = static_cast<png_uint_32>(image.width);
    png.data.height = static_cast<png_uint_32>(image.height);
    png.data.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png.data);
    std::vector<std::byte> bytes(size);
    if (!png_image_write_to_memory(&png.data, bytes.data(), &size, 0, image.pixels.data(), 0, nullptr))
        throw IoError(std::string("PNG: cannot encode: ") + png.data.message);
    bytes.resize(size);
    return bytes;
}

Image decode_png(std::span<const std::byte> bytes, const std::string& name)
{
    PngImage png;
    if (!png_image_begin_read_from_memory(&png.data, bytes.data(), bytes.size()))
        throw IoError(name + ": not a PNG picture: " + png.data.message);
    // Refuses absurd sizes before allocating for them.
    constexpr png_uint_32 kMaxEdge = 1 << 15;
    if (png.data.width > kMaxEdge || png.data.height > kMaxEdge)
        throw IoError(name + ": picture larger than 32768 pixels on a side");
    png.data.format = PNG_FORMAT_RGB;
    Image image(static_cast<int>(png.data.width), static_cast<int>(png.data.height));
    const png_color black{0, 0, 0};
    if (!png_image_finish_read(&png.data, &black, image.pixels.data(), 0, nullptr))
        throw IoError(name + ": damaged PNG picture: " + png.data.message);
    return image;
}

void write_png(const std::filesystem::path& path, const Image& image)
{
    write_file_atomically(path, encode_png(image));
}

Image read_png(const std::filesystem::path& path) { return decode_png(read_bytes(path), path.string()); }

} // namespace rivulet
