"""Compilation of kernels: numba with a disk cache where one can be written, without it elsewhere.

Ctrl-C waits until a kernel is compiled. That takes seconds, so what is small is done without, where a kernel is neither
compiled yet nor on the disk: either Python runs the kernel (`entries`), or the caller knows another way
(:func:`without_compiling`).
"""

import hashlib
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from pickle import UnpicklingError
from types import FunctionType, ModuleType
from typing import Any, TypeVar, overload

import numpy as np

from exactnn.interrupts import Uninterrupted
from exactnn.notices import tell, waits
from exactnn.simulation.with_numba import has_numba

__all__ = ["NotCompiledError", "compiled", "is_compiled", "register_jitable", "without_compiling"]

F = TypeVar("F", bound=Callable[..., object])
T = TypeVar("T")


if has_numba():
    import numba
    from numba import extending
    from numba.core.caching import NullCache


@overload
def register_jitable(function: F, /) -> F: ...


@overload
def register_jitable(*, inline: str = "never", forceinline: bool = False) -> Callable[[F], F]: ...


def register_jitable(function: Any = None, /, **options: Any) -> Any:
    """Let compiled code call a function; it stays what it is for Python, and without numba for all."""
    if not has_numba():
        return function or (lambda decorated: decorated)
    return extending.register_jitable(**options) if function is None else extending.register_jitable(function)


OPTIONS: dict[str, Any] = {"nogil": True, "_nrt": False}


class NotCompiledError(Exception):
    """A kernel would have to be compiled."""


class _Here(threading.local):
    """What holds in a thread."""

    compiles = True


_here = _Here()


@contextmanager
def without_compiling() -> Iterator[None]:
    """Let a kernel that would have to be compiled raise NotCompiledError; what is on the disk is loaded as ever."""
    before, _here.compiles = _here.compiles, False
    try:
        yield
    finally:
        _here.compiles = before


SMALL = 20_000
"""Entries of arrays that Python goes through in less time than it takes to compile a kernel."""


@overload
def compiled(kernel: F, /) -> F: ...


@overload
def compiled(*, entries: Callable[..., int]) -> Callable[[F], F]: ...


def compiled(kernel: Any = None, /, *, entries: Callable[..., int] | None = None) -> Any:
    """Compile `kernel` at its first call; no fused multiply-add, no reordering of sums; threads may run side by side.

    Where it would have to be compiled first, Python runs calls that go through SMALL entries, all together: `entries`
    says how many a call does, of its arguments. Such a kernel may count on no overflow but that of numpy's integers.

    Without numba's runtime: no references to arrays are counted, which takes longer than a product and a sum, and the
    code is compiled in less time. So a kernel can allocate nothing, nor assign whole slices: it gets room to work in.

    The disk cache notices a change in the file of a kernel. Its name in the cache tells the state of the other files
    that it takes functions from, and of modules of constants that it knows by name.

    Where there is no numba, the kernel is what Python makes of it.
    """
    if kernel is None:
        return lambda decorated: _compiled(decorated, entries)
    return _compiled(kernel, entries)


def _compiled(kernel: Any, entries: Callable[..., int] | None) -> Any:
    if not has_numba():
        return kernel
    assert isinstance(kernel, FunctionType)
    stamp = _stamp(kernel)
    if stamp:
        kernel.__qualname__ = f"{kernel.__qualname__}_{stamp}"
    try:
        dispatcher: Any = numba.njit(cache=True, **OPTIONS)(kernel)
    except RuntimeError:  # neither the package's folder nor a user folder can be written
        dispatcher = numba.njit(**OPTIONS)(kernel)
    if dispatcher is not kernel:  # as it is with NUMBA_DISABLE_JIT
        _compile_as_a_whole(dispatcher, kernel.__name__, entries)
    return dispatcher


