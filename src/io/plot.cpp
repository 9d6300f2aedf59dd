#include "io/plot.h"

#include "base/error.h"
#include "io/atomic_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace rivulet {
namespace {

constexpr std::array<const char*, 24> kPalette{"#3b6ea5", "#d1793b", "#4f9171", "#b5495b", "#7a68a6", "#8a7a5c",
                                               "#3a9ca6", "#6b6f76", "#8db3dc", "#edb27f", "#93cbad", "#e094a1",
                                               "#b9abdb", "#c9b994", "#8fd3db", "#b3b7bd", "#1e3f63", "#8a4515",
                                               "#27553f", "#742334", "#453769", "#544932", "#17626b", "#33373c"};
/// The axes start at kLeast or, where their numbers are wide, farther to the right of the axis' label in kAxisLabel.
constexpr double kLeast = 88, kAxisLabel = 26, kTickGap = 8, kRight = 24, kTitle = 46, kPanelTitle = 26, kBottom = 54,
                 kLegendRow = 20;
constexpr const char* kStyle =
    "text{font-family:'Inter','Helvetica Neue',Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif;"
    "fill:#33383f;font-size:12px}"
    ".t{font-size:17px;font-weight:600}.p{font-size:13px;font-weight:600}.k{fill:#5b626b;font-size:11.5px}"
    ".g{stroke:#e6e8eb;stroke-width:1}.a{stroke:#8b929b;stroke-width:1}"
    ".l{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}";

std::string escaped(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else if (static_cast<unsigned char>(c) >= 0x20)
            out += c; // control characters have no place in XML
    }
    return out;
}

/// One direction of a panel: data values to pixels.
struct Scale {
    double low = 0, high = 1;  ///< data
    double start = 0, end = 1; ///< pixels
    bool logarithmic = false;
    std::vector<double> ticks;

    [[nodiscard]] bool shows(double v) const { return std::isfinite(v) && (!logarithmic || v > 0); }
    [[nodiscard]] double pixel(double v) const
    {
        const double t = logarithmic ? std::log(v / low) / std::log(high / low) : (v - low) / (high - low);
        return start + std::clamp(t, -10.0, 11.0) * (end - start);
    }
};

/// Lowest and highest value that the axis must show; a single value gets some room around it.
std::pair<double, double> data_range(const PlotAxis& axis, const std::vector<PlotSeries>& series,
                                     const std::vector<double> PlotSeries::*values)
{
    double low = INFINITY, high = -INFINITY;
    for (const PlotSeries& s : series)
        for (const double v : s.*values)
            if (std::isfinite(v) && (!axis.logarithmic || v > 0)) {
                low = std::min(low, v);
                high = std::max(high, v);
            }
    if (low > high) return axis.logarithmic ? std::pair{1.0, 10.0} : std::pair{0.0, 1.0};
    // Differences at the level of rounding are not worth a whole axis.
    const double least = 1e-12 * std::max(std::abs(low), std::abs(high));
    if (high - low > least) return {low, high};
    if (axis.logarithmic) return {low / 2, high * 2};
    const double room = low == 0 ? 1 : 0.1 * std::abs(low);
    return {low - room, high + room};
}

Scale make_scale(const PlotAxis& axis, const std::vector<PlotSeries>& series,
                 const std::vector<double> PlotSeries::*values, double start, double end, double margin)
{
    Scale scale;
    scale.logarithmic = axis.logarithmic;
    std::tie(scale.low, scale.high) = axis.range ? *axis.range : data_range(axis, series, values);
    if (!(scale.low < scale.high) || !std::isfinite(scale.high - scale.low) || (axis.logarithmic && scale.low <= 0))
        throw InputError(
            fmt::format("plot: axis '{}' cannot show the range {} to {}", axis.label, scale.low, scale.high));
    if (!axis.range && !axis.logarithmic) {
        const double room = margin * (scale.high - scale.low);
        // A quantity that starts at zero keeps zero at the axis.
        if (scale.low != 0) scale.low -= room;
        if (scale.high != 0) scale.high += room;
    } else if (!axis.range && margin > 0) {
        const double room = std::pow(scale.high / scale.low, margin);
        scale.low /= room;
        scale.high *= room;
    }
    scale.start = start;
    scale.end = end;
    const int target = std::max(2, static_cast<int>(std::abs(end - start) / (margin > 0 ? 42 : 90)));
    scale.ticks = axis.logarithmic ? logarithmic_ticks(scale.low, scale.high, target)
                                   : linear_ticks(scale.low, scale.high, target);
    return scale;
}

