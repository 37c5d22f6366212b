#pragma once

#include <string>
#include <vector>

namespace kmux {

/// The folders of Python packages that a plugin may take libraries from: those of the virtual environment `venv`
/// (lib/python3.11/site-packages), if it is not empty, then the folder of packages that the file with `own_code` is installed
/// in, if it is. Python is not started.
std::vector<std::string> python_packages(const std::string& venv, const void* own_code);

}  // namespace kmux
