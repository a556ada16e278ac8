class A:
    def b(self):
        if self.c:
            return 2
        return 1

    def c(self):
        return 3
