// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <tests/support/command_run.hpp>

#include <sim/output/output_file.hpp>

namespace smem::test {
namespace {

namespace fs = std::filesystem;

/// A shell line with smemsim in $S; what `run_smemsim` cannot do: redirections, limits, signals.
int shell(const std::string& line) {
  const int status = std::system(("S='" SMEMSIM_BINARY "'; " + line).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::size_t files_in(const TemporaryFolder& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder.path("."))) ++count;
  return count;
}

const std::string kRows = "index,wavefronts,ideal,bank_conflicts,cycles_per_inst\n0,2,1,1,2\n";

TEST(OutputFile, IsWrittenThroughASymbolicLink) {
  const TemporaryFolder folder;
  const std::string target = folder.write("target.csv", "old");
  fs::create_symlink("target.csv", folder.path("link.csv"));
  fs::create_symlink(folder.path("new.csv"), folder.path("dangling.csv"));
  for (const std::string name : {"link.csv", "dangling.csv"}) {
    EXPECT_EQ(run_smemsim({"run", "stride:words=2", "--fast", "--per-access", folder.path(name)})
                  .exit_code,
              0);
    EXPECT_TRUE(fs::is_symlink(folder.path(name)));
  }
  EXPECT_EQ(read_file(target), kRows);
  EXPECT_EQ(read_file(folder.path("new.csv")), kRows);
  EXPECT_EQ(files_in(folder), 4u);
}

TEST(OutputFile, StandardOutputUnderAnyNameKeepsWhatIsThere) {
  const TemporaryFolder folder;
  fs::create_symlink("/proc/self/fd/1", folder.path("so"));
  const std::string command = "$S run stride:words=2 --fast --per-access ";
  const std::string tail = " > " + folder.path("out");
  ASSERT_EQ(shell(command + "-" + tail), 0);
  const std::string expected = read_file(folder.path("out"));
  EXPECT_TRUE(expected.starts_with(kRows + "accesses\n")) << expected;
  for (const std::string& name : {folder.path("so"), std::string("/dev/stdout")}) {
    ASSERT_EQ(shell(command + name + tail), 0);
    EXPECT_EQ(read_file(folder.path("out")), expected) << name;
    ASSERT_EQ(shell(command + name + " | cat" + tail), 0);
    EXPECT_EQ(read_file(folder.path("out")), expected) << name;
  }
  EXPECT_TRUE(fs::is_symlink(folder.path("so")));
  EXPECT_TRUE(fs::is_symlink("/dev/stdout"));
}

TEST(OutputFile, AnOpenDescriptorIsWrittenInPlace) {
  const TemporaryFolder folder;
  ASSERT_EQ(shell("$S run stride:words=2 --fast --per-access /dev/fd/3 >/dev/null 3>" +
                  folder.path("three")),
            0);
  EXPECT_EQ(read_file(folder.path("three")), kRows);
}

TEST(OutputFile, NamingAnInputIsRefusedAndTheInputStays) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_smemsim({"convert", "stride:words=2", folder.path("in.csv")}).exit_code, 0);
  const std::string input = folder.path("in.csv");
  const std::string before = read_file(input);
  fs::create_symlink("in.csv", folder.path("same.csv"));
  fs::create_hard_link(input, folder.path("hard.csv"));
  for (const std::string& output :
       {input, folder.path("same.csv"), folder.path("hard.csv"), folder.path("./in.csv")}) {
    for (const std::string option : {"--per-access", "--vcd", "--timeline", "--memory"}) {
      const CommandRun run = run_smemsim({"run", input, option, output});
      EXPECT_EQ(run.exit_code, 1) << option << ' ' << output;
      EXPECT_NE(run.err.find("found the input " + input), std::string::npos) << run.err;
      EXPECT_EQ(read_file(input), before);
    }
    EXPECT_EQ(run_smemsim({"convert", input, output}).exit_code, 1);
    EXPECT_EQ(read_file(input), before);
  }
}

TEST(OutputFile, TwoOutputsInOneFileAreRefused) {
  const TemporaryFolder folder;
  const CommandRun run = run_smemsim(
      {"run", "stride:words=2", "--vcd", folder.path("new"), "--timeline", folder.path("./new")});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(files_in(folder), 0u);
}

