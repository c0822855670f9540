import { beforeAll, describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { connected, layerWith, owner } from "../features/interventions/setting.ts"
import { access, serve } from "../features/interventions/wordpress.ts"
import { suite } from "../harness.ts"
import { file, isMissing, summary } from "./folder.ts"

/** The documented responses by operation. */
// biome-ignore lint/suspicious/noExplicitAny: foreign documents have any shape
let documented: Record<string, any> = {}

const operations = {
  file: "GET /repos/{owner}/{repo}/contents/{path}",
  pull: "GET /repos/{owner}/{repo}/pulls/{pull_number}",
  ref: "GET /repos/{owner}/{repo}/git/ref/{ref}",
  repository: "GET /repos/{owner}/{repo}",
  written: "PUT /repos/{owner}/{repo}/contents/{path}"
} as const

/** The first documented response of an operation. */
const answerOf = (kind: keyof typeof operations): Record<string, unknown> => {
  const found = documented[operations[kind]]?.responses["200"]
  return Object(Object.values(Object(found))[0])
}

const dressed = (kind: keyof typeof operations, fields: object) => {
  const around = answerOf(kind)
  const own = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === "object" && value !== null && !Array.isArray(value) ? { ...Object(around[name]), ...value } : value
  ])
  return { ...around, ...Object.fromEntries(own) }
}

const it = suite(layerWith(dressed), { timeout: 60_000 })

const github = "github/documentation-examples.json"

describe.skipIf(isMissing(github))("the responses that GitHub documents", () => {
  beforeAll(async () => {
    documented = await file(github).json()
  })

  it("are parsed from the proposal to the rollback", function* () {
    for (const kind of ["file", "pull", "ref", "repository", "written"] as const)
      expect(Object.keys(answerOf(kind)).length).toBeGreaterThan(1)
    const { propose, refresh, repository, rollBack } = yield* connected()
    repository.say({ archived: false, default_branch: "main" })
    const { body, status } = yield* propose()
    expect([status, body.data.status, body.data.pull_request.number]).toEqual([201, "proposed", 1])
    const { id } = body.data
    expect((yield* refresh(id)).status).toBe("proposed")
    repository.merge(1)
    expect((yield* refresh(id)).status).toBe("merged")
    expect((yield* rollBack(id)).body.data.status).toBe("rolling_back")
    repository.merge(2)
    expect((yield* refresh(id)).status).toBe("rolled_back")
    expect(repository.fileOn("main", "index.html")).toBe("<title>Old</title>\n")
    summary("github", 7, 7)
  })
})

const recorded = "wordpress/get-post-edit.json"

describe.skipIf(isMissing(recorded))("the recorded responses of a WordPress", () => {
  it("are parsed from the change to the rollback", function* () {
    const post: Record<string, unknown> = yield* Effect.promise(() => file(recorded).json())
    const site = yield* serve((fields) => ({ ...post, ...fields }))
    const { rollBack, send } = yield* owner(site.url)
    yield* send("PUT", "/connectors/wordpress", { ...access, url: site.url })
    const change = { meta: { _yoast_wpseo_metadesc: "New description" }, post_id: 4, post_type: "posts" }
    const { body } = yield* send("POST", "/interventions", { connector: "wordpress", ...change })
    expect(body.data).toMatchObject({ error: null, status: "deployed" })
    expect((yield* rollBack(body.data.id)).body.data.status).toBe("rolled_back")
    const refusal = yield* Effect.promise(() => file("wordpress/error-404.json").text())
    site.trouble(() => new Response(refusal, { headers: { "content-type": "application/json" }, status: 404 }))
    const unknown = yield* send("POST", "/interventions", { connector: "wordpress", ...change })
    expect([unknown.status, unknown.body.error.details]).toMatchObject([
      422,
      [{ message: expect.stringContaining("rest_post_invalid_id"), path: "post_id" }]
    ])
    summary("wordpress", 3, 3)
  })
})
