// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include <sim/compare/error_summary.hpp>

namespace smem {

double ErrorSummary::error_percent(double predicted, double measured) {
  if (predicted == measured) return 0;
  if (measured == 0) return 100;
  return 100 * std::abs(predicted - measured) / std::abs(measured);
}

void ErrorSummary::add(double predicted, double measured) {
  errors_percent_.push_back(error_percent(predicted, measured));
  if (predicted == measured) ++exact_;
  worst_difference_ = std::max(worst_difference_, std::abs(predicted - measured));
}

double ErrorSummary::mean_percent() const {
  if (errors_percent_.empty()) return 0;
  return std::accumulate(errors_percent_.begin(), errors_percent_.end(), 0.0) /
         static_cast<double>(errors_percent_.size());
}

double ErrorSummary::percentile_percent(double percent) const {
  if (errors_percent_.empty()) return 0;
  std::vector<double> sorted = errors_percent_;
  std::sort(sorted.begin(), sorted.end());
  const double wanted = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(wanted, 1.0)) - 1];
}

std::vector<std::string> ErrorSummary::columns() {
  return {
      "quantity",          "rows",          "exact", "mean_abs_error_percent", "p95_error_percent",
      "max_error_percent", "max_difference"};
}

std::vector<Cell> ErrorSummary::cells() const {
  return {quantity_,        std::uint64_t{rows()},  exact_,
          mean_percent(),   percentile_percent(95), percentile_percent(100),
          worst_difference_};
}

}  // namespace smem
