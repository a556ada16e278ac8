log(1);
step();
log(1);
