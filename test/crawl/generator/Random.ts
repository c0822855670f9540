/** A small seeded generator (sfc32): the same seed gives the same site on every machine. */
export class Random {
  private a = 0x9e3779b9
  private b = 0x243f6a88
  private c = 0xb7e15162
  private counter = 1

  constructor(readonly seed: string) {
    for (const char of seed) {
      this.a = Math.imul(this.a ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0
      this.b = Math.imul(this.b + this.a, 0x85ebca6b) >>> 0
    }
    for (let round = 0; round < 12; round++) this.next()
  }

  /** 32 random bits. */
  next(): number {
    const sum = (this.a + this.b + this.counter) >>> 0
    this.counter = (this.counter + 1) >>> 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) >>> 0
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) >>> 0
    return sum
  }

  /** An integer from `low` to `high`, both included. */
  int(low: number, high: number): number {
    return low + (this.next() % (high - low + 1))
  }

  chance(percent: number): boolean {
    return this.int(1, 100) <= percent
  }

  pick<const T>(items: readonly [T, ...ReadonlyArray<T>]): T {
    return items[this.int(0, items.length - 1)] ?? items[0]
  }

  /** An item of a list that may be empty. */
  some<T>(items: ReadonlyArray<T>): T | undefined {
    return items[this.int(0, Math.max(0, items.length - 1))]
  }

  /** A separate generator, so that draws of one part move no draws of another. */
  fork(label: string): Random {
    return new Random(`${this.seed}/${label}`)
  }
}
