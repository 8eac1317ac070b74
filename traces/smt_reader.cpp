// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>

#include <traces/access_check.hpp>
#include <traces/packed_offsets.hpp>
#include <traces/pattern_table.hpp>
#include <traces/smt_frame_reader.hpp>
#include <traces/smt_info.hpp>
#include <traces/smt_reader.hpp>

namespace smem {
namespace {

/// Beyond so many patterns the numbering starts anew; one frame can add as many again.
constexpr std::size_t kRememberedPatterns = 1u << 17;

/// What a base must satisfy for every lane of its pattern to be aligned and inside the window.
struct BaseLimits {
  std::uint32_t bias = 0;  ///< base - lowest offset
  std::uint32_t misaligned_bits = 0;
  std::int64_t most_lowest = std::numeric_limits<std::int64_t>::max();  ///< -1: no base is right

  bool allow(std::uint32_t base_bytes) const {
    return (base_bytes & misaligned_bits) == 0 && std::int64_t{base_bytes - bias} <= most_lowest;
  }
};

/// The records of one frame, a vector per column.
struct RecordColumns {
  std::vector<std::uint32_t> pattern, base_bytes, kernel, block, warp;
  std::vector<std::uint32_t> issue_gap_instructions, depends_on, dependent_instructions;
  std::vector<std::uint64_t> pc, count;
  std::vector<std::uint8_t> has_stored;
  std::vector<std::uint32_t> stored_offset;

  template <class Visit>
  void for_each_column(Visit visit) {
    visit(pattern), visit(base_bytes), visit(kernel), visit(block), visit(warp);
    visit(issue_gap_instructions), visit(depends_on), visit(dependent_instructions);
    visit(pc), visit(count), visit(has_stored), visit(stored_offset);
  }
};

/// A file that can start in its middle.
class FileFrom : public ByteSource {
 public:
  explicit FileFrom(const std::string& name)
      : name_(name), file_(std::fopen(name.c_str(), "rb"), std::fclose) {
    if (file_ == nullptr) {
      throw TraceError(name + ": expected a readable file: " + std::strerror(errno));
    }
  }
  void seek(long offset, int from) {
    if (std::fseek(file_.get(), offset, from) != 0) {
      throw TraceError(
          name_ + ": expected a file that can be read from any place: " + std::strerror(errno));
    }
  }
  std::uint64_t tell() const { return static_cast<std::uint64_t>(std::ftell(file_.get())); }
  std::size_t read(std::span<char> out) override {
    return std::fread(out.data(), 1, out.size(), file_.get());
  }

 private:
  std::string name_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace

class SmtReader::State {
 public:
  State(std::unique_ptr<ByteSource> bytes, const std::string& name, const GpuSpec& spec,
        ReadOptions options, std::uint64_t byte_offset = 0, std::uint64_t first_record = 0)
      : name_(name),
        spec_(spec),
        options_(options),
        frames_(std::move(bytes), name, byte_offset),
        expected_record_(first_record) {}

  /// Makes a record current; false at the end or before the damage that ends the reading.
  bool more() { return cursor_ < column_.pattern.size() || load_frame(); }
  bool next_frame_renumbers() const {
    return cursor_ == column_.pattern.size() && table_.patterns().size() > kRememberedPatterns;
  }
  void fill(TraceRecord& record) const;
  void fill(SmtReference& reference) const;
  void throw_pending() const {
    if (pending_error_) throw TraceError(*pending_error_);
  }
  void skip_to(std::uint64_t record);

  SmtFrameReader& frames() { return frames_; }
  const std::vector<AccessPattern>& patterns() const { return table_.patterns(); }

  TraceInfo info;
  SkippedParts skipped;
  SmtDetail detail = SmtDetail::all;
  std::uint64_t generation = 0;
  std::size_t cursor_ = 0;

 private:
  bool load_frame();
  bool take_frame();
  void take_records();
  void take_patterns();
  void add_pattern(const AccessPattern& pattern, std::uint32_t bias, std::uint32_t span_bytes);
  void take_stored();
  void check_records();
  void name_lost_kernels();
  void drop_records(const std::vector<std::uint8_t>& bad);
  std::string record_error(std::size_t index) const;
  bool handle_damage(const TraceError& error);
  void take_end();

