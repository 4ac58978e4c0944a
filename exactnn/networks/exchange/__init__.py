"""Networks from other programs and for them: torch, safetensors and ONNX. Their libraries are imported when needed."""

from exactnn.networks.exchange.onnx_export import to_onnx
from exactnn.networks.exchange.onnx_import import load_onnx
from exactnn.networks.exchange.safetensors_file import load_safetensors, save_safetensors
from exactnn.networks.exchange.torch_export import to_torch
from exactnn.networks.exchange.torch_import import from_torch

__all__ = ["from_torch", "load_onnx", "load_safetensors", "save_safetensors", "to_onnx", "to_torch"]
