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

/** A page to search for a link; its body may be cut. */
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

/** A robots.txt file, and the page that it may block. */
const Robots = Schema.Struct({ body: Base64, url: Schema.String })
export type Robots = typeof Robots.Type

/** A separate process reads other servers' files, so a hostile file harms only that process. */
export const Question = Schema.Union(Page, Robots)

/** The result of reading a page: the link to the site, else why its absence proves nothing, else the target of an immediate refresh. */
const Found = Schema.Struct({
  doubt: Schema.NullOr(Schema.String),
  link: Schema.NullOr(Schema.Struct({ anchor: Schema.String, rel: Schema.Array(Rel), target: Schema.String })),
  next: Schema.NullOr(Schema.String)
})
export type Found = typeof Found.Type

/** Whether a robots.txt file allows the page, and its seconds between requests. */
const Rules = Schema.Struct({ allowed: Schema.Boolean, crawlDelay: Schema.NullOr(Schema.Number) })
export type Rules = typeof Rules.Type

export const Answer = Schema.Union(Found, Rules)

/** A document with fewer words is a shell for scripts. */
const shellWords = 15

const marks = ["nofollow", "ugc", "sponsored"] as const

/** The link to the site: to the known target, else the first one. */
const linkIn = ({ links }: PageFacts, site: string, target: string | null): Found["link"] => {
  const found = links.flatMap(({ kind, rel, target, text }) =>
    (kind === "a" || kind === "area") && target.followable && isOwn(site, new URL(target.url).host)
      ? [{ anchor: text, rel: marks.filter((mark) => rel.includes(mark)), target: target.url }]
      : []
  )
  return found.find((link) => link.target === target) ?? found[0] ?? null
}

/** Why a missing link proves nothing; null when it does prove something. */
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
