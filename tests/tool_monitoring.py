#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# case: monitoring by the memsuite tool
"""The exporter, the alerts and the dashboard: as Prometheus itself takes them, on trees that are made up."""

import builtins
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from unittest import mock

import tool
import tool_metrics
from tool import BAD_PAGE, BAD_PAGES, DEBUGFS, SYSFS, TOP, Tree

from memsuite import abi, machine_metrics, metrics, sysfs  # pylint: disable=wrong-import-order

RULES = f"{TOP}/monitoring/memsuite.rules.yml"
DASHBOARD = f"{TOP}/monitoring/memsuite-dashboard.json"
SCRAPE = f"{TOP}/monitoring/prometheus.yml"
STORE = ("vs: 0 65536 vstore pages 1000 free 10 nodes 3 dirty 900 merged 1 clean 7 read_pram 1 read_disk 2 "
         "write_pram 3 write_disk 4 write_full 5 continued 6 moved 7 evicted 8 errors 0 lent 0 lends 0 claims 0 "
         "claims_failed 0 shifted 0 promoted 0 bad_pages 0 bad_blocks 0 volatile 0 read_volatile 0 sealed 1")
TOKEN = "a token"
# Of Prometheus itself.
OTHERS = {"up", "scrape_duration_seconds", "ALERTS"}
NAME = re.compile(r"\b(?:memsuite_\w+|up|scrape_duration_seconds|ALERTS)\b")


def program(name):
    path = shutil.which(name, path=f"{os.environ['PATH']}:{os.path.expanduser(tool_metrics.TOOLS)}")
    assert path, f"scripts/install-tools gets {name}"
    return path


def a_tree(top):
    """Of which all is known, with a store, and a bad page that is not saved."""
    tree = tool_metrics.a_tree(top)
    tree.fill(tree.debugfs, {"memdiag/bad_pages": BAD_PAGES + BAD_PAGE})
    tree.fill(tree.proc, {"modules": "dm_vstore 1 0 - Live 0x0"})
    tree.fill(f"{top}/bin", {"dmsetup": f"#!/bin/sh\n[ $1 != status ] || echo '{STORE}'"})
    os.chmod(f"{top}/bin/dmsetup", 0o755)
    return tree


class Exporter:
    """One that runs meanwhile."""

    def __init__(self, tree, *args, python=(sys.executable,), listen="127.0.0.1:0", **environment):
        top = os.path.dirname(tree.sysfs)
        self.process = tree.start("exporter", "--listen", listen, *args, python=python,
                                  PATH=f"{top}/bin:{os.environ['PATH']}", **environment)

    def __enter__(self):
        self.url = self.process.stdout.readline().strip()
        assert self.url.startswith("http://"), self.process.communicate()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def get(self, token=None, method="GET", url=None):
        """(status, text)"""
        request = urllib.request.Request(url or self.url, method=method)
        if token is not None:
            request.add_header("Authorization", token)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()


def with_secrets(top):
    """What is for root alone in a tree."""
    tree = a_tree(top)
    for name in ("regions/node0/free_pages", "vipzone/policies/0/who", "vipzone/policies/0/policy"):
        os.chmod(os.path.join(tree.sysfs, name), 0o400)
    with open(f"{top}/token", "w", encoding="ascii") as file:
        file.write(TOKEN + "\n")
    return tree


def everybody_is_told_what_everybody_may_read(top):
    tree = with_secrets(top)
    secret = ('memsuite_region_free_pages{region="node0"} 1000\n', 'who="machine"')
    with Exporter(tree, "--token-file", f"{top}/token") as exporter:
        status, text = exporter.get()
        assert status == 200 and "memsuite_memdiag_bad_pages " in text, text[:500]
        assert not any(told in text for told in secret) and "memsuite_vipzone_policy_info" not in text
        status, text = exporter.get(f"Bearer {TOKEN}")
        assert status == 200 and all(told in text for told in secret)
        assert text == tree.run("export", PATH=f"{top}/bin:{os.environ['PATH']}").stdout
        for token in ("Bearer wrong", "Bearer ", TOKEN, f"Basic {TOKEN}", "Bearer \xe9", ""):
            status, text = exporter.get(token)
            assert status == 401 and "memsuite_" not in text, token
        assert exporter.get(url=exporter.url + "/x")[0] == 404 and exporter.get(method="POST")[0] == 501
        assert exporter.get(url=exporter.url + "?x=1")[0] == 200
    # Without a token, none is right.
    open(f"{top}/empty", "w", encoding="ascii").close()
    for args in ((), ("--token-file", f"{top}/empty")):
        with Exporter(tree, *args) as exporter:
            assert exporter.get("Bearer ")[0] == exporter.get("Bearer None")[0] == 401
            assert secret[0] not in exporter.get()[1]


