import { describe, expect, test } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { ProjectId } from "../../../../src/features/projects/Domain.ts"
import { KeywordFilters, KeywordPage } from "../../../../src/features/rankings/Api.ts"
import { RankingStatus } from "../../../../src/features/rankings/Domain.ts"
import { Keywords } from "../../../../src/features/rankings/keywords/Keywords.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { eventually } from "../../../waiting.ts"
import { csv, importInto, layer, owner } from "../storing.ts"

const it = suite(layer)

const decodePage = Schema.decodeUnknownSync(KeywordPage, { onExcessProperty: "error" })

/** Requests keywords. */
const ask = (key: string, parameters: Record<string, string> = {}) =>
  Server.send("GET", `/api/v1/keywords?${new URLSearchParams(parameters)}`, { key })

const queriesOf = (reply: Server.Reply): ReadonlyArray<string> =>
  reply.body.data.map(({ query }: { query: string }) => query)

/** Resets the rate limits of all keys. */
const rested = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE api_key_passes SET passes = '{}'`)

/** One record of each status. */
const kinds = csv(
  "2026-10-01,faller,/a,1,50,3",
  "2026-10-08,faller,/a,2,40,9",
  "2026-10-01,Riser,/b,1,50,9",
  "2026-10-08,Riser,/b,0,30,2",
  "2026-10-01,gone,/c?d=1,1,5,3",
  "2026-10-14,fresh,/d,3,20,3",
  "2026-10-07,100%_sure,/e,1,9,3",
  "2026-10-08,100%_sure,/e,1,10,3.5"
)

const furnished = Effect.tap(owner, ({ site }) => importInto(site, "gsc-csv", [{ text: kinds }]))

describe("a list of keywords", () => {
  it("has its queries and paths as they are stored, with any characters", function* () {
    const { key, site } = yield* furnished
    const sql = yield* SqlClient.SqlClient
    const texts = [
      '"quoted" \\back',
      "tab\tline\nreturn\r",
      "unit\u001fseparator \u0001",
      "日本 🍜 {%s} %1$s",
      "\u2028</script>"
    ]
    yield* Effect.forEach(
      texts,
      (text, n) =>
        sql`UPDATE rankings SET query = ${text}, page = ${`/${text}`}
        WHERE key = (SELECT key FROM rankings ORDER BY key LIMIT 1 OFFSET ${n})
          AND generation IN (SELECT id FROM ranking_generations WHERE site_id = ${site})`
    )
    const { data } = decodePage((yield* ask(key)).body)
    expect(data.map(({ query }) => query).sort()).toEqual([...texts].sort())
    for (const { page_path, query } of data) expect<string>(page_path).toBe(`/${query}`)
  })

  it("matches the contract in every field", function* () {
    const { key, site } = yield* furnished
    const reply = yield* ask(key)
    const page = decodePage(reply.body)
    expect(reply.status).toBe(200)
    expect(reply.headers.get("content-type")).toBe("application/json")
    expect(page.meta).toEqual({
      coverage: [
        {
          current: { days_with_data: 2, end: "2026-10-14", start: "2026-10-08" },
          previous: { days_with_data: 2, end: "2026-10-07", start: "2026-10-01" },
          site_id: page.data[0]?.site_id ?? expect.anything(),
          warnings: []
        }
      ],
      has_next: false,
      per_page: 20,
      total_in_batch: 5
    })
    expect(new URL(page.links.self).pathname).toBe("/api/v1/keywords")
    expect(page.links.next).toBeUndefined()
    expect(reply.body.data[0]).toEqual({
      clicks: 2,
      ctr: 0.05,
      current_position: 9,
      id: expect.stringMatching(/^kw_[0-9a-f]{32}$/),
      impressions: 40,
      page_path: "/a",
      period: { end: "2026-10-14", start: "2026-10-08" },
      position_delta: -6,
      previous_position: 3,
      query: "faller",
      ranking_status: "dropping",
      recorded_at: expect.any(String),
      site_id: site
    })
    expect(page.data.at(-1)).toMatchObject({
      clicks: 0,
      ctr: 0,
      current_position: null,
      impressions: 0,
      page_path: "/c?d=1",
      position_delta: 0,
      query: "gone",
      ranking_status: "lost"
    })
    expect(page.data[2]).toMatchObject({ position_delta: 0, previous_position: null, ranking_status: "new" })
  })

  it("is sorted by impressions, clicks and id", function* () {
    const { key, site } = yield* owner
    const lines = Array.from({ length: 12 }, (_, index) => `2026-10-08,q${index},/,${index % 2},${5 + (index % 3)},2`)
    yield* importInto(site, "gsc-csv", [{ text: csv(...lines) }])
    const { data } = decodePage((yield* ask(key)).body)
    const sorted = [...data].sort(
      (a, b) => b.impressions - a.impressions || b.clicks - a.clicks || (a.id < b.id ? -1 : 1)
    )
    expect(data.map(({ id }) => id)).toEqual(sorted.map(({ id }) => id))
    expect(new Set(data.map(({ id }) => id)).size).toBe(12)
  })

  it("is empty without data", function* () {
    const { key, site } = yield* owner
    for (const parameters of [{}, { site_id: site }, { query: "abc" }, { query: "a" }]) {
      expect((yield* ask(key, parameters)).body).toMatchObject({ data: [], meta: { has_next: false } })
    }
  })

  it("keeps the id of a record when the rankings are computed again", function* () {
    const { key, site } = yield* furnished
    const idOf = Effect.map(ask(key, { query: "faller" }), ({ body }) => body.data[0].id)
    const before = yield* idOf
    yield* importInto(site, "gsc-csv", [{ text: csv("2026-10-09,faller,/a,2,41,9") }])
    expect(yield* idOf).toBe(before)
  })
})

describe("keywords are filtered", () => {
  it("by status", function* () {
    const { key } = yield* furnished
    const expected = {
      climbing: ["Riser"],
      dropping: ["faller"],
      lost: ["gone"],
      new: ["fresh"],
      stable: ["100%_sure"]
    }
    for (const [status, queries] of Object.entries(expected)) {
      expect(queriesOf(yield* ask(key, { status }))).toEqual(queries)
    }
  })

  it("by a query and a page with any characters", function* () {
    const { key, site } = yield* owner
    const query = `"50%" of c:\\new é😀 %s`
    yield* importInto(site, "gsc-csv", [
      { text: csv(`2026-10-08,"${query.replaceAll('"', '""')}",/a"b%s?c=%22,1,45,2`) }
    ])
    const [record] = (yield* ask(key)).body.data
    expect(record).toMatchObject({ page_path: `/a"b%s?c=%22`, query })
  })

  it("by site, with its id in either case", function* () {
    const { account, key, site } = yield* furnished
    const { id: second } = yield* Server.projectOf(account, "https://example.org")
    yield* importInto(second, "gsc-csv", [{ text: csv("2026-10-08,other,/,1,45,2") }])
    expect(queriesOf(yield* ask(key, { site_id: second }))).toEqual(["other"])
    expect(queriesOf(yield* ask(key, { site_id: second.toUpperCase() }))).toEqual(["other"])
    expect(queriesOf(yield* ask(key, { site_id: site }))).not.toContain("other")
    expect(queriesOf(yield* ask(key)).slice(0, 2)).toEqual(["other", "faller"])
  })

  it("by a part of the query in any case, and no character is special", function* () {
    const { key } = yield* furnished
    const expected = {
      "%": ["100%_sure"],
      "0%_s": ["100%_sure"],
      ALL: ["faller"],
      "a%r": [],
      a_l: [],
      "\\": [],
      is: ["Riser"],
      "": ["faller", "Riser", "fresh", "100%_sure", "gone"],
      riser: ["Riser"],
      S: ["Riser", "fresh", "100%_sure"],
      zzz: []
    }
    for (const [query, queries] of Object.entries(expected)) {
      expect([query, queriesOf(yield* ask(key, { query }))]).toEqual([query, queries])
    }
    expect(queriesOf(yield* ask(key, { query: "R", status: "climbing" }))).toEqual(["Riser"])
  })

  it("by page, by minimum impressions and by the brand of the site", function* () {
    const { key, site } = yield* furnished
    expect(queriesOf(yield* ask(key, { page_path: "/c?d=1" }))).toEqual(["gone"])
    expect(queriesOf(yield* ask(key, { min_impressions: "20" }))).toEqual(["faller", "Riser", "fresh"])
    expect(queriesOf(yield* ask(key, { min_impressions: "20", query: "s" }))).toEqual(["Riser", "fresh"])
    expect(queriesOf(yield* ask(key, { brand: "true" }))).toEqual([])
    const body = { brand_terms: ["FALL", "riser", "riser"] }
    const patched = yield* Server.send("PATCH", `/api/v1/projects/${site}`, { body, key })
    expect(patched.body.data).toMatchObject({ brand_terms: ["FALL", "riser"], id: site })
    expect(queriesOf(yield* ask(key, { brand: "true" }))).toEqual(["faller", "Riser"])
    expect(queriesOf(yield* ask(key, { brand: "false", site_id: site }))).toEqual(["fresh", "100%_sure", "gone"])
    const first = yield* ask(key, { brand: "false", limit: "1" })
    const cursor = first.body.meta.next_cursor
    expect(queriesOf(yield* ask(key, { brand: "false", cursor }))).toEqual(["100%_sure", "gone"])
    expect((yield* ask(key, { brand: "true", cursor })).body.error.code).toBe("invalid_cursor")
    for (const [name, value] of [
      ["brand", "yes"],
      ["min_impressions", "-1"],
      ["page_path", "a\0"]
    ] as const) {
      const reply = yield* ask(key, { [name]: value })
      expect([reply.status, reply.body.error.details[0].path]).toEqual([422, name])
    }
  })

  it("by current position, both bounds included, and lost queries have none", function* () {
    const { key } = yield* furnished
    const all = yield* ask(key)
    const positions = all.body.data.map((record: { current_position: number | null; query: string }) => record)
    const between = (low: number, high: number) =>
      positions
        .filter(
          ({ current_position: at }: { current_position: number | null }) => at !== null && low <= at && at <= high
        )
        .map(({ query }: { query: string }) => query)
    const known: ReadonlyArray<number> = positions.flatMap(
      ({ current_position: at }: { current_position: number | null }) => at ?? []
    )
    expect(known.length).toBeLessThan(positions.length)
    for (const low of known)
      for (const high of known) {
        const found = yield* ask(key, { max_position: String(high), min_position: String(low) })
        expect(queriesOf(found)).toEqual(between(low, high))
      }
    expect(queriesOf(yield* ask(key, { min_position: "0" }))).toEqual(between(0, Number.POSITIVE_INFINITY))
    for (const value of ["-1", "top", "1e3", "Infinity", ""]) {
      const reply = yield* ask(key, { min_position: value })
      expect([reply.status, reply.body.error.details[0].path]).toEqual([422, "min_position"])
    }
  })

  it("by letters of any script, in any case", function* () {
    const { key, site } = yield* owner
    const lines = ["GRÜNE Schuhe", "ΟΔΟΣ", "купить Ботинки", "靴を買う", "back\\slash ü"].map(
      (query) => `2026-10-08,${query},/,1,9,2`
    )
    yield* importInto(site, "gsc-csv", [{ text: csv(...lines) }])
    yield* importInto(site, "gsc-csv", [
      {
        text: csv(
          ...["İstanbul otel", "Hauptstraße", "crème".normalize("NFD"), "ｗｉｄｅ", "IŞIK"].map(
            (query) => `2026-10-08,${query},/,0,9,2`
          )
        )
      }
    ])
    const folds = {
      istanbul: "İstanbul otel",
      strasse: "Hauptstraße",
      STRAẞE: "Hauptstraße",
      crème: "crème".normalize("NFD"),
      wide: "ｗｉｄｅ",
      ışık: "IŞIK"
    }
    for (const [query, found] of Object.entries(folds)) {
      expect([query, queriesOf(yield* ask(key, { query }))]).toEqual([query, [found]])
      expect([query, queriesOf(yield* ask(key, { query: query.normalize("NFD") }))]).toEqual([query, [found]])
    }
    const expected = {
      "back\\slash": "back\\slash ü",
      "k\\s": "back\\slash ü",
      БОТИН: "купить Ботинки",
      grün: "GRÜNE Schuhe",
      "ÜNE S": "GRÜNE Schuhe",
      οδοσ: "ΟΔΟΣ",
      οδος: "ΟΔΟΣ",
      靴を: "靴を買う",
      買: "靴を買う"
    }
    for (const [query, found] of Object.entries(expected)) {
      expect([query, queriesOf(yield* ask(key, { query }))]).toEqual([query, [found]])
    }
  })
})

