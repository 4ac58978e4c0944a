0 1 <eps>
0 2 <eps>
1 1 a a
2 2 b b
1
2 0
