import { gzipSync } from "node:zlib"
import { check, node as element, report, table } from "../../features/audits/reports.ts"
import { insider } from "../attackers.ts"
import { type Node, site, until } from "../node.ts"
import type { Postgres } from "../postgres.ts"
import * as Shop from "./shop.ts"

/** Foreign text that would run as markup, and would leave a trace in the page. */
export const markup = "<img src=x onerror=globalThis.hurt=1>"

const escaped = markup.replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** Queries of the largest site, and number of sites of the account with everything. */
export const queries = 100_000
export const sites = 12

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)

const csv = (columns: string, lines: ReadonlyArray<string>) => gzipSync(`${[columns, ...lines].join("\n")}\n`)

const byQuery = "Date,Query,Page,Clicks,Impressions,Position"

/** Ten weeks of a few queries: one with markup that gains positions, one that two pages compete for, one that is lost, and one at position 3 for comparison. */
const someQueries = () =>
  csv(
    byQuery,
    Array.from({ length: 70 }, (_, n) => 73 - n).flatMap((ago) => [
      `${day(ago)},${markup},https://shop.example/a,5,90,${ago > 35 ? 9 : 7.5}`,
      `${day(ago)},shoes,https://shop.example/${ago % 2 ? "b" : "c"},3,400,6`,
      `${day(ago)},boots,https://shop.example/a,40,400,2`,
      `${day(ago)},heels,https://shop.example/e,28,400,3`,
      ...(ago > 40 ? [`${day(ago)},sandals,https://shop.example/d,2,40,12`] : [])
    ])
  )

const manyQueries = (origin: string) =>
  csv(
    byQuery,
    Array.from({ length: queries }, (_, n) => `${day(4)},query ${n},${origin}/${n % 500},1,20,${1 + (n % 40)}`)
  )

/** Totals of two folders with forty weeks of history; the blog gains 30 % from a change on, 60 days ago. */
const totals = () =>
  csv(
    "Date,Page,Clicks,Impressions,Position",
    Array.from({ length: 300 }, (_, n) => 303 - n).flatMap((ago) =>
      Array.from({ length: 20 }, (_, page) => {
        const isBlog = page % 2 === 0
        const noise = 0.8 + 0.4 * (((page * 7919 + ago * 104_729) % 997) / 997)
        const clicks = Math.round((50 + 8 * page) * noise * (isBlog && ago <= 60 ? 1.3 : 1))
        return `${day(ago)},https://shop.example/${isBlog ? "blog" : "shop"}/${page},${clicks},${clicks * 20 + 50},4.5`
      })
    )
  )

/** A site with broken links and pages without titles, whose own title is markup; `change` fixes some issues and adds others. */
export const faulty = () => {
  let isChanged = false
  const page = (title: string, body: string) =>
    new Response(`<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${body}</html>`, {
      headers: { "content-type": "text/html; charset=utf-8" }
    })
  const server = Bun.serve({
    fetch: ({ url }) => {
      const { pathname } = new URL(url)
      if (pathname === "/")
        return page(escaped, `<a href="/${isChanged ? "gone" : "dead"}">x</a><a href="/a">a</a><a href="/b">b</a>`)
      if (pathname === "/a") return page("", '<a href="/">home</a>')
      if (pathname === "/b" && !isChanged) return page(escaped, '<a href="/">home</a>')
      return new Response("", { status: 404 })
    },
    hostname: "127.0.0.1",
    port: 0
  })
  return {
    change: () => {
      isChanged = true
    },
    stop: () => server.stop(true),
    url: server.url.href
  }
}

/** An endpoint that fails every delivery, and responds with a text. */
const refusing = (text: string) => {
  const server = Bun.serve({
    fetch: () => new Response(text, { status: 500 }),
    hostname: "127.0.0.1",
    port: 0
  })
  return { stop: () => server.stop(true), url: `${server.url.href}hooks` }
}

/** The scopes of the first start's link, without the server's. */
const everything = ["*", "site-health:write", "geo:write", "interventions:write", "keys:manage"]

const sender = (node: Node, key: string) => async (method: string, path: string, body?: unknown) => {
  const answer = await node.ask(method, `/api/v1${path}`, { body, key })
  if (answer.status >= 400 || answer.status === 0)
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body.data
}
type Send = ReturnType<typeof sender>

