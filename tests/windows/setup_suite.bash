# Once, before all tests of this folder.
setup_suite() {
    cd "$(dirname "${BASH_SOURCE[0]}")/../.." || return
    # shellcheck source=tests/windows/wine.bash
    source tests/windows/wine.bash
    wine_begins
}
