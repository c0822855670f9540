import { describe, expect } from "bun:test"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import { Api } from "../src/Api.ts"
import { ProjectId } from "../src/features/projects/Domain.ts"
import { ApiError } from "../src/foundation/http/ApiError.ts"
import { suite } from "./harness.ts"
import * as Server from "./server.ts"

const it = suite(Server.layer)

const client = (key: string) =>
  Effect.flatMap(Server.TestServer, ({ base }) =>
    HttpApiClient.make(Api, {
      baseUrl: base,
      transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(key))
    })
  ).pipe(Effect.provide(FetchHttpClient.layer))

describe("a client generated from the contract alone", () => {
  it("creates a site, starts a crawl and reads it back, fully typed", function* () {
    const { key } = yield* Server.customer()
    const api = yield* client(key)
    const { data: project } = yield* api.projects.create({ headers: {}, payload: { url: "https://example.com" } })
    const started = yield* api["site-health"].start({
      headers: {},
      path: { project_id: project.id },
      payload: { check_dead_links: true, max_pages: 3 }
    })
    const { data: run } = yield* api["site-health"].get({ path: { run_id: started.data.id }, urlParams: {} })
    expect(run).toMatchObject({ request: { max_pages: 3 }, status: "queued" })
    const { data: projects } = yield* api.projects.list({ urlParams: { limit: 5 } })
    expect(projects).toEqual([project])
  })

  it("fails with the error of the server", function* () {
    const { key } = yield* Server.customer()
    const api = yield* client(key)
    const missing = yield* Effect.flip(api.projects.get({ path: { project_id: ProjectId.make(crypto.randomUUID()) } }))
    expect(missing).toBeInstanceOf(ApiError)
    expect(missing).toMatchObject({
      code: "not_found",
      message: "No site found with this id. Check the id, and the account that it belongs to"
    })
  })
})
