import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import { until } from "../../waiting.ts"
import { blobOf, refusal } from "./github.ts"
import { change, connected, layerWith, owner, token } from "./setting.ts"

const it = suite(layerWith(), { timeout: 60_000 })

/** Moves a change to the time of its next check. */
const due = (id: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE interventions SET due_at = clock_timestamp() WHERE id = ${id}`
  )

describe("a change through GitHub", () => {
  it("opens a pull request with the requests that GitHub documents, in order, and writes UTF-8", function* () {
    const { events, get, propose, repository } = yield* connected()
    const file = { content: "User-agent: *\n", expected_sha: null, path: "static/robots file.txt" }
    const { body, headers, status } = yield* propose({ changes: [change, file] })
    const { data } = body
    expect(status).toBe(201)
    expect(headers.get("location")).toEndWith(`/interventions/${data.id}`)
    expect(data).toMatchObject({
      base: "main",
      branch: `findable/${data.id}`,
      connector: "github",
      error: null,
      paths: ["index.html", file.path],
      pull_request: { number: 1, url: `https://github.example/${repository.name}/pull/1` },
      status: "proposed",
      url: "https://shop.example/"
    })
    expect(data).toEqual(yield* get(data.id))
    const root = `/repos/${repository.name}`
    const [, , first] = repository.asked
    const sha = first?.split("ref=")[1]
    expect(repository.asked).toEqual([
      `GET ${root}`,
      `GET ${root}/git/ref/heads/main`,
      `GET ${root}/contents/index.html?ref=${sha}`,
      `GET ${root}/contents/static/robots file.txt?ref=${sha}`,
      `POST ${root}/git/refs`,
      `PUT ${root}/contents/index.html`,
      `PUT ${root}/contents/static/robots file.txt`,
      `POST ${root}/pulls`
    ])
    expect(repository.branches.get("main")).toBe(sha ?? "")
    expect(repository.fileOn(data.branch, "index.html")).toBe(change.content)
    expect(repository.pulls[0]).toMatchObject({ base: "main", head: data.branch, title: "Says what is sold" })
    expect(repository.tokens).toEqual(new Set([`Bearer ${token}`]))
    expect(yield* events).toEqual([])
  })

  it("is refused with 409, and nothing is written, when a file is not as expected", function* () {
    const { propose, repository, send } = yield* connected()
    const cases = [
      [{ ...change, expected_sha: blobOf("other") }, "index.html is"],
      [{ ...change, expected_sha: null }, "index.html is"],
      [{ ...change, path: "missing.html" }, "missing.html does not exist"]
    ] as const
    for (const [file, message] of cases) {
      const { body, status } = yield* propose({ changes: [change, file].slice(file.path === change.path ? 1 : 0) })
      expect([status, body.error.code]).toEqual([409, "conflict"])
      expect(body.error.message).toStartWith(message)
    }
    expect(repository.writes()).toEqual([])
    expect((yield* send("GET", "/interventions")).body.data).toEqual([])
  })

  it("is refused without any part of the token, even if GitHub repeats it", function* () {
    const { propose, repository } = yield* connected()
    const escaped = `\\u0067${token.slice(1)}`
    const spelled = [
      escaped,
      `\\\\${escaped}`,
      Buffer.from(`x-access-token:${token}`).toString("base64").replaceAll("/", "\\/"),
      token.replace("_", "%5f"),
      token.slice(0, 12)
    ]
    for (const text of spelled) {
      const body = `{"message": "Bad credentials: ${text}"}`
      repository.trouble(() => new Response(body, { status: 403 }))
      const { error } = (yield* propose()).body
      expect(error.message).toContain("GitHub: Bad credentials: ")
      // The last letter of base64 holds a few bits of the last character.
      expect(error.message).toMatch(/\[token\](?:\w?=*)$/)
    }
  })

  it("is refused when GitHub is not connected, finds nothing or refuses the token", function* () {
    const { propose, repository, send } = yield* connected()
    const refused = (answer: {
      status: number
      body: { error: { code: string; details?: ReadonlyArray<{ path: string }> } }
    }) => [answer.status, answer.body.error.code, ...(answer.body.error.details ?? []).map(({ path }) => path)]
    expect(refused(yield* propose({ repo: "acme/unknown" }))).toEqual([422, "validation_error", "repo"])
    expect(refused(yield* propose({ base: "develop" }))).toEqual([422, "validation_error", "base"])
    expect(refused(yield* propose({ changes: [{ ...change, content: "<title>Old</title>\n" }] }))).toEqual([
      422,
      "validation_error",
      "changes.0.content"
    ])
    repository.say({ archived: true, default_branch: "main" })
    expect(refused(yield* propose())).toEqual([409, "conflict"])
    repository.trouble(() => refusal(401, `Bad credentials ${token}`))
    const denied = yield* propose()
    expect(refused(denied)).toEqual([409, "conflict"])
    expect(JSON.stringify(denied.body)).not.toContain(token)
    repository.trouble(() => new Response(null, { headers: { location: "/repositories/1" }, status: 301 }))
    const moved = yield* propose()
    expect(refused(moved)).toEqual([422, "validation_error", "repo"])
    expect(moved.body.error.details[0].message).toContain("renamed")
    repository.trouble(() => refusal(502, "Server Error"))
    expect(refused(yield* propose())).toEqual([503, "service_unavailable"])
    expect(repository.writes()).toEqual([])

    expect((yield* send("DELETE", "/connectors/github")).status).toBe(204)
    expect(refused(yield* propose())).toEqual([409, "conflict"])
    expect((yield* send("GET", "/interventions")).body.data).toEqual([])
  })

  it("names the wrong field, and sends GitHub nothing", function* () {
    const { propose, repository } = yield* connected()
    const file = (fields: object) => ({ changes: [{ ...change, ...fields }] })
    const cases: ReadonlyArray<readonly [object, string]> = [
      [{ repo: "acme" }, "repo"],
      [{ repo: "acme/.." }, "repo"],
      [{ repo: "acme/site/../other" }, "repo"],
      [{ base: "main..other" }, "base"],
      [{ base: "refs heads" }, "base"],
      [{ changes: [] }, "changes"],
      [{ changes: [change, change] }, "changes"],
      [{ changes: Array.from({ length: 21 }, (_, n) => ({ ...change, path: `${n}.html` })) }, "changes"],
      ...[
        "../a",
        "/a",
        "a//b",
        "a/./b",
        ".git/config",
        "a/.GIT/x",
        ".github/workflows/ci.yml",
        "a\u0007",
        "",
        "a\\b",
        "a/"
      ].map((path) => [file({ path }), "changes.0.path"] as const),
      [file({ content: "\0" }), "changes.0.content"],
      [file({ content: "x".repeat(262_145) }), "changes.0.content"],
      [file({ expected_sha: "a b" }), "changes.0.expected_sha"],
      [{ summary: " " }, "summary"],
      [{ url: "https://other.example/" }, "url"],
      [{ finding: { rule: "title_missing", run: "x", url: "https://shop.example/" } }, "finding.run"],
      [{ unknown: 1 }, "unknown"],
      [{ connector: "gitlab" }, "connector"]
    ]
    for (const [fields, path] of cases) {
      const { body, status } = yield* propose(fields)
      expect({ fields, path: body.error.details?.[0]?.path, status }).toEqual({ fields, path, status: 422 })
    }
    expect(repository.asked).toEqual([])
  })

  it("may contain a file of 250 KB", function* () {
    const { propose, repository } = yield* connected()
    const content = `${'"é\n'.repeat(60_000)}`
    const { body, status } = yield* propose({ changes: [{ ...change, content }] })
    expect(status).toBe(201)
    expect(repository.fileOn(body.data.branch, "index.html")).toBe(content)
  })

  it("is one pull request, for any number of requests with the same Idempotency-Key", function* () {
    const { propose, repository } = yield* connected()
    const key = { "idempotency-key": "propose-once-1" }
    const replies = yield* Effect.replicateEffect(propose({}, key), 6, { concurrency: "unbounded" })
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201])
    const first = replies.find(({ status }) => status === 201)?.body.data
    expect(first.pull_request.number).toBe(1)
    for (const { body } of replies) expect(body.data).toEqual(first)
    expect(repository.pulls).toHaveLength(1)
    expect((yield* propose({ summary: "Another" }, key)).body.error.code).toBe("idempotency_conflict")
  })

  it("continues where a worker stopped between any two requests, and is never opened twice", function* () {
    const { get, propose, repository, sql } = yield* connected()
    const file = { content: "a", expected_sha: null, path: "a.txt" }
    // After the first turn, every state that a kill can leave: the requests so far are done, and the last response is lost.
    for (const lost of [1, 2, 3, 4]) {
      let writes = 0
      const before = repository.pulls.length
      const isLost = () => writes >= lost
      repository.trouble((method) => {
        if (method !== "GET") writes += 1
        return isLost() && method === "GET" ? refusal(502, "away") : undefined
      })
      repository.garble(() => (isLost() ? refusal(502, "away") : undefined))
      const { body, status } = yield* propose({ changes: [change, file] })
      expect([status, body.data.status]).toEqual([201, "proposed"])
      repository.trouble(() => undefined)
      repository.garble(() => undefined)
      const { id } = body.data
      expect(body.data.error).toContain("away")
      yield* due(id)
      const opened = yield* until(get(id), ({ pull_request }) => pull_request !== null, "50 millis")
      expect(opened).toMatchObject({ error: null, pull_request: { number: before + 1 }, status: "proposed" })
      expect(repository.pulls).toHaveLength(before + 1)
      expect(repository.fileOn(opened.branch, "index.html")).toBe(change.content)
      expect(writes).toBe(lost)
      expect(repository.writes()).toHaveLength(4 * repository.pulls.length)
      const [row] = yield* sql<{
        written: ReadonlyArray<{ sha: string }>
      }>`SELECT github -> 'written' AS written FROM interventions WHERE id = ${id}`
      expect(row?.written.map(({ sha }) => sha)).toEqual([blobOf(change.content), blobOf("a")])
    }
  })

  it("leaves no branch behind when GitHub refuses it, and returns 409, also to a repeated request", function* () {
    const { propose, repository, send } = yield* connected()
    repository.trouble((method, path) =>
      method === "POST" && path.endsWith("/pulls")
        ? refusal(403, "Resource not accessible by personal access token")
        : undefined
    )
    const key = { "idempotency-key": "propose-refused-1" }
    for (const _ of [1, 2]) {
      const { body, status } = yield* propose({}, key)
      expect([status, body.error.code]).toEqual([409, "conflict"])
      expect(body.error.message).toContain("Resource not accessible")
    }
    expect([...repository.branches.keys()]).toEqual(["main"])
    const { body } = yield* send("GET", "/interventions")
    expect(body.data).toMatchObject([{ pull_request: null, status: "conflict" }])
  })

  it("waits as long as GitHub's rate limits require, with all changes of its token", function* () {
    const { get, propose, repository, send } = yield* connected()
    const first = (yield* propose()).body.data.id
    const asked = repository.asked.length
    repository.trouble(() => refusal(403, "You have exceeded a secondary rate limit", { "retry-after": "120" }))
    const limited = yield* propose()
    expect([limited.status, limited.body.error.code, limited.headers.get("retry-after")]).toEqual([
      503,
      "service_unavailable",
      "120"
    ])
    repository.trouble(() => undefined)
    // The limit is known now: no more requests are sent.
    expect(Number((yield* propose()).headers.get("retry-after"))).toBeGreaterThan(110)
    const { body } = yield* send("POST", `/interventions/${first}/refresh`)
    expect(body.data.error).toContain("is used up for now")
    expect(Date.parse(body.data.next_look_at) - Date.now()).toBeGreaterThan(110_000)
    expect(repository.asked).toHaveLength(asked + 1)
    // Another token has its own limit.
    yield* send("PUT", "/connectors/github", { token: "ghp_another" })
    yield* until(get(first), ({ error }) => error === null, "50 millis")

    const reset = Math.floor(Date.now() / 1000) + 600
    repository.trouble(() =>
      refusal(429, "API rate limit exceeded", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(reset) })
    )
    expect(Number((yield* propose()).headers.get("retry-after"))).toBeGreaterThan(590)
  })

  it("is closed when somebody closes its pull request, and is not found for other accounts", function* () {
    const { propose, refresh, repository, rollBack } = yield* connected()
    const { id } = (yield* propose()).body.data
    repository.close(1)
    expect(yield* refresh(id)).toMatchObject({ next_look_at: null, status: "closed" })
    expect((yield* rollBack(id)).status).toBe(409)
    const other = yield* owner()
    for (const [method, path] of [
      ["GET", ""],
      ["POST", "/refresh"],
      ["POST", "/roll-back"]
    ] as const)
      expect((yield* other.send(method, `/interventions/${id}${path}`, method === "GET" ? undefined : {})).status).toBe(
        404
      )
    expect((yield* other.send("GET", "/interventions")).body.data).toEqual([])
  })
})

