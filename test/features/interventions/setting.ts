import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Worker from "../../../src/features/interventions/Worker.ts"
import { promptly } from "../../promptly.ts"
import * as Server from "../../server.ts"
import { blobOf, type Dress, type FakeGitHub, serve } from "./github.ts"

/** The GitHub of a suite; each test has its own repository. */
export class GitHub extends Context.Tag("test/GitHub")<GitHub, FakeGitHub>() {}

/** A server with a worker of interventions and a GitHub. Crawls keep their state until a test ends them, and no check starts by itself. */
export const layerWith = (dress?: Dress) => {
  const server = Layer.unwrapEffect(
    Effect.map(GitHub, ({ url }) => {
      const settings = { FINDABLE_GITHUB_POLL: "1 hour", FINDABLE_GITHUB_URL: url }
      const configured = Layer.setConfigProvider(
        ConfigProvider.fromMap(new Map(Object.entries({ ...Server.settings, ...settings })))
      )
      return Worker.layer.pipe(Layer.provide(configured), Layer.provideMerge(Server.layerWith(settings)))
    })
  )
  return promptly(Layer.provideMerge(server, Layer.scoped(GitHub, serve(dress))))
}

export const token = "ghp_s3cretTokenOfTheSuite"

/** A site with a key, and its paths. */
export const owner = (url = "https://shop.example") =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { account, key } = yield* Server.customer()
    const { id: project } = yield* Server.projectOf(account, url)
    const root = `/api/v1/projects/${project}`
    const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      Server.send(method, `${root}${path}`, { body, headers, key })
    const events = Effect.map(
      sql<{
        body: string
      }>`SELECT body FROM events WHERE account_id = ${account} AND type LIKE 'intervention.%' ORDER BY created_at, id`,
      (rows) => rows.map(({ body }) => JSON.parse(body)).map(({ data, type }) => ({ data, type }))
    )
    const get = (id: string) => Effect.map(send("GET", `/interventions/${id}`), ({ body }) => body.data)
    const refresh = (id: string) => Effect.map(send("POST", `/interventions/${id}/refresh`), ({ body }) => body.data)
    const rollBack = (id: string, body: object = {}) => send("POST", `/interventions/${id}/roll-back`, body)
    return { account, events, get, key, project, refresh, rollBack, send, sql }
  })

export const change = {
  content: "<title>New – größer</title>\n",
  expected_sha: blobOf("<title>Old</title>\n"),
  path: "index.html"
}

/** A site with a connected repository. */
export const connected = (url?: string) =>
  Effect.gen(function* () {
    const one = yield* owner(url)
    const repository = (yield* GitHub).repository()
    yield* one.send("PUT", "/connectors/github", { token })
    const propose = (fields: object = {}, headers: Record<string, string> = {}) =>
      one.send(
        "POST",
        "/interventions",
        { changes: [change], connector: "github", repo: repository.name, summary: "Says what is sold", ...fields },
        headers
      )
    return { ...one, propose, repository }
  })
