// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include <zstd.h>

#include <traces/smt/packed_offsets.hpp>
#include <traces/smt/pattern_table.hpp>
#include <traces/smt/smt_format.hpp>
#include <traces/smt/smt_writer.hpp>
#include <traces/trace_error.hpp>

namespace smem {
namespace {

constexpr std::size_t kFlushStoredBytes = kSmtMaxColumnBytes / 2;
constexpr std::size_t kInfoFrameBytes = 1u << 20;

unsigned width_for(std::uint64_t most) {
  for (const unsigned width : {0u, 1u, 2u, 4u}) {
    if ((most >> (8 * width)) == 0) return width;
  }
  return 8;
}

/// Picks the narrower encoding of a column and produces its bytes.
class EncodedColumn {
 public:
  EncodedColumn(SmtColumn column, std::span<const std::uint64_t> values) {
    entry_.column = column;
    if (values.empty()) return;
    const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
    const unsigned plain_width = width_for(*highest - *lowest);
    std::int64_t least_step = 0;
    std::int64_t most_step = 0;
    for (std::size_t index = 1; index < values.size(); ++index) {
      const auto step = static_cast<std::int64_t>(values[index] - values[index - 1]);
      least_step = index == 1 ? step : std::min(least_step, step);
      most_step = index == 1 ? step : std::max(most_step, step);
    }
    const unsigned delta_width =
        width_for(static_cast<std::uint64_t>(most_step) - static_cast<std::uint64_t>(least_step));
    if (delta_width < plain_width) {
      entry_.encoding = SmtEncoding::delta;
      entry_.width_bytes = static_cast<std::uint8_t>(delta_width);
      entry_.first = values[0];
      entry_.minimum = static_cast<std::uint64_t>(least_step);
      smt_put(bytes_, 0, delta_width);
      for (std::size_t index = 1; index < values.size(); ++index) {
        smt_put(bytes_, values[index] - values[index - 1] - entry_.minimum, delta_width);
      }
    } else {
      entry_.width_bytes = static_cast<std::uint8_t>(plain_width);
      entry_.minimum = *lowest;
      for (const std::uint64_t value : values) smt_put(bytes_, value - *lowest, plain_width);
    }
  }
  EncodedColumn(SmtColumn column, std::string bytes) : bytes_(std::move(bytes)) {
    entry_.column = column;
    entry_.encoding = SmtEncoding::bytes;
  }

  const std::string& bytes() const { return bytes_; }
  const SmtColumnEntry& entry() const { return entry_; }

 private:
  SmtColumnEntry entry_;
  std::string bytes_;
};

void put_name(std::string& out, const std::string& name) {
  if (name.size() > kSmtMaxNameBytes) {
    throw TraceError("expected a name of at most " + std::to_string(kSmtMaxNameBytes) +
                     " bytes, found " + std::to_string(name.size()));
  }
  smt_put(out, name.size(), 4);
  out += name;
}

void put_kernel(std::string& out, std::uint32_t index, const KernelInfo& kernel) {
  out.push_back(static_cast<char>(SmtInfoTag::kernel));
  smt_put(out, index, 4);
  for (const std::uint32_t extent : kernel.grid) smt_put(out, extent, 4);
  for (const std::uint32_t extent : kernel.block) smt_put(out, extent, 4);
  smt_put(out, kernel.shared_bytes, 4);
  smt_put(out, kernel.registers_per_thread, 4);
  put_name(out, kernel.name);
}

void put_array(std::string& out, std::uint32_t index, const ArrayInfo& array) {
  out.push_back(static_cast<char>(SmtInfoTag::array));
  smt_put(out, index, 4);
  smt_put(out, array.begin_bytes, 4);
  smt_put(out, array.end_bytes, 4);
  put_name(out, array.name);
}

void put_text(std::string& out, SmtInfoTag tag, const std::string& text) {
  out.push_back(static_cast<char>(tag));
  put_name(out, text);
}

/// Where a frame of records starts.
struct IndexEntry {
  std::uint64_t byte_offset;
  std::uint64_t first_record;
};

}  // namespace

class SmtWriter::State {
 public:
  State(Sink sink, SmtWriterOptions options)
      : sink_(std::move(sink)), options_(options), context_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    options_.records_per_frame = std::clamp(options_.records_per_frame, 1u, kSmtMaxRecordsPerFrame);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, options_.compression_level);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
    std::string header(kSmtMagic.begin(), kSmtMagic.end());
    smt_put(header, kSmtVersion, 4);
    smt_put(header, smt_checksum(header.data(), header.size()), 4);
    emit(header);
  }

  void say(const std::string& what) {
    if (pending_info_.size() + what.size() > kInfoFrameBytes) emit_info();
    pending_info_ += what;
  }
  void write(const TraceRecord& record);
  void flush();
  void finish();

  TraceInfo info;
  std::uint64_t records_written = 0;
  std::uint64_t bytes_written = 0;
  bool finished = false;

 private:
  std::vector<std::uint64_t>& values(SmtColumn column) {
    return columns_[static_cast<std::size_t>(column)];
  }
  void add_pattern(const AccessPattern& pattern, std::uint32_t base_bytes);
  void emit(const std::string& bytes) {
    sink_(bytes);
    bytes_written += bytes.size();
  }
  void emit_info();
  void emit_all_info();
  void emit_text_frame(SmtFrameKind kind, std::string text);
  /// Appends a zstd frame to `payload`; its size, 0 when there is nothing to compress.
  std::size_t compress(const std::string& raw, std::string& payload);
  void emit_frame(SmtFrameHeader header, std::span<const EncodedColumn> columns);
  void remember_frame();

  Sink sink_;
  SmtWriterOptions options_;
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context_;
  std::string pending_info_;
  std::array<std::vector<std::uint64_t>, kSmtRecordColumns + kSmtPatternColumns> columns_;
  PatternTable patterns_;
  std::string packed_offsets_;
  std::string stored_;
  std::vector<IndexEntry> index_;
  std::uint64_t frames_per_entry_ = 1;
  std::uint64_t record_frames_ = 0;
};

