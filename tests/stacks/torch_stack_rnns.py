"""Stack RNNs in torch with the tensors of the published ones: an LSTM and a plain list of vectors, from the papers."""

import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torch = pytest.importorskip("torch")

__all__ = ["StackLSTM", "torch"]


class Linear(torch.nn.Module):
    """A linear layer under the name "linear", as published."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = torch.nn.Linear(inputs, outputs)

    def forward(self, x):
        return self.linear(x)


class Controller(torch.nn.Module):
    """An LSTM under the name "rnn"."""

    def __init__(self, inputs, hidden):
        super().__init__()
        self.rnn = torch.nn.LSTM(inputs, hidden, batch_first=True)


class StackLSTM(torch.nn.Module):
    """An LSTM with a stack: of strengths (two actions), or a superposition (three)."""

    def __init__(self, inputs, hidden, values, actions, *, push_hidden=False):
        super().__init__()
        self.values = hidden if push_hidden else values
        self.controller = Controller(inputs + self.values, hidden)
        self.action_layer = Linear(hidden, actions)
        if not push_hidden:
            self.push_value_layer = Linear(hidden, values)
        self.push_hidden, self.strengths = push_hidden, actions == 2

    def forward(self, word, start=None):
        """Return the hidden states along a word, a matrix; `start` is h and c before it, zeros by default."""
        nothing = torch.zeros(self.controller.rnn.hidden_size, dtype=word.dtype)
        state = tuple(vector[None, None] for vector in start or (nothing, nothing))
        stack, reading, found = [], torch.zeros(self.values, dtype=word.dtype), []
        for x in word:
            _, state = self.controller.rnn(torch.cat([x, reading])[None, None], state)
            h = state[0][0, 0]
            found.append(h)
            if self.strengths:
                push, pop = torch.sigmoid(self.action_layer(h))
                stack = self.strengths_after(stack, push, pop, torch.tanh(self.push_value_layer(h)))
                reading = self.strengths_read(stack)
            else:
                weights = torch.softmax(self.action_layer(h), 0)
                vector = h if self.push_hidden else torch.sigmoid(self.push_value_layer(h))
                stack = self.cells_after(stack, weights, vector)
                reading = stack[0]
        return torch.stack(found)

    @staticmethod
    def strengths_after(stack, push, pop, vector):
        """Return pairs of a strength and a vector, the top last: s_i less what the pop has left of it."""
        left = []
        for i, (strength, own) in enumerate(stack):
            above = sum((s for s, _ in stack[i + 1 :]), torch.zeros_like(pop))
            left.append((torch.relu(strength - torch.relu(pop - above)), own))
        return [*left, (push, vector)]

    def strengths_read(self, stack):
        """Return the sum of the vectors down to the depth 1."""
        total = torch.zeros(self.values, dtype=stack[0][1].dtype)
        for i, (strength, vector) in enumerate(stack):
            above = sum((s for s, _ in stack[i + 1 :]), torch.zeros_like(strength))
            total = total + torch.minimum(strength, torch.relu(1 - above)) * vector
        return total

    @staticmethod
    def cells_after(stack, weights, vector):
        """Return the cells from the top: what a push, a pop and neither would have there, by their weights."""
        nothing = torch.zeros_like(vector)
        push, pop, neither = weights
        below = [vector, *stack]
        above = [*stack[1:], nothing, nothing][: len(below)]
        kept = [*stack, nothing]
        return [push * a + pop * b + neither * c for a, b, c in zip(below, above, kept, strict=True)]
