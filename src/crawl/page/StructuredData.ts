import * as Either from "effect/Either"
import { html } from "parse5"
import { each, type Steps } from "../../foundation/schema/Steps.ts"
import type { PagePlace } from "../report/PagePlace.ts"
import { JsonLdNodes } from "./JsonLdNodes.ts"
import { jsonError } from "./JsonSyntax.ts"
import { markupOf } from "./MarkupOf.ts"
import type { Outline, Placed } from "./Outline.ts"
import { dataFaults } from "./RequiredData.ts"
import { keep, squeeze, strip } from "./Strings.ts"
import { childText } from "./Walk.ts"

const maxBlocks = 100
const maxTypes = 100
/** How deep lists of nothing are looked into. */
const maxLists = 8
/** What a character to parse and a value to look into are worth. */
const worthOfCharacter = 4
const worthOfValue = 16

/** One `script[type="application/ld+json"]`. */
export interface StructuredDataBlock {
  readonly ok: boolean
  /** What is wrong and where (0-based offset into the block's text, 1-based line), null when ok. */
  readonly error: {
    readonly message: string
    readonly offset: number
    readonly line: number
    /** The text around that place, blanks collapsed. */
    readonly excerpt: string
  } | null
  /** It describes nothing: no value, or none but `@context` and an empty `@graph`. */
  readonly isEmpty: boolean
  /** Distinct `@type` names found anywhere in it, in order of appearance. */
  readonly types: ReadonlyArray<string>
  /** Whether a `@context` was found. */
  readonly hasContext: boolean
  readonly inHead: boolean
  readonly place: PagePlace
  /** The element, of blocks that are broken, empty or without a type or context; null for others. */
  readonly markup: string | null
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

/** Characters before and behind the place of an error that are shown. */
const around = 40

/** Whether a document holds nothing that it could describe, as deep as lists of nothing are written. */
const isNothing = (value: unknown, depth = 0): boolean => {
  if (value === null) return true
  if (typeof value !== "object" || depth > maxLists) return false
  if (Array.isArray(value)) return value.every((item) => isNothing(item, depth + 1))
  return Object.entries(value).every(
    ([key, member]) => key === "@context" || (key === "@graph" && isNothing(member, depth + 1))
  )
}

/** Only of schema.org's vocabulary is it known what is required. */
const vocabulary = "schema.org"

function* block({ element, inHead, place }: Placed, nodes: JsonLdNodes): Steps<StructuredDataBlock> {
  const text = childText(element)
  const document = parsed(text)
  yield text.length * worthOfCharacter
  const empty = { ok: true, error: null, types: [], hasContext: false, isEmpty: true, inHead, place }
  if (strip(text) === "") return { ...empty, markup: markupOf(element) }
  if (Either.isRight(document)) {
    if (isNothing(document.right)) return { ...empty, markup: markupOf(element) }
    if (text.includes(vocabulary)) yield* nodes.add(document.right)
    const { hasContext, types } = yield* survey(document.right)
    const markup = hasContext && types.length > 0 ? null : markupOf(element)
    return { ok: true, error: null, types, hasContext, isEmpty: false, inHead, place, markup }
  }
  const { expected, offset } = jsonError(text) ?? { expected: "less nesting", offset: 0 }
  const found = offset < text.length ? JSON.stringify(keep(text.slice(offset, offset + 20), 20)) : "the end"
  const line = text.slice(0, offset).split("\n").length
  const excerpt = keep(squeeze(text.slice(Math.max(0, offset - around), offset + around)).trim(), 2 * around)
  const error = { message: `expected ${expected}, found ${found}`, offset, line, excerpt }
  return { ...empty, ok: false, error, isEmpty: false, markup: markupOf(element) }
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
