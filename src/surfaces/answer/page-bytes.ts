// How much of a file one answer shows.

/** As many whole lines as this holds, or a part of the first: four times what fills the context of most models. */
export const PAGE_BYTES = 1024 * 1024;
