# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of curves: text, SVG and PNG."""

import math
import mmap
import sys
from html import escape

from .. import Failure
from ..output import human


def ticks(top, count):
    """Round values, not many more than @count, from 0 to @top or above."""
    unit = 10.0 ** math.floor(math.log10(top / count))
    step = next(unit * factor for factor in (1, 2, 5, 10)
                if unit * factor * count >= top * (1 - 1e-9))
    return [i * step for i in range(math.ceil(top / step - 1e-9) + 1)]


def memory_ticks(top, count):
    """Steps that are powers of two, in bytes, from 0 up to @top."""
    step = 1 << (top // count).bit_length()
    return list(range(0, top + 1, step))


class Frame:
    """The axes of a plot: memory in bytes to the right, miss ratio up."""

    def __init__(self, curve):
        self.right = max(curve[-1]["pages"], 1) * mmap.PAGESIZE
        self.xticks = memory_ticks(self.right, 5)
        self.yticks = ticks(max(max(p["high"], p["miss_ratio"])
                                for p in curve) or 1, 5)

    def x(self, point):
        """0 to 1."""
        return point["pages"] * mmap.PAGESIZE / self.right

    def y(self, value):
        """0 to 1."""
        return value / self.yticks[-1]


def steps(frame, curve, key):
    """A curve holds its value up to the next size: a staircase, 0 to 1."""
    result = []
    for point in curve:
        x = frame.x(point)
        if result:
            result.append((x, result[-1][1]))
        result.append((x, frame.y(point[key])))
    return result


class Dots:
    """A picture of dots: 2 by 4 of them a Braille character."""

    BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))

    def __init__(self, width, height):
        self.columns, self.rows = 2 * width, 4 * height
        self.cells = [[0] * width for _ in range(height)]

    def dot(self, column, row):
        self.cells[row // 4][column // 2] |= self.BITS[row % 4][column % 2]

    def place(self, x, y):
        return (round(min(max(x, 0), 1) * (self.columns - 1)),
                round((1 - min(max(y, 0), 1)) * (self.rows - 1)))

    def line(self, start, end):
        """Level or upright, which is all that a staircase has."""
        (c0, r0), (c1, r1) = self.place(*start), self.place(*end)
        for column in range(min(c0, c1), max(c0, c1) + 1):
            self.dot(column, r0)
        for row in range(min(r0, r1), max(r0, r1) + 1):
            self.dot(c1, row)

    def lines(self, braille):
        for cells in self.cells:
            yield "".join((chr(0x2800 + cell) if braille else "#")
                          if cell else " " for cell in cells)


def unicode_output():
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def text_plot(curve, width, height, braille=True):
    """The miss ratio as a line of dots, with axes, for a terminal."""
    margin = 7
    plot = Dots(max(width - margin, 10), max(height - 2, 4))
    frame = Frame(curve)
    path = steps(frame, curve, "miss_ratio")
    for start, end in zip(path, path[1:] or path):
        plot.line(start, end)
    labels = {plot.place(0, frame.y(tick))[1] // 4: f"{tick:.3g}"
              for tick in frame.yticks}
    side, corner, floor = "│└─" if braille else "|+-"
    text = [f"{labels.get(row, ''):>{margin - 2}} {side}{line}".rstrip()
            for row, line in enumerate(plot.lines(braille))]
    text.append(" " * (margin - 1) + corner + floor * (plot.columns // 2))
    text.append(x_labels(frame, margin, plot))
    return "\n".join(text)


def x_labels(frame, margin, plot):
    line = ""
    for tick in frame.xticks:
        label = human(tick) if tick else "0"
        at = margin + plot.place(tick / frame.right, 0)[0] // 2
        at = min(at - len(label) // 2, margin + plot.columns // 2 - len(label))
        if at > len(line) or not line:
            line = line.ljust(at) + label
    return line


SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 400" \
font-family="sans-serif" font-size="12">
<rect width="640" height="400" fill="white"/>
<text x="330" y="24" text-anchor="middle" font-size="15">{title}</text>
{grid}
<polygon points="{band}" fill="#9ecae1" fill-opacity="0.6"/>
<polyline points="{line}" fill="none" stroke="#08519c" stroke-width="2"/>
<path d="M60 40V350H610" fill="none" stroke="black"/>
<text x="335" y="390" text-anchor="middle">memory</text>
<text x="16" y="195" text-anchor="middle" \
transform="rotate(-90 16 195)">misses per touch</text>
</svg>
"""


def svg_points(path):
    return " ".join(f"{60 + 550 * x:.1f},{350 - 310 * y:.1f}" for x, y in path)


def svg_grid(frame):
    for tick in frame.xticks:
        x = 60 + 550 * tick / frame.right
        yield (f'<path d="M{x:.1f} 40V350" stroke="#dddddd"/>'
               f'<text x="{x:.1f}" y="367" text-anchor="middle">'
               f'{human(tick) if tick else 0}</text>')
    for tick in frame.yticks:
        y = 350 - 310 * frame.y(tick)
        yield (f'<path d="M60 {y:.1f}H610" stroke="#dddddd"/>'
               f'<text x="54" y="{y + 4:.1f}" text-anchor="end">'
               f'{tick:.3g}</text>')


def svg_plot(curve, title):
    """The miss ratio with its confidence band, as an SVG document."""
    frame = Frame(curve)
    band = steps(frame, curve, "high") + steps(frame, curve, "low")[::-1]
    return SVG.format(title=escape("Miss ratio of " + title),
                      grid="\n".join(svg_grid(frame)),
                      band=svg_points(band),
                      line=svg_points(steps(frame, curve, "miss_ratio")))


def pyplot_of(instead):
    """matplotlib's pyplot, for files."""
    try:
        import matplotlib  # pylint: disable=import-outside-toplevel
    except ImportError:
        raise Failure("a PNG needs matplotlib, which is not installed; "
                      f"{instead} needs nothing") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot  # pylint: disable=import-outside-toplevel
    return pyplot


def save_figure(figure, path):
    try:
        figure.savefig(path, format="png")
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None


def png_plot(curve, title, path):
    figure, axes = pyplot_of("--svg").subplots(figsize=(8, 5))
    memory = [p["pages"] * mmap.PAGESIZE / 2**20 for p in curve]
    axes.fill_between(memory, [p["low"] for p in curve],
                      [p["high"] for p in curve], step="post", alpha=0.3)
    axes.step(memory, [p["miss_ratio"] for p in curve], where="post")
    axes.set(title=f"Miss ratio of {title}", xlabel="memory (MiB)",
             ylabel="misses per touch", xlim=0, ylim=0)
    save_figure(figure, path)
