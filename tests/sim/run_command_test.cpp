// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <batch/instruction_set.hpp>
#include <gtest/gtest.h>
#include <tests/support/command_run.hpp>

namespace smem::test {
namespace {

std::string lanes(unsigned stride_bytes, unsigned first = 0) {
  std::string text;
  for (unsigned lane = 0; lane < 32; ++lane) {
    text += (lane == 0 ? "" : " ") + std::to_string(first + lane * stride_bytes);
  }
  return text;
}

const std::string kHeader = "op,bytes,mask,addresses\n";

/// One access list that must be refused.
struct BadList {
  const char* name;
  std::string content;
  const char* line;      ///< the line number the message must give
  const char* expected;  ///< words the message must hold
};

class BadAccessList : public testing::TestWithParam<BadList> {};

TEST_P(BadAccessList, IsOneLineWithFileAndLineAndNoResult) {
  const TemporaryFolder folder;
  const std::string file = folder.write("bad.csv", GetParam().content);
  const std::string per_access = folder.path("per_access.csv");
  for (const char* format : {"table", "csv", "json"}) {
    const CommandRun run =
        run_smemsim({"run", file, "--fast", "--format", format, "--per-access", per_access});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_EQ(run.out, "");
    EXPECT_NE(run.err.find(file + ":" + GetParam().line + ": expected "), std::string::npos)
        << run.err;
    EXPECT_NE(run.err.find(GetParam().expected), std::string::npos) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_THROW(read_file(per_access), std::runtime_error);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Lists, BadAccessList,
    testing::Values(
        BadList{"UnknownColumn", "op,bytes,mask,colour,addresses\n", "1", "found 'colour'"},
        BadList{"MissingColumn", "op,bytes,addresses\n", "1", "a column 'mask', found none"},
        BadList{"RepeatedColumn", "op,bytes,mask,mask,addresses\n", "1", "'mask' again"},
        BadList{"EmptyFile", "", "1", "a header line"},
        BadList{"OnlyComments", "# nothing\n# here\n", "3", "a header line"},
        BadList{"TooFewAddresses", kHeader + "ld,4,ffffffff,0 4 8\n", "2", "32 addresses, found 3"},
        BadList{"TooManyAddresses", kHeader + "ld,4,ffffffff," + lanes(4) + " 128\n", "2",
                "32 addresses, found 33"},
        BadList{"AddressIsNoNumber", kHeader + "ld,4,ffffffff,x " + lanes(4) + "\n", "2",
                "found 'x'"},
        BadList{"NegativeAddress", kHeader + "ld,4,ffffffff,-4 " + lanes(4) + "\n", "2",
                "found '-4'"},
        BadList{"MaskIsNotHexadecimal", kHeader + "ld,4,fffg," + lanes(4) + "\n", "2",
                "found 'fffg'"},
        BadList{"MaskIsTooLong", kHeader + "ld,4,1ffffffff," + lanes(4) + "\n", "2",
                "found '1ffffffff'"},
        BadList{"MisalignedAddress", kHeader + "ld,8,ffffffff," + lanes(8, 4) + "\n", "2",
                "multiples of 8, found 4 in lane 0"},
        BadList{"AddressPastSharedMemory",
                "# a comment\n" + kHeader + "ld,4,ffffffff," + lanes(4) + "\nst,4,80000000," +
                    lanes(0, 233472) + "\n",
                "4", "below the 233472 bytes"},
        BadList{"UnknownOperation", kHeader + "load,4,ffffffff," + lanes(4) + "\n", "2",
                "found 'load'"},
        BadList{"WidthIsNoPowerOfTwo", kHeader + "ld,3,ffffffff," + lanes(4) + "\n", "2",
                "found ld of 3 bytes"},
        BadList{"WidthIsZero", kHeader + "ld,0,ffffffff," + lanes(4) + "\n", "2",
                "found ld of 0 bytes"},
        BadList{"MatrixOfFourBytes", kHeader + "ldmatrix.x4,4,ffffffff," + lanes(16) + "\n", "2",
                "16 bytes for ldmatrix.x4, found 4"},
        BadList{"TooFewFields", kHeader + "ld,4,ffffffff\n", "2", "4 fields, found 3"},
        BadList{"CountIsZero", "op,bytes,mask,count,addresses\nld,4,ffffffff,0," + lanes(4) + "\n",
                "2", "in column 'count', found '0'"},
        BadList{"QuoteNeverCloses", "op,bytes,mask,name,addresses\nld,4,ffffffff,\"a," + lanes(4),
                "2", "a closing quote"}),
    [](const auto& parameter) { return parameter.param.name; });

TEST(RunCommand, TruncatedGzipIsOneLineWithFileAndLineAndNoResult) {
  const TemporaryFolder folder;
  const std::string file = folder.path("whole.csv.gz");
  const std::string plain = source_file("traces/measured/h200/access_counters/counters.csv");
  ASSERT_EQ(std::system(("gzip -nc " + plain + " >" + file).c_str()), 0);
  const std::string whole = read_file(file);
  EXPECT_EQ(run_smemsim({"run", file, "--fast"}).exit_code, 0);
  for (const std::size_t size :
       {std::size_t{3}, std::size_t{15}, whole.size() / 2, whole.size() - 1}) {
    const std::string cut = folder.write("cut.csv.gz", whole.substr(0, size));
    const CommandRun run = run_smemsim({"run", cut, "--fast"});
    EXPECT_EQ(run.exit_code, 1) << size;
    EXPECT_EQ(run.out, "");
    EXPECT_NE(run.err.find(cut + ":"), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("expected gzip data to its end"), std::string::npos) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1);
  }
}

TEST(RunCommand, CompressedAndPlainListsGiveTheSameResult) {
  const TemporaryFolder folder;
  const std::string plain = source_file("traces/measured/h200/access_counters/counters.csv");
  const CommandRun wanted = run_smemsim({"run", plain, "--fast", "--by", "pc", "--format", "csv"});
  ASSERT_EQ(wanted.exit_code, 0) << wanted.err;
  const std::string packed = folder.path("packed");
  ASSERT_EQ(std::system(("gzip -c " + plain + " >" + packed).c_str()), 0);
  const CommandRun run = run_smemsim({"run", packed, "--fast", "--by", "pc", "--format", "csv"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, wanted.out);
}

TEST(RunCommand, ByKernelWritesTheColumnsOthersRelyOn) {
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "list.csv", "kernel,op,bytes,mask,count,addresses\n\"f(int, int)\",ld,4,ffffffff,3," +
                      lanes(8) + "\ng,st,16,ffffffff,1," + lanes(16) + "\n");
  const CommandRun run = run_smemsim({"run", file, "--fast", "--by", "kernel", "--format", "csv"});
  EXPECT_EQ(run.out,
            "kernel,op_class,instructions,wavefronts,ideal,bank_conflicts\n"
            "\"f(int, int)\",ld,3,6,3,3\n"
            "g,st,1,4,4,0\n");
}

TEST(RunCommand, PerAccessKeepsTheInputOrder) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("list.csv", kHeader + "ld,16,ffffffff," + lanes(16) + "\nld,4,0," + lanes(4) +
                                   "\nst,4,ffffffff," + lanes(128) + "\n");
  const std::string per_access = folder.path("per_access.csv");
  const CommandRun run = run_smemsim({"run", file, "--fast", "--per-access", per_access});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(read_file(per_access),
            "index,wavefronts,ideal,bank_conflicts,cycles_per_inst\n"
            "0,4,4,0,4\n1,0,0,0,0\n2,32,1,31,32\n");
}

/// Tables by pc and the costs of every access, counted with `set` (a value for the environment
/// variable; empty = the program chooses).
std::string counted_with(const std::string& set, const std::string& trace) {
  const TemporaryFolder folder;
  const std::string per_access = folder.path("per_access.csv");
  setenv("SMEMSIM_INSTRUCTION_SET", set.c_str(), 1);
  std::string text;
  for (const char* by : {"operation", "pc", "array"}) {
    const CommandRun run = run_smemsim(
        {"run", trace, "--fast", "--by", by, "--format", "csv", "--per-access", per_access});
    const CommandRun rows = run_smemsim({"run", trace, "--fast", "--by", by, "--format", "csv"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, rows.out);
    text += run.out + read_file(per_access);
  }
  unsetenv("SMEMSIM_INSTRUCTION_SET");
  return text;
}

TEST(RunCommand, FastResultsDoNotDependOnTheInstructionSet) {
  std::size_t compared = 0;
  for (const std::string& trace :
       {source_file("traces/measured/h200/access_counters/counters.csv"),
        source_file("traces/samples/conv3.smt"), std::string("transpose:tile=32,blocks=20")}) {
    const std::string scalar = counted_with("scalar", trace);
    EXPECT_GT(scalar.size(), 100u);
    EXPECT_EQ(counted_with("", trace), scalar) << trace;
    for (const InstructionSet set : {InstructionSet::avx2, InstructionSet::avx512}) {
      if (!is_available(set)) continue;
      EXPECT_EQ(counted_with(std::string(name_of(set)), trace), scalar) << trace;
      ++compared;
    }
  }
  if (compared == 0) GTEST_SKIP() << "this processor has the scalar set alone";
}

TEST(RunCommand, AnUnknownInstructionSetIsRefused) {
  setenv("SMEMSIM_INSTRUCTION_SET", "mmx", 1);
  const CommandRun run = run_smemsim(
      {"run", source_file("traces/measured/h200/access_counters/counters.csv"), "--fast"});
  unsetenv("SMEMSIM_INSTRUCTION_SET");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find("SMEMSIM_INSTRUCTION_SET: expected"), std::string::npos) << run.err;
}

TEST(RunCommand, WrongUsageIsExitCodeTwo) {
  EXPECT_EQ(run_smemsim({}).exit_code, 2);
  EXPECT_EQ(run_smemsim({"walk"}).exit_code, 2);
  EXPECT_EQ(run_smemsim({"run"}).exit_code, 2);
  EXPECT_EQ(run_smemsim({"run", "x", "--fast", "--by", "colour"}).exit_code, 2);
  EXPECT_EQ(run_smemsim({"run", "x", "--fast", "--format", "xml"}).exit_code, 2);
  EXPECT_EQ(run_smemsim({"run", "x", "--no-such-option"}).exit_code, 2);
  EXPECT_EQ(run_smemsim({"run", "stride:", "--set", "x"}).exit_code, 2);
  EXPECT_EQ(run_smemsim({"run", "stride:colour=1", "--fast"}).exit_code, 2);
  EXPECT_EQ(run_smemsim({"run", "stride:words=x", "--fast"}).exit_code, 2);
  EXPECT_EQ(run_smemsim({"run", "stride:op=mov", "--fast"}).exit_code, 2);
  EXPECT_EQ(run_smemsim({"run", "stride:", "--fast", "--threads", "x"}).exit_code, 2);
}

TEST(RunCommand, NumbersOutOfRangeAreExitCodeOne) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"stride:", "--fast", "--threads", "0"}, "--threads: expected at least 1, found 0"},
      {{"stride:", "--fast", "--threads", "-1"}, "--threads: expected at least 1, found -1"},
      {{"stride:", "--fast", "--threads", "65"}, "--threads: expected at most 64, found 65"},
      {{"stride:words=-1", "--fast"}, "stride: expected words of at least 0, found -1"},
      {{"stride:base=2", "--fast"}, "expected addresses that are multiples of 4"},
  };
  for (const auto& [arguments, message] : cases) {
    std::vector<std::string> words = {"run"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const CommandRun run = run_smemsim(words);
    EXPECT_EQ(run.exit_code, 1) << message;
    EXPECT_EQ(run.out, "") << message;
    EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
  }
}

