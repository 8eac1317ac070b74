// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include <traces/measurements/nsight_csv.hpp>
#include <traces/text/text_fields.hpp>

namespace smem {
namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kMostValues = 1u << 25;  ///< bounds the memory a report takes

/// Takes a line apart; nothing when a quote is not closed.
std::optional<Row> split_row(std::string_view line) {
  Row row;
  while (true) {
    std::string text;
    std::size_t position = 0;
    if (line.starts_with('"')) {
      for (position = 1; position < line.size() &&
                         (line[position] != '"' || line.substr(position).starts_with("\"\""));
           ++position) {
        position += line[position] == '"' ? 1 : 0;
        text += line[position];
      }
      if (position >= line.size()) return std::nullopt;
      ++position;
      if (position < line.size() && line[position] != ',') return std::nullopt;
    } else {
      position = std::min(line.find(','), line.size());
      text = std::string(line.substr(0, position));
    }
    row.push_back(std::move(text));
    if (position >= line.size()) return row;
    line.remove_prefix(position + 1);
  }
}

/// Columns that describe a launch; some look like numbers in a notation of their own ("9.0").
constexpr std::array<std::string_view, 13> kNotMetrics = {
    "ID",          "Process ID", "Process Name", "Host Name",  "Kernel Name", "Function Name",
    "Kernel Time", "Context",    "Stream",       "Block Size", "Grid Size",   "Device",
    "CC"};

enum class Page : std::uint8_t { none, raw, details, source };

/// Where a page's own columns stand; -1 = it has none.
struct Header {
  Page page = Page::none;
  Row names;
  int id = -1, kernel = -1, grid = -1, block = -1;
  int metric_name = -1, metric_unit = -1, metric_value = -1;
  int address = -1, sass = -1;
};

Header parse_header(Row row) {
  Header header;
  const auto find = [&](std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      const auto found = std::find(row.begin(), row.end(), name);
      if (found != row.end()) return static_cast<int>(found - row.begin());
    }
    return -1;
  };
  header.id = find({"ID"});
  header.kernel = find({"Kernel Name", "Function Name"});
  header.grid = find({"Grid Size", "launch__grid_size"});
  header.block = find({"Block Size", "launch__block_size"});
  header.metric_name = find({"Metric Name"});
  header.metric_unit = find({"Metric Unit"});
  header.metric_value = find({"Metric Value"});
  header.address = find({"Address"});
  header.sass = find({"Source", "SASS"});
  if (header.address > header.sass) {  // beside CUDA lines, SASS has a source column of its own
    const auto second = std::find(row.begin() + header.address, row.end(), "Source");
    if (second != row.end()) header.sass = static_cast<int>(second - row.begin());
  }
  if (header.metric_name >= 0 && header.metric_value >= 0 && header.id >= 0) {
    header.page = Page::details;
  } else if (header.sass >= 0 && (header.address >= 0 || find({"#"}) >= 0)) {
    header.page = Page::source;
  } else if (header.id >= 0 && header.kernel >= 0) {
    header.page = Page::raw;
  }
  header.names = std::move(row);
  return header;
}

/// `text` with ordinary spaces for the no-break ones that some locales put between thousands.
std::string with_plain_spaces(std::string_view text) {
  std::string plain(text);
  for (const std::string_view space : {"\xc2\xa0", "\xe2\x80\xaf"}) {
    for (std::size_t position = plain.find(space); position != std::string::npos;
         position = plain.find(space)) {
      plain.replace(position, space.size(), " ");
    }
  }
  return plain;
}

/// What a number's separators say about the notation of the file.
enum class Notation : std::uint8_t { unknown, point, comma };

/// Whether `text` is digits with separators: the only thing that can be a number.
bool is_numeric(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_of("0123456789") != std::string_view::npos &&
         text.find_first_not_of("0123456789.,' eE+-") == std::string_view::npos &&
         text.front() != 'e' && text.front() != 'E';
}

Notation notation_of(std::string_view text) {
  const std::size_t last = text.find_last_of(".,");
  if (last == std::string_view::npos) return Notation::unknown;
  const Notation last_is_decimal = text[last] == '.' ? Notation::point : Notation::comma;
  const Notation last_is_thousands = text[last] == '.' ? Notation::comma : Notation::point;
  const std::size_t first = text.find_first_of(".,");
  if (text[first] != text[last]) return last_is_decimal;
  if (first != last) {
    for (std::size_t position = first; position < text.size();
         position += 4) {  // "1,234,567", but not "580.95.05"
      if (text[position] != text[first] || text.substr(position + 1, 3).size() != 3 ||
          text.substr(position + 1, 3).find_first_not_of("0123456789") != std::string_view::npos) {
        return Notation::unknown;
      }
    }
    return last_is_thousands;
  }
  const std::size_t digits_after =
      std::min(text.find_first_not_of("0123456789", last + 1), text.size()) - last - 1;
  std::string_view before = text.substr(0, first);
  if (before.starts_with('-') || before.starts_with('+')) before.remove_prefix(1);
  const bool may_be_thousands =
      digits_after == 3 && !before.empty() && before.size() <= 3 && before.front() != '0';
  return may_be_thousands ? Notation::unknown : last_is_decimal;
}