  std::string name_;
  GpuSpec spec_;
  ReadOptions options_;
  SmtFrameReader frames_;
  SmtFrame frame_;
  RecordColumns column_;
  PatternTable table_;
  std::vector<BaseLimits> limits_;           ///< per pattern of the table
  std::vector<std::uint32_t> table_number_;  ///< of the frame's patterns
  std::vector<char> stored_;
  std::uint64_t expected_record_;
  std::uint64_t delivered_ = 0;
  bool at_end_ = false;
  bool resumed_ = false;  ///< the last frame was given up
  std::optional<TraceError> pending_error_;
};

bool SmtReader::State::load_frame() {
  delivered_ += column_.pattern.size();
  column_.for_each_column([](auto& column) { column.clear(); });
  cursor_ = 0;
  while (!at_end_ && !pending_error_) {
    try {
      if (take_frame()) return true;
    } catch (const TraceError& error) {
      column_.for_each_column([](auto& column) { column.clear(); });
      if (!handle_damage(error)) return false;
    }
  }
  return false;
}

bool SmtReader::State::handle_damage(const TraceError& error) {
  if (!options_.skip_damaged) {
    pending_error_.emplace(error.what(), delivered_);
    return false;
  }
  if (!resumed_) ++skipped.places;
  resumed_ = true;
  at_end_ = at_end_ || !frames_.resynchronize();
  return !at_end_;
}

/// True when the frame left records to hand out.
bool SmtReader::State::take_frame() {
  frames_.read_frame(frame_);
  const std::uint64_t first_record = frame_.header.first_record;
  if (first_record < expected_record_ ||
      (first_record > expected_record_ && !options_.skip_damaged)) {
    frames_.fail("expected a frame that starts at record " + std::to_string(expected_record_) +
                 ", found one that starts at record " + std::to_string(first_record));
  }
  switch (frame_.header.kind) {
    case SmtFrameKind::info:
      read_smt_info(frames_, frames_.decompress(frame_, SmtColumn::text), info,
                    skipped.places != 0 ? kSmtMaxLostNames : 0);
      break;
    case SmtFrameKind::records:
      take_records();
      break;
    case SmtFrameKind::index:
      take_end();
      break;
  }
  resumed_ = false;
  skipped.records += first_record - expected_record_;
  expected_record_ = first_record + frame_.header.record_count;
  if (frame_.header.kind == SmtFrameKind::records) check_records();
  return !column_.pattern.empty();
}

void SmtReader::State::take_end() {
  parse_smt_index(frames_, frames_.decompress(frame_, SmtColumn::text));
  at_end_ = true;
  const std::uint64_t records = frames_.read_footer();
  if (records != frame_.header.first_record) {
    frames_.fail("expected a footer that counts " + std::to_string(frame_.header.first_record) +
                 " records, found " + std::to_string(records));
  }
}

void SmtReader::State::take_records() {
  const std::size_t count = frame_.header.record_count;
  const auto take = [&](SmtColumn column, auto& values, SmtDetail least) {
    if (detail >= least) {
      decode_numbers(frames_, frame_, column, count, values);
    } else {
      values.assign(count, 0);
    }
  };
  take_patterns();
  take(SmtColumn::pattern, column_.pattern, SmtDetail::costs);
  for (std::uint32_t& pattern : column_.pattern) {
    if (pattern >= table_number_.size()) {
      frames_.fail("expected a pattern below " + std::to_string(table_number_.size()) + ", found " +
                   std::to_string(pattern));
    }
    pattern = table_number_[pattern];
  }
  take(SmtColumn::base_bytes, column_.base_bytes, SmtDetail::costs);
  take(SmtColumn::kernel, column_.kernel, SmtDetail::costs);
  take(SmtColumn::count, column_.count, SmtDetail::costs);
  take(SmtColumn::block, column_.block, SmtDetail::places);
  take(SmtColumn::warp, column_.warp, SmtDetail::places);
  take(SmtColumn::pc, column_.pc, SmtDetail::places);
  take(SmtColumn::issue_gap_instructions, column_.issue_gap_instructions, SmtDetail::all);
  take(SmtColumn::depends_on, column_.depends_on, SmtDetail::all);
  take(SmtColumn::dependent_instructions, column_.dependent_instructions, SmtDetail::all);
  take(SmtColumn::has_stored, column_.has_stored, SmtDetail::all);
  take_stored();
}

void SmtReader::State::take_patterns() {
  if (table_.patterns().size() > kRememberedPatterns) {
    table_.clear();
    limits_.clear();
    ++generation;
  }
  const std::size_t count = frame_.header.pattern_count;
  std::array<std::vector<std::uint32_t>, kSmtPatternColumns> fields;
  for (std::size_t field = 0; field < kSmtPatternColumns; ++field) {
    decode_numbers(frames_, frame_, static_cast<SmtColumn>(kSmtRecordColumns + field), count,
                   fields[field]);
  }
  const auto& [operation, bytes_per_lane, active_mask, bias, shift, width_bits] = fields;
  PackedOffsets offsets(frames_.decompress(frame_, SmtColumn::packed_offsets));
  table_number_.clear();
  for (std::size_t index = 0; index < count; ++index) {
    if (operation[index] >= kOperationCount || bytes_per_lane[index] > 255 ||
        std::uint64_t{shift[index]} + width_bits[index] > 32) {
      frames_.fail("expected pattern " + std::to_string(index) +
                   " of the frame to be an access, found impossible numbers");
    }
    AccessPattern pattern{static_cast<Operation>(operation[index]),
                          static_cast<std::uint8_t>(bytes_per_lane[index]),
                          active_mask[index],
                          {}};
    std::uint32_t span_bytes = 0;
    if (!offsets.next(pattern, {bias[index], shift[index], width_bits[index]}, span_bytes)) {
      frames_.fail("expected offsets for " + std::to_string(count) +
                   " patterns in the frame, found too few");
    }
    add_pattern(pattern, bias[index], span_bytes);
  }
  if (!offsets.at_end()) {
    frames_.fail("expected offsets for " + std::to_string(count) +
                 " patterns in the frame, found more");
  }
}

void SmtReader::State::add_pattern(const AccessPattern& pattern, std::uint32_t bias,
                                   std::uint32_t span_bytes) {
  bool is_new = false;
  table_number_.push_back(table_.index_of(pattern, is_new));
  if (!is_new) return;
  BaseLimits limits;
  if (pattern.operation != Operation::barrier) {
    limits.most_lowest = -1;
    if (spec_.supports(pattern.operation, pattern.bytes_per_lane)) {
      std::uint32_t seen_bits = 0;
      for (const std::uint32_t relative : pattern.relative_bytes) seen_bits |= relative;
      const std::uint32_t alignment_bits = pattern.bytes_per_lane - 1u;
      const std::int64_t needed_bytes = std::int64_t{span_bytes} + pattern.bytes_per_lane;
      if (used_lanes(pattern.operation, pattern.active_mask) == 0) {
        limits = BaseLimits{};
      } else if ((seen_bits & alignment_bits) == 0) {
        limits = {bias, alignment_bits, spec_.shared_window_bytes - needed_bytes};
      }
    }
  }
  limits_.push_back(limits);
}

void SmtReader::State::take_stored() {
  if (detail < SmtDetail::all) return;
  const std::span<const char> bytes = frames_.decompress(frame_, SmtColumn::stored);
  std::size_t used_bytes = 0;
  column_.stored_offset.assign(column_.pattern.size(), 0);
  for (std::size_t index = 0; index < column_.pattern.size(); ++index) {
    if (column_.has_stored[index] == 0) continue;
    const std::size_t width = table_.patterns()[column_.pattern[index]].bytes_per_lane;
    column_.stored_offset[index] = static_cast<std::uint32_t>(used_bytes);
    used_bytes += width * kLanesPerWarp;
    if (used_bytes > bytes.size() || column_.has_stored[index] != 1 || width > 16) {
      frames_.fail("expected stored values for the frame's records, found too few");
    }
  }
  if (used_bytes != bytes.size()) {
    frames_.fail("expected " + std::to_string(used_bytes) + " bytes of stored values, found " +
                 std::to_string(bytes.size()));
  }
  stored_.assign(bytes.begin(), bytes.end());
}

/// Kernels that a lost info frame named become unnamed ones.
void SmtReader::State::name_lost_kernels() {
  for (const std::uint32_t kernel : column_.kernel) {
    if (kernel >= info.kernels.size() && kernel <= info.kernels.size() + kSmtMaxLostNames) {
      info.kernels.resize(kernel + 1);
    }
  }
}

/// Ends the frame before the first record that `spec` does not allow, or drops such records.
void SmtReader::State::check_records() {
  if (skipped.places != 0) name_lost_kernels();
  const std::size_t kernels = std::max<std::size_t>(info.kernels.size(), 1);
  std::vector<std::uint8_t> bad;
  for (std::size_t index = 0; index < column_.pattern.size(); ++index) {
    if (limits_[column_.pattern[index]].allow(column_.base_bytes[index]) &&
        column_.kernel[index] < kernels && column_.count[index] != 0) {
      continue;
    }
    if (!options_.skip_damaged) {
      pending_error_.emplace(record_error(index), delivered_ + index);
      column_.for_each_column([&](auto& column) { column.resize(std::min(column.size(), index)); });
      return;
    }
    bad.resize(column_.pattern.size(), 0);
    bad[index] = 1;
    ++skipped.places;
    ++skipped.records;
  }
  if (!bad.empty()) drop_records(bad);
}

void SmtReader::State::drop_records(const std::vector<std::uint8_t>& bad) {
  column_.for_each_column([&](auto& column) {
    std::size_t kept = 0;
    for (std::size_t index = 0; index < column.size(); ++index) {
      if (bad[index] == 0) column[kept++] = column[index];
    }
    column.resize(kept);
  });
}

std::string SmtReader::State::record_error(std::size_t index) const {
  const std::size_t kernels = info.kernels.size();
  std::string message = name_ + ": record " + std::to_string(frame_.header.first_record + index) +
                        " (frame at byte " + std::to_string(frame_.byte_offset) + "): ";
  if (column_.kernel[index] >= std::max<std::size_t>(kernels, 1)) {
    return message + "expected a kernel below " + std::to_string(kernels) + ", found " +
           std::to_string(column_.kernel[index]);
  }
  if (column_.count[index] == 0) return message + "expected a count of at least 1, found 0";
  const WarpAccess access = table_.patterns()[column_.pattern[index]].at(column_.base_bytes[index]);
  return message + access_error(spec_, access).value_or("expected a sound access");
}

void SmtReader::State::fill(TraceRecord& record) const {
  const AccessPattern& pattern = table_.patterns()[column_.pattern[cursor_]];
  record.access = pattern.at(column_.base_bytes[cursor_]);
  record.kernel = column_.kernel[cursor_];
  record.block = column_.block[cursor_];
  record.warp = column_.warp[cursor_];
  record.pc = column_.pc[cursor_];
  record.count = column_.count[cursor_];
  record.issue_gap_instructions = column_.issue_gap_instructions[cursor_];
  record.depends_on = column_.depends_on[cursor_];
  record.dependent_instructions = column_.dependent_instructions[cursor_];
  record.stored = nullptr;
  if (column_.has_stored[cursor_] == 0) return;
  auto stored = std::make_shared<StoredBytes>();
  const char* from = stored_.data() + column_.stored_offset[cursor_];
  for (auto& lane : *stored) {
    std::memcpy(lane.data(), from, pattern.bytes_per_lane);
    from += pattern.bytes_per_lane;
  }
  record.stored = std::move(stored);
}

void SmtReader::State::fill(SmtReference& reference) const {
  reference = {column_.pattern[cursor_], column_.base_bytes[cursor_], column_.kernel[cursor_],
               column_.block[cursor_],   column_.warp[cursor_],       column_.pc[cursor_],
               column_.count[cursor_]};
}

void SmtReader::State::skip_to(std::uint64_t record) {
  while (more()) {
    const std::uint64_t first = frame_.header.first_record;
    if (record < first + column_.pattern.size()) {
      cursor_ = record < first ? 0 : static_cast<std::size_t>(record - first);
      return;
    }
    cursor_ = column_.pattern.size();
  }
}

SmtReader::SmtReader(std::unique_ptr<State> state) : state_(std::move(state)) {}

SmtReader::SmtReader(std::unique_ptr<ByteSource> bytes, const std::string& name,
                     const GpuSpec& spec, ReadOptions options)
    : state_(std::make_unique<State>(std::move(bytes), name, spec, options)) {
  state_->frames().read_file_header();
}

SmtReader::SmtReader(const std::string& file, const GpuSpec& spec, ReadOptions options)
    : SmtReader(open_bytes(file), file, spec, options) {}

SmtReader::~SmtReader() = default;

std::unique_ptr<SmtReader> SmtReader::open_at(const std::string& file, const GpuSpec& spec,
                                              std::uint64_t first_record, ReadOptions options) {
  auto source = std::make_unique<FileFrom>(file);
  source->seek(-static_cast<long>(kSmtFooterBytes), SEEK_END);
  const std::uint64_t footer_offset = source->tell();
  std::array<char, kSmtFooterBytes> footer{};
  if (source->read(footer) != footer.size() ||
      smt_get(footer.data() + 20, 4) != smt_checksum(footer.data(), 20) ||
      std::memcmp(footer.data() + 24, kSmtFooterMagic.data(), kSmtFooterMagic.size()) != 0) {
    throw TraceError(file + ": byte " + std::to_string(footer_offset) +
                     ": expected a footer whose checksum agrees, found none");
  }
  const std::uint64_t trailer_offset = smt_get(footer.data(), 8);
  const std::uint64_t record_count = smt_get(footer.data() + 8, 8);
  if (first_record > record_count || trailer_offset > footer_offset) {
    throw TraceError(file + ": expected a record up to " + std::to_string(record_count) +
                     ", found " + std::to_string(first_record));
  }
  source->seek(static_cast<long>(trailer_offset), SEEK_SET);
  SmtFrameReader frames(std::move(source), file, trailer_offset);
  const SmtIndex index = read_smt_index(frames);
  SmtIndexEntry start{trailer_offset, record_count};
  for (const SmtIndexEntry& entry : index.entries) {
    if (entry.first_record <= first_record && first_record < record_count) start = entry;
  }
  auto from = std::make_unique<FileFrom>(file);
  from->seek(static_cast<long>(start.byte_offset), SEEK_SET);
  auto state = std::make_unique<State>(std::move(from), file, spec, options, start.byte_offset,
                                       start.first_record);
  state->info = index.info;
  state->skip_to(first_record);
  return std::unique_ptr<SmtReader>(new SmtReader(std::move(state)));
}

std::size_t SmtReader::read(std::span<TraceRecord> records) {
  std::size_t filled = 0;
  for (; filled < records.size() && state_->more(); ++state_->cursor_) {
    state_->fill(records[filled++]);
  }
  if (filled == 0 && !records.empty()) state_->throw_pending();
  return filled;
}

std::size_t SmtReader::read_references(std::span<SmtReference> references) {
  std::size_t filled = 0;
  while (filled < references.size()) {
    if (filled != 0 && state_->next_frame_renumbers()) break;
    if (!state_->more()) break;
    state_->fill(references[filled++]);
    ++state_->cursor_;
  }
  if (filled == 0 && !references.empty()) state_->throw_pending();
  return filled;
}

const TraceInfo& SmtReader::info() const {
  return state_->info;
}
SkippedParts SmtReader::skipped() const {
  return state_->skipped;
}
void SmtReader::set_detail(SmtDetail detail) {
  state_->detail = detail;
}
const std::vector<AccessPattern>& SmtReader::patterns() const {
  return state_->patterns();
}
std::uint64_t SmtReader::pattern_generation() const {
  return state_->generation;
}

}  // namespace smem
