#include "geometry/curve_io.h"
#include "geometry/mesh_io.h"
#include "geometry/mesh_parsing.h"

#include <bit>
#include <cstring>
#include <optional>

namespace rivulet {
namespace {

enum class Type { Int8, UInt8, Int16, UInt16, Int32, UInt32, Float32, Float64 };
enum class Format { Text, LittleEndian, BigEndian };

struct Property {
    std::string name;
    Type type = Type::Float32;
    std::optional<Type> count_type = {}; ///< set for lists
};

struct Element {
    std::string name;
    std::uint64_t count = 0;
    std::vector<Property> properties;
};

std::size_t size_of(Type type)
{
    switch (type) {
    case Type::Int8:
    case Type::UInt8:
        return 1;
    case Type::Int16:
    case Type::UInt16:
        return 2;
    case Type::Int32:
    case Type::UInt32:
    case Type::Float32:
        return 4;
    case Type::Float64:
        break;
    }
    return 8;
}

std::optional<Type> type_named(std::string_view name)
{
    constexpr std::array<std::pair<std::string_view, Type>, 16> kNames = {{{"char", Type::Int8},
                                                                           {"int8", Type::Int8},
                                                                           {"uchar", Type::UInt8},
                                                                           {"uint8", Type::UInt8},
                                                                           {"short", Type::Int16},
                                                                           {"int16", Type::Int16},
                                                                           {"ushort", Type::UInt16},
                                                                           {"uint16", Type::UInt16},
                                                                           {"int", Type::Int32},
                                                                           {"int32", Type::Int32},
                                                                           {"uint", Type::UInt32},
                                                                           {"uint32", Type::UInt32},
                                                                           {"float", Type::Float32},
                                                                           {"float32", Type::Float32},
                                                                           {"double", Type::Float64},
                                                                           {"float64", Type::Float64}}};
    for (const auto& [word, type] : kNames)
        if (word == name) return type;
    return std::nullopt;
}

template <class T>
double decode_as(std::array<unsigned char, 8> bytes)
{
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return static_cast<double>(value);
}

double decode(Type type, const char* data, bool is_big_endian)
{
    std::array<unsigned char, 8> bytes{};
    const std::size_t n = size_of(type);
    for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<unsigned char>(data[is_big_endian ? n - 1 - i : i]);
    static_assert(std::endian::native == std::endian::little);
    switch (type) {
    case Type::Int8:
        return decode_as<std::int8_t>(bytes);
    case Type::UInt8:
        return decode_as<std::uint8_t>(bytes);
    case Type::Int16:
        return decode_as<std::int16_t>(bytes);
    case Type::UInt16:
        return decode_as<std::uint16_t>(bytes);
    case Type::Int32:
        return decode_as<std::int32_t>(bytes);
    case Type::UInt32:
        return decode_as<std::uint32_t>(bytes);
    case Type::Float32:
        return decode_as<float>(bytes);
    case Type::Float64:
        break;
    }
    return decode_as<double>(bytes);
}

/// Values of the data section one after the other, whatever the format.
class ValueReader {
public:
    ValueReader(LineReader lines, Format format, std::string name)
        : lines_(std::move(lines)), format_(format), name_(std::move(name)), bytes_(lines_.rest())
    {
    }

    void begin_row(const Element& element, std::uint64_t row)
    {
        element_ = &element;
        row_ = row;
        if (format_ != Format::Text) return;
        do {
            if (!lines_.next(line_)) fail("the file ends");
        } while (line_.find_first_not_of(" \t") == std::string_view::npos);
    }
    void end_row()
    {
        if (format_ == Format::Text && !next_word(line_).empty()) fail("more values than properties");
    }
    double read(Type type) { return format_ == Format::Text ? read_text() : read_binary(type); }

    std::size_t read_count(Type type)
    {
        const double count = read(type);
        // A value takes at least a byte: a longer list cannot be there.
        const double most = double(format_ == Format::Text ? line_.size() : bytes_.size());
        if (!(count >= 0 && count <= most) || count != std::floor(count)) fail("impossible list length");
        return static_cast<std::size_t>(count);
    }

    [[noreturn]] void fail(const std::string& what) const
    {
        const std::string where =
            element_->name + " " + std::to_string(row_) + " of " + std::to_string(element_->count);
        if (format_ == Format::Text) lines_.fail(where + ": " + what);
        throw InputError(name_ + ": " + where + ": " + what);
    }

private:
    double read_text()
    {
        const std::string_view word = next_word(line_);
        double value = 0;
        if (word.empty()) fail("fewer values than properties");
        if (!parse_number(word, value)) fail("expected a number, not " + shown(word));
        return value;
    }
    double read_binary(Type type)
    {
        const std::size_t n = size_of(type);
        if (bytes_.size() < n) fail("the file ends");
        const double value = decode(type, bytes_.data(), format_ == Format::BigEndian);
        bytes_.remove_prefix(n);
        return value;
    }

