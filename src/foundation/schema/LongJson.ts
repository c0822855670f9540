import { each, type Steps } from "./Steps.ts"

const encoder = new TextEncoder()

/** How many characters are encoded at the cost of reading one. */
const encodedAtOnce = 8

/**
 * The JSON in UTF-8 of an object that ends with a long list, in steps. `worth` is the cost of making the text of an item, in characters; the object has other
 * fields.
 */
export function* withList<A>(
  object: object,
  name: string,
  items: Iterable<A>,
  worth: number,
  textOf: (item: A) => string
): Steps<Uint8Array> {
  const parts = [encoder.encode(`${JSON.stringify(object).slice(0, -1)},${JSON.stringify(name)}:[`)]
  yield* each(items, (item) => {
    const part = encoder.encode(`${parts.length === 1 ? "" : ","}${textOf(item)}`)
    parts.push(part)
    return worth + part.length / encodedAtOnce
  })
  parts.push(encoder.encode("]}"))
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  yield* each(parts, (part) => {
    bytes.set(part, at)
    at += part.length
    return part.length / encodedAtOnce
  })
  return bytes
}