std::optional<double> parse_number(std::string_view text, Notation notation) {
  const char decimal = notation == Notation::comma ? ',' : '.';
  std::string plain;
  for (const char letter : text) {
    if (letter == decimal) {
      plain += '.';
    } else if (letter != ',' && letter != '.' && letter != '\'' && letter != ' ' && letter != '+') {
      plain += letter;
    }
  }
  double value = 0;
  const char* end = plain.data() + plain.size();
  const auto [stop, error] = std::from_chars(plain.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

/// A value whose meaning waits for the file's notation.
struct PendingValue {
  bool in_source_row;
  std::size_t index;  ///< of the launch or source row
  std::string name;
  std::string text;
  std::string unit;
};

class NsightParser {
 public:
  NsightParser(TextSource source, ReadOptions options)
      : source_(std::move(source)), options_(options) {}

  NsightReport parse() {
    std::string_view line;
    while (source_.next_line(line)) {
      if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
      if (line.empty() || line.starts_with("==")) continue;
      try {
        take_line(line);
      } catch (const TraceError&) {
        if (!options_.skip_damaged) throw;
        ++report_.skipped.places;
      }
    }
    if (header_.page == Page::none) {
      throw TraceError(source_.name() + ":" + std::to_string(source_.line_number() + 1) +
                       ": expected a header row of Nsight Compute, found the end of the file");
    }
    settle();
    return std::move(report_);
  }

 private:
  void take_line(std::string_view line) {
    std::optional<Row> row = split_row(line);
    if (!row) {
      if (header_.page == Page::none || !line.starts_with('"')) return;
      fail("expected closed quotes, found " + quoted(line));
    }
    if (Header header = parse_header(*row); header.page != Page::none) {
      header_ = std::move(header);
      section_ = std::move(previous_);
      units_.clear();
      return;
    }
    // The rule columns of the details page are left out of rows that have no rule.
    if (header_.page == Page::details && row->size() < header_.names.size() &&
        row->size() > static_cast<std::size_t>(header_.metric_value)) {
      row->resize(header_.names.size());
    }
    if (header_.page == Page::none || row->size() != header_.names.size()) {
      take_other(line, std::move(*row));
      return;
    }
    switch (header_.page) {
      case Page::raw:
        take_raw(*row);
        break;
      case Page::details:
        take_details(*row);
        break;
      case Page::source:
        take_source(*row);
        break;
      case Page::none:
        break;
    }
  }

  /// A line that is no row of the table: noise, or what names the table that follows.
  void take_other(std::string_view line, Row row) {
    const bool starts_section = header_.page == Page::none || header_.page == Page::source;
    if (line.starts_with('"') && !starts_section) {
      fail("expected " + std::to_string(header_.names.size()) + " fields, found " +
           std::to_string(row.size()));
    }
    previous_ = row.size() > 1 && row[0] == "Kernel Name" ? std::move(row[1]) : std::move(row[0]);
  }

  static std::string_view field(const Row& row, int column) {
    return column < 0 ? std::string_view()
                      : std::string_view(row[static_cast<std::size_t>(column)]);
  }

  std::array<std::uint32_t, 3> extent(std::string_view text) const {
    std::array<std::uint32_t, 3> result{};
    std::size_t axis = 0;
    for (std::string_view rest = text; axis < 3;) {
      const std::size_t begin = rest.find_first_of("0123456789");
      if (begin == std::string_view::npos) break;
      const std::size_t end = std::min(rest.find_first_not_of("0123456789", begin), rest.size());
      std::uint64_t value = 0;
      if (!parse_whole(rest.substr(begin, end - begin), 10, value) ||
          value > std::numeric_limits<std::uint32_t>::max()) {
        fail("expected a size such as (256, 1, 1), found " + quoted(text));
      }
      result[axis++] = static_cast<std::uint32_t>(value);
      rest.remove_prefix(end);
    }
    return result;
  }

  std::size_t launch_of(const Row& row) {
    std::uint64_t id = 0;
    const std::string_view text = field(row, header_.id);
    if (!parse_whole(text, 10, id)) fail("expected the number of a launch, found " + quoted(text));
    for (std::size_t position = report_.launches.size(); position > 0; --position) {
      if (report_.launches[position - 1].id == id) return position - 1;
    }
    NsightLaunch launch;
    launch.id = id;
    launch.kernel = std::string(field(row, header_.kernel));
    if (field(row, header_.grid).starts_with('(')) launch.grid = extent(field(row, header_.grid));
    if (field(row, header_.block).starts_with('(')) {
      launch.block = extent(field(row, header_.block));
    }
    report_.launches.push_back(std::move(launch));
    return report_.launches.size() - 1;
  }

  void take_raw(const Row& row) {
    if (field(row, header_.id).empty()) {
      units_ = row;
      return;
    }
    const std::size_t launch = launch_of(row);
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string& name = header_.names[column];
      if (std::find(kNotMetrics.begin(), kNotMetrics.end(), name) != kNotMetrics.end()) continue;
      pend({false, launch, name, row[column], units_.empty() ? std::string() : units_[column]});
    }
  }

  void take_details(const Row& row) {
    const std::string_view name = field(row, header_.metric_name);
    if (name.empty()) return;  // the text of a rule
    pend({false, launch_of(row), std::string(name), std::string(field(row, header_.metric_value)),
          std::string(field(row, header_.metric_unit))});
  }

  void take_source(const Row& row) {
    std::uint64_t address = 0;
    const bool has_address = parse_whole(field(row, header_.address), 16, address);
    if (header_.address >= 0 && !has_address) return;  // a CUDA line that SASS lines follow
    NsightSourceRow line;
    if (has_address) line.address = address;
    line.kernel = header_.kernel >= 0 ? std::string(field(row, header_.kernel)) : section_;
    line.sass = std::string(trimmed(field(row, header_.sass)));
    report_.source_rows.push_back(std::move(line));
    for (std::size_t column = 0; column < row.size(); ++column) {
      const int position = static_cast<int>(column);
      if (position == header_.address || position == header_.sass || position == header_.kernel)
        continue;
      pend({true, report_.source_rows.size() - 1, header_.names[column], row[column], {}});
    }
  }

  void pend(PendingValue value) {
    const std::string text = with_plain_spaces(trimmed(value.text));
    if (!is_numeric(text)) return;
    if (pending_.size() == kMostValues) {
      fail("expected at most " + std::to_string(kMostValues) + " values, found more");
    }
    const Notation notation = notation_of(text);
    const std::size_t first = text.find_first_of(".,");
    const bool repeats = first != std::string::npos && text.find_last_of(".,") != first;
    if (notation == Notation::unknown && repeats) return;  // a version, a date
    if (notation != Notation::unknown && notation_ != Notation::unknown && notation != notation_) {
      fail("expected one notation of numbers in the file, found " + quoted(text));
    }
    if (notation != Notation::unknown) notation_ = notation;
    value.text = text;
    pending_.push_back(std::move(value));
  }

  /// Now that the notation is known.
  void settle() {
    for (const PendingValue& pending : pending_) {
      const auto value = parse_number(pending.text, notation_);
      if (!value) continue;
      if (pending.in_source_row) {
        report_.source_rows[pending.index].values[pending.name] = *value;
      } else {
        report_.launches[pending.index].metrics[pending.name] = {*value, pending.unit};
      }
    }
  }

  [[noreturn]] void fail(const std::string& message) const {
    source_.fail(message, report_.launches.size() + report_.source_rows.size());
  }

  TextSource source_;
  ReadOptions options_;
  Header header_;
  Row units_;
  std::string previous_;  ///< the line before, in case it names the table that follows
  std::string section_;
  Notation notation_ = Notation::unknown;
  std::vector<PendingValue> pending_;
  NsightReport report_;
};

}  // namespace

std::optional<double> NsightLaunch::value(const std::string& metric) const {
  const auto found = metrics.find(metric);
  if (found == metrics.end()) return std::nullopt;
  return found->second.value;
}

NsightReport read_nsight_csv(TextSource source, ReadOptions options) {
  return NsightParser(std::move(source), options).parse();
}

bool looks_like_nsight_csv(std::string_view first_bytes) {
  while (!first_bytes.empty()) {
    const std::size_t end = std::min(first_bytes.find('\n'), first_bytes.size());
    std::string_view line = first_bytes.substr(0, end);
    first_bytes.remove_prefix(std::min(end + 1, first_bytes.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    const std::optional<Row> row = split_row(line);
    if (row && parse_header(*row).page != Page::none) return true;
  }
  return false;
}

}  // namespace smem
