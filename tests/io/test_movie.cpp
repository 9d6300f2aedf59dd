#include "base/error.h"
#include "io/movie.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace rivulet {
namespace {

/// A folder of its own for each test, removed afterwards.
class Movie : public ::testing::Test {
protected:
    void SetUp() override
    {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        folder = std::filesystem::path(::testing::TempDir()) /
                 ("rivulet_movie_" + std::string(test->name()) + std::to_string(::getpid()));
        std::filesystem::create_directories(folder);
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    [[nodiscard]] std::ptrdiff_t n_files() const
    {
        return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
    }
    std::filesystem::path folder;
};

Image frame(int i)
{
    Image image(65, 48); // odd width: mp4 must cope
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x)
            image.set_pixel(x, y, {static_cast<std::uint8_t>(4 * x + 9 * i), static_cast<std::uint8_t>(5 * y), 90});
    return image;
}

/// What ffprobe says about the first stream.
std::string probe(const std::filesystem::path& file, const std::string& entries)
{
    const std::string command = "ffprobe -v error -count_frames -select_streams v:0 -show_entries stream=" + entries +
                                " -of csv=p=0 '" + file.string() + "'";
    std::FILE* pipe = ::popen(command.c_str(), "r");
    std::string text;
    char buffer[256];
    while (std::fgets(buffer, sizeof buffer, pipe)) text += buffer;
    ::pclose(pipe);
    while (!text.empty() && (text.back() == '\n' || text.back() == ',')) text.pop_back();
    return text;
}

TEST_F(Movie, Mp4HoldsEveryFrameInTheFormatThatPlaysEverywhere)
{
    MovieWriter movie(folder / "a.mp4", 65, 48, 24);
    for (int i = 0; i < 13; ++i) movie.add(frame(i));
    EXPECT_FALSE(std::filesystem::exists(folder / "a.mp4")) << "visible before it is complete";
    movie.finish();
    EXPECT_EQ(probe(folder / "a.mp4", "codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames"),
              "h264,66,48,yuv420p,24/1,13");
    EXPECT_EQ(n_files(), 1);
}

TEST_F(Movie, GifHoldsEveryFrame)
{
    const std::vector<Image> frames{frame(0), frame(5), frame(10), frame(15)};
    write_movie(frames, 10, folder / "a.gif");
    EXPECT_EQ(probe(folder / "a.gif", "codec_name,width,height,nb_read_frames"), "gif,65,48,4");
}

TEST_F(Movie, IsMadeOfPngFilesInTheOrderGiven)
{
    std::vector<std::filesystem::path> paths;
    for (int i = 0; i < 3; ++i) {
        paths.push_back(folder / (std::to_string(i) + ".png"));
        write_png(paths.back(), frame(i));
    }
    write_movie(paths, 5, folder / "b.mp4");
    EXPECT_EQ(probe(folder / "b.mp4", "nb_read_frames"), "3");
}

TEST_F(Movie, AbandonedWriterLeavesNeitherFileNorProcess)
{
    {
        MovieWriter movie(folder / "a.mp4", 65, 48, 24);
        movie.add(frame(0));
    }
    EXPECT_EQ(n_files(), 0);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
}

TEST_F(Movie, MissingFfmpegIsNamed)
{
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", folder.c_str(), 1);
    try {
        MovieWriter movie(folder / "a.mp4", 65, 48, 24);
        ADD_FAILURE() << "no error";
    } catch (const IoError& error) {
        EXPECT_NE(std::string(error.what()).find("ffmpeg is not installed"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("a.mp4"), std::string::npos) << error.what();
    }
    ::setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(n_files(), 0);
}

TEST_F(Movie, FailureCarriesThePathAndTheLastWordsOfFfmpeg)
{
    const std::string path = std::getenv("PATH");
    std::ofstream(folder / "ffmpeg") << "#!/bin/sh\necho so it ends >&2\nexit 3\n";
    std::filesystem::permissions(folder / "ffmpeg", std::filesystem::perms::owner_all);
    ::setenv("PATH", folder.c_str(), 1);
    try {
        // More frames than a socket buffers: the death is noticed while writing.
        write_movie(std::vector<Image>(200, frame(0)), 24, folder / "a.mp4");
        ADD_FAILURE() << "no error";
    } catch (const IoError& error) {
        EXPECT_NE(std::string(error.what()).find("a.mp4"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("so it ends"), std::string::npos) << error.what();
    }
    ::setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(n_files(), 1) << "ffmpeg alone";
}

TEST_F(Movie, PlaceThatCannotBeWrittenToIsKnownBeforeTheFirstFrame)
{
    const auto why = [](const std::filesystem::path& path) -> std::string {
        try {
            require_movie(path, 24);
        } catch (const IoError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(why(folder / "no_such_folder" / "a.mp4").find("No such file or directory"), std::string::npos);
    std::filesystem::create_directory(folder / "b.mp4");
    EXPECT_NE(why(folder / "b.mp4").find("is a folder"), std::string::npos);
    EXPECT_EQ(why(folder / "c.mp4"), "");
    EXPECT_EQ(n_files(), 1) << "b.mp4 alone";
    EXPECT_THROW(require_movie(folder / "c.avi", 24), InputError);
}

TEST_F(Movie, RefusesOtherKindsSizesAndRates)
{
    EXPECT_THROW(MovieWriter(folder / "a.avi", 8, 8, 24), InputError);
    EXPECT_THROW(MovieWriter(folder / "a.mp4", 8, 8, 0), InputError);
    EXPECT_THROW(write_movie(std::span<const Image>(), 24, folder / "a.mp4"), InputError);
    MovieWriter movie(folder / "a.mp4", 65, 48, 24);
    EXPECT_THROW(movie.add(Image(64, 48)), InputError);
}

} // namespace
} // namespace rivulet
