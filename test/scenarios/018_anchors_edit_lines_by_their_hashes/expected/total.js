function total(items) {
  let sum = start;
  for (const item of items) {
    sum += item.price * item.count;
  }
  check(sum);
  return sum;
}
