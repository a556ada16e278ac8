a = 1
b = 20
new = 0
c = 30
d = 4
