import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

const path = "/api/v1/projects"

describe("sites", () => {
  it("are created from any URL of the site, and named by the host by default", function* () {
    const { key } = yield* Server.customer()
    const named = yield* Server.send("POST", path, {
      body: { name: " Shop ", url: "https://shop.example:8443/a?b#c" },
      key
    })
    expect([named.status, named.body]).toEqual([
      201,
      {
        data: {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          name: "Shop",
          url: "https://shop.example:8443/",
          host: "shop.example:8443",
          brand_terms: [],
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/)
        }
      }
    ])
    const plain = yield* Server.send("POST", path, { body: { url: "HTTP://Bücher.Example" }, key })
    expect(plain.body.data).toMatchObject({
      host: "xn--bcher-kva.example",
      name: "xn--bcher-kva.example",
      url: "http://xn--bcher-kva.example/"
    })
    const read = yield* Server.send("GET", `${path}/${named.body.data.id}`, { key })
    expect(read.body).toEqual(named.body)
  })

  it("refuse bad fields by name and create nothing", function* () {
    const { key } = yield* Server.customer()
    for (const [body, fields] of [
      [{}, ["url"]],
      [{ url: null }, ["url"]],
      [{ url: "" }, ["url"]],
      [{ url: "example.com" }, ["url"]],
      [{ url: "javascript:alert(1)" }, ["url"]],
      [{ url: "https://user@example.com" }, ["url"]],
      [{ url: `https://example.com/${"a".repeat(2048)}` }, ["url"]],
      [{ url: "https://notaurl" }, ["url"]],
      [{ url: "https://notaurl.:8080/a" }, ["url"]],
      [{ url: "https://example..com" }, ["url"]],
      [{ url: "https://.com" }, ["url"]],
      [{ url: "https://exa$mple.com" }, ["url"]],
      [{ url: `https://${"a".repeat(64)}.com` }, ["url"]],
      [{ url: `https://${"a.".repeat(130)}com` }, ["url"]],
      [{ name: "", url: "https://example.com" }, ["name"]],
      [{ name: "a\u0000b", url: "https://example.com" }, ["name"]],
      [{ name: "\ud800", url: "https://example.com" }, ["name"]],
      [{ name: "x".repeat(201), url: 5 }, ["url", "name"]]
    ] as const) {
      const reply = yield* Server.send("POST", path, { body, key })
      expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
      expect(reply.body.error.details.map(({ path }: { path: string }) => path)).toEqual([...fields])
    }
    expect((yield* Server.send("GET", path, { key })).body.data).toEqual([])
  })

  it("may have any kind of host: this machine, a private network, an IP address, or one that does not exist yet", function* () {
    const { key } = yield* Server.customer()
    for (const url of [
      "http://localhost:3000",
      "http://127.0.0.1:8080",
      "http://[::1]",
      "http://192.168.1.10",
      "http://shop.intranet",
      "https://my_shop.example",
      "https://shop.example."
    ]) {
      const { status } = yield* Server.send("POST", path, { body: { url }, key })
      expect([url, status]).toEqual([url, 201])
    }
  })

  it("may have a host of one word only if it resolves or the account has it already", function* () {
    const { account, key } = yield* Server.customer()
    const reply = yield* Server.send("POST", path, { body: { url: "http://notaurl/" }, key })
    expect(reply.body.error.message).toBe(
      "url must have a host that DNS can resolve, such as example.com: notaurl is unknown"
    )
    const project = yield* Server.projectOf(account, "http://notaurl/")
    const known = yield* Server.send("POST", path, { body: { url: "https://notaurl/" }, key })
    expect([known.status, known.body.data?.id]).toEqual([200, project.id])
  })

  it("belong to their account only", function* () {
    const [mine, theirs] = [yield* Server.customer(), yield* Server.customer()]
    const project = yield* Server.projectOf(mine.account)
    expect((yield* Server.send("GET", `${path}/${project.id}`, { key: theirs.key })).status).toBe(404)
    expect((yield* Server.send("GET", path, { key: theirs.key })).body.data).toEqual([])
  })

  it("are listed in order of creation, each once, for any page size and equal timestamps", function* () {
    const { account, key } = yield* Server.customer()
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO projects (account_id, name, url, host, created_at)
        SELECT ${account}, 'p' || n, 'https://p/', 'p', '2026-01-01T00:00:00.123456Z'::timestamptz + (n / 3) * interval '1 microsecond'
        FROM generate_series(1, 30) n`
    const all = yield* sql<{
      id: string
    }>`SELECT id FROM projects WHERE account_id = ${account} ORDER BY created_at, id`
    const walk = (limit: number) =>
      Effect.gen(function* () {
        const seen: Array<string> = []
        let next: string | undefined = `${path}?limit=${limit}`
        while (next !== undefined) {
          yield* sql`UPDATE api_key_passes SET passes = '{}'`
          const { body }: Server.Reply = yield* Server.send("GET", next, { key })
          expect(body.meta.total_in_batch).toBe(body.data.length)
          seen.push(...body.data.map(({ id }: { id: string }) => id))
          next = body.links.next
        }
        return seen
      })
    yield* Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.integer({ max: 100, min: 1 }), async (limit) => {
          expect(await it.runtime.runPromise(walk(limit))).toEqual(all.map(({ id }) => id))
        }),
        { numRuns: 12 }
      )
    )
  })

  it("refuse a cursor that was altered, or belongs to another account", function* () {
    const mine = yield* Server.customer()
    const theirs = yield* Server.customer()
    for (const { account } of [mine, theirs]) {
      yield* Server.projectOf(account, "https://a.example")
      yield* Server.projectOf(account, "https://b.example")
    }
    const first = yield* Server.send("GET", `${path}?limit=1`, { key: mine.key })
    const cursor: string = first.body.meta.next_cursor
    for (const [altered, key] of [
      [cursor, theirs.key],
      [`${cursor}A`, mine.key],
      [cursor.slice(0, -1), mine.key],
      [`A${cursor.slice(1)}`, mine.key],
      [cursor.replace(".", "=."), mine.key]
    ] as const) {
      const reply = yield* Server.send("GET", `${path}?cursor=${encodeURIComponent(altered)}`, { key })
      expect([reply.status, reply.body.error.code]).toEqual([422, "invalid_cursor"])
    }
    expect((yield* Server.send("GET", `${path}?cursor=${cursor}&limit=100`, { key: mine.key })).status).toBe(200)
  })
})

describe("a site is changed", () => {
  it("in the given fields only", function* () {
    const { account, key } = yield* Server.customer()
    const project = yield* Server.projectOf(account)
    const patch = (body: unknown) => Server.send("PATCH", `${path}/${project.id}`, { body, key })
    const renamed = yield* patch({ name: " Shop " })
    expect([renamed.status, renamed.body.data]).toEqual([200, { ...project, name: "Shop" }])
    const branded = yield* patch({ brand_terms: ["Acme", "acme shop", "Acme"] })
    expect(branded.body.data).toEqual({ ...project, brand_terms: ["Acme", "acme shop"], name: "Shop" })
    expect((yield* patch({})).body).toEqual(branded.body)
    expect((yield* Server.send("GET", `${path}/${project.id}`, { key })).body).toEqual(branded.body)
    expect((yield* patch({ brand_terms: [] })).body.data.brand_terms).toEqual([])
  })

  it("by its owner only, and only to valid values", function* () {
    const { account, key } = yield* Server.customer()
    const stranger = yield* Server.customer()
    const { id } = yield* Server.projectOf(account)
    const wrong: ReadonlyArray<readonly [unknown, string]> = [
      [{ name: "" }, "name"],
      [{ brand_terms: Array.from({ length: 51 }, String) }, "brand_terms"],
      [{ brand_terms: ["x".repeat(101)] }, "brand_terms.0"],
      [{ brand_terms: "acme" }, "brand_terms"],
      [{ url: "https://example.org" }, "url"]
    ]
    for (const [body, field] of wrong) {
      const reply = yield* Server.send("PATCH", `${path}/${id}`, { body, key })
      expect([reply.status, reply.body.error.details[0].path]).toEqual([422, field])
    }
    const foreign = yield* Server.send("PATCH", `${path}/${id}`, { body: { name: "mine" }, key: stranger.key })
    expect([foreign.status, foreign.body.error.code]).toEqual([404, "not_found"])
    const reader = yield* Server.keyWith(account, ["projects:read"])
    expect((yield* Server.send("PATCH", `${path}/${id}`, { body: { name: "x" }, key: reader })).status).toBe(403)
  })
})

const create = (key: string, host: string) =>
  Server.send("POST", "/api/v1/projects", { body: { url: `https://${host}.example` }, key })

describe("the sites of an account", () => {
  it("never exceed the limit of its plan, for concurrent requests", function* () {
    const { account, key } = yield* Server.customer("free")
    const other = yield* Server.keyWith(account, ["*"])
    const replies = yield* Effect.forEach(
      Array.from({ length: 12 }),
      (_, index) => create(index % 2 === 0 ? key : other, `site-${index}`),
      { concurrency: "unbounded" }
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 5 }, () => 201),
      ...Array.from({ length: 7 }, () => 422)
    ])
    const refused = replies.find(({ status }) => status === 422)
    expect(refused?.body.error).toMatchObject({
      code: "validation_error",
      details: [
        {
          message:
            "The account has 5 sites, and its plan (free) allows 5: delete one, or ask the administrator to add it",
          path: "body"
        }
      ]
    })
  })

  it("beyond a lowered limit are kept, are returned as before, and make room when they are deleted", function* () {
    const { account, key } = yield* Server.customer("free")
    for (let index = 0; index < 6; index++) yield* Server.projectOf(account, `https://site-${index}.example`)
    expect((yield* create(key, "site-5")).body.meta).toEqual({ existing: true })
    expect((yield* create(key, "another")).status).toBe(422)
    const { body } = yield* Server.send("GET", "/api/v1/projects", { key })
    expect(body.data).toHaveLength(6)
    for (const { id } of body.data.slice(0, 2)) yield* Server.send("DELETE", `/api/v1/projects/${id}`, { key })
    expect((yield* create(key, "another")).status).toBe(201)
    expect((yield* create(key, "further")).status).toBe(422)
  })
})
