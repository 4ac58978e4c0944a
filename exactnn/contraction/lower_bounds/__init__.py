"""What no smaller network does, and no unitary one: arguments that are run on given networks.

``unitary``
    Why a unitary twin needs twice the states; ``activation_cell`` finds the inputs on which the network is affine.
``smt``
    Is there a unitary network of some size with the same outputs on some words? ``smt_cells`` asks pattern by pattern.
``relu_witness``
    The network y = ReLU(x), of which both ask.
``sigmoid``
    Why no unitary network does what y = sigmoid(x) does.
"""
