# SPDX-License-Identifier: GPL-2.0-only
"""Records of mrc: every report of them, and both traces. What begins with a zero says how the first seed is changed."""
import argparse
import json

import _reader

with _reader.imports():
    from memsuite.mrc import record, report, trace

WHOLE = [json.loads(line) for line in _reader.first_seed("record").splitlines()]


def reports(shots, kind):
    for form in ("json", "csv", "svg", "text"):
        args = argparse.Namespace(record="it", json=form == "json", csv=form == "csv" and "-", svg=form == "svg" and "-", png=None,
                                  width=80, height=20)
        report.REPORTS[kind](args, shots)


def traces(shots):
    requests = trace.requests(shots)
    for form in trace.FORMATS.values():
        form(requests)


def one(data):
    if data[:1] == b"\0":
        data = "".join(json.dumps(line) + "\n" for line in _reader.json_of(WHOLE, data[1:])).encode()
    _reader.file_write(data)
    shots = []
    if _reader.refused(lambda: shots.extend(record.read_record(_reader.FILE))):
        return
    for kind in report.REPORTS:
        _reader.refused(reports, shots, kind)
    _reader.refused(traces, shots)


_reader.run(one)
