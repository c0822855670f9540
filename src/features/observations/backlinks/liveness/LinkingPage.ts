import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { PageFacts } from "../../../../crawl/page/PageFacts.ts"
import { resolve } from "../../../../crawl/site/Site.ts"
import { readPage } from "../../../../crawl/visit/ReadPage.ts"
import { Base64 } from "../../../../foundation/process/Questions.ts"
import { Rel } from "../Domain.ts"
import { isOwn } from "../files/Cells.ts"

/** A page that was answered whole or in part, and whose link is looked for. */
export const Question = Schema.Struct({
  body: Base64,
  headers: Schema.Array(Schema.Tuple(Schema.String, Schema.String)),
  isCut: Schema.Boolean.annotations({ description: "Whether the page has more than `body`" }),
  site: Schema.String.annotations({ description: "Host of the site" }),
  target: Schema.NullOr(Schema.String).annotations({
    description: "Page of the site that the link is known to lead to"
  }),
  url: Schema.String
})
export type Question = typeof Question.Type

/** What it says: the link to the site, else why its absence proves nothing, else where the page refreshes to at once. */
export const Answer = Schema.Struct({
  doubt: Schema.NullOr(Schema.String),
  link: Schema.NullOr(Schema.Struct({ anchor: Schema.String, rel: Schema.Array(Rel), target: Schema.String })),
  next: Schema.NullOr(Schema.String)
})
export type Answer = typeof Answer.Type

/** A document that scripts are to fill: next to no text of its own. */
const shellWords = 15

const marks = ["nofollow", "ugc", "sponsored"] as const

/** The link to the site: to the target that is known, else the first one. */
const linkIn = ({ links }: PageFacts, site: string, target: string | null): Answer["link"] => {
  const found = links.flatMap(({ kind, rel, target, text }) =>
    (kind === "a" || kind === "area") && target.followable && isOwn(site, new URL(target.url).host)
      ? [{ anchor: text, rel: marks.filter((mark) => rel.includes(mark)), target: target.url }]
      : []
  )
  return found.find((link) => link.target === target) ?? found[0] ?? null
}

/** Why the absence of a link on a page proves nothing; null when it does. */
const doubtOf = (facts: PageFacts, isCut: boolean): string | null => {
  if (isCut || !facts.parsedWholly || facts.linkCount > facts.links.length) return "too_large"
  const isShell =
    facts.scripts > 0 && (facts.text.words < shellWords || (facts.asksForScripts && facts.links.length === 0))
  return isShell ? "needs_javascript" : null
}

/** Reads the page. */
export const read = ({ body, headers, isCut, site, target, url }: Question): Effect.Effect<Answer> =>
  Effect.map(readPage(new URL(url), headers, body), (facts) => {
    const { refresh } = facts
    const next =
      refresh !== null && refresh.url !== null && refresh.delay === 0 ? resolve(refresh.url, new URL(url)) : null
    return { doubt: doubtOf(facts, isCut), link: linkIn(facts, site, target), next: next?.href ?? null }
  })
