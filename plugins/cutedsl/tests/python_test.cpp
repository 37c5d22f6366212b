#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/private_folder.h"

#include "fake_host.h"
#include "python_server.h"

namespace kmux::cutedsl {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Virtual environments without a working Python: no test here starts one.
class PythonTest : public testing::Test {
 protected:
  std::string venv(const std::string& name, const std::string& metadata) {
    folder.write(name + "/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\n").value();
    folder.write(name + "/bin/python3", "#!/bin/sh\nexit 1\n").value();
    folder.write(name + "/lib/python3.11/site-packages/" + metadata + "/RECORD", "files").value();
    fs::permissions(path(name + "/bin/python3"), fs::perms::owner_all);
    return path(name);
  }
  std::string path(const std::string& name) const { return folder.path() + "/" + name; }

  PrivateFolder folder = PrivateFolder::create("kmux-test").value();
  FakeHost host;
};

TEST_F(PythonTest, FindsActiveEnvironment) {
  host.options["cutedsl.venv"] = venv("one", "nvidia_cutlass_dsl-4.8.1.dist-info");
  const Python python = find_python(host).value();
  EXPECT_EQ(python.program, path("one/bin/python3"));
  EXPECT_EQ(python.packages, path("one/lib/python3.11/site-packages"));
  EXPECT_EQ(python.version, "4.8.1");
}

TEST_F(PythonTest, OptionOverridesEnvironment) {
  host.options["cutedsl.venv"] = venv("one", "nvidia_cutlass_dsl-4.8.1.dist-info");
  host.options["cutedsl.python"] = venv("two", "nvidia_cutlass_dsl-4.7.0.dist-info") + "/bin/python3";
  EXPECT_EQ(find_python(host).value().version, "4.7.0");
}

TEST_F(PythonTest, MissingNamedPythonIsNotReplaced) {
  host.options["cutedsl.venv"] = venv("one", "nvidia_cutlass_dsl-4.8.1.dist-info");
  host.options["cutedsl.python"] = path("none/bin/python3");
  const auto missing = find_python(host);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(missing.error().message, AllOf(HasSubstr("none/bin/python3\" is not a program"), Not(HasSubstr("/one/")),
                                             HasSubstr("pip install 'nvidia-cutlass-dsl>=4.7.0'")));
}

TEST_F(PythonTest, RejectsMissingOrOldCuteDsl) {
  host.options["cutedsl.python"] = venv("none", "numpy-2.0.dist-info") + "/bin/python3";
  EXPECT_THAT(find_python(host).error().message, HasSubstr("none/bin/python3\" has none"));
  host.options["cutedsl.python"] = venv("old", "nvidia_cutlass_dsl-4.3.4.dist-info") + "/bin/python3";
  EXPECT_THAT(find_python(host).error().message, HasSubstr("has 4.3.4"));
}

TEST_F(PythonTest, FindsAndPassesUserPackages) {
  host.options["cutedsl.python"] = path("own/bin/python3");
  folder.write("own/bin/python3", "#!/bin/sh\nexit 1\n").value();
  fs::permissions(path("own/bin/python3"), fs::perms::owner_all);
  EXPECT_THAT(find_python(host).error().message, HasSubstr("own/bin/python3\" has none"));
  host.options["cutedsl.home"] = path("home");
  const std::string packages = "home/.local/lib/python3.11/site-packages";
  folder.write(packages + "/nvidia_cutlass_dsl-4.8.1.dist-info/RECORD", "files").value();
  const Python python = find_python(host).value();
  EXPECT_EQ(python.packages, path(packages));
  EXPECT_THAT(command_line(python, "x.py"), ElementsAre(python.program, "-I", "-B", "x.py", path(packages)));
  host.options["cutedsl.home"] = path("nowhere");
  host.options["cutedsl.user_base"] = path("home/.local");
  EXPECT_EQ(find_python(host).value().version, "4.8.1");
}

TEST_F(PythonTest, OwnPackagesHideUserPackages) {
  host.options["cutedsl.python"] = venv("one", "nvidia_cutlass_dsl-4.8.1.dist-info") + "/bin/python3";
  host.options["cutedsl.home"] = path("home");
  folder.write("home/.local/lib/python3.11/site-packages/nvidia_cutlass_dsl-4.9.0.dist-info/RECORD", "files").value();
  EXPECT_THAT(command_line(find_python(host).value(), "x.py"), testing::SizeIs(4));
}

TEST_F(PythonTest, VirtualEnvironmentIgnoresUserPackages) {
  host.options["cutedsl.python"] = venv("none", "numpy-2.0.dist-info") + "/bin/python3";
  host.options["cutedsl.home"] = path("home");
  folder.write("home/.local/lib/python3.11/site-packages/nvidia_cutlass_dsl-4.8.1.dist-info/RECORD", "files").value();
  const Error error = find_python(host).error();
  EXPECT_THAT(error.message,
              HasSubstr("none/bin/python3\" is of a virtual environment, which does not see 4.8.1 of pip "
                        "install --user"));
  EXPECT_THAT(error.message, HasSubstr("in a virtual environment that is active"));
}

TEST_F(PythonTest, FindsPackageFoldersOfProgram) {
  venv("one", "x.dist-info");
  EXPECT_THAT(package_folders(path("one/bin/python3")), ElementsAre(path("one/lib/python3.11/site-packages")));
}

TEST_F(PythonTest, PackageChangeAltersIdentity) {
  host.options["cutedsl.venv"] = venv("one", "nvidia_cutlass_dsl-4.8.1.dist-info");
  const Json before = identify(find_python(host).value());
  EXPECT_EQ(identify(find_python(host).value()), before);
  folder.write("one/lib/python3.11/site-packages/tilelang-0.1.15.dist-info/RECORD", "files").value();
  EXPECT_NE(identify(find_python(host).value()), before);
}

}  // namespace
}  // namespace kmux::cutedsl
