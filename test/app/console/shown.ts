import { readFileSync } from "node:fs"
import type { FalseAnswer, Tab } from "../../browser.ts"

/** A window: its width in pixels, and the scheme that its reader prefers. */
export interface Look {
  readonly width: number
  readonly scheme: "dark" | "light"
}

/** A wide window in the light scheme and a narrow one in the dark scheme. */
export const looks: ReadonlyArray<Look> = [
  { scheme: "light", width: 1200 },
  { scheme: "dark", width: 400 }
]

/** Resizes the window, and sets the preferred color scheme. */
export const look = async ({ send }: Tab, { scheme, width }: Look) => {
  await send("Emulation.setDeviceMetricsOverride", { deviceScaleFactor: 1, height: 900, mobile: width < 500, width })
  await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] })
}

/** Waits until a screen has loaded its data. */
export const settled =
  "document.readyState === 'complete' && document.querySelector('h1') !== null && document.querySelector('main').ariaBusy !== 'true'"

/** Expressions for the text of the screen, and for whether it has a text. */
export const main = "document.querySelector('main').textContent"
export const has = (text: string) => `${main}.includes(${JSON.stringify(text)})`

/** Opens the console again, on its sign-in page. */
export const visit = async (tab: Tab, base: string, hash = "") => {
  await tab.send("Page.navigate", { url: "about:blank" })
  await tab.send("Page.navigate", { url: `${base}/console${hash}` })
  await tab.until(`location.origin === ${JSON.stringify(base)} && ${settled}`)
}

/** An expression for the first visible element that a selector and its words describe. */
export const element = (selector: string, words = "") =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].find((one) => one.checkVisibility() && one.textContent.includes(${JSON.stringify(words)}))`

/** The field with a label. */
export const field = (label: string) =>
  `[...document.querySelectorAll("label")].find((one) => one.textContent === ${JSON.stringify(label)})?.control`

const focus = ({ evaluate }: Tab, expression: string) => evaluate(`${expression}?.focus()`)

/**
 * Focuses an element once it is there, and presses Enter as people without a mouse do. A new render, or the focus that a new screen takes, may come between
 * both, so this repeats until the element gets the key. A page that is left on the way has no record.
 */
export const press = (tab: Tab, expression: string, arrive: (tab: Tab, expression: string) => Promise<void> = focus) =>
  tab.until("globalThis.wasHit !== false", async () => {
    await tab.until(`${expression} !== undefined`)
    await arrive(tab, expression)
    const isFocused = await tab.evaluate(`(() => {
      const one = ${expression}
      const record = ({ target }) => { globalThis.wasHit = target === one }
      globalThis.wasHit = false
      addEventListener("keydown", record, { capture: true, once: true })
      return document.activeElement === one
    })()`)
    if (isFocused) await tab.press("Enter", 13)
  })

/** Moves the focus to an element by the Tab key alone. */
export const walkTo = async ({ evaluate, press, until }: Tab, expression: string) => {
  await until(`${expression} !== undefined && ${settled}`)
  for (let steps = 0; steps < 100; steps++) {
    if (await evaluate(`document.activeElement === ${expression}`)) return
    await press("Tab", 9)
  }
  throw new Error(`The key Tab does not lead to ${expression}`)
}

/** Replaces the text of the field with a label, again until the text is there. */
export const write = (tab: Tab, label: string, text: string) =>
  tab.until(`${field(label)}?.value === ${JSON.stringify(text)}`, async () => {
    await tab.until(`${field(label)} !== undefined`)
    await tab.evaluate(`(() => { const one = ${field(label)}; one?.focus(); one?.select() })()`)
    await tab.type(text)
  })

/** Writes into the field with a label, and sends it. */
export const fill = async (tab: Tab, label: string, text: string) => {
  await write(tab, label, text)
  await press(tab, field(label))
}

/** Chooses an option, or a day, in the field with a label. */
export const pick = (tab: Tab, label: string, value: string) =>
  tab.evaluate(`(() => {
    const one = ${field(label)}
    one.value = ${JSON.stringify(value)}
    for (const type of ["input", "change"]) one.dispatchEvent(new Event(type, { bubbles: true }))
  })()`)

/** Chooses a file in the file field, as the browser's dialog does. */
export const attach = (tab: Tab, name: string, text: string) =>
  tab.evaluate(`(() => {
    const chosen = new DataTransfer()
    chosen.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}))
    document.querySelector("input[type=file]").files = chosen.files
  })()`)

/** Signs in with a pasted key, and waits for the screen of the URL. */
export const enter = async (tab: Tab, key: string) => {
  await fill(tab, "API key", key)
  await tab.until(`${element("button", "Sign out")} !== undefined && ${settled}`)
}

/** Signs in with a key in a tab that may still hold the session of another. */
export const enterAnew = async (tab: Tab, base: string, key: string) => {
  await visit(tab, base)
  await tab.evaluate("sessionStorage.clear()")
  await visit(tab, base)
  await enter(tab, key)
}

/** Goes to a URL of the console without reloading it. */
export const goTo = async (tab: Tab, hash: string) => {
  await tab.evaluate(`location.hash = ${JSON.stringify(hash)}`)
  await tab.until(`location.hash === ${JSON.stringify(hash)} && ${settled}`)
}

/** Whether the page fits its window, its number of nodes, and the brightness of its background. */
export const measured = `(() => {
  const [red] = (getComputedStyle(document.body).backgroundColor.match(/\\d+/g) ?? []).map(Number)
  const { clientWidth, scrollWidth } = document.documentElement
  return { dark: red < 128, fits: scrollWidth <= clientWidth, nodes: document.querySelectorAll("*").length }
})()`

/** Adds up what moves in the tab's next pages without their reader, as Cumulative Layout Shift, in `globalThis.shift`. */
export const watchShifts = ({ send }: Tab) =>
  send("Page.addScriptToEvaluateOnNewDocument", {
    source: `globalThis.shift = 0
      new PerformanceObserver((list) => {
        for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) globalThis.shift += value
      }).observe({ buffered: true, type: "layout-shift" })`
  })

const axe = readFileSync(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir), "utf8")

/** The violations that axe finds on the page, each with its elements. */
export const violations = async ({ evaluate }: Tab): Promise<ReadonlyArray<string>> => {
  await evaluate(`typeof axe === "undefined" && (() => { ${axe} })()`)
  const found = await evaluate(
    `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))`
  )
  return found
}

/** A screenshot of the whole page, as WebP. */
export const picture = async ({ send }: Tab): Promise<Uint8Array> => {
  const { data } = await send("Page.captureScreenshot", { captureBeyondViewport: true, format: "webp", quality: 80 })
  return Buffer.from(data, "base64")
}

/** The response of a server that refuses, in the API's envelope. */
export const refusal = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): FalseAnswer => ({
  body: JSON.stringify({
    error: { code, message: `The message of ${code}`, request_id: "req_00000000000000000000000000" }
  }),
  headers,
  status
})
