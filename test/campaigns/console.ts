import { join } from "node:path"
import * as Effect from "effect/Effect"
import {
  element,
  enter,
  fill,
  has,
  type Look,
  look,
  picture,
  press,
  refusal,
  settled,
  visit
} from "../app/console/shown.ts"
import { chromium, type FalseAnswer, type Tab, tab } from "../browser.ts"
import { operationsOf } from "./attackers.ts"
import { firstFinding } from "./console/firstFinding.ts"
import { judge, reach, strangeness } from "./console/judge.ts"
import { type Place, screensOf } from "./console/screens.ts"
import { faulty, type Seed, seed } from "./console/seed.ts"
import { type Node, node } from "./node.ts"
import { postgres } from "./postgres.ts"

/** What the server answers to everything in each state in which it refuses. */
const refused: Readonly<Record<string, FalseAnswer>> = {
  "403": refusal(403, "insufficient_scope"),
  "429": refusal(429, "rate_limit_exceeded", { "retry-after": "600" }),
  "500": refusal(500, "internal_error")
}

const states = ["data", "empty", ...Object.keys(refused)]

/** Faults by screen and state; a state without an entry does not exist. */
type Found = Map<string, Map<string, ReadonlyArray<string>>>

const all = "/api/v1/"

/** The error with its code and the id of its request, and with a countdown where there is something to wait for. */
const told = ({ body, headers = {} }: FalseAnswer) => {
  const { code, request_id } = JSON.parse(body).error
  const timer = "retry-after" in headers ? `document.querySelector("[role=timer]") !== null` : "true"
  return `document.querySelector("[role=alert]") !== null && ${has(`${code} · request ${request_id}`)} && ${timer}`
}

/** Enters at the door as somebody else than before. */
const enterAs = async (browser: Tab, base: string, key: string) => {
  await look(browser, { scheme: "light", width: 1200 })
  await visit(browser, base)
  if (await browser.evaluate(`${element("button", "Leave")} !== undefined`)) {
    await press(browser, element("button", "Leave"))
    await browser.until(`${element("button", "Enter")} !== undefined && ${settled}`)
  }
  await enter(browser, key)
}

/** Keeps the picture of a screen in a folder. */
const pictured = async (browser: Tab, folder: string, name: string, { scheme, width }: Look) =>
  void (await Bun.write(join(folder, `${name.replace(/\W+/g, "-")}-${width}-${scheme}.webp`), await picture(browser)))

const walk = async (browser: Tab, serving: Node, seeded: Seed, folder: string | undefined) => {
  const { base } = serving
  const found: Found = new Map()
  const faultsOf = judge(browser, strangeness(base, await operationsOf(serving)))
  const keep = async (name: string, state: string, arrive: () => Promise<void>) => {
    const own = found.get(name) ?? new Map<string, ReadonlyArray<string>>()
    const faults = await faultsOf(
      arrive,
      folder === undefined ? undefined : (look) => pictured(browser, folder, `${name} ${state}`, look)
    )
    found.set(name, own.set(state, faults))
    if (faults.length > 0) console.log(`${name}, ${state}: ${faults.join("; ")}`)
  }
  await keep("door", "data", () => visit(browser, base))
  for (const [state, answer] of Object.entries(refused)) {
    await browser.answer(all, answer)
    await keep("door", state, async () => {
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
  return found
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
 * `console`: every screen of the console with data, without, and refused in three ways, at 1200 pixels by day and 400 by night, in Chromium: what axe has against it, whether it is wider
 * than its window or has too many nodes, becomes dark, keeps texts of strangers texts, and asks anybody or anything that the contract lacks. Before that, how
 * long somebody who has nothing waits for the first finding. `--pictures FOLDER` keeps a picture of each.
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
  const seeded = await seed(serving, database)
  const found = await inTab((browser) => walk(browser, serving, seeded, folder))
  await seeded.stop()
  await serving.end("SIGTERM")
  await database.remove()
  console.log(table(found).join("\n"))
  const broken = [...found.values()].flatMap((own) => [...own.values()]).filter((faults) => faults.length > 0).length
  console.log(broken === 0 ? "the law holds" : `${broken} states are wrong`)
  return broken === 0
}