const importing = async (node: Node, key: string, site: string, file: Uint8Array<ArrayBuffer>) => {
  const response = await fetch(`${node.base}/api/v1/projects/${site}/rankings/imports?format=gsc-csv`, {
    body: file,
    headers: { authorization: `Bearer ${key}` },
    method: "POST"
  })
  const { data } = Object(await response.json())
  const read = () => sender(node, key)("GET", `/projects/${site}/rankings/imports/${data.id}`)
  await until(async () => (await read()).finished_at !== null, 300, 200)
  const { error } = await read()
  if (error !== null) throw new Error(`The import failed: ${JSON.stringify(error)}`)
}

/** Imports backlinks from pages that nobody checks. */
const linking = async (node: Node, key: string, site: string, rows: string) => {
  const response = await fetch(`${node.base}/api/v1/projects/${site}/backlinks/imports`, {
    body: `${rows}\n`,
    headers: { authorization: `Bearer ${key}` },
    method: "POST"
  })
  const { data } = Object(await response.json())
  const read = () => sender(node, key)("GET", `/projects/${site}/backlinks/imports/${data.id}`)
  await until(async () => (await read()).finished_at !== null, 60, 100)
}

/** Crawls of a site with different issues, and one recheck. */
const runsOf = async (send: Send, project: string, change: () => void, crawls = 2) => {
  const ended = async (id: string) => {
    await until(async () => (await send("GET", `/runs/${id}`)).finished_at !== null, 120, 100)
    return id
  }
  const run = async () => ended((await send("POST", `/projects/${project}/site-health/runs`, {})).id)
  for (let n = 1; n < crawls; n++) {
    await run()
    change()
  }
  const last = await run()
  const { result } = await send("GET", `/runs/${last}?include=result`)
  const { rule } = result.findings.find(({ status }: { readonly status: string }) => status === "fail")
  const verification = await ended((await send("POST", `/runs/${last}/verify`, { rules: [rule] })).id)
  return { run: last, verification }
}

const audit = (fetchTime: string) =>
  report(
    {
      accessibility: { "image-alt": check(0, { details: table({ node: element("main > img") }) }) },
      performance: { "largest-contentful-paint": check(0.5, { numericValue: 3000 }) }
    },
    { fetchTime }
  )

const experimentsOf = async (send: Send, site_id: string, domain: string, waiting: string) => {
  const { id: project_id } = await send("POST", "/growth-projects", { domain })
  const design = {
    change_date: day(60),
    control: { pattern: "/shop/*" },
    metric: "clicks",
    post_days: 28,
    pre_days: 28,
    settle_days: 7,
    site_id,
    treatment: { pattern: "/blog/*" }
  }
  const draft = (await send("POST", "/experiments", { design, name: waiting, project_id })).id
  const judged = (await send("POST", "/experiments", { design, name: "Shorter titles", project_id })).id
  await send("POST", `/experiments/${judged}/start`)
  await send("POST", `/experiments/${judged}/evaluate`, {})
  const later = { ...design, change_date: day(25) }
  const running = (await send("POST", "/experiments", { design: later, name: "Breadcrumbs", project_id })).id
  await send("POST", `/experiments/${running}/start`)
  return { draft, judged, running }
}

/** What an account with data on every screen holds: the crawled site and the one with search data, and texts of others. */
interface World {
  /** Text of others, on every screen. */
  readonly text: string
  readonly names: Readonly<Record<"many" | "other" | "site" | "unreachable", string | undefined>>
  /** The site with many queries. */
  readonly large: string
  /** Number of sites; those without anything fill the list. */
  readonly sites: number
  readonly host: string
  readonly serve: typeof faulty
  readonly crawls: number
  /** The site with search data, which may be the crawled one. */
  readonly shopOf: (
    crawled: { readonly account: string; readonly id: string; readonly url: string },
    send: Send
  ) => Promise<string>
  /** Gives sites and the endpoint on the loopback interface the hosts that readers see. */
  /** What the screens of others' texts show. */
  readonly shown: Readonly<Record<"change" | "domain" | "link" | "prompt" | "query", string>>
  readonly rename: (of: Readonly<Record<"other" | "unreachable" | "webhook", string>>) => Promise<void>
  readonly tables: () => ReadonlyArray<Uint8Array<ArrayBuffer>>
  readonly audits: () => ReadonlyArray<unknown>
  readonly links: string
  readonly prompts: ReadonlyArray<string>
  readonly changes: ReadonlyArray<{ readonly summary: string; readonly url: string }>
  readonly webhook: string
  /** What the endpoint responds. */
  readonly refusal: string
  readonly keyword: string
}