def it_ends_by_a_signal(top):
    for number in (signal.SIGTERM, signal.SIGINT):
        with Exporter(Tree(top, SYSFS)) as exporter:
            assert exporter.get()[0] == 200
            exporter.process.send_signal(number)
            assert exporter.process.wait(30) == 0
    result = Tree(top).run("exporter", "--token-file", "/")
    assert result.returncode == 1 and "/: Is a directory" in result.stderr, result
    with Exporter(Tree(top)) as exporter:
        address = exporter.url[len("http://"):-len("/metrics")]
        result = Tree(top).run("exporter", "--listen", address)
        assert result.returncode == 1 and "in use" in result.stderr, result
    if os.path.exists("/proc/net/if_inet6"):
        with Exporter(Tree(top, SYSFS), listen="[::1]:0") as exporter:
            assert exporter.url.startswith("http://[::1]:") and exporter.get()[0] == 200
    for wrong in ("9978", ":1", "localhost:x", "localhost:70000"):
        assert Tree(top).run("exporter", "--listen", wrong).returncode == 2, wrong
    with Tree(top).start("exporter", "--listen", "127.0.0.1:0", "--json") as process:
        assert json.loads(process.stdout.readline())["url"].startswith("http://127.0.0.1:")
        process.kill()


def who_says_nothing_holds_up_nobody(top):
    with Exporter(Tree(top, SYSFS)) as exporter:
        place = urllib.parse.urlparse(exporter.url)
        with socket.create_connection((place.hostname, place.port)) as silent:
            assert exporter.get()[0] == 200
            silent.send(b"GET /metrics HTTP/1.1\r\n")
            assert exporter.get()[0] == 200
        with socket.create_connection((place.hostname, place.port)) as gone:
            gone.send(b"GET /metrics HTTP/1.0\r\n\r\n")
        assert exporter.get()[0] == 200
        exporter.process.terminate()
        assert "Traceback" not in exporter.process.communicate()[1]


def systemd_passes_the_socket(top):
    """The exporter is started by the first request."""
    activate = program("systemd-socket-activate")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    tree = a_tree(top)
    names = [f"MEMSUITE_{name}" for name in ("SYSFS", "DEBUGFS", "STATE", "PROC", "DMI")]
    passed = [word for name in names for word in ("-E", name)]
    with tree.start("exporter", python=(activate, "-l", f"127.0.0.1:{port}", *passed, sys.executable)) as process:
        url = f"http://127.0.0.1:{port}/metrics"
        for _ in range(100):
            try:
                with urllib.request.urlopen(url, timeout=30) as answer:
                    assert "memsuite_memdiag_bad_pages " in answer.read().decode()
                break
            except urllib.error.URLError:
                time.sleep(0.1)     # it does not listen yet
        else:
            raise AssertionError(process.communicate())
        process.terminate()
        assert process.wait(30) == 0


def a_scrape_reads_each_file_once(top):
    """No file twice, and none of another than what is told; what is known of them is looked up once for all scrapes."""
    tree, opened = a_tree(top), Counter()

    def counting(path, *args, **kwargs):
        opened[path] += 1
        return real(path, *args, **kwargs)

    real = builtins.open
    with mock.patch.object(metrics, "SYSFS", tree.sysfs), mock.patch.object(sysfs, "SYSFS", tree.sysfs), \
            mock.patch.object(machine_metrics, "proc_text", lambda name: ""), \
            mock.patch("builtins.open", counting):
        metrics.metrics()
        opened.clear()
        began = time.process_time()
        for _ in range(10):
            metrics.metrics()
        took_ms = (time.process_time() - began) * 100
    print(f"# a scrape of {len(opened)} files takes {took_ms:.1f} ms")
    assert len(opened) > 300 and set(opened.values()) == {10}, [path for path, times in opened.items() if times != 10]
    assert all(path.startswith(tree.sysfs) for path in opened), opened
    assert took_ms < 250, took_ms


