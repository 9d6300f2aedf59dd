#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace rivulet {

/// Picture of 8-bit sRGB pixels: rows from the top, three bytes (red, green, blue) a pixel.
struct Image {
    int width = 0;  ///< [pixels]
    int height = 0; ///< [pixels]
    std::vector<std::uint8_t> pixels;

    Image() = default;
    /// Black.
    Image(int width_pixels, int height_pixels);
    [[nodiscard]] std::array<std::uint8_t, 3> pixel(int x, int y) const;
    void set_pixel(int x, int y, const std::array<std::uint8_t, 3>& rgb);
};

/// The picture as a PNG file in memory: the same bytes for the same picture.
[[nodiscard]] std::vector<std::byte> encode_png(const Image& image);
/// Reads any PNG as 8-bit RGB; transparent parts are laid over black. `name` is what an IoError calls the data.
[[nodiscard]] Image decode_png(std::span<const std::byte> bytes, const std::string& name);

/// Complete or absent. Raises IoError naming the path.
void write_png(const std::filesystem::path& path, const Image& image);
[[nodiscard]] Image read_png(const std::filesystem::path& path);

} // namespace rivulet
