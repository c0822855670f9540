import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { chromium } from "../../browser.ts"
import { change } from "../../features/interventions/setting.ts"
import { answer } from "../../features/visibility/engines.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { strayWords } from "../../words.ts"
import { entered, layer, linking, Others } from "./linked.ts"
import { attach, element, field, goTo, has, main, pick, press, settled, violations, write } from "./shown.ts"

const markup = "<img src=x onerror=globalThis.hurt=1>"

const isHurt = `globalThis.hurt !== undefined || document.querySelector("body img, body script") !== null`

const tabs = [
  "links",
  "links/domains",
  "links/changes",
  "links/imports",
  "ai",
  "ai/prompts",
  "ai/runs",
  "ai/answers",
  "ai/domains",
  "changes",
  "changes/new",
  "changes/new?by=wordpress",
  "changes/new?by=recorded",
  "changes/connections",
  "settings",
  "settings/search",
  "settings/inspections"
]

/** Tabs with forms, which axe looks at here; the campaign shows it all of them, with data too. */
const withForms = ["links/imports", "ai/runs", "changes/new", "changes/connections", "settings", "settings/search"]

/** A new site with its account, in the browser. */
const started = (url = "https://shop.example") =>
  Effect.gen(function* () {
    const { account, key } = yield* Server.customer()
    const { id } = yield* Server.projectOf(account, url)
    const browser = yield* entered(key)
    return { account, at: `#/sites/${id}`, browser, id, key, path: `/api/v1/projects/${id}` }
  })