def what_is_saved_and_stored_is_told(top):
    with Exporter(a_tree(top)) as exporter:
        text = exporter.get()[1]
        for line in ("memsuite_bad_pages_unsaved 1", "memsuite_bad_pages_unrestored 0", 
                     "memsuite_bad_page_list_faulty 0",
                     'memsuite_store_dirty_pages{store="vs"} 900', 'memsuite_store_moved_pages_total{store="vs"} 7',
                     'memsuite_store_high_watermark_ratio{store="vs"} 0.75'):
            assert f"\n{line}\n" in text, line
    tree = Tree(f"{top}/saved", {**SYSFS}, {**DEBUGFS, "memdiag/bad_pages": BAD_PAGES + BAD_PAGE})
    assert "\nmemsuite_bad_pages_unsaved 1\n" in tree.run("export").stdout
    assert tree.run("diag", "save").returncode == 0
    assert "\nmemsuite_bad_pages_unsaved 0\n" in tree.run("export").stdout
    with open(tree.state, "a", encoding="ascii") as file:
        file.write("nonsense\n")
    assert "\nmemsuite_bad_page_list_faulty 1\n" in tree.run("export").stdout


def known_names():
    """Of all metrics that there can be."""
    told = {metrics.described(pattern)[0] for pattern in abi.descriptions() if not pattern.endswith("/")}
    told |= {metrics.metric_of(pattern)[0] + "_info" for pattern in metrics.INFOS}
    with open(f"{TOP}/lib/memsuite/machine_metrics.py", encoding="utf-8") as file:
        told |= set(re.findall(r'"(memsuite_[a-z_]+[a-z])"', file.read()))
    told |= {f"memsuite_store_{name}" + ("_total" if field in machine_metrics.COUNTERS else "")
             for field, (name, _) in machine_metrics.STORE.items()}
    return told | OTHERS | {"memsuite_module_loaded", "memsuite_info"}


def expressions(dashboard):
    """(panel, query) of all of them, as it is for all instances, in 5 minutes."""
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            query = target["expr"].replace("$__rate_interval", "5m")
            yield panel["title"], query.replace("$instance", ".*")


def dashboard_of():
    with open(DASHBOARD, encoding="utf-8") as file:
        return json.load(file)


def every_metric_that_is_asked_for_is_there(_top):
    with open(RULES, encoding="utf-8") as file:
        rules = file.read()
    asked = set(NAME.findall(re.sub(r"(?m)^\s*#.*", "", rules))) | {
        name for _, query in expressions(dashboard_of()) for name in NAME.findall(query)}
    assert len(asked) > 40 and asked <= known_names(), asked - known_names()


def steady(value, minutes=240):
    return f"{value}+0x{minutes}"


def growing(by, minutes=240):
    return f"0+{by}x{minutes}"


ON = {"memsuite_memdiag_enabled": steady(1), "memsuite_memdiag_passes_total": steady(3)}

