"""The onnx library, imported when it is needed."""

from types import ModuleType

from exactnn.errors import MissingExtraError

__all__ = ["require_onnx"]


def require_onnx() -> ModuleType:
    """Return the module onnx; raises MissingExtraError if it is not installed."""
    try:
        import onnx
    except ImportError:
        raise MissingExtraError('this needs onnx: pip install "exactnn[onnx]"') from None
    module: ModuleType = onnx
    return module
