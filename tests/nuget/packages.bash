# Why a program of these tests could not be built. Source it after tests/cli/helper.bash.
# shellcheck shell=bash

# no_packages LOG: packages of others cannot be had. The one under test is in build/nuget, or `make nuget` failed.
no_packages() {
    grep -qE 'error NU(1100|1101|1102|1301)' "$1" && ! grep -qE 'error NU[0-9]+: .*(Heapdrift\.Testing|build/nuget)' "$1"
}