# Each alert: series of a machine where it has to come; of one where it must not; after how many minutes it must not be
# there yet, and must be.
ALERTS = {
    "ExporterDown": ({'up{job="memsuite"}': steady(0)},
                     {'up{job="memsuite"}': steady(1), 'up{job="other"}': steady(0)}, 4, 6),
    "ModuleNotLoaded": ({'memsuite_module_loaded{module="mrc"}': "1+0x10 0+0x60"},
                        {'memsuite_module_loaded{module="mrc"}': steady(0),
                         'memsuite_module_loaded{module="memsuite"}': steady(1)}, 15, 17),
    "HookFailed": ({'memsuite_hook_info{hook="h",state="failed"}': steady(1)},
                   {'memsuite_hook_info{hook="h",state="direct"}': steady(1)}, 4, 6),
    "BadPageFound": ({"memsuite_memdiag_bad_pages": "2+0x90 3+0x60"},
                     # A reboot, and nothing new.
                     {"memsuite_memdiag_bad_pages": "2+0x80 _x5 0+0x3 2+0x60"}, 90, 92),
    "BadPageInUse": ({"memsuite_memdiag_pending_pages": steady(1)},
                     {"memsuite_memdiag_pending_pages": "1+0x3 0+0x60"}, 4, 6),
    "DimmFails": ({"memsuite_memdiag_retire_policy_alarm": "0+0x9 1+0x60"},
                  {"memsuite_memdiag_retire_policy_alarm": steady(0)}, 9, 10),
    "MemoryErrorReported": ({"memsuite_memdiag_ecc_uncorrected_errors_total": "0+0x9 1+0x60"},
                            {"memsuite_memdiag_ecc_uncorrected_errors_total": steady(5)}, 9, 11),
    "BadPagesNotSaved": ({"memsuite_bad_pages_unsaved": steady(1)}, {"memsuite_bad_pages_unsaved": steady(0)}, 1, 3),
    "BadPageListFaulty": ({"memsuite_bad_page_list_faulty": steady(1)},
                          {"memsuite_bad_page_list_faulty": steady(0)}, 1, 3),
    "BadPagesNotRestored": ({"memsuite_bad_pages_unrestored": steady(1)},
                            {"memsuite_bad_pages_unrestored": steady(0)}, 9, 11),
    "TestsLate": ({"memsuite_memdiag_coverage_free_tested_ratio": steady(0.89), **ON},
                  {"memsuite_memdiag_coverage_free_tested_ratio": steady(0.9), **ON}, 29, 31),
    "UntestedMemoryHandedOut": (
        {"memsuite_demand_untested_pages_total": growing(400), "memsuite_demand_expired_pages_total": growing(120),
         "memsuite_demand_allocated_pages_total": growing(1000), **ON},
        {"memsuite_demand_untested_pages_total": growing(400), "memsuite_demand_expired_pages_total": growing(80),
         "memsuite_demand_allocated_pages_total": growing(1000), **ON}, 30, 33),
    "TestsBackOff": ({"memsuite_memdiag_control_share_ratio": steady(0.2), **ON},
                     {"memsuite_memdiag_control_share_ratio": steady(0.25), **ON}, 29, 31),
    "TestsReadCaches": ({'memsuite_memdiag_effectiveness_info{reads_reach_memory="no",ecc="none"}': steady(1), **ON},
                        {'memsuite_memdiag_effectiveness_info{reads_reach_memory="yes",ecc="none"}': steady(1), **ON},
                        9, 11),
    "FaultsEmulated": ({"memsuite_memdiag_emulated_faults": steady(1)},
                       {"memsuite_memdiag_emulated_faults": steady(0)}, 59, 61),
    "PlacementFails": (
        {"memsuite_vipzone_fallback_empty_total": growing(11), "memsuite_vipzone_steered_pages_total": growing(100),
         "memsuite_vipzone_enabled": steady(1)},
        {"memsuite_vipzone_fallback_empty_total": growing(9), "memsuite_vipzone_steered_pages_total": growing(100),
         "memsuite_vipzone_enabled": steady(1)}, 15, 17),
    "RegionFull": (
        {f'memsuite_region_{name}{{region="r"}}': text for name, text in {
            "pool_misses_total": growing(11), "pool_handed_pages_total": growing(100), "free_pages": steady(19),
            "total_pages": steady(1000)}.items()},
        # It is not full; and a pool that another region stands in for.
        {f'memsuite_region_{name}{{region="{region}"}}': text for region, misses, free in (("r", 11, 21), ("s", 9, 0))
         for name, text in {"pool_misses_total": growing(misses), "pool_handed_pages_total": growing(100),
                            "free_pages": steady(free), "total_pages": steady(1000)}.items()}, 15, 17),
    "RegionWearsOut": ({'memsuite_vipzone_region_over_budget{region="r"}': steady(1)},
                       {'memsuite_vipzone_region_over_budget{region="r"}': steady(0)}, 59, 61),
    "ProcessesLost": ({"memsuite_mrc_lost_children_total": "0+0x9 1+0x60"},
                      {"memsuite_mrc_lost_children_total": steady(4)}, 9, 11),
    "DivisionLifted": ({"memsuite_mrc_division_suspended_total": growing(1)},
                       {"memsuite_mrc_division_suspended_total": steady(4)}, 30, 33),
    "StoreDirty": ({f'memsuite_store_{name}{{store="vs"}}': steady(value) for name, value in (
        ("dirty_pages", 751), ("pages", 1000), ("high_watermark_ratio", 0.75))},
                   {f'memsuite_store_{name}{{store="vs"}}': steady(value) for name, value in (
                       ("dirty_pages", 750), ("pages", 1000), ("high_watermark_ratio", 0.75))}, 29, 31),
    "StoreFails": ({'memsuite_store_errors_total{store="vs"}': "0+0x9 1+0x60"},
                   {'memsuite_store_errors_total{store="vs"}': steady(4)}, 9, 11),
    "StorePramFails": ({'memsuite_store_bad_pages{store="vs"}': "0+0x9 1+0x60"},
                       {'memsuite_store_bad_pages{store="vs"}': steady(0)}, 9, 10),
}


def of_instance(series, instance):
    name, brace, labels = series.partition("{")
    return f'{name}{{instance="{instance}"' + (f",{labels}" if brace else "}")


