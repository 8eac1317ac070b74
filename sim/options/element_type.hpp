// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <sim/options/usage_error.hpp>

namespace smem {

/// An element type as options name it.
struct ElementType {
  std::string_view name;
  std::uint32_t bytes;
};

inline constexpr std::array kElementTypes = {
    ElementType{"fp64", 8},  ElementType{"fp32", 4},  ElementType{"tf32", 4},
    ElementType{"bf16", 2},  ElementType{"fp16", 2},  ElementType{"fp8", 1},
    ElementType{"int64", 8}, ElementType{"int32", 4}, ElementType{"int16", 2},
    ElementType{"int8", 1},  ElementType{"1", 1},     ElementType{"2", 2},
    ElementType{"4", 4},     ElementType{"8", 8},     ElementType{"16", 16}};

/// The type an option names: a name, or a size in bytes. Throws UsageError.
inline ElementType element_type(const std::string& option, const std::string& name) {
  std::string known;
  for (const ElementType& type : kElementTypes) {
    if (type.name == name) return type;
    known += (known.empty() ? "" : ", ") + std::string(type.name);
  }
  throw UsageError("--" + option + ": expected one of " + known + ", found '" + name + "'");
}

}  // namespace smem