describe("a request for keywords is refused", () => {
  it("with the name of the wrong field", function* () {
    const { key, site } = yield* owner
    const wrong: ReadonlyArray<readonly [string, string]> = [
      ["site_id", "abc"],
      ["site_id", ""],
      ["status", "rising"],
      ["status", ""],
      ["limit", "0"],
      ["limit", "101"],
      ["limit", "1.5"],
      ["query", "a\0b"]
    ]
    for (const [name, value] of wrong) {
      const reply = yield* ask(key, { [name]: value })
      expect([name, value, reply.status, reply.body.error.code]).toEqual([name, value, 422, "validation_error"])
      expect(reply.body.error.details[0].path).toBe(name)
    }
    const { body } = yield* ask(key, { status: "rising" })
    expect(body.error.details).toEqual([
      { message: "must be one of climbing, dropping, stable, new, lost", path: "status" }
    ])
    const several = yield* Server.send("GET", `/api/v1/keywords?site_id=${site}&site_id=${site}`, { key })
    expect(several.status).toBe(422)
  })

  it("for a missing site, and in the same way for another account's site", function* () {
    const { key } = yield* owner
    const { site: foreign } = yield* furnished
    for (const site_id of [foreign, "7b0d5f0e-52a5-4c55-a5b0-0a6f6b8f3c21"]) {
      const reply = yield* ask(key, { site_id })
      expect([reply.status, reply.body.error.code]).toEqual([404, "not_found"])
    }
    expect(queriesOf(yield* ask(key))).toEqual([])
  })

  it("for keys without the scope", function* () {
    const { account } = yield* owner
    const key = yield* Server.keyWith(account, ["projects:read", "audits:read", "site-health:read"])
    const reply = yield* ask(key)
    expect([reply.status, reply.body.error.code]).toEqual([403, "insufficient_scope"])
  })

  it("with a cursor from other filters", function* () {
    const { key, site } = yield* furnished
    const values: Readonly<Record<keyof KeywordFilters, string>> = {
      brand: "false",
      max_position: "9.5",
      min_impressions: "1",
      min_position: "1",
      page_path: "/a",
      query: "a",
      site_id: site,
      status: "new"
    }
    const cursor: string = (yield* ask(key, { limit: "2" })).body.meta.next_cursor
    for (const [filter, value] of Object.entries(values)) {
      const reply = yield* ask(key, { cursor, [filter]: value })
      expect([filter, reply.status, reply.body.error.code]).toEqual([filter, 422, "invalid_cursor"])
    }
  })

  it("with an altered or expired cursor", function* () {
    const sql = yield* SqlClient.SqlClient
    const { account, key, site } = yield* furnished
    const { body } = yield* ask(key, { limit: "2" })
    const cursor: string = body.meta.next_cursor
    const refusals = [{ cursor: `${cursor.slice(0, -1)}${cursor.endsWith("A") ? "B" : "A"}` }, { cursor: "x" }]
    for (const parameters of refusals) {
      const reply = yield* ask(key, parameters)
      expect([reply.status, reply.body.error.code]).toEqual([422, "invalid_cursor"])
    }
    expect((yield* ask(key, { cursor })).status).toBe(200)
    yield* importInto(site, "gsc-csv", [{ text: csv("2026-10-09,faller,/a,2,41,9") }])
    yield* sql`UPDATE ranking_generations SET superseded_at = superseded_at - interval '25 hours' WHERE account_id = ${account}`
    yield* importInto(site, "gsc-csv", [{ text: csv("2026-10-09,faller,/a,2,42,9") }])
    const old = yield* ask(key, { cursor })
    expect([old.status, old.body.error.code]).toEqual([422, "invalid_cursor"])
  })
})

