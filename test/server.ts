import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpServer from "@effect/platform/HttpServer"
import * as OpenApi from "@effect/platform/OpenApi"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Api } from "../src/Api.ts"
import * as Console from "../src/app/console/Console.ts"
import * as Mcp from "../src/app/mcp/Mcp.ts"
import * as Workers from "../src/app/node/Workers.ts"
import { routesOf } from "../src/app/server/RouteTable.ts"
import * as Server from "../src/app/server/Server.ts"
import { Accounts } from "../src/features/accounts/Accounts.ts"
import type { AccountId, Plan } from "../src/features/accounts/Domain.ts"
import { Projects } from "../src/features/projects/Projects.ts"
import * as OutboundLive from "../src/foundation/outbound/OutboundLive.ts"
import * as cluster from "./cluster.ts"
import * as proxied from "./proxy.ts"

/** The server's response: status, headers, and the body, parsed if it is JSON. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  // Tests read responses of all shapes, and assert values without types.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any
}

export interface Options {
  readonly key?: string | undefined
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

const parse = Schema.decodeUnknownOption(Schema.parseJson())

/** The real server on its own port. */
export class TestServer extends Context.Tag("test/TestServer")<
  TestServer,
  {
    readonly base: string
    readonly send: (method: string, path: string, options?: Options) => Effect.Effect<Reply>
  }
>() {}

const client = Layer.effect(
  TestServer,
  Effect.map(HttpServer.HttpServer, ({ address }) => {
    const base = address._tag === "TcpAddress" ? `http://127.0.0.1:${address.port}` : ""
    const send = (method: string, path: string, { body, headers, key }: Options = {}) =>
      Effect.promise(async () => {
        const response = await proxied.ask(new URL(path, base), {
          headers: {
            ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
            ...(body === undefined || typeof body === "string" ? {} : { "content-type": "application/json" }),
            ...headers
          },
          method,
          redirect: "manual",
          ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
        })
        const text = await response.text()
        const json = parse(text)
        return { body: json._tag === "Some" ? json.value : text, headers: response.headers, status: response.status }
      })
    return TestServer.of({ base, send })
  })
)

/** Configuration of servers under test: a free port, outbound requests to the loopback interface, and children that get CPU time beside busy processes. */
export const settings = {
  FINDABLE_ACCESS_LOG: "false",
  FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8",
  FINDABLE_CHILD_NICENESS: "0",
  FINDABLE_HOST: "127.0.0.1",
  FINDABLE_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
  FINDABLE_PORT: "0"
}

const configured = (more: Record<string, string>) =>
  Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries({ ...settings, ...more }))))

const services = Layer.mergeAll(Accounts.Default, Projects.Default)

/** A server with an empty database and without workers: only the test causes changes. */
export const layerWith = (
  more: Record<string, string>,
  outbound: typeof OutboundLive.layer = OutboundLive.layer,
  console = Console.layer
) =>
  Layer.mergeAll(client, services).pipe(
    Layer.provide(Server.layerWith(Layer.merge(Mcp.layer, console))),
    Layer.provideMerge(outbound),
    Layer.provideMerge(cluster.layer),
    Layer.provide(configured(more))
  )

/** A server with additional settings. */
export const layer = layerWith({})

/** A server with all workers. */
export const workersWith = (more: Record<string, string>) =>
  Layer.mergeAll(client, services, Workers.layer).pipe(
    Layer.provide(Server.layerWith(Layer.merge(Mcp.layer, Console.layer))),
    Layer.provideMerge(OutboundLive.layer),
    Layer.provideMerge(cluster.layer),
    Layer.provide(configured(more))
  )

/** Workers with the settings of all tests. */
export const layerWithWorkers = workersWith({})

/** An account on the plan with a key for everything. */
export const customer = (
  plan: Plan = "agency_team",
  scopes: ReadonlyArray<string> = ["*", "site-health:write", "geo:write", "interventions:write", "keys:manage"]
) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const account = yield* accounts.create("customer", plan)
    const { key } = yield* accounts.createKey(account.id, scopes, "test")
    return { account: account.id, key }
  })

/** A further key of an account. */
export const keyWith = (account: AccountId, scopes: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    return (yield* accounts.createKey(account, scopes, "test")).key
  })

/** A site of the account. */
export const projectOf = (account: AccountId, url = "https://example.com") =>
  Effect.flatMap(Projects, (projects) => projects.create(account, { url }))

const document = OpenApi.fromApi(Api, { additionalPropertiesStrategy: "allow" })
const endpoints: Array<{ readonly method: string; readonly path: string }> = []
HttpApi.reflect(Api, { onEndpoint: ({ endpoint }) => endpoints.push(endpoint), onGroup: () => {} })
const find = routesOf(endpoints)

/** The documented statuses of an endpoint; undefined for unknown endpoints. */
const documented = (method: string, path: string) => {
  const template = find(path.split("?", 1)[0] ?? "")?.route.path.replace(/:(\w+)/g, "{$1}")
  const operations = template === undefined ? undefined : document.paths[template]
  const operation = Object.entries(operations ?? {}).find(([name]) => name === method.toLowerCase())?.[1]
  return operation === undefined ? undefined : Object.keys(operation.responses)
}

/** Sends a request. A response with an undocumented status of the endpoint fails the test. */
export const send = (method: string, path: string, options?: Options) =>
  Effect.flatMap(TestServer, (server) =>
    Effect.tap(server.send(method, path, options), ({ status }) => {
      const url = new URL(path, server.base)
      const statuses = documented(method, url.pathname)
      return statuses === undefined || statuses.includes(String(status))
        ? Effect.void
        : Effect.dieMessage(`${method} ${url.pathname} answered ${status}, documented are ${statuses.join(", ")}`)
    })
  )
