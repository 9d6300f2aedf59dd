#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rivulet {

/// Every failure that a user can meet is one of these; apps/cli turns each into its message and exit code.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The command line or the scene is wrong (exit 2). The message starts with file:line:column where there is one.
class InputError : public Error {
public:
    using Error::Error;
};

/// Reading or writing a file failed (exit 5). The message names the path.
class IoError : public Error {
public:
    using Error::Error;
};

/// The simulation cannot go on (exit 4): names the stage, the object and the index where it was noticed.
class SimulationError : public Error {
public:
    SimulationError(std::string stage, std::string object, std::int64_t index, const std::string& what);
    [[nodiscard]] const std::string& stage() const noexcept { return stage_; }
    [[nodiscard]] const std::string& object() const noexcept { return object_; }
    [[nodiscard]] std::int64_t index() const noexcept { return index_; }

private:
    std::string stage_;
    std::string object_;
    std::int64_t index_;
};

} // namespace rivulet
