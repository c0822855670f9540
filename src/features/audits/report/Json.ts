import * as Predicate from "effect/Predicate"

/** Steps from a JSON value to one inside it. */
export type JsonPath = ReadonlyArray<string | number>

/** The value at a path of parsed JSON, or undefined; inherited properties such as `constructor` are never found. */
export const at = (value: unknown, ...path: JsonPath): unknown => {
  let current = value
  for (const step of path) {
    if (!Predicate.isObject(current)) return undefined
    current = Object.getOwnPropertyDescriptor(current, step)?.value
  }
  return current
}

/** A finite number, or null. */
export const finite = (value: unknown): number | null =>
  Predicate.isNumber(value) && Number.isFinite(value) ? value : null

/** A finite number of at least 0, or null: a duration, a size or a shift that was measured. */
export const measured = (value: unknown): number | null => {
  const number = finite(value)
  return number !== null && number >= 0 ? number : null
}

/** A string, or null. */
export const text = (value: unknown): string | null => (Predicate.isString(value) ? value : null)

/** The elements of an array, or none. */
export const elements = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Whether a value is a JSON object (not null, not an array). */
export const isJsonObject = (value: unknown): value is Record<string, unknown> => Predicate.isRecord(value)

/** The members of a JSON object, or none. */
export const members = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  isJsonObject(value) ? Object.entries(value) : []

const maxVisited = 20_000

/** Every object inside a value, outermost first and in document order, at most 20,000 of them; never recurses. */
export const objectsWithin = function* (value: unknown): Generator<Record<string, unknown>> {
  const pending: Array<unknown> = [value]
  for (let visited = 0; pending.length > 0 && visited < maxVisited; visited++) {
    const current = pending.pop()
    if (isJsonObject(current)) yield current
    const inner = Array.isArray(current) ? current : isJsonObject(current) ? Object.values(current) : []
    for (const child of inner.slice(0, maxVisited).reverse()) if (Predicate.isObject(child)) pending.push(child)
  }
}