    LineReader lines_;
    Format format_;
    std::string name_;
    std::string_view bytes_;
    std::string_view line_;
    const Element* element_ = nullptr;
    std::uint64_t row_ = 0;
};

class PlyParser {
public:
    PlyParser(std::string_view bytes, std::string name) : lines_(bytes, name), name_(std::move(name)) {}

    TriangleMesh mesh()
    {
        parse();
        if (mesh_.triangles.empty()) throw InputError(name_ + ": the file has no faces");
        return std::move(mesh_);
    }

    Curves curves()
    {
        is_of_curves_ = true;
        parse();
        if (edges_.empty()) throw InputError(name_ + ": the file has no edges");
        Curves curves;
        add_chains(curves, mesh_.vertices, edges_, name_);
        return curves;
    }

private:
    void parse()
    {
        read_header();
        ValueReader values(lines_, format_, name_);
        for (const Element& element : elements_) {
            if (element.name == "vertex")
                read_vertices(element, values);
            else if (element.name == "face")
                read_faces(element, values);
            else if (element.name == "edge" && is_of_curves_)
                read_edges(element, values);
            else
                skip(element, values);
        }
    }

    void read_header()
    {
        std::string_view line;
        if (!lines_.next(line) || line != "ply") lines_.fail("not a PLY file: the first line must be 'ply'");
        bool has_format = false;
        for (;;) {
            if (!lines_.next(line)) lines_.fail("the header has no 'end_header'");
            const std::string_view keyword = next_word(line);
            if (keyword == "end_header") break;
            if (keyword == "format") {
                read_format(line);
                has_format = true;
            } else if (keyword == "element")
                read_element(line);
            else if (keyword == "property")
                read_property(line);
            else if (!keyword.empty() && keyword != "comment" && keyword != "obj_info")
                lines_.fail("unknown header line " + shown(keyword));
        }
        if (!has_format) lines_.fail("the header has no 'format' line");
        for (const Element& element : elements_)
            if (element.count > 0 && element.properties.empty())
                lines_.fail("element " + shown(element.name) + " has no properties");
    }

    void read_format(std::string_view line)
    {
        const std::string_view word = next_word(line);
        if (word == "ascii")
            format_ = Format::Text;
        else if (word == "binary_little_endian")
            format_ = Format::LittleEndian;
        else if (word == "binary_big_endian")
            format_ = Format::BigEndian;
        else
            lines_.fail("unknown format " + shown(word));
    }

    void read_element(std::string_view line)
    {
        Element element;
        element.name = std::string(next_word(line));
        const std::string_view count = next_word(line);
        if (!parse_number(count, element.count)) lines_.fail("expected a number of elements, not " + shown(count));
        if (element.name == "vertex" && element.count > INT32_MAX) lines_.fail("more than 2^31 vertices");
        elements_.push_back(std::move(element));
    }

    void read_property(std::string_view line)
    {
        if (elements_.empty()) lines_.fail("a property before the first element");
        Property property;
        std::string_view word = next_word(line);
        if (word == "list") {
            property.count_type = read_type(next_word(line));
            if (*property.count_type >= Type::Float32) lines_.fail("the length of a list must be an integer");
            word = next_word(line);
        }
        property.type = read_type(word);
        property.name = std::string(next_word(line));
        if (property.name.empty()) lines_.fail("a property without a name");
        elements_.back().properties.push_back(std::move(property));
    }

    Type read_type(std::string_view word) const
    {
        const std::optional<Type> type = type_named(word);
        if (!type) lines_.fail("unknown type " + shown(word));
        return *type;
    }

    static void skip_list(const Property& property, ValueReader& values)
    {
        for (std::size_t n = values.read_count(*property.count_type); n > 0; --n) (void)values.read(property.type);
    }

    static void skip(const Element& element, ValueReader& values)
    {
        for (std::uint64_t row = 0; row < element.count; ++row) {
            values.begin_row(element, row);
            for (const Property& property : element.properties) {
                if (property.count_type)
                    skip_list(property, values);
                else
                    (void)values.read(property.type);
            }
            values.end_row();
        }
    }