void SmtWriter::State::add_pattern(const AccessPattern& pattern, std::uint32_t base_bytes) {
  const PackedLayout layout = packed_layout(pattern, base_bytes);
  values(SmtColumn::pattern_operation).push_back(static_cast<std::uint64_t>(pattern.operation));
  values(SmtColumn::pattern_bytes_per_lane).push_back(pattern.bytes_per_lane);
  values(SmtColumn::pattern_active_mask).push_back(pattern.active_mask);
  values(SmtColumn::pattern_bias).push_back(layout.bias);
  values(SmtColumn::pattern_shift).push_back(layout.shift);
  values(SmtColumn::pattern_width_bits).push_back(layout.width_bits);
  pack_offsets(pattern, layout, packed_offsets_);
}

void SmtWriter::State::write(const TraceRecord& record) {
  if (record.kernel >= std::max<std::size_t>(info.kernels.size(), 1)) {
    throw TraceError("expected a kernel below " + std::to_string(info.kernels.size()) +
                         ", found kernel " + std::to_string(record.kernel),
                     records_written);
  }
  if (record.stored != nullptr && record.access.bytes_per_lane > 16) {
    throw TraceError("expected values of at most 16 bytes a lane, found " +
                         std::to_string(record.access.bytes_per_lane),
                     records_written);
  }
  const AccessPattern pattern = pattern_of(record.access);
  const std::uint32_t base_bytes = base_of(record.access);
  bool is_new = false;
  values(SmtColumn::pattern).push_back(patterns_.index_of(pattern, is_new));
  if (is_new) add_pattern(pattern, base_bytes);
  values(SmtColumn::base_bytes).push_back(base_bytes);
  values(SmtColumn::kernel).push_back(record.kernel);
  values(SmtColumn::block).push_back(record.block);
  values(SmtColumn::warp).push_back(record.warp);
  values(SmtColumn::pc).push_back(record.pc);
  values(SmtColumn::count).push_back(record.count);
  values(SmtColumn::issue_gap_instructions).push_back(record.issue_gap_instructions);
  values(SmtColumn::depends_on).push_back(record.depends_on);
  values(SmtColumn::dependent_instructions).push_back(record.dependent_instructions);
  values(SmtColumn::has_stored).push_back(record.stored != nullptr ? 1 : 0);
  if (record.stored != nullptr) {
    for (const auto& lane : *record.stored) {
      stored_.append(reinterpret_cast<const char*>(lane.data()), record.access.bytes_per_lane);
    }
  }
  ++records_written;
  if (values(SmtColumn::pattern).size() == options_.records_per_frame ||
      stored_.size() >= kFlushStoredBytes) {
    flush();
  }
}

