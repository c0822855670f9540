import { type Look, look, looks, main, measured, settled, violations } from "../../app/console/shown.ts"
import type { Tab } from "../../browser.ts"
import type { Operation } from "../attackers.ts"
import { until } from "../node.ts"

/** Nodes of a screen at most before a reader opens more of it. */
const nodesAtMost = 600

/** Until a screen shows what it has. */
const secondsAtMost = 20

/** Of an address that the contract or the console has no place for: what is wrong with it. */
export const strangeness = (base: string, operations: ReadonlyArray<Operation>) => {
  const known = operations.map(({ parameters, path }) => ({
    names: parameters.filter((one) => one.in === "query").map(({ name }) => name),
    pattern: new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`)
  }))
  return (address: string): string | null => {
    const { origin, pathname, protocol, searchParams } = new URL(address)
    if (["about:", "data:"].includes(protocol)) return null
    if (origin !== base) return `another origin: ${address}`
    if (["/console", "/console/console.css", "/console/console.js"].includes(pathname)) return null
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

/** Opens what is closed until nothing is, as a reader would who wants to see all. */
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

/** Goes to a screen, each part of which begins anew, and waits until something is true of it. */
export const reach = async ({ evaluate }: Tab, hash: string, isThere: string) => {
  await evaluate(`location.hash = "#/elsewhere"`)
  await until(() => evaluate(`document.title.startsWith("Not found")`), secondsAtMost)
  await evaluate(`location.hash = ${JSON.stringify(hash)}`)
  await until(() => evaluate(`(${isThere}) && ${settled}`), secondsAtMost)
}

/** What is wrong with a screen in both windows, once a reader is there; `keep` is called when it stands in one as a reader first sees it. */
export const judge =
  (browser: Tab, strange: (address: string) => string | null) =>
  async (arrive: () => Promise<void>, keep?: (look: Look) => Promise<void>): Promise<ReadonlyArray<string>> => {
    const { complaints, evaluate, requested } = browser
    const [asked, complained] = [requested.length, complaints.length]
    try {
      await arrive()
    } catch {
      return [`it never came, but: ${String(await evaluate(main)).slice(0, 300)}`]
    }
    const faults: Array<string> = []
    const { nodes } = await evaluate(measured)
    if (nodes > nodesAtMost) faults.push(`${nodes} nodes`)
    if (keep !== undefined) {
      for (const one of looks) {
        await look(browser, one)
        await keep(one)
      }
    }
    await openAll(browser)
    for (const one of looks) {
      await look(browser, one)
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
    // A status that is no success is told by the browser as well; it is the server's to give.
    for (const text of complaints.slice(complained))
      if (!text.startsWith("Failed to load resource: the server responded with a status")) faults.push(text)
    return [...new Set(faults)]
  }
