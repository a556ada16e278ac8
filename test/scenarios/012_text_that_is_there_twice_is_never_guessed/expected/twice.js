log(1);
step();
log(2);
