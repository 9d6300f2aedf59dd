#include "base/error.h"
#include "io/image.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>

namespace rivulet {
namespace {

std::filesystem::path scratch(const std::string& name)
{
    return std::filesystem::path(::testing::TempDir()) / ("rivulet_image_" + std::to_string(::getpid()) + "_" + name);
}

Image gradient()
{
    Image image(37, 23); // odd sizes: no padding to hide behind
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x)
            image.set_pixel(x, y,
                            {static_cast<std::uint8_t>(7 * x), static_cast<std::uint8_t>(11 * y),
                             static_cast<std::uint8_t>(x * y)});
    return image;
}

TEST(Png, RoundTripKeepsEveryPixel)
{
    const Image image = gradient(), back = decode_png(encode_png(image), "memory");
    EXPECT_EQ(back.width, 37);
    EXPECT_EQ(back.height, 23);
    EXPECT_EQ(back.pixels, image.pixels);
}

TEST(Png, HeaderSaysWhatTheStandardSays)
{
    const auto bytes = encode_png(gradient());
    // Signature, length 13 and "IHDR", width 37, height 23, 8 bits, colour type 2 (RGB): PNG specification, section 11.
    const std::array<unsigned char, 26> expected{0x89, 'P', 'N', 'G', 13, 10, 26, 10, 0, 0, 0,  13, 'I',
                                                 'H',  'D', 'R', 0,   0,  0,  37, 0,  0, 0, 23, 8,  2};
    ASSERT_GT(bytes.size(), expected.size());
    EXPECT_EQ(std::memcmp(bytes.data(), expected.data(), expected.size()), 0);
}

TEST(Png, SamePictureGivesSameBytes) { EXPECT_EQ(encode_png(gradient()), encode_png(gradient())); }

TEST(Png, FileHoldsThePictureAndNoTemporaryIsLeft)
{
    const auto folder = scratch("folder");
    std::filesystem::create_directory(folder);
    write_png(folder / "a.png", gradient());
    EXPECT_EQ(read_png(folder / "a.png").pixels, gradient().pixels);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()), 1);
    std::filesystem::remove_all(folder);
}

TEST(Png, ErrorsNameThePath)
{
    const std::string path = "/nowhere/at/all.png";
    for (const bool write : {true, false}) {
        try {
            if (write)
                write_png(path, gradient());
            else
                (void)read_png(path);
            FAIL() << "no error";
        } catch (const IoError& error) {
            EXPECT_NE(std::string(error.what()).find("/nowhere/at"), std::string::npos) << error.what();
        }
    }
}

TEST(Png, EveryTruncationIsRefused)
{
    const auto bytes = encode_png(gradient());
    for (std::size_t n = 0; n + 12 < bytes.size(); n += 7)
        EXPECT_THROW((void)decode_png(std::span(bytes).first(n), "cut"), IoError) << n << " bytes";
}

} // namespace
} // namespace rivulet
