/** The numbers from `first` on, so many of them. */
export const seeds = (count: number, first = 0): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => first + index)

export const origin = "https://site.test"
