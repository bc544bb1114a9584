// What the installer says when it cannot work. A whole installation is in scripts and in the engine
// tests.
#include "speech/installer.hpp"

#include <cstdlib>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.hpp"

namespace gadget::speech {
namespace {

class InstallerTest : public testing::Test {
 protected:
  InstallerTest() {
    std::string pattern = testing::TempDir() + "install-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~InstallerTest() override { std::filesystem::remove_all(folder_); }
  Failure failure(InstallOptions options) {
    options.folder = folder_ / "speech";
    const auto done =
        install(options, [this](const InstallProgress& at) { steps_.push_back(at.text); });
    EXPECT_FALSE(done);
    return done ? Failure{} : done.error();
  }
  // Nothing that could be taken for an installation is there.
  void expect_clean() const {
    EXPECT_FALSE(std::filesystem::exists(folder_ / "speech" / "small"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "speech" / ".small.new"));
  }
  std::filesystem::path folder_;
  std::vector<std::string> steps_;
};

TEST_F(InstallerTest, MinimalNeedsNoInstalling) {
  EXPECT_EQ(failure({.profile = Profile::minimal, .folder = {}}).code,
            FailureCode::invalid_argument);
}

TEST_F(InstallerTest, NoPythonIsSaidWithWhatToDo) {
  const auto problem =
      failure({.profile = Profile::small, .folder = {}, .python = "python-of-nowhere"});
  EXPECT_EQ(to_line(problem), "there is no python-of-nowhere (apt install python3 python3-pip)");
  expect_clean();
}

TEST_F(InstallerTest, NoPipIsSaidWithWhatToDo) {
  const auto python = folder_ / "python";
  (void)files::write(python,
                     "#!/bin/sh\nexec /usr/bin/python3 -S \"$@\"\n");  // without the site packages
  chmod(python.c_str(), 0700);
  const auto problem = failure({.profile = Profile::small, .folder = {}, .python = python});
  EXPECT_NE(problem.text.find("has no pip: ModuleNotFoundError"), std::string::npos)
      << problem.text;
  EXPECT_NE(problem.hint.find("python3-pip"), std::string::npos);
  expect_clean();
}

TEST_F(InstallerTest, ARegistryThatRefusesIsSaid) {
  // A port on which nobody listens.
  setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple", 1);
  setenv("PIP_FIND_LINKS", "", 1);
  setenv("PIP_RETRIES", "0", 1);
  const auto problem = failure({.profile = Profile::small, .folder = {}});
  unsetenv("PIP_INDEX_URL");
  unsetenv("PIP_FIND_LINKS");
  unsetenv("PIP_RETRIES");
  EXPECT_EQ(problem.code, FailureCode::unavailable);
  EXPECT_NE(problem.text.find("cannot fetch sherpa-onnx-core 2.0.1"), std::string::npos)
      << problem.text;
  EXPECT_NE(problem.hint.find("network"), std::string::npos);
  ASSERT_FALSE(steps_.empty());
  EXPECT_EQ(steps_[0], "fetching sherpa-onnx-core 2.0.1 (13 MB)");
  expect_clean();
}

TEST_F(InstallerTest, AWheelWithAnotherHashIsRefused) {
  // A package of the right name, from a place that we do not trust.
  std::filesystem::create_directories(folder_ / "evil");
  (void)files::write(folder_ / "evil" / "sherpa_onnx_core-2.0.1-py3-none-any.whl",
                     "PK not what was pinned");
  setenv("PIP_NO_INDEX", "1", 1);
  setenv("PIP_FIND_LINKS", (folder_ / "evil").c_str(), 1);
  const auto problem = failure({.profile = Profile::small, .folder = {}});
  unsetenv("PIP_NO_INDEX");
  unsetenv("PIP_FIND_LINKS");
  EXPECT_EQ(problem.code, FailureCode::corrupt) << to_line(problem);
  EXPECT_NE(problem.text.find("sherpa-onnx-core 2.0.1 is not the file that was pinned"),
            std::string::npos);
  expect_clean();
}

TEST_F(InstallerTest, TwoInstallersAtOnceAreRefused) {
  std::filesystem::create_directories(folder_ / "speech");
  const int lock = open((folder_ / "speech" / ".lock").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(flock(lock, LOCK_EX | LOCK_NB), 0);
  const auto problem = failure({.profile = Profile::small, .folder = {}});
  close(lock);
  EXPECT_EQ(problem.text, "another installation of speech models is at work");
}

TEST_F(InstallerTest, AFolderThatCannotBeWrittenIsNamed) {
  (void)files::write(folder_ / "speech", "a file where the folder should be");
  const auto problem = failure({.profile = Profile::small, .folder = {}});
  EXPECT_NE(problem.text.find((folder_ / "speech").string()), std::string::npos) << problem.text;
}

TEST_F(InstallerTest, ThePlanSaysHowMuch) {
  EXPECT_GT(plan_of(Profile::full).fetch_mb, plan_of(Profile::small).fetch_mb);
  EXPECT_GT(plan_of(Profile::small).fetch_mb, 50U);
  EXPECT_EQ(plan_of(Profile::minimal).fetch_mb, 0U);
}

TEST_F(InstallerTest, NothingInstalledHasNoLicences) {
  EXPECT_TRUE(installed_licences(folder_).empty());
}

}  // namespace
}  // namespace gadget::speech
