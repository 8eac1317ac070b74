// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <tests/support/random_records.hpp>

#include <traces/smt/smt_reader.hpp>

namespace smem {
namespace {

/// In the order of traces/samples/every_operation.smt, which is never written again: a new
/// operation goes into a file of its own.
constexpr std::array<std::string_view, 20> kStoredOperations = {"ld",
                                                                "st",
                                                                "ldmatrix.x1",
                                                                "ldmatrix.x2",
                                                                "ldmatrix.x4",
                                                                "ldmatrix.x1.trans",
                                                                "ldmatrix.x2.trans",
                                                                "ldmatrix.x4.trans",
                                                                "stmatrix.x1",
                                                                "stmatrix.x2",
                                                                "stmatrix.x4",
                                                                "stmatrix.x1.trans",
                                                                "stmatrix.x2.trans",
                                                                "stmatrix.x4.trans",
                                                                "red.add.u32",
                                                                "atom.add.u32",
                                                                "atom.exch.b32",
                                                                "atom.cas.b32",
                                                                "cp.async",
                                                                "bar.sync"};

/// What the compiler calls a value: the enumerator's name, or a cast of the number it has none for.
template <Operation kValue>
constexpr std::string_view compiler_name() {
  return __PRETTY_FUNCTION__;
}

TEST(OperationNumbers, NoEnumeratorStandsBehindTheLastRow) {
  constexpr auto kLast = static_cast<Operation>(kOperationCount - 1);
  constexpr auto kBehind = static_cast<Operation>(kOperationCount);
  const std::string cast = "Operation)" + std::to_string(kOperationCount);
  EXPECT_EQ(compiler_name<kLast>().find("Operation)"), std::string_view::npos);
  EXPECT_NE(compiler_name<kBehind>().find(cast), std::string_view::npos)
      << "has no row: " << compiler_name<kBehind>();
}

TEST(OperationNumbers, AStoredFileStillMeansTheOperationsItWasWrittenWith) {
  SmtReader reader(SMEMSIM_SOURCE_DIR "/traces/samples/every_operation.smt",
                   test::permissive_spec());
  std::vector<TraceRecord> records(kStoredOperations.size() + 1);
  records.resize(reader.read(records));
  ASSERT_EQ(records.size(), kStoredOperations.size());
  for (std::size_t index = 0; index < records.size(); ++index) {
    const WarpAccess& access = records[index].access;
    EXPECT_EQ(operation_name(access.operation, access.bytes_per_lane), kStoredOperations[index]);
  }
}

TEST(OperationNumbers, EverySpellingMeansTheRowItStandsIn) {
  for (const OperationTraits& row : kOperationTraits) {
    for (const OperationSpelling& spelling : row.spellings) {
      if (spelling.name.empty()) continue;
      const auto found = find_operation(spelling.name);
      ASSERT_TRUE(found) << spelling.name;
      EXPECT_EQ(found->operation, row.operation) << spelling.name;
      EXPECT_EQ(found->bytes, spelling.bytes) << spelling.name;
    }
  }
  EXPECT_FALSE(find_operation(""));
}

}  // namespace
}  // namespace smem
