// SPDX-License-Identifier: Apache-2.0
// What was measured on an H200, by its index: every file is in it, every quantity is predicted as
// well as it says, and the table of README.md is what the command prints.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <sim/compare/accuracy_table.hpp>
#include <sim/config/config_loader.hpp>
#include <sim/config/gpu_description.hpp>

namespace smem {
namespace {

const std::string kFolder = std::string(SMEMSIM_SOURCE_DIR) + "/traces/measured/h200/";

std::vector<MeasuredFile> predicted_files() {
  std::vector<MeasuredFile> files = read_measurement_index(kFolder + "index.csv");
  std::erase_if(files, [](const MeasuredFile& file) { return file.quantity.empty(); });
  return files;
}

/// The words of the row of README.md that starts with this file and quantity; none without one.
std::vector<std::string> readme_row(const std::string& file, const std::string& quantity) {
  std::ifstream readme(std::string(SMEMSIM_SOURCE_DIR) + "/README.md");
  for (std::string line; std::getline(readme, line);) {
    std::istringstream text(line);
    const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
    if (words.size() > 1 && words[0] == file && words[1] == quantity) return words;
  }
  return {};
}

std::string number(double value) {
  return csv_cell(std::round(value * 100) / 100);
}

class MeasuredQuantity : public ::testing::TestWithParam<MeasuredFile> {};

TEST_P(MeasuredQuantity, IsPredictedAsWellAsTheIndexAndTheReadmeSay) {
  const MeasuredFile& measured = GetParam();
  const ErrorSummary errors =
      measured_errors(measured, kFolder, load_gpu_description(find_config("h200")));
  EXPECT_EQ(errors.rows(), measured.points);
  const std::string outcome = goal_outcome(measured, errors);
  const bool has_goal = measured.mean_goal_percent || measured.p95_goal_percent;
  EXPECT_EQ(outcome, !has_goal            ? ""
                     : measured.is_missed ? "missed"
                                          : "met")
      << errors.mean_percent() << " and " << errors.percentile_percent(95) << " %";
  const std::vector<std::string> row = readme_row(measured.file, measured.quantity);
  ASSERT_EQ(row.size(), 10u) << "README.md has no row of " << measured.file;
  const auto goal = [](const auto& percent) { return percent ? csv_cell(*percent) : "-"; };
  EXPECT_EQ(row[2], measured.role);
  EXPECT_EQ(row[3], std::to_string(errors.rows()));
  EXPECT_EQ(row[4], std::to_string(errors.exact()));
  EXPECT_EQ(row[5], number(errors.mean_percent()));
  EXPECT_EQ(row[6], number(errors.percentile_percent(95)));
  EXPECT_EQ(row[7], goal(measured.mean_goal_percent));
  EXPECT_EQ(row[8], goal(measured.p95_goal_percent));
  EXPECT_EQ(row[9], has_goal ? outcome : "-");
}

INSTANTIATE_TEST_SUITE_P(H200, MeasuredQuantity, ::testing::ValuesIn(predicted_files()),
                         [](const auto& test) {
                           std::string name = test.param.file + "_" + test.param.quantity;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char letter) { return letter == '/' || letter == '.'; }, '_');
                           return name;
                         });

TEST(MeasurementIndex, NamesEveryFileButReadmesAndNoOther) {
  std::set<std::string> named = {"index.csv"};
  std::set<std::pair<std::string, std::string>> rows;
  for (const MeasuredFile& file : read_measurement_index(kFolder + "index.csv")) {
    named.insert(file.file);
    if (!file.programs.empty()) {
      EXPECT_TRUE(std::filesystem::exists(kFolder + file.programs)) << file.programs;
    }
    EXPECT_TRUE(rows.insert({file.file, file.quantity}).second) << file.file << " twice";
    EXPECT_FALSE(file.what.empty()) << file.file;
    EXPECT_FALSE(file.command.empty()) << file.file;
  }
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder)) {
    if (!entry.is_regular_file() || entry.path().filename() == "README.md") continue;
    found.insert(entry.path().string().substr(kFolder.size()));
  }
  for (const std::string& file : found) {
    EXPECT_TRUE(named.contains(file)) << file << " is not in index.csv";
  }
  for (const std::string& file : named) {
    EXPECT_TRUE(found.contains(file)) << "index.csv names " << file << ", which is not there";
  }
}

}  // namespace
}  // namespace smem
