// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include <traces/smt/smt_frame_decoder.hpp>
#include <traces/smt/smt_frame_reader.hpp>
#include <traces/smt/smt_info.hpp>
#include <traces/smt/smt_reader.hpp>

namespace smem {
namespace {

/// Beyond so many patterns the numbering starts anew; one frame can add as many again.
constexpr std::size_t kRememberedPatterns = 1u << 17;

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
        decoder_(name, spec, kRememberedPatterns),
        expected_record_(first_record) {}

  /// Makes a record current; false at the end or before the damage that ends the reading.
  bool more() { return cursor_ < decoder_.record_count() || load_frame(); }
  bool frame_is_used_up() const { return cursor_ == decoder_.record_count(); }
  void fill(TraceRecord& record) const;
  void fill(SmtReference& reference) const;
  void throw_pending() const {
    if (pending_error_) throw TraceError(*pending_error_);
  }
  void skip_to(std::uint64_t record);

  const std::string& name() const { return name_; }
  std::uint64_t records_read() const { return delivered_ + cursor_; }
  SmtFrameReader& frames() { return frames_; }
  const std::vector<AccessPattern>& patterns() const { return decoder_.patterns(); }
  std::uint64_t pattern_generation() const { return decoder_.pattern_generation(); }
  bool skips_damage() const { return options_.skip_damaged; }

  TraceInfo info;
  SkippedParts skipped;
  SmtDetail detail = SmtDetail::all;
  std::uint64_t read_begin = 0;  ///< the first record of the last read
  std::size_t cursor_ = 0;

 private:
  bool load_frame();
  bool take_frame();
  void check_records();
  void name_lost_kernels();
  void drop_records(const std::vector<std::uint8_t>& refused);
  bool handle_damage(const TraceError& error);

  std::string name_;
  GpuSpec spec_;
  ReadOptions options_;
  SmtFrameReader frames_;
  SmtFrame frame_;
  SmtFrameDecoder decoder_;
  std::uint64_t expected_record_;
  std::uint64_t delivered_ = 0;
  bool at_end_ = false;
  bool resumed_ = false;  ///< the last frame was given up
  std::optional<TraceError> pending_error_;
};

bool SmtReader::State::load_frame() {
  delivered_ += decoder_.record_count();
  decoder_.clear();
  cursor_ = 0;
  while (!at_end_ && !pending_error_) {
    try {
      if (take_frame()) return true;
    } catch (const TraceError& error) {
      decoder_.clear();
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
      decoder_.decode(frame_, detail);
      break;
    case SmtFrameKind::index:
      at_end_ = true;
      read_smt_end(frames_, frame_);
      break;
  }
  resumed_ = false;
  skipped.records += first_record - expected_record_;
  expected_record_ = first_record + frame_.header.record_count;
  if (frame_.header.kind == SmtFrameKind::records) check_records();
  return decoder_.record_count() != 0;
}

/// Kernels that a lost info frame named become unnamed ones.
void SmtReader::State::name_lost_kernels() {
  for (const std::uint32_t kernel : decoder_.columns.kernel) {
    if (kernel >= info.kernels.size() && kernel <= info.kernels.size() + kSmtMaxLostNames) {
      info.kernels.resize(kernel + 1);
    }
  }
}

/// Ends the frame before the first record that `spec` does not allow, or drops such records.
void SmtReader::State::check_records() {
  if (skipped.places != 0) name_lost_kernels();
  const std::size_t kernels = info.kernels.size();
  const std::size_t count = decoder_.record_count();
  std::size_t index = decoder_.find_refused(0, kernels);
  if (index == count) return;
  if (!options_.skip_damaged) {
    pending_error_.emplace(decoder_.record_error(frame_, index, kernels), delivered_ + index);
    decoder_.columns.for_each_column(
        [&](auto& column) { column.resize(std::min(column.size(), index)); });
    return;
  }
  std::vector<std::uint8_t> refused(count, 0);
  for (; index < count; index = decoder_.find_refused(index + 1, kernels)) {
    refused[index] = 1;
    ++skipped.places;
    ++skipped.records;
  }
  drop_records(refused);
}

void SmtReader::State::drop_records(const std::vector<std::uint8_t>& refused) {
  decoder_.columns.for_each_column([&](auto& column) {
    std::size_t kept = 0;
    for (std::size_t index = 0; index < column.size(); ++index) {
      if (refused[index] == 0) column[kept++] = column[index];
    }
    column.resize(kept);
  });
}

void SmtReader::State::fill(TraceRecord& record) const {
  const AccessPattern& pattern = decoder_.patterns()[decoder_.columns.pattern[cursor_]];
  record.access = pattern.at(decoder_.columns.base_bytes[cursor_]);
  record.kernel = decoder_.columns.kernel[cursor_];
  record.block = decoder_.columns.block[cursor_];
  record.warp = decoder_.columns.warp[cursor_];
  record.pc = decoder_.columns.pc[cursor_];
  record.count = decoder_.columns.count[cursor_];
  record.issue_gap_instructions = decoder_.columns.issue_gap_instructions[cursor_];
  record.depends_on = decoder_.columns.depends_on[cursor_];
  record.dependent_instructions = decoder_.columns.dependent_instructions[cursor_];
  record.stored = nullptr;
  if (decoder_.columns.has_stored[cursor_] == 0) return;
  auto stored = std::make_shared<StoredBytes>();
  const char* from = decoder_.stored_bytes(cursor_);
  for (auto& lane : *stored) {
    std::memcpy(lane.data(), from, pattern.bytes_per_lane);
    from += pattern.bytes_per_lane;
  }
  record.stored = std::move(stored);
}

void SmtReader::State::fill(SmtReference& reference) const {
  reference = {decoder_.columns.pattern[cursor_], decoder_.columns.base_bytes[cursor_],
               decoder_.columns.kernel[cursor_],  decoder_.columns.block[cursor_],
               decoder_.columns.warp[cursor_],    decoder_.columns.pc[cursor_],
               decoder_.columns.count[cursor_]};
}

void SmtReader::State::skip_to(std::uint64_t record) {
  while (more()) {
    const std::uint64_t first = frame_.header.first_record;
    if (record < first + decoder_.record_count()) {
      cursor_ = record < first ? 0 : static_cast<std::size_t>(record - first);
      return;
    }
    cursor_ = decoder_.record_count();
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
  state_->read_begin = state_->records_read();
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
    if (filled != 0 && state_->frame_is_used_up()) break;
    if (!state_->more()) break;
    state_->fill(references[filled++]);
    ++state_->cursor_;
  }
  if (filled == 0 && !references.empty()) state_->throw_pending();
  return filled;
}

std::string SmtReader::place(std::size_t index) const {
  return state_->name() + ": record " + std::to_string(state_->read_begin + index);
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
  return state_->pattern_generation();
}
SmtFrameReader* SmtReader::frames() {
  return state_->skips_damage() ? nullptr : &state_->frames();
}

}  // namespace smem