def alert_test(name, bad, good, before, at):
    """As promtool takes it: whoever else fires is a mistake."""
    def firing(minutes, *instances):
        return {"expr": 'count by (alertname, instance) (ALERTS{alertstate="firing"})', "eval_time": f"{minutes}m",
                "exp_samples": [{"labels": f'{{alertname="Memsuite{name}", instance="{instance}"}}', "value": 1}
                                for instance in instances]}

    return {"name": name, "interval": "1m",
            "input_series": [{"series": of_instance(series, instance), "values": values}
                             for instance, all_series in (("bad", bad), ("good", good))
                             for series, values in all_series.items()],
            "promql_expr_test": [firing(before), firing(at, "bad")]}


def alerts_come_when_they_have_to(top):
    promtool = program("promtool")
    checked = subprocess.run([promtool, "check", "rules", RULES], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked
    with open(RULES, encoding="utf-8") as file:
        assert set(re.findall(r"alert: Memsuite(\w+)", file.read())) == set(ALERTS)
    path = f"{top}/tests.yml"
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"rule_files": [RULES], "evaluation_interval": "1m",
                   "tests": [alert_test(name, *case) for name, case in ALERTS.items()]}, file)
    tested = subprocess.run([promtool, "test", "rules", path], capture_output=True, text=True, check=False)
    assert tested.returncode == 0, tested.stdout + tested.stderr


class Prometheus:
    """One that scrapes an exporter as our example has it, but for the address and how often."""

    def __init__(self, top, target):
        with open(SCRAPE, encoding="utf-8") as file:
            text = file.read()
        with open(f"{top}/exporter.token", "w", encoding="ascii") as file:
            file.write(TOKEN)
        for before, after in (("localhost:9978", target), ("30s", "1s"),
                              ("/etc/prometheus/memsuite.token", f"{top}/exporter.token"),
                              ("/usr/share/memsuite/monitoring/memsuite.rules.yml", RULES)):
            assert before in text, before
            text = text.replace(before, after)
        with open(f"{top}/prometheus.yml", "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run([program("promtool"), "check", "config", f"{top}/prometheus.yml"], check=True,
                       capture_output=True)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        with open(f"{top}/prometheus.log", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [program("prometheus"), f"--config.file={top}/prometheus.yml", f"--storage.tsdb.path={top}/tsdb",
                 f"--web.listen-address={self.address}"], stdout=log, stderr=log)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def get(self, path, **arguments):
        url = f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(arguments)}"
        with urllib.request.urlopen(url, timeout=30) as answer:
            return json.load(answer)["data"]

    def query(self, expr):
        return self.get("query", query=expr)["result"]

    def await_(self, expr):
        last = time.monotonic() + 60
        while True:
            try:
                found = self.query(expr)
            except (urllib.error.URLError, ConnectionError):
                found = []
            if found:
                return
            assert time.monotonic() < last, expr
            time.sleep(0.2)


def prometheus_has_data_for_each_panel(top):
    with open(f"{top}/token", "w", encoding="ascii") as file:
        file.write(TOKEN)
    with Exporter(a_tree(top), "--token-file", f"{top}/token") as exporter:
        with Prometheus(top, urllib.parse.urlparse(exporter.url).netloc) as prometheus:
            prometheus.await_("count_over_time(memsuite_memdiag_bad_pages[1m]) >= 3")
            queries = list(expressions(dashboard_of()))
            assert len(queries) > 20, queries
            for panel, query in queries:
                assert prometheus.query(query), (panel, query)
            rules = prometheus.get("rules")["groups"][0]["rules"]
            assert len(rules) == len(ALERTS) and all(rule["health"] != "err" for rule in rules), rules
            variables = dashboard_of()["templating"]["list"]
            for variable in variables:
                if variable["type"] == "query":
                    name, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["query"]).groups()
                    assert prometheus.get(f"label/{label}/values", **{"match[]": name}), variable
            # As fast as Prometheus sees it.
            took, = prometheus.query("scrape_duration_seconds")
            print(f"# a scrape takes {float(took['value'][1]) * 1000:.0f} ms of "
                  f"{prometheus.query('scrape_samples_scraped')[0]['value'][1]} samples")


TESTS = (
    everybody_is_told_what_everybody_may_read,
    it_ends_by_a_signal,
    who_says_nothing_holds_up_nobody,
    systemd_passes_the_socket,
    a_scrape_reads_each_file_once,
    what_is_saved_and_stored_is_told,
    every_metric_that_is_asked_for_is_there,
    alerts_come_when_they_have_to,
    prometheus_has_data_for_each_panel,
)

if __name__ == "__main__":
    sys.exit(tool.main(TESTS))
