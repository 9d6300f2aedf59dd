#include "io/hdf5_file.h"

#include "base/error.h"
#include "io/atomic_file.h"
#include "io/sealed_file.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>

#include <numeric>

namespace rivulet {
namespace {

std::vector<double> ramp(std::int64_t n)
{
    std::vector<double> values(static_cast<std::size_t>(n));
    std::iota(values.begin(), values.end(), 0.25);
    return values;
}

void fill(Hdf5Writer& writer, const std::vector<double>& values)
{
    writer.dataset("liquid/position", {Hdf5Type::Float64, static_cast<std::int64_t>(values.size()) / 3, 3},
                   values.data(), "m");
    writer.strings("bodies/name", {"bucket", "", "lid"});
    writer.attribute("/", "time", 0.125);
    writer.attribute("/", "frame", std::int64_t{1} << 60);
    writer.attribute("/", "scene", "title = \"d\xc3\xa9j\xc3\xa0\"");
}

TEST(Hdf5File, ReadsBackWhatWasWritten)
{
    const TemporaryFolder folder;
    const std::vector<double> values = ramp(3 * 200000); // several chunks
    Hdf5Writer writer;
    fill(writer, values);
    writer.save(folder.path() / "a.h5");

    const Hdf5Reader reader(folder.path() / "a.h5");
    std::vector<double> back(values.size());
    reader.read("liquid/position", {Hdf5Type::Float64, 200000, 3}, back.data());
    EXPECT_EQ(back, values);
    EXPECT_EQ(reader.strings("bodies/name"), (std::vector<std::string>{"bucket", "", "lid"}));
    EXPECT_EQ(reader.text("liquid/position", "unit"), "m");
    EXPECT_EQ(reader.number("/", "time"), 0.125);
    EXPECT_EQ(reader.integer("/", "frame"), std::int64_t{1} << 60);
    EXPECT_EQ(reader.text("/", "scene"), "title = \"d\xc3\xa9j\xc3\xa0\"");
    EXPECT_EQ(reader.list("/"), (std::vector<std::string>{"bodies", "liquid"}));
}

TEST(Hdf5File, EmptyArraysAndTextAreKept)
{
    const TemporaryFolder folder;
    Hdf5Writer writer;
    writer.dataset("liquid/id", {Hdf5Type::Int64, 0, 1}, nullptr);
    writer.strings("names", {});
    writer.attribute("/", "note", "");
    writer.save(folder.path() / "a.h5");
    const Hdf5Reader reader(folder.path() / "a.h5");
    EXPECT_EQ(reader.shape("liquid/id").count, 0);
    EXPECT_TRUE(reader.strings("names").empty());
    EXPECT_EQ(reader.text("/", "note"), "");
}

TEST(Hdf5File, SameContentGivesTheSameBytes)
{
    Hdf5Writer a, b(1 << 22);
    fill(a, ramp(300));
    fill(b, ramp(300));
    const auto first = a.image(), second = b.image();
    EXPECT_TRUE(std::equal(first.begin(), first.end(), second.begin(), second.end()));
}

TEST(Hdf5File, StandardSignatureFollowsTheUserBlock)
{
    const TemporaryFolder folder;
    Hdf5Writer writer;
    writer.save(folder.path() / "a.h5");
    const std::string content = read_text(folder.path() / "a.h5");
    EXPECT_EQ(content.substr(0, 8), "RIVULET\n");
    EXPECT_EQ(content.substr(512, 8), "\x89HDF\r\n\x1a\n"); // HDF5 file format specification, section II.A
}

TEST(Hdf5File, WrongShapeTypeOrNameIsRefusedByPathAndName)
{
    const TemporaryFolder folder;
    Hdf5Writer writer;
    fill(writer, ramp(300));
    writer.save(folder.path() / "a.h5");
    const Hdf5Reader reader(folder.path() / "a.h5");
    std::vector<double> back(300);
    const auto message = [&](const std::string& name, const Hdf5Shape& shape) {
        try {
            reader.read(name, shape, back.data());
        } catch (const IoError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_NE(message("liquid/position", {Hdf5Type::Float64, 99, 3}).find("a.h5: liquid/position: holds 100 x 3"),
              std::string::npos);
    EXPECT_NE(message("liquid/position", {Hdf5Type::Float32, 100, 3}).find("another type"), std::string::npos);
    EXPECT_NE(message("liquid/velocity", {Hdf5Type::Float64, 100, 3}).find("is missing"), std::string::npos);
    EXPECT_THROW((void)reader.number("/", "mass"), IoError);
    EXPECT_THROW((void)reader.text("/", "time"), IoError);
}

TEST(SealedFile, EveryAlteredByteIsNoticed)
{
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.h5";
    Hdf5Writer writer;
    fill(writer, ramp(30));
    writer.save(path);
    const std::vector<std::byte> good = read_bytes(path);
    for (std::size_t i = 0; i < good.size(); i += i < kSealSize ? 1 : 37) {
        std::vector<std::byte> bad = good;
        bad[i] ^= std::byte{1};
        write_file_atomically(path, bad);
        EXPECT_THROW((void)read_sealed(path), IoError) << "byte " << i;
    }
    write_file_atomically(path, good);
    EXPECT_NO_THROW((void)read_sealed(path));
}

} // namespace
} // namespace rivulet
