// SPDX-License-Identifier: Apache-2.0
// A kernel's shared-memory layout, guarded by the compiler: change the pitch to 32 and this file no
// longer compiles. Plain C++20; as CUDA: nvcc -std=c++20 -x cu -c static_assert_layout.cpp
#include <smem/analyzer.hpp>
#include <smem/gpus.hpp>

namespace {

constexpr unsigned kTile = 32;
constexpr unsigned kPitchFloats = kTile + 1;

/// The kernel's index: where element (row, column) of the tile lies.
constexpr unsigned offset_bytes(unsigned row, unsigned column) {
  return (row * kPitchFloats + column) * static_cast<unsigned>(sizeof(float));
}

consteval smem::WarpAccess store_row() {
  return smem::make_access(smem::Operation::store, 4,
                           [](unsigned lane) { return offset_bytes(3, lane); });
}

consteval smem::WarpAccess load_column() {
  return smem::make_access(smem::Operation::load, 4,
                           [](unsigned lane) { return offset_bytes(lane, 3); });
}

static_assert(smem::wavefronts(smem::kH200, store_row()) == 1,
              "rows are written without conflicts");
static_assert(smem::wavefronts(smem::kH200, load_column()) == 1,
              "columns are read without conflicts");
static_assert(smem::analyze(smem::kA100, load_column()).bank_conflicts == 0, "on the A100 too");

// Without the padding element all 32 lanes of a column stand on one bank.
constexpr smem::WarpAccess kUnpadded =
    smem::make_access(smem::Operation::load, 4, [](unsigned lane) { return lane * kTile * 4; });
static_assert(smem::wavefronts(smem::kH200, kUnpadded) == 32);

}  // namespace

int main() {
  return static_cast<int>(smem::analyze(smem::kH200, load_column()).bank_conflicts);
}
