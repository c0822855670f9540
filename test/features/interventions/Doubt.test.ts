import { describe, expect } from "bun:test"
import { createServer, type Server } from "node:net"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

import * as GitHubApi from "../../../src/features/interventions/GitHub.ts"
import * as Repository from "../../../src/features/interventions/Repository.ts"
import { suite } from "../../harness.ts"
import { until } from "../../waiting.ts"
import { refusal } from "./github.ts"
import { change, connected, layerWith, owner } from "./setting.ts"
import { access, serve } from "./wordpress.ts"

const it = suite(layerWith(), { timeout: 60_000 })

const page = (status: number, text = "<h1>Firewall</h1>") =>
  new Response(text, { headers: { "content-type": "text/html" }, status })

/** Responses in place of an API's response. */
const strange: Readonly<Record<string, (answer: Response) => Response | Promise<Response>>> = {
  "200 with a PHP notice before the JSON": async (answer) =>
    page(200, `<br />\n<b>Notice</b>: Undefined index in plugin.php\n${await answer.text()}`),
  "200 without a body": () => new Response("", { status: 200 }),
  "200 with an empty list": () => Response.json([]),
  "200 with half of the JSON": async (answer) => page(200, (await answer.text()).slice(0, 20)),
  "201 OK": () => new Response("OK", { status: 201 }),
  "204": () => new Response(null, { status: 204 }),
  "302": () => new Response(null, { headers: { location: "/wp-login.php" }, status: 302 }),
  "400 as a page": () => page(400),
  "401 as a page": () => page(401),
  "403 as a page": () => page(403),
  "404 as a page": () => page(404),
  "500 in JSON": () => refusal(500, "There has been a critical error"),
  "502 as a page": () => page(502)
}

/** A site with a connected WordPress. */
const atWordPress = Effect.gen(function* () {
  const site = yield* serve()
  const one = yield* owner(site.url)
  yield* one.send("PUT", "/connectors/wordpress", { ...access, url: site.url })
  const write = (title: string) =>
    one.send("POST", "/interventions", { connector: "wordpress", post_id: 4, post_type: "posts", title })
  const types = Effect.map(one.events, (events) => events.map(({ type }) => type))
  return { ...one, site, types, write }
})

