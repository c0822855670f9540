import * as Either from "effect/Either"
import { html } from "parse5"
import { jsonError } from "./JsonSyntax.ts"
import { keep, strip } from "./Keep.ts"
import type { Outline, Placed } from "./Outline.ts"
import { childText } from "./Walk.ts"

const maxBlocks = 100
const maxTypes = 100

/** One `script[type="application/ld+json"]`. */
export interface StructuredDataBlock {
  readonly ok: boolean
  /** What is wrong and where (0-based offset into the block's text, 1-based line), null when ok. */
  readonly error: { readonly message: string; readonly offset: number; readonly line: number } | null
  /** Distinct `@type` names found anywhere in it, in order of appearance. */
  readonly types: ReadonlyArray<string>
  /** Whether a `@context` was found. */
  readonly hasContext: boolean
  readonly inHead: boolean
}

const parsed = (text: string) => Either.try((): unknown => JSON.parse(text))

const asList = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value])

/** The `@type` names of a parsed document in order; the values wait on a list, since they may be nested without end. */
const survey = (document: unknown): Pick<StructuredDataBlock, "types" | "hasContext"> => {
  const types = new Set<string>()
  let hasContext = false
  const waiting = [document]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== "object" || value === null) continue
    const members: ReadonlyArray<readonly [string, unknown]> = Array.isArray(value)
      ? value.map((item) => ["", item] as const)
      : Object.entries(value)
    for (const [key, member] of members) {
      if (key === "@context") hasContext = true
      if (key !== "@type") continue
      for (const type of asList(member))
        if (typeof type === "string" && types.size < maxTypes) types.add(keep(type, 100))
    }
    for (const [, member] of members.toReversed()) waiting.push(member)
  }
  return { types: [...types], hasContext }
}

const block = ({ element, inHead }: Placed): StructuredDataBlock => {
  const text = childText(element)
  const document = parsed(text)
  if (Either.isRight(document)) return { ok: true, error: null, ...survey(document.right), inHead }
  const { expected, offset } = jsonError(text) ?? { expected: "less nesting", offset: 0 }
  const found = offset < text.length ? JSON.stringify(keep(text.slice(offset, offset + 20), 20)) : "the end"
  const line = text.slice(0, offset).split("\n").length
  const error = { message: `expected ${expected}, found ${found}`, offset, line }
  return { ok: false, error, types: [], hasContext: false, inHead }
}

const isJsonLd = ({ element, name, namespace }: Placed): boolean =>
  name === "script" &&
  namespace === html.NS.HTML &&
  strip(element.getAttribute("type") ?? "")
    .split(";", 1)[0]
    ?.trim()
    .toLowerCase() === "application/ld+json"

/** The JSON-LD blocks of the document. */
export const structuredData = ({ elements }: Outline): ReadonlyArray<StructuredDataBlock> =>
  elements.filter(isJsonLd).slice(0, maxBlocks).map(block)

/** The distinct `itemtype` names of its microdata, in order. */
export const microdataTypes = ({ elements }: Outline): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const { element } of elements) {
    const types = element.getAttribute("itemtype")?.split(/[\t\n\f\r ]+/, maxTypes) ?? []
    for (const type of types) if (type !== "" && found.size < maxTypes) found.add(keep(type, 200))
  }
  return [...found]
}
