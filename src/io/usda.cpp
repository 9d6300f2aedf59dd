#include "io/usda.h"

#include "base/assert.h"
#include "io/atomic_file.h"
#include "io/usda_format.h"
#include "io/usda_spool.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace rivulet {
namespace {

struct Sample {
    std::int64_t frame;
    UsdaSpool::Segment segment;
};

/// A property of a prim with all its samples so far.
struct Attribute {
    std::string declaration; ///< "point3f[] points"
    std::string metadata;    ///< "interpolation = \"vertex\"" or empty
    std::vector<Sample> samples;
    std::string first_value; ///< kept while nothing else was seen
    bool is_constant = true;
};

struct Prim {
    std::string name; ///< as written
    std::string key;  ///< as given
    std::string type = "Xform";
    std::vector<Attribute> attributes;
    std::vector<std::string> fixed; ///< lines that do not depend on time
    std::deque<Prim> children;
    Quat rotation = Quat::Identity(); ///< last one written
    bool has_xform = false;
};

std::string indent(int depth) { return std::string(static_cast<std::size_t>(4 * depth), ' '); }

void add_fixed(Prim& prim, const std::string& line)
{
    if (std::find(prim.fixed.begin(), prim.fixed.end(), line) == prim.fixed.end()) prim.fixed.push_back(line);
}

double largest(std::span<const double> values)
{
    return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

std::string interpolation_of(std::size_t n_values, std::size_t n_points)
{
    RIVULET_VERIFY(n_values == n_points || n_values == 1);
    return n_values == 1 && n_points != 1 ? "constant" : "vertex";
}

} // namespace

std::string usd_identifier(const std::string& name)
{
    std::string result;
    for (const char c : name)
        result += (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? c : '_';
    if (result.empty() || (result[0] >= '0' && result[0] <= '9')) result.insert(0, "_");
    return result;
}

class UsdaWriter::Impl {
public:
    Impl(std::filesystem::path path, double frames_per_second, std::string comment)
        : path_(std::move(path)), frames_per_second_(frames_per_second), comment_(std::move(comment)),
          spool_(path_.string() + ".spool")
    {
        world_.name = "World";
    }

    void begin_frame(std::int64_t frame)
    {
        RIVULET_VERIFY(!has_frame_ || frame > frame_);
        if (!has_frame_) first_frame_ = frame;
        has_frame_ = true;
        frame_ = frame;
    }

    /// The prim at a path, made when it is new.
    Prim& prim(const std::string& path, const std::string& type)
    {
        RIVULET_VERIFY(has_frame_);
        Prim* at = &world_;
        for (std::size_t begin = 0; begin <= path.size();) {
            const std::size_t end = std::min(path.find('/', begin), path.size());
            at = &child(*at, path.substr(begin, end - begin));
            begin = end + 1;
        }
        // A prim may be placed before its kind is known.
        if (at->type == "Xform") at->type = type;
        RIVULET_VERIFY(type == "Xform" || at->type == type);
        return *at;
    }

    void put(Prim& prim, const std::string& declaration, const std::string& metadata, const std::string& value)
    {
        auto it = std::find_if(prim.attributes.begin(), prim.attributes.end(),
                               [&](const Attribute& a) { return a.declaration == declaration; });
        if (it == prim.attributes.end())
            it = prim.attributes.insert(prim.attributes.end(), {declaration, metadata, {}, value, true});
        it->is_constant = it->is_constant && it->first_value == value;
        if (!it->is_constant) it->first_value.clear();
        it->samples.push_back({frame_, spool_.put(value)});
        // A single value for all points and later one a point: the finer of the two holds.
        if (metadata.find("vertex") != std::string::npos) it->metadata = metadata;
    }

    void put_quantities(Prim& prim, std::span<const UsdQuantity> quantities, std::size_t n_points)
    {
        for (const UsdQuantity& q : quantities) {
            if (q.name == "velocity") {
                RIVULET_VERIFY(q.vectors.size() == n_points);
                put(prim, "vector3f[] velocities", "", usd_vectors(q.vectors));
                continue;
            }
            // Without points there is nothing to count: empty arrays are one a point.
            const std::size_t n = q.scalars.size() + q.vectors.size();
            const std::string metadata = fmt::format("interpolation = \"{}\"", interpolation_of(n, n_points));
            if (q.name == "colour")
                put(prim, "color3f[] primvars:displayColor", metadata, usd_vectors(q.vectors));
            else if (q.vectors.empty())
                put(prim, "float[] primvars:" + usd_identifier(q.name), metadata, usd_scalars(q.scalars));
            else
                put(prim, "float3[] primvars:" + usd_identifier(q.name), metadata, usd_vectors(q.vectors));
        }
    }

    void put_widths(Prim& prim, std::span<const double> widths, std::size_t n_points)
    {
        put(prim, "float[] widths", fmt::format("interpolation = \"{}\"", interpolation_of(widths.size(), n_points)),
            usd_scalars(widths));
    }

    void finish()
    {
        AtomicFile out(path_);
        out.write(header());
        write_prim(out, world_, 0);
        out.commit();
    }

private:
    Prim& child(Prim& parent, const std::string& key)
    {
        for (Prim& c : parent.children)
            if (c.key == key) return c;
        Prim fresh;
        fresh.key = key;
        fresh.name = usd_identifier(key);
        const auto is_taken = [&](const std::string& name) {
            return std::any_of(parent.children.begin(), parent.children.end(),
                               [&](const Prim& c) { return c.name == name; });
        };
        for (int i = 2; is_taken(fresh.name); ++i) fresh.name = fmt::format("{}_{}", usd_identifier(key), i);
        parent.children.push_back(std::move(fresh));
        return parent.children.back();
    }

    std::string header() const
    {
        return fmt::format("#usda 1.0\n(\n    doc = {}\n    defaultPrim = \"World\"\n    metersPerUnit = 1\n"
                           "    upAxis = \"Z\"\n    startTimeCode = {}\n    endTimeCode = {}\n"
                           "    timeCodesPerSecond = {}\n    framesPerSecond = {}\n)\n\n",
                           usd_string(comment_), first_frame_, frame_, frames_per_second_, frames_per_second_);
    }

    void write_prim(AtomicFile& out, const Prim& prim, int depth)
    {
        out.write(fmt::format("{0}def {1} \"{2}\"\n{0}{{\n", indent(depth), prim.type, prim.name));
        for (const std::string& line : prim.fixed) out.write(indent(depth + 1) + line + "\n");
        for (const Attribute& attribute : prim.attributes) write_attribute(out, attribute, depth + 1);
        for (const Prim& c : prim.children) write_prim(out, c, depth + 1);
        out.write(indent(depth) + "}\n");
    }

    void write_attribute(AtomicFile& out, const Attribute& attribute, int depth)
    {
        const std::string metadata =
            attribute.metadata.empty() ? "" : fmt::format(" (\n{0}    {1}\n{0})", indent(depth), attribute.metadata);
        if (attribute.is_constant) {
            out.write(indent(depth) + attribute.declaration + " = " + attribute.first_value + metadata + "\n");
            return;
        }
        // Metadata belongs to a declaration of its own: samples carry none.
        if (!metadata.empty()) out.write(indent(depth) + attribute.declaration + metadata + "\n");
        out.write(indent(depth) + attribute.declaration + ".timeSamples = {\n");
        for (const Sample& sample : attribute.samples)
            out.write(fmt::format("{}{}: {},\n", indent(depth + 1), sample.frame, spool_.get(sample.segment)));
        out.write(indent(depth) + "}\n");
    }

    std::filesystem::path path_;
    double frames_per_second_;
    std::string comment_;
    UsdaSpool spool_;
    Prim world_;
    bool has_frame_ = false;
    std::int64_t first_frame_ = 0, frame_ = 0;
};

UsdaWriter::UsdaWriter(std::filesystem::path path, double frames_per_second, std::string comment)
    : impl_(std::make_unique<Impl>(std::move(path), frames_per_second, std::move(comment)))
{
}

UsdaWriter::~UsdaWriter() = default;

void UsdaWriter::begin_frame(std::int64_t frame) { impl_->begin_frame(frame); }

void UsdaWriter::points(const std::string& path, std::span<const Vec3> positions, std::span<const double> widths,
                        std::span<const std::int64_t> ids, std::span<const UsdQuantity> quantities)
{
    Prim& prim = impl_->prim(path, "Points");
    impl_->put(prim, "float3[] extent", "", usd_extent(positions, 0.5 * largest(widths)));
    impl_->put(prim, "point3f[] points", "", usd_vectors(positions));
    impl_->put_widths(prim, widths, positions.size());
    if (!ids.empty()) {
        RIVULET_VERIFY(ids.size() == positions.size());
        impl_->put(prim, "int64[] ids", "", usd_integers(ids));
    }
    impl_->put_quantities(prim, quantities, positions.size());
}

void UsdaWriter::curves(const std::string& path, std::span<const Vec3> positions,
                        std::span<const std::int32_t> vertex_counts, std::span<const double> widths,
                        std::span<const UsdQuantity> quantities)
{
    std::size_t n = 0;
    for (const std::int32_t count : vertex_counts) n += static_cast<std::size_t>(count);
    RIVULET_VERIFY(n == positions.size());
    Prim& prim = impl_->prim(path, "BasisCurves");
    add_fixed(prim, "uniform token type = \"linear\"");
    impl_->put(prim, "float3[] extent", "", usd_extent(positions, 0.5 * largest(widths)));
    impl_->put(prim, "int[] curveVertexCounts", "", usd_integers(vertex_counts));
    impl_->put(prim, "point3f[] points", "", usd_vectors(positions));
    impl_->put_widths(prim, widths, positions.size());
    impl_->put_quantities(prim, quantities, positions.size());
}

void UsdaWriter::mesh(const std::string& path, std::span<const Vec3> positions,
                      std::span<const std::array<std::int32_t, 3>> triangles, std::span<const UsdQuantity> quantities)
{
    Prim& prim = impl_->prim(path, "Mesh");
    add_fixed(prim, "uniform token subdivisionScheme = \"none\"");
    add_fixed(prim, "uniform bool doubleSided = 1"); // liquid is seen from within too, cloth from both sides
    const std::vector<std::int32_t> counts(triangles.size(), 3);
    std::vector<std::int32_t> indices;
    indices.reserve(3 * triangles.size());
    for (const auto& t : triangles) indices.insert(indices.end(), t.begin(), t.end());
    impl_->put(prim, "float3[] extent", "", usd_extent(positions, 0));
    impl_->put(prim, "int[] faceVertexCounts", "", usd_integers(counts));
    impl_->put(prim, "int[] faceVertexIndices", "", usd_integers(indices));
    impl_->put(prim, "point3f[] points", "", usd_vectors(positions));
    impl_->put_quantities(prim, quantities, positions.size());
}

void UsdaWriter::xform(const std::string& path, const Vec3& position, const Quat& rotation)
{
    Prim& prim = impl_->prim(path, "Xform");
    // q and -q turn alike; the nearer one keeps interpolation short.
    Quat q = rotation;
    if (prim.has_xform && q.dot(prim.rotation) < 0) q.coeffs() = -q.coeffs();
    prim.rotation = q;
    add_fixed(prim, "uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]");
    prim.has_xform = true;
    impl_->put(prim, "double3 xformOp:translate", "",
               fmt::format("({}, {}, {})", position.x(), position.y(), position.z()));
    impl_->put(prim, "quatf xformOp:orient", "",
               fmt::format("({}, {}, {}, {})", static_cast<float>(q.w()), static_cast<float>(q.x()),
                           static_cast<float>(q.y()), static_cast<float>(q.z())));
}

void UsdaWriter::finish() { impl_->finish(); }

} // namespace rivulet