def _compile_as_a_whole(dispatcher: Any, name: str, entries: Callable[..., int] | None) -> None:
    """Let Ctrl-C wait while a kernel is compiled, or loaded from the disk, for the types of a call; tell of the first.

    Numba asks for the code for the types of a call. For a small call it gets Python's.

    After an interruption numba would say "generator raised StopIteration" for ever, and where LLVM calls Python the
    interruption is lost. A call with types that were compiled before does not come here, and takes as long as ever.
    """
    compile_for_args, cache = dispatcher._compile_for_args, dispatcher._cache

    def load_or_tell(*args: object) -> object:
        found = _from_disk(cache, *args)
        if found is None:
            if not _here.compiles:
                raise NotCompiledError(name)
            tell(f"compiling {name}")
        return found

    cache.load_overload = load_or_tell
    left, missed = SMALL, False  # whether code for some call was not on the disk

    def by_python(*args: object) -> object:
        with np.errstate(over="ignore"):  # compiled integers say nothing either
            return dispatcher.py_func(*args)

    def compile_as_a_whole(*args: Any, **keywords: object) -> object:
        nonlocal left, missed
        size = entries(*args) if entries is not None and waits() else SMALL + 1
        is_small = size <= left
        if not (is_small and missed):  # to ask takes as long as a thousand entries in Python
            try:
                with Uninterrupted(f"compiling {name}"):
                    if not is_small:
                        return compile_for_args(*args, **keywords)
                    with without_compiling():
                        return compile_for_args(*args, **keywords)
            except NotCompiledError:
                if not is_small:
                    raise
                missed = True
        left -= max(1, size)
        return by_python

    dispatcher._compile_for_args = compile_as_a_whole


def is_compiled(kernel: Any) -> bool:
    """Whether a kernel has been compiled for some call, by this process or, on the disk, by another one."""
    cache = getattr(kernel, "_cache", None)  # there is none without numba, and with NUMBA_DISABLE_JIT
    if cache is None or kernel.overloads:
        return True
    return not isinstance(cache, NullCache) and bool(_read(cache, cache._cache_file._load_index))


def _from_disk(cache: Any, *args: object) -> object:
    """Return the code for the types of a call if it is in the cache of a kernel, else None.

    Numba's own way to it (`load_overload`) begins with `refresh`: it learns all that it can compile, and begins its
    runtime. That takes 0.2 s, ten times as long as five kernels. Code without that runtime needs none of it.
    """
    if isinstance(cache, NullCache):
        return None
    return _read(cache, partial(cache._load_overload, *args))


SPOILT = (UnpicklingError, AttributeError, EOFError, ImportError, IndexError, KeyError, TypeError, ValueError)
"""What reading a file of the cache raises that is cut off, as by a full disk, or has other bytes in it."""


def _read(cache: Any, read: Callable[[], T]) -> T | None:
    """Return what files of a cache give; None if they are spoilt: then all of that kernel will be written anew."""
    with cache._guard_against_spurious_io_errors():
        try:
            return read()
        except SPOILT:
            with suppress(OSError):
                cache.flush()
    return None


def _stamp(kernel: FunctionType) -> str:
    """Return a digest of the other modules that compiled code of a kernel comes from, "" if there are none."""
    files = [sys.modules[home].__file__ for home in sorted(sources_of(kernel) - {kernel.__module__})]
    texts = [Path(file).read_bytes() for file in files if file is not None]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16] if texts else ""


def sources_of(kernel: FunctionType) -> set[str]:
    """Return the modules of this package that a kernel's module takes functions or constants from, and so on."""
    homes: set[str] = set()
    new = _homes(kernel.__globals__)
    while new - homes:
        homes |= new
        new = set().union(*(_homes(vars(sys.modules[home])) for home in homes))
    return homes


CARRIERS = f"{__package__}.carriers."
"""They register their code with one of them; so with it they are all meant."""


def _homes(names: dict[str, object]) -> set[str]:
    """Return the modules of compiled code where the functions among some names come from, and modules among them."""
    values = [*names.values()]  # other threads import, and enter names and modules meanwhile
    homes = {str(getattr(value, "__module__", None)) for value in values if callable(value)}
    if any(home.startswith(CARRIERS) for home in homes):
        homes |= {module for module in [*sys.modules] if module.startswith(CARRIERS)}
    constants = {value.__name__ for value in values if isinstance(value, ModuleType)}
    constants = {module for module in constants if module.startswith(str(__package__))}
    return constants | {home for home in homes if home.startswith(CARRIERS) or _is_compiled(home)}


def _is_compiled(module: str) -> bool:
    return module.startswith(str(__package__)) and module.endswith(("kernels", "loops"))
