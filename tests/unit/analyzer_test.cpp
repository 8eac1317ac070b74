// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include <gtest/gtest.h>

#include <sim/config_loader.hpp>
#include <smem/analyzer.hpp>
#include <traces/access_list_reader.hpp>
TEST(Smoke, Files) {
  using namespace smem;
  const GpuSpec spec = load_gpu_spec(std::string(SMEMSIM_SOURCE_DIR) + "/configs/h200.yaml");
  for (const char* f : {"measured/h200/counters.csv", "measured/h200/matrix_atomic.csv",
                        "samples/published_cases.csv", "measured/h200/throughput.csv"}) {
    AccessListReader reader(TextSource(std::string(SMEMSIM_SOURCE_DIR) + "/traces/" + f), spec);
    std::vector<TraceRecord> r(512);
    std::size_t n, bad = 0, badc = 0, total = 0;
    double worst = 0;
    while ((n = reader.read(r)) != 0)
      for (std::size_t i = 0; i < n; ++i) {
        const auto cost = analyze(spec, r[i].access);
        const auto& m = reader.measured()[i];
        ++total;
        if (m.wavefronts && *m.wavefronts != counted_wavefronts(spec, cost.wavefronts)) ++bad;
        if (m.bank_conflicts && *m.bank_conflicts != cost.bank_conflicts) ++badc;
        if (m.cycles_per_inst)
          worst = std::max(worst, std::abs(*m.cycles_per_inst - cost.cycles_per_inst()));
      }
    std::cout << f << " " << total << " bad w " << bad << " bad c " << badc << " worst " << worst
              << "\n";
    EXPECT_EQ(bad + badc, 0u);
  }
}
