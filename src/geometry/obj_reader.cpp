#include "geometry/curve_io.h"
#include "geometry/mesh_io.h"
#include "geometry/mesh_parsing.h"

#include <algorithm>
#include <array>

namespace rivulet {
namespace {

/// Statements of the format that are of no use here; lines are, where strands are read.
constexpr std::array<std::string_view, 18> kIgnored = {
    "vt",  "vn",     "vp",     "l",      "p",      "g",     "o",        "s",        "mg",
    "lod", "usemtl", "mtllib", "usemap", "maplib", "bevel", "c_interp", "d_interp", "shadow_obj"};

class ObjParser {
public:
    ObjParser(std::string_view text, const std::string& name) : name_(name), lines_(text, name) {}

    TriangleMesh mesh()
    {
        parse();
        if (mesh_.triangles.empty()) lines_.fail("the file has no faces");
        if (mesh_.colours.size() < mesh_.vertices.size()) mesh_.colours.clear();
        return std::move(mesh_);
    }

    Curves curves()
    {
        is_of_curves_ = true;
        parse();
        add_chains(curves_, mesh_.vertices, edges_, name_);
        if (curves_.size() == 0) lines_.fail("the file has no lines");
        return std::move(curves_);
    }

private:
    void parse()
    {
        std::string_view line;
        std::string joined;
        while (next_statement(line, joined)) {
            const std::string_view keyword = next_word(line);
            if (keyword.empty() || keyword.front() == '#') continue;
            if (keyword == "v")
                read_vertex(line);
            else if (keyword == "l" && is_of_curves_)
                read_line(line);
            else if (keyword == "f")
                read_face(line);
            else if (std::find(kIgnored.begin(), kIgnored.end(), keyword) == kIgnored.end())
                lines_.fail("unknown statement " + shown(keyword));
        }
    }

    /// A line without its comment, joined with the next ones while it ends in a backslash.
    bool next_statement(std::string_view& line, std::string& joined)
    {
        if (!lines_.next(line)) return false;
        joined.clear();
        while (!line.empty() && line.back() == '\\') {
            joined += line.substr(0, line.size() - 1);
            joined += ' ';
            if (!lines_.next(line)) line = {};
        }
        if (!joined.empty()) {
            joined += line;
            line = joined;
        }
        line = line.substr(0, line.find('#'));
        return true;
    }

    void read_vertex(std::string_view line)
    {
        std::array<double, 7> value{};
        std::size_t n = 0;
        for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
            if (n == value.size()) lines_.fail("a vertex has at most 7 numbers");
            if (!parse_number(word, value[n]) || !std::isfinite(value[n]))
                lines_.fail("expected a finite number, not " + shown(word));
            ++n;
        }
        if (n < 3) lines_.fail("a vertex needs 3 coordinates, there are " + std::to_string(n));
        mesh_.vertices.emplace_back(value[0], value[1], value[2]);
        // x y z r g b, or x y z w r g b.
        if (n >= 6 && mesh_.colours.size() + 1 == mesh_.vertices.size())
            mesh_.colours.emplace_back(value[n - 3], value[n - 2], value[n - 1]);
    }

    std::int32_t read_index(std::string_view word)
    {
        std::int64_t index = 0;
        const std::string_view number = word.substr(0, word.find('/'));
        if (!parse_number(number, index)) lines_.fail("expected a vertex index, not " + shown(word));
        const auto n = static_cast<std::int64_t>(mesh_.vertices.size());
        // 1 is the first vertex, -1 the last one so far.
        const std::int64_t vertex = index < 0 ? n + index : index - 1;
        if (index == 0 || index < -n || vertex >= n)
            lines_.fail("vertex index " + std::to_string(index) + ", but there are " + std::to_string(n) + " vertices");
        return static_cast<std::int32_t>(vertex);
    }

    void read_face(std::string_view line)
    {
        polygon_.clear();
        for (std::string_view word = next_word(line); !word.empty(); word = next_word(line))
            polygon_.push_back(read_index(word));
        if (polygon_.size() < 3) lines_.fail("a face needs 3 vertices, there are " + std::to_string(polygon_.size()));
        append_polygon(mesh_, polygon_);
    }

    /// Longer lines are strands as they are; of two vertices, pieces of some.
    void read_line(std::string_view line)
    {
        polygon_.clear();
        for (std::string_view word = next_word(line); !word.empty(); word = next_word(line))
            polygon_.push_back(read_index(word));
        if (polygon_.size() < 2) lines_.fail("a line needs 2 vertices, there are " + std::to_string(polygon_.size()));
        if (polygon_.size() == 2) {
            edges_.push_back({polygon_[0], polygon_[1]});
            return;
        }
        if (polygon_.front() == polygon_.back()) lines_.fail("the line is closed; strands have two ends");
        std::vector<Vec3> points;
        for (const std::int32_t v : polygon_) points.push_back(mesh_.vertices[static_cast<std::size_t>(v)]);
        curves_.add(points);
    }

    std::string name_;
    LineReader lines_;
    TriangleMesh mesh_;
    std::vector<std::int32_t> polygon_;
    bool is_of_curves_ = false;
    Curves curves_;
    std::vector<std::array<std::int32_t, 2>> edges_;
};

} // namespace

TriangleMesh parse_obj(std::string_view text, const std::string& name) { return ObjParser(text, name).mesh(); }

Curves parse_obj_curves(std::string_view text, const std::string& name) { return ObjParser(text, name).curves(); }

} // namespace rivulet