describe("a walk through the pages of keywords", () => {
  /** 60 records of two sites; many have the same numbers. */
  const walked = Effect.gen(function* () {
    const { account, key, site } = yield* owner
    const { id: second } = yield* Server.projectOf(account, "https://example.org")
    const lines = (from: number) =>
      Array.from({ length: 30 }, (_, index) => `2026-10-08,query ${from + index},/,0,${1 + (index % 4)},2`)
    yield* importInto(site, "gsc-csv", [{ text: csv(...lines(0)) }])
    yield* importInto(second, "gsc-csv", [{ text: csv(...lines(30)) }])
    return { account, key, second, site }
  })

  for (const limit of [1, 7, 20, 59, 60, 100]) {
    it(`${limit} at a time yields each record once while both sites are imported into`, function* () {
      const { key, second, site } = yield* walked
      const seen: Array<string> = []
      let path: string | undefined = `/api/v1/keywords?limit=${limit}&query=uer`
      for (let turn = 0; path !== undefined; turn++) {
        yield* rested
        const reply: Server.Reply = yield* Server.send("GET", path, { key })
        const { data, links } = decodePage(reply.body)
        seen.push(...data.map(({ query }) => query))
        path = links.next
        if (turn < 6) {
          const lines = Array.from(
            { length: 30 },
            (_, index) =>
              `2026-10-${String(9 + turn).padStart(2, "0")},query ${index + 25},/,0,${1 + ((index * 7) % 11)},2`
          )
          yield* importInto(turn % 2 === 0 ? site : second, "gsc-csv", [{ text: csv(...lines) }])
        }
      }
      expect(seen.sort()).toEqual(Array.from({ length: 60 }, (_, index) => `query ${index}`).sort())
    })
  }

  it("during continuous imports yields each record once", function* () {
    const { key, second, site } = yield* walked
    let turn = 0
    const importing = Effect.suspend(() => {
      turn += 1
      const lines = Array.from(
        { length: 30 },
        (_, index) => `2026-10-08,query ${index},/,0,${1 + ((index * turn) % 13)},2`
      )
      return importInto(turn % 2 === 0 ? site : second, "gsc-csv", [{ text: csv(...lines) }])
    })
    yield* Effect.forkScoped(Effect.forever(importing))
    const seen: Array<string> = []
    let path: string | undefined = "/api/v1/keywords?limit=1"
    while (path !== undefined) {
      yield* rested
      const reply: Server.Reply = yield* Server.send("GET", path, { key })
      seen.push(...reply.body.data.map(({ id }: { id: string }) => id))
      path = reply.body.links.next
      const before = turn
      if (seen.length % 15 === 0) yield* eventually(() => turn > before)
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.length).toBeGreaterThanOrEqual(60)
  })

  it("after an import sees all of it", function* () {
    const { key, site } = yield* walked
    yield* importInto(site, "gsc-csv", [{ text: csv("2026-10-08,newcomer,/,0,99,2") }])
    expect(queriesOf(yield* ask(key, { limit: "1" }))).toEqual(["newcomer"])
  })
})

