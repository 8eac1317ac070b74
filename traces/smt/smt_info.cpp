// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <traces/smt/smt_info.hpp>
#include <traces/trace_error.hpp>

namespace smem {
namespace {

/// Takes fields off the text of a frame.
class Fields {
 public:
  Fields(const SmtFrameReader& frames, std::span<const char> text) : frames_(frames), text_(text) {}

  bool at_end() const { return text_.empty(); }

  std::uint64_t number(unsigned bytes) { return smt_get(take(bytes), bytes); }
  std::uint32_t number32() { return static_cast<std::uint32_t>(number(4)); }

  std::uint32_t number_below(std::uint64_t limit) {
    const std::uint32_t value = number32();
    if (value >= limit) {
      frames_.fail("expected a number below " + std::to_string(limit) +
                   " in the text of the frame, found " + std::to_string(value));
    }
    return value;
  }

  std::string name() {
    const std::uint32_t size = number_below(kSmtMaxNameBytes + 1);
    return std::string(take(size), size);
  }

 private:
  const char* take(std::size_t bytes) {
    if (bytes > text_.size()) frames_.fail("expected more text in the frame, found its end");
    const char* from = text_.data();
    text_ = text_.subspan(bytes);
    return from;
  }

  const SmtFrameReader& frames_;
  std::span<const char> text_;
};

KernelInfo read_kernel(Fields& fields) {
  KernelInfo kernel;
  for (std::uint32_t& extent : kernel.grid) extent = fields.number32();
  for (std::uint32_t& extent : kernel.block) extent = fields.number32();
  kernel.shared_bytes = fields.number32();
  kernel.registers_per_thread = fields.number32();
  kernel.name = fields.name();
  return kernel;
}

ArrayInfo read_array(Fields& fields) {
  ArrayInfo array;
  array.begin_bytes = fields.number32();
  array.end_bytes = fields.number32();
  array.name = fields.name();
  return array;
}

/// The element to be told about: a known one again, or the next.
template <class Element>
Element& next_element(const SmtFrameReader& frames, std::vector<Element>& elements,
                      std::uint32_t index, std::uint32_t most_lost) {
  if (index > elements.size() + most_lost) {
    frames.fail("expected kernel or array " + std::to_string(elements.size()) + ", found number " +
                std::to_string(index));
  }
  if (index >= elements.size()) elements.resize(index + 1);
  return elements[index];
}

}  // namespace

void read_smt_info(const SmtFrameReader& frames, std::span<const char> text, TraceInfo& info,
                   std::uint32_t most_lost) {
  Fields fields(frames, text);
  while (!fields.at_end()) {
    const std::uint64_t tag = fields.number(1);
    switch (static_cast<SmtInfoTag>(tag)) {
      case SmtInfoTag::gpu:
        info.gpu = fields.name();
        continue;
      case SmtInfoTag::capture_tool:
        info.capture_tool = fields.name();
        continue;
      case SmtInfoTag::kernel: {
        const std::uint32_t index = fields.number_below(kSmtMaxKernels);
        next_element(frames, info.kernels, index, most_lost) = read_kernel(fields);
        continue;
      }
      case SmtInfoTag::array: {
        const std::uint32_t index = fields.number_below(kSmtMaxArrays);
        next_element(frames, info.arrays, index, most_lost) = read_array(fields);
        continue;
      }
    }
    frames.fail("expected G, T, K or A in the text of the frame, found byte " +
                std::to_string(tag));
  }
}

std::vector<SmtIndexEntry> parse_smt_index(const SmtFrameReader& frames,
                                           std::span<const char> text) {
  Fields fields(frames, text);
  std::vector<SmtIndexEntry> entries(fields.number_below(kSmtMaxIndexEntries + 1));
  for (SmtIndexEntry& entry : entries) {
    entry.byte_offset = fields.number(8);
    entry.first_record = fields.number(8);
  }
  if (!fields.at_end()) {
    frames.fail("expected " + std::to_string(entries.size()) + " entries in the index, found more");
  }
  return entries;
}

void read_smt_end(SmtFrameReader& frames, const SmtFrame& index_frame) {
  // Taken apart for its checks alone.
  (void)parse_smt_index(frames, frames.decompress(index_frame, SmtColumn::text));
  const std::uint64_t first_record = index_frame.header.first_record;
  const std::uint64_t records = frames.read_footer();
  if (records != first_record) {
    frames.fail("expected a footer that counts " + std::to_string(first_record) +
                " records, found " + std::to_string(records));
  }
}

SmtIndex read_smt_index(SmtFrameReader& frames) {
  SmtIndex index;
  SmtFrame frame;
  while (true) {
    frames.read_frame(frame);
    const bool is_index = frame.header.kind == SmtFrameKind::index;
    if (frame.header.kind == SmtFrameKind::records) {
      frames.fail("expected info frames and the index, found a frame of records");
    }
    const auto text = frames.decompress(frame, SmtColumn::text);
    if (is_index) {
      index.entries = parse_smt_index(frames, text);
      return index;
    }
    read_smt_info(frames, text, index.info);
  }
}

}  // namespace smem