TEST(OutputFile, WithoutWritePermissionIsRefused) {
  const TemporaryFolder folder;
  const std::string file = folder.write("kept.csv", "kept");
  ASSERT_EQ(chmod(file.c_str(), 0444), 0);
  const CommandRun run = run_smemsim({"run", "stride:words=2", "--fast", "--per-access", file});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("without write permission"), std::string::npos) << run.err;
  EXPECT_EQ(read_file(file), "kept");
}

TEST(OutputFile, ReplacingAFileKeepsItsMode) {
  const TemporaryFolder folder;
  const std::string file = folder.write("mode.csv", "old");
  ASSERT_EQ(chmod(file.c_str(), 0640), 0);
  ASSERT_EQ(run_smemsim({"run", "stride:words=2", "--fast", "--per-access", file}).exit_code, 0);
  struct stat status {};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, mode_t{0640});
}

TEST(OutputFile, ASignalLeavesNothingBehind) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const TemporaryFolder folder;
    const std::string output = folder.path("out.csv");
    const pid_t child = fork();
    if (child == 0) {
      std::signal(signal, SIG_DFL);
      execl(SMEMSIM_BINARY, "smemsim", "run", "stride:repeat=1000000,warps=16,blocks=1000",
            "--fast", "--per-access", output.c_str(), nullptr);
      _exit(127);
    }
    for (int tries = 0; tries < 1000 && files_in(folder) == 0; ++tries) usleep(10000);
    EXPECT_EQ(files_in(folder), 1u) << "the output under way";
    kill(child, signal);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    EXPECT_EQ(files_in(folder), 0u) << signal;
  }
}

TEST(OutputFile, ALinkPlantedUnderThePartialNameIsNotFollowed) {
  const TemporaryFolder folder;
  const std::string victim = folder.write("victim", "untouched");
  for (unsigned number = 0; number < 3; ++number) {
    fs::create_symlink(victim, folder.path(".smemsim-" + std::to_string(getpid()) + "-" +
                                           std::to_string(number) + ".partial"));
  }
  OutputFile file(folder.path("out.csv"));
  file.stream() << "written";
  file.finish();
  EXPECT_EQ(read_file(victim), "untouched");
  EXPECT_EQ(read_file(folder.path("out.csv")), "written");
}

TEST(OutputFile, AnUnfinishedOneLeavesWhatWasThere) {
  const TemporaryFolder folder;
  const std::string name = folder.write("out.csv", "before");
  {
    OutputFile file(name);
    file.stream() << "half";
  }
  EXPECT_EQ(read_file(name), "before");
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(OutputFile, AFullDeviceIsNamedWithItsCause) {
  const CommandRun run =
      run_smemsim({"convert", "stride:words=2,repeat=100000", "/dev/full", "--to", "csv"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("/dev/full: expected a file that can be written, found: No space left"),
            std::string::npos)
      << run.err;
}

TEST(OutputFile, WithStandardErrorClosedNoMessageLandsInIt) {
  const TemporaryFolder folder;
  const std::string list = folder.write("list.csv", "op,bytes,mask,addresses\nbroken\n");
  EXPECT_EQ(shell("$S run " + list + " --skip-damaged --fast --per-access " +
                  folder.path("out.csv") + " 2>&- >/dev/null"),
            0);
  EXPECT_EQ(read_file(folder.path("out.csv")).find("smemsim"), std::string::npos);
}

TEST(Memory, ThreadsThatTheSystemRefusesAreDoneWithout) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_smemsim({"convert", "stride:words=2,repeat=100000,warps=4", folder.path("t.smt")})
                .exit_code,
            0);
  const std::string run = "$S run " + folder.path("t.smt") + " --fast --threads ";
  ASSERT_EQ(shell(run + "1 > " + folder.path("one")), 0);
#if !defined(__SANITIZE_ADDRESS__)  // it reserves terabytes of addresses
  // 64 stacks of 8 MiB do not fit.
  ASSERT_EQ(shell("ulimit -v 300000; " + run + "64 > " + folder.path("many")), 0);
  EXPECT_EQ(read_file(folder.path("many")), read_file(folder.path("one")));
#endif
}

#if !defined(__SANITIZE_ADDRESS__)
TEST(Memory, WhenItRunsOutOneLineSaysSo) {
  const TemporaryFolder folder;
  const std::string error = folder.path("error");
  EXPECT_EQ(shell("ulimit -v 120000; $S run stride:repeat=1000000,warps=16 2> " + error), 1);
  const std::string text = read_file(error);
  EXPECT_EQ(text, "smemsim: out of memory\n");
}
#endif

}  // namespace
}  // namespace smem::test
