# The HTML page. A part of the Makefile.

#: check-page    | Chromium           | 2 min    | the HTML page in Chromium
#: gallery       | Chromium           | 2 min    | the pictures of docs/gallery anew

AXE = $(CURDIR)/build/page-tests/node_modules/axe-core/axe.min.js
check-page: $(BUILD)/heapdrift $(AXE)
	@scripts/install-deps.sh page
	$(SUITE) -- env AXE=$(AXE) python3 tests/page/test_page.py

# Where npm has no network its test is left out, and says so.
$(AXE):
	@scripts/install-deps.sh page
	-@mkdir -p build/page-tests && cd build/page-tests && \
	    npm install --silent --no-audit --no-fund --no-save axe-core@4

gallery: $(BUILD)/heapdrift
	HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" scripts/gallery.sh docs/gallery

.PHONY: check-page gallery
