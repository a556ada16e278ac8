def first():
    prepare()
    return 2

def second():
    prepare(2)
    return 1
