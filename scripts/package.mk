# What is handed out: source archive, Debian's packages, NuGet's, bill of materials, image, and
# all of it as a release. A part of the Makefile; each step is a script of that name.
#
#   build/dist/heapdrift-VERSION.tar.gz          make dist
#   build/deb/*.deb                              make deb
#   build/nuget/heapdrift.VERSION.nupkg          make nuget: the .NET tool,
#   build/nuget/Heapdrift.Testing.VERSION.nupkg  and the library for tests
#   build/sbom/heapdrift-VERSION-ARCH.spdx.json  make sbom
#   build/container/                             make container: what the image is built in
#   build/container-store/                       make container-store: the same with libpq, for fleets
#   build/release/VERSION/                       make release VERSION=... [RELEASES=https://...]
#
# What takes programs takes those that are there, static ones and that for Windows; release sees to
# it that all are.

#: dist          |                    | 1 s      | the source archive; the same bytes from everywhere
#: deb           | debhelper          | 3 min    | Debian's packages
#: nuget         | .NET SDK           | 4 min    | the .NET tool and the library for tests, of the static programs
#: sbom          |                    | 3 min    | bills of materials of the static programs
#: container     |                    | 3 min    | the folder that the image is built in; container-store: with libpq
#: release       | all of these       | 20 min   | all of it, VERSION=x.y.z, with checksums

DIST  = build/dist/heapdrift-$(VERSION).tar.gz

# Of the commit, so that files do not tell when they were packed.
MOMENT = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),$(shell stat -c %Y CHANGELOG.md))

dist:
	@scripts/dist.sh $(VERSION) $(DIST)

deb: dist
	@scripts/install-deps.sh build deb
	@scripts/deb.sh $(VERSION) $(DIST) build/deb

nuget: static
	@scripts/install-deps.sh nuget
	@rm -f build/nuget/*
	@scripts/nuget.sh $(VERSION) $(MOMENT) build/nuget build

sbom: static
	@mkdir -p build/sbom
	@for arch in $(patsubst build/static/%/heapdrift,%,$(wildcard build/static/*/heapdrift)); do \
	    scripts/sbom.py $(VERSION) $(MOMENT) $$arch build/static/$$arch \
	        >build/sbom/heapdrift-$(VERSION)-$$arch.spdx.json || exit 1; done
	@[ ! -e build/windows/packages.tsv ] || scripts/sbom.py $(VERSION) $(MOMENT) windows-x86_64 build/windows \
	    >build/sbom/heapdrift-$(VERSION)-windows-x86_64.spdx.json

container: static
	@rm -rf build/container
	@for pair in x86_64/amd64 aarch64/arm64; do \
	    from=build/static/$${pair%/*}; [ -e $$from/heapdrift ] || continue; \
	    mkdir -p build/container/$${pair#*/}; \
	    cp $$from/heapdrift $$from/THIRD-PARTY-NOTICES LICENSE build/container/$${pair#*/}; done
	@cp scripts/container/Dockerfile build/container

container-store: deb
	@rm -rf build/$@
	@mkdir -p build/$@
	@cp build/deb/heapdrift_*.deb scripts/fleet/kubernetes/Dockerfile build/$@

# VERSION is said so that nobody releases another one than he thinks. RELEASES is where the files of
# releases will be, by which winget finds them: RELEASES/vVERSION/FILE.
release:
	@scripts/release.sh check $(VERSION)
	+@$(MAKE) --no-print-directory static-all
	+@$(MAKE) --no-print-directory windows
	+@$(MAKE) --no-print-directory all
	+@$(MAKE) --no-print-directory deb nuget sbom container
	@scripts/release.sh pack $(VERSION) $(MOMENT) $(RELEASES)

.PHONY: dist deb nuget sbom container container-store release
