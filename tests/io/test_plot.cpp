#include "base/error.h"
#include "io/atomic_file.h"
#include "io/plot.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

namespace rivulet {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void expect_ticks(const std::vector<double>& ticks, const std::vector<double>& expected)
{
    ASSERT_EQ(ticks.size(), expected.size());
    for (std::size_t i = 0; i < ticks.size(); ++i) EXPECT_NEAR(ticks[i], expected[i], 1e-12 * std::abs(expected[i]));
}

std::size_t count(const std::string& text, const std::string& part)
{
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
}

Plot one_line(const std::vector<double>& x, const std::vector<double>& y)
{
    Plot plot;
    PlotPanel panel;
    panel.x.label = "time [s]";
    panel.y.label = "height [m]";
    panel.series.push_back({"water", x, y});
    plot.panels.push_back(panel);
    return plot;
}

/// Asks Python's XML parser, which knows nothing of this code.
bool is_well_formed(const std::string& svg)
{
    const auto file = std::filesystem::path(::testing::TempDir()) / ("rivulet_" + std::to_string(::getpid()) + ".svg");
    write_file_atomically(file, svg);
    const std::string command = "python3 -c \"import sys, xml.etree.ElementTree as t; t.parse(sys.argv[1])\" '" +
                                file.string() + "' 2> /dev/null";
    const bool good = std::system(command.c_str()) == 0;
    std::filesystem::remove(file);
    return good;
}

TEST(PlotTicks, AreRoundNumbersByHand)
{
    expect_ticks(linear_ticks(0, 10, 5), {0, 2, 4, 6, 8, 10});
    expect_ticks(linear_ticks(-0.3, 0.71, 5), {-0.2, 0, 0.2, 0.4, 0.6});
    expect_ticks(linear_ticks(9990, 10010, 4), {9990, 9995, 10000, 10005, 10010});
    expect_ticks(linear_ticks(2.1e-9, 4.9e-9, 6), {2.5e-9, 3e-9, 3.5e-9, 4e-9, 4.5e-9});
    expect_ticks(linear_ticks(3, 3, 5), {3});
}

TEST(PlotTicks, OfARangeAtTheLevelOfRoundingIsOne)
{
    const double low = 0.01, high = std::nextafter(low, 1); // steps of a run that end on a frame differ by so much
    expect_ticks(linear_ticks(low, high, 5), {low});
    expect_ticks(logarithmic_ticks(low, high, 5), {low});
    expect_ticks(linear_ticks(-high, -low, 5), {-high});
}

TEST(PlotTicks, OfLogarithmicAxesArePowersOfTen)
{
    expect_ticks(logarithmic_ticks(0.5, 2000, 8), {1, 10, 100, 1000});
    expect_ticks(logarithmic_ticks(1e-16, 1e-4, 5), {1e-15, 1e-12, 1e-9, 1e-6});
    expect_ticks(logarithmic_ticks(1.5, 30, 8), {2, 5, 10, 20});
    expect_ticks(logarithmic_ticks(2.5, 4.5, 4), {2.5, 3, 3.5, 4, 4.5}); // no 1, 2 or 5 in reach
}

TEST(PlotTicks, LieInsideTheRangeForAnyRange)
{
    for (double low = -7.3; low < 8; low += 0.37)
        for (double width = 1e-6; width < 1e7; width *= 3.7) {
            const auto ticks = linear_ticks(low, low + width, 6);
            ASSERT_GE(ticks.size(), 3U);
            ASSERT_LE(ticks.size(), 11U);
            EXPECT_GE(ticks.front(), low - 1e-6 * width);
            EXPECT_LE(ticks.back(), low + width * (1 + 1e-6));
        }
}

TEST(Plot, PointsLandWhereTheirValuesSay)
{
    Plot plot = one_line({0, 1, 2}, {0, 5, 10});
    plot.panels[0].y.range = {0, 10};
    const std::string svg = svg_document(plot);
    // The frame is 88 to 836 pixels wide (width 860) and 280 high: the middle point is half way between the others.
    const auto at = svg.find(" d=\"M");
    ASSERT_NE(at, std::string::npos);
    double x[3], y[3];
    ASSERT_EQ(std::sscanf(svg.c_str() + at, " d=\"M%lf %lfL%lf %lfL%lf %lf", &x[0], &y[0], &x[1], &y[1], &x[2], &y[2]),
              6);
    EXPECT_NEAR(x[0], 88, 1e-9);
    EXPECT_NEAR(x[1], 462, 1e-9);
    EXPECT_NEAR(x[2], 836, 1e-9);
    EXPECT_NEAR(y[0] - y[1], 140, 0.011);
    EXPECT_NEAR(y[1] - y[2], 140, 0.011);
}

TEST(Plot, DecadesAreEquallyFarApartOnALogarithmicAxis)
{
    Plot plot = one_line({1, 10, 1000}, {1, 1, 1});
    plot.panels[0].x.logarithmic = true;
    const std::string svg = svg_document(plot);
    double x[3], y[3];
    ASSERT_EQ(std::sscanf(svg.c_str() + svg.find(" d=\"M"), " d=\"M%lf %lfL%lf %lfL%lf %lf", &x[0], &y[0], &x[1], &y[1],
                          &x[2], &y[2]),
              6);
    EXPECT_NEAR(x[2] - x[1], 2 * (x[1] - x[0]), 0.03);
}

TEST(Plot, ValuesThatAreNotNumbersLeaveAGap)
{
    const std::string svg =
        svg_document(one_line({0, 1, 2, 3, 4, 5}, {1, 2, kNan, 3, std::numeric_limits<double>::infinity(), 4}));
    const auto begin = svg.find(" d=\"") + 4;
    const std::string data = svg.substr(begin, svg.find('"', begin) - begin);
    EXPECT_EQ(count(data, "M"), 3U);
    EXPECT_EQ(count(data, "L"), 1U);
    EXPECT_EQ(count(svg, "nan"), 0U);
    EXPECT_EQ(count(svg, "inf"), 0U);
    EXPECT_TRUE(is_well_formed(svg));
}

TEST(Plot, LogarithmicAxisSkipsWhatIsNotPositive)
{
    Plot plot = one_line({0, 1, 2, 3}, {1, 0, -5, 100});
    plot.panels[0].y.logarithmic = true;
    const std::string svg = svg_document(plot);
    EXPECT_EQ(count(svg, "nan"), 0U);
    EXPECT_EQ(count(svg, "inf"), 0U);
    EXPECT_TRUE(is_well_formed(svg));
}

TEST(Plot, NamesAreEscapedAndDocumentsAreWellFormed)
{
    Plot plot = one_line({0, 1}, {2, 2});
    plot.title = "a < b & \"c\" > d";
    plot.panels[0].series[0].name = "<script>";
    plot.panels[0].title = "control \x01 character";
    plot.panels.push_back(plot.panels[0]);
    plot.panels[1].series[0].markers = true;
    const std::string svg = svg_document(plot);
    EXPECT_EQ(count(svg, "<script>"), 0U);
    EXPECT_EQ(count(svg, "a &lt; b &amp; &quot;c&quot; &gt; d"), 1U);
    EXPECT_TRUE(is_well_formed(svg));
    EXPECT_FALSE(is_well_formed(svg + "<open>")) << "the check itself must be able to fail";
}

TEST(Plot, DegenerateDataStillGiveAChart)
{
    for (const auto& y : {std::vector<double>{},
                          {0, 0, 0},
                          {5, 5, 5},
                          {kNan, kNan, kNan},
                          {1e300, -1e300, 0},
                          {1e-320, 0, 0},
                          {0.01, std::nextafter(0.01, 1), 0.01}})
        for (const bool logarithmic : {false, true}) {
            Plot plot = one_line(std::vector<double>(y.size(), 1.0), y);
            plot.panels[0].y.logarithmic = logarithmic;
            const std::string svg = svg_document(plot);
            EXPECT_EQ(count(svg, "nan"), 0U);
            EXPECT_GE(count(svg, "class=\"k\""), 2U);
        }
    EXPECT_TRUE(is_well_formed(svg_document(Plot{})));
}

TEST(Plot, WideNumbersLeaveRoomForTheLabelOfTheAxis)
{
    const std::string svg = svg_document(one_line({0, 1, 2}, {4.7151e-14, 4.7152e-14, 4.7154e-14}));
    const std::string wide = "4.7152·10⁻¹⁴</text>"; // in DejaVu Sans of 11.5 pixels: 9 x 7.3 + 3.7 + 3 x 4.6
    const std::size_t end = svg.find(wide), begin = svg.rfind("<text", end);
    ASSERT_NE(end, std::string::npos) << svg;
    const double right = std::stod(svg.substr(svg.find("x=\"", begin) + 3));
    EXPECT_GE(right - (9 * 7.3 + 3.7 + 3 * 4.6), 22); // the turned label stands on x = 18; below it are 3 to 4 pixels
    EXPECT_NE(svg_document(one_line({0, 1}, {0, 1})).find("<text class=\"k\" x=\"80.0\""), std::string::npos);
}

TEST(Plot, RefusesSeriesOfUnequalLengthAndEmptyRanges)
{
    EXPECT_THROW((void)svg_document(one_line({0, 1}, {0})), InputError);
    Plot plot = one_line({0, 1}, {0, 1});
    plot.panels[0].y.range = {2, 2};
    EXPECT_THROW((void)svg_document(plot), InputError);
    plot.panels[0].y.range = {0, 2};
    plot.panels[0].y.logarithmic = true;
    EXPECT_THROW((void)svg_document(plot), InputError);
}

TEST(Plot, FileErrorsNameThePath)
{
    try {
        write_plot("/nowhere/at/all.svg", one_line({0, 1}, {0, 1}));
        FAIL() << "no error";
    } catch (const IoError& error) {
        EXPECT_NE(std::string(error.what()).find("/nowhere/at"), std::string::npos) << error.what();
    }
}

} // namespace
} // namespace rivulet
