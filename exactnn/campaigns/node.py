"""What every node of a Dask cluster does once, whichever of its workers comes first."""

from collections.abc import Callable
from typing import Any

from exactnn.files import do_once, forget_once
from exactnn.interrupts import loaded
from exactnn.notices import at_once

__all__ = ["once_per_node"]


def once_per_node(name: str, function: Callable[[], object]) -> Any:
    """Return a plugin for workers that has one worker of each node call a function, before it computes anything.

    The kernels that it calls are compiled, however small their work is. The others of that node wait for it. A
    scheduler gives the plugin to workers that come later, too.
    """
    distributed = loaded("distributed")

    def compiling() -> None:
        with at_once():
            function()

    class OncePerNode(distributed.WorkerPlugin):  # type: ignore[misc, name-defined]
        async def setup(self, worker: object) -> None:
            await loaded("asyncio").get_running_loop().run_in_executor(None, do_once, name, compiling)

        def teardown(self, worker: object) -> None:
            forget_once(name)

    return OncePerNode()
