# SPDX-License-Identifier: GPL-2.0-only
"""Reports from a record: the curve, the working set over time, and which addresses were touched when."""

import bisect

from .. import Failure
from ..output import human, human_pages, print_json, written
from .chart import Series, heat_png, heat_svg, heat_text, series_png, series_svg, series_text
from .curves import curve_remark, draw_curve
from .plot import unicode_output
from .record import curve_of, read_record

# Windows that the working set is told for, as far as they were observed.
SCALES_US = (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)


def report_mrc(args, shots):
    shot = shots[-1]
    curve = curve_of(shot)
    if not curve:
        raise Failure(f"{args.record} has no curve of {shot['target']}")
    if args.json:
        print_json({"target": shot["target"], "stats": shot["stats"], "accesses": shot["accesses"], "curve": curve})
    else:
        draw_curve(args, curve, shot["name"], curve_remark(shot["stats"], shot["accesses"]))


def wss_at(shot, us):
    """Pages touched in a window of so long, or None if none so long was observed."""
    rows = shot["wss"]
    i = bisect.bisect_left([row[0] for row in rows], us)
    if i == len(rows):
        return None
    if i == 0 or rows[i][0] == us:
        return rows[i][1]
    (t0, s0), (t1, s1) = rows[i - 1], rows[i]
    return round(s0 + (s1 - s0) * (us - t0) / (t1 - t0))


def seconds(us):
    return f"{us // 1000} ms" if us < 1_000_000 else f"{us // 1_000_000} s"


def wss_series(shots):
    start = shots[0]["us"]
    series = [Series("resident", [((shot["us"] - start) / 1e6, shot["stats"]["resident_pages"]) for shot in shots])]
    for us in SCALES_US:
        points = [((shot["us"] - start) / 1e6, wss_at(shot, us)) for shot in shots]
        points = [point for point in points if point[1] is not None]
        if points:
            series.append(Series(seconds(us), points))
    return series


def wss_csv(series):
    lines = ["window,seconds,pages"]
    lines += [f"{one.name},{x:.3f},{y}" for one in series for x, y in one.points]
    return "\n".join(lines) + "\n"


def report_wss(args, shots):
    series = wss_series(shots)
    title = f"Working set of {shots[-1]['name']}"
    if args.json:
        print_json({one.name: one.points for one in series})
    elif not written(args, lambda: wss_csv(series), lambda: series_svg(series, title),
                     lambda path: series_png(series, title, path)):
        print(title)
        # One line in a terminal, or they could not be told apart: the longest window that was always observed.
        shown = [one for one in series[1:] if len(one.points) == len(shots)][-1:] or series[:1]
        print(series_text(shown[0], args.width, args.height, unicode_output()))
        for one in series:
            pages = [y for _x, y in one.points]
            print(f"{one.name:>10}  {human_pages(min(pages))} to {human_pages(max(pages))}, "
                  f"last {human_pages(pages[-1])}")


def heat_rows(shots, height):
    """[start address, [share of its pages that were touched, of each moment]], lowest address first.

    Rows have as many sampled pages each, so that gaps between mappings take no room.
    """
    addresses = sorted({page[0] for shot in shots for page in shot["pages"]})
    height = min(height, len(addresses))
    starts = [addresses[i * len(addresses) // height] for i in range(height)]
    rows = [[start, []] for start in starts]
    last = {}
    for k, shot in enumerate(shots):
        pages, touched = [0] * height, [0] * height
        for address, _huge, seen in shot["pages"]:
            row = bisect.bisect_right(starts, address) - 1
            pages[row] += 1
            touched[row] += k > 0 and seen > last.get(address, shots[k - 1]["us"])
            last[address] = max(seen, shot["us"])
        if k:
            for row in range(height):
                rows[row][1].append(touched[row] / pages[row] if pages[row] else 0.0)
    return rows


def heat_csv(rows, times):
    lines = ["address,seconds,touched"]
    lines += [f"0x{start:x},{at:.3f},{value:.4f}" for start, values in rows for at, value in zip(times, values)]
    return "\n".join(lines) + "\n"


def report_heatmap(args, shots):
    shots = [shot for shot in shots if shot.get("pages")]
    if len(shots) < 2:
        raise Failure("a heatmap takes two ladders of one process; record it for longer")
    rows = heat_rows(shots, 100 if args.svg or args.png or args.csv else args.height)
    times = [(shot["us"] - shots[0]["us"]) / 1e6 for shot in shots[1:]]
    title = f"Touched pages of {shots[-1]['name']}"
    if args.json:
        print_json([{"address": start, "touched": values} for start, values in rows])
    elif not written(args, lambda: heat_csv(rows, times), lambda: heat_svg(rows, times, title),
                     lambda path: heat_png(rows, times, title, path)):
        size = human(sum(2 << 20 if page[1] else 4096 for page in shots[-1]["pages"]))
        print(f"{title}: address up, time to the right, {times[-1]:.0f} s; {size} sampled")
        print(heat_text(rows, args.width))


REPORTS = {"mrc": report_mrc, "wss": report_wss, "heatmap": report_heatmap}


def cmd_mrc_report(args):
    REPORTS[args.kind](args, read_record(args.record, args.target))
    return 0
