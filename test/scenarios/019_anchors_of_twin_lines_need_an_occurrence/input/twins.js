first();
again();
second();
again();
third();