void SmtWriter::State::flush() {
  emit_info();
  const std::size_t record_count = values(SmtColumn::pattern).size();
  if (record_count == 0) return;
  remember_frame();
  std::vector<EncodedColumn> encoded;
  for (std::size_t index = 0; index < columns_.size(); ++index) {
    encoded.emplace_back(static_cast<SmtColumn>(index), columns_[index]);
    columns_[index].clear();
  }
  encoded.emplace_back(SmtColumn::packed_offsets, std::move(packed_offsets_));
  encoded.emplace_back(SmtColumn::stored, std::move(stored_));
  packed_offsets_.clear();
  stored_.clear();
  SmtFrameHeader header;
  header.kind = SmtFrameKind::records;
  header.first_record = records_written - record_count;
  header.record_count = static_cast<std::uint32_t>(record_count);
  header.pattern_count = static_cast<std::uint32_t>(patterns_.patterns().size());
  patterns_.clear();
  emit_frame(header, encoded);
}

void SmtWriter::State::remember_frame() {
  if (record_frames_++ % frames_per_entry_ != 0) return;
  if (index_.size() == kSmtMaxIndexEntries) {  // keep every second entry from here on
    for (std::size_t kept = 0; 2 * kept < index_.size(); ++kept) index_[kept] = index_[2 * kept];
    index_.resize(kSmtMaxIndexEntries / 2);
    frames_per_entry_ *= 2;
  }
  index_.push_back({bytes_written, records_written - values(SmtColumn::pattern).size()});
}

void SmtWriter::State::emit_info() {
  if (pending_info_.empty()) return;
  emit_text_frame(SmtFrameKind::info, std::exchange(pending_info_, {}));
}

void SmtWriter::State::emit_all_info() {
  std::string text;
  put_text(text, SmtInfoTag::gpu, info.gpu);
  put_text(text, SmtInfoTag::capture_tool, info.capture_tool);
  say(text);
  for (std::uint32_t index = 0; index < info.kernels.size(); ++index) {
    text.clear();
    put_kernel(text, index, info.kernels[index]);
    say(text);
  }
  for (std::uint32_t index = 0; index < info.arrays.size(); ++index) {
    text.clear();
    put_array(text, index, info.arrays[index]);
    say(text);
  }
  emit_info();
}

void SmtWriter::State::emit_text_frame(SmtFrameKind kind, std::string text) {
  SmtFrameHeader header;
  header.kind = kind;
  // Records still waiting for their frame come behind this one.
  header.first_record = records_written - values(SmtColumn::pattern).size();
  const EncodedColumn column(SmtColumn::text, std::move(text));
  emit_frame(header, std::span(&column, 1));
}

std::size_t SmtWriter::State::compress(const std::string& raw, std::string& payload) {
  if (raw.empty()) return 0;
  const std::size_t start = payload.size();
  payload.resize(start + ZSTD_compressBound(raw.size()));
  const std::size_t stored_bytes = ZSTD_compress2(context_.get(), payload.data() + start,
                                                  payload.size() - start, raw.data(), raw.size());
  if (ZSTD_isError(stored_bytes) != 0) {
    throw TraceError(
        std::string("expected to compress a frame: ") + ZSTD_getErrorName(stored_bytes),
        records_written);
  }
  payload.resize(start + stored_bytes);
  return stored_bytes;
}

void SmtWriter::State::emit_frame(SmtFrameHeader header, std::span<const EncodedColumn> columns) {
  std::string entries;
  std::string payload;
  for (const EncodedColumn& column : columns) {
    const std::size_t stored_bytes = compress(column.bytes(), payload);
    const SmtColumnEntry& entry = column.entry();
    smt_put(entries, static_cast<std::uint64_t>(entry.column), 1);
    smt_put(entries, static_cast<std::uint64_t>(entry.encoding), 1);
    smt_put(entries, entry.width_bytes, 1);
    smt_put(entries, 0, 1);
    smt_put(entries, column.bytes().size(), 4);
    smt_put(entries, stored_bytes, 4);
    smt_put(entries, 0, 4);
    smt_put(entries, entry.first, 8);
    smt_put(entries, entry.minimum, 8);
  }
  std::string head;
  smt_put(head, kSmtFrameMarker, 4);
  smt_put(head, static_cast<std::uint64_t>(header.kind), 1);
  smt_put(head, columns.size(), 1);
  smt_put(head, 0, 2);
  smt_put(head, header.first_record, 8);
  smt_put(head, header.record_count, 4);
  smt_put(head, header.pattern_count, 4);
  smt_put(head, payload.size(), 4);
  smt_put(head,
          smt_checksum(entries.data(), entries.size(), smt_checksum(head.data(), head.size())), 4);
  emit(head + entries);
  emit(payload);
}

