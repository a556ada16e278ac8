class Shop:
    def total(self, rows):
        total = sum(rows)
        return total


def main():
    run()
