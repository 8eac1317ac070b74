// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <vector>

#include <sim/clock/measuring_kernel.hpp>
#include <sim/config/installation.hpp>
#include <sim/config/yaml_cursor.hpp>

namespace smem {

std::string find_measuring_kernel(const std::string& program_file) {
  std::vector<std::filesystem::path> files;
  if (program_file != "-") {
    files.push_back(std::filesystem::path(program_file).parent_path() / "measuring_kernel.yaml");
  }
  if (const auto prefix = installation_prefix()) {
    files.push_back(*prefix / SMEMSIM_DATA_MEASURING_KERNEL);
  }
  files.emplace_back(SMEMSIM_SOURCE_MEASURING_KERNEL);
  files.emplace_back(SMEMSIM_INSTALLED_MEASURING_KERNEL);
  for (const std::filesystem::path& file : files) {
    std::error_code error;
    if (std::filesystem::exists(file, error)) return file.string();
  }
  throw ConfigError(program_file +
                    ": expected the measuring kernel's description beside it or installed, in " +
                    files.back().string() + ", found none");
}

MeasuringKernel parse_measuring_kernel(const std::string& text, const std::string& name) {
  return read_yaml(text, name, [&](const YAML::Node& root) {
    YamlCursor cursor(name, root);
    MeasuringKernel kernel;
    for (const MeasuringKernelField& field : kMeasuringKernelFields) {
      kernel.*field.member = cursor.at(std::string(field.name)).unsigned_value(0, field.most);
    }
    cursor.finish();
    return kernel;
  });
}

MeasuringKernel load_measuring_kernel(const std::string& file) {
  return parse_measuring_kernel(config_text(file, "description of a measuring kernel"), file);
}

}  // namespace smem
