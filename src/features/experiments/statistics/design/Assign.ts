import { sha256 } from "../../../../foundation/http/Digest.ts"
import { mapped, type Steps, sorted } from "../../../../foundation/schema/Steps.ts"

/** A page and its clicks over the pre window. */
export interface Candidate {
  readonly path: string
  readonly clicks: number
}

/** Paths of both arms, the most clicked first. */
export interface Arms {
  readonly treatment: ReadonlyArray<string>
  readonly control: ReadonlyArray<string>
}

/** Order by code points, which for characters beyond U+FFFF is not that of JavaScript's code units. */
export const byCodePoint = (a: string, b: string): number => {
  let at = 0
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at++
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1)
}

/** Cost of placing or of hashing a page, in characters. */
const worth = 20

/**
 * Deals pages out to the arms: those with a click, by clicks falling and then by path in code-point order, in consecutive pairs; of each pair the path with the
 * smaller SHA-256 of seed, line feed and path is treated. An odd last page is control. The same pages and seed give the same arms on every machine.
 */
export const assigning = function* (pages: ReadonlyArray<Candidate>, seed: string): Steps<Arms> {
  const ranked = yield* sorted(
    pages.filter(({ clicks }) => clicks >= 1),
    worth,
    (a, b) => b.clicks - a.clicks || byCodePoint(a.path, b.path)
  )
  const hashed = yield* mapped(ranked, worth, ({ path }) => ({ path, hash: sha256(`${seed}\n${path}`) }))
  const treatment: Array<string> = []
  const control: Array<string> = []
  for (let at = 0; at < hashed.length; at += 2) {
    const [first, second] = [hashed[at], hashed[at + 1]]
    if (first === undefined) break
    const isFirst = second !== undefined && first.hash.compare(second.hash) < 0
    if (second === undefined) control.push(first.path)
    else if (isFirst) {
      treatment.push(first.path)
      control.push(second.path)
    } else {
      treatment.push(second.path)
      control.push(first.path)
    }
  }
  return { treatment, control }
}
