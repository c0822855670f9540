import type { Reply } from "../../server.ts"

/** One request of the walk: what came back, and what a proxy that compares with the document has against it. */
export interface Step {
  readonly step: string
  readonly answer: string
  readonly violations: string
}

const site = (pathname: string) =>
  pathname === "/dead" || pathname === "/robots.txt"
    ? new Response("<title>gone</title>", { headers: { "content-type": "text/html" }, status: 404 })
    : new Response(`<title>${pathname}</title><h1>a page</h1><a href="/a">a</a><a href="/dead">dead</a>`, {
        headers: { "content-type": "text/html" }
      })

const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value))

/**
 * Every operation of the contract that can succeed, and the refusals that a caller meets, one after the other. `POST /audits` is left out: in place of a
 * 501 the proxy makes up an answer of its own.
 */
export const walk = async (base: string, key: string): Promise<ReadonlyArray<Step>> => {
  const steps: Array<Step> = []
  const local = Bun.serve({
    fetch: ({ method, url }) => (method === "POST" ? new Response("thanks") : site(new URL(url).pathname)),
    hostname: "127.0.0.1",
    port: 0
  })
  const ask = async (
    status: number,
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {}
  ): Promise<Reply["body"]> => {
    const isFile = body instanceof Uint8Array
    const response = await fetch(`${base}${path}`, {
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": isFile ? "application/octet-stream" : "application/json" }),
        ...more
      },
      method,
      ...(body === undefined ? {} : { body: isFile ? Buffer.from(body) : JSON.stringify(body) })
    })
    const said = await response.text()
    const answer = /\/(?:problem\+)?json/.test(response.headers.get("content-type") ?? "")
      ? JSON.parse(said || "null")
      : said
    const isProxy =
      typeof answer === "object" && answer !== null && "type" in answer && /stoplight/.test(text(answer.type))
    const wrong = isProxy ? said : (response.headers.get("sl-violations") ?? "")
    const violations =
      response.status === status ? wrong : `${response.status} instead of ${status}: ${said.slice(0, 1500)}`
    steps.push({ answer: `${response.status}`, step: `${method} ${path}`, violations })
    return answer
  }
  const v1 = "/api/v1"
  try {
    for (const path of [
      "/healthz",
      "/readyz",
      "/metrics",
      `${v1}/openapi.json`,
      `${v1}/key`,
      `${v1}/rules`,
      `${v1}/event-types`
    ])
      await ask(200, "GET", path)

    const { data: project } = await ask(201, "POST", `${v1}/projects`, { url: local.url.origin })
    await ask(200, "POST", `${v1}/projects`, { name: "again", url: local.url.origin })
    await ask(200, "GET", `${v1}/projects?limit=1`)
    const own = `${v1}/projects/${project.id}`
    await ask(200, "GET", own)
    await ask(200, "PATCH", own, { brand_terms: ["acme"], name: "Acme" })
    await ask(200, "GET", `${own}/site-health/latest`)

    const webhook = { description: "ours", events: ["audit.completed"], url: `${local.url.origin}/hook` }
    const { data: hook } = await ask(201, "POST", `${v1}/webhooks`, webhook, { "idempotency-key": crypto.randomUUID() })
    const hooks = `${v1}/webhooks/${hook.id}`
    await ask(200, "GET", `${v1}/webhooks`)
    await ask(200, "GET", hooks)
    await ask(200, "PATCH", hooks, { description: null })
    await ask(200, "POST", `${hooks}/ping`, { verify_rejection: true })
    await ask(200, "POST", `${hooks}/rotate-secret`)

    const once = { "idempotency-key": crypto.randomUUID() }
    const runs = `${own}/site-health/runs`
    const { data: started } = await ask(202, "POST", runs, { max_pages: 5 }, once)
    await ask(200, "POST", runs, { max_pages: 5 }, once)
    await ask(409, "POST", runs, { max_pages: 6 }, once)
    const run = `${v1}/runs/${started.id}`
    await ask(200, "GET", run, undefined, { prefer: "wait=20" })
    for (const path of ["?include=result", "/pages", "/findings?status=fail", "/fixes"])
      await ask(200, "GET", `${run}${path}`)
    await ask(200, "GET", `${run}/pages`, undefined, { accept: "text/csv" })
    await ask(200, "GET", `${run}/findings`, undefined, { accept: "application/x-ndjson" })
    await ask(409, "POST", `${run}/cancel`)
    const { data: verified } = await ask(202, "POST", `${run}/verify`, {})
    await ask(200, "GET", `${v1}/runs/${verified.id}?include=result`, undefined, { prefer: "wait=20" })
    const { data: second } = await ask(202, "POST", runs)
    await ask(200, "GET", `${v1}/runs/${second.id}`, undefined, { prefer: "wait=20" })
    await ask(200, "GET", `${v1}/runs/${second.id}/diff`)
    await ask(200, "GET", `${runs}?limit=1`)
    await ask(200, "GET", `${own}/site-health/latest`)

    const { data: schedule } = await ask(201, "POST", `${own}/site-health/schedules`, { every: "1d" })
    await ask(200, "GET", `${own}/site-health/schedules`)
    await ask(200, "GET", `${own}/site-health/schedules/${schedule.id}`)
    await ask(200, "PATCH", `${own}/site-health/schedules/${schedule.id}`, { every: "2d" })
    await ask(204, "DELETE", `${own}/site-health/schedules/${schedule.id}`)

    const csv = `Date,Query,Page,Clicks,Impressions,Position\n2026-11-01,shoes,${local.url.origin}/a,1,20,3\n`
    const file = new TextEncoder().encode(csv)
    const { data: imported } = await ask(202, "POST", `${own}/rankings/imports?format=gsc-csv`, file)
    await ask(200, "GET", `${own}/rankings/imports`)
    for (let status = "queued"; status === "queued" || status === "running"; await Bun.sleep(100)) {
      status = (await ask(200, "GET", `${own}/rankings/imports/${imported.id}`)).data.status
    }
    const { data: keywords } = await ask(200, "GET", `${v1}/keywords?site_id=${project.id}&status=new`)
    await ask(200, "GET", `${v1}/keywords/${keywords[0]?.id}`)
    await ask(200, "GET", `${v1}/keywords/${keywords[0]?.id}/series`)
    for (const by of ["date", "page", "query"]) await ask(200, "GET", `${own}/performance?by=${by}`)
    await ask(200, "GET", `${own}/cannibalisation`)
    await ask(404, "GET", `${own}/rankings/source`)

    await ask(200, "GET", `${v1}/audits`)
    await ask(404, "GET", `${v1}/audits/${crypto.randomUUID()}`)
    const { data: audits } = await ask(201, "POST", `${v1}/audit-schedules`, {
      every: "1d",
      url: "https://example.com"
    })
    await ask(200, "GET", `${v1}/audit-schedules`)
    await ask(200, "GET", `${v1}/audit-schedules/${audits.id}`)
    await ask(200, "PATCH", `${v1}/audit-schedules/${audits.id}`, { every: "2d" })
    await ask(204, "DELETE", `${v1}/audit-schedules/${audits.id}`)

    const { data: growth } = await ask(201, "POST", `${v1}/growth-projects`, { domain: "example.com" })
    await ask(200, "GET", `${v1}/growth-projects`)
    await ask(200, "GET", `${v1}/growth-projects/${growth.id}`)
    const experiment = { name: "Titles", project_id: growth.id }
    const { data: made } = await ask(201, "POST", `${v1}/experiments`, experiment)
    await ask(200, "GET", `${v1}/experiments?status=draft`)
    await ask(200, "GET", `${v1}/experiments/${made.id}`)
    await ask(200, "POST", `${v1}/experiments/${made.id}/start`)
    const arm = { postConversions: 60, postImpressions: 1000, preConversions: 40, preImpressions: 1000 }
    const metrics = { controlMetrics: { ...arm, postConversions: 41 }, treatmentMetrics: arm }
    await ask(200, "POST", `${v1}/experiments/${made.id}/evaluate`, metrics)
    await ask(409, "POST", `${v1}/experiments/${made.id}/evaluate`, metrics)

    const { data: events } = await ask(200, "GET", `${v1}/events?type=audit.completed`)
    await ask(200, "GET", `${v1}/events/${events[0]?.id}`)
    const { data: deliveries } = await ask(200, "GET", `${hooks}/deliveries`)
    await ask(200, "GET", `${hooks}/deliveries/${deliveries[0]?.id}`)
    await ask(202, "POST", `${hooks}/deliveries/${deliveries[0]?.id}/redeliver`)
    await ask(202, "POST", `${hooks}/recover`, { since: "2026-11-01T00:00:00Z" })
    await ask(204, "DELETE", hooks)
    await ask(404, "GET", hooks)
    await ask(401, "GET", `${v1}/projects`, undefined, { authorization: "Bearer fnd_live_unknown" })
    await ask(401, "GET", `${v1}/runs/${started.id}`, undefined, { authorization: "Bearer fnd_live_unknown" })
  } finally {
    await local.stop(true)
  }
  return steps
}