describe.skipIf(chromium === null)("the tabs of a site's links, AI visibility, changes and settings", () => {
  const it = suite(layer, { timeout: 240_000 })

  it("speak in the words of the glossary without data, and axe finds nothing on them", function* () {
    const { at, browser } = yield* started()
    yield* Effect.promise(async () => {
      for (const tab of tabs) {
        await goTo(browser, `${at}/${tab}`)
        const text = String(await browser.evaluate("document.body.innerText"))
        expect([tab, strayWords(text, tab.startsWith("ai"))]).toEqual([tab, []])
        if (withForms.includes(tab)) expect([tab, await violations(browser)]).toEqual([tab, []])
        const { clientWidth, scrollWidth } = await browser.evaluate(
          "({ clientWidth: document.documentElement.clientWidth, scrollWidth: document.documentElement.scrollWidth })"
        )
        expect([tab, scrollWidth <= clientWidth]).toEqual([tab, true])
      }
    })
  })

  it("import backlinks from a file, check them, and narrow the list", function* () {
    const { at, browser } = yield* started()
    const { origin } = (yield* linking("https://shop.example")).url
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await goTo(browser, `${at}/links`)
      await press(browser, element("a", "Import backlinks"))
      await until(`${field("Export of backlinks (CSV, GZIP or ZIP)")} !== undefined && ${settled}`)
      await attach(
        browser,
        "links.csv",
        [
          "Referring page URL\tDomain rating\tTarget URL\tAnchor\tNofollow",
          `${origin}/links\t78\thttps://shop.example/shoes\t${markup}\tfalse`,
          `${origin}/gone\t12\thttps://shop.example/\tHome\ttrue`
        ].join("\n")
      )
      await press(browser, element("button", "Import file"))
      await until(has("Imported 2 backlinks from 2 rows (Ahrefs), 2 new."))
      await goTo(browser, `${at}/links`)
      await press(browser, element("button", "Check due links"))
      await until(`${has("Live")} && ${element("td", "Page gone")} !== undefined && ${has("returned 404")}`)
      await press(browser, element("tr button", "Check again"))
      await until(has("Checking. Results appear here."))
      await press(browser, element("button", "Page gone"))
      await until(`!${has("/links")} && ${has("/gone")} && location.hash.endsWith("?state=page_gone") && ${settled}`)
      await goTo(browser, `${at}/links/domains`)
      await until(has("78 (Ahrefs)"))
      await goTo(browser, `${at}/links/changes`)
      await until(`${element("td", "New")} !== undefined`)
      await press(browser, element("button", "Lost"))
      await until(has("No changes of this kind in this period."))
      expect(await evaluate(isHurt)).toBe(false)
    })
  })

  it("add prompts, say the price of a run before it starts, and show rates, answers and domains", function* () {
    const { at, browser, key, path } = yield* started("https://www.shop.example")
    const { engines } = yield* Others
    yield* Server.send("PATCH", path, { body: { brand_terms: ["Shop Example"] }, key })
    engines.replies.set("Which shoes", ({ engine }) =>
      Response.json(answer(engine, { text: `${markup} of Shop Example`, urls: ["https://www.shop.example/shoes"] }))
    )
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await goTo(browser, `${at}/ai`)
      await press(browser, element("a", "Add prompts"))
      await write(browser, "Prompts, one per line", "Which shoes last?\nWho sells boots?\n")
      await press(browser, element("button", "Add prompts"))
      await until(
        `${element("tbody th", "Which shoes last?")} !== undefined && ${has("Who sells boots?")} && ${settled}`
      )
      await press(browser, element("tr:nth-child(2) summary", "Edit"))
      await write(browser, "Prompt", "Who sells good boots?")
      await press(browser, element("button", "Save prompt"))
      await until(`${element("tbody th", "Who sells good boots?")} !== undefined && !${has("Who sells boots?")}`)
      await goTo(browser, `${at}/ai/runs`)
      await until(`${element("button", "Show price")} !== undefined && ${element("button", "Start run")} === undefined`)
      await press(browser, element("button", "Show price"))
      await until(`${has("10 calls for $1.00 to $10.00")} && ${has("of the server’s daily budget is left")}`)
      await press(browser, element("button", "Start run"))
      await until(`${element("td", "completed")} !== undefined && ${has("10 of 10")}`)
      await press(browser, element("tbody th a"))
      await until(`${has("Cites your site")} && ${has("Neither")} && ${settled}`)
      await press(browser, `(${element("tr", "Which shoes last?")}?.querySelector("summary") ?? undefined)`)
      await until(has("of Shop Example"))
      await goTo(browser, `${at}/ai`)
      await until(`${has("Cited by OpenAI")} && ${has("50%")} && ${settled}`)
      await goTo(browser, `${at}/ai/domains`)
      await until(`${has("other.example")} && ${has("your site")} && ${settled}`)
      expect(await evaluate(isHurt)).toBe(false)
    })
    yield* Effect.promise(async () => expect(await violations(browser)).toEqual([]))
  })

  it("connect GitHub, open a pull request, and roll it back after a confirmation", function* () {
    const { at, browser, key, path } = yield* started()
    const repository = (yield* Others).github.repository()
    yield* Effect.promise(async () => {
      const { until } = browser
      await goTo(browser, `${at}/changes/connections`)
      await write(browser, "GitHub token", "ghp_secretOfTheTest")
      await press(browser, element("button", "Connect GitHub"))
      await until(`${element("button", "Disconnect GitHub")} !== undefined`)
      await goTo(browser, `${at}/changes/new`)
      await write(browser, "Summary", markup)
      await write(browser, "Repository", repository.name)
      await write(browser, "File", change.path)
      await write(browser, "Current blob SHA", String(change.expected_sha))
      await write(browser, "New content of the whole file", "New")
      await press(browser, element("button", "Open pull request"))
      await until(`${has("The pull request is open.")} && ${has(change.path)} && ${settled}`)
      await press(browser, element("summary", "Roll back…"))
      await until(has("Closes the pull request and deletes its branch."))
      await press(browser, element("button", "Roll back this change"))
      await until(`${has("The previous state is restored.")} && ${settled}`)
      await goTo(browser, `${at}/changes`)
      await until(`${has("Rolled back")} && ${has(markup)}`)
      expect(await browser.evaluate(isHurt)).toBe(false)
    })
    const { body } = yield* Server.send("GET", `${path}/interventions`, { key })
    expect(body.data.map(({ status }: { readonly status: string }) => status)).toEqual(["rolled_back"])
  })

  it("rename a site, change its schedule, and delete the site when its name is typed", function* () {
    const { at, browser, key, path } = yield* started()
    yield* Effect.promise(async () => {
      const { until } = browser
      await goTo(browser, `${at}/settings`)
      await write(browser, "Maximum pages", "7")
      await press(browser, element("button", "Add schedule"))
      await until(has("Every day from"))
      await press(browser, element("summary", "Edit schedule"))
      await until(`${element("button", "Save schedule")} !== undefined`)
      await pick(browser, "Crawl this site", "7d")
      await press(browser, element("button", "Save schedule"))
      await until(`${has("Every week from")} && ${has("up to 7 pages")}`)
      await write(browser, "Site name", "The shop")
      await press(browser, element("button", "Rename site"))
      await until(`document.querySelector("h1").textContent === "Settings of The shop" && ${settled}`)
      await write(browser, "Brand terms, one per line", "Shop\nThe Shop")
      await press(browser, element("button", "Save brand terms"))
      await until(`${element("button", "Save brand terms")}?.disabled`)
      await press(browser, element("summary", "Delete this site"))
      await until(`${element("button", "Delete site")}?.disabled`)
    })
    const { body } = yield* Server.send("GET", path, { key })
    expect([body.data.name, body.data.brand_terms]).toEqual(["The shop", ["Shop", "The Shop"]])
    yield* Effect.promise(async () => {
      await write(browser, "Type The shop to confirm", "The shop")
      await press(browser, element("button", "Delete site"))
      await browser.until(`location.hash === "#/sites" && ${has("Add your first site")}`)
    })
    expect((yield* Server.send("GET", path, { key })).status).toBe(404)
  })

  it("connect Search Console by a key file, say why its sync failed, and remove imports and days", function* () {
    const { at, browser, key, path } = yield* started("https://example.com")
    const pair = yield* Effect.promise(() =>
      crypto.subtle.generateKey(
        { hash: "SHA-256", modulusLength: 2048, name: "RSASSA-PKCS1-v1_5", publicExponent: new Uint8Array([1, 0, 1]) },
        true,
        ["sign"]
      )
    )
    const pkcs8 = yield* Effect.promise(() => crypto.subtle.exportKey("pkcs8", pair.privateKey))
    const pem = `-----BEGIN PRIVATE KEY-----\n${Buffer.from(pkcs8).toString("base64")}\n-----END PRIVATE KEY-----\n`
    const file = {
      client_email: "a@b.example",
      private_key: pem,
      token_uri: "https://x.example",
      type: "service_account"
    }
    const days = ["2026-10-01", "2026-10-02"].map((day) => `${day},boots,https://example.com/b,2,40,12`)
    yield* Effect.promise(async () => {
      const { until } = browser
      await goTo(browser, `${at}/settings/search`)
      await until(`${field("Search Console property")}?.value === "sc-domain:example.com" && ${settled}`)
      await attach(browser, "key.json", "no key")
      await press(browser, element("button", "Connect Search Console"))
      await until(has("key.json is not a key file"))
      await attach(browser, "key.json", JSON.stringify(file))
      await press(browser, element("button", "Connect Search Console"))
      await until(`${has("Sync failed. Days that were already fetched stay.")} && ${has("Last sync failed: ")}`)
    })
    const body = ["Date,Query,Page,Clicks,Impressions,Position", ...days].join("\n")
    const made = yield* Server.send("POST", `${path}/rankings/imports?format=gsc-csv`, { body, key })
    yield* Effect.promise(async () => {
      const { until } = browser
      await goTo(browser, `${at}/settings/search?import=${made.body.data.id}`)
      await until(has("2 rows of queries on pages by day"))
      await press(browser, element("button", "Remove from list"))
      await until(has("No imports of files yet."))
      await press(browser, element("summary", "Delete days of search data"))
      await until(`${field("Last day")} !== undefined`)
      await pick(browser, "First day", "2026-10-02")
      await pick(browser, "Last day", "2026-10-03")
      await until(`${element("button", "Delete 2 days")}?.disabled`)
      await write(browser, "Type delete 2 days to confirm", "delete 2 days")
      await press(browser, element("button", "Delete 2 days"))
      await until(has("1 day deleted, 1 had no data."))
    })
    const left = yield* Server.send("GET", `${path}/performance?by=query&start=2026-10-01&end=2026-10-03`, { key })
    expect(left.body.data.map(({ clicks }: { readonly clicks: number }) => clicks)).toEqual([2])
  })

  it("disable what a key may not do, and name the scope", function* () {
    const { account, at, key, path } = yield* started()
    yield* Server.send("POST", `${path}/geo/prompts`, { body: { text: "Which shoes?" }, key })
    yield* Server.send("POST", `${path}/site-health/schedules`, { body: { every: "1d" }, key })
    const browser = yield* entered(yield* Server.keyWith(account, ["*"]))
    const reader = [
      "projects:read",
      "site-health:read",
      "search-data:read",
      "backlinks:read",
      "geo:read",
      "interventions:read"
    ]
    const poor = yield* Server.keyWith(account, reader)
    yield* Effect.promise(async () => {
      await goTo(browser, `${at}/ai/prompts`)
      await browser.until(`${element("button", "Add prompts")}?.disabled && ${has("geo:write")}`)
    })
    yield* entered(poor)
    yield* Effect.promise(async () => {
      for (const [tab, scope] of [
        ["links/imports", "backlinks:write"],
        ["ai/runs", "geo:write"],
        ["changes/new", "interventions:write"],
        ["changes/connections", "interventions:write"],
        ["settings", "projects:write"],
        ["settings/search", "rankings:write"]
      ] as const) {
        await goTo(browser, `${at}/${tab}`)
        await browser.until(`${has(scope)} && ${settled}`)
        const open = await browser.evaluate(
          `[...document.querySelectorAll("main form button[type=submit]:enabled")].map((one) => one.textContent)`
        )
        expect([tab, open]).toEqual([tab, []])
        expect(String(await browser.evaluate(main))).not.toContain("Permission denied")
      }
    })
  })
})
