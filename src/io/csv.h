#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rivulet {

/// One line of comma-separated values; fields with a comma, quote or line break are quoted.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);
/// Shortest text that reads back to the same bits; empty for not-a-number (nothing was measured).
[[nodiscard]] std::string csv_number(double value);

/// A table of text with a header line.
struct CsvTable {
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows; ///< each as long as `columns`

    /// Index of a column, -1 when there is none.
    [[nodiscard]] int column(std::string_view name) const;
    /// A column as numbers: NaN for empty fields and text.
    [[nodiscard]] std::vector<double> numbers(int column) const;
};

/// IoError with the path when it cannot be read or a row has another length than the header.
[[nodiscard]] CsvTable read_csv(const std::filesystem::path& path);

} // namespace rivulet