/// Exponents as raised digits.
std::string power_label(int exponent)
{
    static constexpr std::array<const char*, 10> kRaised{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text = exponent < 0 ? "⁻" : "";
    for (const char digit : std::to_string(std::abs(exponent))) text += kRaised[static_cast<std::size_t>(digit - '0')];
    return "10" + text;
}

std::string tick_label(double value, const Scale& scale)
{
    const double size = std::max(std::abs(scale.low), std::abs(scale.high));
    const bool extreme = size >= 1e5 || size < 1e-3;
    if (scale.logarithmic && (extreme || scale.high / scale.low > 1e3)) {
        const int exponent = static_cast<int>(std::floor(std::log10(value) + 1e-9));
        const std::string digits = fmt::format("{:.4g}", value / std::pow(10.0, exponent));
        return digits == "1" ? power_label(exponent) : fmt::format("{}·{}", digits, power_label(exponent));
    }
    if (value == 0) return "0";
    std::string text;
    if (extreme) {
        const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
        text = fmt::format("{:.6g}·{}", value / std::pow(10.0, exponent), power_label(exponent));
    } else {
        text = fmt::format("{:.8g}", value);
    }
    const auto minus = text.find('-');
    if (minus == 0) text.replace(0, 1, "−");
    return text;
}

void add_axes(std::string& svg, const PlotPanel& panel, const Scale& x, const Scale& y)
{
    for (const double tick : y.ticks)
        svg += fmt::format("<line class=\"g\" x1=\"{0:.1f}\" y1=\"{2:.1f}\" x2=\"{1:.1f}\" y2=\"{2:.1f}\"/>"
                           "<text class=\"k\" x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
                           x.start, x.end, y.pixel(tick), x.start - kTickGap, y.pixel(tick) + 4, tick_label(tick, y));
    for (const double tick : x.ticks)
        svg += fmt::format("<line class=\"a\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>"
                           "<text class=\"k\" x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4}</text>\n",
                           x.pixel(tick), y.start, y.start + 5, y.start + 19, tick_label(tick, x));
    svg += fmt::format("<line class=\"a\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", x.start,
                       y.start, x.end, y.start);
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", 0.5 * (x.start + x.end),
                       y.start + 39, escaped(panel.x.label));
    svg += fmt::format("<text transform=\"translate({:.1f},{:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                       18.0, 0.5 * (y.start + y.end), escaped(panel.y.label));
}

/// The series as path data, a new stroke after each gap.
std::string path_data(const PlotSeries& series, const Scale& x, const Scale& y)
{
    std::string data;
    bool pen_down = false;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
        const bool shown = x.shows(series.x[i]) && y.shows(series.y[i]);
        if (shown)
            data += fmt::format("{}{:.2f} {:.2f}", pen_down ? "L" : "M", x.pixel(series.x[i]), y.pixel(series.y[i]));
        pen_down = shown;
    }
    return data;
}

void add_series(std::string& svg, const PlotSeries& series, const char* colour, const Scale& x, const Scale& y)
{
    if (series.line) {
        const std::string data = path_data(series, x, y);
        if (!data.empty())
            svg += fmt::format("<path class=\"l\" stroke=\"{}\"{} d=\"{}\"/>\n", colour,
                               series.dashed ? " stroke-dasharray=\"6 5\"" : "", data);
    }
    if (!series.markers) return;
    for (std::size_t i = 0; i < series.x.size(); ++i)
        if (x.shows(series.x[i]) && y.shows(series.y[i]))
            svg += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3\" fill=\"{}\" stroke=\"#fff\"/>\n",
                               x.pixel(series.x[i]), y.pixel(series.y[i]), colour);
}

/// Width of a text in the charts' font, about [pixels].
double text_width(const std::string& text) { return 6.6 * static_cast<double>(text.size()); }

