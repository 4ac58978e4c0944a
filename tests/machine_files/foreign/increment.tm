; adds one to a binary number, after the syntax on the simulator's page
0 * * r 0
0 _ _ l carry
carry 0 1 * halt   ; done
carry 1 0 l carry
carry _ 1 * halt !