TEST(RunCommand, ATraceFromAPipeIsReadOnce) {
  const TemporaryFolder folder;
  const std::string out = folder.path("out.csv");
  const std::string command = std::string("bash -c '") + SMEMSIM_BINARY + " run <(cat \"" +
                              source_file("traces/samples/conv3.smt") +
                              "\") --fast --by kernel --format csv > \"" + out + "\"'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(read_file(out),
            "kernel,op_class,instructions,wavefronts,ideal,bank_conflicts\n"
            "conv3,st,4608,6144,4608,1536\nconv3,ld,110592,221184,110592,110592\n");
}

/// The output of a line of bash; "SMEMSIM" stands for the program.
std::string output_of(std::string line) {
  const TemporaryFolder folder;
  line.replace(line.find("SMEMSIM"), 7, SMEMSIM_BINARY);
  const std::string command = "bash -c '" + line + "' > " + folder.path("out");
  EXPECT_EQ(std::system(command.c_str()), 0) << line;
  return read_file(folder.path("out"));
}

TEST(RunCommand, AProgramFileMayComeThroughAPipe) {
  const std::string file = source_file("traces/measured/h200/programs/random.json");
  const std::string options = " --warps 1,4 --format csv";
  const std::string wanted = output_of("SMEMSIM run " + file + options);
  ASSERT_NE(wanted.find("\n0,4,"), std::string::npos);
  EXPECT_EQ(output_of("cat " + file + " | SMEMSIM run -" + options), wanted);
  EXPECT_EQ(output_of("SMEMSIM run /dev/stdin" + options + " < " + file), wanted);
  EXPECT_EQ(output_of("SMEMSIM run <(gzip -c " + file + ")" + options), wanted);
  EXPECT_EQ(output_of("cat " + file + " | SMEMSIM run - --fast --by kernel --format csv"),
            output_of("SMEMSIM run " + file + " --fast --by kernel --format csv"));
}

