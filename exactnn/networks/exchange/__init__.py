"""Networks from other programs and for them: torch, safetensors and ONNX. Their libraries are imported when needed.

``torch_import``, ``torch_export``, ``safetensors_file``, ``onnx_import``, ``onnx_export``
    From and to each of them.
``torch_parameters``, ``torch_modules``, ``trained_network``, ``feed_forward``
    How torch names and orders parameters; what its modules compute; a network of them, and its parts in order.
``linear_layers``, ``attention_layers``, ``state_space_layers``
    Layers of linear attention and of state spaces, by their names.
``layer_parts``, ``layer_settings``, ``token_tables``, ``side_by_side``
    Their tensors, their own options, what they make of each token, and heads.
``onnx_file``, ``onnx_values``, ``onnx_streams``, ``onnx_cells``
    ONNX models: the file, what a tensor of it is and operators on constants, those on the sequence, recurrent ones.
``tensors``, ``affine_front``, ``float_circuit``
    What several need: exact tensors, bytes of bounded size, a linear layer below a cell, parameters as floats.
"""

from exactnn.lazy_names import make_lazy

__all__ = make_lazy(__name__)
