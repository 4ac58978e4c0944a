"""Learning an automaton of a network by asking it for words.

``learning``
    The learner: its questions, its limits, the algorithms of AALpy.
``membership``
    What a network says of a word, each word computed once.
``oracles``
    Whether an automaton is right: by an abstraction of the network, or by words at random.
``learned_automaton``
    Hypotheses, why learning ended, and what came out.
"""
