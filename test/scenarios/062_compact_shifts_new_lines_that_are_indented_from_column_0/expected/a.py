class Shop:
    def total(self, rows):
        try:
            total = sum(rows)

        except TypeError:
            total = 0
        if total < 0:
            return 0
        return total


def main():
    run()


if __name__ == "__main__":
    main()