TEST(CompareCommand, AProgramFileMayComeThroughAPipe) {
  const std::string stem = source_file("traces/measured/h200/programs/random");
  const std::string options = " --measured " + stem + "_measured.csv --worst 5 --format csv";
  const std::string wanted = output_of("SMEMSIM compare " + stem + ".json" + options);
  EXPECT_EQ(output_of("SMEMSIM compare <(cat " + stem + ".json)" + options), wanted);
}

TEST(RunCommand, AnErrorIsOneLineWithoutControlCharacters) {
  const TemporaryFolder folder;
  const CommandRun run =
      run_smemsim({"run", folder.write("bad.csv", "op,b\x1b[31m\a\x7f,mask\n"), "--fast"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("found 'b?[31m?"
                         "?'"),
            std::string::npos)
      << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1);
}

TEST(RunCommand, ProgramOptionsNeedProgramsAndTheClock) {
  for (const char* option : {"--warps", "--warp-stride"}) {
    EXPECT_EQ(run_smemsim({"run", "stride:words=1", option, "1"}).exit_code, 2);
    EXPECT_EQ(run_smemsim({"run", "stride:words=1", "--fast", option, "1"}).exit_code, 2);
  }
}

TEST(RunCommand, OptionsThatProgramTimingsDoNotHeedAreRefused) {
  const TemporaryFolder folder;
  const std::string programs = source_file("traces/measured/h200/programs/random.json");
  const std::vector<std::vector<std::string>> cases = {
      {"--by", "pc"}, {"--show", "stalls"}, {"--per-access", folder.path("x")}};
  for (const std::vector<std::string>& option : cases) {
    std::vector<std::string> words = {"run", programs};
    words.insert(words.end(), option.begin(), option.end());
    const CommandRun run = run_smemsim(words);
    EXPECT_EQ(run.exit_code, 2) << option[0];
    EXPECT_EQ(run.out, "") << option[0];
    EXPECT_EQ(run.err, "smemsim: " + option[0] +
                           ": expected a trace, or --fast, found a program file and the clock\n");
  }
  const CommandRun fast = run_smemsim({"run", programs, "--fast", "--by", "pc"});
  EXPECT_EQ(fast.exit_code, 0) << fast.err;
  EXPECT_NE(fast.out.find("  pc  "), std::string::npos) << fast.out;
}

