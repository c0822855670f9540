import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type ApiError, apiError } from "../../../foundation/http/ApiError.ts"
import { type Call, fitted, fittedPage, optional, reading, tool, written } from "../Tool.ts"

/** The most sites on a page of a response, and in one read of the API. */
const [page, most] = [25, 100]

type Site = Effect.Effect.Success<ReturnType<Call["client"]["projects"]["get"]>>["data"]
type Listed = Effect.Effect.Success<ReturnType<Call["client"]["projects"]["list"]>>["data"][number]

/** All sites of the account, oldest first. */
const allSites = ({ client }: Call, query: { readonly include?: string } = {}) => {
  const from = (cursor: string | undefined): ReturnType<typeof step> => step(cursor)
  const step = (cursor: string | undefined): Effect.Effect<ReadonlyArray<Listed>, ListError> =>
    Effect.flatMap(
      client.projects.list({ query: { limit: most, ...query, ...(cursor === undefined ? {} : { cursor }) } }),
      ({ data, meta: { next_cursor: next } }) =>
        next === undefined ? Effect.succeed(data) : Effect.map(from(next), (rest) => [...data, ...rest])
    )
  return step(undefined)
}

type ListError = Effect.Effect.Error<ReturnType<Call["client"]["projects"]["list"]>>

/** The host of a URL, or of text with a host. */
const hostOf = (text: string) => {
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`
  return URL.canParse(address) ? new URL(address).host : text
}

const bare = (host: string) => host.replace(/^www\./, "")

const missing = (named: string) =>
  apiError("not_found", `No site matches ${named.slice(0, 200)}. Call list_sites, or add_site to add it`)

const ambiguous = (sites: ReadonlyArray<Site>) => {
  const message = `matches ${sites.length} sites. Pass one of these ids: ${sites.map(({ id }) => id).join(", ")}`
  return apiError("validation_error", `site ${message}`, { details: [{ message, path: "site" }] })
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The site of an id, a host or a URL. */
export const siteOf = (call: Call, named: string) =>
  Effect.gen(function* () {
    if (uuid.test(named)) return (yield* call.client.projects.get({ path: { project_id: named } })).data
    const sites = yield* allSites(call)
    const host = hostOf(named)
    const found = [
      sites.filter(({ url }) => url === named || url === `${named}/`),
      sites.filter((site) => site.host === host),
      sites.filter((site) => bare(site.host) === bare(host))
    ].find(({ length }) => length > 0)
    const [site] = found ?? []
    if (found === undefined || site === undefined) return yield* missing(named)
    return found.length > 1 ? yield* ambiguous(found.slice(0, 5)) : site
  })

const unnamed = apiError("validation_error", "site is required: the account has more than one", {
  details: [{ message: "is required unless run is set", path: "site" }]
})

const unmeasured = apiError("not_found", "The site has no finished crawl yet: call start_run")

/** The id of the named run; by default the site's, or the only site's, newest run that ended with a result. */
export const runOf = (
  call: Call,
  { run, site }: { readonly run?: string | undefined; readonly site?: string | undefined }
) =>
  Effect.gen(function* () {
    if (run !== undefined) return run
    const { id } = site === undefined ? yield* onlySite(call) : yield* siteOf(call, site)
    const { data } = yield* call.client.siteHealth.latest({ path: { project_id: id } })
    return data.run === null ? yield* unmeasured : data.run.id
  })

const onlySite = ({ client }: Call) =>
  Effect.flatMap(
    client.projects.list({ query: { limit: 2 } }),
    ({ data: [site, other] }): Effect.Effect<Site, ApiError<"not_found" | "validation_error">> =>
      site === undefined ? missing("yet") : other === undefined ? Effect.succeed(site) : unnamed
  )

/** Parameters of many tools. */
export const named = {
  run: optional(Schema.String, "Id of a run; default: the site's newest finished one"),
  site: optional(Schema.String, "Id, host or URL of a site")
}

export const cursor = optional(Schema.String, "next_cursor of the answer before")

/** The parts of a list of sites that the key may read. */
const included = ({ grants }: Call) =>
  [...(grants("site-health:read") ? ["health"] : []), ...(grants("keywords:read") ? ["rankings"] : [])].join(",")

const row = ({ host, id, name, url }: Site) => ({ id, name, url, host })

/** A site with its newest result, its current run and its rankings, if the key may read them. */
const listed = ({ health, rankings, ...site }: Listed) => ({
  ...row(site),
  newest_run:
    health === undefined || health.run_id === null
      ? null
      : {
          id: health.run_id,
          status: health.status,
          finished_at: health.finished_at,
          score: health.score,
          delta: health.delta,
          findings: health.findings
        },
  running_run: health?.running_run_id ?? null,
  rankings: rankings ?? null
})

export const listSites = tool(
  {
    annotations: reading,
    description:
      "Lists the account's sites with the newest run of each (id, status, score) and whether rankings are there. Start here.",
    name: "list_sites",
    title: "List sites"
  },
  Schema.Struct({ cursor, host: optional(Schema.String, "Only hosts that contain this") }),
  ({ cursor, host }, call) =>
    Effect.gen(function* () {
      const include = included(call)
      const query = include === "" ? {} : { include }
      if (host !== undefined) {
        const wanted = host.toLowerCase()
        const found = (yield* allSites(call, query)).filter((site) => site.host.includes(wanted))
        return yield* fitted(found.length, (rows) => ({
          total: found.length,
          next_cursor: null,
          ...(rows < found.length && { left_out: `${found.length - rows} sites: pass more of the host` }),
          rows: found.slice(0, rows).map(listed)
        }))
      }
      const total = (yield* allSites(call)).length
      return yield* fittedPage(page, (limit) =>
        Effect.map(
          call.client.projects.list({ query: { limit, ...query, ...(cursor === undefined ? {} : { cursor }) } }),
          ({ data, meta }) => ({ total, next_cursor: meta.next_cursor ?? null, rows: data.map(listed) })
        )
      )
    })
)

export const addSite = tool(
  {
    annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
    description:
      "Adds a site by its URL so that it can be crawled; one that is there already is returned. Needs the scope projects:write.",
    name: "add_site",
    title: "Add a site"
  },
  Schema.Struct({ url: Schema.String.annotations({ description: "http(s) URL of the start page" }) }),
  ({ url }, call) =>
    Effect.gen(function* () {
      if (!call.grants("projects:write")) {
        return yield* apiError("insufficient_scope", "The API key lacks the scope projects:write")
      }
      const known = (yield* allSites(call)).find(({ host }) => host === hostOf(url))
      const site = known ?? (yield* call.client.projects.create({ body: { url } })).data
      return yield* written({ ...row(site), created: known === undefined })
    })
)
