#pragma once

#include "io/image.h"

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace rivulet {

/// Writes a movie frame by frame through ffmpeg, a program of its own. The file's extension says which kind: .mp4
/// (H.264, plays everywhere) or .gif. The file appears when finish() has succeeded, never half; without finish() the
/// program is ended and nothing is left. Failures are IoErrors with the path and ffmpeg's last lines.
class MovieWriter {
public:
    /// All frames are width x height pixels; odd sizes gain a row or column in .mp4.
    MovieWriter(const std::filesystem::path& path, int width, int height, double frames_per_second);
    ~MovieWriter();
    MovieWriter(const MovieWriter&) = delete;
    MovieWriter& operator=(const MovieWriter&) = delete;

    void add(const Image& frame);
    /// Waits for ffmpeg and gives the file its name.
    void finish();

private:
    class Encoder;
    std::unique_ptr<Encoder> encoder_;
    int width_, height_;
};

/// Throws what MovieWriter would at its start: an unknown extension, no ffmpeg, a place that cannot be written to.
void require_movie(const std::filesystem::path& path, double frames_per_second);

/// A movie of PNG files of equal size, in the order given.
void write_movie(std::span<const std::filesystem::path> frames, double frames_per_second,
                 const std::filesystem::path& path);
void write_movie(std::span<const Image> frames, double frames_per_second, const std::filesystem::path& path);

} // namespace rivulet
