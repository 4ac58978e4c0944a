0 1 1 r 1
0 0 0 r 0
1 1 1 r 0
1 0 0 r 1
* _ _ * halt-accept
1 _ _ * halt-reject
