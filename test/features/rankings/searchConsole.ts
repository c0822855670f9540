import { generateKeyPairSync } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Credentials from "../../../src/features/rankings/searchconsole/Credentials.ts"

const Query = Schema.Struct({
  startDate: Schema.String,
  endDate: Schema.String,
  dimensions: Schema.Array(Schema.String),
  rowLimit: Schema.Number,
  startRow: Schema.Number,
  type: Schema.String,
  dataState: Schema.String,
  aggregationType: Schema.String
})

/** A request for data as the server parsed it. */
export type Query = typeof Query.Type

const decodeInspection = Schema.decodeUnknownSync(
  Schema.Struct({ inspectionUrl: Schema.String, languageCode: Schema.String, siteUrl: Schema.String })
)

const decodeQuery = Schema.decodeUnknownSync(Query)

/** The requests to the server. */
export interface Seen {
  readonly site: string
  readonly query: Query
  readonly token: string
}

type Reply = (seen: Seen) => Response | Promise<Response>

export interface FakeGoogle {
  readonly url: string
  readonly seen: Array<Seen>
  readonly grants: Array<URLSearchParams>
  /** Tokens that the API accepts; the token endpoint adds each token it issues. */
  readonly accepted: Set<string>
  /** Responses sent before the data are. */
  readonly first: Array<Reply>
  /** Responses of the token endpoint sent before tokens are. */
  readonly firstTokens: Array<() => Response>
  /** Inspection requests for single URLs. */
  readonly inspected: Array<{ readonly siteUrl: string; readonly inspectionUrl: string; readonly token: string }>
  /** Responses for a URL sent before its own. */
  readonly firstOf: Map<string, Array<() => Response | Promise<Response>>>
  /** Index status by URL. */
  readonly status: Map<string, object>
  /** Rows by site and day; the suffixes `pages` and `property` mean totals, and `segments` queries by country and device. */
  readonly data: Map<string, ReadonlyArray<object>>
}

/** An error in the API's format. */
export const problem = (code: number, reason: string, message: string, headers: Record<string, string> = {}) =>
  Response.json(
    { error: { code, message, errors: [{ message, domain: "usageLimits", reason }] } },
    { status: code, headers }
  )

const suffix = ({ query: { dimensions } }: Seen) =>
  dimensions.includes("query")
    ? dimensions.includes("country")
      ? " segments"
      : ""
    : dimensions.includes("page")
      ? " pages"
      : " property"

/** A server on the loopback interface with searchAnalytics.query and the OAuth token endpoint as documented. */
export const serve = Effect.acquireRelease(
  Effect.sync(() => {
    const state = {
      seen: [] as Seen[],
      grants: [] as URLSearchParams[],
      accepted: new Set<string>(),
      first: [] as Reply[],
      firstTokens: [] as (() => Response)[],
      inspected: [] as { siteUrl: string; inspectionUrl: string; token: string }[],
      firstOf: new Map<string, Array<() => Response | Promise<Response>>>(),
      status: new Map<string, object>(),
      data: new Map<string, ReadonlyArray<object>>()
    }
    let given = 0
    const token = async (request: Request) => {
      state.grants.push(new URLSearchParams(await request.text()))
      const scripted = state.firstTokens.shift()
      if (scripted !== undefined) return scripted()
      given += 1
      state.accepted.add(`token-${given}`)
      return Response.json({ access_token: `token-${given}`, expires_in: 3599, token_type: "Bearer" })
    }
    const query = async (request: Request, path: string) => {
      const match = /^\/webmasters\/v3\/sites\/([^/]+)\/searchAnalytics\/query$/.exec(path)
      if (match === null || request.method !== "POST") return problem(404, "notFound", "Not Found")
      const seen: Seen = {
        site: decodeURIComponent(match[1] ?? ""),
        query: decodeQuery(await request.json()),
        token: (request.headers.get("authorization") ?? "").replace(/^Bearer /, "")
      }
      state.seen.push(seen)
      const scripted = state.first.shift()
      if (scripted !== undefined) return scripted(seen)
      if (!state.accepted.has(seen.token)) return problem(401, "authError", "Invalid Credentials")
      const { aggregationType, rowLimit, startDate, startRow } = seen.query
      const rows = (state.data.get(`${seen.site} ${startDate}${suffix(seen)}`) ?? []).slice(
        startRow,
        startRow + rowLimit
      )
      return Response.json({ ...(rows.length === 0 ? {} : { rows }), responseAggregationType: aggregationType })
    }
    const inspect = async (request: Request) => {
      const token = (request.headers.get("authorization") ?? "").replace(/^Bearer /, "")
      const { inspectionUrl, siteUrl } = decodeInspection(await request.json())
      state.inspected.push({ inspectionUrl, siteUrl, token })
      const scripted = state.firstOf.get(inspectionUrl)?.shift()
      if (scripted !== undefined) return scripted()
      if (!state.accepted.has(token)) return problem(401, "authError", "Invalid Credentials")
      const indexStatusResult = state.status.get(inspectionUrl) ?? { verdict: "NEUTRAL" }
      return Response.json({
        inspectionResult: { indexStatusResult, inspectionResultLink: "https://search.google.com/" }
      })
    }
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) => {
        const { pathname } = new URL(request.url)
        if (pathname === "/v1/urlInspection/index:inspect" && request.method === "POST") return inspect(request)
        return pathname === "/token" ? token(request) : query(request, pathname)
      }
    })
    const google: FakeGoogle = { ...state, url: server.url.href }
    return { google, server }
  }),
  ({ server }) => Effect.promise(() => server.stop(true))
).pipe(Effect.map(({ google }) => google))

const half = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{"rows":['

/** A server that announces more than it sends: each connection ends inside the body. */
export const serveTorn = Effect.acquireRelease(
  Effect.sync(() => {
    const state = { asked: 0, url: "" }
    const server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data: (socket) => {
          state.asked += 1
          socket.end(half)
        }
      }
    })
    state.url = `http://127.0.0.1:${server.port}/`
    return { state, server }
  }),
  ({ server }) => Effect.sync(() => server.stop(true))
).pipe(Effect.map(({ state }) => state))

/** A row of a response. */
export const row = (day: string, query: string, page: string, impressions: number, sumTop: number) => ({
  keys: [day, query, page],
  clicks: 0,
  impressions,
  ctr: 0,
  position: sumTop / impressions
})

/** Credentials of a file. */
export const credentialsIn = (json: string) => Either.getOrThrow(Credentials.parse(json))

const { privateKey, publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" }
})

/** A service account's key file, created for this process. */
export const serviceAccount = (tokenUri: string) =>
  JSON.stringify({
    type: "service_account",
    project_id: "test",
    private_key_id: "key-1",
    private_key: privateKey,
    client_email: "robot@test.iam.gserviceaccount.com",
    token_uri: tokenUri
  })

/** The public half of the key above. */
export const serviceAccountKey = publicKey

/** A user's consent. */
export const authorizedUser = (tokenUri: string) =>
  JSON.stringify({
    type: "authorized_user",
    client_id: "client",
    client_secret: "secret",
    refresh_token: "refresh",
    token_uri: tokenUri
  })
