// SPDX-License-Identifier: Apache-2.0
#include "capture_options.hpp"

#include <cstdlib>
#include <stdexcept>

namespace smem::capture {

namespace {

std::string text_of(const char* name, const std::string& otherwise) {
  const char* const value = std::getenv((std::string("SMEMSIM_CAPTURE_") + name).c_str());
  return value == nullptr ? otherwise : value;
}

std::uint64_t number_of(const char* name, std::uint64_t otherwise) {
  const std::string text = text_of(name, "");
  if (text.empty()) return otherwise;
  if (text.find_first_not_of("0123456789") != std::string::npos || text.size() > 18) {
    throw std::invalid_argument(std::string("SMEMSIM_CAPTURE_") + name +
                                ": expected a whole number, found " + text);
  }
  return std::stoull(text);
}

}  // namespace

CaptureOptions read_capture_options() {
  CaptureOptions options;
  options.output = text_of("OUTPUT", options.output);
  options.patch = text_of("PATCH", options.patch);
  options.nvdisasm = text_of("NVDISASM", options.nvdisasm);
  options.blocks = number_of("BLOCKS", options.blocks);
  options.launches = number_of("LAUNCHES", options.launches);
  options.skip_launches = number_of("SKIP_LAUNCHES", options.skip_launches);
  options.records_per_launch = number_of("RECORDS", options.records_per_launch);
  const std::string kernel = text_of("KERNEL", ".*");
  try {
    options.kernel = std::regex(kernel);
  } catch (const std::regex_error&) {
    throw std::invalid_argument("SMEMSIM_CAPTURE_KERNEL: expected a regular expression, found " +
                                kernel);
  }
  return options;
}

}  // namespace smem::capture
