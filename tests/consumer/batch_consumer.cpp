// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <batch/batch_analyzer.hpp>

#include <smem/gpus.hpp>

int main() {
  const smem::WarpAccess access =
      smem::make_access(smem::Operation::load, 4, [](unsigned lane) { return lane * 128; });
  const std::vector<smem::WarpAccess> accesses(100, access);
  std::vector<smem::AccessCost> costs(accesses.size());
  smem::BatchAnalyzer(smem::kH200).analyze(accesses, costs);
  for (const smem::AccessCost& cost : costs) {
    if (cost.wavefronts != 32) return 1;
  }
  return 0;
}
