import { describe, expect } from "bun:test"
import { createVerify } from "node:crypto"
import * as Chunk from "effect/Chunk"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Credentials from "../../../../src/features/rankings/searchconsole/Credentials.ts"
import * as SearchAnalyticsApi from "../../../../src/features/rankings/searchconsole/SearchAnalytics.ts"
import { type Grouping, SearchAnalytics } from "../../../../src/features/rankings/searchconsole/SearchAnalytics.ts"
import { AccessTokens } from "../../../../src/features/rankings/searchconsole/Tokens.ts"
import { it } from "../../../harness.ts"
import {
  authorizedUser,
  type FakeGoogle,
  problem,
  row,
  serve,
  serveTorn,
  serviceAccount,
  serviceAccountKey
} from "../searchConsole.ts"

const property = "sc-domain:example.com"
const day = "2026-10-01"
const page = "https://www.example.com/a"

/** One day through the real client, from its own server. */
const fetchDay = (
  google: FakeGoogle,
  credentials = authorizedUser,
  site = property,
  api = google.url,
  grouping: Grouping = "queries"
) =>
  Effect.gen(function* () {
    const tokens = yield* AccessTokens
    const analytics = yield* SearchAnalytics
    const source = yield* tokens.source(Either.getOrThrow(Credentials.parse(credentials(`${google.url}token`))))
    const batches = yield* Stream.runCollect(
      analytics.day({ property: site, host: "example.com", day, grouping, tokens: source })
    )
    return Chunk.toReadonlyArray(batches)
  }).pipe(
    Effect.provide(
      SearchAnalyticsApi.layer.pipe(
        Layer.provide(
          Layer.setConfigProvider(
            ConfigProvider.fromMap(
              new Map([
                ["FINDABLE_SEARCH_CONSOLE_URL", api],
                ["FINDABLE_SEARCH_CONSOLE_RETRY", "1 millis"]
              ])
            )
          )
        )
      )
    )
  )

const some = [row(day, "a", page, 10, 25), row(day, "b", page, 4, 4)]

const withData = Effect.tap(serve, (google) => Effect.sync(() => google.data.set(`${property} ${day}`, some)))

const failureOf = (google: FakeGoogle) => Effect.flip(fetchDay(google))