    void read_vertices(const Element& element, ValueReader& values)
    {
        // Where each property goes: 0-2 position, 3-5 colour, -1 nowhere.
        std::vector<int> slots;
        int known = 0;
        for (const Property& property : element.properties) {
            constexpr std::array<std::string_view, 6> kNames = {"x", "y", "z", "red", "green", "blue"};
            int slot = -1;
            for (int i = 0; i < 6; ++i)
                if (property.name == kNames[static_cast<std::size_t>(i)] && !property.count_type) slot = i;
            slots.push_back(slot);
            if (slot >= 0) known |= 1 << slot;
        }
        if ((known & 7) != 7) throw InputError(name_ + ": vertices need the properties x, y and z");
        for (std::uint64_t row = 0; row < element.count; ++row) {
            values.begin_row(element, row);
            const std::array<double, 6> v = read_vertex(element, slots, values);
            values.end_row();
            mesh_.vertices.emplace_back(v[0], v[1], v[2]);
            if (!mesh_.vertices.back().allFinite()) values.fail("a coordinate is not finite");
            if ((known >> 3) == 7) mesh_.colours.emplace_back(v[3], v[4], v[5]);
        }
    }

    static std::array<double, 6> read_vertex(const Element& element, const std::vector<int>& slots, ValueReader& values)
    {
        std::array<double, 6> v{};
        for (std::size_t i = 0; i < slots.size(); ++i) {
            const Property& property = element.properties[i];
            if (property.count_type) {
                skip_list(property, values);
                continue;
            }
            const double value = values.read(property.type);
            // Integers are sRGB codes, real numbers linear light.
            if (slots[i] >= 3 && property.type < Type::Float32)
                v[static_cast<std::size_t>(slots[i])] =
                    srgb_to_linear(value / (property.type == Type::UInt8 ? 255 : 65535));
            else if (slots[i] >= 0)
                v[static_cast<std::size_t>(slots[i])] = value;
        }
        return v;
    }

    void read_faces(const Element& element, ValueReader& values)
    {
        for (std::uint64_t row = 0; row < element.count; ++row) {
            values.begin_row(element, row);
            for (const Property& property : element.properties) {
                const bool is_polygon = property.name == "vertex_indices" || property.name == "vertex_index";
                if (property.count_type && is_polygon)
                    read_polygon(property, values);
                else if (property.count_type)
                    skip_list(property, values);
                else
                    (void)values.read(property.type);
            }
            values.end_row();
        }
    }

    void read_polygon(const Property& property, ValueReader& values)
    {
        polygon_.clear();
        const std::size_t n = values.read_count(*property.count_type);
        if (n < 3) values.fail("a face needs 3 vertices, there are " + std::to_string(n));
        for (std::size_t i = 0; i < n; ++i) polygon_.push_back(read_index(property, values));
        append_polygon(mesh_, polygon_);
    }

    std::int32_t read_index(const Property& property, ValueReader& values) const
    {
        const double index = values.read(property.type);
        if (!(index >= 0 && index < double(mesh_.vertices.size())) || index != std::floor(index))
            values.fail("a vertex index is not among the " + std::to_string(mesh_.vertices.size()) + " vertices");
        return static_cast<std::int32_t>(index);
    }

    void read_edges(const Element& element, ValueReader& values)
    {
        int known = 0;
        for (const Property& p : element.properties)
            known |= p.count_type ? 0 : p.name == "vertex1" ? 1 : p.name == "vertex2" ? 2 : 0;
        if (known != 3) throw InputError(name_ + ": edges need the properties vertex1 and vertex2");
        for (std::uint64_t row = 0; row < element.count; ++row) {
            values.begin_row(element, row);
            std::array<std::int32_t, 2> edge{};
            for (const Property& property : element.properties) {
                if (property.count_type)
                    skip_list(property, values);
                else if (property.name == "vertex1" || property.name == "vertex2")
                    edge[property.name == "vertex1" ? 0 : 1] = read_index(property, values);
                else
                    (void)values.read(property.type);
            }
            values.end_row();
            edges_.push_back(edge);
        }
    }

    LineReader lines_;
    std::string name_;
    Format format_ = Format::Text;
    std::vector<Element> elements_;
    TriangleMesh mesh_;
    std::vector<std::int32_t> polygon_;
    bool is_of_curves_ = false;
    std::vector<std::array<std::int32_t, 2>> edges_;
};

} // namespace

TriangleMesh parse_ply(std::string_view bytes, const std::string& name) { return PlyParser(bytes, name).mesh(); }

Curves parse_ply_curves(std::string_view bytes, const std::string& name) { return PlyParser(bytes, name).curves(); }

} // namespace rivulet
