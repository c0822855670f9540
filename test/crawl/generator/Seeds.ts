/** Consecutive numbers from `first` on. */
export const seeds = (count: number, first = 0): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => first + index)

export const origin = "https://site.test"