/// Lays the legend out in rows from (left, top); returns its height. Draws when `svg` is given.
double legend(std::string* svg, const PlotPanel& panel, double left, double right, double top)
{
    double x = left, y = top;
    bool any = false;
    for (std::size_t i = 0; i < panel.series.size(); ++i) {
        const PlotSeries& s = panel.series[i];
        if (s.name.empty()) continue;
        const double width = 34 + text_width(s.name) + 14;
        if (any && x + width > right) {
            x = left;
            y += kLegendRow;
        }
        any = true;
        const char* colour = kPalette[i % kPalette.size()];
        if (svg && s.line)
            *svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
                                "stroke-width=\"2.4\" stroke-linecap=\"round\"{}/>",
                                x, y - 4, x + 22, y - 4, colour, s.dashed ? " stroke-dasharray=\"6 5\"" : "");
        if (svg && s.markers)
            *svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>", x + 11, y - 4, colour);
        if (svg) *svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 29, y, escaped(s.name));
        x += width;
    }
    return any ? y - top + kLegendRow : 0;
}

/// Width of an axis' number in a wide font [pixels]. Raised digits and the dot are small.
double tick_width(std::string_view label)
{
    double width = 0;
    for (; !label.empty(); label.remove_prefix(1)) {
        const auto byte = static_cast<unsigned char>(label.front());
        if ((byte & 0xC0) == 0x80) continue; // in the middle of a character
        width += label.starts_with("−") ? 9.6 : byte < 0x80 ? 7.3 : 5;
    }
    return width;
}

Scale vertical_scale(const PlotPanel& panel, double bottom, double top)
{
    return make_scale(panel.y, panel.series, &PlotSeries::y, bottom, top, 0.05);
}

/// Where the axes of all panels start: right of the widest number.
double left_of(const Plot& plot)
{
    double left = kLeast;
    for (const PlotPanel& panel : plot.panels) {
        const Scale y = vertical_scale(panel, plot.panel_height, 0);
        for (const double tick : y.ticks)
            left = std::max(left, kAxisLabel + tick_width(tick_label(tick, y)) + kTickGap);
    }
    return left;
}

double panel_extent(const Plot& plot, const PlotPanel& panel, double left)
{
    const double heading =
        (panel.title.empty() ? 6 : kPanelTitle) + legend(nullptr, panel, left, plot.width - kRight, 0);
    return heading + plot.panel_height + kBottom;
}

void add_panel(std::string& svg, const Plot& plot, const PlotPanel& panel, int number, double left, double top)
{
    for (const PlotSeries& s : panel.series)
        if (s.x.size() != s.y.size())
            throw InputError(fmt::format("plot: series '{}' has {} x and {} y", s.name, s.x.size(), s.y.size()));
    const double right = plot.width - kRight;
    double y0 = top + 6;
    if (!panel.title.empty()) {
        svg += fmt::format("<text class=\"p\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left, top + 14,
                           escaped(panel.title));
        y0 = top + kPanelTitle;
    }
    y0 += legend(&svg, panel, left, right, y0 + 10);
    const double y1 = y0 + plot.panel_height;
    const Scale x = make_scale(panel.x, panel.series, &PlotSeries::x, left, right, 0);
    const Scale y = vertical_scale(panel, y1, y0);
    add_axes(svg, panel, x, y);
    svg += fmt::format("<clipPath id=\"c{}\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>"
                       "</clipPath>\n<g clip-path=\"url(#c{})\">\n",
                       number, left - 4, y0 - 4, right - left + 8, y1 - y0 + 8, number);
    for (std::size_t i = 0; i < panel.series.size(); ++i)
        add_series(svg, panel.series[i], kPalette[i % kPalette.size()], x, y);
    svg += "</g>\n";
}

} // namespace

std::string svg_document(const Plot& plot)
{
    if (plot.width < 200 || plot.panel_height < 40) throw InputError("plot: at least 200 pixels wide, 40 a panel");
    double height = plot.title.empty() ? 16 : kTitle;
    const double left = left_of(plot);
    for (const PlotPanel& panel : plot.panels) height += panel_extent(plot, panel, left);
    std::string svg = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1:.0f}\" "
                                  "viewBox=\"0 0 {0} {1:.0f}\">\n<style>{2}</style>\n"
                                  "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
                                  plot.width, height, kStyle);
    if (!plot.title.empty())
        svg += fmt::format("<text class=\"t\" x=\"{:.1f}\" y=\"29\">{}</text>\n", left, escaped(plot.title));
    double top = plot.title.empty() ? 16 : kTitle;
    int number = 0;
    for (const PlotPanel& panel : plot.panels) {
        add_panel(svg, plot, panel, number++, left, top);
        top += panel_extent(plot, panel, left);
    }
    return svg + "</svg>\n";
}

void write_plot(const std::filesystem::path& path, const Plot& plot)
{
    write_file_atomically(path, svg_document(plot));
}

} // namespace rivulet
