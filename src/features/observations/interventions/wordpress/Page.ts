import * as Effect from "effect/Effect"
import { isRedirect } from "../../../../crawl/fetch/Answer.ts"
import { CrawlerUrl, userAgent } from "../../../../crawl/fetch/UserAgent.ts"
import { contentType } from "../../../../crawl/page/ContentType.ts"
import { headerOf, headerReference } from "../../../../crawl/page/HeaderFacts.ts"
import type { PageFacts } from "../../../../crawl/page/PageFacts.ts"
import { readPage } from "../../../../crawl/visit/ReadPage.ts"
import { Outbound } from "../../../../foundation/outbound/Outbound.ts"
import { bareHost } from "../../../../foundation/schema/WebAddress.ts"

const bytesAtMost = 4_194_304
const hopsAtMost = 3

/** Typography that WordPress puts in place of plain characters (`wptexturize`), and blanks, count as what was written. */
const folded = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(/[‘’‚‛′`]/g, "'")
    .replace(/[“”„‟″]|''/g, '"')
    .replace(/[–—]|-{2,3}/g, "-")
    .replace(/×/g, "x")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase()

/** What a page says where titles and descriptions are said. */
const saidBy = ({ canonicals, headings, metas, title }: PageFacts): ReadonlyArray<string> => [
  title ?? "",
  ...metas.map(({ content }) => content ?? ""),
  ...headings.map(({ text }) => text),
  ...canonicals.map(({ raw, url }) => url ?? raw)
]

/** Why the public page does not show all of these values; undefined when it does. It is asked for without credentials. */
export const lacks = (link: string, values: ReadonlyArray<string>) => {
  const visit = (url: URL, hops: number): Effect.Effect<string | undefined, never, Outbound> =>
    Effect.gen(function* () {
      const outbound = yield* Outbound
      const agent = yield* Effect.orDie(CrawlerUrl)
      const answer = yield* outbound
        .exchange({
          deadline: "20 seconds",
          decode: true,
          headers: { accept: "text/html,application/xhtml+xml", "user-agent": userAgent(agent) },
          keepBytes: bytesAtMost,
          maxBytes: bytesAtMost,
          method: "GET",
          url
        })
        .pipe(Effect.either)
      if (answer._tag === "Left") return `the page could not be read: ${answer.left.message}`
      const { body, headers, status } = answer.right
      const location = headerOf(headers, "location")
      const next = isRedirect(status) && location !== null ? URL.parse(headerReference(location), url.href) : null
      if (next !== null) {
        return hops < hopsAtMost && bareHost(next.host) === bareHost(url.host)
          ? yield* visit(next, hops + 1)
          : "the page leads elsewhere"
      }
      if (status !== 200) return `the page answers ${status}`
      if (!contentType(headers, body).isHtml) return "the page is no HTML"
      const said = saidBy(yield* readPage(url, headers, body)).map(folded)
      const missing = values.find((value) => !said.some((text) => text.includes(folded(value))))
      return missing === undefined
        ? undefined
        : `the page does not show "${missing.slice(0, 100)}" in title, metas and headings`
    })
  return visit(new URL(link), 0)
}
