from exactnn.networks.exchange.onnx_export import to_onnx as to_onnx
from exactnn.networks.exchange.onnx_import import load_onnx as load_onnx
from exactnn.networks.exchange.safetensors_file import load_safetensors as load_safetensors
from exactnn.networks.exchange.safetensors_file import save_safetensors as save_safetensors
from exactnn.networks.exchange.torch_export import to_torch as to_torch
from exactnn.networks.exchange.torch_import import from_torch as from_torch
