// certificate.hpp - a certificate for the hub under test: P-256, signed by itself, for a day.
#pragma once

#include <filesystem>

#include "base/failure.hpp"

namespace gadget::load {

// Both as PEM. Errors: io.
[[nodiscard]] Result<void> write_certificate(const std::filesystem::path& certificate,
                                             const std::filesystem::path& key);

}  // namespace gadget::load
