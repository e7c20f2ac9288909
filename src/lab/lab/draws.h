// Random numbers of the lab: what weights start with, and what tasks draw.
#pragma once
#include <cstdint>
#include <span>

namespace phasor::lab {

/// Fills with elements first, first + 1, ... of the seed's stream.
///
/// Returns   N(0, std^2) by `random::philox_normal`, or, where std is 0, uniform numbers in [0, 1) by
///           `random::philox_uniform`
void draw(std::uint64_t seed, std::uint64_t first, double std, std::span<float> out) noexcept;

}  // namespace phasor::lab
