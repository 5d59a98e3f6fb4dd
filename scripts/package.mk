# What is handed out: source archive, Debian's packages, .NET tool, bill of materials, image, and
# all of it as a release. A part of the Makefile; each step is a script of that name.
#
#   build/dist/heapdrift-VERSION.tar.gz         make dist
#   build/deb/*.deb                             make deb
#   build/nuget/heapdrift.VERSION.nupkg         make nuget
#   build/sbom/heapdrift-VERSION-ARCH.spdx.json make sbom
#   build/container/                            make container
#   build/release/VERSION/                      make release VERSION=...

DIST  = build/dist/heapdrift-$(VERSION).tar.gz
NUPKG = build/nuget/heapdrift.$(VERSION).nupkg

# Of the commit, so that files do not tell when they were packed.
MOMENT = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),$(shell stat -c %Y CHANGELOG.md))

dist:
	@scripts/dist.sh $(VERSION) $(DIST)

deb: dist
	@scripts/install-deps.sh build deb
	@scripts/deb.sh $(VERSION) $(DIST) build/deb

# Of the static programs that are there; release sees to it that both are.
nuget: static
	@scripts/install-deps.sh nuget
	@rm -f build/nuget/*
	@scripts/nuget.sh $(VERSION) $(MOMENT) $(NUPKG) build/static

# The packages themselves: built, installed, run, removed. Says what it leaves out, and why.
check-packages: deb nuget
	@scripts/install-deps.sh test packages
	bats $(BATS_FLAGS) tests/packages

.PHONY: dist deb nuget check-packages
