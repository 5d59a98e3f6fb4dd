# Why a build failed. Source it after tests/cli/helper.bash.
# shellcheck shell=bash

# no_packages LOG: true if packages of others are not available. The one under test is made by `make
# nuget`.
no_packages() {
    grep -qE 'error NU(1100|1101|1102|1301)' "$1" && ! grep -qE 'error NU[0-9]+: .*(Heapdrift\.Testing|build/nuget)' "$1"
}