describe("a day of search analytics", () => {
  it("is requested as final web data by date, query and page", function* () {
    const google = yield* withData
    const [batch] = yield* fetchDay(google)
    expect(batch?.rows.map(({ impressions, page, query, sumTop }) => [query, page, impressions, sumTop])).toEqual([
      ["a", "/a", 10, 25],
      ["b", "/a", 4, 4]
    ])
    expect(google.seen[0]?.site).toBe(property)
    expect(google.seen[0]?.query).toEqual({
      startDate: day,
      endDate: day,
      dimensions: ["date", "query", "page"],
      type: "web",
      aggregationType: "byPage",
      dataState: "final",
      rowLimit: 25_000,
      startRow: 0
    })
  })

  it("is requested again while the response marks it incomplete, and is not used before it is final", function* () {
    const google = yield* withData
    const early = () => Response.json({ metadata: { first_incomplete_date: day }, rows: some })
    google.first.push(early)
    const [batch] = yield* fetchDay(google)
    expect(batch?.rows).toHaveLength(2)
    google.first.push(...Array.from({ length: 8 }, () => early))
    expect(yield* failureOf(google)).toMatchObject({
      kind: "unavailable",
      reason: "the numbers of 2026-10-01 are not final yet"
    })
  })

  it("is requested as totals of pages and of the property by country and device", function* () {
    const google = yield* serve
    const total = (...keys: ReadonlyArray<string>) => ({
      clicks: 1,
      ctr: 0.1,
      impressions: 10,
      keys: [day, ...keys],
      position: 2.5
    })
    google.data.set(`${property} ${day} pages`, [
      total(page, "deu", "MOBILE"),
      total("https://blog.example.com/a", "deu", "MOBILE")
    ])
    google.data.set(`${property} ${day} property`, [total("usa", "DESKTOP")])
    const fetch = (grouping: Grouping) => fetchDay(google, authorizedUser, property, google.url, grouping)
    const [pages] = yield* fetch("pages")
    expect(pages?.rows).toMatchObject([
      {
        country: "deu",
        device: "MOBILE",
        impressions: 10,
        page: "/a",
        query: null,
        sumTop: 25,
        table: { level: "pages" }
      }
    ])
    expect(pages?.dropped).toMatchObject({ anonymised: 0, otherHost: 1 })
    const [whole] = yield* fetch("property")
    expect(whole?.rows).toMatchObject([
      { country: "usa", device: "DESKTOP", page: null, query: null, table: { level: "property" } }
    ])
    expect(
      google.seen.map(({ query: { aggregationType, dimensions, startRow } }) => [
        aggregationType,
        startRow,
        ...dimensions
      ])
    ).toEqual([
      ["byPage", 0, "date", "page", "country", "device"],
      ["byPage", 25_000, "date", "page", "country", "device"],
      ["byProperty", 0, "date", "country", "device"],
      ["byProperty", 25_000, "date", "country", "device"]
    ])
  })

  it("is requested once more as queries and pages by country and device", function* () {
    const google = yield* serve
    const keys = [day, "a", page, "deu", "MOBILE"]
    google.data.set(`${property} ${day} segments`, [{ clicks: 1, impressions: 10, keys, position: 2.5 }])
    const [batch] = yield* fetchDay(google, authorizedUser, property, google.url, "segments")
    expect(batch?.rows).toMatchObject([
      { country: "deu", device: "MOBILE", impressions: 10, page: "/a", query: "a", table: { level: "queries" } }
    ])
    expect(google.seen[0]?.query).toMatchObject({
      aggregationType: "byPage",
      dimensions: ["date", "query", "page", "country", "device"]
    })
  })

  it("is requested with all slashes of a prefix property escaped", function* () {
    const google = yield* serve
    yield* fetchDay(google, authorizedUser, "https://www.example.com/shop/")
    expect(google.seen.map(({ site }) => site)).toEqual(["https://www.example.com/shop/"])
  })

  it("is read in pages of 25,000 rows until an empty one", function* () {
    const google = yield* serve
    const rows = Array.from({ length: 50_001 }, (_, index) => row(day, `q${index}`, page, 1, 1))
    google.data.set(`${property} ${day}`, rows)
    const batches = yield* fetchDay(google)
    expect(batches.map((batch) => batch.rows.length)).toEqual([25_000, 25_000, 1])
    expect(new Set(batches.flatMap((batch) => batch.rows.map(({ query }) => query))).size).toBe(50_001)
    expect(google.seen.map(({ query }) => query.startRow)).toEqual([0, 25_000, 50_000, 75_000])
  })

  it("is read further after a short page", function* () {
    const google = yield* withData
    google.accepted.add("token-1")
    google.first.push(() => Response.json({ rows: [row(day, "first", page, 1, 1)] }))
    google.data.set(`${property} ${day}`, [
      ...Array.from({ length: 25_000 }, () => ({})),
      row(day, "second", page, 1, 1)
    ])
    const batches = yield* fetchDay(google)
    expect(batches.flatMap((batch) => batch.rows.map(({ query }) => query))).toEqual(["first", "second"])
  })

  it("without data is a response without rows", function* () {
    const google = yield* serve
    expect(yield* fetchDay(google)).toEqual([])
    expect(google.seen).toHaveLength(1)
  })

  it("leaves out other hosts of a domain property", function* () {
    const google = yield* serve
    google.data.set(`${property} ${day}`, [...some, row(day, "c", "https://blog.example.com/a", 4, 4)])
    const [batch] = yield* fetchDay(google)
    expect(batch?.rows).toHaveLength(2)
    expect(batch?.dropped.otherHost).toBe(1)
  })

  for (const [name, reply] of [
    ["429", () => problem(429, "rateLimitExceeded", "Rate Limit Exceeded")],
    ["429 with Retry-After", () => problem(429, "rateLimitExceeded", "Rate Limit Exceeded", { "retry-after": "0" })],
    ["403 quotaExceeded", () => problem(403, "quotaExceeded", "Search Analytics load quota exceeded.")],
    ["403 rateLimitExceeded", () => problem(403, "rateLimitExceeded", "Rate Limit Exceeded")],
    ["500", () => problem(500, "backendError", "Internal error")],
    ["503 without JSON", () => new Response("<html>", { status: 503 })]
  ] as const) {
    it(`is requested again after ${name}`, function* () {
      const google = yield* withData
      google.first.push(reply, reply)
      const [batch] = yield* fetchDay(google)
      expect(batch?.rows).toHaveLength(2)
      expect(google.seen).toHaveLength(4)
    })
  }

  it("fails after eight refusals for quota", function* () {
    const google = yield* withData
    google.first.push(...Array.from({ length: 100 }, () => () => problem(403, "quotaExceeded", "Quota exceeded.")))
    expect(yield* failureOf(google)).toMatchObject({ kind: "quota", status: 403, reason: "Quota exceeded." })
    expect(google.seen).toHaveLength(8)
  })

  it("is requested again from its start after a truncated response, and fails in the end", function* () {
    const google = yield* serve
    const torn = yield* serveTorn
    const failed = yield* Effect.flip(fetchDay(google, authorizedUser, property, torn.url))
    expect(failed).toMatchObject({ kind: "unavailable" })
    expect(torn.asked).toBe(8)
  })

  it("shows no part of credentials and tokens in its error, even if Google repeats them", function* () {
    const google = yield* serve
    const { private_key } = JSON.parse(serviceAccount(""))
    const asServiceAccount = () => fetchDay(google, serviceAccount)
    const said = Effect.map(Effect.flip(asServiceAccount()), ({ message }) => message)
    const repeating = (text: () => string) =>
      google.firstTokens.push(() =>
        Response.json({ error: "invalid_grant", error_description: `Not valid: ${text()}.` }, { status: 400 })
      )
    repeating(() => google.grants.at(-1)?.get("assertion") ?? "")
    expect(yield* said).toBe("Search Console: no access token: invalid_grant: Not valid: [secret].")
    repeating(() => private_key.replace(/-----[^-]+-----/g, "").trim())
    expect(yield* said).toBe("Search Console: no access token: invalid_grant: Not valid: [secret].")
    google.first.push(({ token }) => problem(403, "forbidden", `${token} has no access`))
    expect(yield* said).toBe("Search Console: [secret] has no access")
    google.first.push(({ token }) => Response.json({ error: { message: `Bearer ${token}` } }))
    expect(yield* said).toEndWith("Bearer [secret]")
    google.first.push(({ token }) => Response.json({ rows: [row(day, token, `${page}/${token}`, 1, 1)] }))
    const [batch] = yield* asServiceAccount()
    expect(batch?.rows).toMatchObject([{ page: "/a/[secret]", query: "[secret]" }])
  })

  it("fails immediately without permission", function* () {
    const google = yield* withData
    google.first.push(() => problem(403, "forbidden", "User does not have sufficient permission for site."))
    expect(yield* failureOf(google)).toMatchObject({ kind: "forbidden", status: 403 })
    expect(google.seen).toHaveLength(1)
  })

  it("fails immediately when the service does not understand the request", function* () {
    const google = yield* withData
    google.first.push(() => problem(400, "invalidParameter", "Bad request"))
    expect(yield* failureOf(google)).toMatchObject({ kind: "invalid_request", status: 400 })
  })

  it("is requested again after one renewal of an expired token", function* () {
    const google = yield* withData
    google.first.push(() => problem(401, "authError", "Invalid Credentials"))
    const [batch] = yield* fetchDay(google)
    expect(batch?.rows).toHaveLength(2)
    expect(google.seen.map(({ token }) => token)).toEqual(["token-1", "token-2", "token-2"])
    expect(google.grants).toHaveLength(2)
  })

  it("fails at the second consecutive 401", function* () {
    const google = yield* withData
    const expired = () => problem(401, "authError", "Invalid Credentials")
    google.first.push(expired, expired)
    expect(yield* failureOf(google)).toMatchObject({ kind: "unauthorised", status: 401 })
    expect(google.seen).toHaveLength(2)
  })

  it("with invalid rows fails, and the error names day and line", function* () {
    const google = yield* withData
    google.first.push(() => Response.json({ rows: [{ ...row(day, "a", page, 10, 25), clicks: 11 }] }))
    const failed = yield* failureOf(google)
    expect(failed).toMatchObject({ kind: "invalid_response" })
    expect(failed.message).toContain(
      "sc-domain:example.com 2026-10-01, queries, from row 0:1: 11 clicks are more than 10"
    )
  })

  it("follows no redirect, which would receive the token", function* () {
    const google = yield* withData
    google.first.push(() => Response.redirect(`${google.url}elsewhere`, 307))
    expect(yield* failureOf(google)).toMatchObject({ kind: "invalid_request", status: 307 })
    expect(google.seen).toHaveLength(1)
  })
})

