import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import { until } from "../../waiting.ts"
import { layerWith, owner } from "./setting.ts"
import { access, serve } from "./wordpress.ts"

const it = suite(layerWith(), { timeout: 60_000 })

const key = "_yoast_wpseo_metadesc"

/** A site with a connected WordPress. */
const connected = Effect.gen(function* () {
  const site = yield* serve()
  const one = yield* owner(site.url)
  yield* one.send("PUT", "/connectors/wordpress", { ...access, url: site.url })
  const write = (fields: object) =>
    one.send("POST", "/interventions", { connector: "wordpress", post_id: 4, post_type: "posts", ...fields })
  return { ...one, site, write }
})

describe("a change through WordPress", () => {
  it("is refused without any part of the password, even if WordPress repeats it", function* () {
    const { site, write } = yield* connected
    const { application_password: password, username } = access
    const compact = password.replaceAll(" ", "")
    const spelled = [
      password,
      compact,
      compact.slice(0, 9),
      encodeURIComponent(password),
      password.replaceAll(" ", "\\u0020"),
      password.replaceAll(" ", "&nbsp;"),
      Buffer.from(`${username}:${password}`).toString("base64").replaceAll("/", "\\/"),
      Buffer.from(`${username}:${compact}`).toString("base64url")
    ]
    for (const text of spelled) {
      site.trouble(() => new Response(`{"code": "no", "message": "Not with ${text}"}`, { status: 403 }))
      const { error } = (yield* write({ meta: { [key]: "x" }, summary: "y" })).body
      // The last letter of base64 holds a few bits of the last character.
      expect(error.message).toMatch(/^WordPress: Not with \S*\[password\]\w?=* \(no\)/)
    }
  })

  it("is written, read back and found on the page, and then deployed", function* () {
    const { events, site, write } = yield* connected
    const { body, status } = yield* write({ meta: { [key]: "What we sell" }, summary: "Describes the post" })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({
      connector: "wordpress",
      error: null,
      fields: [{ after: "What we sell", before: "", name: key }],
      post_id: 4,
      post_type: "posts",
      status: "deployed",
      url: `${site.url}/a-post`
    })
    expect(site.post.meta[key]).toBe("What we sell")
    const route = "/wp-json/wp/v2/posts/4"
    expect(site.asked.filter((line) => line !== "GET /a-post")).toEqual([
      `GET ${route}?context=edit`,
      `OPTIONS ${route}`,
      `GET ${route}?context=edit`,
      `POST ${route}?context=edit`,
      `GET ${route}?context=edit`
    ])
    // Requests for the public page carry no password.
    expect(new Set(site.seen.map(([path]) => path))).toEqual(new Set([route]))
    expect(yield* events).toMatchObject([
      { data: { connector: "wordpress", url: `${site.url}/a-post` }, type: "intervention.deployed" }
    ])
  })

  it("sets a title and finds it on the page as WordPress renders it", function* () {
    const { write } = yield* connected
    const { body } = yield* write({ title: "Shoes & Boots - it's all here" })
    expect(body.data).toMatchObject({ status: "deployed", summary: "Sets title of posts 4" })
  })

  it("accepts a title stored with entities and without surrounding blanks as the same title", function* () {
    const { rollBack, site, write } = yield* connected
    // WordPress does this for users who may not write arbitrary HTML, such as authors.
    site.store((title) => title.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").trim())
    const { body } = yield* write({ title: " Shoes & Boots < 50 > 20 " })
    expect([body.data.status, body.data.error]).toEqual(["deployed", null])
    expect(site.post.title).toBe("Shoes &amp; Boots &lt; 50 &gt; 20")
    const again = yield* write({ title: "Shoes & Boots < 50 > 20" })
    expect([again.status, again.body.error.details[0].path]).toEqual([422, "title"])
    const back = yield* rollBack(body.data.id)
    expect([back.body.data.status, site.post.title]).toEqual(["rolled_back", "A post"])
    site.store((title) => title)
    const escaped = yield* write({ title: "Shoes &amp; Boots" })
    expect(escaped.body.data).toMatchObject({ error: null, status: "deployed" })
  })

  it("keeps blanks and entities of a meta field, because WordPress stores them unchanged", function* () {
    const { rollBack, site, write } = yield* connected
    const { id } = (yield* write({ meta: { [key]: "A & B" } })).body.data
    site.post.meta[key] = "A &amp; B"
    expect((yield* rollBack(id)).status).toBe(409)
  })

  it("is checked again later if the page does not show it, and verified or not", function* () {
    const { events, get, refresh, site, sql, write } = yield* connected
    site.cache(true)
    const { id, ...made } = (yield* write({ title: "Newer" })).body.data
    expect(made).toMatchObject({ status: "merged", verified_by_run_id: null })
    expect(made.error).toContain("does not show")
    expect(Math.round((Date.parse(made.next_look_at) - Date.parse(made.merged_at)) / 60_000)).toBe(5)
    for (const [minutes, next] of [
      [6, 30],
      [31, 120],
      [121, 1440]
    ] as const) {
      yield* sql`UPDATE interventions SET merged_at = clock_timestamp() - ${minutes} * interval '1 minute', due_at = clock_timestamp() WHERE id = ${id}`
      const then = yield* until(
        get(id),
        ({ next_look_at }) => Date.parse(next_look_at) > Date.now() + 1000,
        "50 millis"
      )
      expect(Math.round((Date.parse(then.next_look_at) - Date.parse(then.merged_at)) / 60_000)).toBe(next)
    }
    yield* sql`UPDATE interventions SET merged_at = clock_timestamp() - interval '25 hours', due_at = clock_timestamp() WHERE id = ${id}`
    yield* until(get(id), ({ status }) => status === "not_verified", "50 millis")
    expect(yield* events).toEqual([])
    site.cache(false)
    expect(yield* refresh(id)).toMatchObject({ error: null, status: "deployed" })
  })

  it("is refused before anything is written if WordPress does not accept the field", function* () {
    const { send, site, write } = yield* connected
    const refused = Effect.fnUntraced(function* (fields: object) {
      const { body, status } = yield* write(fields)
      return [status, body.error.code, body.error.details?.[0]?.path ?? body.error.message]
    })
    expect(yield* refused({ meta: { _other: "x" } })).toEqual([422, "validation_error", "meta._other"])
    expect(yield* refused({ title: "A post" })).toEqual([422, "validation_error", "title"])
    expect(yield* refused({})).toEqual([422, "validation_error", "meta"])
    expect(yield* refused({ meta: { [key]: "x" }, title: "y" })).toEqual([422, "validation_error", "meta"])
    expect(yield* refused({ post_id: 5, title: "y" })).toEqual([422, "validation_error", "post_id"])
    expect(yield* refused({ post_id: 0, title: "y" })).toEqual([422, "validation_error", "post_id"])
    site.move("https://other.example/a-post")
    expect((yield* refused({ title: "y" })).slice(0, 2)).toEqual([409, "conflict"])
    site.move("/a-post")
    site.post.status = "draft"
    expect((yield* refused({ title: "y" })).slice(0, 2)).toEqual([409, "conflict"])
    yield* send("PUT", "/connectors/wordpress", { ...access, application_password: "wrong", url: site.url })
    const [status, code, message] = yield* refused({ title: "y" })
    expect([status, code]).toEqual([409, "conflict"])
    expect(message).toContain("rejects the username or application password")
    expect(message).toContain("rest_cannot_edit")
    yield* send("DELETE", "/connectors/wordpress")
    expect((yield* refused({ title: "y" })).slice(0, 2)).toEqual([409, "conflict"])
    expect(site.writes()).toEqual([])
  })

  it("is not deployed if WordPress drops it with 200, and says so", function* () {
    const { events, site, write } = yield* connected
    site.hide()
    const { body, status } = yield* write({ meta: { _other: "x" } })
    expect([status, body.data.status]).toEqual([201, "not_verified"])
    expect(body.data.error).toContain("did not save it")
    expect(yield* events).toEqual([])
  })

  it("is in conflict if WordPress stores another value, and says so", function* () {
    const { events, site, write } = yield* connected
    site.store((title) => title.toUpperCase())
    const { body, status } = yield* write({ title: "Newer" })
    expect([status, body.data.status]).toEqual([201, "conflict"])
    expect(body.data.error).toContain("another value")
    expect(yield* events).toEqual([])
  })

  it("sends credentials to no other URL: redirects and private IP addresses are refused", function* () {
    const { send, site, write } = yield* connected
    const thief = yield* serve()
    site.trouble(() => new Response(null, { headers: { location: `${thief.url}/wp-json/wp/v2/posts/4` }, status: 307 }))
    const { body, status } = yield* write({ title: "y" })
    expect([status, body.error.message]).toEqual([409, expect.stringContaining("redirect")])
    expect(thief.asked).toEqual([])
    for (const url of [
      "http://10.0.0.1/",
      "http://[::1]:8080/",
      "ftp://example.com/",
      "https://user:pass@example.com/",
      "https://example.com/?a=b"
    ]) {
      const refused = yield* send("PUT", "/connectors/wordpress", { ...access, url })
      expect([refused.status, refused.body.error.details[0].path]).toEqual([422, "url"])
    }
  })

  it("continues when WordPress is available again, and does not show the password", function* () {
    const { get, site, sql, write } = yield* connected
    let reads = 0
    site.trouble((method) =>
      method === "GET" && ++reads === 2
        ? Response.json({ code: "x", message: `busy ${access.application_password}` }, { status: 503 })
        : undefined
    )
    const { id, ...made } = (yield* write({ title: "Newer" })).body.data
    expect(made).toMatchObject({ status: "proposed" })
    expect(made.error).toContain("busy")
    expect(JSON.stringify(yield* sql`SELECT * FROM interventions WHERE id = ${id}`)).not.toContain(
      access.application_password
    )
    yield* sql`UPDATE interventions SET due_at = clock_timestamp() WHERE id = ${id}`
    yield* until(get(id), ({ status }) => status === "deployed", "50 millis")
    expect(site.post.title).toBe("Newer")
    expect(site.writes()).toHaveLength(1)
  })
})

describe("the rollback of a change through WordPress", () => {
  it("restores the earlier value, and publishes an event", function* () {
    const { events, rollBack, site, write } = yield* connected
    const { id } = (yield* write({ title: "Newer" })).body.data
    const { body, status } = yield* rollBack(id)
    expect([status, body.data.status]).toEqual([200, "rolled_back"])
    expect(site.post.title).toBe("A post")
    expect((yield* events).map(({ type }) => type)).toEqual(["intervention.deployed", "intervention.rolled_back"])
  })

  it("is refused with 409, and nothing is written, if the value has changed since", function* () {
    const { get, rollBack, site, write } = yield* connected
    const { id } = (yield* write({ title: "Newer" })).body.data
    site.post.title = "By somebody else"
    const writes = site.writes().length
    const { body, status } = yield* rollBack(id)
    expect([status, body.error.code]).toEqual([409, "conflict"])
    expect(site.writes()).toHaveLength(writes)
    expect((yield* get(id)).status).toBe("deployed")
  })
})
