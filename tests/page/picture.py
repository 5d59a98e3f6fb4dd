"""A picture of a page: python3 picture.py PAGE NAME WIDTH HEIGHT [dark] OUT.png"""
import sys
import time

from browser import Browser

page, _, width, height, *theme, out = sys.argv[1:]
with Browser(width=int(width), height=int(height), dark=theme == ["dark"], motion=False) as b:
    b.open(page)
    time.sleep(0.3)
    b.screenshot(out, height=int(height))
