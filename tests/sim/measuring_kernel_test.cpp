// SPDX-License-Identifier: Apache-2.0
// The description of the kernel that measures programs: where it is found, and that it is read
// strictly.
#include <filesystem>

#include <gtest/gtest.h>
#include <tests/support/command_run.hpp>

#include <sim/clock/measuring_kernel.hpp>
#include <sim/config/config_error.hpp>

namespace smem {
namespace {

const std::string kH200Kernel =
    test::source_file("traces/measured/h200/programs/measuring_kernel.yaml");

/// A description whose numbers are 1, 2, 3, …, with one line changed; "" leaves it out.
std::string description(std::size_t changed, const std::string& line) {
  std::string text;
  for (std::size_t index = 0; index < kMeasuringKernelFields.size(); ++index) {
    const std::string whole =
        std::string(kMeasuringKernelFields[index].name) + ": " + std::to_string(index + 1);
    const std::string& used = index == changed ? line : whole;
    if (!used.empty()) text += used + "\n";
  }
  return text;
}

std::string error_of(const std::string& text) {
  try {
    (void)parse_measuring_kernel(text, "kernel.yaml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(MeasuringKernel, EveryNumberIsReadIntoItsOwnMember) {
  const MeasuringKernel kernel = parse_measuring_kernel(description(99, ""), "kernel.yaml");
  for (std::size_t index = 0; index < kMeasuringKernelFields.size(); ++index) {
    EXPECT_EQ(kernel.*kMeasuringKernelFields[index].member, index + 1);
  }
}

TEST(MeasuringKernel, AMissingNumberOrOneOutOfRangeIsRefusedWithItsPlace) {
  for (std::size_t index = 0; index < kMeasuringKernelFields.size(); ++index) {
    const MeasuringKernelField& field = kMeasuringKernelFields[index];
    const std::string name(field.name);
    const std::string most = std::to_string(field.most);
    EXPECT_EQ(error_of(description(index, "")),
              "kernel.yaml:1:1: " + name + ": expected this key, found none");
    EXPECT_EQ(error_of(description(index, name + ": " + most)), "no error");
    EXPECT_EQ(error_of(description(index, name + ": " + std::to_string(field.most + 1))),
              "kernel.yaml:" + std::to_string(index + 1) + ":" + std::to_string(name.size() + 3) +
                  ": " + name + ": expected a whole number from 0 to " + most + ", found '" +
                  std::to_string(field.most + 1) + "'");
  }
}

TEST(MeasuringKernel, WhatIsNoDescriptionIsRefused) {
  EXPECT_EQ(error_of(description(99, "") + "launch: 3\n").substr(0, 33),
            "kernel.yaml:8:1: launch: expected");
  EXPECT_EQ(error_of(description(99, "") + "data_cycles: 3\n"),
            "kernel.yaml:8:1: data_cycles: expected this key once, found 'data_cycles'");
  EXPECT_EQ(error_of("just text"), "kernel.yaml:1:1: expected a mapping");
  EXPECT_EQ(error_of("launch_cycles: [").substr(0, 12), "kernel.yaml:");
  EXPECT_THROW((void)load_measuring_kernel("/nowhere/kernel.yaml"), ConfigError);
}

TEST(MeasuringKernel, TheOneBesideTheProgramsIsTakenAndElseTheH200s) {
  const test::TemporaryFolder folder;
  const MeasuringKernel h200 = load_measuring_kernel(kH200Kernel);
  const std::string programs = folder.path("programs.json");
  EXPECT_EQ(load_measuring_kernel(find_measuring_kernel(programs)), h200);
  EXPECT_EQ(load_measuring_kernel(find_measuring_kernel("-")), h200);
  const std::string own = folder.write("measuring_kernel.yaml", description(99, ""));
  EXPECT_EQ(find_measuring_kernel(programs), own);
  EXPECT_TRUE(std::filesystem::equivalent(
      find_measuring_kernel(test::source_file("traces/measured/h200/programs/systematic.json")),
      kH200Kernel));
}

TEST(MeasuringKernel, ItsFinishStandsBetweenAProgramAndTheTotalThatRunPrints) {
  const test::TemporaryFolder folder;
  const std::string programs = folder.write(
      "programs.json",
      R"([{"id": 0, "name": "one", "ops": [{"op": "ld", "bytes": 4, "ways": 1, "after": -1}]}])");
  const auto total_cycles = [&] {
    const test::CommandRun run = test::run_smemsim({"run", programs, "--format", "csv"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return std::stoul(run.out.substr(run.out.rfind(',') + 1));
  };
  MeasuringKernel kernel = load_measuring_kernel(kH200Kernel);
  const unsigned long before = total_cycles();
  kernel.finish_cycles += 100;
  std::string text;
  for (const MeasuringKernelField& field : kMeasuringKernelFields) {
    text += std::string(field.name) + ": " + std::to_string(kernel.*field.member) + "\n";
  }
  const std::string own = folder.write("measuring_kernel.yaml", text);
  EXPECT_EQ(total_cycles(), before + 100);
  folder.write("measuring_kernel.yaml", text + "launch: 1\n");
  const test::CommandRun refused = test::run_smemsim({"run", programs});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.err.find("smemsim: " + own + ":8:1: launch: expected one of the keys"), 0u)
      << refused.err;
}

}  // namespace
}  // namespace smem
