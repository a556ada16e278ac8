first();
again();
second();
once();
third();