describe("a write to WordPress", () => {
  for (const isPlain of [false, true]) {
    it(`is sent once and deployed, for any strange response, ${isPlain ? "with" : "without"} plain permalinks`, function* () {
      const { rollBack, site, types, write } = yield* atWordPress
      if (isPlain) site.plain()
      const answers = Object.entries(strange).slice(0, isPlain ? 3 : undefined)
      for (const [what, garbled] of answers) {
        site.asked.length = 0
        site.garble(garbled)
        const { body, status } = yield* write(`After ${what}`)
        expect([what, status, body.data?.status, site.post.title]).toEqual([what, 201, "deployed", `After ${what}`])
        expect(site.writes()).toEqual([
          isPlain
            ? "POST /index.php?rest_route=/wp/v2/posts/4&context=edit"
            : "POST /wp-json/wp/v2/posts/4?context=edit"
        ])
        const back = yield* rollBack(body.data.id)
        expect([what, back.status, back.body.data?.status, site.post.title]).toEqual([
          what,
          200,
          "rolled_back",
          "A post"
        ])
        expect(site.writes()).toHaveLength(2)
      }
      expect((yield* types).length).toBe(2 * answers.length)
    })
  }

  it("without effect is in conflict, is never sent twice, and can be rolled back and requested again", function* () {
    const { get, refresh, rollBack, site, types, write } = yield* atWordPress
    for (const [what, garbled] of Object.entries(strange)) {
      site.asked.length = 0
      const answer = yield* Effect.promise(async () => garbled(Response.json({ id: 4, link: site.url })))
      site.trouble((method) => (method === "POST" ? answer : undefined))
      const { body, status } = yield* write("Newer")
      expect([what, status, body.data?.status]).toEqual([what, 201, "conflict"])
      expect(body.data.error).toContain("does not resend it")
      expect(body.data.next_look_at).not.toBeNull()
      expect((yield* refresh(body.data.id)).status).toBe("conflict")
      const back = yield* rollBack(body.data.id)
      expect([what, back.status, back.body.data?.status]).toEqual([what, 200, "rolled_back"])
      expect(site.writes()).toHaveLength(1)
      expect((yield* get(body.data.id)).deployed_at).toBeNull()
    }
    expect(new Set(yield* types)).toEqual(new Set(["intervention.rolled_back"]))
  })

  it("is refused with 409 if WordPress refuses it in its own JSON, and leaves nothing to roll back", function* () {
    const { rollBack, send, site, write } = yield* atWordPress
    for (const status of [400, 401, 403, 404, 429]) {
      site.asked.length = 0
      site.trouble((method) =>
        method === "POST" ? Response.json({ code: "rest_forbidden", message: "Sorry" }, { status }) : undefined
      )
      const answer = yield* write("Newer")
      expect([status, answer.status, answer.body.error?.code]).toEqual([status, 409, "conflict"])
      expect(answer.body.error.message).toContain("Sorry")
      const [first] = (yield* send("GET", "/interventions")).body.data
      expect([first.status, first.next_look_at]).toEqual(["conflict", null])
      expect((yield* rollBack(first.id)).status).toBe(409)
      expect(site.writes()).toHaveLength(1)
    }
  })

  it("with a late effect is found, and then deployed", function* () {
    const { get, refresh, rollBack, site, sql, types, write } = yield* atWordPress
    site.trouble((method) => (method === "POST" ? page(504) : undefined))
    const { id, ...first } = (yield* write("Newer")).body.data
    expect(Math.round((Date.parse(first.next_look_at) - Date.parse(first.created_at)) / 60_000)).toBe(5)
    site.post.title = "Newer"
    yield* sql`UPDATE interventions SET due_at = clock_timestamp() WHERE id = ${id}`
    yield* until(get(id), ({ status }) => status === "deployed", "50 millis")
    const back = (yield* rollBack(id, { reason: "Not wanted" })).body.data
    expect([back.status, back.reason]).toEqual(["conflict", "Not wanted"])
    site.post.title = "A post"
    expect(yield* refresh(id)).toMatchObject({ reason: "Not wanted", status: "rolled_back" })
    expect(site.writes()).toHaveLength(2)
    expect(yield* types).toEqual(["intervention.deployed", "intervention.rolled_back"])
  })

  it("stays in doubt if it cannot be read back, and is only read, never sent twice", function* () {
    for (const answer of [() => page(503), () => page(403), () => refusal(401, "x"), () => Response.json([])]) {
      const { refresh, rollBack, site, types, write } = yield* atWordPress
      let isAway = false
      site.trouble(() => (isAway ? answer() : undefined))
      site.garble(() => {
        isAway = true
        return page(500)
      })
      const { body, status } = yield* write("Newer")
      expect([status, body.data.status]).toEqual([201, "proposed"])
      expect(yield* refresh(body.data.id)).toMatchObject({ status: "proposed" })
      expect([503, 409]).toContain((yield* rollBack(body.data.id)).status)
      isAway = false
      expect(yield* refresh(body.data.id)).toMatchObject({ error: null, status: "deployed" })
      expect(site.writes()).toHaveLength(1)
      expect(yield* types).toEqual(["intervention.deployed"])
    }
  })

  it("with its value stored in another form can be rolled back while that form is there, and not after", function* () {
    const { rollBack, site, write } = yield* atWordPress
    site.store((title) => title.toUpperCase())
    const { id, status } = (yield* write("Newer")).body.data
    expect([status, site.post.title]).toEqual(["conflict", "NEWER"])
    site.post.title = "By somebody else"
    expect((yield* rollBack(id)).status).toBe(409)
    site.post.title = "NEWER"
    site.store((title) => title)
    expect([(yield* rollBack(id)).body.data.status, site.post.title]).toEqual(["rolled_back", "A post"])
  })

  it("is sent once for any number of refreshes, and its rollback has one event", function* () {
    const { get, refresh, rollBack, site, types, write } = yield* atWordPress
    site.cache(true)
    site.garble(() => page(500))
    const { id } = (yield* write("Newer")).body.data
    expect((yield* get(id)).status).toBe("merged")
    site.cache(false)
    const all = [refresh(id), rollBack(id), refresh(id), rollBack(id), refresh(id), refresh(id)]
    yield* Effect.all(all, { concurrency: "unbounded", discard: true })
    yield* until(get(id), ({ status }) => status === "rolled_back", "50 millis")
    expect(site.writes()).toHaveLength(2)
    expect((yield* types).filter((type) => type === "intervention.rolled_back")).toHaveLength(1)
  })
})

