import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { catalogue, crawl, Guarded, Outbound, perPage } from "findable/crawl"

// Checks a staging site before it goes live, in Node.js: own check, own name, own limits, and a client that counts its requests.

const brand = perPage(
  {
    id: "shop_brand_missing",
    category: "content",
    severity: "warning",
    means: "The title does not name the shop.",
    fix: "End each title with the shop's name.",
    source: "House style of the shop"
  },
  ({ visit }) => (visit.facts.title?.endsWith("– Shop") ? null : `the title is "${visit.facts.title}"`)
)

let requests = 0

/** The protected client behind a counter; anything else that answers requests can take its place. */
const counting = Layer.effect(
  Outbound,
  Effect.map(Outbound, ({ exchange, vet }) => ({
    exchange: (request) =>
      Effect.suspend(() => {
        requests++
        return exchange(request)
      }),
    vet
  }))
).pipe(Layer.provide(Guarded.layer))

const program = Effect.gen(function* () {
  const [start = "", login = ""] = process.argv.slice(2)
  const events = crawl(new URL(start), {
    checkDeadLinks: true,
    deadline: "10 minutes",
    headers: { authorization: `Basic ${btoa(login)}` },
    maxPages: 5000,
    perHost: 12,
    productToken: "ShopBot",
    rules: [...catalogue, brand],
    userAgent: "ShopBot/1.0 (+https://shop.example/bot)"
  })
  yield* Stream.runForEach(events, (event) =>
    Effect.sync(() => {
      if (event._tag !== "Finished") return
      const { findings, pages, summary } = event.report
      const own = findings.find(({ rule }) => rule === brand.id)
      console.log(JSON.stringify({ failing: own?.pages, pages: pages.length, requests, summary: summary.termination }))
    })
  )
})

await Effect.runPromise(Effect.provide(program, counting))
