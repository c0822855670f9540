import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { productToken } from "../../crawl/fetch/Headers.ts"
import type { PageFacts } from "../../crawl/page/Page.ts"
import { crawlDelay, selection } from "../../crawl/robots/Match.ts"
import { parse } from "../../crawl/robots/Parse.ts"
import { resolve } from "../../crawl/site/Site.ts"
import { readPage } from "../../crawl/visit/ReadAnswer.ts"
import { matcherOf } from "../../crawl/visit/RobotsCache.ts"
import { Base64 } from "../../foundation/process/Questions.ts"
import { isOwn } from "./BacklinkFile.ts"
import { Rel } from "./Domain.ts"

/** A page that was answered whole or in part, and whose link is looked for. */
const Page = Schema.Struct({
  body: Base64,
  headers: Schema.Array(Schema.Tuple(Schema.String, Schema.String)),
  isCut: Schema.Boolean.annotations({ description: "Whether the page has more than `body`" }),
  site: Schema.String.annotations({ description: "Host of the site" }),
  target: Schema.NullOr(Schema.String).annotations({
    description: "Page of the site that the link is known to lead to"
  }),
  url: Schema.String
})
export type Page = typeof Page.Type

/** A robots.txt file, and the page that it may keep us from. */
const Robots = Schema.Struct({ body: Base64, url: Schema.String })
export type Robots = typeof Robots.Type

/** Files of others' servers are read in a process of their own: a hostile one costs that process alone. */
export const Question = Schema.Union(Page, Robots)

/** What a page says: the link to the site, else why its absence proves nothing, else where the page refreshes to at once. */
const Found = Schema.Struct({
  doubt: Schema.NullOr(Schema.String),
  link: Schema.NullOr(Schema.Struct({ anchor: Schema.String, rel: Schema.Array(Rel), target: Schema.String })),
  next: Schema.NullOr(Schema.String)
})
export type Found = typeof Found.Type

/** What a robots.txt file says to us of the page, and the seconds that it wants between requests. */
const Rules = Schema.Struct({ allowed: Schema.Boolean, crawlDelay: Schema.NullOr(Schema.Number) })
export type Rules = typeof Rules.Type

export const Answer = Schema.Union(Found, Rules)

/** A document that scripts are to fill: next to no text of its own. */
const shellWords = 15

const marks = ["nofollow", "ugc", "sponsored"] as const

/** The link to the site: to the target that is known, else the first one. */
const linkIn = ({ links }: PageFacts, site: string, target: string | null): Found["link"] => {
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

export const readLink = ({ body, headers, isCut, site, target, url }: Page): Effect.Effect<Found> =>
  Effect.map(readPage(new URL(url), headers, body), (facts) => {
    const { refresh } = facts
    const next =
      refresh !== null && refresh.url !== null && refresh.delay === 0 ? resolve(refresh.url, new URL(url)) : null
    return { doubt: doubtOf(facts, isCut), link: linkIn(facts, site, target), next: next?.href ?? null }
  })

export const readRules = ({ body, url }: Robots): Effect.Effect<Rules> =>
  Effect.sync(() => {
    const robots = parse(body)
    const { allowed } = matcherOf(selection(robots, [productToken])).verdict(url)
    return { allowed, crawlDelay: crawlDelay(robots, productToken) }
  })

export const read = (question: typeof Question.Type): Effect.Effect<typeof Answer.Type> =>
  "headers" in question ? readLink(question) : readRules(question)
