import * as Either from "effect/Either"
import { html } from "parse5"
import { each, type Steps } from "../../foundation/schema/Steps.ts"
import { JsonLdNodes } from "./JsonLdNodes.ts"
import { jsonError } from "./JsonSyntax.ts"
import type { Outline, Placed } from "./Outline.ts"
import { dataFaults } from "./RequiredData.ts"
import { keep, strip } from "./Strings.ts"
import { childText } from "./Walk.ts"

const maxBlocks = 100
const maxTypes = 100
/** What a character to parse and a value to look into are worth. */
const worthOfCharacter = 4
const worthOfValue = 16

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
function* survey(document: unknown): Steps<Pick<StructuredDataBlock, "types" | "hasContext">> {
  const types = new Set<string>()
  let hasContext = false
  const waiting = [document]
  let looked = 0
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (++looked % 1024 === 0) yield 1024 * worthOfValue
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

/** Only of schema.org's vocabulary is it known what is required. */
const vocabulary = "schema.org"

function* block({ element, inHead }: Placed, nodes: JsonLdNodes): Steps<StructuredDataBlock> {
  const text = childText(element)
  const document = parsed(text)
  yield text.length * worthOfCharacter
  if (Either.isRight(document) && text.includes(vocabulary)) yield* nodes.add(document.right)
  if (Either.isRight(document)) return { ok: true, error: null, ...(yield* survey(document.right)), inHead }
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

/** The JSON-LD blocks of the document, and what they lack together. */
export function* structuredData({ elements }: Outline) {
  const found: Array<StructuredDataBlock> = []
  const nodes = new JsonLdNodes()
  for (const placed of elements.filter(isJsonLd).slice(0, maxBlocks)) found.push(yield* block(placed, nodes))
  return { structuredData: found, dataFaults: yield* dataFaults(nodes) }
}

/** The distinct `itemtype` names of its microdata, in order. */
export function* microdataTypes({ elements }: Outline): Steps<ReadonlyArray<string>> {
  const found = new Set<string>()
  yield* each(elements, ({ element }) => {
    const types = element.getAttribute("itemtype")?.split(/[\t\n\f\r ]+/, maxTypes) ?? []
    for (const type of types) if (type !== "" && found.size < maxTypes) found.add(keep(type, 200))
    return 1 + types.length * worthOfValue
  })
  return [...found]
}