type Values = { readonly [Filter in keyof KeywordFilters]-?: fc.Arbitrary<NonNullable<KeywordFilters[Filter]>> }

test("a cursor contains every declared filter of its list", () => {
  const values: Values = {
    brand: fc.constantFrom("true", "false"),
    max_position: fc.nat({ max: 3 }),
    min_impressions: fc.nat({ max: 3 }),
    min_position: fc.nat({ max: 3 }),
    page_path: fc.constantFrom("", "/a", "/b"),
    query: fc.constantFrom("", "a", "/a"),
    site_id: fc.uuid().map((id) => ProjectId.make(id)),
    status: fc.constantFrom(...RankingStatus.literals)
  }
  const filters = fc.record(values, { requiredKeys: [] })
  const decode = Schema.decodeUnknownSync(Schema.typeSchema(KeywordFilters))
  const meaning = ({ query = "", ...others }: KeywordFilters) =>
    JSON.stringify(Object.entries({ ...others, query }).sort())
  fc.assert(
    fc.property(filters, filters, fc.constantFrom(...Object.keys(values)), (one, other, name) => {
      const of = (record: KeywordFilters, isOf: boolean) =>
        Object.entries(record).filter(([filter]) => (filter === name) === isOf)
      const changed = decode(Object.fromEntries([...of(one, false), ...of(other, true)]))
      const isSame = JSON.stringify(Keywords.identity(one)) === JSON.stringify(Keywords.identity(changed))
      expect(isSame).toBe(meaning(one) === meaning(changed))
    })
  )
})
