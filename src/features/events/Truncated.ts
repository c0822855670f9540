/** JSON values. */
type Json = unknown

interface Cuts {
  /** Elements that a list keeps. */
  readonly list: number
  /** Characters that a text keeps. */
  readonly text: number
}

const isObject = (value: Json): value is Readonly<Record<string, Json>> => typeof value === "object" && value !== null

/** Cuts lists and texts; the nearest object around one that was cut, however deep in lists, is marked. */
const cut = (value: Json, cuts: Cuts, mark: () => void): Json => {
  if (typeof value === "string") {
    if (value.length <= cuts.text) return value
    mark()
    return value.slice(0, cuts.text)
  }
  if (Array.isArray(value)) {
    if (value.length > cuts.list) mark()
    return value.slice(0, cuts.list).map((element) => cut(element, cuts, mark))
  }
  if (!isObject(value)) return value
  let truncated = false
  const markThis = () => {
    truncated = true
  }
  const entries = Object.entries(value).map(([name, member]) => [name, cut(member, cuts, markThis)])
  return { ...Object.fromEntries(entries), ...(truncated ? { truncated } : {}) }
}

/** The largest number from 0 to `most` that fits; what fits with more fits with less. */
const largest = (most: number, fits: (tried: number) => boolean): number => {
  let [low, high] = [0, most]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}

const longest = 1_000_000

/**
 * Makes data fit: its lists are cut, all at the same length, and only when that is not enough its texts too. What was cut is marked by
 * `truncated: true` beside it; data that cannot be made to fit at all is `{"truncated": true}`.
 */
export const truncated = (data: Json, fits: (data: Json) => boolean): Json => {
  const made = (cuts: Cuts) => cut(data, cuts, () => {})
  const list = largest(longest, (list) => fits(made({ list, text: longest })))
  const lists = made({ list, text: longest })
  if (fits(lists)) return lists
  const text = largest(longest, (text) => fits(made({ list: 0, text })))
  const texts = made({ list: 0, text })
  return fits(texts) ? texts : { truncated: true }
}
