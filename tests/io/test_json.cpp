#include "io/json.h"

#include "base/error.h"
#include "io/atomic_file.h"
#include "io/csv.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rivulet {
namespace {

TEST(Json, WritesTheStandardsText)
{
    Json value;
    value.set("name", "a \"b\" \\ \n")
        .set("n", 3)
        .set("x", 0.1)
        .set("list", Json::Array{1, 2.5, true})
        .set("none", Json());
    value.set("nan", std::nan("")).set("inner", Json::Object{{"k", 1e-300}});
    EXPECT_EQ(value.dump(false), R"({"name": "a \"b\" \\ \n", "n": 3, "x": 0.1, "list": [1, 2.5, true], "none": null, )"
                                 R"("nan": null, "inner": {"k": 1e-300}})");
}

TEST(Json, BytesThatAreNoUtf8AreReplacedAndOthersKept)
{
    const std::string good = "\u00e4 \u20ac \U0001f4a7"; // two, three and four bytes
    EXPECT_EQ(Json(good).dump(false), '"' + good + '"');
    const std::string mark = "\xef\xbf\xbd";
    EXPECT_EQ(Json("a\xff"
                   "b")
                  .dump(false),
              "\"a" + mark + "b\"");
    EXPECT_EQ(Json("\xe2\x82").dump(false), '"' + mark + mark + '"');            // cut short
    EXPECT_EQ(Json("\xc0\x80").dump(false), '"' + mark + mark + '"');            // overlong
    EXPECT_EQ(Json("\xed\xa0\x80").dump(false), '"' + mark + mark + mark + '"'); // half of a pair
    EXPECT_EQ(Json("\xf4\x90\x80\x80").dump(false), '"' + mark + mark + mark + mark + '"');
}

TEST(Json, ReadsBackTheSameBits)
{
    Json value;
    value.set("a", 0.1 + 0.2).set("b", std::numeric_limits<double>::denorm_min()).set("c", std::int64_t{1} << 62);
    const Json back = parse_json(value.dump());
    EXPECT_EQ(back.find("a")->number(), 0.1 + 0.2);
    EXPECT_EQ(back.find("b")->number(), std::numeric_limits<double>::denorm_min());
    EXPECT_EQ(back.dump(), value.dump());
}

TEST(Json, PathsReachMembersAndItems)
{
    const Json value = parse_json(R"({"momentum": {"linear": [1, 2, 3]}, "exit": 0})");
    ASSERT_NE(value.find("momentum.linear.2"), nullptr);
    EXPECT_EQ(value.find("momentum.linear.2")->number(), 3);
    EXPECT_EQ(value.find("momentum.linear.3"), nullptr);
    EXPECT_EQ(value.find("momentum.angular"), nullptr);
}

TEST(Json, BrokenTextIsRefused)
{
    for (const char* text :
         {"", "{", "[1,", "{\"a\" 1}", "\"open", "1 2", "nul", "{\"a\":}", "[1 2]", "\"\\u12\"", "\"\\"})
        EXPECT_THROW((void)parse_json(text), InputError) << text;
    EXPECT_THROW((void)parse_json(std::string(100, '[')), InputError);
}

TEST(Csv, QuotedFieldsAndNumbersReadBack)
{
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.csv";
    const double third = 1.0 / 3;
    write_file_atomically(path, csv_line({"time", "na,me \"x\""}) + csv_line({csv_number(third), "left"}) +
                                    csv_line({csv_number(std::nan("")), "1e3"}));
    const CsvTable table = read_csv(path);
    EXPECT_EQ(table.columns[1], "na,me \"x\"");
    EXPECT_EQ(table.column("nothing"), -1);
    EXPECT_EQ(table.numbers(0)[0], third);
    EXPECT_TRUE(std::isnan(table.numbers(0)[1]));
    EXPECT_EQ(table.numbers(1)[1], 1000);
}

TEST(Csv, RaggedRowIsRefused)
{
    const TemporaryFolder folder;
    write_file_atomically(folder.path() / "a.csv", "a,b\n1\n");
    EXPECT_THROW((void)read_csv(folder.path() / "a.csv"), IoError);
}

TEST(Csv, RowThatAKilledRunDidNotFinishIsLeftOut)
{
    const TemporaryFolder folder;
    write_file_atomically(folder.path() / "a.csv", "a,b\n1,2\n3,");
    EXPECT_EQ(read_csv(folder.path() / "a.csv").rows.size(), 1U);
    write_file_atomically(folder.path() / "a.csv", "a,b\n1,2\n3,4\n");
    EXPECT_EQ(read_csv(folder.path() / "a.csv").rows.size(), 2U);
}

} // namespace
} // namespace rivulet
