def first():
    prepare()
    return 1

def second():
    prepare()
    run()
    return 1

def third():
    return 1