/** Markup wherever others write. */
const hostile: World = {
  audits: () => ["01", "02"].map((day) => audit(`2026-11-${day}T10:00:00.000Z`)),
  changes: [{ summary: markup, url: "https://shop.example/a" }],
  crawls: 2,
  host: "shop.example",
  keyword: "onerror",
  large: "https://many.example",
  links: `Referring page URL\tDomain rating\tTarget URL\tAnchor\tNofollow\nhttps://links.example/a\t78\thttps://shop.example/a\t${markup}\ttrue`,
  names: { many: undefined, other: undefined, site: markup, unreachable: undefined },
  prompts: [markup],
  refusal: "<script>globalThis.hurt = 1</script>",
  rename: async () => {},
  serve: faulty,
  shown: { change: markup, domain: "links.example", link: markup, prompt: markup, query: markup },
  shopOf: async (_, send) => (await send("POST", "/projects", { url: "https://shop.example" })).id,
  sites,
  tables: () => [someQueries(), totals()],
  text: markup,
  webhook: markup
}

/** Gives a crawled site on the loopback interface the host of its shop, and its crawls a week between them. */
const moved = async (
  database: Postgres,
  { account, id, url }: { readonly account: string; readonly id: string; readonly url: string },
  host: string
) => {
  const { host: from, origin } = new URL(url)
  const to = `https://${host}`
  const text = (column: string) => `replace(replace(${column}::text, $2, $3), $4, $5)`
  const all = [id, origin, to, from, host]
  // A finished crawl is final, except for its seed.
  await database.query("ALTER TABLE site_health_runs DISABLE TRIGGER USER")
  await database.query("UPDATE projects SET url = $2, host = $3 WHERE id = $1", [id, `${to}/`, host])
  await database.query(`UPDATE site_health_schedules SET url = ${text("url")} WHERE project_id = $1`, all)
  await database.query(
    `UPDATE site_health_runs SET url = ${text("url")}, result = ${text("result")}::json WHERE project_id = $1`,
    all
  )
  await database.query(
    `UPDATE site_health_runs r SET created_at = created_at - age, started_at = started_at - age, finished_at = finished_at - age
     FROM (SELECT id, interval '7 days' * (row_number() OVER (ORDER BY created_at DESC) - 1) AS age
       FROM site_health_runs WHERE project_id = $1 AND verify IS NULL) AS ages WHERE ages.id = r.id`,
    [id]
  )
  await database.query("ALTER TABLE site_health_runs ENABLE TRIGGER USER")
  await database.query(`UPDATE events SET body = ${text("body")} WHERE account_id = $1`, [account, ...all.slice(1)])
}

/** A made-up shop, for pictures: its crawls, its search data and its links are those of one site, beside other shops. */
const plain = (database: Postgres): World => ({
  audits: Shop.reports,
  changes: Shop.changes,
  crawls: 5,
  host: Shop.tea.host,
  keyword: "green tea",
  large: "https://coastaloutfitters.example",
  links: Shop.linkRows,
  names: { many: "Coastal Outfitters", other: "Linden Garden", site: Shop.tea.name, unreachable: "Stone Bridge" },
  prompts: Shop.prompts,
  refusal: '{"error":"the channel is archived"}',
  rename: async ({ other, unreachable, webhook }) => {
    const named = "UPDATE projects SET host = $2 WHERE id = $1"
    await database.query(named, [other, "lindengarden.example"])
    await database.query(named, [unreachable, "stonebridge.example"])
    await database.query("UPDATE webhooks SET url = 'https://hooks.harbortea.example/findable' WHERE id = $1", [
      webhook
    ])
  },
  serve: () => Shop.serve(Shop.tea),
  shown: {
    change: Shop.changes[0]?.summary ?? "",
    domain: "teajournal.example",
    link: "teajournal.example",
    prompt: Shop.prompts[0] ?? "",
    query: "green tea"
  },
  shopOf: async (crawled, send) => {
    await moved(database, crawled, Shop.tea.host)
    for (const shop of Shop.others) {
      const { change, stop, url } = Shop.serve(shop)
      const { id } = await send("POST", "/projects", { name: shop.name, url })
      await runsOf(send, id, change)
      await stop()
      await moved(database, { account: crawled.account, id, url }, shop.host)
    }
    await database.query("UPDATE accounts SET name = $2 WHERE id = $1", [crawled.account, "Harbor Group"])
    return crawled.id
  },
  sites: 0,
  tables: () => [csv(byQuery, Shop.queryRows()), csv("Date,Page,Clicks,Impressions,Position", Shop.pageRows())],
  text: "Product names in titles",
  webhook: "Slack, search channel"
})

