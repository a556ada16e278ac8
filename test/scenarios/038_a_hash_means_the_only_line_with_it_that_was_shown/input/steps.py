def first():
    prepare()
    return 1

def second():
    prepare()
    return 1
