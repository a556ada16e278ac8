start();
run(2);
stop();

other();

final();
