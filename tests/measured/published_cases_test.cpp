// SPDX-License-Identifier: Apache-2.0
// The model against counts that others published, on the chip they name.
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <sim/config/config_loader.hpp>
#include <smem/analyzer.hpp>
#include <traces/text/access_list_reader.hpp>

namespace smem {
namespace {

struct PublishedCase {
  std::string name;
  TraceRecord record;
  MeasuredRow published;
};

GpuSpec gpu(const std::string& name) {
  return load_gpu_spec(find_config(name));
}

std::vector<PublishedCase> published_cases(const std::string& file) {
  AccessListReader reader(TextSource(std::string(SMEMSIM_SOURCE_DIR) + "/traces/samples/" + file),
                          gpu("h200"));
  std::vector<PublishedCase> cases;
  std::vector<TraceRecord> records(256);
  while (const std::size_t count = reader.read(records)) {
    for (std::size_t index = 0; index < count; ++index) {
      cases.push_back({reader.names()[index], records[index], reader.measured()[index]});
    }
  }
  return cases;
}

/// The GPU of configs/ for the chip a case names first; h200 for cases that name none.
std::string gpu_of_case(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kChips = {{
      {"A100", "a100"},
      {"K2 ", "a100"},
      {"K4 ", "a100"},
      {"Turing", "t4"},
      {"K6 ", "t4"},
      {"GA102", "rtx3090"},
      {"CC8.9", "rtx4090"},
      {"CC12", "rtx5080"},
      {"K7 ", "rtx5080"},
  }};
  for (const auto& [prefix, chip] : kChips) {
    if (name.starts_with(prefix)) return std::string(chip);
  }
  return "h200";
}

/// Checks every case on its chip and on the H200; returns how many cases each chip had.
std::map<std::string, std::size_t> check_cases(const std::string& file) {
  const GpuSpec h200 = gpu("h200");
  std::map<std::string, std::size_t> cases_of_chip;
  for (const PublishedCase& row : published_cases(file)) {
    const std::string chip = gpu_of_case(row.name);
    ++cases_of_chip[chip];
    for (const GpuSpec& spec : {gpu(chip), h200}) {
      const AccessCost cost = analyze(spec, row.record.access);
      EXPECT_EQ(cost.wavefronts, row.published.wavefronts.value()) << row.name;
      if (row.published.bank_conflicts) {
        EXPECT_EQ(cost.bank_conflicts, *row.published.bank_conflicts) << row.name;
      }
    }
  }
  return cases_of_chip;
}

using ChipCounts = std::map<std::string, std::size_t>;

TEST(PublishedCases, HoldOnTheChipTheyNameAndOnTheH200) {
  EXPECT_EQ(
      check_cases("published_cases.csv"),
      (ChipCounts{
          {"a100", 3}, {"h200", 8}, {"rtx3090", 1}, {"rtx4090", 1}, {"rtx5080", 1}, {"t4", 1}}));
  EXPECT_EQ(check_cases("published_cases2.csv"),
            (ChipCounts{{"a100", 5}, {"h200", 17}, {"rtx5080", 3}, {"t4", 3}}));
}

struct KernelTotals {
  std::uint64_t wavefronts = 0;
  std::uint64_t excessive = 0;

  friend bool operator==(const KernelTotals&, const KernelTotals&) = default;
};

/// The totals of a kernel whose warps each do the cases that start with `kernel`, so many `times`.
KernelTotals kernel_totals(std::string_view kernel, std::uint64_t times) {
  KernelTotals totals;
  for (const PublishedCase& row : published_cases("published_cases2.csv")) {
    if (!row.name.starts_with(kernel)) continue;
    const AccessCost cost = analyze(gpu(gpu_of_case(row.name)), row.record.access);
    totals.wavefronts += times * row.record.count * cost.wavefronts;
    totals.excessive += times * row.record.count * (cost.wavefronts - cost.ideal);
  }
  return totals;
}

std::ostream& operator<<(std::ostream& out, const KernelTotals& totals) {
  return out << totals.wavefronts << " wavefronts, " << totals.excessive << " excessive";
}

TEST(PublishedCases, WholeKernelsHaveTheTotalsTheProfilerShowed) {
  // A 4096 x 4096 transpose on an A100, a block a 32 x 32 tile.
  EXPECT_EQ(kernel_totals("K4 ", 128 * 128), (KernelTotals{17'301'504, 16'252'928}));
  // A register-tiled SGEMM on a T4.
  EXPECT_EQ(kernel_totals("K6 ", 262'144), (KernelTotals{117'440'512, 8'388'608}));
  // An SGEMM on an RTX 5080.
  EXPECT_EQ(kernel_totals("K7 ", 4'194'304), (KernelTotals{704'643'072, 268'435'456}));
}

}  // namespace
}  // namespace smem
