// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <sim/count/tally_report.hpp>
#include <sim/output/hexadecimal.hpp>

namespace smem {
namespace {

/// The index of `name` in `names`, where it is added when it is new.
std::uint32_t index_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  const auto index = static_cast<std::uint32_t>(found - names.begin());
  if (found == names.end()) names.push_back(name);
  return index;
}

}  // namespace

AccessPlace place_of(const TraceRecord& record) {
  const std::uint32_t lanes = addressing_lanes(record.access);
  const std::uint32_t first =
      lanes == 0 ? 0 : record.access.offsets_bytes[static_cast<unsigned>(std::countr_zero(lanes))];
  return {record.access.operation,
          record.access.bytes_per_lane,
          record.kernel,
          record.block,
          record.warp,
          record.pc,
          first,
          record.count};
}

std::size_t TallyReport::KeyHash::operator()(const Key& key) const {
  std::uint64_t hash = key.pc;
  for (const std::uint64_t part :
       {std::uint64_t{key.kernel}, std::uint64_t{key.block}, std::uint64_t{key.warp},
        std::uint64_t{key.array}, std::uint64_t{key.operation} << 8 | key.bytes}) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return hash;
}

void TallyReport::begin_trace(const TraceInfo&) {
  kernel_of_trace_.clear();
}

std::uint32_t TallyReport::kernel_row(const TraceInfo& info, std::uint32_t kernel) {
  while (kernel_of_trace_.size() <= kernel) {
    const std::size_t next = kernel_of_trace_.size();
    const std::string name = next < info.kernels.size() ? info.kernels[next].name : std::string();
    if (kind_.by == ReportBy::kernel) {
      kernel_of_trace_.push_back(index_of(kernel_names_, name));
    } else {
      kernel_names_.push_back(name);
      kernel_of_trace_.push_back(static_cast<std::uint32_t>(kernel_names_.size() - 1));
    }
  }
  return kernel_of_trace_[kernel];
}

std::uint32_t TallyReport::array_row(const TraceInfo& info, std::uint32_t offset_bytes) {
  for (const ArrayInfo& array : info.arrays) {
    if (offset_bytes >= array.begin_bytes && offset_bytes < array.end_bytes) {
      return index_of(array_names_, array.name);
    }
  }
  return index_of(array_names_, "(no named array)");
}

TallyReport::Key TallyReport::key_of(const TraceInfo& info, const AccessPlace& place) {
  Key key;
  key.operation = static_cast<std::uint8_t>(traits(place.operation).operation_class);
  if (kind_.array) key.array = array_row(info, place.first_offset_bytes);
  if (kind_.kernel) key.kernel = kernel_row(info, place.kernel);
  if (kind_.pc) {
    key.pc = place.pc;
    key.operation = static_cast<std::uint8_t>(place.operation);
    key.bytes = place.bytes_per_lane;
  }
  if (kind_.block) key.block = place.block;
  if (kind_.warp) key.warp = place.warp;
  return key;
}

Tally* TallyReport::find_tally(const TraceInfo& info, const AccessPlace& place) {
  if (traits(place.operation).operation_class == OperationClass::none) return nullptr;
  const Key key = key_of(info, place);
  if (rows_.empty() || rows_[last_row_].key != key) {
    const auto [found, is_new] = row_of_.try_emplace(key, rows_.size());
    if (is_new) rows_.push_back({key, {}});
    last_row_ = found->second;
  }
  return &rows_[last_row_].tally;
}

void TallyReport::add(const TraceInfo& info, const AccessPlace& place, const AccessCost& cost) {
  Tally* const tally = find_tally(info, place);
  if (tally != nullptr) tally->add(cost, place.count);
}

void TallyReport::add(const TraceInfo& info, const PlaceTally& records) {
  Tally* const tally = find_tally(info, records.place);
  if (tally != nullptr) *tally += records.tally;
}

ResultTable TallyReport::table() const {
  std::vector<std::string> columns;
  if (kind_.kernel) columns.emplace_back("kernel");
  if (kind_.array) columns.emplace_back("array");
  if (kind_.block) columns.emplace_back("block");
  if (kind_.warp) columns.emplace_back("warp");
  if (kind_.pc) columns.insert(columns.end(), {"pc", "op", "bytes"});
  if (!kind_.pc) columns.emplace_back("op_class");
  columns.insert(columns.end(), {"instructions", "wavefronts", "ideal", "bank_conflicts"});
  ResultTable table("accesses", columns);
  for (const Row& row : rows_) {
    std::vector<Cell> cells;
    if (kind_.kernel) cells.emplace_back(kernel_names_[row.key.kernel]);
    if (kind_.array) cells.emplace_back(array_names_[row.key.array]);
    if (kind_.block) {
      cells.emplace_back(std::uint64_t{row.key.block});
    }
    if (kind_.warp) cells.emplace_back(std::uint64_t{row.key.warp});
    if (kind_.pc) {
      const auto operation = static_cast<Operation>(row.key.operation);
      cells.emplace_back(hexadecimal(row.key.pc));
      cells.emplace_back(std::string(operation_name(operation, row.key.bytes)));
      cells.emplace_back(std::uint64_t{row.key.bytes});
    } else {
      cells.emplace_back(std::string(kOperationClassNames[row.key.operation]));
    }
    cells.emplace_back(row.tally.instructions);
    cells.emplace_back(row.tally.wavefronts);
    cells.emplace_back(row.tally.ideal);
    cells.emplace_back(row.tally.bank_conflicts);
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace smem