void SmtWriter::State::finish() {
  finished = true;
  flush();
  const std::uint64_t trailer_offset = bytes_written;
  emit_all_info();
  std::string text;
  smt_put(text, index_.size(), 4);
  for (const IndexEntry& entry : index_) {
    smt_put(text, entry.byte_offset, 8);
    smt_put(text, entry.first_record, 8);
  }
  emit_text_frame(SmtFrameKind::index, std::move(text));
  std::string footer;
  smt_put(footer, trailer_offset, 8);
  smt_put(footer, records_written, 8);
  smt_put(footer, 0, 4);
  smt_put(footer, smt_checksum(footer.data(), footer.size()), 4);
  footer.append(kSmtFooterMagic.begin(), kSmtFooterMagic.end());
  emit(footer);
  sink_({});
}

namespace {

/// Writes to a file; an empty span closes it.
SmtWriter::Sink file_sink(const std::string& name) {
  std::shared_ptr<std::FILE> file(std::fopen(name.c_str(), "wb"), [](std::FILE* open) {
    return open == nullptr || std::fclose(open) == 0;
  });
  if (file == nullptr) {
    throw TraceError(name + ": expected a writable file: " + std::strerror(errno));
  }
  return [file, name](std::span<const char> bytes) {
    const bool written =
        bytes.empty() ? std::fflush(file.get()) == 0
                      : std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
    if (!written) {
      throw TraceError(name + ": expected to write " + std::to_string(bytes.size()) +
                       " bytes: " + std::strerror(errno));
    }
  };
}

}  // namespace

SmtWriter::SmtWriter(const std::string& file, SmtWriterOptions options)
    : SmtWriter(file_sink(file), options) {}

SmtWriter::SmtWriter(Sink sink, SmtWriterOptions options)
    : state_(std::make_unique<State>(std::move(sink), options)) {}

SmtWriter::~SmtWriter() {
  try {
    finish();
  } catch (const std::exception&) {  // who wants to know calls finish
  }
}

void SmtWriter::set_gpu(const std::string& gpu) {
  std::string text;
  put_text(text, SmtInfoTag::gpu, gpu);
  state_->say(text);
  state_->info.gpu = gpu;
}

void SmtWriter::set_capture_tool(const std::string& tool) {
  std::string text;
  put_text(text, SmtInfoTag::capture_tool, tool);
  state_->say(text);
  state_->info.capture_tool = tool;
}

std::uint32_t SmtWriter::add_kernel(const KernelInfo& kernel) {
  const std::size_t index = state_->info.kernels.size();
  if (index >= kSmtMaxKernels) {
    throw TraceError("expected at most " + std::to_string(kSmtMaxKernels) + " kernels, found more",
                     state_->records_written);
  }
  std::string text;
  put_kernel(text, static_cast<std::uint32_t>(index), kernel);
  state_->say(text);
  state_->info.kernels.push_back(kernel);
  return static_cast<std::uint32_t>(index);
}

void SmtWriter::replace_kernel(std::uint32_t index, const KernelInfo& kernel) {
  std::string text;
  put_kernel(text, index, kernel);
  state_->info.kernels.at(index) = kernel;
  state_->say(text);
}

void SmtWriter::add_array(const ArrayInfo& array) {
  const std::size_t index = state_->info.arrays.size();
  if (index >= kSmtMaxArrays) {
    throw TraceError("expected at most " + std::to_string(kSmtMaxArrays) + " arrays, found more",
                     state_->records_written);
  }
  std::string text;
  put_array(text, static_cast<std::uint32_t>(index), array);
  state_->say(text);
  state_->info.arrays.push_back(array);
}

void SmtWriter::update(const TraceInfo& info) {
  TraceInfo& known = state_->info;
  if (info.gpu != known.gpu) set_gpu(info.gpu);
  if (info.capture_tool != known.capture_tool) set_capture_tool(info.capture_tool);
  while (known.kernels.size() < info.kernels.size()) add_kernel(info.kernels[known.kernels.size()]);
  while (known.arrays.size() < info.arrays.size()) add_array(info.arrays[known.arrays.size()]);
}

void SmtWriter::write(const TraceRecord& record) {
  state_->write(record);
}

void SmtWriter::write(std::span<const TraceRecord> records) {
  for (const TraceRecord& record : records) state_->write(record);
}

void SmtWriter::flush() {
  state_->flush();
}

void SmtWriter::finish() {
  if (!state_->finished) state_->finish();
}

std::uint64_t SmtWriter::record_count() const {
  return state_->records_written;
}
std::uint64_t SmtWriter::byte_count() const {
  return state_->bytes_written;
}

}  // namespace smem