/** An account with data on every screen, and the ids of its things. */
const full = async (node: Node, database: Postgres, slow: string, world: World) => {
  const { account, key } = await insider(database, everything)
  const send = sender(node, key)
  const projectOf = async (url: string, name?: string) => (await send("POST", "/projects", { name, url })).id
  const { names } = world
  const crawled = world.serve()
  const hook = refusing(world.refusal)
  const project = await projectOf(crawled.url, names.site)
  await send("POST", `/projects/${project}/site-health/schedules`, { every: "30d" })
  const runs = await runsOf(send, project, crawled.change, world.crawls)
  const shop = await world.shopOf({ account, id: project, url: crawled.url }, send)
  const many = await projectOf(world.large, names.many)
  for (const table of world.tables()) await importing(node, key, shop, table)
  await importing(node, key, many, manyQueries(world.large))
  for (const report of world.audits()) await send("POST", "/audits/imports", report)
  const [audited] = await send("GET", "/audited-pages")
  const experiments = await experimentsOf(send, shop, world.host, world.text)
  await linking(node, key, shop, world.links)
  for (const text of world.prompts) await send("POST", `/projects/${shop}/geo/prompts`, { text })
  const changes: Array<string> = []
  for (const changed of world.changes)
    changes.push((await send("POST", `/projects/${shop}/interventions`, { connector: "recorded", ...changed })).id)
  const endpoint = { description: world.webhook, events: ["audit.completed"], url: hook.url }
  const webhook = (await send("POST", "/webhooks", endpoint)).id
  await send("POST", `/webhooks/${webhook}/test`, { type: "audit.completed" })
  await until(async () => (await send("GET", `/webhooks/${webhook}/deliveries`))[0]?.attempts[0]?.error, 60, 100)
  const [{ id: delivery }] = await send("GET", `/webhooks/${webhook}/deliveries`)
  const unreachable = await projectOf("http://127.0.0.1:2", names.unreachable)
  await send("POST", `/projects/${unreachable}/site-health/runs`, {})
  await until(async () => (await send("GET", "/events?type=site_health.failed")).length > 0, 60, 100)
  const [{ id: keyword }] = await send("GET", `/keywords?site_id=${shop}&query=${encodeURIComponent(world.keyword)}`)
  const other = await projectOf(slow, names.other)
  const listed = await send("GET", "/projects?limit=100")
  for (let n = listed.length; n < world.sites; n++) await projectOf(`https://idle-${n}.example`)
  return {
    ...experiments,
    ...runs,
    account,
    audited,
    change: String(changes[0]),
    delivery: String(delivery),
    key,
    keyword: String(keyword),
    /** Starts a crawl that takes long. A site that is renamed has another host than its server. */
    live: async (): Promise<string> => {
      const { id } = await send("POST", `/projects/${other}/site-health/runs`, {})
      await world.rename({ other, unreachable, webhook })
      return id
    },
    many,
    project,
    shop,
    sites: Math.max(listed.length, world.sites),
    stop: () => Promise.all([crawled, hook].map(({ stop }) => stop())),
    shown: world.shown,
    webhook
  }
}

/** An account with empty things. */
const bare = async (node: Node, database: Postgres, slow: string) => {
  const { key } = await insider(database)
  const send = sender(node, key)
  const project = (await send("POST", "/projects", { url: slow })).id
  const run = (await send("POST", `/projects/${project}/site-health/runs`, {})).id
  await send("POST", `/runs/${run}/cancel`)
  await until(async () => (await send("GET", `/runs/${run}`)).finished_at !== null, 120, 100)
  const { id: growth } = await send("POST", "/growth-projects", { domain: "bare.example" })
  const experiment = (await send("POST", "/experiments", { name: "Bare", project_id: growth })).id
  const webhook = (await send("POST", "/webhooks", { events: ["audit.completed"], url: `${slow}/hooks` })).id
  return { experiment, key, project, run, webhook }
}

/** Three accounts: one with everything, one with empty things, and one with nothing; a plain one has no text of others that would run. */
export const seed = async (node: Node, database: Postgres, isPlain = false) => {
  const slow = site(2000, 1500)
  const empty = await bare(node, database, slow.url)
  const everything = await full(node, database, slow.url, isPlain ? plain(database) : hostile)
  return {
    bare: empty,
    full: everything,
    nothing: await insider(database),
    stop: () => Promise.all([everything.stop(), slow.stop()])
  }
}
export type Seed = Awaited<ReturnType<typeof seed>>
