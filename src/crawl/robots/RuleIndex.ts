/** What the index needs to know of a rule. */
interface Indexed {
  /** What every matching path begins with: the pattern up to its first `*`, or all of it. */
  readonly prefix: string
  readonly matches: (path: string) => boolean
}

/**
 * Rules by their literal prefix: a path is compared only with the rules whose prefix it has, found by one look-up for each length that prefixes have.
 * Without it a large robots.txt costs a walk over all its rules for every URL.
 */
export class RuleIndex<A extends Indexed> {
  readonly #buckets = new Map<string, Array<{ readonly place: number; readonly rule: A }>>()
  readonly #lengths: ReadonlyArray<number>

  /** The rules in their order: the first that matches decides. */
  constructor(rules: ReadonlyArray<A>) {
    rules.forEach((rule, place) => {
      const bucket = this.#buckets.get(rule.prefix)
      if (bucket === undefined) this.#buckets.set(rule.prefix, [{ place, rule }])
      else bucket.push({ place, rule })
    })
    this.#lengths = [...new Set(Array.from(this.#buckets.keys(), (prefix) => prefix.length))]
  }

  #candidates(path: string) {
    return this.#lengths.flatMap((length) => {
      const bucket = length > path.length ? undefined : this.#buckets.get(path.slice(0, length))
      return bucket === undefined ? [] : [bucket]
    })
  }

  /** The first rule that matches the path. */
  first(path: string): A | undefined {
    let best: { readonly place: number; readonly rule: A } | undefined
    for (const bucket of this.#candidates(path)) {
      const found = bucket.find(({ place, rule }) => (best !== undefined && place > best.place) || rule.matches(path))
      if (found !== undefined && (best === undefined || found.place < best.place)) best = found
    }
    return best?.rule
  }

  /** What finding it costs at most: characters of the path times the rules that are compared with it. */
  cost(path: string): number {
    return path.length * this.#candidates(path).reduce((sum, bucket) => sum + bucket.length, 0)
  }
}
