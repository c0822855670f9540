import { describe, expect } from "bun:test"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Embedded from "../../../src/app/server/Embedded.ts"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import { AccountId } from "../../../src/features/accounts/Domain.ts"
import * as EmbedderAuth from "../../../src/features/accounts/EmbedderAuth.ts"
import * as OutboundLive from "../../../src/foundation/outbound/OutboundLive.ts"
import * as cluster from "../../cluster.ts"
import { suite } from "../../harness.ts"
import { settings } from "../../server.ts"

const it = suite(
  Accounts.Default.pipe(
    Layer.provideMerge(OutboundLive.layer),
    Layer.provideMerge(cluster.layer),
    Layer.provideMerge(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settings)))))
  )
)

/** Callers that another program knows by a session. */
const sessions = EmbedderAuth.layer(({ headers }) => {
  const [account, ...scopes] = (headers["x-session"] ?? "").split(" ")
  if (account === "") return new EmbedderAuth.NotAuthorized({ message: "Log in first", reason: "missing_key" })
  if (account === "busy") return new EmbedderAuth.TooMany({ limit: 5, wait: 7 })
  return Effect.succeed({ account: AccountId.make(account ?? ""), scopes })
})

/** A program with a router of its own, and the API below `/search`. */
const program = Effect.gen(function* () {
  const { id: account } = yield* (yield* Accounts).create("embedder", "agency_team")
  const api = yield* Effect.provide(Embedded.make({ prefix: "/search" }), sessions)
  const router = HttpRouter.empty.pipe(
    HttpRouter.get("/api/v1/projects", HttpServerResponse.text("the program's own")),
    HttpRouter.mountApp("/search", api, { includePrefix: true })
  )
  const handle = HttpApp.toWebHandler(router)
  const ask = (method: string, path: string, session = "", body?: unknown) =>
    Effect.promise(() =>
      handle(
        new Request(`https://agency.example${path}`, {
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          headers: { "content-type": "application/json", host: "agency.example", "x-session": session },
          method
        })
      )
    )
  const json = (response: Response) =>
    Effect.map(
      Effect.promise(() => response.text()),
      (text) => JSON.parse(text)
    )
  return { account, ask, json }
})

describe("the API inside another program", () => {
  it("answers below its prefix for callers that the program knows, and leaves other routes alone", function* () {
    const { account, ask, json } = yield* program
    const session = `${account} * site-health:write`

    const made = yield* ask("POST", "/search/api/v1/projects", session, { url: "https://example.com" })
    const { data } = yield* json(made)
    expect([made.status, made.headers.get("location")]).toEqual([201, `/search/api/v1/projects/${data.id}`])

    const listed = yield* json(yield* ask("GET", "/search/api/v1/projects?limit=1", session))
    expect(listed.links.self).toBe("http://agency.example/search/api/v1/projects?limit=1")

    const own = yield* ask("GET", "/api/v1/projects", session)
    expect(yield* Effect.promise(() => own.text())).toBe("the program's own")
    const start = yield* ask("GET", "/search", session)
    expect(yield* Effect.promise(() => start.text())).toContain('href="/search/docs"')
    const document = yield* json(yield* ask("GET", "/search/api/v1/openapi.json"))
    expect(document.servers).toEqual([{ description: "This server", url: "/search" }])
  })

  it("refuses requests as the contract describes, with the program's own messages", function* () {
    const { account, ask, json } = yield* program
    const refused = yield* ask("GET", "/search/api/v1/projects")
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="findable"'])
    expect((yield* json(refused)).error).toMatchObject({ code: "unauthorized", message: "Log in first" })

    const scope = yield* json(yield* ask("GET", "/search/api/v1/projects", `${account} audits:read`))
    expect(scope.error.code).toBe("insufficient_scope")

    const busy = yield* ask("GET", "/search/api/v1/projects", "busy")
    expect([busy.status, busy.headers.get("retry-after")]).toEqual([429, "7"])

    const key = yield* ask("GET", "/search/api/v1/key", `${account} *`)
    expect([key.status, (yield* json(key)).error.code]).toEqual([404, "not_found"])
    const nowhere = yield* ask("GET", "/search/nowhere", `${account} *`)
    expect([nowhere.status, (yield* json(nowhere)).error.code]).toEqual([404, "not_found"])
  })
})
