/** Fixed names in examples for values that differ in each run: ids, URLs, secrets. */
export class Names {
  private readonly real = new Map<string, string>()

  constructor(addresses: ReadonlyArray<readonly [string, string]>) {
    for (const [example, real] of addresses) this.learn(example, real)
  }

  /** The value of an example's name in this run. */
  learn(example: string, real: string): void {
    this.real.set(example, real)
  }

  /** Replaces the names of an example by the values of this run. */
  toReal(text: string): string {
    return this.replaced(text, [...this.real])
  }

  /** Replaces the values of this run by the names of the examples. */
  toExample(text: string): string {
    const plain = this.replaced(
      text,
      [...this.real].map(([example, real]) => [real, example] as const)
    )
    return plain
      .replace(/whsec_[A-Za-z0-9+/]{43}=/g, "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
      .replace(/fnd_(live|test)_[\w-]{32}/g, (_, mode: string) => `fnd_${mode}_${"0".repeat(32)}`)
  }

  /** The longest first, because an origin contains its host. */
  private replaced(text: string, pairs: ReadonlyArray<readonly [string, string]>): string {
    return pairs.toSorted(([a], [b]) => b.length - a.length).reduce((all, [from, to]) => all.replaceAll(from, to), text)
  }
}

const longestText = 300
const longestList = { objects: 2, others: 10 } as const

/** A response in an example: lists of things have two entries, texts 300 characters. */
export const cut = (value: unknown): unknown => {
  if (typeof value === "string") return value.length > longestText ? `${value.slice(0, longestText)}…` : value
  if (Array.isArray(value)) {
    const most = typeof value[0] === "object" ? longestList.objects : longestList.others
    return value.slice(0, most).map(cut)
  }
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cut(item)]))
    : value
}
