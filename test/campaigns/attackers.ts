import { createHash, randomBytes } from "node:crypto"
import { type Node, until } from "./node.ts"
import type { Postgres } from "./postgres.ts"

const everything = ["*", "site-health:write"]

/** A key with all scopes or the given ones, written into the database, because the command line would take a process for each. */
export const keyOf = async (
  { query }: Pick<Postgres, "query">,
  account: string,
  scopes: ReadonlyArray<string> = everything
) => {
  const key = `fnd_live_${randomBytes(24).toString("base64url")}`
  await query(
    "INSERT INTO api_keys (account_id, hash, display, mode, scopes) VALUES ($1, $2, 'fnd_live_…', 'live', $3)",
    [account, createHash("sha256").update(key).digest(), scopes]
  )
  return key
}

/** A new account with such a key, written into the database too. */
export const insider = async (database: Pick<Postgres, "query">, scopes?: ReadonlyArray<string>) => {
  const [{ id }] = await database.query(
    "INSERT INTO accounts (name, plan) VALUES ('campaign', 'agency_team') RETURNING id"
  )
  return { account: String(id), key: await keyOf(database, id, scopes) }
}

/** One operation of the contract, as its OpenAPI document has it. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly in: string }>
  readonly body: Readonly<Record<string, unknown>>
}

/** Every operation that needs a key. */
export const operationsOf = async (node: Node): Promise<ReadonlyArray<Operation>> => {
  const { body: document } = await node.ask("GET", "/api/v1/openapi.json")
  // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
  const resolved = (schema: any): any =>
    schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1)]
  const found: Array<Operation> = []
  for (const [path, item] of Object.entries<Record<string, never>>(document.paths)) {
    for (const [method, operation] of Object.entries<Record<string, never>>(item)) {
      if (!path.startsWith("/api/v1/") || path.endsWith("openapi.json")) continue
      const { content } = Object(operation.requestBody)
      found.push({
        body: resolved(Object(Object(content)["application/json"]).schema)?.properties ?? {},
        method: method.toUpperCase(),
        parameters: operation.parameters ?? [],
        path
      })
    }
  }
  return found
}

const csv = [
  "Date,Query,Page,Clicks,Impressions,CTR,Position",
  "2026-10-08,shoes,/a,1,20,5%,3",
  "2026-10-01,shoes,/a,1,20,5%,9"
]

/** Things of every kind that belong to one account, by the path parameter of their id. */
export const belongings = async (node: Node, key: string, site: string, hook: string) => {
  const post = async (path: string, body: unknown) =>
    (await node.ask("POST", `/api/v1${path}`, { body, key })).body.data
  const project: string = (await post("/projects", { url: site })).id
  const webhook = await post("/webhooks", { events: ["audit.completed", "audit.failed"], url: hook })
  const run: string = (await post(`/projects/${project}/site-health/runs`, { max_pages: 3 })).id
  const schedule = await post(`/projects/${project}/site-health/schedules`, { every: "30d" })
  const auditSchedule = await post("/audit-schedules", { every: "30d", url: site })
  const growth = await post("/growth-projects", { domain: "a.example" })
  const experiment = await post("/experiments", { name: "e", project_id: growth?.id })
  const imported = await fetch(`${node.base}/api/v1/projects/${project}/rankings/imports?format=gsc-csv`, {
    body: csv.join("\n"),
    headers: { authorization: `Bearer ${key}`, "content-type": "text/csv" },
    method: "POST"
  })
  const importId: string | undefined = Object(await imported.json()).data?.id
  const read = async (path: string) => (await node.ask("GET", `/api/v1${path}`, { key })).body.data
  await until(async () => (await read(`/runs/${run}`)).finished_at !== null, 90, 1000)
  // Two crawls end: this one, and the first of the schedule.
  await until(async () => (await read("/events")).length > 1, 60, 500)
  await until(async () => (await read(`/webhooks/${webhook.id}/deliveries`)).length > 0, 30, 500)
  await until(async () => (await read("/keywords")).length > 0, 60, 1000).catch(() => 0)
  const [event] = await read("/events")
  const [delivery] = await read(`/webhooks/${webhook.id}/deliveries`)
  const [keyword] = await read("/keywords")
  const ids: Readonly<Record<string, string | undefined>> = {
    audit_schedule: auditSchedule?.id,
    delivery_id: delivery?.id,
    event_id: event?.id,
    experiment: experiment?.id,
    growth: growth?.id,
    import_id: importId,
    keyword: keyword?.id,
    project_id: project,
    run_id: run,
    schedule_id: schedule?.id,
    webhook_id: webhook.id
  }
  return ids
}

/** The path of an operation with ids filled in; the path segment before a bare `id` shows its kind. */
export const pathWith = (path: string, ids: Readonly<Record<string, string | undefined>>) =>
  path.replace(/([\w-]+)\/\{(\w+)\}/g, (_, collection: string, name: string) => {
    const byCollection: Readonly<Record<string, string>> = {
      "audit-schedules": "audit_schedule",
      events: "event_id",
      experiments: "experiment",
      "growth-projects": "growth",
      imports: "import_id",
      keywords: "keyword"
    }
    const kind = byCollection[collection] ?? name
    return `${collection}/${ids[kind] ?? "00000000-0000-0000-0000-000000000000"}`
  })
