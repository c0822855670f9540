import { html } from "parse5"
import { each, type Steps } from "../../foundation/schema/Steps.ts"
import { wordHash } from "./Fingerprint.ts"
import type { Outline } from "./Outline.ts"

/** Parts of one page that are kept; of a page with more nothing is known to be missing. */
const maxParts = 4000
/** Cost of looking at an element, in characters. */
const worthOfLook = 2

/** Hashes of the names by which links reach parts of a page: every `id`, and the `name` of an `a` (HTML standard §7.4.6.4, find a potential indicated element). */
export function* fragmentHashes({ elements }: Outline): Steps<Int32Array | null> {
  const found = new Set<number>()
  yield* each(elements, ({ element, name, namespace }) => {
    const id = element.getAttribute("id") ?? ""
    const old = name === "a" && namespace === html.NS.HTML ? (element.getAttribute("name") ?? "") : ""
    if (found.size > maxParts) return 1
    if (id !== "") found.add(wordHash(id))
    if (old !== "") found.add(wordHash(old))
    return worthOfLook + id.length + old.length
  })
  return found.size > maxParts ? null : Int32Array.from(found)
}

const decoder = new TextDecoder()

/** The text of a fragment: its escapes as UTF-8. */
const decoded = (fragment: string): string =>
  fragment.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
    decoder.decode(Uint8Array.from(run.slice(1).split("%"), (hex) => Number.parseInt(hex, 16)))
  )

/** Whether a fragment names a part of the page with these hashes, as it is written or with its escapes undone (HTML standard §7.4.6.4). */
export const hasFragment = (hashes: Int32Array, fragment: string): boolean =>
  hashes.includes(wordHash(fragment)) || (fragment.includes("%") && hashes.includes(wordHash(decoded(fragment))))
