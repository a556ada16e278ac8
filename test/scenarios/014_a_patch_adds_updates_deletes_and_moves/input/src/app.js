start();
run(1);
stop();

other();

last();
