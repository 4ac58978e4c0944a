"""How much memory there is: of the machine, of a container, and of a process with a limit of its own."""

import subprocess
import sys

import pytest

from exactnn.size_limit import cgroup_limits, default_max_bits, machine_memory, unused_memory

GIB = 1 << 30


def limits(tmp_path, groups, files):
    """Return the limits that a process in some control groups reads from files."""
    listed = tmp_path / "cgroup"
    listed.write_text(groups)
    mounted = tmp_path / "mounted"
    for name, text in files.items():
        path = mounted / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return sorted(cgroup_limits(listed, mounted))


def test_a_group_of_version_2_and_those_that_it_is_in(tmp_path):
    files = {"a/memory.max": f"{2 * GIB}\n", "a/b/memory.max": "max\n", "a/b/c/memory.max": f"{GIB}\n"}
    assert limits(tmp_path, "0::/a/b/c\n", files) == [GIB, 2 * GIB]


def test_a_container_sees_its_own_group_as_the_root(tmp_path):
    assert limits(tmp_path, "0::/docker/0123\n", {"memory.max": f"{GIB}\n"}) == [GIB]
    assert limits(tmp_path, "0::/../outside\n", {"memory.max": f"{GIB}\n"}) == [GIB]


def test_groups_of_version_1_and_of_both(tmp_path):
    groups = "5:cpu,cpuacct:/x\n4:memory:/x/y\n0::/\n"
    files = {
        "memory/x/y/memory.limit_in_bytes": f"{3 * GIB}\n",
        "memory/memory.limit_in_bytes": "9223372036854771712\n",
    }
    assert limits(tmp_path, groups, files) == [3 * GIB, 9223372036854771712]


def test_without_groups_there_are_no_limits(tmp_path):
    assert list(cgroup_limits(tmp_path / "none", tmp_path)) == []
    assert limits(tmp_path, "", {}) == []
    assert limits(tmp_path, "nonsense\n4:memory\n0::/a\n", {"a/memory.max": "many\n"}) == []


def test_numbers_may_take_a_part_of_the_memory():
    assert 1 << 26 < machine_memory() < 1 << 50
    assert 64 * default_max_bits() == 8 * machine_memory() // 64 * 64


LIMITED = """
import resource
from exactnn.size_limit import machine_memory, unused_memory
from exactnn.size_limit import SizeLimit

assert unused_memory() is None
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
assert machine_memory() == 1 << 30
limit = SizeLimit()
assert limit.most == limit.room == (1 << 30) * 8 // 64
before = unused_memory()
assert 0 < before < 1 << 30
block = bytearray(950 << 20)
assert unused_memory() < before - (949 << 20)
assert 0 < limit.room < limit.most
"""


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited in the way of Linux")
def test_a_process_with_a_limit_of_its_own():
    done = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_without_a_limit_of_the_process_nothing_is_known_of_what_is_unused():
    resource = pytest.importorskip("resource")
    if (
        resource.getrlimit(resource.RLIMIT_AS)[0]
        == resource.getrlimit(resource.RLIMIT_DATA)[0]
        == resource.RLIM_INFINITY
    ):
        assert unused_memory() is None
