import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import {
  element,
  enter,
  fill,
  has,
  type Look,
  look,
  looks,
  main,
  measured,
  picture,
  press,
  refusal,
  settled,
  violations,
  visit,
  watchShifts
} from "../app/console/shown.ts"
import { chromium, type FalseAnswer, type Tab, tab } from "../browser.ts"
import { type Operation, operationsOf } from "./attackers.ts"
import { faulty, queries, type Seed, seed } from "./console/seed.ts"
import { type Node, node, spawn, until } from "./node.ts"
import { postgres } from "./postgres.ts"

/** A step on the way, in seconds since the server was started. */
export type Moment = readonly [what: string, seconds: number]

/** The first five minutes of a new user: an empty folder, the first start with its database, its link, a URL, and the worst issue with its fix. */
export const firstFinding = async (browser: Tab, site: string): Promise<ReadonlyArray<Moment>> => {
  const folder = mkdtempSync(join(tmpdir(), "findable-first-"))
  const began = performance.now()
  const moments: Array<Moment> = []
  const reached = (what: string) => moments.push([what, (performance.now() - began) / 1000])
  const { child, output } = spawn("main.ts", { FINDABLE_DATA_DIR: join(folder, "data") })
  const link = () => /http:\S+\/console#login=[\w-]+/.exec(output())?.[0]
  try {
    await until(() => child.exitCode !== null || link() !== undefined, 120)
    if (child.exitCode !== null) throw new Error(`The node ended with ${child.exitCode}: ${output()}`)
    reached("the node answers, and prints the link")
    await look(browser, { scheme: "light", width: 1200 })
    await browser.send("Page.navigate", { url: link() })
    await browser.until(`location.protocol === "http:" && ${settled} && ${main}.includes("Add your first site")`)
    reached("the link is opened, and the console asks for a site")
    await fill(browser, "Website URL", site)
    const ended = `/^#\\/sites\\/.*\\/health\\/./.test(location.hash) && ${main}.includes("Top fixes") && ${settled}`
    await until(() => browser.evaluate(ended), 120)
    reached("its run has ended")
    await press(browser, element("summary", "Broken link"))
    await press(browser, element("summary", "Prompt for a coding agent"))
    await browser.until(`${element("button", "Copy prompt")} !== undefined && ${settled}`)
    reached("the worst finding is on the screen, with its repair")
  } finally {
    child.kill("SIGTERM")
    await child.exited
    rmSync(folder, { force: true, recursive: true })
  }
  return moments
}

/** Maximum DOM nodes of a screen before a reader opens more of it. */
const nodesAtMost = 600

/** The maximum time until a screen shows its data. */
const secondsAtMost = 60