describe("a write to GitHub", () => {
  const answers: Readonly<Record<string, () => Response>> = {
    "200 as a page": () => page(200),
    "200 with an empty list": () => Response.json([]),
    "200 without a body": () => new Response("", { status: 200 }),
    "404 as a page": () => page(404),
    "422 already exists": () => refusal(422, "A pull request already exists"),
    "502 as a page": () => page(502),
    "502 in JSON": () => refusal(502, "Server Error")
  }

  it("is sent once and continues after any strange response, in a proposal and in a rollback", function* () {
    const file = { content: "a", expected_sha: null, path: "a.txt" }
    for (const [what, answer] of Object.entries(answers)) {
      const { events, propose, refresh, repository, rollBack } = yield* connected()
      repository.garble((method) => (method === "GET" ? undefined : answer()))
      const { body, status } = yield* propose({ changes: [change, file] })
      expect([what, status, body.data?.status, body.data?.pull_request?.number]).toEqual([what, 201, "proposed", 1])
      const { id } = body.data
      repository.merge(1)
      yield* refresh(id)
      const back = (yield* rollBack(id)).body.data
      expect([what, back.status, back.revert_pull_request?.number]).toEqual([what, "rolling_back", 2])
      repository.merge(2)
      expect([what, (yield* refresh(id)).status]).toEqual([what, "rolled_back"])
      const closed = (yield* propose({ base: "main", changes: [{ ...file, path: "b.txt" }] })).body.data
      expect([what, (yield* rollBack(closed.id)).body.data.status]).toEqual([what, "rolled_back"])
      expect(repository.pulls.map(({ state }) => state)).toEqual(["closed", "closed", "closed"])
      expect([what, repository.writes().length]).toEqual([what, 13])
      expect((yield* events).map(({ type }) => type)).toEqual(["intervention.rolled_back", "intervention.rolled_back"])
    }
  })

  it("without effect is in conflict, is never sent twice, and can be rolled back", function* () {
    const { propose, refresh, repository, rollBack } = yield* connected()
    for (const lost of [1, 2, 3]) {
      let writes = 0
      repository.asked.length = 0
      repository.trouble((method) => (method !== "GET" && ++writes === lost ? page(502) : undefined))
      const { body, status } = yield* propose()
      expect([lost, status, body.data?.status, body.data?.pull_request]).toEqual([lost, 201, "conflict", null])
      expect(body.data.error).toContain("does not resend it")
      expect((yield* refresh(body.data.id)).status).toBe("conflict")
      expect(repository.writes()).toHaveLength(lost)
      expect((yield* rollBack(body.data.id)).body.data.status).toBe("rolled_back")
      expect([...repository.branches.keys()]).toEqual(["main"])
      expect(new Set(repository.writes()).size).toBe(repository.writes().length)
    }
  })

  it("with a late effect is found, and the change continues", function* () {
    const { propose, refresh, repository } = yield* connected()
    repository.trouble((method) => (method === "PUT" ? page(504) : undefined))
    const { branch, id, status } = (yield* propose()).body.data
    expect(status).toBe("conflict")
    repository.change(branch, change.path, change.content)
    expect(yield* refresh(id)).toMatchObject({ error: null, pull_request: { number: 1 }, status: "proposed" })
    expect(new Set(repository.writes()).size).toBe(repository.writes().length)
  })

  it("is in conflict if its rollback has no effect, and the rollback can be requested again", function* () {
    const { events, propose, refresh, repository, rollBack } = yield* connected()
    const { id } = (yield* propose()).body.data
    repository.trouble((method) => (method === "PATCH" ? page(502) : undefined))
    expect((yield* rollBack(id)).body.data.status).toBe("conflict")
    expect((yield* refresh(id)).status).toBe("conflict")
    repository.trouble((method) => (method === "PATCH" ? refusal(403, "Forbidden") : undefined))
    expect((yield* rollBack(id)).body.data).toMatchObject({ error: "GitHub: Forbidden", status: "proposed" })
    repository.trouble(() => undefined)
    repository.merge(1)
    yield* refresh(id)
    repository.trouble((method, path) => (method === "POST" && path.endsWith("/pulls") ? page(502) : undefined))
    expect((yield* rollBack(id)).body.data.status).toBe("conflict")
    const writes = repository.writes().length
    expect((yield* refresh(id)).status).toBe("conflict")
    expect(repository.writes()).toHaveLength(writes)
    repository.trouble(() => undefined)
    expect((yield* rollBack(id)).body.data).toMatchObject({ revert_pull_request: { number: 2 } })
    repository.merge(2)
    expect((yield* refresh(id)).status).toBe("rolled_back")
    expect(yield* events).toHaveLength(1)
  })

  it("waits for a rate limit, which GitHub applies before it does anything", function* () {
    const { propose, repository, send, sql } = yield* connected()
    repository.trouble((method) => (method === "PUT" ? refusal(429, "rate limit", { "retry-after": "60" }) : undefined))
    const { id, status } = (yield* propose()).body.data
    expect(status).toBe("proposed")
    repository.trouble(() => undefined)
    yield* sql`UPDATE github_connectors SET paused_until = NULL`
    const { body } = yield* send("POST", `/interventions/${id}/refresh`)
    expect(body.data).toMatchObject({ error: null, pull_request: { number: 1 } })
  })

  it("is sent once over a connection that ends before the response", function* () {
    const asked: Array<string> = []
    const server = yield* Effect.acquireRelease(
      Effect.async<Server>((resume) => {
        const listening = createServer((socket) => {
          socket.on("error", () => {})
          socket.on("data", (bytes) => {
            const [method = ""] = bytes.toString().split(" ", 1)
            asked.push(method)
            if (method !== "GET") return socket.destroy()
            const body = '{"default_branch":"main"}'
            return socket.write(
              `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
            )
          })
        }).listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
      }),
      (listening) => Effect.sync(() => listening.close())
    )
    const address = server.address()
    const port = address !== null && typeof address === "object" ? address.port : 0
    const configured = Layer.setConfigProvider(
      ConfigProvider.fromMap(new Map([["FINDABLE_GITHUB_URL", `http://127.0.0.1:${port}`]]))
    )
    yield* Effect.gen(function* () {
      const github = yield* GitHubApi.GitHub
      const ask = <A, I>(request: GitHubApi.Request<A, I>) => github.ask(Redacted.make("token"), request)
      const { branch, close, remove, removeBranch, write } = Repository.make("acme/site", ask)
      for (const { send } of [
        branch("x", "1"),
        write("x", change, "m"),
        remove("x", "a", "1", "m"),
        removeBranch("x"),
        close(1)
      ]) {
        asked.length = 0
        yield* ask({ method: "GET", of: Schema.Unknown, path: ["repos"] })
        expect((yield* Effect.flip<unknown, GitHubApi.GitHubFailed, never>(send)).kind).toBe("unavailable")
        expect(asked).toHaveLength(2)
      }
    }).pipe(Effect.provide(GitHubApi.layer.pipe(Layer.provide(configured))))
  })
})