describe("the rollback of a change through GitHub", () => {
  it("closes an open pull request, deletes its branch, and publishes an event", function* () {
    const { events, propose, repository, rollBack } = yield* connected()
    const { branch, id } = (yield* propose()).body.data
    const { body, status } = yield* rollBack(id, { reason: "Not wanted" })
    expect([status, body.data.status, body.data.reason]).toEqual([200, "rolled_back", "Not wanted"])
    expect(repository.pulls[0]?.state).toBe("closed")
    expect(repository.branches.has(branch)).toBe(false)
    expect(yield* events).toMatchObject([
      { data: { deployed_at: null, id, reason: "Not wanted" }, type: "intervention.rolled_back" }
    ])
    expect((yield* rollBack(id)).status).toBe(409)
  })

  it("after a merge is a second pull request, and done when that one is merged", function* () {
    const { events, propose, refresh, repository, rollBack } = yield* connected()
    const file = { content: "a", expected_sha: null, path: "a.txt" }
    const { id } = (yield* propose({ changes: [change, file] })).body.data
    repository.merge(1)
    expect(yield* refresh(id)).toMatchObject({ status: "merged" })
    const begun = (yield* rollBack(id)).body.data
    expect(begun).toMatchObject({ revert_pull_request: { number: 2 }, status: "rolling_back" })
    expect((yield* rollBack(id)).body.data.status).toBe("rolling_back")
    expect(repository.pulls).toHaveLength(2)
    expect(repository.fileOn("main", "index.html")).toBe(change.content)
    // After its pull request was closed instead of merged, the rollback can begin again.
    repository.close(2)
    expect(yield* refresh(id)).toMatchObject({
      error: "The pull request of the rollback was closed",
      status: "merged"
    })
    expect((yield* rollBack(id)).body.data.revert_pull_request.number).toBe(3)
    repository.merge(3)
    expect(yield* refresh(id)).toMatchObject({ status: "rolled_back" })
    expect(repository.fileOn("main", "index.html")).toBe("<title>Old</title>\n")
    expect(repository.fileOn("main", "a.txt")).toBeUndefined()
    expect((yield* events).map(({ type }) => type)).toEqual(["intervention.rolled_back"])
  })

  it("is refused with 409, and nothing is written, when somebody has changed the file since", function* () {
    const { get, propose, refresh, repository, rollBack } = yield* connected()
    const { id } = (yield* propose()).body.data
    repository.merge(1)
    yield* refresh(id)
    repository.change("main", "index.html", "<title>Newer</title>\n")
    const writes = repository.writes().length
    const { body, status } = yield* rollBack(id)
    expect([status, body.error.code]).toEqual([409, "conflict"])
    expect(body.error.message).toContain("index.html was changed since")
    expect(repository.writes()).toHaveLength(writes)
    expect((yield* get(id)).status).toBe("merged")
  })

  it("continues where a worker stopped, and opens one pull request", function* () {
    const { get, propose, refresh, repository, rollBack } = yield* connected()
    const { id } = (yield* propose()).body.data
    repository.merge(1)
    yield* refresh(id)
    let isLost = false
    repository.garble((method) => {
      if (method === "PUT") isLost = true
      return isLost ? refusal(502, "away") : undefined
    })
    expect((yield* rollBack(id)).body.data).toMatchObject({ revert_pull_request: null, status: "rolling_back" })
    repository.garble(() => undefined)
    const writes = repository.writes().length
    yield* due(id)
    yield* until(get(id), ({ revert_pull_request }) => revert_pull_request !== null, "50 millis")
    expect(repository.pulls).toHaveLength(2)
    expect(repository.writes()).toHaveLength(writes + 1)
  })
})

describe("a GitHub token", () => {
  it("is neither returned nor stored in the clear, and is deleted with the site", function* () {
    const { account, key, project, propose, send, sql } = yield* connected()
    yield* propose()
    expect((yield* send("GET", "/connectors/github")).body.data).toEqual({ configured: true })
    expect((yield* send("GET", "/connectors/wordpress")).body.data).toEqual({ configured: false })
    const rows =
      yield* sql`SELECT (SELECT json_agg(c) FROM github_connectors c) AS c, (SELECT json_agg(i) FROM interventions i) AS i,
      (SELECT json_agg(k) FROM idempotency_keys k) AS k`
    expect(JSON.stringify(rows)).not.toContain(token)
    expect([account, key, project].every((text) => text.length > 0)).toBe(true)
    yield* send("DELETE", "")
    expect(yield* sql`SELECT FROM github_connectors WHERE project_id = ${project}`).toEqual([])
    expect(yield* sql`SELECT FROM interventions WHERE project_id = ${project}`).toEqual([])
    expect((yield* send("GET", "/interventions")).status).toBe(404)
  })
})