/** The problem with a URL that is neither in the contract nor in the console. */
export const strangeness = (base: string, operations: ReadonlyArray<Operation>) => {
  const known = operations.map(({ parameters, path }) => ({
    names: parameters.filter((one) => one.in === "query").map(({ name }) => name),
    pattern: new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`)
  }))
  return (address: string): string | null => {
    const { origin, pathname, protocol, searchParams } = new URL(address)
    if (["about:", "data:"].includes(protocol)) return null
    if (origin !== base) return `another origin: ${address}`
    if (/^\/console(\/[\w-]+\.(css|js))?$/.test(pathname)) return null
    const paths = known.filter(({ pattern }) => pattern.test(pathname))
    if (paths.length === 0) return `not in the contract: ${pathname}`
    const lacking = [...searchParams.keys()].filter((name) => !paths.some(({ names }) => names.includes(name)))
    return lacking.length === 0 ? null : `parameters that the contract lacks: ${pathname} ${lacking.join(", ")}`
  }
}

const shape = `({
  ...${measured},
  headings: document.querySelectorAll("h1").length,
  foreign: document.querySelectorAll("body img, body script, body iframe").length,
  wasHurt: globalThis.hurt !== undefined
})`

/** How far a screen may move while it loads, as Cumulative Layout Shift. */
const shiftAtMost = 0.1

/** The windows of the pictures of guides. */
const pictureLooks: ReadonlyArray<Look> = [
  { scheme: "light", width: 1280 },
  { scheme: "dark", width: 390 }
]

/** Opens closed parts until all are open, like a reader who wants to see everything. */
const openAll = async ({ evaluate }: Tab) => {
  for (;;) {
    const closed = await evaluate(`(() => {
      const closed = [...document.querySelectorAll("details:not([open]) > summary")]
      for (const one of closed) one.click()
      return closed.length
    })()`)
    if (closed === 0) return
    await until(() => evaluate(settled), secondsAtMost)
  }
}

/** Goes to a screen, which is reset, and waits until a condition is true. */
export const reach = async ({ evaluate }: Tab, hash: string, isThere: string) => {
  await evaluate(`location.hash = "#/elsewhere"`)
  await until(() => evaluate(`document.title.startsWith("Page not found")`), secondsAtMost)
  await evaluate(`location.hash = ${JSON.stringify(hash)}`)
  await until(() => evaluate(`(${isThere}) && ${settled}`), secondsAtMost)
}

/** The problems of a screen in both windows after sign-in; `keep` is called with the screen as a reader first sees it. */
export const judge =
  (browser: Tab, strange: (address: string) => string | null) =>
  async (
    arrive: () => Promise<void>,
    keep?: (look: Look) => Promise<void>,
    moved: (shift: number) => void = () => {}
  ): Promise<ReadonlyArray<string>> => {
    const { complaints, evaluate, requested } = browser
    const [asked, complained] = [requested.length, complaints.length]
    try {
      await look(browser, looks[0] ?? { scheme: "light", width: 1200 })
      await evaluate("globalThis.shift = 0")
      await arrive()
    } catch {
      return [`it never came, but: ${String(await evaluate(main)).slice(0, 300)}`]
    }
    const faults: Array<string> = []
    const shift: number = (await evaluate("globalThis.shift")) ?? 0
    moved(shift)
    if (shift > shiftAtMost) faults.push(`moves while it loads: ${shift.toFixed(2)}`)
    const { nodes } = await evaluate(measured)
    if (nodes > nodesAtMost) faults.push(`${nodes} nodes`)
    if (keep !== undefined) {
      for (const one of pictureLooks) {
        await look(browser, one)
        await keep(one)
      }
    }
    await openAll(browser)
    for (const one of looks) {
      await look(browser, one)
      // Charts follow the window in a later frame.
      await until(() => evaluate(`${measured}.fits`), 2).catch(() => undefined)
      const { dark, fits, foreign, headings, wasHurt } = await evaluate(shape)
      if (!fits) faults.push(`${one.width}: wider than its window`)
      if (dark !== (one.scheme === "dark")) faults.push(`${one.width}: not ${one.scheme}`)
      if (headings !== 1) faults.push(`${headings} h1`)
      if (foreign > 0 || wasHurt) faults.push("a text became markup")
      for (const violation of await violations(browser)) faults.push(`${one.width}: ${violation.slice(0, 200)}`)
    }
    for (const address of requested.slice(asked)) {
      const wrong = strange(address)
      if (wrong !== null) faults.push(wrong)
    }
    // The browser also reports each error status, which is the server's choice.
    for (const text of complaints.slice(complained))
      if (!text.startsWith("Failed to load resource: the server responded with a status")) faults.push(text)
    return [...new Set(faults)]
  }

/** The path of a screen, and words on it when it shows its data. */
export interface Place {
  readonly hash: string
  readonly says: string
}

/** A screen, with data and, where that state exists, without, as seen by the matching account. */
export interface Screen {
  readonly name: string
  readonly data: Place
  readonly empty?: Place & { readonly as: "bare" | "nothing" }
  /** The screen sends no API request, so nothing can be refused. */
  readonly isStill?: boolean
}

/** All screens of the console, and states of one screen that look different. */
export const screensOf = ({ bare, full }: Seed, live: string): ReadonlyArray<Screen> => {
  const [ofBare, ofShop] = [`#/sites/${bare.project}`, `#/sites/${full.shop}`]
  const shop = `${ofShop}/search`
  const health = `#/sites/${full.project}/health`
  const [audits, experiments] = [`#/sites/${full.shop}/audits`, `#/sites/${full.shop}/experiments`]
  const { device, url } = full.audited
  return [
    { data: { hash: `${health}/${live}`, says: "of up to" }, name: "run, live" },
    {
      data: { hash: "#/sites", says: `of ${full.sites} sites` },
      empty: { as: "nothing", hash: "#/sites", says: "Add your first site" },
      name: "sites"
    },
    {
      data: { hash: `#/sites/${full.project}`, says: "Top fix" },
      empty: { as: "bare", hash: `#/sites/${bare.project}`, says: "A crawl gives a score" },
      name: "site"
    },
    {
      data: { hash: `${health}/${full.run}`, says: "Top fixes" },
      empty: { as: "bare", hash: `#/sites/${bare.project}/health/${bare.run}`, says: "No report was saved" },
      name: "run"
    },
    { data: { hash: `${health}/${full.run}?view=pages`, says: "Search URL or title" }, name: "pages of a run" },
    { data: { hash: `${health}/${full.run}?view=links`, says: "checked" }, name: "links of a run" },
    { data: { hash: `${health}/${full.run}?view=access`, says: "Googlebot" }, name: "access of a run" },
    { data: { hash: `${health}/${full.verification}`, says: "Fixed: 0 of" }, name: "run, verification" },
    {
      data: { hash: `${health}/${full.run}/compare`, says: "Score " },
      empty: { as: "bare", hash: `#/sites/${bare.project}/health/${bare.run}/compare`, says: "No report was saved" },
      name: "comparison"
    },
    {
      data: { hash: health, says: "Score by crawl" },
      empty: { as: "bare", hash: `#/sites/${bare.project}/health`, says: "No completed crawl yet" },
      name: "health"
    },
    { data: { hash: `#/sites/${full.project}/settings`, says: "Crawl schedule" }, name: "settings of a site" },
    { data: { hash: `${ofShop}/settings/search`, says: "Remove from list" }, name: "settings, search data" },
    { data: { hash: `${ofShop}/settings/inspections`, says: "No inspections yet" }, name: "settings, URL inspection" },
    {
      data: { hash: `${ofShop}/links`, says: full.shown.link },
      empty: { as: "bare", hash: `${ofBare}/links`, says: "No backlinks yet" },
      name: "links"
    },
    {
      data: { hash: `${ofShop}/links/domains`, says: full.shown.domain },
      empty: { as: "bare", hash: `${ofBare}/links/domains`, says: "No backlinks yet" },
      name: "links, referring domains"
    },
    {
      data: { hash: `${ofShop}/links/changes`, says: full.shown.domain },
      empty: { as: "bare", hash: `${ofBare}/links/changes`, says: "No changes yet" },
      name: "links, new and lost"
    },
    {
      data: { hash: `${ofShop}/links/imports`, says: "completed" },
      empty: { as: "bare", hash: `${ofBare}/links/imports`, says: "No imports yet" },
      name: "links, import"
    },
    {
      data: { hash: `${ofShop}/ai`, says: "Start the first run" },
      empty: { as: "bare", hash: `${ofBare}/ai`, says: "Add prompts" },
      name: "AI visibility"
    },
    {
      data: { hash: `${ofShop}/ai/prompts`, says: full.shown.prompt },
      empty: { as: "bare", hash: `${ofBare}/ai/prompts`, says: "No prompts yet" },
      name: "AI visibility, prompts"
    },
    { data: { hash: `${ofShop}/ai/runs`, says: "No runs yet" }, name: "AI visibility, runs" },
    { data: { hash: `${ofShop}/ai/answers`, says: "No answers yet" }, name: "AI visibility, answers" },
    { data: { hash: `${ofShop}/ai/domains`, says: "No cited domains yet" }, name: "AI visibility, cited domains" },
    {
      data: { hash: `${ofShop}/changes`, says: full.shown.change },
      empty: { as: "bare", hash: `${ofBare}/changes`, says: "No changes yet" },
      name: "changes"
    },
    { data: { hash: `${ofShop}/changes/${full.change}`, says: "as recorded" }, name: "change" },
    { data: { hash: `${ofShop}/changes/new`, says: "Current blob SHA" }, name: "change, new" },
    { data: { hash: `${ofShop}/changes/connections`, says: "Application password" }, name: "changes, connections" },
    {
      data: { hash: shop, says: full.shown.query },
      empty: { as: "bare", hash: `#/sites/${bare.project}/search`, says: "No search data yet" },
      name: "search"
    },
    {
      data: { hash: `#/sites/${full.many}/search`, says: "1–25" },
      name: `search, ${queries} queries`
    },
    { data: { hash: `${shop}?tab=pages`, says: "/blog/" }, name: "search, pages" },
    { data: { hash: `${shop}?tab=countries&range=3m&compare=year`, says: "vs." }, name: "search, countries" },
    { data: { hash: `${shop}?tab=devices&show=ctr+position`, says: "Position" }, name: "search, devices" },
    { data: { hash: `${shop}?status=stable`, says: "stable" }, name: "search, position changes" },
    { data: { hash: `${shop}?tab=opportunities`, says: "Striking distance" }, name: "opportunities" },
    { data: { hash: `${shop}?tab=opportunities&kind=low_ctr&all=1`, says: "Show all" }, name: "opportunities, all" },
    { data: { hash: `${shop}?tab=snapshots`, says: "No snapshots yet" }, name: "snapshots" },
    { data: { hash: `${shop}/query?key=boots`, says: "Pages for this query" }, name: "query" },
    { data: { hash: `${shop}/page?key=%2Fa`, says: "Queries of this page" }, name: "page" },
    {
      data: { hash: `${shop}?keyword=${encodeURIComponent(full.keyword)}`, says: "Pages for this query" },
      name: "query of a ranking"
    },
    {
      data: { hash: audits, says: "Web vitals" },
      empty: { as: "bare", hash: `#/sites/${bare.project}/audits`, says: "No audits yet" },
      name: "audits"
    },
    { data: { hash: `${audits}?open=new`, says: "starts now and repeats" }, name: "audits, new" },
    { data: { hash: `${audits}?open=schedules`, says: "No page is audited on a schedule" }, name: "audits, schedules" },
    { data: { hash: `${audits}?open=import`, says: "or drop it here" }, name: "audits, import" },
    {
      data: {
        hash: `${audits}?${new URLSearchParams({ device, url })}`,
        says: "The most severe first"
      },
      empty: {
        as: "bare",
        hash: `#/sites/${bare.project}/audits?url=https%3A%2F%2Fa.example%2F`,
        says: "No completed audit yet"
      },
      name: "audits of a page"
    },
    {
      data: { hash: experiments, says: "Shorter titles" },
      empty: { as: "bare", hash: `#/sites/${bare.project}/experiments`, says: "No experiments yet" },
      name: "experiments"
    },
    {
      data: { hash: `${experiments}/new`, says: "Save draft and continue" },
      empty: { as: "bare", hash: `#/sites/${bare.project}/experiments/new`, says: "No page data yet" },
      name: "experiment, new"
    },
    {
      data: { hash: `${experiments}/${full.judged}`, says: "Increase of clicks by" },
      empty: {
        as: "bare",
        hash: `#/sites/${bare.project}/experiments/${bare.experiment}`,
        says: "Waiting for results data"
      },
      name: "experiment"
    },
    { data: { hash: `${experiments}/${full.running}`, says: "Interim result after" }, name: "experiment, running" },
    { data: { hash: `${experiments}/${full.draft}?step=pages`, says: "Save and continue" }, name: "experiment, pages" },
    { data: { hash: `${experiments}/${full.draft}`, says: "Minimum detectable effect" }, name: "experiment, power" },
    {
      data: { hash: `${experiments}/${full.draft}?step=assignment`, says: "First day with the change" },
      name: "experiment, assignment"
    },
    { data: { hash: `${experiments}/${full.draft}?step=start`, says: "The start fixes" }, name: "experiment, start" },
    {
      data: { hash: "#/webhooks", says: ": 500" },
      empty: { as: "nothing", hash: "#/webhooks", says: "No endpoints yet" },
      name: "webhooks"
    },
    {
      data: { hash: `#/webhooks/${full.webhook}`, says: "Failing since" },
      empty: { as: "bare", hash: `#/webhooks/${bare.webhook}`, says: "No deliveries yet" },
      name: "webhook"
    },
    { data: { hash: `#/webhooks/${full.webhook}/${full.delivery}`, says: "Response" }, name: "delivery" },
    {
      data: { hash: "#/events", says: "failed: " },
      empty: { as: "nothing", hash: "#/events", says: "No events yet" },
      name: "events"
    },
    { data: { hash: "#/settings", says: "API keys, oldest first" }, name: "keys" },
    { data: { hash: "#/settings/account", says: "Usage" }, name: "account" },
    { data: { hash: "#/settings/server", says: "Database schema" }, name: "server" },
    { data: { hash: "#/nowhere", says: "No page has this URL" }, isStill: true, name: "no such screen" }
  ]
}

/** The server's response to every request in each refusing state. */
const refused: Readonly<Record<string, FalseAnswer>> = {
  "403": refusal(403, "insufficient_scope"),
  "429": refusal(429, "rate_limit_exceeded", { "retry-after": "600" }),
  "500": refusal(500, "internal_error")
}

const states = ["data", "empty", ...Object.keys(refused)]

/** Issues by screen and state; a state without an entry does not exist. */
type Found = Map<string, Map<string, ReadonlyArray<string>>>

const all = "/api/v1/"

/** The error with its code and request id, and with a countdown if there is a wait. */
const told = ({ body, headers = {} }: FalseAnswer) => {
  const { code, request_id } = JSON.parse(body).error
  const timer = "retry-after" in headers ? `document.querySelector("[role=timer]") !== null` : "true"
  return `document.querySelector("[role=alert]") !== null && ${has(`${code} · request ${request_id}`)} && ${timer}`
}

/** Signs in as another account. */
const enterAs = async (browser: Tab, base: string, key: string) => {
  await look(browser, { scheme: "light", width: 1200 })
  await visit(browser, base)
  if (await browser.evaluate(`${element("button", "Sign out")} !== undefined`)) {
    await press(browser, element("button", "Sign out"))
    await browser.until(`${element("button", "Sign in")} !== undefined && ${settled}`)
  }
  await enter(browser, key)
}

/** Stores the screenshot of a screen in a folder. */
const pictured = async (browser: Tab, folder: string, name: string, { scheme, width }: Look) =>
  void (await Bun.write(join(folder, `${name.replace(/\W+/g, "-")}-${width}-${scheme}.webp`), await picture(browser)))

const walk = async (browser: Tab, serving: Node, seeded: Seed, folder: string | undefined) => {
  const { base } = serving
  const found: Found = new Map()
  const faultsOf = judge(browser, strangeness(base, await operationsOf(serving)))
  let worst = { at: "", shift: 0 }
  const keep = async (name: string, state: string, arrive: () => Promise<void>) => {
    const own = found.get(name) ?? new Map<string, ReadonlyArray<string>>()
    const faults = await faultsOf(
      arrive,
      folder === undefined ? undefined : (look) => pictured(browser, folder, `${name} ${state}`, look),
      (shift) => {
        if (shift > worst.shift) worst = { at: `${name}, ${state}`, shift }
      }
    )
    found.set(name, own.set(state, faults))
    if (faults.length > 0) console.log(`${name}, ${state}: ${faults.join("; ")}`)
  }
  await watchShifts(browser)
  await keep("sign-in page", "data", () => visit(browser, base))
  for (const [state, answer] of Object.entries(refused)) {
    await browser.answer(all, answer)
    await keep("sign-in page", state, async () => {
      await visit(browser, base)
      await fill(browser, "API key", "fnd_live_none")
      await browser.until(told(answer))
    })
    await browser.answer(all, null)
  }
  await enterAs(browser, base, seeded.full.key)
  const screens = screensOf(seeded, await seeded.full.live())
  const showing = ({ hash, says }: Place) => reach(browser, hash, has(says))
  for (const { data, name } of screens) await keep(name, "data", () => showing(data))
  for (const [state, answer] of Object.entries(refused)) {
    await browser.answer(all, answer)
    for (const { data, isStill, name } of screens)
      if (isStill !== true) await keep(name, state, () => reach(browser, data.hash, told(answer)))
    await browser.answer(all, null)
  }
  for (const as of ["bare", "nothing"] as const) {
    await enterAs(browser, base, seeded[as].key)
    for (const { empty, name } of screens) if (empty?.as === as) await keep(name, "empty", () => showing(empty))
  }
  return { found, worst }
}

const table = (found: Found) => {
  const cell = (faults: ReadonlyArray<string> | undefined) =>
    faults === undefined ? "–" : faults.length === 0 ? "ok" : `${faults.length} wrong`
  const rows = [
    ["screen", ...states],
    ...Array.from(found, ([name, own]) => [name, ...states.map((state) => cell(own.get(state)))])
  ]
  const width = Math.max(...rows.map(([name = ""]) => name.length))
  return rows.map(([name = "", ...cells]) =>
    [name.padEnd(width), ...cells.map((one) => one.padEnd(8))].join("  ").trimEnd()
  )
}

/**
 * `console`: every screen of the console with data, without data, and refused in three ways, at 1200 pixels by day and 400 by night, in Chromium. It checks
 * that axe reports nothing, that no screen is wider than its window or has too many nodes, that each becomes dark, that text from strangers stays text, and
 * that requests go only to paths of the contract, and how far each moves while it loads. Before that it measures how long a new user waits for the first
 * issue. `--pictures FOLDER` keeps a picture
 * of each, of a made-up shop.
 */
export const consoleCampaign = async (words: ReadonlyArray<string>) => {
  const folder = words[0] === "--pictures" ? words[1] : undefined
  if (chromium === null) throw new Error("There is no Chromium on this machine")
  const inTab = <A>(use: (browser: Tab) => Promise<A>) =>
    Effect.runPromise(
      Effect.scoped(Effect.flatMap(tab(chromium ?? ""), (browser) => Effect.promise(() => use(browser))))
    )
  const site = faulty()
  const moments = await inTab((browser) => firstFinding(browser, site.url))
  site.stop()
  console.log("Seconds since the first start, in an empty folder:")
  for (const [what, seconds] of moments) console.log(`  ${seconds.toFixed(1).padStart(5)}  ${what}`)
  const database = await postgres()
  const serving = await node({ DATABASE_URL: database.url(), FINDABLE_CHILD_NICENESS: "0" })
  const seeded = await seed(serving, database, folder !== undefined)
  const { found, worst } = await inTab((browser) => walk(browser, serving, seeded, folder))
  await seeded.stop()
  await serving.end("SIGTERM")
  await database.remove()
  console.log(table(found).join("\n"))
  console.log(`The largest layout shift: ${worst.shift.toFixed(3)} (${worst.at || "none moves"})`)
  const broken = [...found.values()].flatMap((own) => [...own.values()]).filter((faults) => faults.length > 0).length
  console.log(broken === 0 ? "the law holds" : `${broken} states are wrong`)
  return broken === 0
}
