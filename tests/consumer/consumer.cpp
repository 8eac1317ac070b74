// SPDX-License-Identifier: Apache-2.0
#include <smem/analyzer.hpp>
#include <smem/gpus.hpp>
#include <smem/store_outcome.hpp>

static_assert(__cplusplus >= 202002L, "smemsim::model asks for C++20 by itself");

int main(int argc, char**) {
  const unsigned stride = static_cast<unsigned>(argc) * 2;  // 2: nothing the compiler can know
  const smem::WarpAccess access = smem::make_access(
      smem::Operation::store, 4, [stride](unsigned lane) { return lane * stride * 4; });
  const bool two_way = smem::wavefronts(smem::kH200, access) == 2;
  const bool all_stay = smem::store_outcome(smem::kH200, access).lost_lanes() == 0;
  return two_way && all_stay ? 0 : 1;
}
