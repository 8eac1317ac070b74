// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <sim/output/result_table.hpp>

namespace smem {

/// Prediction against measurement of one quantity.
class ErrorSummary {
 public:
  explicit ErrorSummary(std::string quantity) : quantity_(std::move(quantity)) {}

  void add(double predicted, double measured);

  /// |predicted - measured| / measured in percent; 100 where only one of them is zero.
  static double error_percent(double predicted, double measured);

  std::size_t rows() const { return errors_percent_.size(); }
  std::uint64_t exact() const { return exact_; }
  double mean_percent() const;
  /// The smallest error that `percent` percent of the rows do not exceed.
  double percentile_percent(double percent) const;

  static std::vector<std::string> columns();
  std::vector<Cell> cells() const;

 private:
  std::string quantity_;
  std::vector<double> errors_percent_;
  std::uint64_t exact_ = 0;
  double worst_difference_ = 0;
};

}  // namespace smem
