// What a call that took too long is answered, in both eras.

export const OVERDUE = {
  code: -32001,
  message:
    "The call took too long and was given up. A change may have been made all the same: read before you try again.",
} as const;
