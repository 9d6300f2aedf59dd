#pragma once

#include <exception>

namespace rivulet {

/// What a program of Rivulet returns to the shell.
enum ExitCode : int {
    kExitDone = 0,
    kExitInternal = 1,    ///< a broken invariant of the program
    kExitInput = 2,       ///< bad usage or scene
    kExitExpectation = 3, ///< a [test] expectation of the scene was missed
    kExitSimulation = 4,  ///< the simulation failed; the last checkpoint was kept
    kExitIo = 5,          ///< reading or writing failed
    kExitInterrupted = 130
};

/// The exit code that belongs to an exception thrown by any function of these headers.
[[nodiscard]] int exit_code(const std::exception& error) noexcept;

/// "0.1.0"
[[nodiscard]] const char* version() noexcept;

} // namespace rivulet
