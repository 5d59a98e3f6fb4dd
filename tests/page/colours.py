"""How far apart colours are: for all eyes, and for who sees no green.

Contrast is WCAG's; differences are CIEDE2000 (CIE 142-2001), of which a careful eye sees 2 and any
eye sees 10. Deuteranopia as Machado, Oliveira and Fernandes simulate it (IEEE TVCG 15, 2009,
table of severity 1.0), in linear light."""
import math

DEUTERANOPIA = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))


def linear(colour):
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in colour[:3])]


def contrast(a, b):
    low, high = sorted(sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear(x))) for x in (a, b))
    return (high + 0.05) / (low + 0.05)


def lab(colour, deuteranopia):
    light = linear(colour)
    if deuteranopia:
        light = [min(1.0, max(0.0, sum(m * c for m, c in zip(row, light)))) for row in DEUTERANOPIA]
    r, g, b = light
    xyz = ((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047, 0.2126729 * r + 0.7151522 * g + 0.0721750 * b,
           (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883)
    x, y, z = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(one, other, deuteranopia=False):
    (l1, a1, b1), (l2, a2, b2) = lab(one, deuteranopia), lab(other, deuteranopia)
    middle = ((math.hypot(a1, b1) + math.hypot(a2, b2)) / 2) ** 7
    stretch = 1 + 0.5 * (1 - math.sqrt(middle / (middle + 25 ** 7)))
    c1, c2 = math.hypot(a1 * stretch, b1), math.hypot(a2 * stretch, b2)
    h1, h2 = (math.degrees(math.atan2(b, a * stretch)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = 0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    hue = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    l, c = (l1 + l2) / 2, (c1 + c2) / 2
    h = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    cos = lambda degrees: math.cos(math.radians(degrees))  # noqa: E731
    t = 1 - 0.17 * cos(h - 30) + 0.24 * cos(2 * h) + 0.32 * cos(3 * h + 6) - 0.20 * cos(4 * h - 63)
    light = (l2 - l1) / (1 + 0.015 * (l - 50) ** 2 / math.sqrt(20 + (l - 50) ** 2))
    chroma, hue = (c2 - c1) / (1 + 0.045 * c), hue / (1 + 0.015 * c * t)
    rotation = -2 * math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) * math.sin(math.radians(60 * math.exp(-((h - 275) / 25) ** 2)))
    return math.sqrt(light ** 2 + chroma ** 2 + hue ** 2 + rotation * chroma * hue)
