/** Platform adapter: the program of the process that reads public pages, found by the place of this one. */
import * as Effect from "effect/Effect"
import { isRedirect } from "../../../../crawl/fetch/Answer.ts"
import { CrawlerUrl, userAgent } from "../../../../crawl/fetch/UserAgent.ts"
import { contentType } from "../../../../crawl/page/ContentType.ts"
import { headerOf, headerReference } from "../../../../crawl/page/HeaderFacts.ts"
import { Outbound } from "../../../../foundation/outbound/Outbound.ts"
import * as Child from "../../../../foundation/process/Child.ts"
import * as Questions from "../../../../foundation/process/Questions.ts"
import { bareHost } from "../../../../foundation/schema/WebAddress.ts"
import { shortLived } from "../../../../foundation/terminal/ShortLived.ts"
import * as Shown from "./Shown.ts"

const bytesAtMost = 4_194_304
const hopsAtMost = 3

const script = new URL("child/main.ts", import.meta.url)

/** Bytes that reading a page may take: three times as much as the costliest pages. */
const memory = 512 * 2 ** 20

/** Reads a page in a process of its own: a hostile one costs that process alone. */
const read = Effect.fnUntraced(function* (page: typeof Shown.Question.Type) {
  const environment = { ...shortLived, ...(yield* Child.inherited([])) }
  const ask = yield* Questions.make(
    { answer: Shown.Answer, question: Shown.Question },
    { deadline: "5 minutes", environment, memory, script }
  )
  return yield* ask(page)
}, Effect.scoped)

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
      const shown = yield* Effect.option(read({ body, headers, url: url.href, values }))
      if (shown._tag === "None") return "the page is too large to read"
      const { missing } = shown.value
      return missing === null
        ? undefined
        : `the page does not show "${missing.slice(0, 100)}" in title, metas and headings`
    })
  return visit(new URL(link), 0)
}
