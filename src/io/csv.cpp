#include "io/csv.h"

#include "base/error.h"
#include "io/atomic_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace rivulet {
namespace {

std::string quoted(const std::string& field)
{
    if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
    std::string out;
    out += '"';
    for (const char c : field) {
        if (c == '"') out += '"';
        out += c;
    }
    out += '"';
    return out;
}

// Reads one record from `at` on; moves `at` behind its line break.
std::vector<std::string> next_record(std::string_view text, std::size_t& at)
{
    std::vector<std::string> fields(1);
    bool in_quotes = false;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (in_quotes && c == '"' && at + 1 < text.size() && text[at + 1] == '"')
            fields.back() += text[++at];
        else if (c == '"')
            in_quotes = !in_quotes;
        else if (c == ',' && !in_quotes)
            fields.emplace_back();
        else if (c == '\n' && !in_quotes)
            break;
        else
            fields.back() += c;
    }
    ++at;
    return fields;
}

} // namespace

std::string csv_line(const std::vector<std::string>& fields)
{
    std::string line;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (i > 0) line += ',';
        line += quoted(fields[i]);
    }
    line += '\n';
    return line;
}

std::string csv_number(double value) { return std::isnan(value) ? std::string() : fmt::format("{}", value); }

int CsvTable::column(std::string_view name) const
{
    const auto found = std::find(columns.begin(), columns.end(), name);
    return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

std::vector<double> CsvTable::numbers(int column) const
{
    std::vector<double> values;
    values.reserve(rows.size());
    for (const auto& row : rows) {
        const std::string& field = row.at(static_cast<std::size_t>(column));
        double value = 0;
        const auto read = std::from_chars(field.data(), field.data() + field.size(), value);
        const bool whole = read.ec == std::errc() && read.ptr == field.data() + field.size();
        values.push_back(whole ? value : std::numeric_limits<double>::quiet_NaN());
    }
    return values;
}

CsvTable read_csv(const std::filesystem::path& path)
{
    const std::string text = read_text(path);
    CsvTable table;
    std::size_t at = 0;
    if (!text.empty()) table.columns = next_record(text, at);
    const bool ends_whole = text.empty() || text.back() == '\n';
    while (at < text.size()) {
        table.rows.push_back(next_record(text, at));
        if (at > text.size() && !ends_whole) { // a run was killed while it wrote this row
            table.rows.pop_back();
            break;
        }
        if (table.rows.back().size() != table.columns.size())
            throw IoError(path.string() + ": row " + std::to_string(table.rows.size()) + " has " +
                          std::to_string(table.rows.back().size()) + " fields, the header has " +
                          std::to_string(table.columns.size()));
    }
    return table;
}

} // namespace rivulet
