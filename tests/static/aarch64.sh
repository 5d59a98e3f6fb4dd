#!/bin/sh
# The program for aarch64 in place of the one under test, by an emulator of its processor.
exec qemu-aarch64-static "$(dirname "$0")/../../build/static/aarch64/heapdrift" "$@"
