# SPDX-License-Identifier: GPL-2.0-only
"""Charts of values over time: lines, and colours by address."""

import mmap
from html import escape

from ..output import human, human_pages
from .plot import Dots, memory_ticks, pyplot_of, save_figure, ticks

COLOURS = ("#999999", "#9ecae1", "#4292c6", "#08519c", "#d95f0e", "#993404")
SHADES = " .:-=+*#%@"


class Series:
    """Pages over seconds, by a name."""

    def __init__(self, name, points):
        self.name, self.points = name, points


def frame_of(series):
    """The largest time and size, never 0."""
    return (max(max(x for x, _y in one.points) for one in series) or 1,
            max(max(y for _x, y in one.points) for one in series) or 1)


def series_text(one, width, height, braille=True):
    margin = 11
    right, top = frame_of([one])
    plot = Dots(max(width - margin, 10), max(height - 2, 4))
    for (x0, y0), (x1, y1) in zip(one.points, one.points[1:] or one.points):
        plot.line((x0 / right, y0 / top), (x1 / right, y0 / top))
        plot.line((x1 / right, y0 / top), (x1 / right, y1 / top))
    side, corner, floor = "│└─" if braille else "|+-"
    rows = list(plot.lines(braille))
    labels = {0: human_pages(top), len(rows) - 1: "0"}
    text = [f"{labels.get(row, ''):>{margin - 2}} {side}{line}".rstrip() for row, line in enumerate(rows)]
    text.append(" " * (margin - 1) + corner + floor * (plot.columns // 2))
    text.append(f"{'0':>{margin + 1}}{f'{right:.0f} s':>{plot.columns // 2 - 1}}  ({one.name})")
    return "\n".join(text)


SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 400" font-family="sans-serif" font-size="12">
<rect width="640" height="400" fill="white"/>
<text x="330" y="24" text-anchor="middle" font-size="15">{title}</text>
{body}
<path d="M80 40V350H610" fill="none" stroke="black"/>
<text x="345" y="390" text-anchor="middle">seconds</text>
</svg>
"""


def time_ticks(right):
    for tick in ticks(right, 5):
        if tick <= right:
            x = 80 + 530 * tick / right
            yield f'<text x="{x:.1f}" y="367" text-anchor="middle">{tick:g}</text>'


def series_svg(series, title):
    right, top = frame_of(series)
    body = list(time_ticks(right))
    for tick in memory_ticks(top * mmap.PAGESIZE, 5):
        y = 350 - 310 * tick / (top * mmap.PAGESIZE)
        body.append(f'<path d="M80 {y:.1f}H610" stroke="#dddddd"/><text x="74" y="{y + 4:.1f}" '
                    f'text-anchor="end">{human(tick) if tick else 0}</text>')
    for i, one in enumerate(series):
        colour = COLOURS[i % len(COLOURS)]
        points = " ".join(f"{80 + 530 * x / right:.1f},{350 - 310 * y / top:.1f}" for x, y in one.points)
        body.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        body.append(f'<text x="{90 + 88 * i}" y="40" fill="{colour}">{escape(one.name)}</text>')
    return SVG.format(title=escape(title), body="\n".join(body))


def series_png(series, title, path):
    figure, axes = pyplot_of("--svg").subplots(figsize=(8, 5))
    for one in series:
        axes.plot([x for x, _y in one.points], [y * mmap.PAGESIZE / 2**20 for _x, y in one.points], label=one.name)
    axes.set(title=title, xlabel="seconds", ylabel="memory (MiB)", ylim=0)
    axes.legend()
    save_figure(figure, path)


def shade(value):
    """None for nothing at all."""
    return SHADES[min(int(value * (len(SHADES) - 1) + 0.999), len(SHADES) - 1)]


def columns_of(values, width):
    """No more than @width of them, each the mean of some."""
    count = min(width, len(values))
    bounds = [i * len(values) // count for i in range(count + 1)]
    return [sum(values[a:b]) / (b - a) for a, b in zip(bounds, bounds[1:])]


def heat_text(rows, width):
    lines = []
    for start, values in reversed(rows):
        cells = columns_of(values, max(width - 19, 10))
        lines.append(f"{start:#16x} |" + "".join(shade(value) for value in cells))
    return "\n".join(lines)


def heat_svg(rows, times, title):
    right = times[-1] or 1
    step = 310 / len(rows)
    body = list(time_ticks(right))
    for i, (start, values) in enumerate(rows):
        y, before = 350 - (i + 1) * step, 0.0
        if i % max(len(rows) // 8, 1) == 0:
            body.append(f'<text x="76" y="{y + step:.1f}" text-anchor="end" font-size="7">{start:#x}</text>')
        for at, value in zip(times, values):
            if value:
                body.append(f'<rect x="{80 + 530 * before / right:.1f}" y="{y:.1f}" '
                            f'width="{530 * (at - before) / right:.1f}" height="{step:.1f}" '
                            f'fill="#cb181d" fill-opacity="{value:.2f}"/>')
            before = at
    return SVG.format(title=escape(title), body="\n".join(body))


def heat_png(rows, times, title, path):
    figure, axes = pyplot_of("--svg").subplots(figsize=(8, 5))
    image = axes.imshow([values for _start, values in rows], aspect="auto", origin="lower", cmap="inferno",
                        vmin=0, vmax=1, extent=(0, times[-1] or 1, 0, len(rows)))
    figure.colorbar(image, label="share of its pages touched")
    marks = range(0, len(rows), max(len(rows) // 8, 1))
    axes.set_yticks(list(marks))
    axes.set_yticklabels([f"{rows[i][0]:#x}" for i in marks], fontsize=7)
    axes.set(title=title, xlabel="seconds")
    save_figure(figure, path)
