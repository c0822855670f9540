import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { element, fill, look, main, press, settled } from "../../app/console/shown.ts"
import type { Tab } from "../../browser.ts"
import { spawn, until } from "../node.ts"

/** A moment on the way, in seconds since the node was started. */
export type Moment = readonly [what: string, seconds: number]

/** The first five minutes of somebody who has nothing: an empty folder, the first start with a database of its own, its link, an address, and the worst finding with its repair. */
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
    await browser.until(`location.protocol === "http:" && ${settled} && ${main}.includes("No site yet")`)
    reached("the link is opened, and the console asks for a site")
    await fill(browser, "Address of a site", site)
    await browser.until(`location.hash.startsWith("#/runs/") && ${main}.includes("What it cost") && ${settled}`)
    reached("its run has ended")
    await press(browser, element("summary", "Broken link"))
    await browser.until(`${element("button", "Copy the prompt")} !== undefined && ${settled}`)
    reached("the worst finding is on the screen, with its repair")
  } finally {
    child.kill("SIGTERM")
    await child.exited
    rmSync(folder, { force: true, recursive: true })
  }
  return moments
}
