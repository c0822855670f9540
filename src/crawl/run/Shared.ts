/** Addresses of which values are remembered; the values of others are kept as they come. */
const maxAddresses = 200_000

/** Values of the pages of a run, each kept once however many pages have it: the pages of a site share their navigation, styles and scripts. */
export class Shared<T> {
  readonly #known = new Map<string, Array<T>>()
  readonly #addressOf: (value: T) => string
  readonly #isSame: (a: T, b: T) => boolean
  /** Values of one address that differ. */
  readonly #maxVariants: number

  constructor(addressOf: (value: T) => string, isSame: (a: T, b: T) => boolean, maxVariants: number) {
    this.#addressOf = addressOf
    this.#isSame = isSame
    this.#maxVariants = maxVariants
  }

  /** The values of a page, each the one that an earlier page had where that is the same. */
  share(values: ReadonlyArray<T>): ReadonlyArray<T> {
    return values.map((value) => this.#first(value))
  }

  #first(value: T): T {
    const address = this.#addressOf(value)
    const known = this.#known.get(address)
    if (known === undefined) {
      if (this.#known.size < maxAddresses) this.#known.set(address, [value])
      return value
    }
    const same = known.find((other) => this.#isSame(value, other))
    if (same !== undefined) return same
    if (known.length < this.#maxVariants) known.push(value)
    return value
  }
}
