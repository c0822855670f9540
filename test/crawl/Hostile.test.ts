import { describe, expect, spyOn } from "bun:test"
import * as Effect from "effect/Effect"
import { it } from "../harness.ts"
import { report } from "./site/Crawled.ts"
import { memoryOutbound } from "./site/MemoryOutbound.ts"

/** Rules with stars that match nothing until their last letter, 480 KiB of them. */
const rules = `User-agent: *\n${Array.from({ length: 24_000 }, (_, at) => `Disallow: /*a*${at.toString(36)}z`).join("\n")}`
const long = (at: number) => `https://hostile.example/${"a".repeat(1_900)}${at}`
const sitemap = `<urlset>${Array.from({ length: 5_000 }, (_, at) => `<url><loc>${long(at)}</loc></url>`).join("")}</urlset>`

const site = memoryOutbound((url) => {
  if (url.pathname === "/robots.txt") return { body: rules, headers: { "content-type": "text/plain" } }
  if (url.pathname === "/sitemap.xml") return { body: sitemap, headers: { "content-type": "application/xml" } }
  return { body: "<title>t</title><h1>h</h1><p>words</p>" }
})

describe("a site with 24,000 rules of stars and a sitemap of long addresses", () => {
  it("costs little more than what is asked of it", function* () {
    const searches = spyOn(String.prototype, "indexOf")
    const { pages, summary } = yield* Effect.provide(report("https://hostile.example/", { maxPages: 5 }), site)
    const compared = searches.mock.calls.filter(([literal]) => literal === "a").length
    searches.mockRestore()
    expect(pages.filter(({ fetch_state }) => fetch_state === "fetched")).toHaveLength(5)
    expect(summary.termination).toBe("max-pages")
    // Each of the 2,000 known addresses compared with each rule would be 48 million searches, and more than half a minute.
    expect(compared).toBeGreaterThan(24_000)
    expect(compared).toBeLessThan(500_000)
  })
})