describe("access tokens", () => {
  it("are requested for a service account with an assertion for the read-only scope, signed by its key", function* () {
    const google = yield* withData
    yield* fetchDay(google, serviceAccount)
    expect(google.grants[0]?.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer")
    const [head = "", body = "", signature = ""] = (google.grants[0]?.get("assertion") ?? "").split(".")
    const verifier = createVerify("RSA-SHA256").update(`${head}.${body}`)
    expect(verifier.verify(serviceAccountKey, signature, "base64url")).toBe(true)
    expect(JSON.parse(Buffer.from(body, "base64url").toString())).toMatchObject({
      iss: "robot@test.iam.gserviceaccount.com",
      scope: "https://www.googleapis.com/auth/webmasters.readonly"
    })
  })

  it("for a refresh token are requested with the client's secret, and used for all pages", function* () {
    const google = yield* withData
    yield* fetchDay(google)
    expect(google.grants.map((grant) => Object.fromEntries(grant))).toEqual([
      { grant_type: "refresh_token", client_id: "client", client_secret: "secret", refresh_token: "refresh" }
    ])
    expect(google.seen.map(({ token }) => token)).toEqual(["token-1", "token-1"])
  })

  it("for withdrawn consent fail finally, and the error does not repeat the secret", function* () {
    const google = yield* withData
    const revoked = { error: "invalid_grant", error_description: "Token has been expired or revoked." }
    google.firstTokens.push(() => Response.json(revoked, { status: 400 }))
    const failed = yield* failureOf(google)
    expect(failed).toMatchObject({ kind: "unauthorised", status: null })
    expect(failed.message).toBe("Search Console: no access token: invalid_grant: Token has been expired or revoked.")
    expect(google.grants).toHaveLength(1)
  })
})
