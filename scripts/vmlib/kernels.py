# SPDX-License-Identifier: GPL-2.0-only
"""Debian's stock kernels: which one stands for a series, and its image, modules, headers and source."""
import functools
import glob
import os
import re
import subprocess

from . import FLAVOURS, Failure, SERIES, apt, cache, chroot, locked, temporary_beside


def _base(suite):
    return re.sub("-(security|updates|backports)$", "", suite)


@functools.cache
def host_suite():
    with open("/etc/os-release") as f:
        found = re.search(r"^VERSION_CODENAME=\"?(\w+)", f.read(), re.M)
    return found.group(1) if found else ""


def has_image(headers):
    """Debian signs images after headers are in the archive: until then a kernel has none."""
    name = headers.name.replace("headers", "image", 1)
    return any(image.version == headers.version for image in apt.packages(re.escape(name)))


class Kernel:
    """A stock kernel, unpacked but not installed."""

    def __init__(self, name):
        if name not in SERIES + FLAVOURS:
            raise Failure(f"no stock kernel stands for {name}")
        self.name = name
        self.series, _, kind = name.partition("-")
        suite = kind if kind in apt.SUITES else host_suite()
        flavour = f"{kind}-" if kind and kind != suite else ""
        # Without a flavour, not -cloud-, -rt- or -dbg, but what a plain installation runs.
        offered = apt.packages(rf"linux-headers-{re.escape(self.series)}\.[^-]+(-\d+)?-{flavour}amd64")
        if not offered:
            raise Failure(f"the archive has no headers of a kernel {name}")
        # A kernel of the host's own suite needs no chroot to build for.
        own = [p for p in offered if suite in map(_base, p.suites)] or offered
        self._headers = next(filter(has_image, reversed(own)), own[-1])
        self.version = self._headers.version
        self.release = self._headers.name.removeprefix("linux-headers-")
        self.suite = _base(self._headers.suites[0])
        self._kbuild = [apt.package(name) for name in self._headers.depends if name.startswith("linux-kbuild-")]

    def __str__(self):
        return f"{self.release} ({self.version}, {self.suite})"

    @functools.cached_property
    def _image_packages(self):
        packs = [apt.package(f"linux-image-{self.release}", self.version)]
        # From 7.1 on, the image package is empty, and depends on those with the files.
        return packs + [apt.package(name, self.version) for name in packs[0].depends
                        if re.match("linux-(binary|modules)-", name)]

    @functools.cached_property
    def _headers_packages(self):
        common = [name for name in self._headers.depends if re.fullmatch(r"linux-headers-.*-common(-rt)?", name)]
        return [self._headers, *(apt.package(name, self.version) for name in common), *self._kbuild]

    def packages(self):
        """All that is new to a system which has another kernel of its suite, with headers."""
        return self._image_packages + self._headers_packages

    @functools.cached_property
    def tree(self):
        """Directory that holds the unpacked image and modules."""
        return apt.unpack(self._image_packages, f"{cache('kernels')}/{self.release}", self._index_modules)

    def _index_modules(self, path):
        # depmod looks in lib/modules.
        if os.path.isdir(f"{path}/usr/lib/modules") and not os.path.exists(f"{path}/lib"):
            os.symlink("usr/lib", f"{path}/lib")
        subprocess.run(["depmod", "-b", path, self.release], check=True, stderr=subprocess.DEVNULL)

    @property
    def image(self):
        found = glob.glob(f"{self.tree}/boot/vmlinuz-*") + glob.glob(f"{self.modules}/vmlinuz*")
        if not found:
            raise Failure(f"{self}: the packages hold no vmlinuz")
        return found[0]

    @property
    def modules(self):
        return f"{self.tree}/lib/modules/{self.release}"

    @functools.cached_property
    def root(self):
        """Root directory in which modules for this kernel are built: the host's, or a chroot of its suite."""
        if self.suite == host_suite():
            return ""
        # The compiler, which the dependency names in one of several ways, and what kbuild's programs need.
        compilers = [m for d in self._headers.depends for m in re.findall(r"gcc-\d+", d)]
        libraries = [d for pack in self._kbuild for d in pack.depends]
        # kernel-doc, which W=1 runs, is in Perl there, and wants more of it than a minimal root has.
        perl = ["perl"] if self.series == "6.12" else []
        return chroot.directory(self.suite, sorted({"make", *compilers, *libraries, *perl}))

    @property
    def base(self):
        """Directory in `root` for headers and builds."""
        return f"{self.root}/memsuite" if self.root else cache()

    @functools.cached_property
    def headers(self):
        """Directory for make -C, as seen from `root`."""
        final = f"{self.base}/headers/{self.release}"
        inside = final.removeprefix(self.root)
        source = f"usr/src/linux-headers-{self.release}"

        def relocate(path):
            # All links between the packages are relative; these two lines are not.
            makefile = f"{path}/{source}/Makefile"
            with open(makefile) as f:
                text = f.read()
            with open(makefile, "w") as f:
                f.write(re.sub(r"(?<![\w/])/usr/src/", f"{inside}/usr/src/", text))
        apt.unpack(self._headers_packages, final, relocate)
        return f"{inside}/{source}"


def source(series):
    """Directory with the newest source of that series, whole."""
    pack = apt.packages(f"linux-source-{re.escape(series)}")
    if not pack:
        raise Failure(f"the archive has no linux-source-{series}")
    final = f"{cache('src')}/{series}"
    if not os.path.isdir(final):
        with locked(f"source-{series}"):
            if not os.path.isdir(final):
                with temporary_beside(final) as scratch:
                    pack[-1].unpack(scratch)
                    tarball, = glob.glob(f"{scratch}/usr/src/linux-source-*.tar.xz")
                    os.mkdir(f"{scratch}/tree")
                    subprocess.run(["tar", "-C", f"{scratch}/tree", "--strip-components=1", "-xf", tarball], check=True)
                    with open(f"{scratch}/tree/.version-of-package", "w") as f:
                        f.write(f"{pack[-1]}\n")
                    os.rename(f"{scratch}/tree", final)
    return final