TEST(RunCommand, ProgramFilesAndTracesDoNotGoTogetherWithTheClock) {
  const std::string programs = source_file("traces/measured/h200/programs/random.json");
  const std::string trace = source_file("traces/samples/published_cases.csv");
  for (const auto& [first, second] : {std::pair{programs, trace}, std::pair{trace, programs}}) {
    const CommandRun run = run_smemsim({"run", first, second});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_NE(run.err.find("as the first is one, found"), std::string::npos) << run.err;
    EXPECT_EQ(run_smemsim({"run", first, second, "--fast"}).exit_code, 0);
  }
}

TEST(RunCommand, TablesOfTheClockNeedTheClock) {
  for (const char* table : {"cycles", "stalls", "warps", "accesses,cycles"}) {
    const CommandRun run = run_smemsim({"run", "stride:", "--fast", "--show", table});
    EXPECT_EQ(run.exit_code, 2) << table;
    EXPECT_EQ(run.out, "") << table;
  }
}

TEST(RunCommand, ProgramTimingsHaveTheColumnsOthersRelyOn) {
  const std::string programs = source_file("traces/measured/h200/programs/dependent.json");
  for (const std::vector<std::string>& stride :
       {std::vector<std::string>{}, std::vector<std::string>{"--warp-stride", "4"}}) {
    std::vector<std::string> words = {"run", programs, "--warps", "1,2", "--format", "csv"};
    words.insert(words.end(), stride.begin(), stride.end());
    const CommandRun run = run_smemsim(words);
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_EQ(run.out.substr(0, run.out.find('\n')), "program,warps,total_cycles");
  }
  for (const char* wrong : {"0", "-4", "99999", "4294967297"}) {
    const CommandRun run = run_smemsim({"run", programs, "--warp-stride", wrong});
    EXPECT_EQ(run.exit_code, 1) << wrong;
    EXPECT_EQ(run.out, "") << wrong;
    EXPECT_NE(run.err.find("--warp-stride: expected"), std::string::npos) << run.err;
  }
}

TEST(RunCommand, AResultFileThatIsAPipeIsWrittenAndStaysOne) {
  const TemporaryFolder folder;
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  const CommandRun run = run_smemsim({"run", "stride:words=1", "--fast", "--per-access", pipe});
  std::array<char, 256> text{};
  const ssize_t bytes = read(reader, text.data(), text.size());
  close(reader);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  ASSERT_GT(bytes, 0);
  EXPECT_EQ(std::string(text.data(), static_cast<std::size_t>(bytes)),
            "index,wavefronts,ideal,bank_conflicts,cycles_per_inst\n0,1,1,0,1\n");
  struct stat status {};
  ASSERT_EQ(stat(pipe.c_str(), &status), 0);
  EXPECT_TRUE(S_ISFIFO(status.st_mode));
}

TEST(RunCommand, MissingFileIsExitCodeOne) {
  const CommandRun run = run_smemsim({"run", "/nonexistent/list.csv", "--fast"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("/nonexistent/list.csv"), std::string::npos);
  EXPECT_EQ(run.out, "");
}

}  // namespace
}  // namespace smem::test
