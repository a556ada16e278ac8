class A:
    def b(self):
        return 1

    def c(self):
        return 3
