#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rivulet {

/// A line of a chart. Values that are not finite (and, on a logarithmic axis, not positive) leave a gap.
struct PlotSeries {
    std::string name; ///< in the legend; empty = not listed
    std::vector<double> x;
    std::vector<double> y; ///< as many as x
    bool line = true;
    bool markers = false;
    bool dashed = false;
};

struct PlotAxis {
    std::string label; ///< with its unit: "time [s]"
    bool logarithmic = false;
    std::optional<std::pair<double, double>> range; ///< lowest and highest value shown; none = all the data
};

struct PlotPanel {
    std::string title;
    PlotAxis x, y;
    std::vector<PlotSeries> series;
};

/// Panels one below the other.
struct Plot {
    std::string title;
    std::vector<PlotPanel> panels;
    int width = 860;        ///< [pixels]
    int panel_height = 280; ///< [pixels]
};

/// Positions of axis labels inside [low, high]: multiples of 1, 2 or 5 times a power of ten, `target` of them or a few
/// more or less.
[[nodiscard]] std::vector<double> linear_ticks(double low, double high, int target);
/// Powers of ten inside [low, high] (every second, third... when there are many); 1, 2 and 5 times powers when fewer
/// than three are inside. 0 < low <= high.
[[nodiscard]] std::vector<double> logarithmic_ticks(double low, double high, int target);

/// The chart as an SVG document. Raises InputError where x and y of a series differ in length or a range is unusable.
[[nodiscard]] std::string svg_document(const Plot& plot);
/// Complete or absent.
void write_plot(const std::filesystem::path& path, const Plot& plot);

} // namespace rivulet
