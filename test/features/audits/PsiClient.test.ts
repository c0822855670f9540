import { describe, expect } from "bun:test"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layer, PageSpeedInsights } from "../../../src/features/audits/Auditor.ts"
import { Outbound } from "../../../src/foundation/outbound/Outbound.ts"
import { client } from "../../foundation/outbound/client.ts"
import { it } from "../../harness.ts"
import { type Answer, google } from "./google.ts"
import { report } from "./reports.ts"

const page = new URL("https://shop.example/page?a=1&b=2")

const run = (url: string, more: Record<string, string> = {}) => {
  const settings = new Map(Object.entries({ FINDABLE_PSI_KEY: "AIza-secret", FINDABLE_PSI_URL: url, ...more }))
  return Effect.flatMap(PageSpeedInsights, (psi) => psi.run(page, "desktop")).pipe(
    Effect.provide(
      layer.pipe(
        Layer.provide(Layer.succeed(Outbound, client())),
        Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(settings))),
        Layer.orDie
      )
    )
  )
}

const answered = (answer: Answer) => Effect.flatMap(google(answer), ({ url }) => run(url))

describe("PageSpeed Insights client", () => {
  it("asks for the four categories, the device and the page, with the key", function* () {
    const { asked, url } = yield* google({ status: 200, body: { lighthouseResult: report() } })
    const { report: read } = yield* run(url)
    expect(read.url).toBe("https://shop.example/page")
    const query = asked[0]?.searchParams
    expect(asked[0]?.pathname).toBe("/psi")
    expect(query?.get("url")).toBe(page.href)
    expect(query?.get("strategy")).toBe("desktop")
    expect(query?.getAll("category").sort()).toEqual(["accessibility", "best-practices", "performance", "seo"])
    expect(query?.get("key")).toBe("AIza-secret")
  })

  it("reports a page that Lighthouse could not load as what it is", function* () {
    const message = "Lighthouse returned error: DNS_FAILURE. The host could not be resolved."
    const error = yield* Effect.flip(answered({ status: 400, body: { error: { code: 400, message } } }))
    expect(error.failure).toMatchObject({ code: "dns_failure", lighthouse_code: "DNS_FAILURE" })
  })

  const refusals = [
    [429, "quota is used up"],
    [400, "refused the request"],
    [403, "refused the key"],
    [500, "status 500"]
  ] as const
  for (const [status, words] of refusals)
    it(`says in a sentence what an answer of ${status} means`, function* () {
      const error = yield* Effect.flip(answered({ status, body: { error: { message: "AIza-secret" } } }))
      expect(error.failure.code).toBe("source_unavailable")
      expect(error.message).toContain(words)
      expect(error.message).not.toContain("secret")
    })

  it("reads a report without the key, however it repeats it", function* () {
    const requestedUrl = "https://shop.example/?key=AIza%2Dsecret"
    const read = yield* answered({ status: 200, body: { lighthouseResult: { ...report(), requestedUrl } } })
    expect(read.report.url).toBe("https://shop.example/?key=[key]")
  })

  it("never repeats the key when the connection fails", function* () {
    const { url } = yield* google("silence")
    const error = yield* Effect.flip(run(url, { FINDABLE_AUDIT_TIMEOUT: "50 millis" }))
    expect(error.message).toBe("PageSpeed Insights did not answer (timeout).")
  })

  it("names the field of an answer that is no report", function* () {
    const error = yield* Effect.flip(
      answered({ status: 200, body: { lighthouseResult: { lighthouseVersion: "13.5.0" } } })
    )
    expect(error.message).toBe("PageSpeed Insights: lighthouseResult: requestedUrl: must be an http or https URL")
  })
})
